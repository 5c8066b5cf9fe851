"""Single values of payloads that may be anything: what stands under a key, a moment, a text on one line. PURE."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any


def value_at(body: Any, *path: str) -> Any:
    """The value under a path of keys of a payload; None where there is none."""
    for key in path:
        if not isinstance(body, Mapping):
            return None
        body = body.get(key)
    return body


def text_at(body: Any, *path: str) -> str:
    """The text under a path of keys; empty when there is none."""
    value = value_at(body, *path)
    return value if isinstance(value, str) else ""


def encodable(text: str) -> str:
    """Without halves of surrogate pairs, which JSON can hold and no form or file can carry."""
    return text.encode("utf-8", "replace").decode()


EARLIEST_YEAR = 1970


def parse_moment(value: Any) -> datetime | None:
    """An RFC 3339 moment in UTC; None when it is none, or lies before 1970, as a time that nobody set does."""
    try:
        moment = datetime.fromisoformat(value)
        return moment.astimezone(UTC) if moment.tzinfo and moment.year >= EARLIEST_YEAR else None
    except (TypeError, ValueError, OverflowError):
        return None


def one_line(text: str, most: int) -> str:
    """Text on one line that every database and terminal can hold, at most so many characters of it."""
    line = " ".join(encodable(text[: most * 4]).split())
    return "".join(c if c.isprintable() else " " for c in line).strip()[:most]
