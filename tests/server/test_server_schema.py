"""The API is as its OpenAPI description says, for whatever schemathesis makes of it."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra [server] is not installed")
schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")

from text2math.explanation.explain import explain  # noqa: E402
from text2math.parser import Parser, load  # noqa: E402
from text2math.server.app import create_app  # noqa: E402
from text2math.server.settings import Settings  # noqa: E402


@cache
def warm_parser() -> Parser:
    """The discrete model, with everything compiled: a request that compiles may run out of time."""
    parser = load("small")
    explain(parser, "Tom has 3 pens and 4 books. How many things has he?")
    return parser


schema = schemathesis.openapi.from_asgi(
    "/openapi.json", create_app(Settings(hosts=("testserver",)), {"small": warm_parser})
)


@schemathesis.serializer("application/x-ndjson")
def lines(_: Any, value: Any) -> bytes:
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else json.dumps(value).encode()


@pytest.mark.slow
@schema.parametrize()
def test_the_api_is_as_it_is_described(case: Any) -> None:
    warm_parser()
    # A description can't say that indices must be those of numbers in the text, so a body that fits it may
    # still be refused.
    excluded = [schemathesis.checks.positive_data_acceptance]
    if case.path == "/api/parse/stream":
        # Whatever comes is lines, and a bad line is refused in a line of its own.
        excluded.append(schemathesis.checks.negative_data_rejection)
    response = case.call()
    if response.status_code == 413:  # a body that is too large is refused before it is read
        excluded.append(schemathesis.checks.negative_data_rejection)
    case.validate_response(response, excluded_checks=excluded)
