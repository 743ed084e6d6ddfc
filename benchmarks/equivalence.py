"""How many equivalence checks a second, ours and sympy's in the same run.

Usage: python benchmarks/equivalence.py [FOLDER]

FOLDER holds the sentences with equations (N.txt, the equation on line 3); without it, or where it is not
there, equations of the same shapes stand in.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from random import Random

import sympy

from text2math.mathematics.algebra import equivalent
from text2math.mathematics.expression import Expression, Operation
from text2math.mathematics.notation import from_infix, to_sympy

SHAPES = (
    "V1 + V2 = {a}",
    "V1 = {a} + ({b} * V2)",
    "({a} * V1) + ({b} * V2) = {c}",
    "V1 = {a} * V2",
    "V1 + (0.00{b} * V1) = {a}",
    "V1 / V2 = {a} / {b}",
    "({a} * V1) - {b} = {c}",
)
Check = Callable[[Expression, Expression], bool]


def equations(folder: Path | None) -> list[Expression]:
    if folder and folder.is_dir():
        paths = sorted(folder.glob("*.txt"))
        return [from_infix(path.read_text(encoding="utf-8").splitlines()[2]) for path in paths]
    random = Random(0)
    texts = (random.choice(SHAPES) for _ in range(385))
    return [from_infix(text.format(**{name: random.randint(1, 9) for name in "abc"})) for text in texts]


def by_sympy(first: Expression, second: Expression) -> bool:
    """The same question put to sympy: is the quotient of the cleared numerators a constant?"""
    one, other = numerator(first), numerator(second)
    mine, yours = (sorted(value.free_symbols, key=str) for value in (one, other))
    return len(mine) == len(yours) and any(
        sympy.cancel(one / other.xreplace(dict(zip(yours, order, strict=True)))).is_Rational
        for order in permutations(mine)
    )


def numerator(equation: Expression) -> sympy.Expr:
    assert isinstance(equation, Operation)
    return sympy.fraction(sympy.together(to_sympy(equation.left) - to_sympy(equation.right)))[0]


def rate(check: Check, pairs: list[tuple[Expression, Expression]]) -> tuple[float, int]:
    start = time.perf_counter()
    found = sum(check(first, second) for first, second in pairs)
    return len(pairs) / (time.perf_counter() - start), found


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    given = equations(folder)
    random = Random(1)
    pairs = [(random.choice(given), random.choice(given)) for _ in range(10_000)]
    same = [(equation, equation) for equation in given]
    some = pairs[:100] + same[:100]
    print(f"{len(given)} equations{f' of {folder}' if folder else ' of our own'}")
    for name, chosen in (("random pairs", pairs), ("each with itself", same)):
        speed, found = rate(equivalent, chosen)
        print(f"{name:18} {len(chosen):6} checks {speed:9,.0f} checks/s, {found} equivalent")
    ours, mine = rate(equivalent, some)
    theirs, found = rate(by_sympy, some)
    print(f"half of each       {len(some):6} checks {ours:9,.0f} checks/s, {mine} equivalent")
    print(f"the same by sympy  {len(some):6} checks {theirs:9,.0f} checks/s, {found} equivalent")
    print(f"ratio              {ours / theirs:.0f}")


if __name__ == "__main__":
    main()
