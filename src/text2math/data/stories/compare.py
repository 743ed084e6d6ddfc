"""Compare: two amounts and their difference or ratio; more, fewer, longer, older, as many; and how to make them equal."""

from __future__ import annotations

from fractions import Fraction

from text2math.data.stories import words
from text2math.data.stories.grammar import in_words, plural
from text2math.data.stories.parts import measure, size_of, told
from text2math.data.stories.world import MONEY, Draft, Fact, Phrase, Thing, ask


def owners(draft: Draft) -> None:
    """Two people's amounts: the difference, the larger, or the smaller."""
    relations: tuple[str, ...]
    scene = draft.scene(mass=0.1, money=0.12)
    draft.tense = draft.pick(("past", "present", "present"))
    draft.person("p")
    draft.person("q", roles=False)
    draft.act("v", scene.make or scene.gain)
    low, high = size_of(draft, scene)
    big = measure(draft, scene, low + 3, high + 3)
    small = _below(draft, big)
    owns = draft.chance(0.6)
    verb = "%have" if owns else "%$v"
    if not owns:
        draft.tense = "past"
    do_q = "{do q} have" if owns else "did {q} {v}"
    q_do = "{q+have}" if owns else "{q} {v.past}"
    do_p = "{do p} have" if owns else "did {p} {v}"
    p_do = "{p+have}" if owns else "{p} {v.past}"
    aux = "does" if draft.tense == "present" else "did"
    draft.set(aux=aux)
    draft.kind = "compare"
    draft.spare = ["age", "date", "other_thing", "third_person"]
    mass = draft.thing.kind != "count"
    fewer = "less" if mass else draft.pick(("fewer", "fewer", "less"))
    draft.set(fewer=fewer)
    asked = draft.pick(("difference", "other", "other", "other", "inverse", "inverse", "equal"))
    if asked == "difference":
        a, b = told(draft, "a", big, scene), told(draft, "b", small, scene)
        one, two = f"{{p+{verb}}} {{A}}", f"{{q+{verb}}} {{B}}"
        pairs = (
            [one, two],
            [f"{one} and {{q}} {{B.bare}}"],
            [f"{{p+{verb}}} {{A}} while {{q+{verb}}} [only|] {{B.bare}}"],
            [two, one],
        )
        draft.facts = [Fact(text) for text in draft.pick(pairs)]
        draft.gold = ("-", a, b)
        draft.movable = True
        more = "how much more {t.stuff}" if mass else "how many more {t}"
        less = "how much less {t.stuff}" if mass else "how many {fewer} {t}"
        draft.question = ask(
            draft.pick(
                (
                    f"{more} / {do_p} / {p_do} / than {{q}} [{{aux}}|]",
                    f"{less} / {do_q} / {q_do} / than {{p}} [{{aux}}|]",
                    f"{more} than {{q}} / {do_p} / {p_do} /",
                    "what is the difference between their [amounts|numbers] of {t.stuff} / / /",
                    f"{more} / {do_p} / {p_do} / compared [to|with] {{q}}",
                )
            )
        )
        return
    difference = big - small
    if asked == "equal":
        a, b = told(draft, "a", big, scene), told(draft, "b", small, scene)
        draft.facts = [Fact("{p+%have} {A}"), Fact("{q+%have} {B}")]
        draft.movable = True
        draft.gold = ("-", a, b)
        stuff = "how much more {t.stuff}" if mass else "how many more {t}"
        draft.question = ask(
            draft.pick(
                (
                    f"{stuff} / {{do q}} need / {{q+need}} / to have as [{'much' if mass else 'many'}] as {{p}}",
                    f"{stuff} / must {{q}} get / {{q}} must get / to catch up with {{p}}",
                    f"{stuff} / {{do q}} need / {{q+need}} / to have the same amount as {{p}}",
                    "{t.how} / should {p} give up / {p} should give up / to have the same as {q}",
                )
            )
        )
        if draft.chance(0.5):
            draft.facts = [Fact("{q+%have} {B}"), Fact("{q~+want} [to have|] {A} [in all|altogether|]")]
            draft.question = ask(
                f"{stuff} / {{do q~}} need / {{q~+need}} / [to get there|to reach {{q.his}} goal|]"
            )
            draft.movable = False
        return
    p_bigger = draft.chance(0.5)
    base, result = (small, big) if p_bigger else (big, small)
    d = told(draft, "d", difference, scene)
    amount = "{D.bare}"
    word = "more" if p_bigger else "{fewer}"
    noun = "" if draft.thing.kind == "money" else "{t.stuff}"
    if asked == "other":  # q's amount known, p compared with q
        b = told(draft, "b", base, scene)
        known = f"{{q+{verb}}} {{B}}"
        relations = (
            f"{{p+{verb}}} {amount} {word} [{noun}|] than {{q}} [{{aux}}|]",
            f"{{p+{verb}}} {amount} {word} than that",
            f"{{p+{verb}}} {amount} {word} {noun} than {{q}}",
            f"{{q+{verb}}} {amount} {'{fewer}' if p_bigger else 'more'} {noun} than {{p}}",
            f"compared [to|with] {{q}}, {{p+{verb}}} {amount} {word} {noun}",
        )
        draft.facts = [Fact(known), Fact(draft.pick(relations))]
        if draft.chance(0.2):
            draft.facts = [
                Fact(
                    f"{{p+{verb}}} {amount} {word} {noun} than {{q}}, who {'has' if owns else '{v.past}'} {{B.bare}}"
                )
            ]
            draft.tense = "present" if owns else draft.tense
        draft.gold = ("+" if p_bigger else "-", b, d)
        draft.movable = len(draft.facts) > 1 and "than that" not in draft.facts[1].text
        draft.asks(
            (
                f"{{t.how}} / {do_p} / {p_do} / [|in all|altogether]",
                f"what is the number of {{t}} {p_do} / / /",
            )
        )
        if draft.chance(0.25):
            # both together: one more step, the known amount stands twice in the story's sum only if told twice
            draft.question = ask(f"{{t.how}} / {do_p} / {p_do} / [in all|altogether|now|]")
        return
    b = told(draft, "b", result, scene)  # p's amount known and compared with q: ask q
    relations = (
        f"{{p+{verb}}} {{B}}, which is {amount} {word} than {{q}} {'has' if owns else '{v.past}'}",
        f"{{p+{verb}}} {{B}}. {{p.he}} {'has' if owns else '{v.past}'} {amount} {word} {noun} than {{q}}",
        f"{{p+{verb}}} {{B}}. that is {amount} {word} than {{q}}",
        f"with {{B}}, {{p}} {'has' if owns else '{v.past}'} {amount} {word} than {{q}}",
    )
    draft.facts = [
        Fact(draft.pick(relations if not (mass or scene.name == "money") else relations[:3]), loose=False)
    ]
    if draft.tense == "past" and owns:
        draft.tense = "present"
    draft.gold = ("-" if p_bigger else "+", b, d)
    draft.question = ask(f"{{t.how}} / {do_q} / {q_do} / [|in all|altogether]")


