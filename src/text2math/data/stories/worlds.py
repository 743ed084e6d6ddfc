"""Worlds that answer many questions: the story stays, the question changes, and with it the mathematics.

Each function tells one world and fills ``draft.choices`` with every question it can answer and the gold of each.
Numbers that the drawn question does not need stay in the text as distractors of the most natural sort.
"""

from __future__ import annotations

from dataclasses import replace

from text2math.data.stories import words
from text2math.data.stories.grammar import forms, plural
from text2math.data.stories.parts import size_of
from text2math.data.stories.world import (
    MONEY,
    Action,
    Draft,
    Fact,
    Family,
    Gold,
    Phrase,
    Scene,
    Thing,
    another,
    crowds,
    kinds_of,
    scenes,
)

_ALL = "[in all|altogether|in total|together|]"
_END = "[now|in the end|at the end|left|then|]"

Choice = tuple[tuple[str, ...], Gold]


def open_world(draft: Draft, kind: str, scene: Scene | None = None) -> Scene:
    """Set the stage: a scene, a thing of it, a person."""
    scene = scene or draft.pick(scenes())
    draft.set(t=draft.pick(scene.things))
    draft.kind = kind
    draft.tense = "past"
    draft.person("p")
    draft.spare = ["age", "date"]
    return scene


def tell_world(draft: Draft, facts: tuple[str, ...], choices: list[Choice]) -> None:
    """Facts in order, and one of the questions."""
    draft.facts = [Fact(text) for text in facts]
    draft.choices = choices
    questions, gold = draft.pick(choices)
    if "than" in questions[0] and draft.chance(0.6):
        questions, gold = draft.pick(
            choices
        )  # "more than" would give the minus away if it came as often as the rest
    draft.asks(questions)
    draft.gold = gold


def transfer(draft: Draft) -> None:
    """Two people, and things that pass from one to the other."""
    scene = open_world(draft, "change")
    draft.person("q", roles=False)
    low, high = size_of(draft, scene)
    a, b = draft.between(low + 3, high + 4), draft.between(low, high)
    c = draft.rng.randint(1, a - 1)
    draft.amount("a", a)
    draft.amount("b", b)
    draft.amount("c", c)
    draft.act("g", ("give", "give", "lend", "sell", "send", "hand"))
    draft.set(spot=draft.pick(scene.spot))
    given = draft.pick(
        (
            "{p} {g.past} {C.of} to {q}",
            "{p} {g.past} {q} {C}",
            "{q} got {C.bare} from {p}",
            "{q} took {C.of} from {p}",
            "{q} received {C} from {p}",
        )
    )
    starts = draft.pick(
        (
            ("{p} had {A}", "{q} had {B}"),
            ("{p} had {A} and {q} had {B.bare}",),
            ("{q} had {B}", "{p} had {A}"),
            ("at first, {p} had {A} and {q} had {B}",),
            ("{p} and {q} both [collect|like|own] {t}", "{p} had {A} while {q} had {B.bare}"),
        )
    )
    choices: list[Choice] = [
        (
            (
                "{t.how} / {do p} have / {p} has / " + _END,
                "{t.how} / did {p} have / {p} had / [after that|in the end|left]",
            ),
            ("-", "a", "c"),
        ),
        (
            (
                "{t.how} / {do q} have / {q} has / " + _END,
                "{t.how} / did {q} have / {q} had / [after that|in the end]",
            ),
            ("+", "b", "c"),
        ),
        (
            (
                "{t.how} / do they have / they have / " + _ALL,
                "{t.how} / did {p} and {q} have / {p} and {q} had / " + _ALL,
            ),
            ("+", "a", "b"),
        ),
    ]
    if a > b:
        choices.append(
            (
                ("{t.howmore} / did {p} have / {p} had / than {q} [at first|in the beginning|before]",),
                ("-", "a", "b"),
            )
        )
    elif b > a:
        choices.append(
            (
                ("{t.howmore} / did {q} have / {q} had / than {p} [at first|in the beginning|before]",),
                ("-", "b", "a"),
            )
        )
    tell_world(draft, (*starts, given), choices)


