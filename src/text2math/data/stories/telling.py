"""Telling: the order of the facts, how sentences are joined, where the question stands.

The families say *what* is told; here it becomes a text, in one of many layouts.
"""

from __future__ import annotations

import re
from dataclasses import replace

from text2math.data.stories.world import Draft, Fact, Person, Question, capitalised

_LAYOUTS = (
    ("plain", 46),
    ("if_last", 18),
    ("if_all", 7),
    ("question_if", 5),
    ("last_if", 5),
    ("joined", 9),
    ("suppose", 3),
    ("know", 2),
    ("speech", 4),
    ("question_first", 2),
    ("semicolon", 2),
    ("notes", 2),
)
_NAMES = [name for name, weight in _LAYOUTS for _ in range(weight)]

_AFAR = (
    "find [out|] {what}",
    "can you [tell|find|figure out|work out] {what}",
    "[tell me|work out|calculate|figure out|determine|say|explain] {what}",
    "do you know {what}",
    "{p~} [wants|would like] to know {what}",
    "we want to know {what}",
    "use the facts above to find {what}",
)


def tell(draft: Draft) -> None:
    """Write facts and question into the draft's text."""
    facts = draft.facts
    layout = draft.layout or draft.pick(_NAMES)
    loose = all(fact.loose for fact in facts)
    if layout in ("if_all", "question_if", "know") and not (loose and len(facts) <= 3):
        layout = "plain"
    if layout in ("if_last", "last_if", "joined", "semicolon") and not facts[-1].loose:
        layout = "plain"
    if layout in ("joined", "semicolon") and len(facts) > 1 and not facts[-2].loose:
        layout = "plain"
    if layout == "suppose" and not facts[0].loose:
        layout = "plain"
    if len(facts) < 2 and layout in ("joined", "semicolon", "notes"):
        layout = "plain"
    _WRITERS[layout](draft, facts)
    draft.text = capitalised(draft.text.rstrip())


def roughen(draft: Draft) -> None:
    """Now and then the text as people type it: in small letters, without the last mark."""
    luck = draft.rng.random()
    if luck < 0.025:
        draft.text = draft.text.lower()
    if luck < 0.015 or luck > 0.98:
        draft.text = draft.text.rstrip("?.")


def _sentence(draft: Draft, fact: Fact, end: str = ". ", lead: bool = True) -> None:
    if fact.lead and lead and draft.chance(0.6):
        draft.say(fact.lead)
        draft.put(" ")
    draft.say(fact.text)
    draft.put(end)


def _clauses(draft: Draft, facts: list[Fact]) -> None:
    """Facts as "f, f and f"."""
    for index, fact in enumerate(facts):
        if index:
            draft.put(", " if index < len(facts) - 1 else draft.pick((" and ", ", and ")))
        draft.say(fact.text)


def _ask(draft: Draft, *, capital: bool = True, end: str = "?") -> None:
    """The question, straight; or from afar where it has the words for it."""
    question = draft.question
    assert question is not None
    if capital and question.told and draft.chance(0.07):
        _ask_from_afar(draft, question)
        return
    if capital and draft.chance(0.05) and not question.tail:
        many = question.what.startswith("how many") and not question.straight
        draft.say(
            "[in all|altogether|in total|so|now], "
            if many and " are there" in question.what
            else "[so|now|then], "
        )
    draft.say(" ".join(part for part in (question.what, question.straight, question.tail) if part))
    draft.put(end)


def _ask_from_afar(draft: Draft, question: Question) -> None:
    frames = _AFAR if isinstance(draft.slots.get("p"), Person) else _AFAR[:4] + _AFAR[5:]
    frame = draft.pick(frames)
    before, after = frame.split("{what}")
    draft.say(before)
    draft.say(" ".join(part for part in (question.what, question.told, question.tail) if part))
    draft.say(after)
    draft.put("?" if frame.startswith(("can", "do")) else ".")


def _plain(draft: Draft, facts: list[Fact]) -> None:
    for fact in facts:
        _sentence(draft, fact)
    _ask(draft)


def _if_last(draft: Draft, facts: list[Fact]) -> None:
    for fact in facts[:-1]:
        _sentence(draft, fact)
    draft.put("if ")
    draft.say(facts[-1].text)
    draft.put(", ")
    _ask(draft, capital=False)


