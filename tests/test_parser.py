from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import text2math
from fakes import model_of
from text2math.bulk.records import record_of
from text2math.checking import check
from text2math.commands.solve import has_answer, headline
from text2math.data import load as load_data
from text2math.explanation.explain import explain
from text2math.inference.crf import TextMathCRF
from text2math.inference.forest import Forest, Grammar, quantities_used
from text2math.inference.potentials import Symbol
from text2math.language.problem import read_problem
from text2math.learning.training import train
from text2math.mathematics.algebra import equivalent
from text2math.mathematics.expression import sort_of, variables
from text2math.mathematics.grammar import Sort
from text2math.mathematics.notation import from_infix, to_infix
from text2math.model.candidates import Candidate
from text2math.model.config import ModelConfig, TrainingConfig
from text2math.model.storage import ModelFileError, load_model, save_model
from text2math.parse import Parse, Phrase, QuantityUse
from text2math.parser import DEFAULT_MODEL, Parser, load, model_names, packaged

APPLES = "Mike picked 7 apples and Nancy picked 3 apples. How many apples were picked in all?"
EQUATION = "3 times one of the numbers is 11 less than 5 times the other."
ODD = [
    "",
    " ",
    "\n",
    "?",
    "7",
    "7 7 7",
    "🍎 3 🍎 4",
    "\x00 3 and 4",
    "٣ apples and ٤",
    "\ud800 2 3",
    "a" * 5000,
]


@pytest.fixture(scope="module")
def parser() -> Parser:
    return load()


@pytest.fixture(scope="module")
def tiny() -> Parser:
    """A parser trained in a second or two: for saving and loading, not for its answers."""
    examples = load_data("stories").examples[::80]
    config = ModelConfig(training=TrainingConfig(steps=3, threads=1), inner_steps=2, candidates=4)
    return Parser.of(train(examples, config, name="tiny"))


def test_the_tree_is_chosen_once_and_only_when_it_is_asked_for(
    parser: Parser, monkeypatch: pytest.MonkeyPatch
) -> None:
    from text2math.model import model

    chosen, original = [], model.aligned
    monkeypatch.setattr(model, "aligned", lambda *given, **more: chosen.append(1) or original(*given, **more))
    parse = parser.parse(EQUATION, top=1)
    assert (parse.kind, chosen) == ("equation", [])
    assert parse.tree is not None
    assert set(parse.variables) == {"X1", "X2"}
    assert chosen == [1]


def test_the_library_is_one_line_away() -> None:
    parse = text2math.load().parse(APPLES)
    assert isinstance(parse, text2math.Parse)
    assert parse.answer == 10
    assert parse.answer_float == 10.0
    assert str(parse) == "7 + 3 = 10"


def test_the_default_model_is_in_the_package_and_small() -> None:
    assert model_names()[0] == DEFAULT_MODEL
    assert DEFAULT_MODEL in ("default", "small")
    assert packaged("small").stat().st_size <= 2_000_000
    assert packaged("small").with_suffix(".md").read_text(encoding="utf-8").startswith("# small")


def test_a_parse_tells_all_about_an_expression(parser: Parser) -> None:
    parse = parser.parse(f"{APPLES} It took 2 hours.")
    assert parse.kind == "expression"
    assert parse.equation is None
    assert [(q.text, q.unit) for q in parse.quantities][:2] == [("7", "apple"), ("3", "apple")]
    assert [q.used for q in parse.quantities if q.source == "written"] == [True, True, False]
    assert not any(q.used for q in parse.quantities if q.source != "written")
    assert [parse.text[token.start : token.end] for token in parse.tokens] == [t.text for t in parse.tokens]
    assert parse.tree is not None
    assert parse.tree.expression([q.value for q in parse.quantities]) == parse.expression
    assert parse.to_sympy().doit() == 10
    assert parse.latex == "7 + 3"