def two_things(draft: Draft) -> None:
    """Two sorts of things; one goes, the other comes."""
    scene = open_world(draft, "change")
    thing = draft.thing
    if draft.chance(0.5):
        other = another(draft, scene, "k", thing)
    else:
        thing, other = kinds_of(draft, scene, 2)
    draft.slots["t"], draft.slots["k"] = thing, other
    low, high = size_of(draft, scene)
    a, b = draft.between(low + 2, high + 3), draft.between(low + 2, high + 3)
    c, d = draft.rng.randint(1, a - 1), draft.between(2, high)
    draft.amount("a", a, thing)
    draft.amount("b", b, other)
    draft.amount("c", c, thing)
    draft.amount("d", d, other)
    draft.act("v", scene.lose)
    draft.act("w", scene.gain)
    draft.relative("r", draft.slots["p"])  # type: ignore[arg-type]
    draft.set(spot=draft.pick(scene.spot))
    start = draft.pick(
        (
            "{p~} had {A} and {B}",
            "there were {A} and {B} {spot}",
            "{p~} had {A} as well as {B}",
            "{p~} owned {B} and {A}",
        )
    )
    lose = draft.pick(
        ("{p~} {v.past} {C}", "{p~} gave {C} to {r}", "{r} took {C}", "{p~} {v.past} {c} of the {t}")
    )
    gain = draft.pick(("{p~} {w.past} {D.more}", "{r} brought {D.more}", "{p~} got {D.more}"))
    choices: list[Choice] = [
        (
            (
                "how many {t} / {do p~} have / {p~} has / " + _END,
                "how many {t} are left / / /",
                "how many {t} are there now / / /",
            ),
            ("-", "a", "c"),
        ),
        (
            (
                "how many {k} / {do p~} have / {p~} has / [now|altogether|in all|]",
                "how many {k} are there [now|in all|altogether|] / / /",
            ),
            ("+", "b", "d"),
        ),
    ]
    if a != b:
        more, fewer, gold = ("t", "k", ("-", "a", "b")) if a > b else ("k", "t", ("-", "b", "a"))
        choices.append(
            (
                (f"how many more {{{more}}} than {{{fewer}}} / did {{p~}} have / {{p~}} had / [at first|in the beginning|to start with]",
                 f"how many fewer {{{fewer}}} than {{{more}}} were there [at first|in the beginning] / / /"),
                gold,
            )
        )  # fmt: skip
    if c != d:
        gold = ("-", "c", "d") if c > d else ("-", "d", "c")
        if d > c:
            choices.append((("how many more {k} / were added / were added / than {t} were lost",), gold))
    facts: tuple[str, ...] = (start, lose, gain) if draft.chance(0.6) else (start, gain, lose)
    if draft.chance(0.25):
        facts = facts[:2]
        choices = choices[:1] if facts[1] == lose else choices[1:2]
    tell_world(draft, facts, choices)


def boxes(draft: Draft) -> None:
    """Boxes of things, some of which go."""
    scene = open_world(draft, "groups")
    n, s = draft.between(3, 15), draft.between(2, 24)
    m = draft.rng.randint(1, n - 1)
    box = draft.pick(scene.box)
    draft.slots["b"] = Thing(box, plural(box))
    draft.amount("n", n, draft.slots["b"])  # type: ignore[arg-type]
    draft.amount("s", s)
    draft.act("v", scene.gain)
    draft.act("w", ("give away", "sell", "lose", "donate", "send back", "open"))
    things_go = draft.chance(0.5)
    if things_go:
        m = draft.rng.randint(1, n * s - 1)
        draft.amount("m", m)
        draft.act("w", scene.lose)
    else:
        draft.amount("m", m, draft.slots["b"])  # type: ignore[arg-type]
    start = draft.pick(
        (
            ("{p~} {v.past} {N} of {t}", "each {b.one} had {S} [in it|inside|]"),
            ("{p~} had {N} with {S} in each",),
            ("there were {S} in every {b.one}", "{p~} had {N}"),
            ("{p~} filled {N} with {s} {t} each",),
            ("{N} held {S} each",),
        )
    )
    gone = draft.pick(("{p~} {w.past} {M}", "{p~} {w.past} {m}" if not things_go else "{p~} {w.past} {M.of}"))
    choices: list[Choice] = [
        (
            ("how many {t} / did {p~} have / {p~} had / [at first|in the beginning|to start with|before]",),
            ("*", "n", "s"),
        ),
    ]
    if things_go:
        choices.append(
            (
                ("how many {t} / {do p~} have / {p~} has / [left|now|]", "how many {t} are left / / /"),
                ("-", ("*", "n", "s"), "m"),
            )
        )
        return tell_world(draft, (*start, gone), choices)
    choices += [
        (
            ("how many {b} / {do p~} have / {p~} has / [left|now|]", "how many {b} are left / / /"),
            ("-", "n", "m"),
        ),
        (
            ("how many {t} / {do p~} still have / {p~} still has / [|in all]", "how many {t} are left / / /"),
            ("*", ("-", "n", "m"), "s"),
        ),
        (("how many {t} were in the {b} that are gone / / /",), ("*", "m", "s")),
    ]
    if start[0].startswith("there were"):
        start = (start[1], start[0])
    # (n - m) · s crosses when s stands between n and m: tell the size last
    facts = (
        ("{p~} {v.past} {N} of {t}", gone, "each {b.one} had {S}") if draft.chance(0.6) else (*start, gone)
    )
    if draft.gold and facts[-1] == gone:
        choices = [choice for choice in choices if choice[1] != ("*", ("-", "n", "m"), "s")]
    return tell_world(draft, facts, choices)