def _below(draft: Draft, value: Fraction) -> Fraction:
    if value.denominator == 1:
        return Fraction(draft.rng.randint(1, max(1, int(value) - 1)))
    step = Fraction(1, value.denominator)
    return step * draft.rng.randint(1, max(1, int(value / step) - 1))


# Dimensions: what is compared, how it is said, units, least and most, and whether decimals fit.
_DIMENSIONS: tuple[tuple[str, str, str, str, str, str, int, int, bool], ...] = (
    ("rope", "long", "longer", "shorter", "foot meter yard inch", "length", 3, 90, True),
    ("ribbon", "long", "longer", "shorter", "inch centimeter foot", "length", 5, 90, True),
    ("pencil", "long", "longer", "shorter", "inch centimeter", "length", 2, 20, True),
    ("snake", "long", "longer", "shorter", "foot inch meter", "length", 2, 40, True),
    ("river", "long", "longer", "shorter", "mile kilometer", "length", 20, 900, False),
    ("bridge", "long", "longer", "shorter", "meter foot", "length", 60, 2500, False),
    ("worm", "long", "longer", "shorter", "inch centimeter", "length", 1, 12, True),
    ("board", "long", "longer", "shorter", "foot inch meter", "length", 2, 60, True),
    ("tree", "tall", "taller", "shorter", "foot meter", "height", 6, 120, True),
    ("building", "tall", "taller", "shorter", "foot meter", "height", 30, 900, False),
    ("tower", "tall", "taller", "shorter", "foot meter", "height", 25, 800, False),
    ("sunflower", "tall", "taller", "shorter", "inch foot centimeter", "height", 4, 90, True),
    ("mountain", "high", "higher", "lower", "meter foot", "height", 800, 9000, False),
    ("snowman", "tall", "taller", "shorter", "foot inch", "height", 3, 70, True),
    ("pumpkin", "heavy", "heavier", "lighter", "pound kilogram", "weight", 3, 90, True),
    ("dog", "heavy", "heavier", "lighter", "pound kilogram", "weight", 6, 110, True),
    ("suitcase", "heavy", "heavier", "lighter", "pound kilogram", "weight", 8, 60, True),
    ("fish", "heavy", "heavier", "lighter", "pound ounce", "weight", 2, 60, True),
    ("box", "heavy", "heavier", "lighter", "pound ounce kilogram", "weight", 2, 80, True),
    ("elephant", "heavy", "heavier", "lighter", "pound kilogram", "weight", 4000, 12000, False),
    ("pool", "deep", "deeper", "shallower", "foot meter", "depth", 3, 20, True),
    ("lake", "deep", "deeper", "shallower", "foot meter", "depth", 12, 400, False),
    ("hole", "deep", "deeper", "shallower", "foot inch", "depth", 2, 60, True),
    ("road", "wide", "wider", "narrower", "foot meter", "width", 8, 90, True),
    ("movie", "long", "longer", "shorter", "minute", "length", 60, 180, False),
    ("book", "thick", "thicker", "thinner", "page", "length", 40, 700, False),
)


