"""Robustness: does a change of a text that leaves its meaning alone change the answer?

Each change takes a problem and gives another text, or None where there is nothing to change.

>>> from text2math.language.problem import read_problem
>>> problem = read_problem("Tom has 3 boxes. How many boxes does Tom have?")
>>> CHANGES["lower case"](problem, random.Random(0))
'tom has 3 boxes. how many boxes does tom have?'
>>> CHANGES["question first"](problem, random.Random(0))
'How many boxes does Tom have? Tom has 3 boxes.'
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from text2math.data.variation import neighbouring_key
from text2math.evaluation.exam import Answer
from text2math.evaluation.metrics import is_correct
from text2math.language.problem import Example, Problem, read_problem

Change = Callable[[Problem, random.Random], str | None]

# Training has remarks of its own (``data.variation``): none of these is among them.
OPENINGS = (
    "Please help me with this problem. ",
    "Can you solve this? ",
    "Hi! I need help with my homework. ",
    "Here is a question from my son's worksheet: ",
    "Read the story and answer the question. ",
    "Good afternoon. I am preparing a lesson and would like to check my key. ",
    "Could someone walk me through the following, please? ",
    "pls help me guys ",
    "I've been staring at this for an hour. ",
    "This came up in class and nobody got it: ",
    "ok computer, tell me this: ",
    "My daughter has to hand this in on Monday and we disagree about the result. ",
    "Let me know what you get. ",
    "Quick one for you! ",
    "Kindly assist. ",
    "Math question - ",
    "Task: ",
    "I bet you can't do this. ",
    "You'll like this: ",
    "What's the answer to the following? ",
)
CLOSINGS = (
    " Thank you!",
    " Thanks in advance.",
    " Show your work.",
    " Explain your answer.",
    " Thank you for your time.",
    " I'd be glad of an explanation.",
    " Please hurry!",
    " tysm",
    " Reply with the number only.",
    " My answer was marked wrong.",
    " Use a drawing if you like.",
    " Who knows?",
)
_SMALL = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def _opening(problem: Problem, rng: random.Random) -> str:
    return rng.choice(OPENINGS) + problem.text


def _closing(problem: Problem, rng: random.Random) -> str:
    return problem.text + rng.choice(CLOSINGS)


def _typo(problem: Problem, rng: random.Random) -> str | None:
    """One word of four letters or more, that is no number and no name, with one typing error."""
    numeric = {i for quantity in problem.quantities for i in range(quantity.first_token, quantity.last_token)}
    words = [
        token
        for i, token in enumerate(problem.tokens)
        if i not in numeric and len(token.text) >= 4 and token.text.isascii() and token.text.islower()
    ]
    words = [token for token in words if token.text.isalpha()]
    if not words:
        return None
    token = rng.choice(words)
    return problem.text[: token.start] + _slip(token.text, rng) + problem.text[token.end :]


def _slip(word: str, rng: random.Random) -> str:
    """A letter left out, doubled, swapped with the next, or replaced by its neighbour on the keyboard."""
    at = rng.randrange(1, len(word) - 1)
    match rng.randrange(4):
        case 0:
            return word[:at] + word[at + 1 :]
        case 1:
            return word[: at + 1] + word[at:]
        case 2:
            return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        case _:
            return word[:at] + neighbouring_key(word[at], rng) + word[at + 1 :]


def _question_first(problem: Problem, rng: random.Random) -> str | None:
    """The question moved to the front; None if it is there already, or if the whole text is a question."""
    spans: dict[int, list[int]] = {}
    asks: set[int] = set()
    for token in problem.tokens:
        spans.setdefault(token.sentence, [token.start, token.end])[1] = token.end
        if token.in_question:
            asks.add(token.sentence)
    if not asks or len(asks) == len(spans) or min(asks) == 0:
        return None
    order = [*(s for s in spans if s in asks), *(s for s in spans if s not in asks)]
    return " ".join(problem.text[slice(*spans[sentence])] for sentence in order)


def _digits(problem: Problem, rng: random.Random) -> str | None:
    """Small number words as digits."""
    found = re.sub(
        rf"\b({'|'.join(_SMALL)})\b",
        lambda match: str(2 + _SMALL.index(match[0].lower())),
        problem.text,
        flags=re.IGNORECASE,
    )
    return found if found != problem.text else None


def _words(problem: Problem, rng: random.Random) -> str | None:
    """Small whole numbers as words."""
    found = re.sub(
        r"(?<![\d$£€.,:/-])\b([2-9]|1[0-2])\b(?![\d.,:/%-]*\d|%)",
        lambda match: _SMALL[int(match[0]) - 2],
        problem.text,
    )
    return found if found != problem.text else None


def _separators(problem: Problem, rng: random.Random) -> str | None:
    """Thousands separators taken away, or added where there are none."""
    found = re.sub(
        r"(?<![\d.,:/-])(?:\d{1,3}(?:,\d{3})+|[1-9]\d{3,6})(?![\d,:/-]*\d)",
        lambda match: match[0].replace(",", "") if "," in match[0] else f"{int(match[0]):,}",
        problem.text,
    )
    values = [quantity.value for quantity in read_problem(found).quantities]  # 1,850 pens, but the year 1850
    unchanged = found == problem.text or values != [quantity.value for quantity in problem.quantities]
    return None if unchanged else found


def _curly(problem: Problem, rng: random.Random) -> str | None:
    """Curly apostrophes and quotation marks."""
    found = re.sub(r'"([^"]*)"', r"“\1”", problem.text).replace("'", "’")
    return found if found != problem.text else None


def _invisible(problem: Problem, rng: random.Random) -> str:
    """A zero-width space or a soft hyphen inside the text, and spaces that do not break."""
    at = rng.randrange(len(problem.text) + 1)
    mark = rng.choice("\u200b\u200d\u2060\xad")
    return (problem.text[:at] + mark + problem.text[at:]).replace(" ", "\xa0")


def _pounds(problem: Problem, rng: random.Random) -> str | None:
    return problem.text.replace("$", "£") if "$" in problem.text else None


def _no_final_mark(problem: Problem, rng: random.Random) -> str | None:
    text = problem.text.rstrip()
    return text[:-1] if text.endswith(("?", ".")) else None


def _spaces(problem: Problem, rng: random.Random) -> str:
    return re.sub(r"\s*([.,?!])(?=\s|\Z)", r" \1", problem.text).replace(" ", "  ")


CHANGES: Mapping[str, Change] = {
    "polite opening": _opening,
    "polite closing": _closing,
    "byte order mark": lambda problem, rng: "\ufeff" + problem.text,
    "invisible characters": _invisible,
    "curly quotes": _curly,
    "list number": lambda problem, rng: f"{rng.randint(1, 30)}. {problem.text}",
    "one typo": _typo,
    "question first": _question_first,
    "number words to digits": _digits,
    "digits to number words": _words,
    "thousands separators": _separators,
    "lower case": lambda problem, rng: problem.text.lower(),
    "capital letters": lambda problem, rng: problem.text.upper(),
    "pounds for dollars": _pounds,
    "no final mark": _no_final_mark,
    "stray spaces": _spaces,
    "line breaks": lambda problem, rng: re.sub(r"(?<=[.?!]) ", "\n", problem.text),
}
TARGETS: Mapping[str, float] = {
    "polite opening": 1.0,
    "polite closing": 1.0,
    "byte order mark": 1.0,
    "invisible characters": 1.0,
    "curly quotes": 1.0,
    "list number": 1.0,
    "one typo": 2.0,
}
"""The most readings, in percent, that some changes may break."""


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of a change: how many problems it applies to, how many it broke, how many it fixed."""

    change: str
    problems: int
    broken: int
    fixed: int

    @property
    def broken_percent(self) -> float:
        """The share of problems that were right before and are wrong after, in percent."""
        return 100 * self.broken / self.problems if self.problems else 0.0

    @property
    def is_met(self) -> bool | None:
        """Whether the target for this change is met; None where there is none."""
        target = TARGETS.get(self.change)
        return None if target is None else self.broken_percent <= target