def store(draft: Draft) -> None:
    """Several of one thing at a price, and the money at hand."""
    open_world(draft, "price")
    noun, low, high = draft.pick([good for good in words.GOODS if good[2] <= 60])
    n, r = draft.between(2, 9), draft.between(low, high)
    note = draft.pick(
        [value for value in (20, 50, 100, 150, 200, 300, 500, 800) if value > n * r][:2] or [n * r + 20]
    )
    if draft.chance(0.5):
        note = n * r + draft.between(1, 60)
    draft.slots["t"] = MONEY
    draft.slots["g"] = Thing(noun, plural(noun))
    draft.amount("n", n, draft.slots["g"])  # type: ignore[arg-type]
    draft.money("r", r)
    draft.money("w", note)
    buy = draft.pick(
        (
            ("{p~} had {W}", "{p~} bought {N} for {R} each"),
            ("{p~} went to the store with {W} and bought {N} at {R} each",),
            ("{an}{g.one} costs {R}", "{p~} bought {N} and paid with {W}"),
            ("{p~} bought {N}", "each one cost {R}", "{p~} gave the cashier {W}"),
        )
    )
    tell_world(
        draft,
        buy,
        [
            (
                (
                    "how much / did the {g} cost / the {g} cost / [in all|altogether|]",
                    "how much [money|] / did {p~} spend / {p~} spent / [in all|]",
                    "what was the total price of the {g} / / /",
                ),
                ("*", "n", "r"),
            ),
            (
                (
                    "how much [money|] / {do p~} have / {p~} has / [left|now]",
                    "how much change / did {p~} get / {p~} got / [back|]",
                    "how much [money|] / did {p~} have / {p~} had / left",
                ),
                ("-", "w", ("*", "n", "r")),
            ),
        ],
    )


def stops(draft: Draft) -> None:
    """A bus, a train, a party: some leave, some come."""
    scene = draft.pick(
        [scene for scene in crowds() if scene.name in ("riders", "people", "birds", "vehicles", "pets")]
    )
    open_world(draft, "change", scene)
    low, high = size_of(draft, scene)
    a = draft.between(low + 4, high + 6)
    b, c = draft.rng.randint(1, a - 1), draft.between(2, high)
    draft.amount("a", a)
    draft.amount("b", b)
    draft.amount("c", c)
    draft.act("v", scene.go)
    draft.act("w", scene.come)
    draft.set(spot=draft.pick(scene.spot))
    start = draft.pick(
        ("there were {A} {spot}", "{A} were {spot}", "{p} saw {A} {spot}", "at first there were {A} {spot}")
    )
    went = draft.pick(("{B.bare} {v.go}", "{B.of} {v.go}", "{B} {v.go}"))
    came = draft.pick(("{C.more} {w.go}", "{c} others {w.go}", "another {c} {w.go}"))
    facts: tuple[str, ...] = (start, went, came) if draft.chance(0.6) else (start, came, went)
    if draft.chance(0.4):
        facts = (start, f"{facts[1]} and {facts[2]}")
    choices: list[Choice] = [
        (
            (
                "how many {t} are {spot} [now|in the end|] / / /",
                "how many {t} were {spot} [in the end|after that] / / /",
                "how many {t} are there [now|in all|altogether|] / / /",
            ),
            ("+", ("-", "a", "b"), "c"),
        ),
    ]
    if b != c:
        more = ("-", "c", "b") if c > b else ("-", "b", "c")
        first, second = ("w", "v") if c > b else ("v", "w")
        choices.append(
            ((f"how many more {{t}} / {{{first}.go}} / {{{first}.go}} / than {{{second}.go}}",), more)
        )
        choices.append(
            ((f"by how many did the number of {{t}} {'grow' if c > b else 'shrink'} / / /",), more)
        )
    tell_world(draft, facts, choices)


