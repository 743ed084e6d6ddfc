"""Combine: parts and the whole. Asked: the whole, or one part."""

from __future__ import annotations

from fractions import Fraction

from text2math.data.stories import words
from text2math.data.stories.grammar import plural
from text2math.data.stories.parts import measure, size_of, told
from text2math.data.stories.world import MONEY, Draft, Fact, Scene, Thing, another, ask, kinds_of

_TOGETHER = "[in all|altogether|in total|together|all together|combined|]"


def people(draft: Draft) -> None:
    """Two or three people's amounts and all of them together."""
    scene = draft.scene(mass=0.12, money=0.1)
    draft.tense = draft.pick(("past", "past", "present"))
    p, q = draft.person("p"), draft.person("q", roles=False)
    draft.act("v", scene.make or scene.gain)
    draft.set(spot=draft.pick(scene.spot) if scene.spot else "", day=draft.pick(words.WEEKDAYS))
    low, high = size_of(draft, scene)
    first, second = measure(draft, scene, low, high), measure(draft, scene, low, high)
    owns = draft.chance(0.5)
    verb = "%have" if owns else "%$v"
    if not owns:
        draft.tense = "past"
    draft.kind = "combine"
    draft.spare = ["age", "date", "other_thing", "third_person"]
    do_they = "do they have" if owns else "did they {v}"
    they_do = "they have" if owns else "they {v.past}"
    if draft.chance(0.6):
        a, b = told(draft, "a", first, scene), told(draft, "b", second, scene)
        pairs = (
            [f"{{p+{verb}}} {{A}}", f"{{q+{verb}}} {{B}}"],
            [f"{{p+{verb}}} {{A}}", f"{{q+{verb}}} {{B.bare}}"],
            [f"{{p+{verb}}} {{A}} and {{q}} {{B.bare}}"],
            [f"{{p+{verb}}} {{A}} while {{q+{verb}}} {{B}}"],
            [
                f"{{p}} and {{q}} each {'have' if owns else '{v.past}'} {{t.some}}: {{p}} {{A.bare}} and {{q}} {{B.bare}}"
            ],
            [f"{{p+{verb}}} {{A}}", f"{{p~.his}} friend {{q+{verb}}} {{B}}"],
            [f"{{p+{verb}}} {{A}} [{{spot}}|], and {{q+{verb}}} {{B.bare}} [there|too|]"],
        )
        draft.facts = [Fact(text) for text in draft.pick(pairs)]
        draft.gold = ("+", a, b)
        questions = (
            f"{{t.how}} / {do_they} / {they_do} / {_TOGETHER}",
            f"{{t.how}} / do {{p}} and {{q}} have / {{p}} and {{q}} have / {_TOGETHER}"
            if owns
            else f"{{t.how}} / did {{p}} and {{q}} {{v}} / {{p}} and {{q}} {{v.past}} / {_TOGETHER}",
            f"what is the total number of {{t}} {they_do} / / /",
            "{t.howare} there [in all|altogether|together] / / /"
            if owns
            else "{t.howwere} {v.part} [in all|in total|altogether|] / / /",
            "{t.how} / do the two of them have / the two of them have / " + _TOGETHER
            if owns
            else f"{{t.how}} / {do_they} / {they_do} /",
        )
        draft.asks(questions)
        if draft.chance(0.18) and isinstance(a, str) and isinstance(b, str):
            draft.person("s", roles=False)
            draft.amount("c", measure(draft, scene, low, high))
            draft.facts.append(Fact(f"{{s+{verb}}} {{C}}"))
            draft.gold = ("+", draft.gold, "c")
            draft.question = ask(f"{{t.how}} / {do_they} / {they_do} / {_TOGETHER}")
            draft.spare.remove("third_person")
        draft.movable = len(draft.facts) > 1 and all(
            "{q" not in fact.text or "{p" not in fact.text for fact in draft.facts
        )
        if p.he == q.he:
            draft.movable = False
    else:
        whole = first + second
        c, a = told(draft, "c", whole, scene), told(draft, "a", first, scene)
        whole_told = (
            f"{{p}} and {{q}} {'have' if owns else '{v.past}'} {{C}} [together|altogether|in all|in total]",
            f"[together|altogether|in all|between them], {{p}} and {{q}} {'have' if owns else '{v.past}'} {{C}}",
            f"{{p}} and {{q}} {'have a total of' if owns else '{v.past} a total of'} {{C}}",
        )
        part = (
            f"{{p+{verb}}} {{A}}",
            f"{{p+{verb}}} {{A.bare}} of {{t.them}}",
            f"{{A}} {'belong to' if owns else 'came from'} {{p}}",
        )
        draft.facts = [Fact(draft.pick(whole_told)), Fact(draft.pick(part))]
        draft.gold = ("-", c, a)
        draft.question = ask(
            draft.pick(
                (
                    f"{{t.how}} / {'{do q} have' if owns else 'did {q} {v}'} / {'{q+have}' if owns else '{q} {v.past}'} / [|in all]",
                    "what is {q.s} share of the {t.stuff} / / /"
                    if not owns
                    else "how many {t} / belong to {q} / belong to {q} /",
                )
            )
        )
        draft.movable = True


