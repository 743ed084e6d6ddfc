"""More worlds that answer many questions: school, garden, kitchen, work, measures that grow and shrink.

They are told like ``worlds`` and join them.
"""

from __future__ import annotations

from text2math.data.stories import words
from text2math.data.stories.grammar import forms, plural
from text2math.data.stories.parts import size_of
from text2math.data.stories.world import (
    MONEY,
    Action,
    Draft,
    Family,
    Gold,
    Person,
    Phrase,
    Thing,
    another,
    kinds_of,
)
from text2math.data.stories.worlds import Choice, open_world, tell_world

_ALL = "[in all|altogether|in total|]"


def collections(draft: Draft) -> None:
    """Two collections, each in groups of its own."""
    scene = open_world(draft, "groups")
    other = another(draft, scene, "k", draft.thing)
    g, h = draft.between(2, 15), draft.between(2, 15)
    s, r = draft.between(2, 25), draft.between(2, 25)
    draft.amount("a", g * s)
    draft.amount("b", h * r, other)
    draft.count("g", g)
    draft.count("h", h)
    group = draft.pick(("group", "pile", "set", "box", "stack"))
    draft.set(u=Thing(group, plural(group)), spot=draft.pick(scene.spot))
    start = draft.pick(
        (
            "{p~} has {A} and {B} in {p.his} collection",
            "there are {A} and {B} {spot}",
            "{p~} counted {A} and {B}",
        )
    )
    sort = draft.pick(
        (
            "the {t} are [organized|sorted|put] into {g} {u@g} and the {k} into {h} {u@h}",
            "{p~} [organized|sorted] the {t} into {g} equal {u} and the {k} into {h} equal {u}",
            "the {t} make up {g} {u@g} of the same size and the {k} make up {h}",
        )
    )
    choices: list[Choice] = [
        (
            (
                "how big is each {u.one} of {t} / / /",
                "how many {t} are in each {u.one} / / /",
                "how many {t} / does each {u.one} of {t} have / each {u.one} of {t} has /",
            ),
            ("/", "a", "g"),
        ),
        (("how big is each {u.one} of {k} / / /", "how many {k} are in each {u.one} / / /"), ("/", "b", "h")),
        (
            (
                "how many things are there [in all|altogether|] / / /",
                "how many {t} and {k} are there [in all|altogether|] / / /",
            ),
            ("+", "a", "b"),
        ),
        (("how many {u} are there [in all|altogether|] / / /",), ("+", "g", "h")),
    ]
    if g != h:
        first, second, gold = ("t", "k", ("-", "g", "h")) if g > h else ("k", "t", ("-", "h", "g"))
        choices.append(
            ((f"how many more {{u}} of {{{first}}} than {{u}} of {{{second}}} are there / / /",), gold)
        )
    tell_world(draft, (start, sort), choices)


def baskets(draft: Draft) -> None:
    """Every basket holds so many of one sort and so many of another."""
    scene = open_world(draft, "groups")
    first, second = kinds_of(draft, scene, 2)
    draft.set(k=first, j=second)
    n, a, b = draft.between(2, 15), draft.between(2, 20), draft.between(2, 20)
    box = draft.pick(scene.box)
    draft.set(u=Thing(box, plural(box)), spot=draft.pick(scene.spot))
    draft.amount("n", n, Thing(box, plural(box)))
    draft.amount("a", a, first)
    draft.amount("b", b, second)
    facts = draft.pick(
        (
            ("there are {N} of {t}", "each {u.one} has {A} and {B}"),
            ("{p~} filled {N}", "in every {u.one} there are {A} and {B}"),
            ("each of the {N} {spot} has {A} and {B} in it",),
            ("every {u.one} holds {A} and {B}", "{p~} has {N}"),
        )
    )
    choices: list[Choice] = [
        (
            (
                "how many {k} are there " + _ALL + " / / /",
                "how many {k} are in all of the {u} together / / /",
            ),
            ("*", "n", "a"),
        ),
        (
            ("how many {j} are there " + _ALL + " / / /", "how many {j} are in the {u} altogether / / /"),
            ("*", "n", "b"),
        ),
        (
            (
                "how many {t} are in each {u.one} / / /",
                "how many {t} / does one {u.one} hold / one {u.one} holds /",
            ),
            ("+", "a", "b"),
        ),
        (("how many {t} are there " + _ALL + " / / /",), ("*", "n", ("+", "a", "b"))),
    ]
    if a != b:
        more, fewer, gold = ("k", "j", ("-", "a", "b")) if a > b else ("j", "k", ("-", "b", "a"))
        choices.append(((f"how many more {{{more}}} than {{{fewer}}} are in each {{u.one}} / / /",), gold))
    tell_world(draft, facts, choices)


