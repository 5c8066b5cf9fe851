"""How long each test file took when it was last run on this machine; `tests.quick` chooses by it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

RECORD = Path(__file__).parents[2] / "build" / "test_file_seconds.json"


def read_file_seconds() -> dict[str, float]:
    """File -> seconds; empty where nothing was run yet."""
    try:
        found: dict[str, float] = json.loads(RECORD.read_text())
    except (OSError, ValueError):
        return {}
    return found


def note_file_seconds(seconds: Mapping[str, float]) -> None:
    """Keep the times of the files that were just run, beside those of the others."""
    RECORD.parent.mkdir(exist_ok=True)
    RECORD.write_text(json.dumps(read_file_seconds() | {k: round(v, 2) for k, v in seconds.items()}, indent=0))
