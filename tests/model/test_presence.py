from __future__ import annotations

from text2math.data import load as load_data
from text2math.language.annotations import Annotations
from text2math.language.lexicon import Lexicon
from text2math.language.problem import read_problem
from text2math.model.presence import Presence, texts_without


def test_what_is_left_of_a_story_holds_at_most_one_number() -> None:
    examples = load_data("stories").examples[::4]
    remains = [problem for problem in texts_without(examples) if problem.id]
    assert len(remains) > 50
    assert all(len(problem.quantities) <= 1 for problem in remains)


def test_statements_and_problems_are_told_apart() -> None:
    examples = load_data("stories").examples[::4]
    lexicon = Lexicon.default()
    train, test = examples[::2], examples[1::2]
    presence = Presence.fit([e.problem for e in train], texts_without(train), lexicon)

    def share(problems: list) -> float:
        passed = [presence.probability(Annotations.of(problem, lexicon)) >= 0.5 for problem in problems]
        return sum(passed) / len(passed)

    assert share([e.problem for e in test]) > 0.9
    assert share([problem for problem in texts_without(test) if problem.id]) < 0.2
    assert presence.probability(Annotations.of(read_problem("Hello"), lexicon)) < 0.5


def test_a_prior_for_problems_makes_every_text_more_likely_to_be_one() -> None:
    examples = load_data("stories").examples[::16]
    lexicon = Lexicon.default()
    problems, without = [example.problem for example in examples], texts_without(examples)
    even, generous = (Presence.fit(problems, without, lexicon, prior=odds) for odds in (1.0, 20.0))
    text = Annotations.of(read_problem("I have 3 dogs."), lexicon)
    odds = [one.probability(text) / (1 - one.probability(text)) for one in (even, generous)]
    assert abs(odds[1] / odds[0] - 20) < 1e-6