#: What people may choose between.
_OPTIONS = (
    ("pizza", "tacos", "soup", "pancakes", "noodles"), ("the zoo", "the museum", "the beach", "the aquarium"), ("soccer", "chess", "swimming", "tennis", "dancing"),
    ("apples", "grapes", "cherries", "melons"), ("the color blue", "the color red", "the color green"), ("cats", "dogs", "rabbits", "birds"), ("math", "music", "art", "science"),
)  # fmt: skip


def survey(draft: Draft) -> None:
    """Pupils, votes, answers: those who said this and those who said that."""
    open_world(draft, "combine")
    voter = draft.pick(
        ("student", "child", "visitor", "customer", "neighbor", "player", "teacher", "camper", "voter")
    )
    thing = Thing(voter, plural(voter))
    draft.set(t=thing)
    a, b = draft.between(5, 300), draft.between(5, 300)
    draft.amount("a", a)
    draft.amount("b", b)
    draft.amount("w", a + b)
    one, two = draft.rng.sample(draft.pick(_OPTIONS), 2)
    verb = draft.pick(("vote for", "choose", "ask for", "suggest", "prefer", "pick"))
    draft.slots["v"] = Action(forms(verb))
    draft.set(one=one, two=two)
    if draft.chance(0.5):
        facts = draft.pick(
            (
                ("{A} {v.past} {one}", "{B} {v.past} {two}"),
                ("{A} {v.past} {one} and {b} {v.past} {two}",),
                ("in a survey, {A} {v.past} {one} while {b} {v.past} {two}",),
            )
        )
        choices: list[Choice] = [
            (
                (
                    "how many {t} took part [in all|altogether|] / / /",
                    "how many {t} / {v.past} either of them / {v.past} either of them /",
                    "how many {t} were asked [in all|] / / /",
                ),
                ("+", "a", "b"),
            ),
        ]
        if a != b:
            first, second, gold = (
                ("one", "two", ("-", "a", "b")) if a > b else ("two", "one", ("-", "b", "a"))
            )
            choices.append(
                (
                    (
                        f"how many more {{t}} / {{v.past}} {{{first}}} / {{v.past}} {{{first}}} / than {{{second}}}",
                        f"by how many votes / did {{{first}}} win / {{{first}}} won /",
                    ),
                    gold,
                )
            )
    else:
        facts = draft.pick(
            (
                ("{p~} asked {W}", "{A.of} {v.past} {one} and the others {v.past} {two}"),
                ("a total of {W} voted", "{a} of them {v.past} {one} and all the rest {v.past} {two}"),
                ("out of {W}, {a} {v.past} {one}", "everyone else {v.past} {two}"),
            )
        )
        choices = [
            (
                (
                    "how many {t} / {v.past} {two} / {v.past} {two} / [|in all]",
                    "how many / {v.past} {two} / {v.past} {two} /",
                ),
                ("-", "w", "a"),
            )
        ]
    tell_world(draft, facts, choices)