def right_by(
    read: Callable[[Sequence[str]], Iterable[Answer]],
) -> Callable[[Sequence[str], Sequence[Example]], list[bool]]:
    """Which texts a reader gets right, as ``effects`` asks."""
    return lambda texts, examples: [
        is_correct(answer.mathematics, example, answer.answers or None)
        for answer, example in zip(read(texts), examples, strict=True)
    ]


def effects(
    examples: Sequence[Example],
    right: Callable[[Sequence[str], Sequence[Example]], Sequence[bool]],
    *,
    seed: int = 0,
    changes: Mapping[str, Change] = CHANGES,
) -> Iterator[Effect]:
    """The effect of each change. ``right`` says of each text whether it gets its example's answer."""
    before = right([example.problem.text for example in examples], examples)
    for name, change in changes.items():
        rng = random.Random(f"{seed} {name}")
        changed = [change(example.problem, rng) for example in examples]
        chosen = [at for at, text in enumerate(changed) if text is not None]
        texts = [text for text in changed if text is not None]
        after = right(texts, [examples[at] for at in chosen])
        pairs = [(before[at], now) for at, now in zip(chosen, after, strict=True)]
        yield Effect(
            name,
            len(pairs),
            sum(was and not now for was, now in pairs),
            sum(now and not was for was, now in pairs),
        )
