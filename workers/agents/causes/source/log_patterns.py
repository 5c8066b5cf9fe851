"""Patterns of log lines, and by how much each grew at a moment."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from workers.agents.causes.source.incident import LogPattern
from workers.sources.logs.comparison import compare_patterns
from workers.sources.logs.record import LogSource, Wanted, rank

EARLIER = timedelta(hours=3)


def mined_patterns(sources: Sequence[LogSource], moment: datetime, until: datetime) -> tuple[LogPattern, ...]:
    """The patterns from a moment on, compared with three hours before it.

    Raises: ToolUnavailable: a source does not answer.
    """
    before, after = (
        [record for source in sources for record in source.read(Wanted(start, end)).records]
        for start, end in ((moment - EARLIER, moment), (moment, until))
    )
    found = compare_patterns(before, after, EARLIER.total_seconds() / 60, (until - moment).total_seconds() / 60)
    return tuple(
        LogPattern(p.service, p.template, p.count, round(p.after - p.before), rank(p.level) >= rank("warn"))
        for p in found
    )