def chapters(draft: Draft) -> None:
    """A book with chapters: pages, days, the same in each or not."""
    open_world(draft, "groups")
    page = draft.pick(
        (
            Thing("page", "pages"),
            Thing("page", "pages"),
            Thing("picture", "pictures"),
            Thing("recipe", "recipes"),
        )
    )
    draft.set(t=page)
    if draft.chance(0.5):
        n, s = draft.between(2, 20), draft.between(4, 60)
        d = draft.between(2, 60)
        draft.count("n", n)
        draft.amount("w", n * s)
        draft.count("d", d)
        facts = draft.pick(
            (
                (
                    "{p~} was reading a book with {n} chapters, each with the same number of {t}",
                    "it has a total of {W}",
                    "it took {p~.him} {d} days to finish it",
                ),
                ("a book has {W} in {n} equal chapters", "{p~} finished it in {d} days"),
                (
                    "{p~} read a book in {d} days",
                    "the book has {n} chapters of the same length and {W} altogether",
                ),
            )
        )
        return tell_world(
            draft,
            facts,
            [
                (
                    (
                        "how many {t} are in each chapter / / /",
                        "how many {t} / does one chapter have / one chapter has /",
                        "how long is each chapter / / /",
                    ),
                    ("/", "w", "n"),
                )
            ],
        )
    a, b = draft.between(5, 90), draft.between(5, 90)
    draft.amount("a", a)
    draft.amount("b", b)
    draft.amount("w", a + b)
    if draft.chance(0.5):
        facts = draft.pick(
            (
                ("a book has two chapters", "the first one has {A} and there are {W} in the whole book"),
                (
                    "the first chapter of {p.s} book is {A} long",
                    "the whole book, which has just a single other chapter, is {W} long",
                ),
            )
        )
        return tell_world(
            draft,
            facts,
            [
                (
                    (
                        "how many {t} are in the second chapter / / /",
                        "how many {t} / does the other chapter have / the other chapter has / [in all|]",
                    ),
                    ("-", "w", "a"),
                )
            ],
        )
    choices: list[Choice] = [
        (
            (
                "how many {t} / does the book have / the book has / [in all|altogether|]",
                "how many {t} are there [in all|altogether|] / / /",
            ),
            ("+", "a", "b"),
        )
    ]
    if a != b:
        first, second, gold = (
            ("first", "second", ("-", "a", "b")) if a > b else ("second", "first", ("-", "b", "a"))
        )
        choices.append(
            (
                (
                    f"how many more {{t}} / does the {first} chapter have / the {first} chapter has / than the {second}",
                ),
                gold,
            )
        )
    return tell_world(
        draft, ("{p.s} book has two chapters", "the first chapter has {A} and the second has {B}"), choices
    )


_GROWING = (
    ("{p.s} hair", "inch", "grew", "cut off"), ("{p.s} plant", "centimeter", "grew", "trimmed off"), ("the candle", "inch", "stretched", "burned off"), ("the grass", "inch", "grew", "mowed off"),
    ("{p.s} beanstalk", "inch", "grew", "snipped off"), ("the snow", "inch", "rose", "shoveled off"), ("the icicle", "centimeter", "grew", "broke off"), ("the ribbon", "foot", "was made longer by", "cut off"),
    ("{p.s} scarf", "inch", "was made longer by", "cut off"), ("the tower of cards", "inch", "rose", "knocked off"),
)  # fmt: skip


def growing(draft: Draft) -> None:
    """Something long or deep that grows or is cut."""
    open_world(draft, "change")
    what, unit, grew, cut = draft.pick([row for row in _GROWING if row[0] != "the candle"])
    thing = Thing(unit, plural(unit))
    draft.set(t=thing, grew=grew, cut=cut)
    draft.slots["what"] = Phrase(what)
    adjective = (
        "deep" if "snow" in what else draft.pick(("long", "long", "tall")) if "hair" not in what else "long"
    )
    draft.set(adj=adjective)
    a = draft.between(5, 60)
    b = draft.rng.randint(1, a - 1)
    c = draft.between(1, 30)
    draft.amount("a", a)
    draft.amount("b", b)
    draft.amount("c", c)
    start = "{what} was {A} {adj}"
    shrink, grow = "{p} {cut} {B}", "it {grew} {C}"
    if draft.chance(0.5):
        facts: tuple[str, ...] = (start, shrink) if draft.chance(0.5) else (start, grow)
        gold: Gold = ("-", "a", "b") if facts[1] == shrink else ("+", "a", "c")
        return tell_world(
            draft,
            facts,
            [
                (
                    (
                        "how {adj} is {what} now / / /",
                        "how {adj} / was {what} / {what} was / [after that|in the end]",
                        "how many {t} {adj} is it now / / /",
                    ),
                    gold,
                )
            ],
        )
    facts = draft.pick(((start, shrink, grow), (start, grow, shrink)))
    return tell_world(
        draft,
        facts,
        [
            (
                ("how {adj} is {what} now / / /", "how many {t} {adj} is it now / / /"),
                ("+", ("-", "a", "b"), "c"),
            ),
        ],
    )