def reading(draft: Draft) -> None:
    """Parts of a whole done so far: pages, miles, problems, money."""
    open_world(draft, "combine")
    verb, noun, whole = draft.pick(_TASKS)
    thing = Thing(noun, plural(noun))
    draft.slots["t"] = thing
    draft.slots["v"] = Action(forms(verb))
    a, b = draft.between(3, 60), draft.between(3, 60)
    w = a + b + draft.between(2, 90)
    draft.amount("a", a)
    draft.amount("b", b)
    draft.amount("w", w)
    start = draft.rng.randint(0, 4)
    one, two = draft.pick(
        (
            (f"on {words.WEEKDAYS[start]}", f"on {words.WEEKDAYS[start + 1]}"),
            ("yesterday", "today"),
            ("in the morning", "in the afternoon"),
            ("the first day", "the second day"),
            ("before lunch", "after lunch"),
            ("last week", "this week"),
        )
    )
    draft.set(one=one, two=two)
    draft.slots["whole"] = Phrase(whole)
    parts = draft.pick(
        (
            ("{p~} {v.past} {A} {one} and {B.bare} {two}",),
            ("{one}, {p~} {v.past} {A}", "{two}, {p~} {v.past} {B.bare}"),
            ("{p~} {v.past} {A} {one}", "{p~} {v.past} {B.more} {two}"),
        )
    )
    goal = draft.pick(
        ("{whole} {W}", "{p~} has to {v} {W} in all", "there are {W} to {v}", "{p.s} goal is {W}")
    )
    if goal == "{whole} {W}" and not whole:
        goal = "{p~} has to {v} {W} in all"
    choices: list[Choice] = [
        (
            ("how many {t} / did {p~} {v} / {p~} {v.past} / [in all|altogether|on those days|so far]",),
            ("+", "a", "b"),
        ),
        (
            (
                "how many {t} / {do p~} still have to {v} / {p~} still has to {v} /",
                "how many more {t} / must {p~} {v} / {p~} must {v} /",
            ),
            ("-", "w", ("+", "a", "b")),
        ),
    ]
    if a != b:
        first, second, gold = (
            ("{one}", "{two}", ("-", "a", "b")) if a > b else ("{two}", "{one}", ("-", "b", "a"))
        )
        choices.append(
            (
                (
                    f"how many more {{t}} / did {{p~}} {{v}} / {{p~}} {{v.past}} / {first} than {second}",
                    f"how many fewer {{t}} / did {{p~}} {{v}} / {{p~}} {{v.past}} / {second} than {first}",
                ),
                gold,
            )
        )
    facts = (goal, *parts) if draft.chance(0.5) else (*parts, goal)
    tell_world(draft, facts, choices)


_TASKS = (
    ("read", "page", "{p.his} book has"), ("solve", "math problem", "the worksheet has"), ("walk", "mile", "the trail is"), ("paint", "fence post", "the fence has"),
    ("wash", "window", "the building has"), ("deliver", "newspaper", ""), ("bake", "cookie", ""), ("pick", "apple", ""), ("sell", "raffle ticket", ""),
    ("plant", "tree", ""), ("fold", "shirt", ""), ("write", "invitation", ""), ("knit", "row", "the scarf has"), ("drive", "mile", "the trip is"), ("collect", "can", ""),
    ("learn", "word", "the list has"), ("swim", "lap", "the race is"), ("practice", "song", "the concert has"), ("color", "picture", "the coloring book has"),
    ("memorize", "line", "the poem has"), ("bike", "kilometer", "the route is"), ("clean", "room", "the hotel has"), ("answer", "question", "the test has"),
)  # fmt: skip


