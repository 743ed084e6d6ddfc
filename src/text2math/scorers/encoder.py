"""The contextual scorer: a small transformer reads the whole text, its states give every potential.

Here is what runs without torch: how a problem becomes the network's inputs, how its outputs become
potentials, and the exported network itself, run by onnxruntime. It is defined and trained in
``text2math.neural``.

A number enters as one neutral numeral with a few facts about it (how it is written, how it compares
with the other numbers, whether the question asks for what it counts), so that what is learned does
not depend on its digits.
"""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import accumulate
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from text2math.inference.forest import EQUATIONS
from text2math.inference.patterns import PATTERN_COUNT
from text2math.inference.potentials import SYMBOL_COUNT, Potentials, Symbol
from text2math.kept import Kept
from text2math.language.annotations import Annotations
from text2math.language.numbers import Kind
from text2math.language.problem import Problem, Quantity
from text2math.language.quantity import Source
from text2math.mathematics.relations import RELATIONS
from text2math.scorers.onnx_graph import FLOAT, INT64, check_graph
from text2math.scorers.onnx_shapes import Value
from text2math.scorers.onnx_work import Limits, check_work
from text2math.scorers.scorer import Relevant
from text2math.scorers.tokenizer_file import check_tokenizer
from text2math.scorers.watchdog import watched

NUMERAL = "5"
"""The numeral that replaces every number written in digits."""

MOST_PIECES = 510
WORDS_KEPT = 50_000  # whose pieces a tokenizer remembers

_WRITTEN = (Kind.DIGITS, Kind.FRACTION, Kind.WORDS, Kind.PERCENT, Kind.MONEY, Kind.MULTIPLIER)
FEATURES = (
    "in the question",
    "a number",
    *(f"written as {kind}" for kind in _WRITTEN),
    "not whole",
    "below one",
    "one",
    "two",
    "a hundred or more",
    "the smallest",
    "the largest",
    "same value as another",
    "divides another",
    "divisible by another",
    "counts what is asked",
    "counts something else",
    "counts nothing named",
    "unit shared with another",
)
"""What the network is told about a word beside the word itself."""

FEATURE_COUNT = len(FEATURES)

# Values that words imply often; several facts may share a word, and only the value tells them apart.
_KNOWN_VALUES = tuple(
    map(Fraction, ("1/100", "1/10", "1/4", "1/2", *"123456789", "10", "12", "16", "20", "24", "25", "30"))
) + tuple(map(Fraction, (36, 50, 52, 60, 90, 100, 180, 360, 365, 1000)))
QUANTITY_FEATURES = (
    *Source,
    *(f"known to be {value}" for value in _KNOWN_VALUES),
    "known to be another value",
)
"""The facts about a quantity that the network is told beside the words it is anchored on and refers to."""

MAX_NETWORK_BYTES = 2 << 30  # weights and states of all networks in a process
MOST_SECONDS = 10.0  # for a batch
# The work of a network as it is loaded and tried on a text of two words, and on the longest text, in
# multiplications (see onnx_work). Ours takes 1.3e8 to load.
MOST_WORK_TO_LOAD = 4 * 10**9
MOST_WORK = 3 * 10**11
# The memory of a network as it is loaded: constants that it computes, weights arranged for fast products.
MOST_BYTES_TO_LOAD = 64 << 20
MOST_BYTES_PER_BYTE = 4  # of the file, on top of it
LARGEST_OUTPUT = 1e6  # of a network's scores; those of ours stay below a hundred
OUTPUTS = ("step", "fixed", "number", "beyond", "asked", "relations")
_NEWER = ("beyond", "asked", "relations")  # outputs that older networks lack
ASKED_OUTPUTS = 9  # what may be asked of a system (see model/asked.py); older networks have fewer