def sizes(draft: Draft) -> None:
    """Two things compared in length, height, weight, depth: the difference, or one of them."""
    noun, adjective, more, less, units, name, low, high, decimal = draft.pick(_DIMENSIONS)
    unit = draft.pick(units.split())
    thing = Thing(unit, plural(unit))
    draft.set(t=thing)
    big = (
        Fraction(draft.between(low + 1, high))
        if not decimal or draft.chance(0.5)
        else Fraction(draft.between(low * 10 + 5, high * 10), 10)
    )
    if draft.style == "fraction" and decimal:
        big = Fraction(draft.between(low * 4 + 3, high * 4), 4)
    small = (
        max(_below(draft, big), Fraction(1, 10))
        if low < 20
        else Fraction(draft.rng.randint(low, max(low, int(big) - 1)))
    )
    if small >= big:
        big = small + 2
    first, second = _two(draft, noun)
    draft.set(one=first, two=second, adj=adjective, more=more, less=less, name=name)
    heavy = adjective == "heavy"
    thick = adjective == "thick"
    is_a = "weighs {A}" if heavy else "has {A}" if thick else "is {A} {adj}"
    is_b = "weighs {B}" if heavy else "has {B}" if thick else "is {B} {adj}"
    past = draft.chance(0.3)
    if past:
        is_a, is_b = (
            text.replace("weighs", "weighed").replace("has ", "had ").replace("is ", "was ")
            for text in (is_a, is_b)
        )
    be = "was" if past else "is"
    draft.kind = "compare"
    draft.spare = ["date"]
    if draft.chance(0.25):
        draft.amount("a", big)
        draft.amount("b", small)
        draft.facts = [Fact(f"{{one}} {is_a}"), Fact(f"{{two}} {is_b}")]
        draft.movable = True
        draft.gold = ("-", "a", "b")
        questions = [
            "how much {more} is {one} than {two} / / /",
            "how many {t} {more} is {one} than {two} / / /",
            "how much {less} is {two} than {one} / / /",
            "by how many {t} is {one} {more} than {two} / / /",
            "what is the difference in {name} between {one} and {two} / / /"
            if not thick
            else "how many more {t} are in {one} than in {two} / / /",
        ]
        if thick:
            questions = ["how many more {t} / does {one} have / {one} has / than {two}", questions[-1]]
        draft.asks(questions)
        return
    flip = draft.chance(0.5)
    difference = big - small
    draft.amount("d", difference)
    what = "how heavy" if heavy else "how many pages" if thick else "how {adj}"
    comparative = "{D} {more}" if not heavy or draft.chance(0.6) else "{D} more"
    lesser = "{D} {less}" if not heavy or draft.chance(0.6) else "{D} less"
    if thick:
        comparative, lesser = "{d} more pages", "{d} fewer pages"
    verb = "weighs" if comparative.endswith("} more") else "has" if thick else be
    verb_less = "weighs" if lesser.endswith("less") and not lesser.endswith("}") else "has" if thick else be
    asks = f"{what} {'does {one} have' if thick else f'{be} {{one}}'} / / /"
    inverse = draft.chance(0.4)
    if not flip:  # two known (small), one is more -> big
        draft.amount("b", small)
        draft.facts = [Fact(f"{{two}} {is_b}"), Fact(f"{{one}} {verb} {comparative} than {{two}}")]
        if inverse:
            draft.facts[1] = Fact(f"{{two}} {verb_less} {lesser} than {{one}}")
        draft.gold = ("+", "b", "d")
    else:
        draft.amount("b", big)
        draft.facts = [Fact(f"{{two}} {is_b}"), Fact(f"{{one}} {verb_less} {lesser} than {{two}}")]
        if inverse:
            draft.facts[1] = Fact(f"{{two}} {verb} {comparative} than {{one}}")
        draft.gold = ("-", "b", "d")
    draft.movable = True
    draft.question = ask(draft.pick((asks, asks, "what is the {name} of {one} / / /")) if not thick else asks)


