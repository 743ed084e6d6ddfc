"""Sayings: more sentences for equations, each a line with its own words; the last number follows from the others."""

from __future__ import annotations

from fractions import Fraction

from text2math.data.stories.grammar import in_digits, in_words
from text2math.data.stories.mathematics import value
from text2math.data.stories.world import Draft, Fact, Gold, Phrase

_SUM: Gold = ("+", "X1", "X2")
_DIFFERENCE: Gold = ("-", "X1", "X2")
_K: Gold = ("*", "k", "X1")
_KA: Gold = ("+", ("*", "k", "X1"), "a")
_KS: Gold = ("-", ("*", "k", "X1"), "a")

#: Text with ``<phrase>`` for each unknown in turn, and the left side; the right side is {b} unless the gold has its own "=".
#: {k} a small factor ("twice", "5 times" in {K}), {a} and {c} numbers, {f} a fraction or percentage.
SAYINGS: tuple[tuple[str, Gold], ...] = (
    # one unknown
    ("if <a [mystery|secret|hidden] number> is [increased by|raised by] {a}, the [new number|outcome|sum] is {b}", ("+", "X1", "a")),
    ("<my number> [increased by|plus] {a} [is|gives|makes] {b}", ("+", "X1", "a")),
    ("adding {a} to <a number> [gives|makes|results in] {b}", ("+", "X1", "a")),
    ("{a} and <some number> [make|add up to|total] {b}", ("+", "a", "X1")),
    ("<a number> and {a} together make {b}", ("+", "X1", "a")),
    ("taking {a} from <a number> leaves {b}", ("-", "X1", "a")),
    ("subtracting {a} from <[an unknown|a certain] number> [gives|leaves] {b}", ("-", "X1", "a")),
    ("<the number> less {a} [comes to|is] {b}", ("-", "X1", "a")),
    ("<a number> falls short of {b} by {a}", ("+", "X1", "a")),
    ("<a number> is over {b} by {a}", ("-", "X1", "a")),
    ("multiplying <a number> by {k} [gives|produces|yields] {b}", ("*", "X1", "k")),
    ("{k} multiplied by <a number> [equals|is] {b}", _K),
    ("<a number> multiplied by {k} [makes|is|equals] {b}", ("*", "X1", "k")),
    ("dividing <a number> by {k} [gives|yields|leaves] {b}", ("/", "X1", "k")),
    ("<a [natural|whole] number> over {k} [equals|makes] {b}", ("/", "X1", "k")),
    ("the quotient when <a number> is divided by {k} is {b}", ("/", "X1", "k")),
    ("{K} <a number> [decreased by|less|diminished by] {a} [is|equals|makes] {b}", _KS),
    ("{K} <an integer> [increased by|plus|and] {a} [is|makes|equals|totals] {b}", _KA),
    ("when {K} <a number> is decreased by {a}, the [answer|outcome] is {b}", _KS),
    ("when {K} <a number> is increased by {a}, the [answer|outcome] is {b}", _KA),
    ("if {a} is taken away from {K} <a number>, {b} [remains|is left]", _KS),
    ("if {a} is added to {K} <some number>, the total is {b}", _KA),
    ("{a} subtracted from {K} <a number> [makes|equals|is] {b}", _KS),
    ("{a} added to {K} <a number> [makes|equals|is] {b}", _KA),
    ("{b} [equals|is the same as] {K} <a number> plus {a}", _KA),
    ("{b} is obtained when {a} is subtracted from {K} <a number>", _KS),
    ("{two} the sum of <a number> and {a} comes to {b}", ("*", "two", ("+", "X1", "a"))),
    ("{k} times the sum of <a number> and {a} [comes to|is|totals] {b}", ("*", "k", ("+", "X1", "a"))),
    ("{k} times the result of subtracting {a} from <a number> is {b}", ("*", "k", ("-", "X1", "a"))),
    ("{f} of <[a number|a certain number|my savings|the students|the budget]> [is|comes to|equals] {b}", ("*", "f", "X1")),
    ("{b} is {f} of <[what number|some number|the total|the whole group]>", ("*", "f", "X1")),
    ("{f} of <a number>, [increased by|plus] {a}, [equals|is] {b}", ("+", ("*", "f", "X1"), "a")),
    ("{f} of <a number> [less|minus|decreased by] {a} is {b}", ("-", ("*", "f", "X1"), "a")),
    ("in {a} years <[Rosa|Omar|the tree|the cat]> will be {b} [years old|]", ("+", "X1", "a")),
    ("{a} years ago, <[Nadia|Hugo|the building|the dog]> was {b} [years old|]", ("-", "X1", "a")),
    ("after spending {A}, <[she|he|the family|Ravi]> had {B} left", ("-", "X1", "a")),
    ("<the price of the [coat|phone|chair]> went [up|up by] {A} [to|and is now] {B}", ("+", "X1", "a")),
    ("<the price of the [coat|phone|chair]> was cut by {A} to {B}", ("-", "X1", "a")),
    ("{k} [friends|workers|players] shared <the [money|prize|bill]> equally and each got {B}", ("/", "X1", "k")),
    ("{k} [tickets|shirts|books] at <[the same price|one price each]> cost {B}", _K),
    ("the sum of <a number>, {a} and {c} is {b}", ("+", ("+", "X1", "a"), "c")),
    ("think of <a number>, multiply it by {k}, and you get {b}", ("*", "X1", "k")),
    ("take <a number>, add {a}, and the result is {b}", ("+", "X1", "a")),
    ("take {K} <a number>, subtract {a}, and {b} remains", _KS),
    ("{K} <a number> is {a} more than {c} times the number", ("=", _K, ("+", ("*", "c", "X1"), "a"))),
    ("{K} <a number> is the same as {c} times the number [plus|increased by] {a}", ("=", _K, ("+", ("*", "c", "X1"), "a"))),
    ("{K} <a number> less {a} equals {c} times that number", ("=", _KS, ("*", "c", "X1"))),
    ("{a} less than {K} <a number> is equal to {c} times [the|that|the same] number", ("=", _KS, ("*", "c", "X1"))),
    ("{a} more than {K} <a number> is the same as {c} times [the|that|the same] number", ("=", _KA, ("*", "c", "X1"))),
    ("if {a} is subtracted from {K} <a number>, the difference is {c} times the number", ("=", _KS, ("*", "c", "X1"))),
    ("<a number> plus {f} of itself is {b}", ("+", "X1", ("*", "f", "X1"))),
    ("<a number> minus {f} of itself [is|leaves] {b}", ("-", "X1", ("*", "f", "X1"))),
    ("<a number> exceeds {f} of itself by {b}", ("-", "X1", ("*", "f", "X1"))),
    ("<[the rent|the fare|the membership fee|the population|the toll|the water level]> [rose|went up|increased|climbed] {f} to {b}", ("+", "X1", ("*", "f", "X1"))),
    ("<[the rent|the fare|the membership fee|the population|the toll|the water level]> [fell|went down|decreased|dropped] {f} to {b}", ("-", "X1", ("*", "f", "X1"))),
    ("<[sales|visitors|profits|the herd]> [grew|rose] by {a} to {b}", ("+", "X1", "a")),
    ("<[sales|visitors|profits|the herd]> [fell|shrank|dropped] by {a} to {b}", ("-", "X1", "a")),
    ("[the city|the club|the company] raised <[fares|fees|prices|wages]> by {f} to {B}", ("+", "X1", ("*", "f", "X1"))),
    ("[the city|the club|the company] cut <[fares|fees|prices|costs]> by {f} to {B}", ("-", "X1", ("*", "f", "X1"))),
    ("with a {f} discount, <the [coat|bike|tent]> costs {B}", ("-", "X1", ("*", "f", "X1"))),
    ("with a tip of {f}, <the [bill|meal|dinner]> comes to {B}", ("+", "X1", ("*", "f", "X1"))),
    # two unknowns
    ("a total of {B} is invested, <part at {f}> and <the rest at {g}>", _SUM),
    ("{B} is invested in two [funds|accounts], <one paying {f}> and <the other paying {g}>", _SUM),
    ("[Lena|Omar|an investor|a widow] invested {B}, <part at {f}> and <[part|the rest|the remainder] at {g}> [interest|a year|]", _SUM),
    ("[a club|an heir|Petra] puts {B} into two accounts, <some at {f}> and <some at {g}> [annual|yearly|simple|] interest", _SUM),
    ("the interest on <the amount at {f}> and <the amount at {g}> is {B}", ("+", ("*", "f", "X1"), ("*", "g", "X2"))),
    ("<the first account> at {f} and <the second> at {g} [yield|earn|bring in] {B}", ("+", ("*", "f", "X1"), ("*", "g", "X2"))),
    ("<[Jim|Rosa|the club]> [saves|plans to save|earns|collects] {A} [a|every|each] <[week|month|day]>", ("=", "X1", ("*", "a", "X2"))),
    ("<[the second plan|the taxi|the garage]> costs {A} per <[mile|hour|day]> with no other fee", ("=", "X1", ("*", "a", "X2"))),
    ("<[the first plan|the truck rental|the plumber|the hall]> [costs|charges] {A} [a day|] [plus|and] {C} [per|for each|for every] <[mile|hour|guest|meal]>", ("=", "X1", ("+", "a", ("*", "c", "X2")))),
    ("<[novelists|painters|actors]> and <[poets|potters|singers]> are in the ratio {a} to {c}", ("=", ("/", "X1", "X2"), ("/", "a", "c"))),
    ("the ratio of <[novelists|painters|swimmers]> to <[poets|potters|runners]> is {a} to {c}", ("=", ("/", "X1", "X2"), ("/", "a", "c"))),
    ("<two numbers><> are in the ratio {a} to {c}", ("=", ("/", "X1", "X2"), ("/", "a", "c"))),
    ("they <won> {a} [games|matches] more than they <[lost|tied]>", ("=", "X1", ("+", "X2", "a"))),
    ("<the [second|third] angle> is {a} degrees [larger|more|greater] than {K} <the first [angle|one]>", ("=", "X1", ("+", ("*", "k", "X2"), "a"))),
    ("<the [second|third] angle> is {a} degrees [smaller|less] than {K} <the first [angle|one]>", ("=", "X1", ("-", ("*", "k", "X2"), "a"))),
    ("he put {K} as much money into <[the fund|bonds]> as into <[savings|the bank]>", ("=", "X1", ("*", "k", "X2"))),
    ("she [works|walks|drives] {K} as long [in the morning|at home] on <[Monday|Friday]> as on <[Tuesday|Sunday]>", ("=", "X1", ("*", "k", "X2"))),
    ("<a number> and {K} <another> make {b}", ("+", "X1", ("*", "k", "X2"))),
    ("the sum of <a number> and {K} <another number> is {b}", ("+", "X1", ("*", "k", "X2"))),
    ("<child tickets> at {A} and <adult tickets> at {C} brought in {B}", ("+", ("*", "a", "X1"), ("*", "c", "X2"))),
    ("the team scored {b} points with <long shots> worth {c} points each and <free throws> worth {a} points each", ("+", ("*", "c", "X1"), ("*", "a", "X2"))),
    ("a board {b} [feet|inches|meters] long is [cut|sawed] into <two pieces><>", _SUM),
    ("against <the [wind|current]>, <the [bird|canoe|ferry]> makes {b} [miles|kilometers] an hour", ("-", "X2", "X1")),
    ("<one number> and <another> [add up to|have a sum of|make] {b}", _SUM),
    ("<a number> added to <a larger number> [is|makes] {b}", _SUM),
    ("adding <the first number> and <the second number> gives {b}", _SUM),
    ("<the larger> minus <the smaller> [is|equals|leaves] {b}", _DIFFERENCE),
    ("subtracting <the smaller number> from <the larger number> gives {b}", ("-", "X2", "X1")),
    ("<the larger of two numbers> is {a} more than <the smaller one>", ("=", "X1", ("+", "X2", "a"))),
    ("<the smaller of two numbers> is {a} less than <the larger one>", ("=", "X1", ("-", "X2", "a"))),
    ("<a first number> is {a} [more|greater] than <a second one>", ("=", "X1", ("+", "X2", "a"))),
    ("<X> is {a} less than <Y>", ("=", "X1", ("-", "X2", "a"))),
    ("<x> is {K} <y>", ("=", "X1", ("*", "k", "X2"))),
    ("<x> is {a} more than {K} <y>", ("=", "X1", ("+", ("*", "k", "X2"), "a"))),
    ("<the larger number> is {a} more than {K} <the smaller one>", ("=", "X1", ("+", ("*", "k", "X2"), "a"))),
    ("<the larger number> is {a} less than {K} <the smaller one>", ("=", "X1", ("-", ("*", "k", "X2"), "a"))),
    ("{K} <one number> and {c} times <another> add up to {b}", ("+", ("*", "k", "X1"), ("*", "c", "X2"))),
    ("{K} <the first number> less <the second number> [is|makes] {b}", ("-", ("*", "k", "X1"), "X2")),
    ("<the first> of the numbers plus {K} <the second> makes {b}", ("+", "X1", ("*", "k", "X2"))),
    ("the product of <two [unknown|whole|consecutive|positive] numbers><> is {b}", ("*", "X1", "X2")),
    ("<one number> times <another number> [is|equals] {b}", ("*", "X1", "X2")),
    ("<a number> divided by <another number> [is|equals] {k}", ("=", ("/", "X1", "X2"), "k")),
    ("the quotient of <two [numbers|integers]><> is {k}", ("=", ("/", "X1", "X2"), "k")),
    ("<one angle> and <the other angle> [add up to|make] {b} degrees", _SUM),
    ("<the length> is {a} [feet|inches|meters|centimeters] more than {K} <the width>", ("=", "X1", ("+", ("*", "k", "X2"), "a"))),
    ("<the length> is {a} [feet|inches|meters|centimeters] less than {K} <the width>", ("=", "X1", ("-", ("*", "k", "X2"), "a"))),
    ("<the length> of the [garden|lawn|box] is {K} <its width>", ("=", "X1", ("*", "k", "X2"))),
    ("the perimeter of a [garden|field|frame] is {b} [feet|meters], {two} the sum of <its length> and <its width>", ("*", "two", _SUM)),
    ("<men> and <women> in the [hall|bus|audience] number {b}", _SUM),
    ("a total of {b} people, <adults> and <children>, came to the [show|game|concert]", _SUM),
    ("altogether {b} tickets were sold, some <adult tickets> and the others <student tickets>", _SUM),
    ("each of <the adults> paid {A} and each of <the children> paid {C}, and {B} was collected", ("+", ("*", "a", "X1"), ("*", "c", "X2"))),
    ("<adult tickets> cost {A} and <student tickets> cost {C}, and the [box office|school|theater] took in {B}", ("+", ("*", "a", "X1"), ("*", "c", "X2"))),
    ("tickets were {A} for <adults> and {C} for <children>, for a total of {B}", ("+", ("*", "a", "X1"), ("*", "c", "X2"))),
    ("<nuts> at {A} a pound and <raisins> at {C} a pound make a mix worth {B}", ("+", ("*", "a", "X1"), ("*", "c", "X2"))),
    ("<[Lena|Marco|the teacher]> is {a} years older than <[Ivan|Petra|the student]>", ("=", "X1", ("+", "X2", "a"))),
    ("<[Lena|Marco]> is {a} years younger than <[Ivan|Petra]>", ("=", "X1", ("-", "X2", "a"))),
    ("<[Lena|Marco|the father]> is {K} as old as <[Ivan|Petra|the son]>", ("=", "X1", ("*", "k", "X2"))),
    ("the ages of <[Lena|Marco|the mother]> and <[Ivan|Petra|the daughter]> add up to {b}", _SUM),
    ("the combined age of <[the twins|two brothers|two cousins]><> is {b}", _SUM),
    ("<[the boat|the canoe|the swimmer]> goes {b} [miles|kilometers] an hour with <the current>", _SUM),
    ("against <the [wind|current]>, <the [plane|boat]> goes {b} [miles|kilometers] an hour", ("-", "X2", "X1")),
    ("with <the wind>, <the plane> flies {b} miles an hour", _SUM),
    ("<[the jacket|the desk|the printer]> costs {A} more than <[the shirt|the chair|the scanner]>", ("=", "X1", ("+", "X2", "a"))),
    ("<[the jacket|the desk]> costs {A} less than {K} as much as <[the shirt|the chair]>", ("=", "X1", ("-", ("*", "k", "X2"), "a"))),
    ("<[the jacket|the desk]> costs {K} as much as <[the shirt|the chair]>", ("=", "X1", ("*", "k", "X2"))),
    ("together, <[the jacket|the desk]> and <[the shirt|the chair]> cost {B}", _SUM),
    ("{k} <[apples|plums|lemons]> and a <[pear|melon|mango]> cost {B}", ("+", ("*", "k", "X1"), "X2")),
    ("a <[ruler|pencil case|notebook]> and {k} <[pens|markers|erasers]> cost {B}", ("+", "X1", ("*", "k", "X2"))),
    ("{k} <[apples|pens]> cost as much as {c} <[pears|markers]>", ("=", ("*", "k", "X1"), ("*", "c", "X2"))),
    ("{B} was split between <[savings|the first fund]> and <[bonds|the second fund]>", _SUM),
    ("{f} of <one number> [is|equals] {g} of <another number>", ("=", ("*", "f", "X1"), ("*", "g", "X2"))),
    ("{f} of <the first number> plus {g} of <the second> is {b}", ("+", ("*", "f", "X1"), ("*", "g", "X2"))),
    ("a [chemist|nurse] mixes <a {f} solution> with <a {g} solution> to make {b} [liters|ounces|gallons]", _SUM),
    ("<the amount at {f}> and <the amount at {g}> [total|add up to] {B}", _SUM),
    ("<[the bakery|the north store|the first machine]> made {a} more than <[the cafe|the south store|the second machine]>", ("=", "X1", ("+", "X2", "a"))),
    ("<[the Hawks|our team|the winner]> beat <[the Owls|their team|the loser]> by {a} [points|votes|runs]", ("=", "X1", ("+", "X2", "a"))),
    ("<[the Hawks|our team]> scored {K} as many points as <[the Owls|their team]>", ("=", "X1", ("*", "k", "X2"))),
    ("<two [sisters|brothers|friends|teams]><> [collected|sold|picked up|have] {b} [stamps|boxes|flowers|shells] [together|between them|in all]", _SUM),
    ("there were {K} as many <[cats|cows|hens]> as <[dogs|goats|ducks]>", ("=", "X1", ("*", "k", "X2"))),
    ("there were {a} fewer <[cars|trucks|bikes]> than <[vans|buses|scooters]>", ("=", "X1", ("-", "X2", "a"))),
    ("a [farmer|shop|zoo] has {b} <[hens|goats|parrots]> and <[ducks|sheep|owls]> [in all|altogether|]", _SUM),
    ("<[hens|sparrows]> and <[pigs|rabbits]> together have {b} heads", _SUM),
    ("{two_} legs for each of <the hens> and {four} legs for each of <the pigs> make {b} legs", ("+", ("*", "two_", "X1"), ("*", "four", "X2"))),
)  # fmt: skip

