"""Throw hostile input at every entry point, for some time or some number of inputs; nothing may fall over.

python benchmarks/fuzz.py [--seconds N] [--inputs N] [--seed S] [--start I] [--only ENTRY]... [--json FILE]

Input number I of seed S is always the same, so a failure is repeated by what it prints: --seed S --start I
--inputs 1. A ``ValueError`` of an entry point refuses bad input, as it should; anything else that is raised,
an answer that does not hold together, and an input that takes more than a minute of processor time are
failures.

With --json the result is written every minute, and --resume goes on where the file ends. Most inputs go to
the entry points that are cheap; the result says how many inputs a second each of them takes.
"""

from __future__ import annotations

import argparse
import asyncio
import copy
import json
import math
import os
import platform
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import text2math
from hostile import SIGNS, bodies, call, check
from strategies import clean_text_in
from text2math.data import load as load_data
from text2math.evaluation.tables import command_line
from text2math.explanation.explain import explain
from text2math.explanation.text import sentences
from text2math.language.cleaning import cleaned
from text2math.language.numbers import find_quantities
from text2math.language.problem import read_problem
from text2math.language.spelling import corrected
from text2math.mathematics.algebra import evaluate, solve
from text2math.mathematics.expression import is_equation
from text2math.mathematics.notation import from_infix, from_latex, to_infix, to_latex, to_mathml
from text2math.model.storage import load_model, save_model
from text2math.parse import Parse
from text2math.parser import Parser, load
from text2math.render import html_page
from text2math.scorers.encoder import check_network
from text2math.server.app import create_app
from text2math.server.settings import Settings

Found = TypeVar("Found")

MOST_SECONDS = 60.0  # of processor time
SECONDS_BETWEEN_REPORTS = 60.0
# fmt: off
NUMBERS = (
    "0", "1", "-1", "007", "1e3", "1e400", "-0.0", ".5", "5.", "1,000", "1,00", "1.000,5", "1/2",
    "1/0", "0/0", "-3/4", "3½", "½", "⅔", "10%", "150%", "$4.50", "$-2", "£3", "€1,5", "½%", "1/3%",
    "twice", "thrice", "dozen", "half", "a-third", "two-thirds", "no", "zero", "1st", "2nd",
    "3.14.15", "12:30", "1-2", "2x", "4x4", "x2", "0x10",
    "one hundred and one", "nine hundred ninety-nine trillion", "a couple of", "III",
    "①", "٣", "５", "1_000", "1e-400", "∞", "NaN",
    "9" * 60, "1/" + "9" * 40, "0." + "3" * 300,
)
# fmt: on
LETTERS = (
    "abcXYZ 0123456789.,;:?!'\"()[]{}<>&%$#@*+-−×÷=/\\|^~`_\t\n\r\0\u200b\u200d\u202e\u2028\ufeff\ufffdéßİıﬁ"
)
ODD_VALUES = (None, 0, -1, 1.5, 10**9, 10**30, 1e300, "", "x", "nan", [], {}, [[]], True)
FORMULAS = "0123456789.+-*/=()xyX12 ×÷−^[]{}\\frac_ \\cdot"


@cache
def problems() -> tuple[str, ...]:
    """Texts to start from."""
    return tuple(example.problem.text for name in ("corpus", "exam") for example in load_data(name).examples)


@cache
def parser(name: str) -> Parser:
    return load(name)


class RefusedError(Exception):
    """An entry point refused its input, and said why."""


def refusable(function: Callable[..., Found], *arguments: Any, **options: Any) -> Found:
    """The result; a ``ValueError`` with a reason is a proper answer to bad input."""
    try:
        return function(*arguments, **options)
    except ValueError as error:
        if not str(error):
            raise
        raise RefusedError from None


# Inputs ---------------------------------------------------------------------------------------------------


def text(chance: random.Random) -> str:
    """A problem after some mutations, or something that never was one."""
    if chance.random() < 0.1:
        return "".join(chance.choice(LETTERS) for _ in range(chance.randrange(200)))
    if chance.random() < 0.05:
        return "".join(
            chr(chance.choice((chance.randrange(0xD800), chance.randrange(0xE000, 0x110000))))
            for _ in range(60)
        )
    found = chance.choice(problems())
    for _ in range(chance.randrange(1, 5)):
        found = chance.choice(MUTATIONS)(chance, found)
    return found[:3000]


