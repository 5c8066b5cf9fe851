"""How long each test file took in the last whole run on this machine; `tests.quick` chooses by it."""

from __future__ import annotations

import json
import os
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
    """Keep the times of a whole run."""
    RECORD.parent.mkdir(exist_ok=True)
    written = RECORD.with_suffix(f".{os.getpid()}")
    written.write_text(json.dumps({file: round(spent_s, 2) for file, spent_s in seconds.items()}, indent=0))
    written.replace(RECORD)
