"""The summary of docs/reproduction.md: what was reproduced and what was not, and what accounts for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from reported import NONE, change, figure, from_published, is_reproduced

from text2math.evaluation.paper import OWN, PIPELINE, ROWS
from text2math.evaluation.tables import Results
from text2math.evaluation.variants import PAPER, RULES

TITLES = {"ai2": "AI2", "il": "IL", "equations": "equations"}
ARITHMETIC = ("ai2", "il")
TWINS = "twins"  # experiments/results/twins.json among the results
GOLD_NUMBERS = "equations/paper/paper"
PUBLISHED = {"ai2": 85.8, "il": 80.4, "equations": 73.2}  # Text2Math; for equations, + g
WITHOUT_LEXICON = {"ai2": 76.8, "il": 69.4}


def on_one_screen(found: Results) -> list[list[str]]:
    """The paper's figures and ours under its protocol, with their differences."""
    unnamed, twins = f"{GOLD_NUMBERS}:unnamed", f"{TWINS}:unnamed"

    def ours(name: str, published: dict[str, float], last: Sequence[str]) -> Iterator[list[str]]:
        keys = [f"{dataset}/{name}/paper" for dataset in ARITHMETIC]
        yield [*(figure(found, key) for key in keys), last[0]]
        both = zip(keys, ARITHMETIC, strict=True)
        yield [*(from_published(found, key, published[dataset]) for key, dataset in both), last[1]]

    away, twins_away = (from_published(found, name, PUBLISHED["equations"]) for name in (unnamed, twins))
    ruled = ours(
        RULES,
        PUBLISHED,
        (f"{figure(found, unnamed)}; with twins {figure(found, twins)}", f"{away}; with twins {twins_away}"),
    )
    without = ours(f"{RULES}+no-lexicon", WITHOUT_LEXICON, ("", ""))
    gold = [GOLD_NUMBERS, "equations/full/paper"]
    alone, full = (
        ours(name, PUBLISHED, (figure(found, key), from_published(found, key, PUBLISHED["equations"])))
        for name, key in zip((PAPER, "full"), gold, strict=True)
    )
    away_from_rules = [change(found, f"{d}/{RULES}/paper", f"{d}/{PIPELINE}/paper") for d in ARITHMETIC]
    rules_row = (
        "`paper-rules`: its features, and the published program's rules that need no gold; for equations "
        "`paper`, scored as that program does (`unnamed`)"
    )
    away_row = "difference from the paper"
    return [
        ["", *TITLES.values()],
        ["the paper: Text2Math; for equations, + g", *(f"{value:.1f}" for value in PUBLISHED.values())],
        [rules_row, *next(ruled)],
        [away_row, *next(ruled)],
        ["the paper, − lex", *(f"{value:.1f}" for value in WITHOUT_LEXICON.values()), "73.2"],
        ["`paper-rules+no-lexicon`: the rules without the word list", *next(without)],
        [away_row, *next(without)],
        ["`paper`: its features alone", *next(alone)],
        [away_row, *next(alone)],
        [
            "a competitor: local classifiers and a search",
            *(figure(found, f"{dataset}/{PIPELINE}/paper") for dataset in ARITHMETIC),
            NONE,
        ],
        ["difference from `paper-rules`", *away_from_rules, ""],
        ["`full`: our discrete model", *next(full)],
        [away_row, *next(full)],
    ]


def reproduced(found: Results) -> str:
    """Which of the paper's rows are within the interval of ``paper-rules``, and which are not."""
    within: list[str] = []
    outside: list[str] = []
    for dataset in ARITHMETIC:
        names: dict[bool, list[str]] = {True: [], False: []}
        for system, key, published in _ruled(dataset):
            if (inside := is_reproduced(found, key, published)) is not None:
                away = "" if inside else f", {from_published(found, key, published)}"
                names[inside].append(f"{system}{away}")
        within += [f"{TITLES[dataset]}: {', '.join(names[True])}."] if names[True] else []
        outside += [f"{TITLES[dataset]}: {'; '.join(names[False])}."] if names[False] else []
    twins = f"{TWINS}:unnamed"
    if (inside := is_reproduced(found, twins, PUBLISHED["equations"])) is not None:
        away = from_published(found, twins, PUBLISHED["equations"])
        (within if inside else outside).append(
            "Equations with gold numbers, trained and scored as the published program does it (twins of test "
            f"sentences kept in training, `unnamed`): {figure(found, twins)}, {away}."
        )
    return (
        "- **Reproduced**, with the rules of the published program (`paper-rules`): the paper's figure is "
        f"within the interval. {' '.join(within)}\n"
        "- **Not reproduced.** The features alone, without the rules, and equations as we score them "
        f"(`paper` in the table above). With the rules, difference from the paper: {' '.join(outside)}"
    )


def _ruled(dataset: str) -> Iterator[tuple[str, str, float]]:
    """The paper's rows on a data set: name, our result with the published rules, the paper's figure."""
    for row in ROWS:
        is_own = row.table == OWN and row.dataset == dataset and row.variant.split("+")[0] == PAPER
        if is_own and row.paper is not None:
            protocol = "honest" if row.protocols == ("honest",) else "paper"
            key = f"{dataset}/{row.variant.replace(PAPER, RULES, 1)}/{protocol}"
            yield row.system.replace("-", "−"), key, row.paper