def _words(change: Callable[[random.Random, list[str]], None]) -> Callable[[random.Random, str], str]:
    def mutated(chance: random.Random, given: str) -> str:
        words = given.split(" ")
        change(chance, words)
        return " ".join(words)

    return mutated


def _at(chance: random.Random, words: list[str]) -> int:
    return chance.randrange(len(words))


def _spell(chance: random.Random, given: str) -> str:
    at = chance.randrange(len(given) + 1)
    return given[:at] + chance.choice(LETTERS) + given[at + chance.randrange(2) :]


MUTATIONS: tuple[Callable[[random.Random, str], str], ...] = (
    _words(lambda chance, words: words.insert(_at(chance, words), chance.choice(NUMBERS))),
    _words(lambda chance, words: words.__setitem__(_at(chance, words), chance.choice(NUMBERS))),
    _words(lambda chance, words: words.insert(_at(chance, words), chance.choice(SIGNS))),
    _words(lambda chance, words: words.__delitem__(_at(chance, words)) if len(words) > 1 else None),
    _words(lambda chance, words: words.insert(_at(chance, words), chance.choice(words))),
    _words(lambda chance, words: chance.shuffle(words)),
    _spell,
    lambda chance, given: given[: chance.randrange(len(given) + 1)],
    lambda chance, given: f"{given} {chance.choice(problems())}",
    lambda chance, given: given.upper() if chance.random() < 0.5 else given.lower(),
    lambda chance, given: given.replace(" ", chance.choice(("  ", "\t", "\n", "\u00a0", ""))),
)


def _indices(chance: random.Random, given: str) -> tuple[int, ...]:
    count = len(find_quantities(given))
    return tuple(sorted({chance.randrange(count) for _ in range(chance.randrange(3))})) if count else ()


# Entry points ---------------------------------------------------------------------------------------------


def parse_with(model: str, chance: random.Random) -> None:
    given = text(chance)
    use, ignore = (_indices(chance, given) if chance.random() < 0.2 else () for _ in range(2))
    least = chance.choice((None, None, 0.0, 0.5, 1.0))
    found = refusable(
        parser(model).parse, given, top=chance.randrange(1, 8), use=use, ignore=ignore, min_probability=least
    )
    check_parse(given, found)


def check_parse(given: str, found: Parse) -> None:
    """Whether a parse holds together, in every form it has."""
    assert found.text == given
    for one in (found, *found.alternatives):
        assert one.probability is None or 0 <= one.probability <= 1 + 1e-9
    plain = json.dumps(found.to_dict(), allow_nan=False)
    again = Parse.from_dict(json.loads(plain))
    assert (again.mathematics is None) == (found.mathematics is None)
    if found.tree is not None:
        assert again == found
    assert all(given[one.start : one.end] == one.text for one in (*found.tokens, *found.quantities))


def explain_with(model: str, chance: random.Random) -> None:
    found = refusable(explain, parser(model), text(chance), alternative=chance.randrange(3), removals=2)
    json.dumps(found.to_dict(), allow_nan=False)
    assert list(sentences(found))


def render(chance: random.Random) -> None:
    found = refusable(parser("small").parse, text(chance))
    found.to_svg(chance.choice(("light", "dark")))
    found.to_terminal(colour=chance.random() < 0.5, width=chance.randrange(20, 200))
    assert found._repr_html_()
    values = [quantity.value for quantity in found.quantities]
    assert html_page(found.text, found.tokens, found.tree, values)


def notation(chance: random.Random) -> None:
    if chance.random() < 0.5:
        written = "".join(chance.choice(FORMULAS) for _ in range(chance.randrange(40)))
    else:
        written = _spell(chance, _formula(chance, chance.randrange(1, 6)))
    found = refusable(chance.choice((from_infix, from_latex)), written)
    assert from_infix(to_infix(found)) == found
    to_latex(found)
    to_mathml(found)
    solve(found) if is_equation(found) else evaluate(found)


def _formula(chance: random.Random, depth: int) -> str:
    if not depth or chance.random() < 0.2:
        return chance.choice(("0", "1", "7", "2.5", "1/3", "X1", "X2", "x", "9" * 30))
    left, right = (_formula(chance, depth - 1) for _ in range(2))
    return chance.choice(("({} {} {})", "{} {} {}")).format(left, chance.choice("+-*/=−×÷;"), right)


