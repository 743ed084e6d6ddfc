"""What an output was made with, kept beside it: a run can only be resumed with the same model and options."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from text2math import __version__
from text2math.bulk.records import Settings, fingerprint
from text2math.language.knowledge import Knowledge

RunRecord = Mapping[str, Any]


def run_record(settings: Settings, options: Mapping[str, Any]) -> RunRecord:
    """Version, model and options of a run."""
    return {
        "text2math": __version__,
        "model": settings.model,
        "model_sha256": fingerprint(settings.model),
        "top": settings.top,
        "min_probability": settings.min_probability,
        "strict": settings.strict,
        "knowledge": _recorded(settings.knowledge),
        **options,
    }


def _recorded(knowledge: bool | Knowledge) -> bool | str:
    """Facts of your own by their checksum: the same name may stand for other facts later."""
    if isinstance(knowledge, bool):
        return knowledge
    return (
        f"facts with SHA-256 {sha256(json.dumps(knowledge.to_json(), sort_keys=True).encode()).hexdigest()}"
    )


def record_path(out: str, *, folder: bool = False) -> Path:
    """Where the record of a run is kept.

    >>> str(record_path("answers.jsonl"))
    'answers.jsonl.run.json'
    """
    return Path(out) / "_run.json" if folder else Path(f"{out}.run.json")


def write_record(path: Path, record: RunRecord) -> None:
    """Write the record atomically."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_text(json.dumps(record, indent=1, default=str) + "\n", encoding="utf-8")
        os.replace(part, path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def require_same_run(path: Path, record: RunRecord) -> None:
    """Raise ``ValueError`` if an output was started with another version, model or options."""
    try:
        earlier = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ValueError(
            f"{path} is missing, so it is unknown which model began this output; --overwrite starts again"
        ) from None
    except ValueError:
        earlier = None
    if not isinstance(earlier, dict):
        raise ValueError(f"{path} is damaged, so it is unknown which model began this output")
    now = json.loads(json.dumps(record, default=str))
    other = [name for name in {**earlier, **now} if earlier.get(name) != now.get(name)]
    if other:
        changes = "; ".join(f"{name} was {earlier.get(name)!r}, now {now.get(name)!r}" for name in other)
        raise ValueError(f"{path}: the output was begun with other settings ({changes}); give another --out")