def wages(draft: Draft) -> None:
    """So much earned and so much paid each week, for so many weeks."""
    open_world(draft, "rate")
    draft.set(t=MONEY)
    e = draft.between(12, 500)
    r = draft.rng.randint(2, e - 1)
    n = draft.between(2, 30)
    draft.money("e", e)
    draft.money("r", r)
    time = draft.pick(("week", "week", "day", "month"))
    draft.set(
        h=Thing(time, plural(time)),
        time=time,
        cost=draft.pick(("rent", "food", "bus tickets", "lessons", "gas", "supplies")),
    )
    draft.amount("n", n, Thing(time, plural(time)))
    facts = draft.pick(
        (
            ("{p~} earns {E} every {time} and pays {R} for {cost} each {time}", "{p~} does this for {N}"),
            ("every {time}, {p~} makes {E} and spends {R} of it on {cost}", "this goes on for {N}"),
            ("{p~} worked for {N}, earning {E} and paying {R} for {cost} each {time}",),
        )
    )
    tell_world(
        draft,
        facts,
        [
            (
                (
                    "how much [money|] / {do p~} keep / {p~} keeps / each {time}",
                    "how much [money|] is left each {time} / / /",
                ),
                ("-", "e", "r"),
            ),
            (
                ("how much [money|] / does {p} earn / {p} earns / [in all|altogether|in that time]",),
                ("*", "e", "n"),
            ),
            (
                ("how much [money|] / does {p} pay / {p} pays / for {cost} [in all|altogether|]",),
                ("*", "r", "n"),
            ),
            (
                (
                    "how much [money|] / does {p} have / {p} has / at the end",
                    "how much [money|] / does {p} keep / {p} keeps / [in all|altogether]",
                ),
                ("*", ("-", "e", "r"), "n"),
            ),
        ],
    )