def saving(draft: Draft) -> None:
    """Saving up for something: so much at hand, so much a week."""
    open_world(draft, "money")
    noun, _, _ = draft.pick([good for good in words.GOODS if 20 <= good[2] <= 500])
    r, n = draft.between(3, 25), draft.between(2, 12)
    a = draft.between(5, 80)
    cost = a + r * n
    draft.set(t=MONEY, g=Thing(noun, plural(noun)))
    time = draft.pick(("week", "week", "month", "day"))
    draft.slots["h"] = Thing(time, plural(time))
    draft.money("a", a)
    draft.money("r", r)
    draft.money("c", cost)
    draft.amount("n", n, draft.slots["h"])  # type: ignore[arg-type]
    draft.set(job=draft.pick(words.JOBS), time=time)
    have = draft.pick(
        (
            "{p~} has {A}",
            "{p~} already has {A} in the bank",
            "{p~} got {A} for {p.his} birthday",
            "{p~} has saved {A} so far",
        )
    )
    earn = draft.pick(
        (
            "{p~} earns {R} [each|every|a] {time} {job}",
            "{p~} saves {R} [each|every|a] {time}",
            "{p~} makes {R} per {time} {job}",
        )
    )
    if draft.chance(0.5):
        want = draft.pick(
            (
                "{p~} wants to buy {an}{g.one} that costs {C}",
                "{an}{g.one} costs {C}",
                "{p~} is saving up for {an}{g.one}, which costs {C}",
            )
        )
        return tell_world(
            draft,
            (want, have, earn),
            [
                (
                    (
                        "how much more [money|] / {do p~} need / {p~} needs / [to buy the {g.one}|]",
                        "how many more dollars / {do p~} need / {p~} needs / to buy the {g.one}",
                    ),
                    ("-", "c", "a"),
                ),
                (
                    (
                        "how many {h} / will it take / it will take / [to save enough|until {p~} can buy it]",
                        "how many more {h} / must {p~} save / {p~} must save /",
                    ),
                    ("/", ("-", "c", "a"), "r"),
                ),
            ],
        )
    long = draft.pick(("{p~} works for {N}", "{p~} does this for {N}"))
    return tell_world(
        draft,
        (have, earn, long),
        [
            (
                (
                    "how much [money|] / will {p~} have / {p~} will have / [in all|then|altogether]",
                    "how much [money|] / will {p~} have / {p~} will have / after that",
                ),
                ("+", "a", ("*", "r", "n")),
            ),
            (
                (
                    "how much [money|] / will {p~} earn / {p~} will earn / [in all|in that time|from this|]",
                    "how much [money|] will be added to what {p~} has now / / /",
                ),
                ("*", "r", "n"),
            ),
        ],
    )


def ladder(draft: Draft) -> None:
    """Three people, each compared with the one before."""
    scene = open_world(draft, "compare")
    draft.person("q", roles=False)
    draft.person("r", roles=False)
    low, high = size_of(draft, scene)
    a = draft.between(low, high)
    more = draft.chance(0.5)
    b = draft.between(1, high) if more else draft.rng.randint(1, max(1, a - 2))
    second = a + b if more else a - b
    up = draft.chance(0.5)
    c = draft.between(1, high) if up else draft.rng.randint(1, max(1, second - 1))
    draft.amount("a", a)
    draft.amount("b", b)
    draft.amount("c", c)
    draft.tense = draft.pick(("past", "present"))
    owns = draft.chance(0.6)
    draft.act("v", scene.make or scene.gain)
    verb = "%have" if owns else "%$v"
    if not owns:
        draft.tense = "past"
    does, have = ("{do %s} have", "{%s+have}") if owns else ("did {%s} {v}", "{%s} {v.past}")
    facts = [
        f"{{p+{verb}}} {{A}}",
        f"{{q+{verb}}} {{b}} {'more' if more else 'fewer'} [{{t}}|] than {{p}}",
        f"{{r+{verb}}} {{c}} {'more' if up else 'fewer'} [{{t}}|] than {{q}}",
    ]
    second_gold: Gold = ("+" if more else "-", "a", "b")
    third_gold: Gold = ("+" if up else "-", second_gold, "c")
    choices: list[Choice] = [
        ((f"how many {{t}} / {does % 'q'} / {have % 'q'} / [|in all|altogether]",), second_gold),
        ((f"how many {{t}} / {does % 'r'} / {have % 'r'} / [|in all|altogether]",), third_gold),
    ]
    if draft.chance(0.3):
        facts = facts[::-1]
    tell_world(draft, tuple(facts), choices)