class Pieces(Protocol):
    """Cuts a word into the encoder's sub-words."""

    first: int  # the piece that opens a text
    last: int  # and the one that ends it

    def __call__(self, word: str) -> tuple[int, ...]:
        """The ids of a word's pieces, at least one."""
        ...


class WordPieces:
    """The pieces of a Hugging Face ``tokenizer.json``."""

    def __init__(self, tokenizer: bytes) -> None:
        listed = check_tokenizer(tokenizer)
        self.source = tokenizer
        self._tokenizer: Any = _tokenizer(tokenizer)
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        ends = self._tokenizer.encode("").ids
        if len(ends) != 2:
            raise ValueError("this tokenizer does not mark the start and the end of a text by one piece each")
        self.first, self.last = ends
        self.largest: int = max(listed, *ends, *self._tokenizer.get_added_tokens_decoder())
        """The largest id of any piece."""
        self._cut = Kept(self._look_up, WORDS_KEPT)

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process makes its own from the same bytes."""
        return WordPieces, (self.source,)

    def __call__(self, word: str) -> tuple[int, ...]:
        """The ids of a word's pieces; what can't be cut is the unknown piece."""
        return self._cut[word]

    def named(self, piece: str) -> int:
        """The id of a piece such as ``[MASK]``."""
        found = self._tokenizer.token_to_id(piece)
        if found is None:
            raise ValueError(f"this tokenizer has no piece {piece}")
        return int(found)

    def _look_up(self, word: str) -> tuple[int, ...]:
        # Half a surrogate pair is no text to the tokenizer.
        plain = word.encode("utf-8", "replace").decode("utf-8")
        try:
            found = tuple(self._tokenizer.encode(plain, add_special_tokens=False).ids)
        except BaseException as error:
            raise _as_value_error(error, f"the tokenizer can't cut {reprlib.repr(word)}") from None
        return found or (self._tokenizer.token_to_id("[UNK]") or 0,)


def _tokenizer(content: bytes) -> Any:
    from tokenizers import Tokenizer  # slow to import, so only when needed

    try:
        return Tokenizer.from_buffer(content)
    except BaseException as error:
        raise _as_value_error(error, "the tokenizer can't be loaded") from None


def _as_value_error(error: BaseException, what: str) -> BaseException:
    """The library's errors share no base class; what it does not expect is a panic, which is no Exception."""
    if isinstance(error, Exception) or type(error).__name__ == "PanicException":
        return ValueError(f"{what}: {error}")
    return error


@dataclass(frozen=True, slots=True, eq=False)
class Inputs:
    """A problem as the network reads it: n words as T pieces."""

    ids: NDArray[np.int64]  # [T]
    features: NDArray[np.float32]  # [T, FEATURE_COUNT]
    bounds: NDArray[np.int64]  # [n + 2], the first piece of each word, between the text's two end pieces
    pool: NDArray[np.float32]  # [2, n + 2], weights of the words in the text's and the question's mean
    anchors: NDArray[np.int32]  # [K], the word of each quantity, written or implied
    referents: NDArray[np.int32]  # [K], the word of the number that it refers to; its own unless it refers
    quantities: NDArray[np.float32]  # [K, QUANTITY_FEATURES]

    @property
    def words(self) -> int:
        """The number of words of the text."""
        return len(self.bounds) - 2


def read_inputs(problem: Problem, pieces: Pieces, *, mask_numbers: bool = True) -> Inputs:
    """The network's inputs for a problem, from its text alone."""
    shown = [token.text for token in problem.tokens]
    if mask_numbers:
        shown = [NUMERAL if _in_digits(word) else word for word in shown]
    cut = [pieces(word) for word in shown]
    # Very long words are read by their beginnings, so that the text fits the encoder.
    most = next(most for most in (16, 8, 4, 2, 1) if sum(len(one[:most]) for one in cut) <= MOST_PIECES)
    cut = [one[:most] for one in cut]
    sizes = [len(one) for one in cut]
    words = _word_features(problem)
    blank = np.zeros((1, FEATURE_COUNT), dtype=np.float32)
    return Inputs(
        ids=np.array([pieces.first, *(piece for one in cut for piece in one), pieces.last], dtype=np.int64),
        features=np.concatenate([blank, np.repeat(words, sizes, axis=0), blank]),
        bounds=np.array([0, *accumulate(sizes, initial=1)], dtype=np.int64),
        pool=_pool(problem),
        anchors=np.asarray(problem.all_anchors, dtype=np.int32),
        referents=np.asarray(_referents(problem), dtype=np.int32),
        quantities=_quantity_features(problem),
    )