def test_an_equation_names_its_unknowns_in_the_order_of_the_text(parser: Parser) -> None:
    parse = parser.parse(EQUATION)
    assert parse.kind == "equation"
    assert parse.equation is not None
    assert parse.expression is None
    assert to_infix(parse.equation) == "3 * X1 = 5 * X2 - 11"
    assert parse.variables["X1"].start < parse.variables["X2"].start
    assert parse.solution is None
    assert parse.answer is None


def test_an_unknown_without_a_word_with_letters_has_no_phrase() -> None:
    text = "Pensioners paid $18, everybody else $25: 44 seats, $960. How many pensioners were on board?"
    parse = load("default").parse(text)
    assert parse.kind == "system"
    assert all(any(map(str.isalpha, phrase.text)) for phrase in parse.variables.values())


def test_an_equation_with_one_unknown_is_solved(parser: Parser) -> None:
    parse = parser.parse("x + 5 = 12")
    assert parse.solution == {"X1": Fraction(7)}
    assert parse.answer == 7


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Good morning, how are you?", "no number"),
        ("", "no number"),
        ("Tom hat 3 Kisten mit je 4 Stiften. Wie viele Stifte hat er?", "does not look like English"),
        ("What is 2 to the power of 5?", "no mathematics"),
    ],
)
def test_a_text_without_mathematics_gets_no_answer_and_a_reason(parser: Parser, text: str, why: str) -> None:
    parse = parser.parse(text)
    assert parse.kind == "none"
    assert parse.mathematics is None
    assert parse.answer is None
    assert parse.probability is None
    assert parse.alternatives == ()
    assert why in parse.warnings[0]


@pytest.mark.parametrize("model", ["small", "default"])
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("I have 3 dogs.", "only one number"),
        ("Mike picked 7 apples. How many apples did Mike pick?", "only one number"),
        ("On 5 May 2019, 12 people came to the reading.", "no mathematics"),
    ],
)
def test_a_text_with_nothing_to_work_out_gets_no_answer(model: str, text: str, why: str) -> None:
    parse = load(model).parse(text)
    assert parse.answer is None
    assert parse.answer_text is None
    # `default` may find an equation in such a text, such as X1 + X2 = 3; `small` finds no mathematics.
    if model == "small":
        assert parse.kind == "none"
        assert why in parse.warnings[0]


@pytest.mark.parametrize(
    ("text", "mathematics", "answer"),
    [
        (
            "Tickets cost $4 for students and $6 for others. 525 were sold for $2,876. How many of each?",
            "4 * X1 + 6 * X2 = 2876; X1 + X2 = 525",
            [137, 388],
        ),
        ("Al jogs 3 miles a day. How far does he jog in a week?", "3 * 7", [21]),
        ("Lily has 8 pens, Ben has 5 more than Lily. How many have they in all?", "8 + (8 + 5)", [21]),
        ("130 children travel in buses that hold 40 each. How many buses are needed?", "ceil(130 / 40)", [4]),
        ("A shirt costs $40. It is reduced by 25 %. What does it cost now?", "40 * (1 - 0.25)", [30]),
        ("The film starts at 7:30 pm and lasts 95 minutes. When does it end?", "1170 + 95", [1265]),
    ],
    ids=["system", "known", "used twice", "rounded", "percent", "time"],
)
def test_the_default_model_reads_the_larger_grammar(text: str, mathematics: str, answer: list[int]) -> None:
    parse = load("default").parse(text)
    assert parse.mathematics is not None
    assert equivalent(parse.mathematics, from_infix(mathematics)), str(parse)
    assert list(parse.answers) == answer


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("How many legs do 5 spiders have?", {"8 legs (spiders)"}),
        ("The price rose from $40 to $50. By what percent did it rise?", {"100 % = the whole"}),
        (
            "It starts at 9:40 and lasts 50 minutes. When does it end?",
            {"9:40 is 580 minutes after midnight"},
        ),
    ],
)
def test_facts_say_what_they_are_about(text: str, facts: set[str]) -> None:
    assert facts <= {quantity.fact for quantity in load("default").parse(text).quantities}


@pytest.mark.parametrize("text", ODD)
def test_odd_texts_are_parsed_or_refused_but_never_break(parser: Parser, text: str) -> None:
    parse = parser.parse(text)
    assert Parse.from_dict(parse.to_dict()) == parse


