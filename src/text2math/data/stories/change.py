"""Change: somebody has things, gets or loses some, has them then. Asked: the result, the change, the start."""

from __future__ import annotations

from fractions import Fraction

from text2math.data.stories.parts import measure, size_of, told
from text2math.data.stories.world import Draft, Fact, Gold, Scene, Shift, ask, crowds

_HAD = (
    "{p~+%have} {A}",
    "{p~+%have} {A}",
    "{p~+%have} {A} [to start with|at first|in the beginning|at the start|to begin with]",
    "{p~+%start} [out|] with {A}",
    "{p~+%own} {A}",
    "{p~+%have} {A} [{spot}|in {p.his} {box}]",
    "there {be} {A} [{spot}|in {p~.s} {box}]",
    "{p~.s} {box} {held} {A}",
    "{p~+%begin} the [day|week|month|game] with {A}",
    "[in the morning|last week|yesterday|at first|on {day}|at the start of the day], {p~} had {A}",
    "{p~+%keep} {A} in {an}{box}",
    "{p~+%start} with {A}",
    "{p~} [currently|still] {has} {A}",
    "there {be} {A} currently {spot}",
    "{p~+%collect} {A}",
    "{A} {be} in {an}{box} that belongs to {p~}",
)
_HAD_SOME = (
    "{p~+%have} {t.some}",
    "{p~+%have} {t.some} [to start with|at first|]",
    "there {be} {t.some} {spot}",
    "{p~+%have} a [collection|bunch|pile|bag] of {t.stuff}",
    "{p~+%start} with {t.some}",
)
_LOST = (
    "{p~+%$v} {B.of}",
    "{p~+%$v} {B}",
    "{p~+%$v} {B.bare}",
    "{p~+%give} {B.of} to {r}",
    "{p~+%give} {r.obj} {B}",
    "{p~+%$g} {B} to {r}",
    "{r~+%take} {B.of}",
    "{r+%buy} {b} of {p.s} {t}",
    "{r+%take} {b} of {p.s} {t}",
    "{r+%borrow} {b} of {p.s} {t}",
    "{r~+%borrow} {B} from {p~.him}",
    "{p~+%let} {r.obj} have {B.of}",
    "{p~+%share} {B.of} with {r}",
    "{B.of} {w.go}",
    "{B.of} {wasgiven} to {r}",
    "{p~+%decide} to [give|hand] {B} to {r}",
    "{r~+%get} {B} from {p~.him}",
    "{p~.s} {box} {broke} and {B.bare} were lost",
    "{B.bare} {be} eaten by {animal}",
    "{animal} ate {B.of}",
    "{animal} got into the garden and ate {B.of}",
    "{r~+%take} {B.bare} away",
    "{p~+%remove} {B.bare}",
    "{p~+%lose} {B.bare}",
)
_GAINED = (
    "{p~+%$v} {B.more}",
    "{p~+%$v} {B}",
    "{p~+%$v} another {B}",
    "{r~+%give} {p~.him} {B.more}",
    "{r~+%give} {p~.him} {B}",
    "{r~+%hand} {B} to {p~.him}",
    "{p~+%get} {B.more} from {r}",
    "{p~+%receive} {B} from {r}",
    "{p~+%borrow} {B} from {r}",
    "{r~+%share} {B} with {p~.him}",
    "{p~+%be} given {B.more}",
    "{B.more} {wasgiven} to {p~.him} by {r}",
    "{p~+%find} {B.more} {spot}",
    "{p~+%find} another {B.bare}",
    "{p~+%buy} {B.more}",
    "{p~+%place} {B.more} {spot}",
    "{B.more} {be} added",
    "{r~+%bring} {p~.him} {B}",
)
_NOW = (
    "[now|] {p~+have} {C}",
    "{p~} now has {C}",
    "{p~+have} {C} left",
    "{p~+have} {C} now",
    "that leaves {p~.him} with {C}",
    "{p~} ended up with {C}",
    "[in the end|at the end of the day|after that|when {p~} counted again], {p~} had {C}",
    "there are {C} {spot} now",
    "{p~} was left with {C}",
)
_LEAD_EVENT = "[then|later|after that|the next day|on {day}|one day|that afternoon|a week later|next|during the week|after lunch]"


_EDIBLE = ("fruit", "vegetables", "baking", "sweets")


