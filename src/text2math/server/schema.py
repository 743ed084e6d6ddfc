"""The bodies of requests and answers of the API.

>>> ParseRequest.model_validate_json('{"text": "3 plus 4"}').top
5
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from text2math.checking.given import MAX_GIVEN
from text2math.inference.forest import MAX_QUANTITIES
from text2math.server.settings import Settings

APPLES = (
    "Mike picked 7 apples. Nancy picked 3 apples and Keith picked 6 apples at the farm. "
    "In total, how many apples were picked?"
)
NUMBERS = "3 times one of the numbers is 11 less than 5 times the other."

Index = Annotated[int, Field(ge=0, lt=10_000)]
Knowledge = Annotated[
    bool,
    Field(description="Whether numbers that words imply (7 for a week) may be used, if the model uses any."),
]
Indices = Annotated[list[Index], Field(max_length=MAX_QUANTITIES)]

MinProbability = Annotated[
    float | None, Field(ge=0, le=1, description="Give no answer that is less likely than this.")
]
Strict = Annotated[bool, Field(description="Give no answer if there is a reason to doubt it.")]


class Options(BaseModel):
    """How to parse: the same options as in the library."""

    model_config = ConfigDict(extra="forbid", strict=True)

    top: Annotated[
        int, Field(ge=1, le=20, description="The maximum number of readings, including the best.")
    ] = 5
    use: Annotated[Indices, Field(description="Numbers of the text (from 0) that must be used.")] = []
    ignore: Annotated[Indices, Field(description="Numbers of the text (from 0) that must not be used.")] = []
    min_probability: MinProbability = None
    strict: Strict = False
    knowledge: Knowledge = True
    model: Annotated[
        str | None,
        Field(max_length=200, description="A name from /api/models; the first of them by default."),
    ] = None


class ParseRequest(Options):
    """One text, or a list of texts, to parse."""

    text: str | list[str]


class CheckRequest(BaseModel):
    """A problem, and the answer that somebody gave to it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    text: str
    answer: Annotated[str, Field(max_length=MAX_GIVEN)]
    min_probability: MinProbability = None
    strict: Strict = False
    knowledge: Knowledge = True
    model: Annotated[str | None, Field(max_length=200, description="A name from /api/models.")] = None


class OneReading(Options):
    """One reading of one text, to explain or to draw."""

    text: str
    alternative: Annotated[int, Field(ge=0, lt=20, description="Which reading: 0 is the best.")] = 0


class RenderRequest(OneReading):
    """A picture of a text and its tree."""

    theme: Literal["light", "dark"] = "light"


class ExplanationView(BaseModel):
    """Why a text is read in one way: sentences as lists of [style, words], and the figures behind them."""

    sentences: list[list[list[str]]]
    rank: int
    score: float
    reading: dict[str, Any]
    other: dict[str, Any] | None
    reasons: list[dict[str, Any]]
    contributions: list[dict[str, Any]]
    judgements: list[dict[str, Any]]
    removals: list[dict[str, Any]]
    exchanges: list[dict[str, Any]]
    ownership: dict[str, Any]


class StreamLine(Options):
    """One line of a stream; ``id`` is given back with the answer."""

    text: str
    id: str | int | None = None


class Place(BaseModel):
    """Words of the text, by their characters."""

    text: str
    start: int
    end: int


class QuantityView(Place):
    """A number of the text."""

    value: int | float | str
    used: bool
    unit: str | None = None
    source: str = "written"
    fact: str = ""
    refers_to: int | None = None


class Node(BaseModel):
    """A node of the text-math tree and the words (token indices) it owns.

    ``asides`` are equations of the same system between the two sides of an equation.
    """

    symbol: str
    pattern: str | None
    span: list[int]
    words: list[int]
    quantity: int | None
    children: list[Node]
    asides: list[Node] = []


class Reading(BaseModel):
    """One way to read a text."""

    expression: str | None = None
    equation: str | None = None
    latex: str | None = None
    mathml: str | None = None
    answer: int | float | str | None = None
    answer_exact: str | None = None
    probability: float | None = None
    asked: list[str] = []
    tree: Node | None = None


class UnitView(BaseModel):
    """What the answer counts or measures: the noun for one and for several, or a sign."""

    one: str
    many: str
    sign: str


class DoubtView(BaseModel):
    """A reason to doubt an answer, and the characters it is about."""

    code: str
    message: str
    spans: list[list[int]]


class StepView(BaseModel):
    """A step on the way to the answer, in words and as mathematics."""

    action: str
    text: str
    left: str | None
    right: str | None
    latex: str
    value: str | None
    unit: UnitView
    manner: str
    meaning: str
    label: int | None
    note: str


class ParseView(Reading):
    """A text with the mathematics in it."""

    text: str
    kind: str
    answer_float: float | None = None
    answer_text: str | None = None
    unit: UnitView
    solution: dict[str, Any] | None = None
    equations: list[str] = []
    answers: list[int | float | str] = []
    tokens: list[Place]
    variables: dict[str, Place]
    quantities: list[QuantityView]
    alternatives: list[Reading]
    warnings: list[str]
    doubts: list[DoubtView]
    steps: list[StepView]
    model: str | None = None


class VerdictView(BaseModel):
    """Whether an answer agrees with ours (null if that can't be determined), and what went wrong."""

    text: str
    given: str
    agrees: bool | None
    expected: str | None
    probability: float | None
    doubts: list[DoubtView]
    mistake: str
    reason: str


class ErrorView(BaseModel):
    """Why there is no answer."""

    status: int
    code: str
    message: str


class ErrorBody(BaseModel):
    """The body of every answer that is not a success."""

    error: ErrorView


class ModelView(BaseModel):
    """A model of the server."""

    name: str
    default: bool
    ready: bool
    knowledge: bool  # whether it uses numbers that words imply; false until it is loaded
    about: dict[str, Any]


class HealthView(BaseModel):
    """Whether the server works: ``starting`` until every model is loaded, then ``ok``, or ``failed``."""

    status: str
    version: str
    in_flight: int
    models: dict[str, str]


class LimitsView(BaseModel):
    """The limits a client should know."""

    body_bytes: int
    words: int
    items: int
    stream_bytes: int
    stream_items: int


class ModelsView(BaseModel):
    """The models, the default first, and the limits."""

    models: list[ModelView]
    limits: LimitsView


def request_schema(model: type[BaseModel], settings: Settings) -> dict[str, Any]:
    """The JSON schema of a request, with this server's own limits in it.

    >>> request_schema(ParseRequest, Settings(items=3))["properties"]["text"]["anyOf"][1]["maxItems"]
    3
    """
    schema = model.model_json_schema()
    one = {"type": "string", "maxLength": settings.characters}
    text: dict[str, Any] = dict(one)
    if model is ParseRequest:
        many = {"type": "array", "items": one, "minItems": 1, "maxItems": settings.items}
        text = {"anyOf": [one, many]}
    description = f"At most {settings.words} words each."
    schema["properties"]["text"] = {"title": "Text", "description": description} | text
    return schema