def reading(chance: random.Random) -> None:
    """What comes before any model: numbers, words, units."""
    given = text(chance)
    problem = refusable(read_problem, given)
    assert problem.text == given
    clean = corrected(cleaned(given))
    assert all(clean_text_in(clean, one.start, one.end) == one.text for one in problem.tokens)


@cache
def _tiny_model() -> tuple[Path, bytes, dict[str, Any], dict[str, Any]]:
    path = Path(tempfile.mkdtemp(prefix="text2math-fuzz-")) / "tiny.t2m"
    parser("small").save_compact(path, threshold=4)
    return path, path.read_bytes(), *load_model(path)


def model_file(chance: random.Random) -> None:
    path, content, metadata, arrays = _tiny_model()
    if chance.random() < 0.4:
        path.write_bytes(_damaged(chance, content))
    else:
        changed = copy.deepcopy(metadata)
        for _ in range(chance.randrange(1, 3)):
            _change(chance, changed)
        refusable(save_model, path, changed, arrays)
    refusable(load, path).parse("Tom has 3 boxes with 4 pens each. How many pens does he have?")


def _damaged(chance: random.Random, content: bytes) -> bytes:
    damaged = bytearray(content)
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(min(len(damaged), chance.choice((64, 4096, len(damaged)))))
        damaged[at : at + chance.randrange(1, 5)] = chance.randbytes(chance.randrange(5))
    return bytes(damaged[: len(damaged) if chance.random() < 0.7 else chance.randrange(len(damaged))])