def school(draft: Draft) -> None:
    """Girls and boys, teachers and classes: how many, how many more, how many in each class."""
    open_world(draft, "combine")
    one, two, both = draft.pick(
        (
            ("girl", "boy", "children"),
            ("boy", "girl", "students"),
            ("student", "teacher", "people"),
            ("adult", "child", "people"),
            ("player", "fan", "people"),
            ("cat", "dog", "animals"),
            ("cow", "horse", "animals"),
            ("pine tree", "oak tree", "trees"),
            ("car", "truck", "vehicles"),
            ("chair", "table", "pieces of furniture"),
        )
    )
    first, second = Thing(one, plural(one)), Thing(two, plural(two))
    draft.set(t=first, k=second, both=both)
    places = {
        "cat": "at the shelter",
        "cow": "on the farm",
        "pine tree": "in the park",
        "car": "on the lot",
        "chair": "in the store",
    }
    place = places.get(one) or draft.pick(
        (
            "in a school",
            "at the game",
            "at the concert",
            "in the club",
            "at the fair",
            "in the theater",
            "at the pool",
        )
    )
    draft.set(place=place)
    a, b = draft.between(4, 400), draft.between(4, 400)
    draft.amount("a", a, first)
    draft.amount("b", b, second)
    facts = draft.pick(
        (
            ("{place} there are {A} and {B}",),
            ("there are {A} {place}", "there are {B} {place}"),
            ("{A} and {B} are {place}",),
            ("{p~} counted {A} and {B} {place}",),
        )
    )
    choices: list[Choice] = [
        (
            (
                "how many {both} are there {place} [in all|altogether|] / / /",
                "how many {both} are there [in all|altogether|] / / /",
                "what is the total number of {both} / / /",
            ),
            ("+", "a", "b"),
        ),
    ]
    if a != b:
        more, fewer, gold = ("t", "k", ("-", "a", "b")) if a > b else ("k", "t", ("-", "b", "a"))
        choices.append(
            (
                (
                    f"how many more {{{more}}} than {{{fewer}}} are there / / /",
                    f"how many fewer {{{fewer}}} are there than {{{more}}} / / /",
                ),
                gold,
            )
        )
    if draft.chance(0.5):
        c = draft.between(2, 60)
        draft.amount("c", c, first)
        facts = (*facts, draft.pick(("{C.more} {join}", "then {C.more} {join}")))
        draft.set(join="arrived" if one not in ("pine tree", "chair") else "were brought in")
        choices.append(
            (
                ("how many {t} are there now / / /", "how many {t} are {place} [now|in all|] / / /"),
                ("+", "a", "c"),
            )
        )
        choices.append((("how many {both} are there now [in all|] / / /",), ("+", ("+", "a", "b"), "c")))
        choices.pop(0)
        if a != b:
            choices[0] = (
                (
                    f"how many more {{{more}}} than {{{fewer}}} were there [at first|before|in the beginning] / / /",
                ),
                gold,
            )
    tell_world(draft, facts, choices)


def deleting(draft: Draft) -> None:
    """Two sorts before and after: how many of one went or came."""
    scene = open_world(draft, "change")
    if draft.chance(0.5):
        other = another(draft, scene, "k", draft.thing)
        thing = draft.thing
    else:
        thing, other = kinds_of(draft, scene, 2)
    draft.set(t=thing, k=other)
    low, high = size_of(draft, scene)
    a, b = draft.between(low + 3, high + 4), draft.between(low + 3, high + 4)
    c, d = draft.rng.randint(1, a - 1), draft.rng.randint(1, b - 1)
    draft.amount("a", a, thing)
    draft.amount("b", b, other)
    draft.amount("c", c, thing)
    draft.amount("d", d, other)
    draft.act("v", scene.lose)
    facts = draft.pick(
        (
            ("{p~} had {A} and {B}", "after {p.he} {v.past} some of them, {p.he} had {C} and {D} left"),
            ("there were {A} and {B}", "{p~} {v.past} some", "now there are {C} and {D} left"),
            ("{p~} started with {A} and {B} and ended up with {C} and {D}",),
        )
    )
    choices: list[Choice] = [
        (
            ("how many {t} / did {p~} {v} / {p~} {v.past} / [|in all]", "how many {t} are gone / / /"),
            ("-", "a", "c"),
        ),
        (
            ("how many {k} / did {p~} {v} / {p~} {v.past} / [|in all]", "how many {k} are gone / / /"),
            ("-", "b", "d"),
        ),
        (("how many {t} and {k} / {do p~} have / {p~} has / [now|left|in all]",), ("+", "c", "d")),
        (
            ("how many {t} and {k} / did {p~} have / {p~} had / [at first|in the beginning|to start with]",),
            ("+", "a", "b"),
        ),
    ]
    if c != d:
        more, fewer, gold = ("t", "k", ("-", "c", "d")) if c > d else ("k", "t", ("-", "d", "c"))
        choices.append(
            ((f"how many more {{{more}}} than {{{fewer}}} / {{do p~}} have / {{p~}} has / [now|left]",), gold)
        )
    tell_world(draft, facts, choices)