def test_division_by_zero_is_no_answer(parser: Parser) -> None:
    parse = parser.parse("What is 5 / 0?")
    assert parse.kind == "expression"
    assert parse.answer is None
    assert "divides by zero" in parse.warnings[0]


@pytest.mark.parametrize(
    ("text", "found"),
    [("word " * 201 + "3 and 4", "204 words"), ("1 and " * 41, "41 numbers"), ("a" * 20_001, "20,001")],
)
def test_a_text_that_is_too_long_is_refused_with_its_size(parser: Parser, text: str, found: str) -> None:
    with pytest.raises(ValueError, match=found):
        parser.parse(text)


def test_probabilities_of_the_readings_fall_and_add_up_to_at_most_one(parser: Parser) -> None:
    parse = parser.parse(APPLES, top=50)
    shares = [parse.probability, *(other.probability for other in parse.alternatives)]
    assert shares == sorted(shares, reverse=True)
    assert 0.9 < sum(shares) <= 1 + 1e-9  # the rest: that none of them is right
    assert len(parser.parse(APPLES, top=3).alternatives) == 2
    assert parser.parse(APPLES, top=1).alternatives == ()


def test_readings_are_complete_mathematics(parser: Parser) -> None:
    for text in (APPLES, EQUATION, "The sum of two numbers is 20."):
        parse = parser.parse(text, top=50)
        for other in parse.alternatives:
            states = sort_of(other.mathematics) is not Sort.VALUE
            assert states == bool(variables(other.mathematics))


def test_the_tree_is_the_best_one_of_its_expression(parser: Parser) -> None:
    analysis = parser.model.analyse(read_problem(APPLES))
    reading = analysis.candidates[0]
    best = TextMathCRF(Forest.of(reading.mathematics), analysis.potentials).best
    assert reading.tree is not None
    assert reading.tree.score(analysis.potentials) == pytest.approx(best.score)


def test_a_number_can_be_ignored(parser: Parser) -> None:
    text = "Tom has 7 apples, 3 pears and 2 plums. How many fruits does he have?"
    parse = parser.parse(text, ignore=[1], top=10)
    assert all(
        1 not in quantities_used(one)
        for one in [parse.mathematics, *(o.mathematics for o in parse.alternatives)]
        if one
    )
    assert not parse.quantities[1].used


def test_a_number_that_is_used_through_a_word_that_refers_to_it_is_used() -> None:
    text = "Pia had 79 dollars to spend on 9 books. After buying them she had 16. What did each book cost?"
    parse = load("default").parse(text)
    assert to_infix(parse.expression) == "(79 - 16) / 9"
    mention = next(q for q in parse.quantities if q.used and q.source == "refers to")
    assert (mention.text, mention.refers_to) == ("book", 1)
    assert [q.used for q in parse.quantities[:3]] == [True, True, True]
    assert QuantityUse.from_dict(mention.to_dict()) == mention


def test_ignoring_a_number_also_ignores_the_words_that_refer_to_it() -> None:
    text = "Lily has 8 pens, Ben has 5 more than Lily. How many pens do they have together?"
    parse = load("default").parse(text, ignore=[0], top=20)
    ignored = {at for at, q in enumerate(parse.quantities) if at == 0 or q.refers_to == 0}
    assert len(ignored) > 1
    for one in (parse.mathematics, *(other.mathematics for other in parse.alternatives)):
        assert one is None or not ignored & quantities_used(one)


def test_forcing_a_number_gives_the_distribution_given_its_use() -> None:
    parser = load("small")  # the other model adds up equivalent trees, as far as they are among the best
    problem = read_problem("Tom has 7 apples, 3 pears and 2 plums. How many fruits does he have?")
    parse = parser.parse(problem.text, use=[2], top=50)
    assert parse.quantities[2].used
    assert all(2 in quantities_used(other.mathematics) for other in parse.alternatives)
    # Under the chart alone, the ratio of two readings that use the number does not change.
    plain = replace(parser.model, reranker=None, temperature=1.0)
    free = {one.mathematics: one.probability for one in plain.analyse(problem).candidates}
    forced = {one.mathematics: one.probability for one in plain.analyse(problem, use=[2]).candidates}
    both = [one for one in free if one in forced]
    assert len(both) >= 2
    assert free[both[0]] / free[both[1]] == pytest.approx(forced[both[0]] / forced[both[1]], rel=1e-6)