def _two(draft: Draft, noun: str) -> tuple[str, str]:
    """Two of the same noun, told apart."""
    one, two = draft.rng.sample(words.COLORS, 2)
    girl, boy = draft.pick(words.GIRLS), draft.pick(words.BOYS)
    towns = draft.rng.sample(words.TOWNS, 2)
    options = [
        (f"the {one} {noun}", f"the {two} {noun}"),
        (f"{girl}'s {noun}", f"{boy}'s {noun}"),
        (f"the first {noun}", f"the second {noun}"),
        (f"the new {noun}", f"the old {noun}"),
        (f"{boy}'s {noun}", f"{girl}'s"),
    ]
    if noun in ("river", "bridge", "tower", "building", "lake", "road", "mountain"):
        options = [(f"the {noun} in {towns[0]}", f"the {noun} in {towns[1]}"), options[2], options[3]]
    if noun in ("elephant", "fish", "snake", "worm", "movie"):
        options = [options[1], options[2]]
    return draft.pick(options)


def ages(draft: Draft) -> None:
    """How old people are, were, or will be."""
    draft.set(t=Thing("year", "years"))
    draft.person("p", roles=False)
    draft.person("q", roles=False)
    old = draft.between(8, 60)
    young = draft.rng.randint(3, old - 2)
    draft.count("a", old)
    draft.count("b", young)
    draft.count("d", old - young)
    draft.amount("d", old - young)
    draft.tense = "present"
    draft.kind = "compare"
    draft.spare = ["date", "other_thing"]
    match draft.rng.randint(0, 4):
        case 0:
            draft.facts = [Fact("{p} is {a} [years old|]"), Fact("{q} is {b} [years old|]")]
            draft.gold = ("-", "a", "b")
            draft.movable = True
            draft.question = ask(
                draft.pick(
                    (
                        "how many years older is {p} than {q} / / /",
                        "how much older than {q} is {p} / / /",
                        "how many years younger is {q} / / /",
                        "what is the difference in their ages / / /",
                        "how old was {p} / / / when {q} was born",
                    )
                )
            )
        case 1:
            draft.facts = [Fact("{q} is {b} years old"), Fact("{p} is {D} older [than {q}|]")]
            if draft.chance(0.4):
                draft.facts[1] = Fact("{q} is {D} younger than {p}")
            draft.gold = ("+", "b", "d")
            draft.asks(("how old is {p} / / /", "what is {p.s} age / / /", "how old must {p} be / / /"))
        case 2:
            draft.facts = [Fact("{p} is {a} years old"), Fact("{q} is {D} younger [than {p}|]")]
            if draft.chance(0.4):
                draft.facts[1] = Fact("{p} is {D} older than {q}")
            draft.gold = ("-", "a", "d")
            draft.asks(("how old is {q} / / /", "what is {q.s} age [now|] / / /"))
        case 3:
            future = draft.between(2, 20)
            draft.amount("c", future)
            draft.facts = [
                Fact(
                    draft.pick(
                        (
                            "{p} is {a} [years old|] now",
                            "{p} turned {a} [this year|today|]",
                            "this year {p} is {a} years old",
                        )
                    )
                )
            ]
            draft.gold = ("+", "a", "c")
            draft.question = ask("how old will {p~} be / / / [in {C}|{C} from now|after {C}]")
            draft.spare = ["other_age"]
        case _:
            past = draft.rng.randint(2, old - 2)
            draft.amount("c", past)
            draft.facts = [
                Fact(draft.pick(("{p} is {a} years old [now|today|]", "today {p} is {a} [years old|]")))
            ]
            draft.gold = ("-", "a", "c")
            draft.question = ask("how old was {p~} / / / {C} ago")
            draft.spare = ["other_age"]


