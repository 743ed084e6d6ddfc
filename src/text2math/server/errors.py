"""Every refusal as JSON: a status, a code for programs, a sentence for people.

>>> error = RefusedError(422, "too_many_words", "the text has 512 words; at most 150 are read")
>>> error.body()["error"]["code"]
'too_many_words'
"""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from text2math.server.render_json import json_bytes

SHOWN_ERRORS = 3
SHOWN_CHARACTERS = 200


class RefusedError(Exception):
    """A request that is answered with an error; the message says what was wrong and what to do."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message

    def body(self) -> dict[str, Any]:
        """What the client gets."""
        return {"error": {"status": self.status, "code": self.code, "message": self.message}}

    def bytes(self) -> bytes:
        """The body as JSON."""
        return json_bytes(self.body())


def too_large(limit: int, what: str = "body") -> RefusedError:
    """The refusal of a body, stream or line that is over its limit."""
    return RefusedError(413, "too_large", f"the {what} is larger than {limit:,} bytes: send less at once")


def too_busy(limit: int, what: str) -> RefusedError:
    """The refusal of a request or stream while too many are being answered."""
    return RefusedError(429, "too_busy", f"{limit} {what} are being answered: try again in a second")


def out_of_time(seconds: float) -> RefusedError:
    """The refusal of a request that took too long."""
    return RefusedError(
        503, "out_of_time", f"no answer within {seconds:g} seconds: send shorter texts, or try again later"
    )


def invalid(error: ValidationError) -> RefusedError:
    """The refusal of a body that does not follow the schema; it repeats little of what the user wrote.

    >>> from pydantic import TypeAdapter
    >>> try:
    ...     TypeAdapter(dict[str, int]).validate_json(b'{"a": "x"}')
    ... except ValidationError as error:
    ...     print(invalid(error).message)
    a: Input should be a valid integer, unable to parse string as an integer
    """
    found = error.errors(include_url=False, include_context=False, include_input=False)
    lines = [_line(one["loc"], one["msg"]) for one in found[:SHOWN_ERRORS]]
    if len(found) > SHOWN_ERRORS:
        lines.append(f"and {len(found) - SHOWN_ERRORS} more")
    return RefusedError(422, "invalid", "; ".join(lines))


def _line(place: tuple[int | str, ...], message: str) -> str:
    where = ".".join(str(part) for part in place)
    shown = where[:SHOWN_CHARACTERS] + ("…" if len(where) > SHOWN_CHARACTERS else "")
    return f"{shown}: {message}" if shown else message