def _if_all(draft: Draft, facts: list[Fact]) -> None:
    draft.put("if ")
    _clauses(draft, facts)
    draft.put(", ")
    _ask(draft, capital=False)


def _question_if(draft: Draft, facts: list[Fact]) -> None:
    _ask(draft, capital=False, end=draft.pick((" if ", " if ", " given that ")))
    _clauses(draft, facts)
    draft.put("?")


def _last_if(draft: Draft, facts: list[Fact]) -> None:
    for fact in facts[:-1]:
        _sentence(draft, fact)
    _ask(draft, capital=False, end=" if ")
    draft.say(facts[-1].text)
    draft.put("?")


def _joined(draft: Draft, facts: list[Fact]) -> None:
    for fact in facts[:-2]:
        _sentence(draft, fact)
    draft.say(facts[-2].text)
    draft.put(draft.pick((", and ", " and ", ", and then " if facts[-1].lead else ", and ")))
    draft.say(facts[-1].text)
    draft.put(". ")
    _ask(draft)


def _semicolon(draft: Draft, facts: list[Fact]) -> None:
    for fact in facts[:-2]:
        _sentence(draft, fact)
    draft.say(facts[-2].text)
    draft.put("; ")
    draft.say(facts[-1].text)
    draft.put(". ")
    _ask(draft)


def _suppose(draft: Draft, facts: list[Fact]) -> None:
    draft.say("[suppose|suppose that|imagine that|let's say|say|imagine] ")
    _plain(draft, [replace(facts[0], lead=""), *facts[1:]])


def _know(draft: Draft, facts: list[Fact]) -> None:
    draft.say("[we know that|you know that|it is known that|here is what we know:] ")
    _clauses(draft, facts)
    draft.put(". ")
    _ask(draft)


def _question_first(draft: Draft, facts: list[Fact]) -> None:
    _ask(draft)
    draft.put(" ")
    draft.say("[|here is what you know: |use this: |these are the facts: ]")
    for fact in facts:
        _sentence(draft, fact)


def _statement(draft: Draft, facts: list[Fact]) -> None:
    """A sentence alone, as for an equation."""
    for fact in facts:
        _sentence(draft, fact)


def _bare(draft: Draft, facts: list[Fact]) -> None:
    """The facts with their own marks and question."""
    for fact in facts:
        draft.say(fact.text)


def _notes(draft: Draft, facts: list[Fact]) -> None:
    """A heading and a list, as on a worksheet."""
    draft.say("[what we know:|facts:|read the notes.|given:|my notes:]\n")
    for fact in facts:
        draft.put("- ")
        draft.say(fact.text)
        draft.put("\n")
    _ask(draft)


def _speech(draft: Draft, facts: list[Fact]) -> None:
    """The first fact in the person's own words."""
    person = draft.slots.get("p")
    first = facts[0]
    if not isinstance(person, Person) or person.number != "one" or not _speaks(first.text):
        _plain(draft, facts)
        return
    draft.put('"')
    draft.slots["p"] = Person("I", "I", "me", "my", "I")
    draft.say(first.text)
    draft.slots["p"] = person
    draft.say('," {p} [says|said|tells a friend|explains]. ')
    for fact in facts[1:]:
        _sentence(draft, fact)
    _ask(draft)


_THIRD = re.compile(r"\{p~?\} (?:now |also |already )?\w+s\b")


def _speaks(template: str) -> bool:
    """Whether the clause is about ``p`` and names nobody through ``p``'s pronouns in another slot."""
    return (
        template.startswith("{p")
        and not template.startswith(("{p},", "{p} ("))
        and "{r" not in template
        and _THIRD.match(template) is None
    )


_WRITERS = {
    "plain": _plain,
    "if_last": _if_last,
    "if_all": _if_all,
    "question_if": _question_if,
    "last_if": _last_if,
    "joined": _joined,
    "semicolon": _semicolon,
    "suppose": _suppose,
    "know": _know,
    "speech": _speech,
    "question_first": _question_first,
    "notes": _notes,
    "statement": _statement,
    "bare": _bare,
}