def change(draft: Draft) -> None:
    """A person's things change once."""
    scene = draft.scene(mass=0.14, money=0.12)
    gain = draft.chance(0.5)
    _people(draft, scene, gain)
    low, high = size_of(draft, scene)
    start = measure(draft, scene, low, high)
    if gain:
        delta = measure(draft, scene, max(1, low - 1), high)
    else:
        delta = start * draft.rng.randint(1, 9) / 10
        delta = (
            delta
            if draft.thing.kind != "count" and delta.denominator <= 100
            else Fraction(max(delta // 1, 1))
        )
    end = start + delta if gain else start - delta
    asked = draft.pick(("result", "result", "change", "start"))
    draft.kind = "change"
    events: tuple[str, ...] = _GAINED if gain else _LOST
    if draft.thing.kind != "count" or draft.extra:
        events = tuple(event for event in events if "{b} of" not in event)
    if draft.thing.kind != "count" or scene.name == "money":
        events = tuple(
            event
            for event in events
            if "{spot}" not in event and "{w." not in event and "{broke" not in event
        )
    had: tuple[str, ...] = _HAD
    some: tuple[str, ...] = _HAD_SOME
    if not scene.spot:
        had = tuple(clause for clause in had if "{spot}" not in clause)
        some = tuple(clause for clause in some if "{spot}" not in clause)
    if scene.name not in _EDIBLE:
        events = tuple(event for event in events if "{animal}" not in event)
    event = draft.pick(events)
    if asked == "result":
        a, b = told(draft, "a", start, scene), told(draft, "b", delta, scene)
        draft.facts = [Fact(draft.pick(had)), Fact(event, _LEAD_EVENT)]
        draft.gold = ("+" if gain else "-", a, b)
        draft.asks(_ASK_RESULT if scene.spot else _ASK_RESULT[:-3])
    elif asked == "change":
        a, c = told(draft, "a", start, scene), told(draft, "c", end, scene)
        draft.facts = [
            Fact(draft.pick(had)),
            *_unknown_event(draft, gain),
            Fact(_now(draft, scene, gain), loose=False),
        ]
        draft.gold = ("-", c, a) if gain else ("-", a, c)
        draft.asks(_ASK_GAINED if gain else _ASK_LOST)
    else:
        b, c = told(draft, "b", delta, scene), told(draft, "c", end, scene)
        draft.facts = [
            Fact(draft.pick(some)),
            Fact(event, _LEAD_EVENT),
            Fact(_now(draft, scene, gain), loose=False),
        ]
        draft.gold = ("-", c, b) if gain else ("+", b, c)
        draft.asks(_ASK_START)
    draft.spare = [
        "other_thing",
        "other_person",
        "age",
        "date",
        "price",
        *(["subset"] if asked == "result" else []),
    ]
    if asked == "result" and draft.tense == "present" and draft.chance(0.5):
        _plan(draft)


def _plan(draft: Draft) -> None:
    """The event is still to come."""
    draft.slots["future"] = Shift("future")
    first, event = draft.facts
    if "{be}" in event.text:
        return
    today = draft.pick(("", " [today|tomorrow|next week|this afternoon]"))
    draft.facts = [first, Fact("{future}" + event.text + today)]
    draft.set(wasgiven="will be given", broke="will break")
    draft.question = ask(
        draft.pick(
            (
                "{t.how} / will {p~} have / {p~} will have / [then|in total|in all|left|when {p.he} is finished|]",
                "{t.how} / will {p~} have / {p~} will have / after that",
                "{t.howare} there going to be / / /",
            )
        )
    )


def _now(draft: Draft, scene: Scene, gain: bool) -> str:
    clauses = [
        clause
        for clause in _NOW
        if (scene.spot or "{spot}" not in clause) and not (gain and ("left" in clause or "leaves" in clause))
    ]
    return draft.pick(clauses)


def _people(draft: Draft, scene: Scene, gain: bool) -> None:
    draft.tense = draft.pick(("past", "past", "past", "present"))
    person = draft.person("p")
    draft.relative("r", person)
    draft.act("v", scene.gain if gain else scene.lose)
    draft.act("g", scene.give)
    draft.act("w", scene.go or ("disappear",))
    past = draft.tense == "past"
    draft.set(
        spot=draft.pick(scene.spot) if scene.spot else "",
        box=draft.pick(scene.box),
        be="were" if past else "are",
        held=draft.pick(("held", "contained") if past else ("holds", "contains")),
        wasgiven="were given" if past else "are given",
        broke="broke" if past else "breaks",
        has="had" if past else "has",
        animal=draft.pick(
            (
                "a goat",
                "a raccoon",
                "the dog",
                "some birds",
                "a hungry bear",
                "mice",
                "a hippopotamus",
                "squirrels",
            )
        ),
        day=_day(draft),
    )


def _day(draft: Draft) -> str:
    return draft.pick(("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"))


def _unknown_event(draft: Draft, gain: bool) -> list[Fact]:
    """The event whose amount is asked for: told without a number, or left out."""
    if draft.chance(0.25):
        return []
    gained = ("{p~+%$v} {t.some}", "{r~+%give} {p~.him} some more", "{p~+%get} some more {t.stuff} from {r}")
    lost = (
        "{p~+%$v} some of {t.them}",
        "{p~+%give} some [of {t.them}|{t.stuff}] to {r}",
        "{r~+%take} some of {t.them}",
        "{p~+%$g} {t.some} to {r}",
    )
    draft.slots["unknown"] = draft.slots["v"]
    return [Fact(draft.pick(gained if gain else lost), _LEAD_EVENT)]


_ASK_RESULT = (
    "{t.how} / {do p~} have / {p~+have} / [now|in all|altogether|in total|left|then||]",
    "{t.how} / does that leave {p~.him} with / that leaves {p~.him} with /",
    "{t.how} / did {p~} end up with / {p~} ended up with / [|in the end]",
    "{t.how} / will {p~} have / {p~} will have / [then|in total||]",
    "what is the number of {t} {p~+have} now / / /",
    "{t.how} / {do p~} end [up|] with / {p~+end} up with /",
    "{t.how} / would {p~} have / {p~} would have / [total|then|in all|]",
    "{t.how} / {do p} now have / {p} now has / [in total|]",
    "{t.howare} now there in total / / /",
    "{t.how} / {is p} left with / {p+be} left with /",
    "{t.howare} there [now|in all|] / / /",
    "{t.howare} {spot} now / / /",
    "{t.howare} in {p~.s} {box} [now|] / / /",
)
_ASK_GAINED = (
    "{t.how} / did {p~} get / {p~} got / [|in all]",
    "{t.how} / did {p~} {v} / {p~} {v.past} /",
    "{t.howwere} added / / /",
    "{t.howmore} / {do p~} have now / {p~+have} now / [|than before]",
    "{t.how} / did {r} give {p~.him} / {r} gave {p~.him} /",
    "what was the number of new {t.stuff} / / /",
)
_ASK_LOST = (
    "{t.how} / did {p~} {v} / {p~} {v.past} /",
    "{t.howwere} taken away / / /",
    "{t.howare} missing now / / /",
    "{t.how} / did {p~} give to {r} / {p~} gave to {r} /",
    "{t.howfewer} / {do p~} have now / {p~+have} now / [|than before]",
    "{t.how} / did {r} get / {r} got / [|in all]",
    "{t.how} / {has p~} lost / {p~+have} lost /",
)
_ASK_START = (
    "{t.how} / did {p~} have / {p~} had / [to start with|at first|in the beginning|before|at the start|originally|before that]",
    "{t.how} / did {p~} start with / {p~} started with /",
    "what was the number of {t} {p~} had [at first|in the beginning] / / /",
    "{t.howwere} there [at first|in the beginning|to begin with] / / /",
)


_THERE = (
    "there {be} {A} {spot}",
    "{A} {be} {spot}",
    "{A} {be} {do.ing} {spot}",
    "{p~+%see} {A} {spot}",
    "{p~+%count} {A} {spot}",
    "at first, there {be} {A} {spot}",
    "{spot}, there {be} {A}",
)
_CAME = (
    "{B.more} {v.go}",
    "{B} {v.go}",
    "another {B.bare} {v.go}",
    "{B.more} {v.go} [to join them|a little later|soon|]",
)
_WENT = (
    "{B.of} {v.go}",
    "{B} {v.go}",
    "{B.bare} {v.go}",
    "{B.of} {v.go} [a little later|soon|after a while|]",
)


def crowd(draft: Draft) -> None:
    """Animals, people or vehicles come or go."""
    scene = draft.pick(crowds())
    draft.set(t=draft.pick(scene.things))
    gain = draft.chance(0.5)
    draft.tense = draft.pick(("past", "past", "present"))
    draft.person("p")
    draft.act("v", scene.come if gain else scene.go)
    draft.act("do", scene.make)
    past = draft.tense == "past"
    draft.set(
        spot=draft.pick(scene.spot), be="were" if past else "are", day=_day(draft), box=draft.pick(scene.box)
    )
    low, high = size_of(draft, scene)
    start = draft.between(low, high)
    delta = draft.between(2, high) if gain else draft.between(1, start - 1)
    end = start + delta if gain else start - delta
    asked = draft.pick(("result", "result", "change", "start"))
    draft.kind = "change"
    draft.spare = ["date", "other_place", "age"]
    event = draft.pick(_CAME if gain else _WENT)
    sign = "+" if gain else "-"
    came = "{t.some} {v.go}" if gain else "some of them {v.go}"
    now = draft.pick(
        (
            "there are {C} {spot} [now|]",
            "now there are {C} {spot}",
            "only {C} {be} [left|] {spot}" if not gain else "there are {C} {spot} [in all|]",
        )
    )
    if asked == "result":
        a, b = told(draft, "a", start, scene), told(draft, "b", delta, scene)
        draft.facts = [Fact(draft.pick(_THERE)), Fact(event, _LEAD_EVENT)]
        draft.gold = (sign, a, b)
        draft.asks([text for text in _ASK_THERE if not (gain and "left" in text)])
    elif asked == "change":
        a, c = told(draft, "a", start, scene), told(draft, "c", end, scene)
        draft.facts = [Fact(draft.pick(_THERE)), Fact(came, _LEAD_EVENT), Fact(now, loose=False)]
        draft.gold = ("-", c, a) if gain else ("-", a, c)
        draft.question = ask("{t.how} / {v.go} / {v.go} / [|in all]")
    else:
        b, c = told(draft, "b", delta, scene), told(draft, "c", end, scene)
        draft.facts = [Fact("there {be} {t.some} {spot}"), Fact(event, _LEAD_EVENT), Fact(now, loose=False)]
        draft.gold = ("-", c, b) if gain else ("+", b, c)
        draft.asks(
            ("{t.how} / were {spot} / were {spot} / [at first|in the beginning|to start with|before]",)
        )


_ASK_THERE = (
    "{t.how} / are {spot} / are {spot} / [now|altogether|in all|]",
    "{t.howare} there [{spot}|] [now|in total|altogether|in all|] / / /",
    "{t.how} / are left [{spot}|] / are left [{spot}|] /",
    "{t.how} / will there be / there will be / [{spot}|]",
    "{t.how} / does {p} see / {p} sees / [now|]",
    "what is the number of {t} {spot} [now|] / / /",
)


def balance(draft: Draft) -> None:
    """Two changes, one after the other: in and in, in and out, out and out."""
    scene = draft.scene(mass=0.1, money=0.15)
    _people(draft, scene, True)
    low, high = size_of(draft, scene)
    start = measure(draft, scene, low + 4, high + 8)
    draft.act("x", scene.lose)
    a = draft.amount("a", start)
    signs = draft.pick(("+-", "-+", "--", "++"))
    facts = [Fact(draft.pick([clause for clause in _HAD if scene.spot or "{spot}" not in clause]))]
    total = start
    gold: Gold = a
    for key, sign in zip("bc", signs, strict=True):
        delta = (
            measure(draft, scene, 1, max(2, int(total) - 1))
            if sign == "-"
            else measure(draft, scene, 2, high)
        )
        if sign == "-" and delta >= total:
            delta = total / 2 if (total / 2).denominator == 1 or draft.thing.kind != "count" else Fraction(1)
        draft.amount(key, delta)
        total = total + delta if sign == "+" else total - delta
        phrase = "{" + key.upper()
        gains = (
            "{p~+%$v} " + phrase + ".more}",
            "{r~+%give} {p~.him} " + phrase + ".more}",
            "{p~+%get} another " + phrase + "}",
        )
        losses = (
            "{p~+%$x} " + phrase + ".of}",
            "{p~+%give} " + phrase + "} to {r}",
            "{p~+%lose} " + phrase + ".of}",
        )
        facts.append(Fact(draft.pick(gains if sign == "+" else losses), _LEAD_EVENT))
        gold = (sign, gold, key)
    draft.facts, draft.gold, draft.kind = facts, gold, "change"
    draft.asks(_ASK_RESULT if scene.spot else _ASK_RESULT[:-3])
    draft.spare = ["other_thing", "other_person", "age", "date", "subset"]
