"""The application: the page, the API, and the middleware.

>>> from text2math.server.settings import Settings
>>> app = create_app(Settings(), {"small": lambda: None})
>>> sorted(app.openapi()["paths"])
['/api/check', '/api/explain', '/api/models', '/api/parse', '/api/parse/stream', '/api/render', '/health']
"""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.middleware.cors import CORSMiddleware
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from text2math import __version__
from text2math.server.api import Api, unless_disconnected
from text2math.server.assets import load_assets
from text2math.server.errors import RefusedError
from text2math.server.middleware import RETRY, Hosts, Limits, Log, SecurityHeaders
from text2math.server.schema import (
    APPLES,
    NUMBERS,
    CheckRequest,
    ErrorBody,
    ExplanationView,
    HealthView,
    LimitsView,
    ModelsView,
    ModelView,
    OneReading,
    ParseRequest,
    ParseView,
    RenderRequest,
    StreamLine,
    VerdictView,
    request_schema,
)
from text2math.server.settings import Settings
from text2math.server.streaming import LinesResponse
from text2math.server.work import Loader, Models

JSON = "application/json"
SVG = "image/svg+xml"
JSON_LINES = "application/x-ndjson"
LINE_TYPES = (JSON_LINES, "application/jsonl", "application/jsonlines", JSON, "application/octet-stream")

Responses = dict[int | str, dict[str, Any]]
REFUSALS: Responses = {
    400: {"model": ErrorBody, "description": "The request is not valid HTTP, or not complete."},
    408: {"model": ErrorBody, "description": "The headers were not complete within the time limit."},
    413: {"model": ErrorBody, "description": "The body is too large."},
    415: {"model": ErrorBody, "description": "The body is not of the content type described here."},
    421: {"model": ErrorBody, "description": "The server does not answer to this host name."},
    422: {"model": ErrorBody, "description": "The body is not as described here, or a text is too long."},
    429: {"model": ErrorBody, "description": "Too many requests are being answered."},
    503: {"model": ErrorBody, "description": "No answer within the time limit."},
}


def create_app(settings: Settings, parsers: Mapping[str, Loader]) -> FastAPI:
    """The page and the API. ``parsers`` are the models' loaders by name; the first is the default model."""
    models = Models(parsers)
    api = Api(settings, models)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        api.workers.start()
        # In a thread of its own: the server answers at once, and no worker thread is kept busy.
        threading.Thread(target=models.warm_up, name="warm-up", daemon=True).start()
        yield
        api.workers.stop()

    app = FastAPI(
        title="text2math",
        version=__version__,
        summary="Reads the mathematics out of plain language.",
        lifespan=lifespan,
        # FastAPI's own pages load scripts from other sites.
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    _add_parse(app, api)
    _add_one_reading(app, api)
    _add_status(app, api)
    _add_page(app)
    _add_errors(app, api)
    app.state.stopping = api.stopping
    app.add_middleware(Limits, settings=settings)
    if settings.cors:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.cors,
            allow_methods=("GET", "POST"),
            allow_headers=("content-type",),
        )
    app.add_middleware(Hosts, settings=settings)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(Log)
    return app


def _add_parse(app: FastAPI, api: Api) -> None:
    settings = api.settings

    @app.post(
        "/api/parse",
        summary="Read one text, or a list of texts.",
        description="A single text gets one parse; a list of texts gets a list of parses.",
        responses={200: {"model": ParseView | list[ParseView], "description": "What was read."}, **REFUSALS},
        openapi_extra=_body(
            request_schema(ParseRequest, settings),
            apples={"text": APPLES},
            equation={"text": NUMBERS, "top": 3},
            several={"text": [APPLES, NUMBERS]},
        ),
    )
    async def parse(request: Request) -> Response:
        _check_type(request, (JSON,))
        wanted = await api.read(request.receive, ParseRequest)
        return Response(await unless_disconnected(request.receive, api.parse(wanted)), media_type=JSON)

    @app.post(
        "/api/parse/stream",
        summary="Read JSON Lines, answer JSON Lines.",
        description=(
            "Each line of the body is a JSON string, or an object with `text`, an `id` to give back, and "
            "options. Each gets one line, in order: `line`, `id`, and the parse or an `error`."
        ),
        responses=_answered("One line for each line.", JSON_LINES),
        openapi_extra={
            "requestBody": {
                "required": False,  # a stream may be empty
                "content": {
                    JSON_LINES: {
                        "schema": {"type": "string"},
                        "example": '{"id": 1, "text": "3 plus 4"}\n"Seven is 2 more than a number."\n',
                        "x-line-schema": request_schema(StreamLine, settings),
                    }
                },
            }
        },
    )
    async def parse_stream(request: Request) -> Response:
        _check_type(request, LINE_TYPES)
        return LinesResponse(api.line, settings, 2 * settings.threads, api.stopping)


