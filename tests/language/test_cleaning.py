from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from text2math.language.cleaning import cleaned
from text2math.language.formulas import written_mathematics
from text2math.language.problem import Problem, read_problem

TEXT = 'Ann\'s shop sold 1,200 "lucky" pens at 2:15 and 35 twenty-cent pads. When did it close?'
MARKS = "\ufeff\u200b\u200c\u200d\u200e\u202e\u2060\u2066\xad\ufe0f\x00\x7f"


def readings(problem: Problem) -> list[tuple[str, str, int, bool]]:
    return [(token.text, token.pos, token.sentence, token.in_question) for token in problem.tokens]


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("place", [0, 1, 12, 20, 40, len(TEXT)])
def test_an_invisible_character_changes_no_reading(mark: str, place: int) -> None:
    plain = read_problem(TEXT, knowledge=True)
    marked = TEXT[:place] + mark + TEXT[place:]
    problem = read_problem(marked, knowledge=True)
    assert readings(problem) == readings(plain)
    assert [q.value for q in problem.all_quantities] == [q.value for q in plain.all_quantities]
    assert problem.text == marked


@pytest.mark.parametrize(
    ("plain", "unusual"),
    [
        (" ", "\xa0"),
        (" ", "\u2009"),
        ("'", "’"),
        ("'", "‘"),
        ("'", "´"),
        ('"', "“"),
        ('"', "«"),
        ("-", "\u2011"),
        ("1,200", "1\u202f200"),
        ("35", "３５"),
        ("?", "？"),
        ("fi", "ﬁ"),
    ],
)
def test_a_character_that_looks_alike_is_read_alike(plain: str, unusual: str) -> None:
    text = f"{TEXT} Show the first five."
    assert plain in text
    assert readings(read_problem(text.replace(plain, unusual))) == readings(read_problem(text))


def test_an_accent_typed_after_its_letter_belongs_to_it() -> None:
    assert cleaned("cafe\u0301").text == "café"
    problem = read_problem("The cafe\u0301 sold 3 cre\u0300pes.")
    assert [token.text for token in problem.tokens] == ["The", "café", "sold", "3", "crèpes", "."]


def test_spans_point_at_the_text_as_it_was_given() -> None:
    text = "\ufeffTo\u200bm has ﬁve pens and 1\u202f200 pa\xadds."
    problem = read_problem(text)
    assert [text[token.start : token.end] for token in problem.tokens][:4] == [
        "To\u200bm",
        "has",
        "ﬁve",
        "pens",
    ]
    assert [(q.value, text[q.start : q.end]) for q in problem.quantities] == [
        (5, "ﬁve"),
        (1200, "1\u202f200"),
    ]


def test_a_space_that_does_not_break_joins_only_groups_of_three_digits() -> None:
    for text in ("12\xa034 pens", "5\xa0km", "1234\xa0567", "1.5\xa0200"):
        assert cleaned(text).text == text.replace("\xa0", " ")


def test_written_mathematics_is_found_behind_a_byte_order_mark() -> None:
    assert written_mathematics(read_problem("\ufeffWhat is 12\xa0*\u200b4?")) is not None


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters() | st.sampled_from(MARKS + "aé3’\xa0ﬁ\u0301")))
def test_every_character_of_a_clean_text_has_a_source(text: str) -> None:
    clean = cleaned(text)
    spans = [clean.span_before(at, at + 1) for at in range(len(clean.text))]
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert spans == sorted(spans)


def test_a_plain_text_stays_as_it_is() -> None:
    assert cleaned(TEXT).text is TEXT
    assert cleaned(TEXT).sources is None
