"""The span that a tool is asked about, as two arguments name it."""

from __future__ import annotations

from datetime import datetime, timedelta

from workers.contracts import rfc3339
from workers.errors import ToolArgumentError
from workers.language.typed_times import read_typed_time
from workers.language.zones import read_zone
from workers.ports import ToolContext

TIME = "RFC 3339, now, today, yesterday, 09:30, N minutes ago, N hours ago, N days ago"


def read_argument_time(name: str, said: str, default: datetime, context: ToolContext) -> datetime:
    """The moment of one argument; the default when it is empty. Raises: ToolArgumentError."""
    found = read_typed_time(said, context.now, read_zone(context.timezone)) if said.strip() else default
    if found is None:
        raise ToolArgumentError(f"{name}: {said!r} is no time; write {TIME}")
    return found


def read_time_span(since: str, until: str, length: timedelta, context: ToolContext) -> tuple[datetime, datetime]:
    """Start and end of a span, aware.

    Args:
        since, until: as people type them; empty is ``length`` before the end, and now.

    Raises:
        ToolArgumentError: one is no time, or they are no span.
    """
    end = read_argument_time("until", until, context.now, context)
    start = read_argument_time("since", since, end - length, context)
    if start >= end:
        raise ToolArgumentError(f"since, until: {rfc3339(start)}, {rfc3339(end)} are no span; write {TIME}")
    return start, end