def _add_one_reading(app: FastAPI, api: Api) -> None:
    """The endpoints about one reading of one text: draw it, explain it, check an answer against it."""
    settings = api.settings

    @app.post(
        "/api/render",
        summary="A reading of a text as a picture: the words of each node in its colour, and the tree.",
        response_class=Response,
        responses=_answered("An SVG picture.", SVG),
        openapi_extra=_body(
            request_schema(RenderRequest, settings),
            apples={"text": APPLES},
            dark={"text": NUMBERS, "theme": "dark"},
        ),
    )
    async def render(request: Request) -> Response:
        _check_type(request, (JSON,))
        wanted = await api.read(request.receive, RenderRequest)
        return Response(await unless_disconnected(request.receive, api.render(wanted)), media_type=SVG)

    @app.post(
        "/api/check",
        summary="Whether somebody's answer to a text is right and, if it is not, what went wrong.",
        responses={200: {"model": VerdictView, "description": "The verdict."}, **REFUSALS},
        openapi_extra=_body(
            request_schema(CheckRequest, settings),
            right={"text": APPLES, "answer": "16 apples"},
            wrong={"text": APPLES, "answer": "10"},
        ),
    )
    async def check(request: Request) -> Response:
        _check_type(request, (JSON,))
        wanted = await api.read(request.receive, CheckRequest)
        return Response(await unless_disconnected(request.receive, api.check(wanted)), media_type=JSON)

    @app.post(
        "/api/explain",
        summary="Why a text is read as it is.",
        responses={200: {"model": ExplanationView, "description": "The reasons."}, **REFUSALS},
        openapi_extra=_body(
            request_schema(OneReading, settings),
            apples={"text": APPLES},
            second={"text": APPLES, "alternative": 1},
        ),
    )
    async def explain(request: Request) -> Response:
        _check_type(request, (JSON,))
        wanted = await api.read(request.receive, OneReading)
        return Response(await unless_disconnected(request.receive, api.explain(wanted)), media_type=JSON)


def _add_status(app: FastAPI, api: Api) -> None:
    settings, models = api.settings, api.models

    @app.get(
        "/api/models",
        summary="The models and the limits of the server.",
        response_model=ModelsView,
    )
    async def list_models() -> ModelsView:
        state = models.state
        views = [
            ModelView(
                name=name,
                default=at == 0,
                ready=state[name] == "ready",
                knowledge=models.uses_knowledge(name),
                about=models.about(name),
            )
            for at, name in enumerate(models.names)
        ]
        limits = LimitsView(**{name: getattr(settings, name) for name in LimitsView.model_fields})
        return ModelsView(models=views, limits=limits)

    @app.get("/health", summary="Whether the server works.", response_model=HealthView)
    async def health(request: Request) -> HealthView:
        state = models.state
        status = next((one for one in ("failed", "starting") if one in state.values()), "ok")
        return HealthView(status=status, version=__version__, in_flight=request.state.in_flight, models=state)


def _answered(description: str, content_type: str) -> Responses:
    """The description of the answers of an endpoint that returns text of some type."""
    content = {content_type: {"schema": {"type": "string"}}}
    return {200: {"description": description, "content": content}, **REFUSALS}


def _body(schema: dict[str, Any], **examples: BaseModel | dict[str, Any]) -> dict[str, Any]:
    """The description of a JSON body, which FastAPI does not parse here."""
    shown = {name: {"value": value} for name, value in examples.items()}
    return {"requestBody": {"required": True, "content": {JSON: {"schema": schema, "examples": shown}}}}


def _check_type(request: Request, allowed: tuple[str, ...]) -> None:
    """Refuse other content types: browsers let foreign pages send some of them without a CORS preflight."""
    given = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if given not in allowed:
        raise RefusedError(415, "wrong_type", f"send the header 'content-type: {allowed[0]}'")


def _add_page(app: FastAPI) -> None:
    for asset in load_assets():
        app.add_api_route(asset.path, asset.serve, methods=["GET", "HEAD"], include_in_schema=False)


def _add_errors(app: FastAPI, api: Api) -> None:
    async def refused(_: Request, error: Exception) -> Response:
        refusal = error if isinstance(error, RefusedError) else api.unexpected(error)
        headers = {name.decode(): value.decode() for name, value in RETRY} if refusal.status == 429 else None
        return Response(refusal.bytes(), refusal.status, headers, media_type=JSON)

    async def http_error(_: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        code = {404: "not_found", 405: "method_not_allowed"}.get(error.status_code, "refused")
        refusal = RefusedError(error.status_code, code, str(error.detail))
        return Response(refusal.bytes(), refusal.status, error.headers, media_type=JSON)

    app.add_exception_handler(RefusedError, refused)
    app.add_exception_handler(HTTPException, http_error)
    app.add_exception_handler(Exception, refused)
