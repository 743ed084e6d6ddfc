"""How forests, potentials and charts are laid out in the arrays that the compiled kernels read.

A problem's chart is one array ``chart[i, item, j]`` over half-open spans of words. Its items, for a
forest (see ``forest.py``) of states, operands and operators:

    NODE[state]          a whole node
    OPERAND[a]           any allowed child of one operator's side, with its parent-child score
    TRAILED[a]           that operand, then one or more words of the operator
    CORE[p, c]           both operands of operator p, c in AB, AwB, BA, BwA: the cubic sums
    RIGHT[p, c]          a core, then one or more words
    TAIL[p, swapped]     a core with or without words after it, scored with its pattern and its end; words
                         before it are still to be added
    LEFT[p]              one or more words, then a TAIL

Root-only operators have none of the last four, because they only cover one span, the whole text. Instead,
each of their operands has

    LED[l]               one or more words of the operator, then the operand
    LED_TRAILED[l]       that, then one or more words, from the start of the text only

and each run of asides after an operand of ``=`` has

    CUT[c]               the operand, then words and asides, the last of them an aside
    CUT_TRAILED[c]       that, then one or more words

Unknowns without words are over the empty span at the end of the text, ``chart[n, ·, n]``: NODE of an unknown,
and OPERAND with the parent-child score.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from text2math.inference.patterns import PATTERN_COUNT
from text2math.inference.potentials import SYMBOL_COUNT, Symbol
from text2math.inference.semiring import allocating, inner

# One problem's potentials in a flat array: step, pattern, child, root, number.
STEP_SIZE = SYMBOL_COUNT * 16
PATTERN_SIZE = SYMBOL_COUNT * PATTERN_COUNT
CHILD_SIZE = SYMBOL_COUNT * 2 * SYMBOL_COUNT
ROOT_SIZE = SYMBOL_COUNT
FIXED_SIZE = PATTERN_SIZE + CHILD_SIZE + ROOT_SIZE

# The sizes at the head of a packed forest.
STATES, OPERATORS, WHOLES, OPERANDS, RULES, CHILDREN, ROOTS, LEADS, CUTS, LINKS, SILENT = range(11)
HEADER = 11
CON = FIRST_LEAF = int(Symbol.CON)


@inner
def _first_operand(forest: Any) -> Any:
    """Where the operands begin in a packed forest."""
    operators = np.int64(forest[OPERATORS] + forest[WHOLES])
    return HEADER + 2 * np.int64(forest[STATES]) + 3 * operators + 1 + 4 * np.int64(forest[RULES])


@allocating
def forest_parts(forest: Any) -> Any:
    """The states and operators: symbol and number of each state; state of each operator, whether its operands
    must be in text order, and its first rule; operands of each rule, and their leads or cuts.

    The operators that may be operands come first, then the root-only ones.
    """
    states, operators = forest[STATES], forest[OPERATORS] + forest[WHOLES]
    at = HEADER
    symbol = forest[at : at + states]
    at += states
    quantity = forest[at : at + states]
    at += states
    operator_state = forest[at : at + operators]
    at += operators
    ordered = forest[at : at + operators]
    at += operators
    rule_from = forest[at : at + operators + 1]
    at += operators + 1
    rules = np.int64(forest[RULES])
    rule = forest[at : at + 4 * rules].reshape((4, rules))
    return symbol, quantity, operator_state, ordered, rule_from, rule


@allocating
def operand_parts(forest: Any) -> Any:
    """Symbol, side and first child of each operand; the children; the roots and their root symbols; the
    operand of each lead and each cut; the first link of each cut; the cut before and the aside of each link.
    """
    operands, cuts = np.int64(forest[OPERANDS]), np.int64(forest[CUTS])
    roots, links = np.int64(forest[ROOTS]), np.int64(forest[LINKS])
    at = _first_operand(forest)
    operand_symbol = forest[at : at + operands]
    at += operands
    operand_side = forest[at : at + operands]
    at += operands
    child_from = forest[at : at + operands + 1]
    at += operands + 1
    child_state = forest[at : at + forest[CHILDREN]]
    at += forest[CHILDREN]
    root_state = forest[at : at + 2 * roots].reshape((2, roots))
    at += 2 * roots
    lead_operand = forest[at : at + forest[LEADS]]
    at += forest[LEADS]
    cut_operand = forest[at : at + cuts]
    at += cuts
    link_from = forest[at : at + cuts + 1]
    at += cuts + 1
    link = forest[at : at + 2 * links].reshape((2, links))
    return (
        operand_symbol,
        operand_side,
        child_from,
        child_state,
        root_state,
        lead_operand,
        cut_operand,
        link_from,
        link,
    )


@allocating
def potential_parts(flat: Any, n: Any) -> Any:
    """Views of a flat array of potentials: step, pattern, child, root, number."""
    at = STEP_SIZE * (n + 1)
    step = flat[:at].reshape((SYMBOL_COUNT, n + 1, 4, 4))
    pattern = flat[at : at + PATTERN_SIZE].reshape((SYMBOL_COUNT, PATTERN_COUNT))
    at += PATTERN_SIZE
    child = flat[at : at + CHILD_SIZE].reshape((SYMBOL_COUNT, 2, SYMBOL_COUNT))
    at += CHILD_SIZE
    return step, pattern, child, flat[at : at + ROOT_SIZE], flat[at + ROOT_SIZE :]


@inner
def item_offsets(forest: Any) -> Any:
    """Where each kind of item begins in the chart after NODE: OPERAND, TRAILED, CORE, RIGHT, TAIL, LEFT, LED,
    LED_TRAILED, CUT, CUT_TRAILED, and the end."""
    operand = np.int64(forest[STATES])
    operands, operators = np.int64(forest[OPERANDS]), np.int64(forest[OPERATORS])
    trailed = operand + operands
    core = trailed + operands
    right = core + 4 * operators
    tail = right + 4 * operators
    left = tail + 2 * operators
    led = left + operators
    led_trailed = led + np.int64(forest[LEADS])
    cut = led_trailed + np.int64(forest[LEADS])
    cut_trailed = cut + np.int64(forest[CUTS])
    end = cut_trailed + np.int64(forest[CUTS])
    return operand, trailed, core, right, tail, left, led, led_trailed, cut, cut_trailed, end


def item_count(forest: Any) -> int:
    """How many items a packed forest's chart has."""
    operands, leads, cuts = int(forest[OPERANDS]), int(forest[LEADS]), int(forest[CUTS])
    return int(forest[STATES]) + 2 * (operands + leads + cuts) + 11 * int(forest[OPERATORS])
