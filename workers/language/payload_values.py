"""Single values of payloads that may be anything: a moment, a text on one line. PURE."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from workers.language.slack_text import encodable


def parse_moment(value: Any) -> datetime | None:
    """An RFC 3339 moment in UTC; None when it is none."""
    try:
        moment = datetime.fromisoformat(value)
        return moment.astimezone(UTC) if moment.tzinfo else None
    except (TypeError, ValueError, OverflowError):
        return None


def one_line(text: str, most: int) -> str:
    """Text on one line that every database and terminal can hold, at most so many characters of it."""
    line = " ".join(encodable(text[: most * 4]).split())
    return "".join(c if c.isprintable() else " " for c in line).strip()[:most]
