"""What the recipe of the default model adds around its network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest

from text2math.data import Dataset
from text2math.data.stories import generate
from text2math.data.stories.story import SOURCE
from text2math.evaluation.reliability import HeldOut
from text2math.language.annotations import Annotations
from text2math.language.lexicon import Lexicon
from text2math.language.problem import Example, read_problem
from text2math.mathematics.notation import from_infix
from text2math.model.candidates import Candidate
from text2math.model.encoder_model import RERANKER
from text2math.model.reranker import Reranker, RerankerConfig
from text2math.neural.evaluation import Evaluated, fit_reranker

pytest.importorskip("torch", reason="the extra [torch] is not installed")
pytest.importorskip("transformers", reason="the extra [torch] is not installed")

COLOURS = ("red", "blue", "green", "white", "black", "brown", "grey", "pink", "gold", "old", "new", "big")
THINGS = ("cats", "dogs", "pens", "hats", "cups", "maps", "eggs", "figs", "nuts", "keys", "cars", "jars")


def test_presence_lets_problems_pass_and_recognises_statements(monkeypatch: pytest.MonkeyPatch) -> None:
    from text2math.neural import recipe

    told = list(generate(400, seed=1, larger=False))
    monkeypatch.setattr(recipe, "every_question", lambda sheets, larger=None: iter(told))
    lexicon = Lexicon.default()
    presence = recipe.fit_presence([story.example() for story in told[::2]], larger=False)
    problem, statement = (
        presence.probability(Annotations.of(read_problem(text), lexicon))
        for text in ("Al has 3 dogs and gets 2 more. How many dogs has he now?", "Al has 3 dogs.")
    )
    assert problem > 0.9
    assert statement < 0.6


def toy(source: str, id: str, thing: str, numbers: tuple[int, int], *, solvable: bool = True) -> Example:
    """A sum over two numbers, or a question that nothing in the grammar answers."""
    first, second = numbers
    ending = f"How many {thing} has he?" if solvable else f"Which of the {thing} is older?"
    problem = read_problem(f"Tom had {first} {thing} and got {second} more. {ending}", id=id)
    return Example(problem, from_infix(f"{first}[0] + {second}[1]") if solvable else None, source=source)


def read(example: Example, *, silent: bool = False) -> Evaluated:
    """What a network that prefers sums makes of it; it suspects what it can't answer."""
    annotations = Annotations.of(example.problem, Lexicon.default())
    if silent:
        return Evaluated(example.source, annotations, (), ())
    first, second = (quantity.value for quantity in example.problem.quantities)
    solvable = example.expression is not None
    candidates = tuple(
        Candidate.scored(from_infix(f"{first}[0] {sign} {second}[1]"), score)
        for sign, score in (("+", -0.1), ("-", -2.4))
    )
    return Evaluated(example.source, annotations, candidates, (solvable, False), -4.0 if solvable else 4.0)


def held_out(source: str, ids: str, start: int) -> list[Example]:
    """Eight examples of a source, each with a thing of its own; every fourth is beyond the grammar."""
    return [
        toy(source, f"{ids}{at}", f"{colour} {thing}", (9 + at, 3), solvable=at % 4 != 3)
        for at, (colour, thing) in enumerate(zip(COLOURS[start:], THINGS, strict=False))
    ][:8]


def ids(evaluated: Sequence[Evaluated]) -> set[str]:
    return {one.problem.id for one in evaluated}


def test_the_card_has_the_reliability_of_each_data_set_and_of_held_out_exercises() -> None:
    from text2math.neural.recipe import held_out_figures

    splits = [held_out("draw", "a", 0), held_out("draw, derived from sentence 0 of problem 1", "b", 1)]
    sheets = [*held_out(SOURCE, "north 1.", 2), *held_out(SOURCE, "south 1.", 3)]
    evaluated = [[read(one) for one in part] for part in splits]
    unread = toy("mawps", "unread", "huge boxes", (5, 3))
    evaluated[0].append(read(unread, silent=True))
    examples = [*splits[0], *splits[1], *sheets, unread]
    own = [read(one) for one in sheets]
    figures = held_out_figures(evaluated, [], [], own, own, examples, [Dataset("x", ())], RERANKER)
    inside, beyond = figures["reliability"]["inside"], figures["reliability"]["beyond"]
    assert {name: one["problems"] for name, one in inside.items()} == {
        "all": 25,
        "draw": 12,
        "mawps": 1,
        "exercises": 12,
    }
    assert {name: one["problems"] for name, one in beyond.items()} == {"all": 8, "draw": 4, "exercises": 4}
    assert (inside["draw"]["right"], inside["mawps"]["answered"], beyond["all"]["right"]) == (12, 0, 0)
    assert inside["draw"]["calibration_error"] < 0.3 > beyond["draw"]["calibration_error"]
    # The exercises are no data set: they are in the table of reliability alone.
    assert {name: one["all"] for name, one in figures["judged"].items()} == {
        "all": 17,
        "draw": 16,
        "mawps": 1,
    }