def rows(draft: Draft) -> None:
    """Rows of plants or seats, some of which fall out or are added."""
    scene = draft.pick(
        [
            scene
            for scene in scenes()
            if scene.name in ("flowers", "vegetables", "fruit", "crafts", "baking", "hardware")
        ]
    )
    open_world(draft, "array", scene)
    n, s = draft.between(2, 12), draft.between(2, 16)
    d = draft.rng.randint(1, n * s - 1)
    draft.slots["b"] = Thing("row", "rows")
    draft.amount("n", n, draft.slots["b"])  # type: ignore[arg-type]
    draft.amount("s", s)
    draft.amount("d", d)
    draft.act("v", scene.go)
    lay = (
        "planted"
        if scene.name in ("flowers", "vegetables")
        else draft.pick(("laid out", "arranged", "set out"))
    )
    draft.set(lay=lay)
    gain = draft.chance(0.4)
    start = draft.pick(
        (
            ("{p~} {lay} {N} of {t} with {s} in each row",),
            ("{p~} {lay} {t} in {N}", "there were {S} in each row"),
            ("there were {N} of {t}", "every row had {s}"),
        )
    )
    if gain:
        event = draft.pick(("{p~} added {D.more}", "{p~} put {D.more} beside them"))
        choices: list[Choice] = [
            (("how many {t} are there [now|in all|altogether|] / / /",), ("+", ("*", "n", "s"), "d")),
            (("how many {t} were there [at first|before|in the rows] / / /",), ("*", "n", "s")),
        ]
    else:
        event = draft.pick(("{D.of} {v.go}", "{p~} took {D.of} away", "{p~} sold {D.of}"))
        choices = [
            (
                (
                    "how many {t} are there [now|] / / /",
                    "how many {t} are left / / /",
                    "how many {t} / {do p~} have / {p~} has / [left|now]",
                ),
                ("-", ("*", "n", "s"), "d"),
            ),
            (("how many {t} were there [at first|in the beginning|to start with] / / /",), ("*", "n", "s")),
        ]
    tell_world(draft, (*start, event), choices)


def shares(draft: Draft) -> None:
    """Things shared equally, and what becomes of one share."""
    scene = open_world(draft, "sharing")
    g, s = draft.between(2, 12), draft.between(3, 20)
    c = draft.rng.randint(1, s - 1)
    friend = draft.pick(("friend", "cousin", "student", "child", "teammate", "neighbor", "classmate"))
    draft.slots["b"] = Thing(friend, plural(friend))
    draft.amount("g", g, draft.slots["b"])  # type: ignore[arg-type]
    draft.amount("w", g * s)
    draft.amount("c", c)
    draft.act("v", scene.lose)
    start = draft.pick(
        (
            ("{p~} shared {W} equally among {G}",),
            ("{p~} had {W}", "{p~} divided {t.them} equally among {G}"),
            ("{G} shared {W} equally",),
            ("{W} were handed out to {G}, the same number to each",),
        )
    )
    if draft.chance(0.5):
        event = "each {b.one} {v.past} {C.of}"
        last: Choice = (
            (
                "how many {t} / does each {b.one} have / each {b.one} has / [left|now|]",
                "how many {t} / did each {b.one} have / each {b.one} had / left",
            ),
            ("-", ("/", "w", "g"), "c"),
        )
    else:
        event = draft.pick(("each {b.one} already had {C}", "then {p} gave each of them {C.more}"))
        last = (
            ("how many {t} / does each {b.one} have / each {b.one} has / [now|in all|altogether]",),
            ("+", ("/", "w", "g"), "c"),
        )
    tell_world(
        draft,
        (*start, event),
        [
            last,
            (
                (
                    "how many {t} / did each {b.one} get / each {b.one} got / from the [sharing|pile|first share]",
                ),
                ("/", "w", "g"),
            ),
        ],
    )