def _referents(problem: Problem) -> list[int]:
    written = problem.anchors
    return [
        anchor if quantity.refers_to is None else written[quantity.refers_to]
        for anchor, quantity in zip(problem.all_anchors, problem.all_quantities, strict=True)
    ]


def _quantity_features(problem: Problem) -> NDArray[np.float32]:
    """The facts about each quantity, [K, QUANTITY_FEATURES]."""
    sources = tuple(Source)
    table = np.zeros((len(problem.all_quantities), len(QUANTITY_FEATURES)), dtype=np.float32)
    for row, quantity in zip(table, problem.all_quantities, strict=True):
        row[sources.index(quantity.source)] = 1
        if quantity.source is Source.KNOWN:
            known = quantity.value in _KNOWN_VALUES
            row[len(sources) + _KNOWN_VALUES.index(quantity.value) if known else -1] = 1
    return table


def _in_digits(word: str) -> bool:
    if word.isalpha():  # as most are
        return False
    return any(letter.isdigit() for letter in word) and not any(letter.isalpha() for letter in word)


def _pool(problem: Problem) -> NDArray[np.float32]:
    """Weights for two means of the words' states: of all, and of those that ask (of all without any)."""
    every = 1 / max(1, len(problem.tokens))
    asking = [token.in_question for token in problem.tokens]
    rows = np.zeros((2, len(asking) + 2), dtype=np.float32)
    rows[0, 1:-1] = every
    if any(asking):
        share = 1 / sum(asking)
        rows[1, 1:-1] = [share if asks else 0.0 for asks in asking]
    else:
        rows[1, 1:-1] = every
    return rows


def _word_features(problem: Problem) -> NDArray[np.float32]:
    """The facts about each word, [n, FEATURE_COUNT]."""
    table = np.zeros((len(problem.tokens), FEATURE_COUNT), dtype=np.float32)
    table[:, 0] = [token.in_question for token in problem.tokens]
    for quantity in problem.quantities:
        table[quantity.first_token : quantity.last_token, 1:] = _number_features(problem, quantity)
    return table


def _number_features(problem: Problem, quantity: Quantity) -> list[bool]:
    value = _plain(quantity.value)
    others = [other for other in problem.quantities if other is not quantity]
    values = [_plain(other.value) for other in others]
    asked, unit = problem.question_units, quantity.unit
    return [
        True,
        *(quantity.kind is kind for kind in _WRITTEN),
        value.denominator != 1,
        value < 1,
        value == 1,
        value == 2,
        value >= 100,
        bool(values) and value < min(values),
        bool(values) and value > max(values),
        value in values,
        any(_divides(value, other) for other in values),
        any(_divides(other, value) for other in values),
        bool(asked) and unit in asked,
        bool(asked) and bool(unit) and unit not in asked,
        not unit,
        bool(unit) and any(other.unit == unit for other in others),
    ]


def _plain(value: Fraction) -> Fraction | int:
    """The same number, as an integer where it is one: those are compared much faster."""
    return value.numerator if value.denominator == 1 else value


def _divides(small: Fraction | int, large: Fraction | int) -> bool:
    """Whether a share of the large number among the small one is whole and says something."""
    return 1 < small < large and large % small == 0