_FRACTIONS = (
    ("1/3", Fraction(1, 3)), ("2/3", Fraction(2, 3)), ("3/4", Fraction(3, 4)), ("half", Fraction(1, 2)), ("a third", Fraction(1, 3)), ("one fourth", Fraction(1, 4)), ("two thirds", Fraction(2, 3)),
    ("20%", Fraction(1, 5)), ("15%", Fraction(3, 20)), ("40 percent", Fraction(2, 5)), ("75%", Fraction(3, 4)), ("0.6", Fraction(3, 5)), ("one half", Fraction(1, 2)), ("30%", Fraction(3, 10)),
    ("5%", Fraction(1, 20)), ("10%", Fraction(1, 10)), ("25%", Fraction(1, 4)), ("50%", Fraction(1, 2)),
)  # fmt: skip


#: Openings with a number that the equation does not need.
_CIRCUMSTANCES = (
    "in puzzle {z}, ", "on page {z}, we read that ", "over {z} [years|seasons|weeks], ", "in just {z} days, ", "in a class of {z} students, someone says: ", "on day {z} of the [course|trip], ",
    "for {z} points: ", "in {z} minutes, the teacher writes that ", "on a list of {z} facts, ", "according to {z} [witnesses|reports], ",
)  # fmt: skip


def saying(draft: Draft) -> None:
    """One of the lines, with numbers."""
    text, left = draft.pick(SAYINGS)
    draft.kind, draft.layout, draft.tense = "equation", "statement", "present"
    draft.style = draft.pick(("digits", "digits", "mixed", "words"))
    for name in ("X1", "X2"):
        before, found, rest = text.partition("<")
        if found:
            phrase, _, after = rest.partition(">")
            draft.slots[name] = Phrase(phrase)
            text = f"{before}{{{name}}}{after}"
    if draft.chance(0.12):
        draft.count("z", draft.between(2, 30))
        text = draft.pick(_CIRCUMSTANCES) + text
    draft.facts = [Fact(text)]
    for _ in range(20):
        _draw(draft, text, left)
        if left[0] == "=":
            draft.gold = left
            return
        x = {name: Fraction(draft.between(2, 60)) * (20 if "{f}" in text else 1) for name in ("X1", "X2")}
        result = value(left, x | {key: amount.value for key, amount in draft.amounts.items()})
        if result > 0 and result.denominator == 1:
            break
    if "{B}" in text:
        draft.money("b", result)
    else:
        _number(draft, "b", result)
    draft.gold = ("=", left, "b")