def equal_gifts(draft: Draft) -> None:
    """So many left after giving the same to each of some friends."""
    scene = open_world(draft, "sharing")
    g, s, left = draft.between(2, 10), draft.between(2, 15), draft.between(2, 30)
    friend = draft.pick(("friend", "cousin", "neighbor", "classmate", "teammate"))
    draft.set(u=Thing(friend, plural(friend)))
    draft.amount("a", g * s + left)
    draft.amount("b", left)
    draft.amount("g", g, Thing(friend, plural(friend)))
    draft.act("v", scene.lose)
    facts = draft.pick(
        (
            ("{p~} had {A}", "{p~} has {B} left after {p.he} gave the same number to each of {p.his} {G}"),
            ("{p~} had {A} and kept {B.bare} of them", "the rest went to {G} in equal shares"),
            ("after giving equal numbers of {t} to {G}, {p~} has {B} left", "{p~} had {A} before"),
        )
    )
    last: Gold = ("/", ("-", "a", "b"), "g")
    choices: list[Choice] = [
        (("how many {t} / did {p~} give away / {p~} gave away / [in all|altogether|]",), ("-", "a", "b")),
    ]
    if not facts[0].startswith("after"):
        choices.append((("how many {t} / did each {u.one} get / each {u.one} got / [|in all]",), last))
    tell_world(draft, facts, choices)


def hours(draft: Draft) -> None:
    """So many a day, so many days a week, so many weeks."""
    open_world(draft, "rate")
    verb, noun, low, high = draft.pick(words.WORK)
    draft.set(t=Thing(noun, plural(noun)))
    draft.slots["v"] = Action(forms(verb))
    r, d, w = draft.between(low, high), draft.rng.randint(2, 6), draft.between(2, 9)
    draft.amount("r", r)
    draft.count("d", d)
    draft.count("w", w)
    facts = draft.pick(
        (
            ("{p~} {v.s} {R} a day", "{p~} works {d} days a week for {w} weeks"),
            ("for {w} weeks, {p~} worked {d} days every week", "each day {p.he} {v.past} {R}"),
            ("{p~} can {v} {R} in a day", "{p~} works {d} days each week"),
        )
    )
    choices: list[Choice] = [
        (("how many {t} / does {p~} {v} / {p~} {v.s} / [each|in a|every] week",), ("*", "r", "d"))
    ]
    if "{w}" in "".join(facts):
        choices.append(
            (
                (
                    "how many days / did {p~} work / {p~} worked / [in all|altogether]",
                    "how many days is that [in all|] / / /",
                ),
                ("*", "d", "w"),
            )
        )
        choices.append(
            (
                ("how many {t} / did {p~} {v} / {p~} {v.past} / [in all|altogether]",),
                ("*", ("*", "r", "d"), "w"),
            )
        )
    tell_world(draft, facts, choices)


def spending(draft: Draft) -> None:
    """Money spent on two things, and what is left or was there."""
    open_world(draft, "money")
    draft.set(t=MONEY)
    one, two = draft.rng.sample([good for good in words.GOODS if good[2] <= 120], 2)
    a, b, c = draft.between(one[1], one[2]), draft.between(two[1], two[2]), draft.between(2, 90)
    draft.money("a", a)
    draft.money("b", b)
    draft.money("c", c)
    draft.set(g=one[0], h=two[0])
    spent = draft.pick(
        (
            ("{p~} spent {A} on {an}{g} and {B} on {an}{h}",),
            ("{p~} bought {an}{g} for {A}", "then {p~} bought {an}{h} for {B}"),
            ("{p~} paid {A} for {an}{g} and {B} for {an}{h}",),
        )
    )
    choices: list[Choice] = [
        (
            (
                "how much [money|] / did {p~} spend / {p~} spent / [in all|altogether|]",
                "how much / did the {g} and the {h} cost / the {g} and the {h} cost / [together|]",
            ),
            ("+", "a", "b"),
        )
    ]
    if a != b:
        more, fewer, gold = ("g", "h", ("-", "a", "b")) if a > b else ("h", "g", ("-", "b", "a"))
        choices.append(
            (
                (
                    f"how much more / did the {{{more}}} cost / the {{{more}}} cost / than the {{{fewer}}}",
                    f"how much more [money|] / did {{p~}} spend / {{p~}} spent / on the {{{more}}} than on the {{{fewer}}}",
                ),
                gold,
            )
        )
    if draft.chance(0.5):
        choices.append(
            (
                (
                    "how much [money|] / did {p~} have / {p~} had / [at first|before|to start with|before {p.he} went shopping]",
                ),
                ("+", ("+", "a", "b"), "c"),
            )
        )
        return tell_world(
            draft, (*spent, draft.pick(("now {p~} has {C} [left|]", "{p~} has {C} left"))), choices
        )
    draft.money("w", a + b + c)
    choices.append(
        (
            (
                "how much [money|] / does {p~} have / {p~} has / [left|now]",
                "how much change / did {p~} get / {p~} got / [in all|]",
            ),
            ("-", "w", ("+", "a", "b")),
        )
    )
    return tell_world(
        draft,
        (draft.pick(("{p~} had {W}", "{p~} went shopping with {W}", "{p~} saved {W}")), *spent),
        choices,
    )