def sorts(draft: Draft) -> None:
    """Things of two or three sorts: how many of all, or of one sort."""
    scene = draft.scene()
    draft.person("p")
    draft.tense = draft.pick(("past", "past", "present"))
    thing = draft.thing
    kinds = kinds_of(draft, scene, 3)
    if draft.chance(0.3):
        kinds = [another(draft, scene, "k", thing), another(draft, scene, "k", thing)]
        if kinds[0] == kinds[1]:
            kinds = kinds_of(draft, scene, 3)
    mixed = not kinds[0].many.endswith(thing.many)
    low, high = size_of(draft, scene)
    parts = [draft.between(low, high) for _ in kinds]
    spot = draft.pick(scene.spot)
    past = draft.tense == "past"
    draft.act("v", scene.make or scene.gain)
    draft.set(
        spot=spot,
        be="were" if past else "are",
        box=draft.pick(scene.box),
        group=_group(draft, scene, thing, mixed),
    )
    draft.kind = "combine"
    draft.spare = ["age", "date", "other_person"]
    for key, kind, part in zip("abc", kinds, parts, strict=False):
        draft.amount(key, part, kind)
        draft.slots[f"k{key}"] = kind
    draft.set(adjb=kinds[1].one.removesuffix(" " + thing.one) if not mixed else kinds[1].many)
    have = draft.pick(("{p~+%have}", "{p~+%$v}", "there {be}", "{p~.s} {box} {held}"))
    if have == "{p~+%$v}":
        draft.tense = "past"
    draft.set(held="held" if past else "holds")
    there = have == "there {be}"
    where = draft.pick(("{spot}", "{spot}", "")) if not there else "{spot}"
    made = have == "{p~+%$v}"
    if draft.chance(0.55):
        three = len(kinds) > 2 and draft.chance(0.25)
        listing = (
            "{A}, {B}, and {C}"
            if three
            else draft.pick(("{A} and {B}", "{A} and {B}", "{A} plus {B}", "both {A} and {B}"))
        )
        texts = [[f"{have} {listing} {where}"]]
        if not three:
            texts.append([f"{have} {{A}} {where}", f"{have} {{B}} [too|as well|]"])
            texts.append(
                [
                    f"{have} {{A}} {where}",
                    f"{have} also {{B}}" if there else f"{have} {{B}}",
                ]
            )
        draft.facts = [Fact(text) for text in draft.pick(texts)]
        draft.gold = ("+", ("+", "a", "b"), "c") if three else ("+", "a", "b")
        draft.question = ask(
            draft.pick(
                (
                    f"how many {{group}} / {'{do p~} have' if not made else 'did {p~} {v}'} / {'{p~+have}' if not made else '{p~} {v.past}'} / {_TOGETHER}",
                    "how many {group} are there [in all|altogether|in total|] / / /",
                    "what is the total number of {group} / / /",
                )
            )
        )
        return
    whole = sum(parts[:2])
    draft.slots["t"] = thing = (
        Thing(thing.one, thing.many) if not mixed else Thing("item", draft_group(draft))
    )
    draft.amount("w", whole, thing)
    rest = (
        "{a} [of them|] {be} {ka} and the rest {be} {kb}",
        "{a} of them {be} {ka}. the others {be} {kb}",
        "{a} of the {group} {be} {ka} and the [remaining ones|others|rest] {be} {kb}",
        "{A} {be} among them, and all the others {be} {kb}",
        "all of them {be} {kb} except for {A}",
    )
    draft.facts = [Fact(f"{have} {{W}} {where}"), Fact(draft.pick(rest), loose=False)]
    draft.gold = ("-", "w", "a")
    draft.question = ask(
        draft.pick(
            (
                "how many {kb} are there / / /",
                f"how many {{kb}} / {'{do p~} have' if not made else 'did {p~} {v}'} / {'{p~+have}' if not made else '{p~} {v.past}'} /",
                "how many of the {group} are {kb} / / /",
                "how many {group} are not {ka} / / /",
            )
        )
    )


def draft_group(draft: Draft) -> str:
    """The common name of a mixture, from the slot ``group``."""
    group = draft.slots["group"]
    return getattr(group, "text", "items")


