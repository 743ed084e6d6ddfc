"""JSON as the API sends it: UTF-8, compact, strictly standard."""

from __future__ import annotations

import json


def json_bytes(value: object) -> bytes:
    """The value as one line of JSON.

    >>> json_bytes({"text": "naïve"}).decode()
    '{"text":"naïve"}'
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