def jumping(draft: Draft) -> None:
    """Three who jump, throw, run, climb: so much farther than the one before."""
    open_world(draft, "compare")
    draft.person("q", roles=False)
    draft.person("r", roles=False)
    animals_jump = draft.chance(0.4)
    if animals_jump:
        animals = draft.rng.sample(
            ("frog", "grasshopper", "mouse", "rabbit", "cricket", "kangaroo", "squirrel", "toad"), 3
        )
        for slot, animal in zip("pqr", animals, strict=True):
            draft.slots[slot] = Person(f"the {animal}", "it", "it", "its")
    verb, more, less, unit = draft.pick(
        (
            ("jump", "farther", "less far", "inch"),
            ("jump", "higher", "lower", "inch"),
            ("run", "farther", "less far", "mile"),
            ("throw a ball", "farther", "less far", "yard"),
            ("climb", "higher", "lower", "foot"),
            ("swim", "farther", "less far", "meter"),
        )
    )
    if animals_jump:
        verb, more, less, unit = "jump", "farther", "less far", "inch"
    draft.slots["v"] = Action(forms(verb))
    draft.set(t=Thing(unit, plural(unit)), more=more, less=less)
    a, b, c = draft.between(5, 60), draft.between(1, 30), draft.between(1, 30)
    up = draft.chance(0.6)
    if not up:
        c = draft.rng.randint(1, a + b - 1)
    draft.amount("a", a)
    draft.amount("b", b)
    draft.amount("c", c)
    facts = (
        "{p} {v.past} {A}",
        "{q} {v.past} {B} {more} than {p}",
        "{r} {v.past} {C} {more} than {q}" if up else "{r} {v.past} {C} {less} than {q}",
    )
    choices: list[Choice] = [
        (
            (
                "how many {t} / did {q} {v} / {q} {v.past} /",
                "how far / did {q} {v} / {q} {v.past} /"
                if more == "farther"
                else "how high / did {q} {v} / {q} {v.past} /",
            ),
            ("+", "a", "b"),
        ),
        (
            (
                "how many {t} / did {r} {v} / {r} {v.past} /",
                "how far / did {r} {v} / {r} {v.past} /"
                if more == "farther"
                else "how high / did {r} {v} / {r} {v.past} /",
            ),
            ("+" if up else "-", ("+", "a", "b"), "c"),
        ),
    ]
    if up:
        choices.append(
            (
                (
                    "how much {more} / did {r} {v} / {r} {v.past} / than {p}",
                    "how many {t} {more} / did {r} {v} / {r} {v.past} / than {p}",
                ),
                ("+", "b", "c"),
            )
        )
    tell_world(draft, facts, choices)


SITUATIONS: tuple[tuple[Family, float], ...] = (
    (collections, 0.8), (baskets, 0.8), (survey, 0.6), (chapters, 0.6), (growing, 0.5), (wages, 0.6), (school, 0.8), (deleting, 0.8),
    (equal_gifts, 0.5), (hours, 0.6), (spending, 0.8), (jumping, 0.7),
)  # fmt: skip