def _change(chance: random.Random, value: Any) -> None:
    """Replace something, somewhere inside."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    while keys:
        key = chance.choice(keys)
        if not isinstance(value[key], dict | list) or not value[key] or chance.random() < 0.2:
            value[key] = chance.choice(ODD_VALUES)
            return
        value = value[key]
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))


def network(chance: random.Random) -> None:
    metadata, arrays = _network()
    content = arrays["encoder.onnx"].tobytes()[: metadata["bytes"]["onnx"]]
    refusable(check_network, _damaged(chance, content[: chance.choice((5_000, 50_000, 500_000))]))


@cache
def _network() -> tuple[dict[str, Any], dict[str, Any]]:
    from text2math.parser import packaged

    return load_model(packaged("default"))


@cache
def _app() -> Any:
    # Its own time limit can't tell a busy machine from a hostile request; ours is of processor time.
    return create_app(Settings(threads=1, seconds=3600), {"small": lambda: parser("small")})


def server(chance: random.Random) -> None:
    path = chance.choice(("/api/parse", "/api/parse", "/api/render", "/api/parse/stream", "/api/explain"))
    body = next(bodies(1, chance.randrange(1 << 60)))
    if chance.random() < 0.25:
        body = json.dumps({"text": text(chance), "top": chance.randrange(1, 6)}).encode()
    status, answer = asyncio.run(call(_app(), path, body))
    check(path, status, answer)


def check_answer(chance: random.Random) -> None:
    """An answer that somebody gives to a problem."""
    given = chance.choice((text(chance)[:100], chance.choice(NUMBERS), f"{chance.choice(NUMBERS)} pens"))
    verdict = refusable(text2math.check, text(chance), given, parser=parser("small"))
    json.dumps(verdict.to_dict(), allow_nan=False)
    assert str(verdict)


# How often each is chosen, of a thousand: a parse takes a hundred times as long as a number.
ENTRIES: dict[str, tuple[Callable[[random.Random], None], int]] = {
    "parse small": (lambda chance: parse_with("small", chance), 40),
    "parse default": (lambda chance: parse_with("default", chance), 20),
    "explain small": (lambda chance: explain_with("small", chance), 2),
    "explain default": (lambda chance: explain_with("default", chance), 2),
    "render": (render, 10),
    "check": (check_answer, 10),
    "reading": (reading, 400),
    "notation": (notation, 316),
    "model file": (model_file, 100),
    "network": (network, 60),
    "server": (server, 40),
}


# The run --------------------------------------------------------------------------------------------------


def available() -> list[str]:
    """The entry points that this version has."""
    return [name for name in ENTRIES if name != "check" or hasattr(text2math, "check")]


def inputs(seed: int, start: int, only: list[str]) -> Iterator[tuple[int, str, random.Random]]:
    """Numbered inputs without end: an entry point, and the chance that makes what goes in."""
    names = only or available()
    weights = [ENTRIES[name][1] for name in names]
    number = start
    while True:
        chance = random.Random(f"{seed}:{number}")
        yield number, chance.choices(names, weights)[0], chance
        number += 1


def attempt(entry: str, chance: random.Random) -> str:
    """Why an input is a failure; "" where it is answered or refused as it should be."""
    started = time.process_time()
    try:
        ENTRIES[entry][0](chance)
    except RefusedError:
        pass
    except Exception:
        return traceback.format_exc(limit=-4)
    spent = time.process_time() - started
    return f"it took {spent:.0f} seconds" if spent > MOST_SECONDS else ""


@dataclass
class Result:
    """What a run has found so far."""

    seed: int
    next: int  # the number of the first input that is still to come
    inputs: Counter[str] = field(default_factory=Counter)  # by entry point
    spent: Counter[str] = field(default_factory=Counter)  # seconds of processor time, by entry point
    failures: list[dict[str, Any]] = field(default_factory=list)

    def line(self) -> str:
        """Where a run stands."""
        seconds = sum(self.spent.values())
        pace = self.inputs.total() / max(seconds, 1e-9)
        count, failures = self.inputs.total(), len(self.failures)
        return f"{count:,} inputs in {seconds:,.0f} s of processor time ({pace:.0f}/s), {failures} failures"

    def write(self, path: Path) -> None:
        """Keep it as JSON."""
        entries = {
            name: {
                "inputs": count,
                "processor_seconds": round(self.spent[name], 1),
                "inputs_per_second": round(count / max(self.spent[name], 1e-9), 1),
            }
            for name, count in sorted(self.inputs.items())
        }
        plain = {
            "command": command_line("python benchmarks/fuzz.py"),
            "version": text2math.__version__,
            "date": datetime.now(UTC).date().isoformat(),
            "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
            "seed": self.seed,
            "next": self.next,
            "inputs": self.inputs.total(),
            "processor_seconds": round(sum(self.spent.values())),
            "entries": entries,
            "failures": self.failures,
        }
        path.write_text(json.dumps(plain, indent=1) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Result:
        """The result of a run that was interrupted."""
        plain = json.loads(path.read_text(encoding="utf-8"))
        entries = plain["entries"]
        return cls(
            plain["seed"],
            plain["next"],
            Counter({name: one["inputs"] for name, one in entries.items()}),
            Counter({name: one["processor_seconds"] for name, one in entries.items()}),
            plain["failures"],
        )


def run(result: Result, chosen: argparse.Namespace) -> None:
    """Try inputs until there are enough of them, or the time is up."""
    began = told = time.monotonic()
    for number, entry, chance in inputs(result.seed, result.next, chosen.only):
        now = time.monotonic()
        if result.inputs.total() == chosen.inputs or now - began > chosen.seconds:
            return
        if now - told > SECONDS_BETWEEN_REPORTS:
            told = now
            print(result.line(), file=sys.stderr, flush=True)
            if chosen.json:
                result.write(chosen.json)
        started = time.process_time()
        why = attempt(entry, chance)
        result.next = number + 1
        result.inputs[entry] += 1
        result.spent[entry] += time.process_time() - started
        if why:
            result.failures.append({"number": number, "entry": entry, "why": why})
            only = "".join(f" --only {json.dumps(name)}" for name in chosen.only)
            print(f"{entry}: --seed {result.seed} --start {number} --inputs 1{only}\n{why}", flush=True)


def options() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    found.add_argument("--seconds", type=float, default=math.inf)
    found.add_argument("--inputs", type=int, help="how many; without it, as many as the time allows")
    found.add_argument("--seed", type=int, default=0)
    found.add_argument("--start", type=int, default=0, help="the number of the first input")
    found.add_argument("--only", action="append", choices=available(), default=[])
    found.add_argument("--json", type=Path, help="write the result here")
    found.add_argument("--resume", action="store_true", help="go on where the result in --json ends")
    return found


def main() -> int:
    chosen = options().parse_args()
    if chosen.inputs is None and chosen.seconds == math.inf:
        chosen.seconds = 60.0
    result = Result(chosen.seed, chosen.start)
    if chosen.resume:
        if not chosen.json or not chosen.json.exists():
            sys.exit("--resume goes on with the result in a file: name one that exists with --json")
        result = Result.read(chosen.json)
    run(result, chosen)
    print(f"{result.line()}: {dict(result.inputs)}")
    if chosen.json:
        result.write(chosen.json)
    return 1 if result.failures else 0


if __name__ == "__main__":
    sys.exit(main())
