"""What the API does with a request: check it, parse it in a thread, answer with JSON."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from text2math.checking.check import READINGS, verdict_on
from text2math.checking.given import read_given
from text2math.explanation.explain import REMOVALS, explain
from text2math.explanation.text import sentences
from text2math.inference.tree import TextMathTree
from text2math.language.numbers import find_quantities
from text2math.language.tokens import split
from text2math.mathematics.expression import Expression
from text2math.parse import Parse
from text2math.parser import Parser as TrainedParser
from text2math.render import svg
from text2math.server.errors import RefusedError, invalid, out_of_time
from text2math.server.middleware import Receive, read_body
from text2math.server.render_json import json_bytes
from text2math.server.schema import CheckRequest, OneReading, Options, ParseRequest, RenderRequest, StreamLine
from text2math.server.settings import Settings
from text2math.server.streaming import Stopping
from text2math.server.work import Models, Workers

log = logging.getLogger("text2math.server")

SECONDS_TO_COMPILE = 60.0  # that requests may take longer after an installation's first start
UNFORCED_READINGS = 20  # among which a reading with forced numbers is looked up
EMPTY: Mapping[str, Any] = MappingProxyType({})
Request = TypeVar("Request", bound=BaseModel)


class Api:
    """The endpoints, without HTTP."""

    def __init__(self, settings: Settings, models: Models) -> None:
        self.settings = settings
        self.models = models
        self.workers = Workers(settings.threads)
        self.stopping = Stopping()

    async def read(self, receive: Receive, kind: type[Request]) -> Request:
        """The body of a request, checked."""
        try:
            async with asyncio.timeout(self.settings.seconds):
                body = await read_body(receive, self.settings.body_bytes)
        except TimeoutError:
            message = f"the body was not complete within {self.settings.seconds:g} seconds"
            raise RefusedError(503, "out_of_time", message) from None
        return validated(kind, body)

    async def parse(self, request: ParseRequest) -> bytes:
        """One parse, or a list of them, as JSON."""
        several = not isinstance(request.text, str)
        texts = request.text if isinstance(request.text, list) else [request.text]
        if not 1 <= len(texts) <= self.settings.items:
            raise RefusedError(
                422,
                "too_many_items",
                f"text has {len(texts)} items; a request takes 1 to {self.settings.items}: "
                "send several requests, or a stream",
            )
        name = self.models.name(request.model)
        deadline = time.monotonic() + self.settings.seconds

        def job() -> bytes:
            places = [f"text.{at}" for at in range(len(texts))] if several else ["text"]
            for text, place in zip(texts, places, strict=True):
                self._check(text, place)
            parts = []
            for text, place in zip(texts, places, strict=True):
                # By then the client has been refused, so nobody would read the answer.
                if time.monotonic() > deadline:
                    raise out_of_time(self.settings.seconds)
                parts.append(self._parsed(name, text, place, request))
            return b"[" + b",".join(parts) + b"]" if several else parts[0]

        return await self._run(job)

    async def render(self, request: RenderRequest) -> bytes:
        """A reading of a text as an SVG picture."""
        name = self.models.name(request.model)
        options = request.model_copy(update={"top": max(request.top, request.alternative + 1)})

        def job() -> bytes:
            parse = self._parse(name, request.text, "text", options)
            tree = _tree(parse, request.alternative)
            values = [quantity.value for quantity in parse.quantities]
            return svg(parse.text, parse.tokens, tree, values, theme=request.theme).encode()

        return await self._run(job)

    async def check(self, request: CheckRequest) -> bytes:
        """Whether an answer that somebody gave agrees with ours."""
        name = self.models.name(request.model)
        options = Options(
            top=READINGS,
            min_probability=request.min_probability,
            strict=request.strict,
            knowledge=request.knowledge,
        )

        def job() -> bytes:
            parse = self._parse(name, request.text, "text", options)
            return json_bytes(verdict_on(parse, read_given(request.answer)).to_dict())

        return await self._run(job)

    async def explain(self, request: OneReading) -> bytes:
        """Why a text is read as it is: the library's explanation, and its sentences."""
        name = self.models.name(request.model)
        return await self._run(partial(self._explained, name, request))

    def _explained(self, name: str, request: OneReading) -> bytes:
        words = self._check(request.text, "text")
        parser = self.models.get(name, knowledge=request.knowledge)
        if not isinstance(parser, TrainedParser):
            raise RefusedError(422, "unexplained", f"the model {name} has no explanations")
        try:
            rank = _rank(parser, request)
            explanation = explain(parser, request.text, alternative=rank, removals=_removals(words))
        except ValueError as error:
            raise RefusedError(422, "unreadable", f"text: {error}") from None
        return json_bytes(explanation.to_dict() | {"sentences": list(sentences(explanation))})

    async def line(self, number: int, line: bytes) -> bytes:
        """The answer to one line of a stream: a parse, or an error, with the line's number and id."""
        head: dict[str, Any] = {"line": number}
        try:
            request = stream_line(line)
            if request.id is not None:
                head["id"] = request.id
            name = self.models.name(request.model)
            parsed = partial(self._parsed, name, request.text, "text", request, head)
            return await self._run(parsed) + b"\n"
        except RefusedError as refusal:
            return json_bytes(head | refusal.body()) + b"\n"

    async def _run(self, job: Callable[[], bytes]) -> bytes:
        compiling = SECONDS_TO_COMPILE if self.models.warming_up else 0
        try:
            return await self.workers.run(job, self.settings.seconds + compiling)
        except RefusedError:
            raise
        except Exception as error:
            raise self.unexpected(error) from None

    def unexpected(self, error: Exception) -> RefusedError:
        """An internal error: its type and place are logged (its message may contain a user's text)."""
        log.error(
            "unexpected %s at %s", type(error).__name__, _place(error), exc_info=self.settings.log_texts
        )
        return RefusedError(500, "internal", "internal error: please report it, with the text")

    def _parsed(
        self, name: str, text: str, where: str, options: Options, head: Mapping[str, Any] = EMPTY
    ) -> bytes:
        return json_bytes({**head, **self._parse(name, text, where, options).to_dict()})

    def _parse(self, name: str, text: str, where: str, options: Options) -> Parse:
        if self.settings.log_texts:
            log.info("parse %r", text)
        self._check(text, where)
        parser = self.models.get(name, knowledge=options.knowledge)
        try:
            return parser.parse(
                text,
                top=options.top,
                use=tuple(options.use),
                ignore=tuple(options.ignore),
                min_probability=options.min_probability,
                strict=options.strict,
            )
        except ValueError as error:
            raise RefusedError(422, "unreadable", f"{where}: {error}") from None

    def _check(self, text: str, where: str) -> int:
        """Count the words. A running parse can't be stopped, so a text that is too long is refused here."""
        settings = self.settings
        if len(text) > settings.characters:
            raise RefusedError(
                422,
                "too_many_words",
                f"{where} has {len(text):,} characters; at most {settings.characters:,} are read: split it",
            )
        words = len(split(text, find_quantities(text)))
        if words > settings.words:
            raise RefusedError(
                422,
                "too_many_words",
                f"{where} has {words:,} words; at most {settings.words:,} are read: split it into problems",
            )
        return words


