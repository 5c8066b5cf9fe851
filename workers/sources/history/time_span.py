"""The span of time of an argument."""

from __future__ import annotations

from datetime import datetime

from workers.errors import ToolArgumentError


def read_span(since: str, until: str, now: datetime) -> tuple[datetime | None, datetime]:
    """The moments of ``since`` and ``until``; the latter is now by default. Raises: ToolArgumentError."""
    start, end = read_moment("since", since), read_moment("until", until)
    if start and end and start > end:
        raise ToolArgumentError(f"since {since} is after until {until}")
    return start, end or now


def read_moment(name: str, text: str) -> datetime | None:
    """One RFC 3339 moment, None when empty. Raises: ToolArgumentError."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise ToolArgumentError(f"{name}: {text!r} is not RFC 3339, like 2026-01-31T14:00:00Z") from error
    if moment.tzinfo is None:
        raise ToolArgumentError(f"{name}: {text!r} has no time zone; add Z or an offset such as +02:00")
    return moment