def _group(draft: Draft, scene: Scene, thing: Thing, mixed: bool) -> str:
    if not mixed:
        return thing.many
    names = {
        "fruit": ("pieces of fruit", "fruits"),
        "vegetables": ("vegetables",),
        "baking": ("baked goods", "treats"),
        "sweets": ("pieces of candy", "sweets"),
        "toys": ("toys",),
        "school": ("school supplies", "items"),
        "flowers": ("plants",),
        "farm": ("things",),
        "clothes": ("pieces of clothing", "clothes"),
        "books": ("things to read", "items"),
    }
    return draft.pick(names.get(scene.name, ("items", "things", "objects")))


def days(draft: Draft) -> None:
    """The same doing on two or three days (or at two places): the total, or one day's part."""
    scene = draft.scene(mass=0.12, money=0.12)
    draft.tense = "past"
    draft.person("p")
    draft.act("v", scene.make or scene.gain)
    low, high = size_of(draft, scene)
    first, second = measure(draft, scene, low, high), measure(draft, scene, low, high)
    one, two, three = _times(draft)
    draft.set(one=one, two=two, three=three)
    draft.kind = "combine"
    draft.spare = ["age", "other_person", "other_thing", "price"]
    if draft.chance(0.6):
        a, b = told(draft, "a", first, scene), told(draft, "b", second, scene)
        layouts = (
            ["{one}, {p~} {v.past} {A}", "{two}, {p~} {v.past} {B}"],
            ["{p~} {v.past} {A} {one} and {B.bare} {two}"],
            ["{p~} {v.past} {A} {one}", "{p~} {v.past} {B.more} {two}"],
            ["{one} {p~} {v.past} {A} and {two} {p.he} {v.past} {B}"],
            ["{p~} {v.past} {A} {one}, then another {B.bare} {two}"],
        )
        draft.facts = [Fact(text) for text in draft.pick(layouts)]
        draft.gold = ("+", a, b)
        if draft.chance(0.2) and isinstance(a, str) and isinstance(b, str):
            draft.amount("c", measure(draft, scene, low, high))
            draft.facts.append(Fact("{three}, {p~} {v.past} {C}"))
            draft.gold = ("+", draft.gold, "c")
        draft.question = ask(
            draft.pick(
                (
                    f"{{t.how}} / did {{p~}} {{v}} / {{p~}} {{v.past}} / {_TOGETHER}",
                    "what was the total number of {t} {p~} {v.past} / / /",
                    "{t.howwere} {v.part} / / / ",
                )
            )
        )
        return
    c, a = told(draft, "c", first + second, scene), told(draft, "a", first, scene)
    draft.facts = [
        Fact(
            draft.pick(
                (
                    "{p~} {v.past} {C} [in all|altogether|in total|over those days|]",
                    "altogether, {p~} {v.past} {C}",
                )
            )
        ),
        Fact(
            draft.pick(
                (
                    "{p.he} {v.past} {A.of} {one} and the rest {two}",
                    "{A.bare} of {t.them} {were} {v.part} {one} and the others {two}",
                    "{one}, {p.he} {v.past} {A}, and {p.he} {v.past} all the others {two}",
                )
            )
        ),
    ]
    draft.set(were="were")
    draft.gold = ("-", c, a)
    draft.question = ask("{t.how} / did {p~} {v} {two} / {p~} {v.past} {two} /")


def _times(draft: Draft) -> tuple[str, str, str]:
    start = draft.rng.randint(0, 4)
    day = [f"on {words.WEEKDAYS[start + index]}" for index in range(3)]
    start = draft.rng.randint(0, 9)
    month = [f"in {words.MONTHS[start + index]}" for index in range(3)]
    options = (
        day,
        month,
        ["in the morning", "in the afternoon", "in the evening"],
        ["yesterday", "today", "this evening"],
        ["last week", "this week", "over the weekend"],
        ["before lunch", "after lunch", "after dinner"],
        ["at school", "at home", "at the library"],
        ["last year", "this year", "over the summer"],
        ["on the first day", "on the second day", "on the third day"],
        ["during the first hour", "during the second hour", "during the third hour"],
        ["last month", "this month", "during the holidays"],
    )
    one, two, three = draft.pick(options)
    return one, two, three


_SHOPS = (
    "the mall", "the store", "the market", "the toy store", "the flea market", "the fair", "a garage sale", "the gift shop",
)  # fmt: skip