@dataclass(frozen=True, slots=True, eq=False)
class Outputs:
    """What the network says about some problems, padded to the longest."""

    step: NDArray[np.float32]  # [P, n + 1, STEP_OUTPUTS], for each boundary between words
    fixed: NDArray[np.float32]  # [P, FIXED_OUTPUTS]: pattern, child, root
    number: NDArray[np.float32]  # [P, K], the use of each quantity
    # [P], the log odds that no expression of the grammar is right; older networks don't say.
    beyond: NDArray[np.float32] | None = None
    # [P, ASKED_OUTPUTS], what is asked of a system; older networks don't say.
    asked: NDArray[np.float32] | None = None
    # [P, K, K, RELATIONS], how each two numbers are related; older networks don't say.
    relations: NDArray[np.float32] | None = None


def pad(batch: Sequence[Inputs]) -> dict[str, NDArray[Any]]:
    """The inputs of some problems as one array each, filled up with zeros; ``mask`` says where pieces are."""
    if len(batch) == 1:
        return _unpadded(batch[0])
    longest = max(len(one.ids) for one in batch)
    words = max(one.words for one in batch)
    most = max(len(one.anchors) for one in batch)
    arrays: dict[str, NDArray[Any]] = {
        "ids": np.zeros((len(batch), longest), dtype=np.int64),
        "mask": np.zeros((len(batch), longest), dtype=np.int64),
        "features": np.zeros((len(batch), longest, FEATURE_COUNT), dtype=np.float32),
        "bounds": np.zeros((len(batch), words + 2), dtype=np.int64),
        "pool": np.zeros((len(batch), 2, words + 2), dtype=np.float32),
        "anchors": np.zeros((len(batch), most), dtype=np.int64),
        "referents": np.zeros((len(batch), most), dtype=np.int64),
        "quantities": np.zeros((len(batch), most, len(QUANTITY_FEATURES)), dtype=np.float32),
    }
    for row, one in enumerate(batch):
        arrays["ids"][row, : len(one.ids)] = one.ids
        arrays["mask"][row, : len(one.ids)] = 1
        arrays["features"][row, : len(one.ids)] = one.features
        arrays["bounds"][row, : len(one.bounds)] = one.bounds
        arrays["pool"][row, :, : len(one.bounds)] = one.pool
        arrays["anchors"][row, : len(one.anchors)] = one.anchors
        arrays["referents"][row, : len(one.anchors)] = one.referents
        arrays["quantities"][row, : len(one.anchors)] = one.quantities
    return arrays


def _unpadded(inputs: Inputs) -> dict[str, NDArray[Any]]:
    """The inputs of one problem, without copies but of those that training changes, to hide some of them."""
    return {
        "ids": inputs.ids[None].copy(),
        "mask": np.ones((1, len(inputs.ids)), dtype=np.int64),
        "features": inputs.features[None].copy(),
        "bounds": inputs.bounds[None],
        "pool": inputs.pool[None],
        "anchors": inputs.anchors[None].astype(np.int64),
        "referents": inputs.referents[None].astype(np.int64),
        "quantities": inputs.quantities[None],
    }