async def unless_disconnected(receive: Receive, work: Coroutine[Any, Any, bytes]) -> bytes:
    """The result of a job; if the client disconnects first, a job that has not started is cancelled."""
    working = asyncio.create_task(work)
    leaving = asyncio.create_task(_disconnected(receive))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return await working
    finally:
        leaving.cancel()
        working.cancel()
    raise RefusedError(499, "disconnected", "the client disconnected before the answer was ready")


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _rank(parser: TrainedParser, request: OneReading) -> int:
    """Which reading to explain; one with forced numbers is looked up among those found without them."""
    if not request.use and not request.ignore:
        return request.alternative
    top = request.alternative + 1
    forced = parser.parse(request.text, use=tuple(request.use), ignore=tuple(request.ignore), top=top)
    free = parser.parse(request.text, top=UNFORCED_READINGS)
    wanted = _readings(forced)[request.alternative : top]
    for rank, reading in enumerate(_readings(free)):
        if [reading] == wanted:
            return rank
    raise ValueError(
        f"without forced numbers, this reading is not among the model's {UNFORCED_READINGS} best, "
        "so there is nothing to explain"
    )


def _readings(parse: Parse) -> list[Expression | None]:
    return [parse.mathematics, *(one.mathematics for one in parse.alternatives)]


def _removals(words: int) -> int:
    """How many times an explanation parses a changed text: the time of a parse is cubic in the words.

    >>> _removals(30), _removals(150)
    (30, 1)
    """
    return max(1, min(REMOVALS, int(16 * (60 / max(words, 1)) ** 3)))


def validated(kind: type[Request], body: bytes) -> Request:
    """The body as a request, or a refusal that says what is wrong with it.

    >>> validated(RenderRequest, b'{"text": 5}')
    Traceback (most recent call last):
    ...
    text2math.server.errors.RefusedError: text: Input should be a valid string
    """
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        raise invalid(error) from None


def _tree(parse: Parse, alternative: int) -> TextMathTree | None:
    """The tree of a reading: 0 is the best one."""
    if alternative > len(parse.alternatives):
        count = 1 + len(parse.alternatives)
        raise RefusedError(422, "no_such_reading", f"alternative: the text has {count} readings, from 0")
    return parse.alternatives[alternative - 1].tree if alternative else parse.tree


def stream_line(line: bytes) -> StreamLine:
    """A line of a stream: a JSON string that is the text, or an object with the text and options.

    >>> stream_line(b'"3 plus 4"').text
    '3 plus 4'
    """
    if line.lstrip().startswith(b'"'):
        line = b'{"text":' + line + b"}"
    return validated(StreamLine, line)


def _place(error: Exception) -> str:
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    if trace is None:
        return "an unknown place"
    return f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