def _draw(draft: Draft, text: str, left: Gold) -> None:
    """The numbers that the line may speak of."""
    k = draft.between(2, 9)
    _number(draft, "k", k)
    draft.slots["K"] = Phrase("{k} times")
    if "{K}" in text and (k == 2 or draft.chance(0.2)):
        draft.count("k", 2, "twice")
        draft.slots["K"] = Phrase("{k}")
    rates = [pair for pair in _FRACTIONS if "%" in pair[0]] if "{f} of" not in text else _FRACTIONS
    part, share = draft.rng.sample(rates, 2)
    draft.count("f", part[1], part[0])
    draft.count("g", share[1], share[0])
    for key, high in (("a", 40), ("c", 20)):
        number = draft.between(2, high)
        if "{A}" in text:
            draft.money(key, number)
        else:
            _number(draft, key, number)
    for key, number, word in (
        ("two", 2, draft.pick(("twice", "double"))),
        ("two_", 2, "two"),
        ("four", 4, "four"),
    ):
        draft.count(key, number, word)


def _number(draft: Draft, key: str, number: int | Fraction) -> None:
    """A number in digits, or in words now and then."""
    number = Fraction(number)
    small = number.denominator == 1 and 0 <= number <= 20
    draft.count(
        key,
        number,
        in_words(int(number))
        if small and draft.chance(0.25)
        else in_digits(number, separator=number >= 10000),
    )