@dataclass(frozen=True)
class Columns:
    """Which symbols a network's outputs are about, in their order, and which of them it was trained on.

    The network may be older than the grammar: the symbols and ``patterns`` it never saw are forbidden.
    """

    outputs: tuple[Symbol, ...] = tuple(Symbol)
    known: tuple[Symbol, ...] = tuple(Symbol)
    patterns: int = PATTERN_COUNT
    relations: tuple[str, ...] = RELATIONS

    @cached_property
    def taken(self) -> NDArray[np.intp]:
        """The places of the known symbols among the outputs."""
        return np.array([self.outputs.index(symbol) for symbol in self.known], dtype=np.intp)

    @cached_property
    def symbols(self) -> NDArray[np.intp]:
        """The places of the known symbols in the grammar."""
        return np.array(self.known, dtype=np.intp)

    @cached_property
    def fixed(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The places of what is known about a text: among all patterns, children and roots; in the output."""
        count, sides = len(self.outputs), np.arange(2)
        pattern, child, root = _fixed_parts(np.arange(self.widths[1]), count, self.patterns)
        places = np.full(_FIXED_SIZE, -1)
        patterns, children, roots = _fixed_parts(places, SYMBOL_COUNT, PATTERN_COUNT)
        patterns[self.symbols, : self.patterns] = pattern[self.taken]
        here, there = np.ix_(self.symbols, sides, self.symbols), np.ix_(self.taken, sides, self.taken)
        children[here] = child[there]
        roots[self.symbols] = root[self.taken]
        known = np.flatnonzero(places >= 0)
        return known, places[known]

    @property
    def widths(self) -> tuple[int, int]:
        """How many numbers the network gives for a boundary between words, and for a text."""
        count = len(self.outputs)
        return count * 16, count * self.patterns + count * 2 * count + count


_FIXED_SIZE = SYMBOL_COUNT * (PATTERN_COUNT + 2 * SYMBOL_COUNT + 1)  # of patterns, children and roots


def _fixed_parts(flat: NDArray[Any], symbols: int, patterns: int) -> tuple[NDArray[Any], ...]:
    """Views of what does not depend on the words, laid out flat: pattern, child, root."""
    children, roots = symbols * patterns, symbols * (patterns + 2 * symbols)
    pattern = flat[:children].reshape(symbols, patterns)
    return pattern, flat[children:roots].reshape(symbols, 2, symbols), flat[roots:]


ALL_COLUMNS = Columns()
STEP_OUTPUTS, FIXED_OUTPUTS = ALL_COLUMNS.widths


def to_potentials(
    inputs: Inputs, outputs: Outputs, row: int = 0, columns: Columns = ALL_COLUMNS
) -> Potentials:
    """The potentials of one problem of a batch."""
    n, count = inputs.words, len(columns.outputs)
    taken, symbols = columns.taken, columns.symbols
    step = np.zeros((SYMBOL_COUNT, n + 1, 4, 4))
    # The network gives [boundary, symbol, left, right], the potentials want the symbol first.
    step[symbols] = outputs.step[row, : n + 1].reshape(n + 1, count, 4, 4)[:, taken].transpose(1, 0, 2, 3)
    fixed = np.full(_FIXED_SIZE, -np.inf)
    places, taken_from = columns.fixed
    fixed[places] = outputs.fixed[row, taken_from]
    pattern, child, root = _fixed_parts(fixed, SYMBOL_COUNT, PATTERN_COUNT)
    number = outputs.number[row, : len(inputs.anchors)].astype(np.float64)
    beyond = 0.0 if outputs.beyond is None else float(outputs.beyond[row])
    asked = () if outputs.asked is None else tuple(outputs.asked[row].tolist())
    related = _related(outputs, row, len(inputs.anchors), columns)
    return Potentials(step, pattern, child, root, number, inputs.anchors, beyond, asked, related)


def _related(outputs: Outputs, row: int, numbers: int, columns: Columns) -> NDArray[np.float32] | None:
    """The scores of the relations of each two numbers; what the network does not know is forbidden."""
    if outputs.relations is None:
        return None
    own = outputs.relations[row, :numbers, :numbers]
    if columns.relations == RELATIONS:
        return own
    found = np.full((numbers, numbers, len(RELATIONS)), -np.inf, dtype=np.float32)
    for column, name in enumerate(columns.relations):
        found[:, :, RELATIONS.index(name)] = own[:, :, column]
    return found


class Network(Protocol):
    """Anything that turns padded inputs into outputs: the exported network, or the one in training."""

    def __call__(self, batch: Sequence[Inputs]) -> Outputs:
        """The outputs for some problems."""
        ...


def check_network(onnx: bytes) -> None:
    """Raise ``ValueError`` for a network that does what ours don't, or takes too much time or memory.

    >>> check_network(b"")
    Traceback (most recent call last):
    ...
    ValueError: the network has no graph
    """
    graph, memory = check_graph(onnx), MOST_BYTES_TO_LOAD + MOST_BYTES_PER_BYTE * len(onnx)
    elements = {np.dtype(np.int64): INT64, np.dtype(np.float32): FLOAT}
    for words, limits in ((2, Limits(MOST_WORK_TO_LOAD, memory)), (MOST_PIECES, Limits(MOST_WORK))):
        arrays = pad([_blank(0, words)])
        shapes = {name: Value(elements[array.dtype], array.shape) for name, array in arrays.items()}
        check_work(graph, shapes, limits)


class OnnxNetwork:
    """The exported network, run by onnxruntime on the processor."""

    def __init__(self, onnx: bytes, threads: int = 1) -> None:
        check_network(onnx)
        self.source, self._threads = onnx, threads
        try:
            self._session: Any = _session(onnx, threads)
            self._inputs = [one.name for one in self._session.get_inputs()]
            given = {one.name for one in self._session.get_outputs()}
            self._outputs = [name for name in OUTPUTS if name in given or name not in _NEWER]
        except ImportError:
            raise
        except Exception as error:  # onnxruntime's errors share no base class of their own
            raise ValueError(f"the network can't be loaded: {error}") from error
        self.widths, self.relations = self._tried_widths()

    def _tried_widths(self) -> tuple[tuple[int, int], int | None]:
        """How many numbers it gives for a boundary and for a text, and for two numbers, if it does.

        It runs once, so that a network which does not fit fails now, not when it first reads a text.
        """
        blank = _blank(0)
        found = self._run([blank])
        related = (1, 2, 2, None) if found.relations is None else found.relations.shape
        match found.step.shape, found.fixed.shape, found.number.shape, related:
            case (1, boundaries, step), (1, fixed), (1, 2), (1, 2, 2, relations) if (
                boundaries == blank.words + 1
            ):
                return (step, fixed), relations
        raise ValueError("the network's outputs do not have the shapes that a problem's scores need")

    def check_piece(self, piece: int) -> None:
        """Raise ``ValueError`` unless the network knows this piece: its tokenizer's last one, say."""
        self([_blank(piece)])

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process makes its own from the same bytes."""
        return OnnxNetwork, (self.source, self._threads)

    def __call__(self, batch: Sequence[Inputs]) -> Outputs:
        """The outputs for some problems."""
        found = self._run(batch)
        words, quantities = max(one.words for one in batch), max(len(one.anchors) for one in batch)
        step, fixed = self.widths
        shapes = (len(batch), words + 1, step), (len(batch), fixed), (len(batch), quantities)
        arrays = [found.step, found.fixed, found.number]
        fit = tuple(array.shape for array in arrays) == shapes
        if found.beyond is not None:
            arrays.append(found.beyond)
            fit = fit and found.beyond.shape == (len(batch),)
        if found.asked is not None:
            arrays.append(found.asked)
            fit = fit and found.asked.shape in {(len(batch), n + 1) for n in range(ASKED_OUTPUTS)}
        if found.relations is not None:
            arrays.append(found.relations)
            fit = fit and found.relations.shape == (len(batch), quantities, quantities, self.relations)
        if not fit:
            raise ValueError("the network's outputs have other shapes for this text than it promised")
        if not _in_range(np.concatenate([array.ravel() for array in arrays])):
            raise ValueError("the network gives scores for this text that are no numbers, or too large")
        return found

    def _run(self, batch: Sequence[Inputs]) -> Outputs:
        """Run within a time limit, which is checked between the network's operators."""
        import onnxruntime

        arrays = pad(batch)
        given = {name: arrays[name] for name in self._inputs if name in arrays}
        try:
            with watched(onnxruntime.RunOptions(), MOST_SECONDS) as limits:
                found = dict(zip(self._outputs, self._session.run(self._outputs, given, limits), strict=True))
        except Exception as error:  # onnxruntime's errors share no base class of their own
            raise ValueError(f"the network can't be run: {error}") from error
        if "anchors" not in given:  # networks before implied numbers score a number's use for every word
            found["number"] = _at_anchors(found["number"], arrays["anchors"])
        return Outputs(**found)


def _in_range(outputs: NDArray[np.float32]) -> bool:
    """Whether they are numbers, and none is too large: a file may come from anyone."""
    # The extremes of an array with a NaN are NaN, which fails every comparison.
    return bool(outputs.min() >= -LARGEST_OUTPUT and outputs.max() <= LARGEST_OUTPUT)


def _at_anchors(number: NDArray[np.float32], anchors: NDArray[np.int64]) -> NDArray[np.float32]:
    """The outputs [P, K] at the quantities' words, out of those [P, n] of all words."""
    if number.ndim != 2 or len(number) != len(anchors) or (anchors.size and anchors.max() >= number.shape[1]):
        raise ValueError("the network's outputs do not have the shapes that a problem's scores need")
    return number[np.arange(len(anchors))[:, None], anchors]


def _blank(piece: int, words: int = 2) -> Inputs:
    """Words of one piece each, all of them numbers, without anything known about them."""
    return Inputs(
        ids=np.full(words + 2, piece, dtype=np.int64),
        features=np.zeros((words + 2, FEATURE_COUNT), dtype=np.float32),
        bounds=np.arange(words + 2),
        pool=np.zeros((2, words + 2), dtype=np.float32),
        anchors=np.arange(words, dtype=np.int32),
        referents=np.arange(words, dtype=np.int32),
        quantities=np.zeros((words, len(QUANTITY_FEATURES)), dtype=np.float32),
    )


def _session(onnx: bytes, threads: int) -> Any:
    import onnxruntime  # slow to import, so only when needed

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.add_session_config_entry("session.use_env_allocators", "1")
    _bound_memory()
    return onnxruntime.InferenceSession(onnx, options, providers=["CPUExecutionProvider"])


@cache
def _bound_memory() -> None:
    """Bound what all networks of this process may allocate: a few bytes of graph can ask for terabytes."""
    import onnxruntime

    memory = onnxruntime.OrtMemoryInfo(
        "Cpu", onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, onnxruntime.OrtMemType.DEFAULT
    )
    arena = onnxruntime.OrtArenaCfg({"max_mem": MAX_NETWORK_BYTES, "arena_extend_strategy": 1})
    onnxruntime.create_and_register_allocator(memory, arena)


@dataclass(frozen=True, eq=False)
class EncoderScorer:
    """A network with its pieces: a problem in, its potentials out."""

    network: Network
    pieces: Pieces
    mask_numbers: bool = True
    columns: Columns = Columns(known=tuple(sorted(EQUATIONS)))

    def __repr__(self) -> str:
        return f"EncoderScorer({type(self.network).__name__}, {len(self.symbols)} symbols)"

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols it was trained on."""
        return self.columns.known

    def __call__(
        self, problem: Problem, annotations: Annotations | None = None, *, relevant: Relevant = None
    ) -> Potentials:
        """The potentials of a problem."""
        potentials = self.many([problem])[0]
        if relevant is not None:
            potentials.number[~np.asarray(relevant, dtype=bool)] = -np.inf
        return potentials

    def many(self, problems: Sequence[Problem]) -> list[Potentials]:
        """The potentials of each problem.

        The network reads one text at a time, but one right after the other: its weights stay in the caches.
        """
        inputs = [read_inputs(one, self.pieces, mask_numbers=self.mask_numbers) for one in problems]
        outputs = [self.network([one]) for one in inputs]
        return [
            to_potentials(one, found, columns=self.columns)
            for one, found in zip(inputs, outputs, strict=True)
        ]