def shopping(draft: Draft) -> None:
    """Prices of two or three goods: what they cost together, or one of them."""
    draft.set(t=MONEY)
    draft.tense = "past"
    draft.person("p")
    goods = draft.rng.sample([good for good in words.GOODS if good[2] <= 250 or draft.chance(0.2)], 3)
    prices = [_price(draft, low, high) for _, low, high in goods]
    for key, (noun, _, _), price in zip("abc", goods, prices, strict=True):
        draft.money(key, price)
        draft.slots[f"g{key}"] = Thing(noun, plural(noun))
    draft.set(shop=draft.pick(_SHOPS))
    draft.kind = "combine"
    draft.spare = ["age", "date", "other_person"]
    if draft.chance(0.6):
        three = draft.chance(0.3)
        layouts = (
            ["{p~} bought {an}{ga.one} for {A} and {an}{gb.one} for {B}"],
            ["{p~} spent {A} on {an}{ga.one}", "{p~} also bought {an}{gb.one} for {B}"],
            ["{p~} [paid|spent] {A} for {an}{ga.one} and {B} for {an}{gb.one} at {shop}"],
            ["{an}{ga.one} costs {A} and {an}{gb.one} costs {B}", "{p~} bought both"],
            ["at {shop}, {p~} bought {an}{ga.one} that cost {A}", "{an}{gb.one} cost {p~.him} another {B}"],
        )
        draft.facts = [Fact(text) for text in draft.pick(layouts)]
        draft.gold = ("+", "a", "b")
        if three:
            draft.facts.append(Fact("{p~} also paid {C} for {an}{gc.one}"))
            draft.gold = ("+", draft.gold, "c")
        draft.question = ask(
            draft.pick(
                (
                    f"how much [money|] / did {{p~}} spend / {{p~}} spent / {_TOGETHER}",
                    "what was the total cost / / /",
                    "how many dollars / did {p~} pay / {p~} paid / [in all|altogether|]",
                    "how much / did everything cost / everything cost / [together|]",
                    "what did {p~} pay [in all|in total|altogether] / / /",
                )
            )
        )
        return
    draft.money("w", prices[0] + prices[1])
    draft.facts = [
        Fact("{p~} bought {an}{ga.one} and {an}{gb.one} [at {shop}|] for [a total of|] {W}"),
        Fact(
            draft.pick(
                (
                    "the {ga.one} cost {A}",
                    "{p~} paid {A} for the {ga.one}",
                    "{A} of that was for the {ga.one}",
                )
            )
        ),
    ]
    draft.gold = ("-", "w", "a")
    draft.question = ask(
        draft.pick(
            (
                "how much / did the {gb.one} cost / the {gb.one} cost /",
                "what was the price of the {gb.one} / / /",
            )
        )
    )
    draft.movable = False


def _price(draft: Draft, low: int, high: int) -> Fraction:
    whole = draft.between(low, high)
    if whole > 100 or draft.chance(0.5):
        return Fraction(whole)
    return whole + Fraction(
        draft.rng.choice((5, 10, 20, 25, 29, 35, 40, 49, 50, 59, 65, 75, 79, 80, 89, 95, 99)), 100
    )


def places(draft: Draft) -> None:
    """Things at two places, or moved between them."""
    scene = draft.scene()
    if len(scene.spot) < 2:
        return people(draft)
    draft.person("p")
    one, two = draft.rng.sample(scene.spot, 2)
    draft.set(one=one, two=two)
    low, high = size_of(draft, scene)
    first, second = draft.between(low, high), draft.between(low, high)
    draft.tense = draft.pick(("past", "present"))
    past = draft.tense == "past"
    draft.set(be="were" if past else "are")
    draft.kind = "combine"
    draft.spare = ["age", "date", "other_person", "price"]
    if draft.chance(0.6):
        a, b = told(draft, "a", first, scene), told(draft, "b", second, scene)
        layouts = (
            ["there {be} {A} {one} and {B.bare} {two}"],
            ["there {be} {A} {one}", "{B.more} {be} {two}"],
            ["{p~+%see} {A} {one} and {B} {two}"],
            ["{A} {be} {one} and {B} {be} {two}"],
            ["{p~+%put} {A} {one} and {B.bare} {two}"],
            ["{p~+%have} {A} {one} and {B.bare} left {two}"],
        )
        draft.facts = [Fact(text) for text in draft.pick(layouts)]
        draft.gold = ("+", a, b)
        draft.question = ask(
            draft.pick(
                (
                    "{t.howare} there [in all|altogether|in total|] / / /",
                    "{t.howare} there {one} and {two} [together|] / / /",
                    "what is the total number of {t} / / /",
                    f"{{t.how}} / {{do p~}} have / {{p~+have}} / {_TOGETHER}",
                )
            )
        )
        return None
    c, a = told(draft, "c", first + second, scene), told(draft, "a", first, scene)
    draft.facts = [
        Fact(draft.pick(("{p~+%have} {C}", "there {be} {C} [in all|altogether|] {one} and {two}"))),
        Fact(
            draft.pick(
                (
                    "{A.of} {be} {one} and the rest {be} {two}",
                    "{A.bare} {be} {one}, and the others {be} {two}",
                )
            )
        ),
    ]
    draft.gold = ("-", c, a)
    draft.asks(("{t.howare} {two} / / /", "how many / are {two} / are {two} / [|in all]"))
    return None