def worth(found: Results) -> list[list[str]]:
    """What the rules, the word list, the metric and the twins are worth."""
    pairs = {
        "the rules: `paper-rules` against `paper`": (PAPER, RULES),
        "our word list as features: `paper` against `paper+no-lexicon`": (f"{PAPER}+no-lexicon", PAPER),
        "our word list in the rules: `paper-rules` against `paper-rules+no-lexicon`": (
            f"{RULES}+no-lexicon",
            RULES,
        ),
    }
    rows = [["points (95 % interval)", *TITLES.values()]]
    for name, (before, after) in pairs.items():
        found_here = [change(found, f"{d}/{before}/paper", f"{d}/{after}/paper") for d in ARITHMETIC]
        rows.append([name, *found_here, ""])
    unnamed = f"{GOLD_NUMBERS}:unnamed"
    rows.append(
        ["the names of unknowns not compared (`unnamed`)", "", "", change(found, GOLD_NUMBERS, unnamed)]
    )
    rows.append(["and twins kept in training", "", "", change(found, unnamed, f"{TWINS}:unnamed")])
    return rows


def differences(found: Results) -> list[list[str]]:
    """What the published program does beyond the paper, one thing at a time."""
    steps = {
        "operands reordered, rules 2 and 3": (f"{PAPER}+no-lexicon", f"{RULES}+no-lexicon"),
        "and the word list, rule 1": (PAPER, RULES),
        "numbers that do not matter are impossible": (RULES, f"{RULES}+told"),
        "the authors' word list in place of ours": (RULES, f"{RULES}+best+own-words"),
        "trained from random weights": (PAPER, f"{PAPER}+start-1"),
        "the same, another seed": (PAPER, f"{PAPER}+start-2"),
        "from random weights, with the rules": (RULES, f"{RULES}+start-1"),
        "the same, the other seed": (RULES, f"{RULES}+start-2"),
    }
    interval = "change (95 % interval)"
    rows = [["what", "AI2", interval, "IL", interval]]
    first = [cell for dataset in ARITHMETIC for cell in (figure(found, f"{dataset}/{PAPER}/paper"), "")]
    rows.append(["`paper`", *first])
    for name, (before, after) in steps.items():
        cells = [f"{name}: `{after}` against `{before}`"]
        for dataset in ARITHMETIC:
            key = f"{dataset}/{after}/paper"
            cells += [figure(found, key), change(found, f"{dataset}/{before}/paper", key)]
        rows.append(cells)
    return rows


def mistakes(found: Results) -> list[list[str]]:
    """The most frequent mistakes of ``paper`` and those that the rules leave, from differences.py."""
    columns = [
        (f"{TITLES[dataset]}{title}", found.get(f"{dataset}/{name}+best/paper", {}))
        for dataset in ARITHMETIC
        for name, title in ((PAPER, ""), (RULES, ", with the rules"))
    ]
    known = [(title, one) for title, one in columns if "confusions" in one]
    rows = [[cell for title, one in known for cell in (f"{title}: {one['mistakes']}", "")]]
    for place in range(max((len(one["confusions"]) for _, one in known), default=0)):
        shown = [one["confusions"][place : place + 1] for _, one in known]
        rows.append(
            [cell for own in shown for cell in ((_signs(own[0][0]), str(own[0][1])) if own else ("", ""))]
        )
    kinds = dict.fromkeys(kind for _, one in known for kind, count in one["kinds"].items() if count)
    for kind in kinds:
        rows.append([cell for _, one in known for cell in (f"*{kind}*", str(one["kinds"].get(kind, 0)))])
    return rows


def _signs(text: str) -> str:
    """An expression as the page writes it.

    >>> _signs("a - b read as b * a / c")
    'a − b read as b × a ÷ c'
    """
    return text.replace("-", "−").replace("*", "×").replace("/", "÷")


def competitor(found: Results) -> list[list[str]]:
    """The pipeline of local classifiers beside ``paper-rules``."""
    columns = [(d, p) for d in ARITHMETIC for p in ("paper", "honest")]
    told = {"paper": "paper's protocol", "honest": "honest"}
    return [
        ["", *(f"{TITLES[d]}, {told[p]}" for d, p in columns)],
        ["the competitor", *(figure(found, f"{d}/{PIPELINE}/{p}") for d, p in columns)],
        ["`paper-rules`", *(figure(found, f"{d}/{RULES}/{p}") for d, p in columns)],
        [
            "difference (`text2math compare`, 95 % interval)",
            *(change(found, f"{d}/{RULES}/{p}", f"{d}/{PIPELINE}/{p}") for d, p in columns),
        ],
    ]


SUMMARIES: dict[str, Callable[[Results], list[list[str]]]] = {
    "on one screen": on_one_screen,
    "worth": worth,
    "differences": differences,
    "mistakes": mistakes,
    "competitor": competitor,
}
LISTS: dict[str, Callable[[Results], str]] = {"reproduced": reproduced}
