"""Vignettes: holders of things from all walks of life (a lake, an account, a ship) that fill and empty; and portions.

A vignette has a holder, what it holds, what brings more and what takes some away; told are two of start, change and
end, asked is the third, or how much more there is now.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from text2math.data.stories.grammar import items, listed, plural
from text2math.data.stories.world import Draft, Gold, Person, Thing
from text2math.data.stories.worlds import Choice, tell_world


@dataclass(frozen=True, slots=True)
class Vignette:
    """A holder with its preposition, the nouns it holds, and what happens to them; <x> is the change."""

    holder: str
    nouns: str
    gains: str
    losses: str
    low: int
    high: int


VIGNETTES: tuple[Vignette, ...] = (
    Vignette("in|a ship; a barge; a freighter", "ton of ore; ton of timber; ton of coal; container", "the crew takes on <x>; at the next port, workers add <x>; <x> are loaded in the harbor", "<x> are unloaded at the dock; <x> fall into the sea in a storm; the crew unloads <x>", 50, 60000),
    Vignette("in|the petri dish; the test tube; the sample", "bacteria cell", "<x> grow overnight; <x> are added by a scientist", "<x> die; a new medicine kills <x>", 20, 9000),
    Vignette("in|the lake; the pond; Mirror Lake; the reservoir", "fish; swan; duck; water lily", "rangers put in <x>; <x> are brought there in spring", "<x> die during the drought; <x> disappear over the winter; visitors take <x>", 20, 5000),
    Vignette("in|the county; the village; Alder County; the new district", "house; family; farm", "developers build <x>; <x> are built during the boom; <x> come in one summer", "a flood destroys <x>; <x> are torn down", 100, 90000),
    Vignette("in|the country; the city; the town; the valley", "inhabitant; citizen; resident", "<x> are born; <x> move there from abroad; <x> immigrate", "<x> emigrate; <x> move away; <x> leave for good", 500, 900000),
    Vignette("in|the account; her bank account; the savings account; the club's fund", "$", "<x> is deposited; the bank adds <x> in interest; a customer transfers <x> into it", "<x> is transferred out; <x> is withdrawn; a fee of <x> is taken out", 20, 30000),
    Vignette("on|the website; the server; the memory stick; the old computer", "photo; video; file; page", "users upload <x>; <x> are copied there; <x> are saved", "<x> are deleted; the editor removes <x>; a virus destroys <x>", 10, 3000),
    Vignette("in|the library; the school library; the town archive", "book; map; magazine; newspaper", "a donor brings <x>; <x> are bought with the new money; <x> are returned", "<x> are checked out; <x> are damaged by water and thrown out; <x> are lost", 30, 9000),
    Vignette("in|the park; the city park; the nature reserve", "linden tree; willow; hawthorn bush; elm; chestnut tree; bench", "workers plant <x> today; volunteers put up <x>; the gardener adds <x>", "workers cut down <x>; a storm destroys <x>; <x> are removed", 3, 150),
    Vignette("in|the barn; the shed; the stable", "bale of hay; sack of oats; bundle of straw; piece of firewood", "the farmer stacks <x>; <x> are brought in from the field", "the horses eat <x>; <x> are fed to the cows; <x> get wet and are thrown out", 4, 200),
    Vignette("in|the tank; the rain barrel; the aquarium; the bathtub", "gallon of water; liter of water", "<x> are pumped in; the rain adds <x>; a hose fills in <x>", "<x> leak out; <x> evaporate; the plants get <x>", 5, 900),
    Vignette("at|the museum; the gallery", "painting; statue; fossil; vase", "a collector donates <x>; <x> arrive from Italy", "<x> are lent to another museum; thieves steal <x>", 5, 800),
    Vignette("in|the drawer; the desk; the box; the cabinet; the toolbox", "candle; spoon; stamp; needle; thumbtack; paper clip; battery; key", "{p} places <x> there; {p} puts in <x>; {q} drops in <x>", "{p} takes <x>; {p} takes out <x>; {q} borrows <x>", 3, 90),
    Vignette("in|the vase; the flower bed; the window box", "carnation; iris; tulip; daisy; lily", "{p} picks <x> behind the house and adds them; {p} puts in <x>; {q} brings <x>", "<x> wilt; {p} throws out <x>; {p} gives <x> to {q}", 2, 40),
    Vignette("in|the bank; the piggy bank; the jar; the coin purse", "penny; nickel; dime; quarter; coin", "{p.s} [dad|grandma|aunt] gives {p~.him} <x>; {p} puts in <x>; {p} finds <x> on the street", "{p} spends <x>; {p.s} [sister|brother|mother] borrows <x>; {p} loses <x>", 3, 700),
    Vignette("at|the fruit stand; the roadside stand; the market stall", "peach; melon; pear; jar of jam; basket of plums", "{p} picks <x> and brings them; <x> are delivered", "<x> are sold; customers buy <x>; <x> go bad", 5, 120),
    Vignette("on|the truck; the train; the wagon; the cart", "crate; box; barrel; log; parcel", "workers load <x>; <x> are put on at the next stop", "workers unload <x>; <x> fall off on the way; <x> are delivered", 4, 400),
    Vignette("in|the warehouse; the factory; the storeroom", "tire; lamp; carton; engine; barrel of oil; bag of cement", "<x> arrive by train; the workers make <x>", "<x> are shipped; <x> are found to be broken; a fire ruins <x>", 20, 9000),
    Vignette("on|the farm; the ranch; the island", "sheep; cow; goat; hen; deer; lizard", "<x> are born in spring; the owner buys <x>", "<x> are sold; wolves kill <x>; <x> run away", 5, 900),
    Vignette("in|the oil field; the pipeline; the canister", "gallon of oil; liter of oil; gallon of gas", "<x> are pumped in; engineers add <x>", "<x> leak out before the pipe is fixed; <x> are burned", 50, 9000),
    Vignette("in|the theater; the stadium; the concert hall; the auditorium", "person; guest; fan; visitor", "<x> come late; <x> enter through the back door", "<x> leave early; <x> go home at the break", 20, 9000),
    Vignette("on|the list; the waiting list; the team list", "name; address; city", "{p} adds <x>; <x> are written down", "{p} crosses out <x>; <x> are deleted", 4, 200),
    Vignette("in|the pantry; the kitchen; the freezer", "can of soup; egg; bag of rice; jar of honey; pizza", "{p} buys <x>; {p.s} neighbor brings <x>", "{p.s} family eats <x>; {p} uses <x> for dinner; {p} gives <x> to a food bank", 3, 60),
    Vignette("in|the class; the school; the club; the choir", "student; member; girl; boy", "<x> join during the year; <x> transfer in", "<x> move away; <x> quit; <x> graduate", 5, 900),
    Vignette("on|the beach; the playground; the trail", "bottle; piece of trash; can; plastic bag", "the storm washes up <x>; visitors leave <x>", "{p} picks up <x>; volunteers collect <x>", 5, 900),
)  # fmt: skip


def vignette(draft: Draft) -> None:
    """A holder fills or empties once; a second noun may stand by unchanged."""
    scene = draft.pick(VIGNETTES)
    preposition, _, holders = scene.holder.partition("|")
    holder = draft.pick(items(holders))
    name = (
        holder if holder.startswith(("the ", "her ", "Mirror", "Alder")) else "the " + holder.split(" ", 1)[1]
    )
    nouns = items(scene.nouns)
    noun = draft.pick(nouns)
    thing = Thing("dollar", "dollars", "money", "money") if noun == "$" else Thing(noun, plural(noun))  # fmt: skip
    draft.person("p", roles=False)
    draft.person("q", roles=False)
    draft.set(t=thing, h=name, at=f"{preposition} {name}")
    draft.slots["o"] = Person(name, "it", "it", "its", "one", holder)
    gain = draft.chance(0.5)
    change = draft.pick(items(scene.gains if gain else scene.losses))
    a, b, c = _amounts(draft, scene, gain)
    for key, number in (("a", a), ("b", b), ("c", c)):
        draft.amount(key, number, thing)
    money = thing.kind == "money"
    facts, choices = _story(draft, change, gain, money)
    others = [other for other in nouns if other != noun and " of " not in other]
    if others and " of " not in noun and not money and draft.chance(0.3):
        other = draft.pick(others)
        draft.amount("d", draft.between(scene.low, min(scene.high, max(20, a))), Thing(other, plural(other)))
        facts.insert(
            draft.rng.randint(0, 1), "there are also {D} {at}" if draft.chance(0.5) else "{o} also has {D}"
        )
    draft.kind = "change"
    draft.spare = ["date"]
    tell_world(draft, tuple(facts), choices)


def _amounts(draft: Draft, scene: Vignette, gain: bool) -> tuple[int, int, int]:
    high = scene.high if draft.chance(0.5) else min(scene.high, max(60, 3 * scene.low))
    a = draft.between(scene.low + 1, high)
    b = draft.between(2, max(3, high // 2)) if gain else draft.rng.randint(1, a - 1)
    return a, b, a + b if gain else a - b


def _story(draft: Draft, change: str, gain: bool, money: bool) -> tuple[list[str], list[Choice]]:
    past = draft.chance(0.55)
    be = "is" if money else "are"
    had = ["{o} [originally|at first|] has {A}", f"there {be} {{A}} {{at}} [at first|]", f"there {be} [currently|] {{A}} {{at}}", f"[originally|in the beginning|last year|this morning], there {be} {{A}} {{at}}", "{o} starts with {A}"]  # fmt: skip
    some = [
        "there is some money {at}" if money else "there are some {t} {at}",
        "{o} has some {t.stuff}" if money else "{o} has {t.some}",
    ]
    now = ["now {o} has {C}", f"there {be} now {{C}} {{at}}", f"[now|as a result,] there {be} {{C}} {{at}}", f"[only|] {{C}} {be} left {{at}}" if not gain else f"when everything is done, there {be} {{C}} {{at}}"]  # fmt: skip
    more = "{B.more}" if gain and draft.chance(0.4) and not money else "{B}"
    unknown = "some money" if money else "some [more|]" if gain else "some of them"
    if draft.chance(0.4):
        return _scaled(draft, draft.pick(had), [text for text in now if "left" not in text], be, money)
    asked = draft.pick(("end", "end", "change", "change", "start"))
    what = "how much money" if money else "how many {t}"
    gold: Gold
    questions: tuple[str, ...]
    if asked == "end":
        facts = [draft.pick(had), change.replace("<x>", more)]
        if draft.chance(0.3) and not money:
            facts.append(draft.pick(_AGAIN[gain]))
        questions = (f"{what} {be} {{at}} now / / /", f"{what} / does {{o}} have / {{o}} has / [now|then|in the end|]", f"{what} {be} there [now|{'in all' if gain else 'left'}|] / / /", f"{what} / will {{o}} have / {{o}} will have / [then|when this is done|after that|]")  # fmt: skip
        gold = ("+" if gain else "-", "a", "b")
        if len(facts) == 3:
            draft.amount("e", draft.between(1, max(2, int(draft.amounts["b" if gain else "c"].value) - 1)))
            gold = ("+" if gain else "-", gold, "e")
    elif asked == "change":
        facts = [draft.pick(had), change.replace("<x>", unknown), draft.pick(now)]
        if draft.chance(0.25):
            facts.pop(1)
        gold = ("-", "c", "a") if gain else ("-", "a", "c")
        questions = (
            (f"how many more {{t}} {be} {{at}} now / / /", f"how many more {{t}} {be} there now [than before|] / / /")
            if gain
            else (f"how many fewer {{t}} {be} there now / / /", f"how many {{t}} {be} gone / / /", "how many {t} / did {o} lose / {o} lost /")
        )  # fmt: skip
        if gain:
            questions = (
                *questions,
                f"{what} {'was' if money else 'were'} added / / /",
                f"{what} / did {{o}} gain / {{o}} gained /",
            )
        if money:
            questions = tuple(question.replace("how many more {t}", "how much more money").replace("how many fewer {t}", "how much less money").replace("how many {t}", what) for question in questions)  # fmt: skip
    else:
        facts = [change.replace("<x>", more), draft.pick(now)]
        if draft.chance(0.5):
            facts.insert(0, draft.pick(some))
        gold = ("-", "c", "b") if gain else ("+", "b", "c")
        was = "was" if money else "were"
        questions = (f"{what} {was} {{at}} [at first|originally|before that|to begin with|in the beginning] / / /", f"{what} / did {{o}} [originally|] have / {{o}} [originally|] had / [at first|before|]")  # fmt: skip
    if past and asked != "change":
        facts = [_in_past(fact) if "{C}" not in fact else fact for fact in facts]
    elif past:
        facts = [_in_past(facts[0]), *(_in_past(fact) for fact in facts[1:-1]), facts[-1]]
    return facts, [(questions, gold)]


def _scaled(draft: Draft, had: str, now: list[str], be: str, money: bool) -> tuple[list[str], list[Choice]]:
    """The amount becomes so many times what it was; asked: what it is, or what it was."""
    n = draft.between(2, 9)
    draft.count("n", n)
    before = draft.amounts["a"].value
    draft.amount("c", n * before)
    what = "how much money" if money else "how many {t}"
    number = "the amount" if money else "the number of {t}"
    if draft.chance(0.5):
        grown = (f"[since then|after that|in one year], {number} [grew|grows] to {{n}} times that", f"{number} is now {{n}} times as large", f"now {number} is {{n}} times as large as [before|it was]")  # fmt: skip
        asked = (f"{what} {be} {{at}} now / / /", f"{what} / does {{o}} have / {{o}} has / [now|then|]", f"{what} {be} there [now|in all|] / / /")  # fmt: skip
        return [had, draft.pick(grown)], [(asked, ("*", "a", "n"))]
    shrunk = ("that is {n} times as [much|many] as [last year|before]", "this is {n} times what it was [before|in the beginning|at first]", "since last year, the number has become {n} times as large")  # fmt: skip
    facts = [draft.pick(now), draft.pick(shrunk).replace("[much|many]", "much" if money else "many")]
    was = "was" if money else "were"
    questions = (f"{what} {was} {{at}} [at first|originally|before that|to begin with|before] / / /", f"{what} / did {{o}} [originally|] have / {{o}} [originally|] had / [at first|before]")  # fmt: skip
    return facts, [(questions, ("/", "c", "n"))]


_AGAIN = {
    True: (
        "[tomorrow|later|the next day|after that], {E.more} are added",
        "another {E} come later",
        "then {E.more} come",
    ),
    False: (
        "[later|the next day|after that], {E.more} are lost",
        "then another {E} go",
        "{E.more} go the next day",
    ),
}
_PAST = {
    "is": "was", "are": "were", "has": "had", "starts": "started", "die": "died", "grow": "grew", "fall": "fell", "leak": "leaked", "evaporate": "evaporated", "come": "came", "go": "went",
    "build": "built", "kills": "killed", "put": "put", "puts": "put", "disappear": "disappeared", "take": "took", "takes": "took", "destroys": "destroyed", "move": "moved", "immigrate": "immigrated",
    "emigrate": "emigrated", "leave": "left", "adds": "added", "add": "added", "transfers": "transferred", "upload": "uploaded", "removes": "removed", "brings": "brought", "plant": "planted", "cut": "cut",
    "cuts": "cut", "stacks": "stacked", "eat": "ate", "eats": "ate", "get": "got", "fills": "filled", "donates": "donated", "arrive": "arrived", "steal": "stole", "places": "placed", "drops": "dropped",
    "borrows": "borrowed", "throws": "threw", "wilt": "wilted", "gives": "gave", "finds": "found", "spends": "spent", "loses": "lost", "picks": "picked", "buy": "bought", "buys": "bought", "load": "loaded",
    "unload": "unloaded", "unloads": "unloaded", "make": "made", "ruins": "ruined", "kill": "killed", "run": "ran", "enter": "entered", "crosses": "crossed", "uses": "used", "join": "joined", "quit": "quit",
    "graduate": "graduated", "transfer": "transferred", "washes": "washed", "collect": "collected",
}  # fmt: skip


def _in_past(text: str) -> str:
    """A clause of the tables in the past: "a flood destroys 3" is told as "a flood destroyed 3"."""
    text = text.replace(" today", "").replace("currently", "")
    return " ".join(_PAST.get(word, word) for word in text.split(" "))


# Portions ----------------------------------------------------------------------------------------------------

#: What is done with small amounts: the person's deed, the unit, what is measured.
PORTIONS: tuple[tuple[str, str, str], ...] = (
    ("use", "cup; tablespoon; teaspoon", "flour; sugar; butter; oil; cinnamon; nutmeg; milk; salt; baking powder; cocoa; oats; honey"),
    ("buy", "pound; kilogram; ounce", "ham; cheese; turkey; peanuts; walnuts; raisins; grapes; rice; salmon; almonds"),
    ("drink", "bottle; glass; liter; pint; cup", "lemonade; water; apple juice; orange juice; milk; cola; iced tea"),
    ("use", "yard; meter; foot", "red ribbon; white ribbon; velvet; silk; felt; lace; string; wire"),
    ("pick", "bucket; basket; bushel; kilogram", "cherries; plums; blueberries; apples; peas; beans"),
    ("eat", "bowl; bag; box", "popcorn; crackers; chips; trail mix"), ("burn", "scoop; bundle; bag; ton", "oak logs; coal; wood chips; pinecones"),
    ("pour", "gallon; quart; bucket; liter", "blue paint; white paint; sand; gravel; cement; water"), ("mix", "gram; liter; milliliter; scoop", "salt; acid; dye; plaster; clay; iron powder"),
)  # fmt: skip
_DECIMALS = (Fraction(1, 8), Fraction(1, 4), Fraction(3, 8), Fraction(1, 2), Fraction(5, 8), Fraction(3, 4), Fraction(1, 5), Fraction(2, 5), Fraction(3, 5), Fraction(4, 5), Fraction(1, 10), Fraction(3, 10), Fraction(7, 10), Fraction(9, 10))  # fmt: skip
_THIRDS = (Fraction(1, 2), Fraction(1, 3), Fraction(2, 3), Fraction(1, 4), Fraction(3, 4), Fraction(1, 6), Fraction(5, 6), Fraction(1, 8), Fraction(3, 8), Fraction(2, 5))  # fmt: skip


def portions(draft: Draft) -> None:
    """Two or three small amounts: cups, pounds, parts of a mile; asked: all, two of them, the difference."""
    verb, units, stuffs = draft.pick(PORTIONS)
    unit = draft.pick(items(units))
    count = draft.pick((2, 2, 3))
    names = draft.rng.sample(items(stuffs), count)
    draft.person("p")
    draft.act("v", (verb,))
    draft.tense = "past"
    draft.kind = "combine"
    draft.style = draft.pick(("fraction", "digits"))
    drawn = draft.rng.sample(_THIRDS if draft.style == "fraction" else _DECIMALS, count)
    whole = draft.pick((0, 0, 0, 2, 9))
    for index, (name, part) in enumerate(zip(names, drawn, strict=True)):
        number = part + draft.between(0, whole)
        few = number <= 1
        draft.set(**{f"k{index}": name})
        draft.count("abc"[index], number)
        draft.set(**{f"u{index}": ("of " + ("an " if unit[0] in "aeiou" else "a ") if few and draft.style == "fraction" and draft.chance(0.5) else "") + (unit if few else plural(unit))})  # fmt: skip
    phrases = [f"{{{'abc'[index]}}} {{u{index}}} of {{k{index}}}" for index in range(count)]
    facts = ["{p~} {v.past} " + listed(phrases)]
    if draft.chance(0.4):
        facts = [f"{{p~}} {{v.past}} {phrase}" for phrase in phrases]
    draft.set(us=plural(unit))
    many = "[how much|how many {us}]" if draft.chance(0.5) else "how many {us}"
    gold: Gold = ("+", "a", "b")
    together: Gold = ("+", gold, "c") if count == 3 else gold
    everything = listed([f"{{k{index}}}" for index in range(count)])
    choices: list[Choice] = [
        ((f"how many {{us}} of {everything} / did {{p}} {{v}} / {{p}} {{v.past}} / [in all|altogether|in total|]", f"{many} / did {{p}} {{v}} / {{p}} {{v.past}} / [in all|altogether|in total]"), together),
    ]  # fmt: skip
    if count == 3:
        choices.append((("how many {us} of {k0} and {k1} / did {p} {v} / {p} {v.past} / [in all|]",), gold))
    for one, two in ((0, 1), (1, 0)):
        if drawn[one] > drawn[two] and not whole:
            difference: Gold = ("-", "ab"[one], "ab"[two])
            choices.append(((f"how much more {{k{one}}} than {{k{two}}} / did {{p}} {{v}} / {{p}} {{v.past}} /", f"how much less {{k{two}}} than {{k{one}}} / did {{p}} {{v}} / {{p}} {{v.past}} /", f"how many more {{us}} of {{k{one}}} than of {{k{two}}} / did {{p}} {{v}} / {{p}} {{v.past}} /"), difference))  # fmt: skip
    draft.spare = ["age", "date"]
    tell_world(draft, tuple(facts), choices)