def scores(draft: Draft) -> None:
    """Rounds of a game, two players or teams."""
    open_world(draft, "compare")
    draft.person("q", roles=False)
    thing = draft.pick(
        (
            Thing("point", "points"),
            Thing("goal", "goals"),
            Thing("run", "runs"),
            Thing("ring", "rings"),
            Thing("star", "stars"),
            Thing("ticket", "tickets"),
        )
    )
    draft.slots["t"] = thing
    a, b = draft.between(3, 60), draft.between(3, 60)
    c = draft.between(3, a + b - 1)
    draft.amount("a", a)
    draft.amount("b", b)
    draft.amount("c", c)
    draft.act("v", ("score", "win", "earn", "get", "make"))
    draft.set(game=draft.pick(("game", "round", "half", "quarter", "inning", "match")))
    facts = draft.pick(
        (
            ("{p~} {v.past} {A} in the first {game} and {B.bare} in the second", "{q} {v.past} {C} in all"),
            (
                "in the first {game}, {p~} {v.past} {A}",
                "in the second {game}, {p~} {v.past} {B}",
                "{q} {v.past} {C} altogether",
            ),
            ("{q} {v.past} {C}", "{p} {v.past} {A} in the first {game} and {B.bare} more in the second one"),
        )
    )
    choices: list[Choice] = [
        (
            (
                "how many {t} / did {p} {v} / {p} {v.past} / [in all|altogether|in total]",
                "what was {p.s} total / / /",
            ),
            ("+", "a", "b"),
        ),
        (
            (
                "how many more {t} / did {p} {v} / {p} {v.past} / than {q}",
                "by how many {t} / did {p} beat {q} / {p} beat {q} /",
            ),
            ("-", ("+", "a", "b"), "c"),
        ),
    ]
    if a != b:
        first, second, gold = (
            ("first", "second", ("-", "a", "b")) if a > b else ("second", "first", ("-", "b", "a"))
        )
        choices.append(
            (
                (
                    f"how many more {{t}} / did {{p}} {{v}} / {{p}} {{v.past}} / in the {first} {{game}} than in the {second}",
                ),
                gold,
            )
        )
    tell_world(draft, facts, choices)


def crates(draft: Draft) -> None:
    """A delivery in two sizes: so many of this, so many of that, so much in each."""
    scene = open_world(draft, "groups")
    n, m, s = draft.between(2, 12), draft.between(2, 12), draft.between(2, 20)
    box = draft.pick(scene.box)
    one, two = draft.rng.sample(words.COLORS, 2)
    base = Thing(box, plural(box))
    first = replace(base, one=f"{one} {base.one}", many=f"{one} {base.many}")
    second = replace(base, one=f"{two} {base.one}", many=f"{two} {base.many}")
    draft.set(b=base, bf=first, bs=second)
    draft.amount("n", n, first)
    draft.amount("m", m, second)
    draft.amount("s", s)
    have = draft.pick(
        (
            "{p~} had {N} and {M}",
            "there were {N} and {M}",
            "{p~} packed {N} and {M}",
            "{p~} bought {N} and {M}",
        )
    )
    each = draft.pick(
        ("each {b.one} held {S}", "there were {S} in every {b.one}", "every {b.one} contained {S}")
    )
    choices: list[Choice] = [
        (
            (
                "how many {b} / did {p} have / {p} had / [in all|altogether|]",
                "how many {b} were there [in all|altogether|] / / /",
            ),
            ("+", "n", "m"),
        ),
        (
            (
                "how many {t} were there [in all|altogether|in total] / / /",
                "how many {t} / did {p} have / {p} had / [in all|altogether|]",
            ),
            ("*", ("+", "n", "m"), "s"),
        ),
        (("how many {t} were in the {bf} / / /",), ("*", "n", "s")),
        (("how many {t} were in the {bs} / / /",), ("*", "m", "s")),
    ]
    if n != m:
        more, fewer, gold = ("bf", "bs", ("-", "n", "m")) if n > m else ("bs", "bf", ("-", "m", "n"))
        choices.append(((f"how many more {{{more}}} than {{{fewer}}} were there / / /",), gold))
    facts = (have, each) if draft.chance(0.6) else (each, have)
    tell_world(draft, facts, choices)


WORLDS: tuple[tuple[Family, float], ...] = (
    (transfer, 1.0), (two_things, 1.0), (boxes, 0.9), (store, 0.8), (stops, 0.8), (reading, 0.9), (saving, 0.8),
    (ladder, 0.7), (rows, 0.7), (shares, 0.7), (scores, 0.6), (crates, 0.8),
)  # fmt: skip