_TIMES_WORDS = {
    2: ("twice", "two times", "double"),
    3: ("three times", "triple"),
    4: ("four times",),
    5: ("five times",),
}


def times_word(draft: Draft, key: str, factor: int) -> str:
    """A multiplier in slot ``key``: "twice" or "3 times"; gives back the template that says it."""
    if factor == 2 and draft.chance(0.7):
        draft.count(key, 2, "twice")
        return f"{{{key}}}"
    draft.count(key, factor, in_words(factor) if factor <= 12 and draft.chance(0.5) else "")
    return f"{{{key}}} times"


def scaling(draft: Draft) -> None:
    """Times as many: the larger, the smaller, or how many times."""
    scene = draft.scene(mass=0.1, money=0.1)
    draft.tense = draft.pick(("past", "present"))
    draft.person("p")
    draft.person("q", roles=False)
    draft.act("v", scene.make or scene.gain)
    low, high = size_of(draft, scene)
    factor = draft.pick((2, 2, 2, 3, 3, 4, 5, 6, 7, 8, 10))
    small = draft.between(max(2, low // 2), max(3, high // factor))
    big = small * factor
    owns = draft.chance(0.5)
    verb = "%have" if owns else "%$v"
    if not owns:
        draft.tense = "past"
    do_q, q_do = ("{do q} have", "{q+have}") if owns else ("did {q} {v}", "{q} {v.past}")
    do_p, p_do = ("{do p} have", "{p+have}") if owns else ("did {p} {v}", "{p} {v.past}")
    many = "much" if draft.thing.kind != "count" else "many"
    noun = "{t.stuff}"
    draft.kind = "scaling"
    draft.spare = ["age", "date", "other_thing", "third_person"]
    match draft.rng.randint(0, 4):
        case 0 | 1:
            times = times_word(draft, "f", factor)
            b = told(draft, "b", small, scene)
            relation = draft.pick(
                (
                    f"{{p+{verb}}} {times} as {many} [{noun}|] as {{q}}",
                    f"{{p+{verb}}} {times} as {many} as that",
                    f"{{p+{verb}}} {times} as {many} {noun} as {{q}} {'has' if draft.tense == 'present' and owns else 'did' if draft.tense == 'past' else ''}",
                    f"{{p+{verb}}} {times} {{q.s}} amount"
                    if times.endswith("times")
                    else f"{{p+{verb}}} {times} as {many}",
                )
            )
            draft.facts = [Fact(f"{{q+{verb}}} {{B}}"), Fact(relation)]
            if draft.chance(0.15):
                draft.facts = [
                    Fact(
                        f"{{p+{verb}}} {times} as {many} {noun} as {{q}}, who {'had' if draft.tense == 'past' and owns else '{v.past}' if not owns else 'has'} {{B.bare}}"
                    )
                ]
            draft.movable = len(draft.facts) > 1 and "that" not in relation and "{q" in relation
            draft.gold = ("*", "f", b)
            draft.asks(
                (
                    f"{{t.how}} / {do_p} / {p_do} / [|in all|altogether]",
                    f"what is the number of {{t}} {p_do} / / /",
                )
            )
        case 2:
            times = times_word(draft, "f", factor)
            b = told(draft, "b", big, scene)
            draft.facts = [
                Fact(f"{{p+{verb}}} {{B}}"),
                Fact(
                    draft.pick(
                        (
                            f"that is {times} as {many} as {{q}}",
                            f"{{p.he}} {'has' if owns and draft.tense == 'present' else 'had' if owns else '{v.past}' if draft.tense == 'past' else '{v.s}'} {times} as {many} [{noun}|] as {{q}}",
                        )
                    )
                ),
            ]
            draft.gold = ("/", b, "f")
            draft.question = ask(f"{{t.how}} / {do_q} / {q_do} / [|in all|altogether]")
        case 3:
            a, b = told(draft, "a", big, scene), told(draft, "b", small, scene)
            draft.facts = [Fact(f"{{p+{verb}}} {{A}}"), Fact(f"{{q+{verb}}} {{B}}")]
            draft.movable = True
            draft.gold = ("/", a, b)
            draft.question = ask(
                draft.pick(
                    (
                        f"how many times as {many} {noun} / {do_p} / {p_do} / as {{q}}",
                        f"how many times more {noun} / {do_p} / {p_do} / than {{q}}",
                    )
                )
            )
        case _:
            divisor = 2 if draft.chance(0.8) else draft.pick((3, 4))
            base = small * divisor
            half = {2: "half", 3: "one third", 4: "one fourth"}[divisor]
            draft.count("f", Fraction(1, divisor), half)
            b = told(draft, "b", base, scene)
            draft.facts = [
                Fact(f"{{q+{verb}}} {{B}}"),
                Fact(
                    draft.pick(
                        (
                            f"{{p+{verb}}} [only|] {{f}} as {many} [{noun}|] as {{q}}",
                            f"{{p+{verb}}} {{f}} as {many}",
                        )
                    )
                ),
            ]
            draft.gold = ("*", "f", b)
            draft.question = ask(f"{{t.how}} / {do_p} / {p_do} / [|in all|altogether]")


def prices(draft: Draft) -> None:
    """What goods cost, compared."""
    draft.set(t=MONEY)
    noun, low, high = draft.pick([good for good in words.GOODS if good[2] <= 700])
    other, low2, high2 = draft.pick([good for good in words.GOODS if good[0] != noun and good[2] <= 700])
    one = Fraction(draft.between(low, high))
    two = Fraction(draft.between(low2, high2))
    if one == two:
        two += 3
    if one < two:
        noun, other, one, two = other, noun, two, one
    if draft.chance(0.3) and one < 100:
        one, two = (
            one + Fraction(draft.rng.randint(1, 99), 100),
            two + Fraction(draft.rng.choice((0, 25, 50, 75)), 100),
        )
    if one <= two:
        one = two + 1
    draft.money("a", one)
    draft.money("b", two)
    draft.money("d", one - two)
    draft.slots["g"], draft.slots["h"] = Phrase(noun), Phrase(other)
    draft.kind = "compare"
    draft.spare = ["date"]
    match draft.rng.randint(0, 2):
        case 0:
            draft.facts = [
                Fact(draft.pick(("{an}{g} costs {A}", "the price of {an}{g} is {A}", "the {g} is {A}"))),
                Fact("{an}{h} costs {B}"),
            ]
            draft.movable = True
            draft.gold = ("-", "a", "b")
            draft.question = ask(
                draft.pick(
                    (
                        "how much more / does the {g} cost / the {g} costs / than the {h}",
                        "how much cheaper is the {h} / / / [than the {g}|]",
                        "what is the difference in price / / / [between the two|]",
                        "how much less / does the {h} cost / the {h} costs /",
                        "how much money / would you save / you would save / by buying the {h} instead of the {g}",
                    )
                )
            )
        case 1:
            draft.facts = [
                Fact("{an}{h} costs {B}"),
                Fact(
                    draft.pick(
                        (
                            "{an}{g} costs {D} more [than the {h}|]",
                            "{an}{g} is {D} more expensive",
                            "the {h} is {D} cheaper than {an}{g}",
                        )
                    )
                ),
            ]
            draft.gold = ("+", "b", "d")
            draft.asks(
                ("how much / does the {g} cost / the {g} costs /", "what is the price of the {g} / / /")
            )
        case _:
            draft.facts = [
                Fact("{an}{g} costs {A}"),
                Fact(
                    draft.pick(
                        (
                            "{an}{h} costs {D} less [than the {g}|]",
                            "{an}{h} is {D} cheaper",
                            "that is {D} more than the price of {an}{h}",
                        )
                    )
                ),
            ]
            draft.gold = ("-", "a", "d")
            draft.asks(
                ("how much / does the {h} cost / the {h} costs /", "what is the price of the {h} / / /")
            )