@pytest.mark.parametrize(
    ("use", "ignore", "why"), [([9], [], "no number 9"), ([0], [0], "both"), ([], [-1], "no number -1")]
)
def test_a_choice_of_numbers_that_makes_no_sense_is_refused(
    parser: Parser, use: list[int], ignore: list[int], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        parser.parse(APPLES, use=use, ignore=ignore)


def test_ignoring_all_numbers_leaves_nothing(parser: Parser) -> None:
    parse = parser.parse(APPLES, ignore=[0, 1])
    assert parse.kind == "none"
    assert "no mathematics uses exactly these numbers" in parse.warnings[0]


def test_an_unlikely_answer_is_withheld_but_listed(parser: Parser) -> None:
    parse = parser.parse(APPLES, min_probability=1.0)
    assert parse.kind == "none"
    assert parse.answer is None
    assert "below 1" in parse.warnings[0]
    assert to_infix(parse.alternatives[0].mathematics) == "7 + 3"


def test_a_doubtful_answer_is_withheld_when_strict(parser: Parser) -> None:
    pens = "Ann has 12 pens and gives away 5. How many pens does she have left? How many did she give away?"
    plain, strict = parser.parse(pens), parser.parse(pens, strict=True)
    assert [doubt.code for doubt in plain.doubts] == ["several-questions"]
    assert plain.answer == 7
    assert (strict.answer, strict.answer_text, strict.steps, strict.kind) == (None, None, (), "none")
    assert strict.warnings == tuple(doubt.message for doubt in plain.doubts)
    assert strict.doubts == plain.doubts
    assert parser.parse(APPLES, strict=True).answer == 10
    assert next(parser.parse_many([pens], strict=True, workers=1)).answer is None


def test_the_last_step_is_the_answer(parser: Parser) -> None:
    for example in load_data("exam").examples[::20]:
        parse = parser.parse(example.problem.text)
        if parse.steps and parse.expression is not None:
            assert parse.steps[-1].value == parse.answer
            assert parse.answer_text is not None
            assert parse.answer_text in str(parse.steps[-1])
        if parse.solution:
            solved = sorted(step.value for step in parse.steps if step.action == "solve" and step.value)
            assert solved == sorted(parse.solution.values())


def test_parse_is_the_same_after_a_trip_through_json(parser: Parser) -> None:
    for text in (APPLES, EQUATION, "x + 5 = 12", "Hello", "(1+2)*3/4"):
        parse = parser.parse(text)
        again = Parse.from_dict(parse.to_dict())
        assert again.to_json() == parse.to_json()


def test_unit_doubts_and_steps_are_worked_out_once_when_first_asked_for(
    parser: Parser, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked: list[str] = []
    for name in ("answer_unit", "doubts", "steps"):
        own = getattr(text2math.parser, name)

        def counted(*given: object, name: str = name, own: Callable[..., object] = own) -> object:
            worked.append(name)
            return own(*given)

        monkeypatch.setattr(text2math.parser, name, counted)
    parse = parser.parse(APPLES)
    assert worked == []
    assert parse.unit.many == "apples"
    assert parse.steps[-1].value == parse.answer
    assert not parse.doubts
    assert worked == ["answer_unit", "steps", "doubts"]


def test_a_parse_is_the_same_whether_its_steps_were_asked_for_or_not(parser: Parser) -> None:
    asked, fresh = parser.parse(APPLES), parser.parse(APPLES)
    told = asked.to_dict()
    assert asked == fresh
    assert pickle.loads(pickle.dumps(parser.parse(APPLES))) == asked
    assert pickle.loads(pickle.dumps(parser.parse(APPLES))).to_dict() == told
    assert replace(parser.parse(APPLES), model="other").steps == asked.steps
    assert repr(parser.parse(APPLES)) == repr(asked)


def test_the_answer_is_a_number_or_an_exact_string(parser: Parser) -> None:
    answers = [parser.parse(text).to_dict() for text in ("2 / 3", "5 / 2", "8 / 2")]
    assert [one["answer"] for one in answers] == ["2/3", 2.5, 4]
    assert [one["answer_exact"] for one in answers] == ["2/3", "5/2", "4"]


def test_notebooks_get_a_picture(parser: Parser) -> None:
    parse = parser.parse(APPLES)
    assert parse._repr_svg_().startswith("<svg")
    assert "Other readings" in parse._repr_html_()
    nothing = parser.parse("<b>Hello</b>")
    assert nothing._repr_svg_() is None
    assert nothing._repr_html_() == "<p>there is no number in the text</p>"


def test_many_texts_come_in_order_and_one_at_a_time(parser: Parser) -> None:
    asked: list[int] = []

    def texts():
        for number in range(2, 6):
            asked.append(number)
            yield f"{number} + 1"

    parses = parser.parse_many(texts())
    assert next(parses).answer == 3
    assert asked == [2]
    assert [parse.answer for parse in parses] == [4, 5, 6]


def test_a_bad_text_among_many_raises_or_is_a_warning(parser: Parser) -> None:
    texts = ["1 + 1", "word " * 300, "2 + 2"]
    with pytest.raises(ValueError, match="300 words"):
        list(parser.parse_many(texts))
    found = list(parser.parse_many(texts, errors="warn"))
    assert [parse.answer for parse in found] == [2, None, 4]
    assert "300 words" in found[1].warnings[0]


@pytest.mark.slow
def test_texts_parsed_together_are_parsed_as_they_are_alone(parser: Parser) -> None:
    texts = [APPLES, "w " * 300, EQUATION, "Hello", "What is 2 / 3?", *ODD, APPLES]
    together = parser.parse_all(texts, top=3, min_probability=0.5)
    for text, found in zip(texts, together, strict=True):
        if isinstance(found, ValueError):
            with pytest.raises(ValueError, match=str(found)[:20]):
                parser.parse(text)
        else:
            assert found.to_json() == parser.parse(text, top=3, min_probability=0.5).to_json()
    assert [isinstance(found, ValueError) for found in together[:3]] == [False, True, False]


@pytest.mark.slow
def test_processes_give_the_same_as_one(parser: Parser) -> None:
    texts = [f"Tom has {n} pens and buys {n + 3} pens. How many pens has he?" for n in range(400)]
    here = [parse.to_json() for parse in parser.parse_many(texts, workers=1)]
    there = [parse.to_json() for parse in parser.parse_many(texts, workers=2)]
    assert here == there


def test_a_parser_can_be_sent_to_another_process(tiny: Parser, parser: Parser) -> None:
    for one in (tiny, parser):
        again = pickle.loads(pickle.dumps(one))
        assert again.parse(APPLES).to_json() == one.parse(APPLES).to_json()


@pytest.mark.parametrize("name", ["model.t2m", "folder"])
def test_a_saved_parser_is_the_same_parser(tiny: Parser, tmp_path: Path, name: str) -> None:
    tiny.save(tmp_path / name)
    again = load(tmp_path / name)
    assert again.name == "tiny"
    assert again.model.config == tiny.model.config
    assert again.model.scorer.vocabulary == tiny.model.scorer.vocabulary
    np.testing.assert_array_equal(again.model.scorer.weights, tiny.model.scorer.weights)
    for text in (APPLES, EQUATION):
        assert again.parse(text).to_json() == tiny.parse(text).to_json()


def test_a_compact_model_is_smaller_and_reads_back_exactly(tiny: Parser, tmp_path: Path) -> None:
    tiny.save(tmp_path / "full.t2m")
    tiny.save_compact(tmp_path / "small.t2m")
    assert (tmp_path / "small.t2m").stat().st_size < (tmp_path / "full.t2m").stat().st_size / 4
    small = load(tmp_path / "small.t2m")
    small.save(tmp_path / "again.t2m")
    np.testing.assert_array_equal(
        load(tmp_path / "again.t2m").model.scorer.weights, small.model.scorer.weights
    )
    full = tiny.model.scorer.tables["start"]
    np.testing.assert_allclose(small.model.scorer.tables["start"], full, atol=1 / 256)


def test_the_default_model_can_be_saved_compactly(parser: Parser, tmp_path: Path) -> None:
    parser.save_compact(tmp_path / "default.t2m")
    assert (tmp_path / "default.t2m").stat().st_size <= packaged(parser.name).stat().st_size
    again = load(tmp_path / "default.t2m")
    for text in (APPLES, EQUATION):
        assert again.parse(text).mathematics == parser.parse(text).mathematics
        assert again.parse(text).probability == pytest.approx(parser.parse(text).probability, abs=0.05)


def test_fit_makes_a_new_parser_and_leaves_the_old_one(tiny: Parser) -> None:
    before = tiny.parse(APPLES).to_json()
    again = tiny.fit(load_data("stories").examples[1::80])
    assert again is not tiny
    assert tiny.parse(APPLES).to_json() == before
    assert Symbol.EQU in again.model.scorer.symbols


def test_a_model_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(ValueError, match=r"no-such\.t2m: no such model.*small"):
        load("no-such.t2m")


def test_a_model_file_whose_parts_do_not_fit_is_refused(tiny: Parser, tmp_path: Path) -> None:
    tiny.save(tmp_path / "a.t2m")
    metadata, arrays = load_model(tmp_path / "a.t2m")
    broken = [
        (metadata | {"kind": "recipe"}, arrays),
        (metadata, arrays | {"scorer.weights": arrays["scorer.weights"][:-1]}),
        (metadata, {name: array for name, array in arrays.items() if name != "scorer.names"}),
        (metadata | {"symbols": ["ADD", "POWER"]}, arrays),
        (metadata | {"grammar": [*metadata["grammar"][:-1], "POWER"]}, arrays),
        (metadata | {"grammar": [*metadata["grammar"][:-1], "ADD"]}, arrays),
        (metadata | {"grammar": metadata["grammar"][1:]}, arrays),
        (metadata | {"config": metadata["config"] | {"run": "rm"}}, arrays),
        (metadata, arrays | {"scorer.names": np.array([2**30 + 1, 4, 0], dtype=np.int32)}),
        (metadata, arrays | {"scorer.weights": np.full_like(arrays["scorer.weights"], np.nan)}),
    ]
    for number, (changed, content) in enumerate(broken):
        path = tmp_path / f"{number}.t2m"
        save_model(path, changed, content)
        with pytest.raises(ModelFileError, match=f"{number}.t2m"):
            load(path)


@pytest.mark.parametrize("text", ["A number plus 4 is 9.", "One number is 3 less than 5 times the other."])
@pytest.mark.parametrize("model", ["small", "default"])
def test_without_its_numbers_a_text_says_nothing(model: str, text: str) -> None:
    """``X1 = X2`` is no reading of anything."""
    parse = load(model).parse(text, ignore=range(len(read_problem(text).quantities)))
    assert parse.kind == "none"


@pytest.mark.parametrize("text", ["4x4", "What is 3 + 4 * 2?", "-x = 4", "2x + 3x = 10", "5 + 5 + 5"])
def test_written_mathematics_survives_json_with_its_numbers(text: str) -> None:
    parse = load("small").parse(text)
    assert parse.mathematics is not None
    assert Parse.from_dict(json.loads(parse.to_json())) == parse


def test_public_objects_have_a_short_repr(parser: Parser, tiny: Parser) -> None:
    problem = read_problem(APPLES)
    parse, analysis = parser.parse(APPLES), tiny.model.analyse(problem)
    dataset = load_data("exam")
    objects: list[object] = [parser, tiny, tiny.saved, parser.model.scorer, tiny.model.scorer]
    objects += [tiny.model, tiny.model.forest, tiny.model.reranker, tiny.model.presence, tiny.model.config]
    objects += [problem, analysis, analysis.potentials, parse, *parse.alternatives]
    objects += [dataset, dataset.examples[0], explain(parser, APPLES), tiny.model.config.features.lexicon]
    for one in objects:
        assert len(repr(one)) < 2_500, type(one)
        assert type(one).__name__ in repr(one)


def test_readings_are_written_as_mathematics_with_numbers_as_the_terminal_has_them(parser: Parser) -> None:
    parse = parser.parse("Share 7 liters of milk equally among 2 cats. How many liters does each cat get?")
    assert str(parse) == "7 ÷ 2 = 3.5"
    assert headline(parse) == "3.5 liters"
    assert str(parse.alternatives[0]).count("=") == 1
    assert str(Candidate(from_infix("10 / 3"), 1.0)) == "10 ÷ 3 = 10/3"


@pytest.mark.parametrize(
    ("arguments", "options", "error", "why"),
    [
        ([None], {}, TypeError, "must be a str, not NoneType"),
        ([b"2 + 2"], {}, TypeError, "must be a str, not bytes"),
        (["2 + 2"], {"use": [0.0]}, TypeError, "counted 0, 1, 2 and so on; 0.0"),
        (["2 + 2"], {"min_probability": 2}, ValueError, "from 0 to 1"),
        (["2 + 2"], {"min_probability": float("nan")}, ValueError, "from 0 to 1"),
        (["2 + 2"], {"top": 1.5}, TypeError, "float"),
    ],
)
def test_arguments_that_make_no_sense_are_refused_with_the_reason(
    parser: Parser, arguments: list[object], options: dict[str, object], error: type[Exception], why: str
) -> None:
    with pytest.raises(error, match=why):
        parser.parse(*arguments, **options)  # type: ignore[arg-type]


def test_one_text_for_many_is_refused_at_once_and_what_is_no_text_is_a_warning(parser: Parser) -> None:
    with pytest.raises(TypeError, match="parse takes one"):
        parser.parse_many("abc")
    [nothing] = parser.parse_many([None], workers=1, errors="warn")  # type: ignore[list-item]
    assert nothing.warnings == ("the text to parse must be a str, not NoneType",)


def test_the_library_logs_what_it_does_but_never_the_text(
    parser: Parser, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("DEBUG", logger="text2math"):
        parser.parse(APPLES)
        load("small")
    assert any("readings" in message for message in caplog.messages)
    assert any("model small loaded" in message for message in caplog.messages)
    assert not any("apples" in message for message in caplog.messages)


def test_a_system_is_an_equation_whose_solution_is_told_by_name() -> None:
    text = "Tim and Sara are 36 together. Sara is 12 older."
    mathematics = from_infix("X1 + X2 = 36[0]; X2 = X1 + 12[1]")
    best = Candidate(mathematics, 0.9)
    names = {"X1": Phrase("Tim", 0, 3), "X2": Phrase("Sara", 8, 12)}
    parse = Parse(
        text, mathematics, best.answer, 0.9, None, (), (), solution=best.solution, variables=names
    )  # fmt: skip
    assert (parse.kind, parse.answer_text) == ("system", "Tim is 12, Sara is 24")
    assert parse.to_dict()["equation"] == "X1 + X2 = 36; X2 = X1 + 12"
    assert parse.to_dict()["expression"] is None


def test_an_unknown_without_words_has_no_phrase() -> None:
    """ "Their difference is 6" names neither number."""
    small = load("small").model
    silent = Grammar(frozenset(small.scorer.symbols), silent=True)
    forest = silent.of([from_infix("X1 - X2 = 6[0]")])
    parse = Parser(replace(small, forest=forest, reranker=None, presence=None)).parse("difference 6")
    assert parse.equation is not None
    assert len(parse.variables) < 2


@pytest.mark.parametrize(
    ("equations", "why", "code"),
    [
        ("X1 + X2 = 10[0]; X1 + X2 = 4[1]", "the equations have no solution", "no-solution"),
        ("X1 + X2 = 10[0]; X1 - X2 = 4[1]; X1 = 9[2]", "the equations have no solution", "no-solution"),
        ("X1 = 4[1]; X2 / 0[3] = 10[4]", "the equations have no solution", "no-solution"),
        ("X1 + X2 = 10[0]; X1 + X2 = 10[4]", "the equations have infinitely many", "many-solutions"),
        ("X1 = 10[0]; X2 + X3 = 4[1]", "the equations have infinitely many solutions", "many-solutions"),
        ("X1 + X2 = 10[0]; X1 * X2 = 9[2]", "several solutions: X1 = 1, X2 = 9, or X1 = 9, X2 = 1", ""),
        ("X1 + X2 = 10[0]; X1 * X2 = 4[1]", "can't be solved: it has solutions that are not rational", ""),
    ],
)
def test_a_system_that_determines_nothing_gets_a_reason_and_no_value(
    equations: str, why: str, code: str
) -> None:
    text = "Some numbers make 10 here and 4 there, 9 beside, 0 below, 10 above. What are the numbers?"
    parser = Parser.of(model_of(equations))
    parse = parser.parse(text)
    assert parse.kind == "system"
    assert (parse.answer, parse.answers, parse.solution, parse.answer_text) == (None, (), None, None)
    assert why in parse.warnings[0]
    assert code in {doubt.code for doubt in parse.doubts} | {""}
    assert why in record_of(parse)["reason"]
    assert check(text, "7", parser=parser).agrees is None
    assert not has_answer(parse)
    assert explain(parser, text, removals=1).reading.answer is None
    for shown in (parse.to_json(), parse.to_svg(), parse.to_terminal(), parse.latex, parse.steps_latex):
        assert shown
    assert len(parse.to_sympy()) == equations.count(";") + 1


def test_redundant_equations_do_no_harm() -> None:
    parse = Parser.of(model_of("X1 + X2 = 10[0]; X1 - X2 = 4[1]; X1 = 7[2]")).parse(
        "The sum of some numbers is 10, their difference is 4, and the first is 7. What are the numbers?"
    )
    assert parse.solution == {"X1": 7, "X2": 3}
    assert not parse.warnings


@pytest.mark.parametrize("model", ["small", "default"])
@pytest.mark.parametrize(
    ("text", "solution", "why"),
    [
        ("2x + y = 7, x - y = 2", {"X1": 3, "X2": 1}, ""),
        ("Solve: a + b = 3 and a - b = 1.", {"X1": 2, "X2": 1}, ""),
        ("x + y = 5; x + y = 6", None, "no answer: the equations have no solution"),
        ("x + y = 5; 2x + 2y = 10", None, "no answer: the equations have infinitely many solutions"),
        ("a + b + c + d = 10", None, "the text has 4 unknowns (a, b, c, d); at most 3 can be read"),
        ("x = 1; x = 1; x = 1; x = 1; x = 1", None, "the text has 5 equations; at most 4 can be read"),
        (
            "x * x = 2",
            None,
            "no answer: the equation can't be solved: it has solutions that are not rational",
        ),
    ],
)
def test_written_equations_are_solved_or_it_is_said_why_not(
    model: str, text: str, solution: dict[str, int] | None, why: str
) -> None:
    parse = load(model).parse(text)
    assert (parse.solution, "; ".join(parse.warnings)) == (solution, why)
    assert Parse.from_dict(parse.to_dict()).to_dict() == parse.to_dict()


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("The sum of three consecutive odd integers is 69. Find the integers.", "21, 23 and 25"),
        ("Find four consecutive integers whose sum is 246.", "60, 61, 62 and 63"),
        ("The sum of four consecutive integers is 246. What is the largest?", "63"),
    ],
)
def test_all_consecutive_numbers_are_answered_also_those_beyond_the_unknowns(text: str, answer: str) -> None:
    parse = load().parse(text)
    assert (parse.kind, parse.answer_text) == ("system", answer)
    facts = [quantity.fact for quantity in parse.quantities if quantity.used and quantity.fact]
    assert any("consecutive" in fact for fact in facts)