def test_no_problem_is_answered_by_what_learned_from_it_or_from_a_copy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from text2math.neural import recipe

    copy = toy("il", "copy", "red cats", (70, 30))  # of the first problem of the first part
    sources = (held_out("ai2", "a", 0), [*held_out("il", "b", 1), copy], held_out(SOURCE, "north 1.", 2))
    *splits, sheets = ([read(one) for one in part] for part in sources)
    calls: list[tuple[Sequence[Evaluated], Sequence[Evaluated], Reranker]] = []
    learned: dict[Reranker, Sequence[Evaluated]] = {}

    def fit(evaluated: Sequence[Evaluated], config: RerankerConfig) -> Reranker:
        found = fit_reranker(evaluated, config)
        learned[found] = evaluated
        return found

    def call(
        part: Sequence[Evaluated], others: Sequence[Evaluated], reranker: Reranker, *, beyond: object
    ) -> list[HeldOut]:
        calls.append((part, others, reranker))
        return [HeldOut("any", False, 0.5, True) for _ in part]

    monkeypatch.setattr(recipe, "fit_reranker", fit)
    monkeypatch.setattr(recipe, "cross_fitted", call)
    harder = [[read(one) for one in held_out(name, f"harder {name}", 3)] for name in ("ai2", "il")]
    recipe.held_out_figures(splits, harder, [], sheets, sheets, [], [], RERANKER)
    everyone = ids([*splits[0], *splits[1], *sheets])
    own = [ids(part) for part, _, _ in calls]
    # Harder copies are for rerankers alone, and only copies from other parts.
    copies = [harder[1], harder[0], [*harder[0], *harder[1]]]
    learned_from = [ids(learned[reranker]) for _, _, reranker in calls]
    assert [ids(more) <= some for more, some in zip(copies, learned_from, strict=True)] == [True] * 3
    left_out = [everyone - some for some in learned_from]
    assert left_out == [own[0] | {"copy"}, own[1] | {"a0"}, own[2]]
    assert [some - everyone for some in learned_from] == [*map(ids, copies)]


def test_probabilities_are_calibrated_on_sheets_by_others_if_there_are_any(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from text2math.neural import recipe

    calibrated_on: list[set[str]] = []
    silent: list[bool] = []  # whether the candidates are those of the mean, which has none here

    def call(
        part: Sequence[Evaluated], others: Sequence[Evaluated], reranker: Reranker, *, beyond: object
    ) -> list[HeldOut]:
        calibrated_on.append(ids(others))
        silent.append(not any(one.candidates for one in others))
        return [HeldOut("any", False, 0.5, True) for _ in part]

    monkeypatch.setattr(recipe, "cross_fitted", call)
    problems = [[read(one) for one in held_out(name, name, at)] for at, name in enumerate(("ai2", "il"))]
    sheets = {name: held_out(SOURCE, f"{name} 1.", at) for at, name in enumerate(("north", "south"), 2)}
    north, south = ([read(one) for one in sheet] for sheet in sheets.values())
    by_first_stage = [*north, *south]
    by_mean = [read(one, silent=True) for sheet in sheets.values() for one in sheet]
    recipe.held_out_figures(problems, [], [], by_first_stage, by_mean, [], [], RERANKER)
    assert calibrated_on == [ids([*north, *south])] * 2 + [ids(south), ids(north)]
    assert silent == [True] * 4
    calibrated_on.clear()
    recipe.held_out_figures(problems, [], [], [], [], [], [], RERANKER)
    assert calibrated_on == [ids(problems[1]), ids(problems[0])]


def test_few_of_the_exercises_for_calibration_are_beyond_the_grammar() -> None:
    from text2math.neural.recipe import BEYOND, with_few_beyond

    sheet = [toy(SOURCE, f"north {at}", "red cats", (9 + at, 3), solvable=at % 4 != 3) for at in range(400)]
    beyond = {(SOURCE, f"north {at}") for at in range(3, 400, 4)}
    found = with_few_beyond([read(one) for one in sheet], beyond)
    outside = [one.problem.id for one in found if (SOURCE, one.problem.id) in beyond]
    assert len(found) - len(outside) == 300
    assert len(outside) == round(BEYOND * 300) == len(set(outside))
    assert outside[0] == "north 3"
    assert int(outside[-1].split()[1]) > 300


def test_a_reranker_learns_from_a_part_of_a_large_data_set_and_from_all_exercises() -> None:
    from text2math.neural.evaluation import MOST_OF_ONE_SET, balanced

    large, derived, small = "gsm8k", "gsm8k, derived from sentence 0 of problem 1", "ai2"
    counts = {large: MOST_OF_ONE_SET, derived: 500, small: 40, SOURCE: MOST_OF_ONE_SET + 7}
    one = read(toy("any", "1", "red cats", (9, 3)))
    found = balanced([replace(one, source=name) for name, count in counts.items() for _ in range(count)])
    sources = Counter(each.source for each in found)
    assert sources[large] + sources[derived] == MOST_OF_ONE_SET
    assert sources[derived] > 400
    assert (sources[small], sources[SOURCE]) == (40, counts[SOURCE])


def test_exercises_of_one_sheet_stay_together() -> None:
    from text2math.neural.recipe import halves

    names = ("east", "north", "south")
    sheets = [read(one) for at, name in enumerate(names) for one in held_out(SOURCE, f"{name} 1.", at)]
    found = [{one.problem.id.partition(" ")[0] for one in half} for half in halves(sheets)]
    assert found == [{"east", "south"}, {"north"}]
    assert len(halves(sheets[:8])) == 1
    assert halves([]) == []
