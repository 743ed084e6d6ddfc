"""Rates: prices, wages, speeds, work by the hour, so much a day; discounts and change from a banknote."""

from __future__ import annotations

from fractions import Fraction

from text2math.data.stories import words
from text2math.data.stories.grammar import plural
from text2math.data.stories.parts import factors
from text2math.data.stories.world import MONEY, Draft, Fact, Thing, measured


def _three(draft: Draft, rate: Fraction, count: int) -> str:
    """Amounts r (rate), n (count), w (whole); which of the three is asked."""
    draft.amounts.pop("w", None)
    return draft.pick(("whole", "whole", "count", "rate"))


def price(draft: Draft) -> None:
    """So many at so much each."""
    facts: tuple[list[str], ...]
    questions: tuple[str, ...]
    draft.set(t=MONEY)
    draft.person("p")
    draft.tense = draft.pick(("past", "past", "present"))
    past = draft.tense == "past"
    scene_price = draft.chance(0.5)
    if scene_price:
        scene = draft.scene()
        thing = draft.thing
        cents = draft.between(max(10, scene.price[0]), min(scene.price[1], 1500))
        rate = Fraction(cents - cents % 5 or 5, 100) if draft.chance(0.5) else Fraction(max(1, cents // 100))
    elif draft.chance(0.25):
        scene = draft.pick(measured())
        thing = scene.things[0]
        rate = Fraction(draft.between(1, 12)) if draft.chance(0.5) else Fraction(draft.between(4, 48), 4)
    else:
        noun, low, high = draft.pick([good for good in words.GOODS if good[2] <= 150])
        thing = Thing(noun, plural(noun))
        rate = Fraction(draft.between(low, high))
        if draft.chance(0.3):
            rate += Fraction(draft.rng.choice((25, 50, 75, 95, 99)), 100)
    draft.set(t=MONEY)
    draft.slots["g"] = thing
    count = draft.between(2, 12 if draft.chance(0.75) else 40)
    draft.money("r", rate)
    draft.amount("n", count, thing)
    draft.money("w", rate * count)
    sells = draft.chance(0.3)
    buy, bought = (
        ("sell", "sold")
        if sells
        else draft.pick((("buy", "bought"), ("buy", "bought"), ("order", "ordered"), ("get", "got")))
    )
    draft.act("v", (buy,))
    draft.set(
        cost="cost" if past else "costs",
        costs="cost",
        unit=thing.one,
        made="made" if sells else "spent",
        bought=bought,
        make="make" if sells else draft.pick(("spend", "pay")),
        be="were" if past else "are",
    )
    draft.kind = "price"
    draft.spare = ["age", "date", "other_thing", "other_price"]
    match draft.rng.randint(0, 3):
        case 0 | 1:
            facts = (
                ["{p~+%$v} {N}", "each {unit} {cost} {R}"],
                ["{p~+%$v} {N} for {R} each"],
                ["{p~+%$v} {N} at {R} [apiece|each|per {unit}]"],
                ["{an}{unit} {cost} {R}", "{p~+%$v} {N}"],
                ["the price of each {unit} is {R}", "{p~+%$v} {N}"],
                ["{g} {be} sold for {R} each", "{p~+%$v} {N}"],
                ["{p~+%$v} {N}, paying {R} for each one"]
                if not sells
                else ["{p~+%$v} {N} and {p.he} {got} {R} for each one"],
                ["each {unit} at the store {cost} {R}", "{p~+%want} to buy {N}"]
                if not sells
                else ["{p~+%sell} {N} at {R} each"],
            )
            draft.set(got="got" if past else "gets")
            draft.gold = ("*", "n", "r")
            questions = (
                "how much [money|] / did {p~} {make} / {p~} {made} / [in all|altogether|in total|]",
                "what is the total cost / / /" if not sells else "how much money is that / / /",
                "how many dollars / did {p~} {make} / {p~} {made} / [in all|altogether|]",
                "how much [money|] / will {p~} {make} / {p~} will {make} / [in all|]",
                "how much / do all of the {g} cost / all of the {g} cost / [together|]"
                if not sells
                else "how much [money|] / {do p~} have / {p~+have} / [now|]",
            )
        case 2:
            facts = (
                [
                    "{p~} {made} {W} on {g}" if not sells else "{p~} {made} {W} selling {g}",
                    "each {unit} {cost} {R}",
                ],
                ["{p~+%have} {W} [to spend|left|]", "{an}{unit} {cost} {R}"]
                if not sells
                else ["{p~} {bought} {g} for {R} each and {made} {W}"],
                ["{g} cost {R} each", "{p~+%have} {W}"]
                if not sells
                else ["each {unit} {cost} {R}", "{p~} {made} {W} in all"],
                ["{p~} paid {W} for some {g} that cost {R} each"]
                if not sells
                else ["{p~} got {W} for some {g} that cost {R} each"],
            )
            draft.gold = ("/", "w", "r")
            questions = (
                "how many {g} / did {p~} {v} / {p~} {bought} / [in all|altogether|]",
                "how many {g} / can {p~} {v} / {p~} can {v} / [with that money|in all|]"
                if not sells
                else "how many {g} / were sold / were sold /",
                "what is the number of {g} {p~} {bought} / / /",
            )
        case _:
            facts = (
                ["{p~} {bought} {N} for [a total of|] {W}", "each {unit} {cost} the same"],
                ["{N} cost {W}"],
                ["{p~} paid {W} for {N}"]
                if not sells
                else ["{p~} {made} {W} by selling {N} at the same price"],
                ["{p~} {made} {W} on {N}"] if not sells else ["{p~} got {W} for {N}"],
                ["the total cost of {N} is {W}", "they all have the same price"],
            )
            draft.gold = ("/", "w", "n")
            questions = (
                "how much / does each {unit} cost / each {unit} costs / [|in dollars]",
                "what is the price of [one|each|a single] {unit} / / /",
                "how much / did each {unit} cost / each {unit} cost /",
                "how much [money|] / did {p~} pay / {p~} paid / for each {unit}"
                if not sells
                else "how much / did {p~} get / {p~} got / for each one",
                "how much / would one {unit} cost / one {unit} would cost /",
            )
    draft.facts = [Fact(text) for text in draft.pick(facts)]
    draft.movable = len(draft.facts) == 2 and all("the same" not in fact.text for fact in draft.facts)
    draft.asks(questions)


def speed(draft: Draft) -> None:
    """Distance, time and speed."""
    draft.tense = draft.pick(("past", "present"))
    if draft.chance(0.55):
        person = draft.person("p", roles=False)
        verb, low, high = draft.pick(words.TRAVEL)
        draft.act("v", (verb,))
        he = person.he
    else:
        noun, low, high = draft.pick(words.MOVERS)
        from text2math.data.stories.world import Person

        draft.slots["p"] = Person(f"the {noun}", "it", "it", "its", first=f"a {noun}")
        draft.act("v", ("travel", "go", "move"))
        he = "it"
    rate = Fraction(draft.between(low, high))
    hours = Fraction(draft.between(2, 9)) if draft.chance(0.8) else Fraction(draft.between(3, 15), 2)
    long, hour = draft.pick(
        (("mile", "hour"), ("mile", "hour"), ("kilometer", "hour"), ("meter", "minute"), ("foot", "second"))
    )
    if high <= 3 and long == "mile":
        long, hour = "foot", "minute"
    draft.slots["t"] = Thing(long, plural(long))
    draft.slots["h"] = Thing(hour, plural(hour))
    draft.amount("r", rate, draft.thing)
    draft.amount("n", hours, Thing(hour, plural(hour)))
    draft.amount("w", rate * hours, draft.thing)
    draft.set(he=he, to=f"to {draft.pick(words.TOWNS)}", hour=hour)
    draft.kind = "speed"
    draft.spare = ["date", "age"]
    match draft.rng.randint(0, 3):
        case 0 | 1:
            facts = (
                [
                    "{p~+%$v} for {N} at {R} [per|an|each] {hour}".replace(
                        "[per|an|each]", "per" if hour != "hour" else "[per|an|each]"
                    )
                ],
                ["{p~+%$v} at a [constant|steady|] speed of {R} per {hour}", "{p~+%$v} for {N}"],
                ["{p~+%$v} {R} every {hour}", "the trip {took} {N}"],
                ["it {took} {p~.him} {N} to get {to}", "{p~.his} speed {was} {R} per {hour}"],
                ["in each {hour}, {p~+%$v} {R}"],
                ["{p~+can} {v} {R} in each {hour}"],
            )
            draft.gold = ("*", "r", "n")
            questions = [
                "how far / did {p~} go / {p~} went / [in all|altogether|]",
                "how many {t} / did {p~} {v} / {p~} {v.past} / [in all|]",
                "what distance / did {p~} cover / {p~} covered /",
                "how far / did {p~} {v} / {p~} {v.past} /",
            ]
            texts = draft.pick(facts)
            if not any("{N}" in text for text in texts):
                questions = [
                    "how far / can {p~} {v} / {p~} can {v} / in {N}",
                    "how many {t} / will {p~} {v} / {p~} will {v} / in {N}",
                    "how far / will {p~} go / {p~} will go / in {N}",
                ]
        case 2:
            texts = draft.pick(
                (
                    ["{p~+%$v} {W} at {R} per {hour}"],
                    ["it is {W} {to}", "{p~+%$v} at {R} per {hour}"],
                    ["{p~+%$v} {R} every {hour}", "the whole trip {was} {W}"],
                    ["{p~+%have} to go {W}", "{p~+%$v} at a speed of {R} per {hour}"],
                )
            )
            draft.gold = ("/", "w", "r")
            questions = [
                "how long / did it take / it took / [in {h}|altogether|]",
                "how many {h} / did the trip take / the trip took / [in all|]",
                "how many {h} / did {p~} {v} / {p~} {v.past} / [in all|]",
                "how long / did {p~} {v} / {p~} {v.past} /",
            ]
        case _:
            texts = draft.pick(
                (
                    ["{p~+%$v} {W} in {N}"],
                    ["it {took} {p~.him} {N} to go {W}"],
                    ["{p~+%$v} for {N} and covered {W}"],
                    ["the trip {to} {was} {W} long and {took} {N}", "{p~} kept the same speed"],
                )
            )
            draft.gold = ("/", "w", "n")
            questions = [
                "what was {p~.his} [average|] speed / / /",
                "how fast / did {p~} go / {p~} went /",
                "how many {t} per {hour} / did {p~} {v} / {p~} {v.past} /",
                "how many {t} / did {p~} {v} / {p~} {v.past} / each {hour}",
                "how far / did {p~} go / {p~} went / in one {hour}",
            ]
    past = draft.tense == "past"
    draft.set(took="took" if past else "takes", was="was" if past else "is")
    draft.facts = [Fact(text) for text in texts]
    draft.asks(questions)


def work(draft: Draft) -> None:
    """So much in an hour, a day, a week: wages, pages, lawns."""
    draft.person("p")
    draft.tense = draft.pick(("past", "present"))
    past = draft.tense == "past"
    time = draft.pick(("hour", "hour", "day", "day", "week", "minute", "month"))
    wage = draft.chance(0.4)
    if wage:
        draft.set(t=MONEY, job=draft.pick(words.JOBS))
        rate = Fraction(draft.between(5, 30) if time in ("hour", "minute") else draft.between(10, 120))
        if draft.chance(0.2):
            rate += Fraction(1, 2)
        draft.act("v", ("earn", "make", "get paid", "save"))
    else:
        verb, noun, low, high = draft.pick(words.WORK)
        draft.set(t=Thing(noun, plural(noun)), job="")
        rate = Fraction(draft.between(low, high))
        draft.act("v", (verb,))
    count = draft.between(2, 12)
    if wage:
        draft.money("r", rate)
        draft.money("w", rate * count)
    else:
        draft.amount("r", rate)
        draft.amount("w", rate * count)
    draft.slots["h"] = Thing(time, plural(time))
    draft.amount("n", count, Thing(time, plural(time)))
    doing = "{job}" if wage else ""
    draft.set(hour=time, work="worked" if past else "works", took="took" if past else "takes")
    draft.kind = "rate"
    draft.spare = ["age", "date", "other_person", "other_thing"]
    match draft.rng.randint(0, 3):
        case 0 | 1:
            texts = draft.pick(
                (
                    [f"{{p~+%$v}} {{R}} {doing} [each|every|per] {{hour}}", "{p~+%do} this for {N}"],
                    [f"{{p~+%$v}} {{R}} {{per}} {{hour}} {doing}", "{p~} {work} for {N}"],
                    [f"for {{N}}, {{p~+%$v}} {{R}} {{per}} {{hour}} {doing}"],
                    ["{p~} {work} {N}", "{p~+%$v} {R} every {hour}"],
                    [f"{{p~+%$v}} {{R}} {doing} each {{hour}} for {{N}}"],
                    [f"in each {{hour}}, {{p~+can}} {{v}} {{R}} {doing}"],
                )
            )
            draft.gold = ("*", "r", "n")
            questions = [
                "{t.how} / did {p~} {v} / {p~} {v.past} / [in all|altogether|in total|]",
                "{t.how} / will {p~} {v} / {p~} will {v} / [in all|altogether|]",
                "{t.how} / does that make / that makes / [in all|altogether|]",
            ]
            if not any("{N}" in text for text in texts):
                questions = [
                    "{t.how} / can {p~} {v} / {p~} can {v} / in {N}",
                    "{t.how} / will {p~} {v} / {p~} will {v} / in {N}",
                ]
        case 2:
            texts = draft.pick(
                (
                    [
                        f"{{p~+%$v}} {{R}} {doing} [each|every] {{hour}}",
                        "{p~+want} to {v} {W} [in all|altogether|]",
                    ],
                    [f"{{p~+can}} {{v}} {{R}} {{per}} {{hour}} {doing}", "{p~+need} to {v} {W}"],
                    [
                        f"{{p~}} {{v.past}} {{W}} {doing} [in all|altogether|]",
                        "{p~} {v.past} {R} {per} {hour}",
                    ],
                )
            )
            draft.gold = ("/", "w", "r")
            questions = [
                "how many {h} / will it take / it will take / [{p~.him}|in all|]",
                "how many {h} / did it take / it took / [in all|altogether|]",
                "how long / will it take / it will take /",
                "how many {h} / {do p~} need / {p~+need} / [in all|]",
            ]
        case _:
            texts = draft.pick(
                (
                    [f"{{p~}} {{v.past}} {{W}} {doing} in {{N}}"],
                    [f"it took {{p~.him}} {{N}} to {{v}} {{W}} {doing}"],
                    [
                        f"in {{N}}, {{p~}} {{v.past}} {{W}} {doing}",
                        "{p~} {v.past} the same amount each {hour}",
                    ],
                    ["{p~} {work} for {N}", f"{{p~}} {{v.past}} {{W}} {doing} in all"],
                )
            )
            draft.gold = ("/", "w", "n")
            questions = [
                "{t.how} / did {p~} {v} / {p~} {v.past} / [each|per|every|in one] {hour}",
                "{t.how} {an}{hour} is that / / /",
                "{t.how} / did {p~} {v} / {p~} {v.past} / [each|in a single] {hour}",
            ]
    draft.set(per=draft.pick(("per", "a" if time != "hour" else "an", "each", "every")))
    draft.facts = [Fact(text) for text in texts]
    draft.asks(questions)


def banknote(draft: Draft) -> None:
    """Change from a banknote, discounts, saving up."""
    questions: tuple[str, ...]
    draft.set(t=MONEY)
    draft.person("p")
    noun, low, high = draft.pick([good for good in words.GOODS if good[2] <= 400])
    draft.slots["g"] = Thing(noun, plural(noun))
    cost = Fraction(draft.between(low, high))
    if draft.chance(0.4) and cost < 100:
        cost += Fraction(draft.rng.randint(1, 99), 100)
    draft.money("a", cost)
    draft.kind = "money"
    draft.spare = ["age", "date", "other_thing"]
    draft.tense = "past"
    luck = draft.rng.randint(0, 4)
    if luck == 0:
        note = next(note for note in (5, 10, 20, 50, 100, 200, 500, 1000) if note > cost)
        draft.money("n", note)
        draft.facts = [
            Fact(text)
            for text in draft.pick(
                (
                    ["{p~} bought {an}{g.one} for {A}", "{p~} paid with {N}"],
                    ["{p~} bought {an}{g.one} that cost {A}", "{p~} gave the [cashier|clerk|seller] {N}"],
                    ["{p~} had {N}", "{p~} bought {an}{g.one} for {A}"],
                    ["{an}{g.one} costs {A}", "{p~} handed over {N}"],
                )
            )
        ]
        draft.gold = ("-", "n", "a")
        questions = (
            "how much change / should {p~} get / {p~} should get / [back|]",
            "how much [money|] / did {p~} get / {p~} got / back",
            "what was {p~.his} change / / /",
            "how much [money|] / {do p~} have / {p~+have} / [left|now|]",
        )
    elif luck == 1:
        off = Fraction(draft.between(1, max(1, int(cost) - 1)))
        draft.money("o", off)
        draft.facts = [
            Fact(text)
            for text in draft.pick(
                (
                    ["{an}{g.one} [normally|usually|] costs {A}", "today it is on sale for {O} off"],
                    ["the price of {an}{g.one} was {A}", "the store lowered the price by {O}"],
                    ["{p~} wants to buy {an}{g.one} that costs {A}", "{p~} has a coupon for {O} off"],
                    ["{p~} got a discount of {O} on {an}{g.one} that costs {A}"],
                )
            )
        ]
        draft.gold = ("-", "a", "o")
        questions = (
            "how much / does the {g.one} cost / the {g.one} costs / now",
            "what is the [sale|new|] price / / /",
            "how much / will {p~} pay / {p~} will pay / [in all|for it|]",
            "how much / does {p} need / {p} needs / to buy it",
        )
    elif luck == 2:
        have = Fraction(draft.between(1, max(1, int(cost) - 1)))
        if have >= cost:
            have = cost / 2
        draft.money("h", have)
        draft.facts = [
            Fact(text)
            for text in draft.pick(
                (
                    [
                        "{p~} wants to buy {an}{g.one} that costs {A}",
                        "{p~} has [already|] saved {H} [so far|]",
                    ],
                    ["{p~} has {H}", "{an}{g.one} costs {A}"],
                    [
                        "{p~} is saving up for {an}{g.one}, which costs {A}",
                        "{p~} has {H} [so far|in {p.his} piggy bank|]",
                    ],
                )
            )
        ]
        draft.gold = ("-", "a", "h")
        questions = (
            "how much more [money|] / {do p~} need / {p~+need} / [to buy the {g.one}|in all|]",
            "how many more dollars / {do p~} need / {p~+need} /",
            "how much [money|] / must {p~} still save / {p~} must still save /",
            "how much more / must {p~} earn / {p~} must earn / [in all|]",
        )
    elif luck == 3:
        plus = Fraction(draft.between(1, max(3, int(cost) // 2)))
        draft.money("o", plus)
        draft.facts = [
            Fact(text)
            for text in draft.pick(
                (
                    [
                        "{p~} bought {an}{g.one} for {A}",
                        "{p~} [later|] sold it for {O} more than {p.he} paid",
                    ],
                    ["last year, {an}{g.one} cost {A}", "since then the price has gone up by {O}"],
                    ["{an}{g.one} costs {A}", "delivery is another {O}"],
                    ["{p~} spent {A} on {an}{g.one} and had {O} left"],
                    ["{an}{g.one} is on sale for {A}", "that is {O} less than the regular price"],
                    ["{p~} got {O} off {an}{g.one} and paid {A}"],
                )
            )
        ]
        last = draft.facts[-1].text
        draft.gold = ("+", "a", "o")
        if "sold" in last:
            questions = (
                "how much / did {p~} get / {p~} got / for the {g.one}",
                "what was the selling price / / /",
            )
        elif "left" in last:
            questions = ("how much [money|] / did {p~} have / {p~} had / [at first|before|to start with]",)
        elif "less than" in last or "off" in last:
            questions = (
                "what is the regular price of the {g.one} / / /",
                "how much / does the {g.one} normally cost / the {g.one} normally costs /",
                "what was the price before / / /",
            )
        elif "delivery" in last:
            questions = (
                "how much / will {p} pay / {p} will pay / [in all|altogether]",
                "what is the total / / /",
            )
        else:
            questions = (
                "how much / does the {g.one} cost / the {g.one} costs / now",
                "what is the price now / / /",
            )
    else:
        percent = draft.pick((5, 10, 20, 25, 30, 40, 50, 60, 75, 80, 90))
        cost = Fraction(draft.between(low, high) // 10 * 10 + 20)
        draft.money("a", cost)
        draft.count("f", Fraction(percent, 100), f"{percent}%" if draft.chance(0.8) else f"{percent} percent")
        draft.facts = [
            Fact(text)
            for text in draft.pick(
                (
                    ["{an}{g.one} costs {A}", "{p~} only has to pay {f} of the price"],
                    ["the regular price of {an}{g.one} is {A}", "during the sale it costs only {f} of that"],
                    ["{p~} earned {A}", "{p~} saved {f} of {t.them}"],
                )
            )
        ]
        draft.gold = ("*", "f", "a")
        last = draft.facts[-1].text
        questions = (
            ("how much [money|] / did {p~} save / {p~} saved / [in all|]",)
            if "saved" in last
            else (
                "how much / does the {g.one} cost / the {g.one} costs / now",
                "how much / will {p} pay / {p} will pay / [in all|]",
            )
        )
    draft.asks(questions)


_PARTS: tuple[tuple[str, str, str, str], ...] = (
    ("mile", "gallon of gas", "{x} can go {S} on {an}{b.one}", "use"),
    ("cup of flour", "cake", "{an}{b.one} takes {S}", "bake"),
    ("egg", "omelet", "each {b.one} takes {S}", "make"),
    ("ounce", "glass", "each {b.one} holds {S}", "fill"),
    ("foot of wire", "lamp", "it takes {S} to make {an}{b.one}", "make"),
    ("inch of ribbon", "bow", "each {b.one} needs {S}", "make"),
    ("bead", "necklace", "{an}{b.one} uses {S}", "make"),
    ("apple", "pie", "it takes {S} to make {an}{b.one}", "bake"),
    ("page", "chapter", "each {b.one} has {S}", "read"),
    ("slice", "pizza", "every {b.one} is cut into {S}", "eat"),
    ("leg", "table", "{an}{b.one} has {S}", "build"),
    ("wheel", "wagon", "each {b.one} has {S}", "build"),
    ("day", "week", "a week has {S}", ""),
    ("inch", "foot", "there are {S} in a foot", ""),
    ("minute", "lap", "each {b.one} takes {S}", "run"),
    ("minute", "song", "every {b.one} lasts {S}", "play"),
    ("point", "question", "each {b.one} is worth {S}", "answer"),
    ("point", "basket", "every {b.one} is worth {S}", "score"),
    ("point", "level", "each {b.one} gives {S}", "finish"),
    ("lemon", "pitcher of lemonade", "{an}{b.one} takes {S}", "make"),
    ("yard of fabric", "costume", "each {b.one} needs {S}", "sew"),
    ("candle", "cake", "each {b.one} has {S}", "decorate"),
    ("brick", "step", "{an}{b.one} takes {S}", "build"),
    ("flower", "bouquet", "each {b.one} has {S}", "make"),
    ("button", "coat", "each {b.one} needs {S}", "sew"),
    ("line", "poem", "each {b.one} has {S}", "write"),
    ("picture", "page", "there are {S} on each {b.one}", "fill"),
    ("word", "page", "there are {S} on each {b.one}", "type"),
    ("gallon", "tank", "each {b.one} holds {S}", "fill"),
    ("battery", "toy", "each {b.one} needs {S}", "buy"),
)


def parts(draft: Draft) -> None:
    """Measured in parts: cups a cake, miles a gallon, points a question."""
    questions: tuple[str, ...]
    unit, whole, each, doing = draft.pick(_PARTS)
    draft.person("p", roles=False)
    draft.tense = "past"
    groups, size = factors(draft, 400)
    if unit == "day":
        size = 7
    elif unit == "inch" and whole == "foot":
        size = 12
    elif unit in ("leg", "wheel"):
        size = 4
    draft.set(t=Thing(unit, plural(unit)), b=Thing(whole, plural(whole)), x="[his|the] car")
    draft.set(x=draft.pick(("the car", "the truck", "the van")))
    boxes = Thing(whole, plural(whole))
    draft.amount("g", groups, boxes)
    draft.amount("s", size)
    draft.amount("w", groups * size)
    draft.act("v", (doing or "count",))
    draft.kind = "groups"
    draft.spare = ["age", "date", "other_person"]
    match draft.rng.randint(0, 3):
        case 0 | 1:
            draft.gold = ("*", "g", "s")
            if not doing:
                draft.facts = [
                    Fact(each),
                    Fact("{p} has to wait {G}" if whole == "week" else "{p.s} rope is {G} long"),
                ]
                questions = ("how many {t} is that / / /",)
            else:
                draft.facts = draft.pick(
                    (
                        [Fact(each), Fact("{p} {v.past} {G}")],
                        [Fact("{p} {v.past} {G}"), Fact(each)],
                        [Fact("{p} wants to {v} {G}"), Fact(each)],
                    )
                )
                questions = (
                    "how many {t} is that [in all|altogether|] / / /",
                    "how many {t} / did {p~} need / {p~} needed / [in all|]"
                    if unit
                    not in (
                        "point",
                        "minute",
                        "mile",
                        "leg",
                        "wheel",
                        "line",
                        "word",
                        "page",
                        "picture",
                        "slice",
                    )
                    else "how many {t} are there [in all|altogether|] / / /",
                    "what is the total number of {t} / / /",
                )
        case 2:
            draft.gold = ("/", "w", "s")
            if not doing:
                draft.facts = [
                    Fact(each),
                    Fact("{p} waited {W}" if whole == "week" else "{p.s} rope is {W} long"),
                ]
                questions = ("how many {b} is that [in all|] / / /",)
            else:
                draft.facts = draft.pick(
                    (
                        [Fact(each), Fact("there were {W} [in all|altogether|]")],
                        [Fact("{p} has {W}"), Fact(each)],
                    )
                )
                questions = (
                    "how many {b} is that [in all|] / / /",
                    "how many {b} / did {p} {v} / {p} {v.past} / [in all|]",
                    "how many {b} / can {p} {v} / {p} can {v} / [altogether|]",
                )
        case _:
            if not doing:
                return parts(draft)
            draft.facts = draft.pick(
                (
                    [Fact("{p} {v.past} {G} with a total of {W}"), Fact("every {b.one} was the same")],
                    [Fact("{p} {v.past} {G}"), Fact("that made {W} [in all|altogether|]")],
                    [Fact("{G} need {W}"), Fact("they are all equal")],
                )
            )
            draft.gold = ("/", "w", "g")
            questions = (
                "how many {t} is that [for each|per] {b.one} / / /",
                "how many {t} / does each {b.one} have / each {b.one} has / [|in all]",
                "how many {t} / did {p~} use / {p~} used / for one {b.one}"
                if unit not in ("point", "minute", "mile")
                else "how many {t} is one {b.one} worth / / /",
            )
    draft.asks(questions)
    return None
