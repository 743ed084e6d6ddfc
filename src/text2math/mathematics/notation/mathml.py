"""Presentational MathML, for web pages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from xml.parsers import expat

from text2math.mathematics.expression import Expression, Number, Operator, Variable
from text2math.mathematics.grammar import Brackets, Sign
from text2math.mathematics.notation.printing import Style, decimal_text
from text2math.mathematics.notation.reading import (
    COMMA,
    ROUND,
    ROUND_END,
    Call,
    Close,
    Open,
    Token,
    TreeBuilder,
    bracket_of,
    check_length,
    exact_number,
    variable_of,
)
from text2math.mathematics.notation.signs import (
    BRACKETS,
    CALLS,
    CLOSINGS,
    NUMERAL,
    SIGNS,
    UNICODE,
    NotationError,
)


def _mathml_number(value: Fraction) -> str:
    decimal = decimal_text(value)
    if decimal is not None:
        return f"<mn>{decimal}</mn>"
    return f'<mfrac class="number"><mn>{value.numerator}</mn><mn>{value.denominator}</mn></mfrac>'


def _mathml_sign(sign: Sign) -> Sign:
    if isinstance(sign, str):
        return f"<mo>{sign}</mo>"
    name = f"<mi>{sign.name}</mi>" if sign.name else ""
    return Brackets(
        f"<mrow>{name}<mo>{sign.opening.removeprefix(sign.name)}</mo>", f"<mo>{sign.closing}</mo></mrow>"
    )


_MATHML_STYLE = Style(
    signs={operator: _mathml_sign(sign) for operator, sign in UNICODE.items()},
    brackets=("<mrow><mo>(</mo>", "<mo>)</mo></mrow>"),
    number=_mathml_number,
    variable=lambda variable: f"<msub><mi>X</mi><mn>{variable.index}</mn></msub>",
    quantity=lambda text, quantity: re.sub(r"(?=>)", f' data-quantity="{quantity}"', text, count=1),
    minus="<mo>−</mo>",
    space="",
    comma="<mo>,</mo>",
    fraction=lambda top, bottom: f"<mfrac><mrow>{top}</mrow><mrow>{bottom}</mrow></mfrac>",
)


def to_mathml(expression: Expression, quantities: bool = False) -> str:
    """The expression as presentational MathML, for a web page.

    >>> from text2math.mathematics.notation import from_infix
    >>> to_mathml(from_infix("7 - 3"))
    '<math xmlns="http://www.w3.org/1998/Math/MathML"><mn>7</mn><mo>−</mo><mn>3</mn></math>'
    """
    body = replace(_MATHML_STYLE, quantities=quantities).print(expression)
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML">{body}</math>'


@dataclass(slots=True)
class _Element:
    """An element that is open: what its children and its text have been so far."""

    tag: str
    attributes: Mapping[str, str]
    position: int
    text: str = ""
    children: int = 0

    @property
    def whole(self) -> bool:
        """Whether its children make up one leaf (``X₁``, or a number that is a fraction)."""
        return self.tag == "msub" or (self.tag == "mfrac" and self.attributes.get("class") == "number")


class _MathMLReader:
    """Turns MathML into tokens. Only elements count: document types and so entities are refused."""

    GROUPS = frozenset({"math", "mrow", "mstyle"})
    LEAVES = frozenset({"mn", "mi", "mo"})
    PAIRS = frozenset({"mfrac", "msub"})

    def __init__(self, text: str) -> None:
        self.source = text.encode("utf-8", "surrogatepass")
        self.tokens: list[Token] = []
        self.open: list[_Element] = []
        self.byte = self.character = 0  # where position() was asked for last
        self.parser = expat.ParserCreate("utf-8")
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.StartDoctypeDeclHandler = self.doctype

    def read(self) -> list[Token]:
        """All the tokens."""
        try:
            self.parser.Parse(self.source, True)
        except expat.ExpatError as error:
            position = self.position(self.parser.ErrorByteIndex)
            raise NotationError(
                f"not well-formed MathML: {expat.ErrorString(error.code)}", position
            ) from None
        return self.tokens

    def position(self, byte: int | None = None) -> int:
        """The character position of a byte of the source, or of where the reader is."""
        index = self.parser.CurrentByteIndex if byte is None else byte
        # Positions only grow, so each byte is decoded once.
        self.character += len(self.source[self.byte : index].decode("utf-8", "ignore"))
        self.byte = max(self.byte, index)
        return self.character

    def emit(
        self, value: Number | Variable | Operator | Open | Call | Close, text: str, position: int
    ) -> None:
        self.tokens.append(Token(value, text, position))

    def doctype(self, *_: object) -> None:
        raise NotationError("MathML with a document type is not read", self.position())

    def start(self, name: str, attributes: dict[str, str]) -> None:
        element = _Element(name.rpartition(":")[2], attributes, self.position())
        parent = self.open[-1] if self.open else None
        if element.tag not in self.GROUPS | self.LEAVES | self.PAIRS:
            raise NotationError(f"the element <{name}> is not read", element.position)
        if parent and (parent.tag in self.LEAVES or (parent.whole and element.tag not in ("mn", "mi"))):
            raise NotationError(f"<{name}> is not allowed inside <{parent.tag}>", element.position)
        if parent:
            parent.children += 1
            if parent.tag == "mfrac" and not parent.whole:
                self.emit(ROUND, f"<{name}>", element.position)
        self.open.append(element)
        if element.tag == "mfrac" and not element.whole:
            self.emit(ROUND, "<mfrac>", element.position)

    def characters(self, text: str) -> None:
        element = self.open[-1]
        if element.tag in self.LEAVES:
            element.text += text
        elif text.strip():
            raise NotationError(f"{text.strip()!r} is outside <mn>, <mi> and <mo>", self.position())

    def end(self, _: str) -> None:
        element = self.open.pop()
        parent = self.open[-1] if self.open else None
        if element.tag in self.PAIRS and element.children != 2:
            raise NotationError(f"<{element.tag}> needs two elements inside", element.position)
        if parent and parent.whole:
            # The parts of a whole are kept apart by a blank, which no part has.
            parent.text += f" {element.text.strip()}"
            return
        if element.whole or element.tag in self.LEAVES:
            self.leaf(element)
        elif element.tag == "mfrac":
            self.emit(ROUND_END, "</mfrac>", self.position())
        if parent and parent.tag == "mfrac":
            self.emit(ROUND_END, "</mfrac>", self.position())
            if parent.children == 1:
                self.emit(Operator.DIV, "<mfrac>", self.position())

    def leaf(self, element: _Element) -> None:
        """Emit the token of an element without an inside."""
        text, position = element.text.strip(), element.position
        match element.tag:
            case "mo" if text in SIGNS:
                self.emit(SIGNS[text], text, position)
            case "mo" if text in ("(", ")", *BRACKETS, *CLOSINGS):
                self.emit(bracket_of(text), text, position)
            case "mo" if text == ",":
                self.emit(COMMA, text, position)
            case "mi" | "mo" if text in CALLS:
                self.emit(Call(CALLS[text]), text, position)
            case "mo":
                raise NotationError(f"{text!r} is not an operator", position)
            case "mi" | "msub":
                self.emit(variable_of(text.replace(" ", "", 1).replace(" ", "_"), position), text, position)
            case _:
                self.emit(self.number(element), text, position)

    @staticmethod
    def number(element: _Element) -> Number:
        top, _, bottom = element.text.strip().partition(" ")
        quantity = element.attributes.get("data-quantity")
        shape = NUMERAL if element.tag == "mn" else "[0-9]+"
        numerals = re.fullmatch(shape, top) and (element.tag == "mn" or re.fullmatch("[0-9]+", bottom))
        if not numerals or (quantity is not None and not re.fullmatch("-?[0-9]+", quantity)):
            raise NotationError(f"{element.text.strip()!r} is not a number", element.position)
        return exact_number(top, bottom or None, quantity, element.position)


def from_mathml(text: str) -> Expression:
    """The expression that presentational MathML writes.

    >>> from text2math.mathematics.notation import to_infix
    >>> to_infix(from_mathml("<math><mn>7</mn><mo>−</mo><mfrac><mi>x</mi><mn>2</mn></mfrac></math>"))
    '7 - X1 / 2'
    """
    check_length(text)
    return TreeBuilder().build(_MathMLReader(text).read(), len(text))
