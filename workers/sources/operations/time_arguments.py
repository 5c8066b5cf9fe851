"""Times as the tools take them: RFC 3339, now, today, yesterday, "N hours ago", "N days ago"."""

from __future__ import annotations

import re
from datetime import datetime, tzinfo

from workers.errors import ToolArgumentError
from workers.language.typed_times import read_typed_time

KNOWN = "RFC 3339 such as 2026-11-20T14:00:00Z, now, today, yesterday, 24 hours ago, 7 days ago"
EXAMPLES = ("now", "today", "yesterday", "24 hours ago", "7 days ago")
TAKEN = re.compile(
    r"now|today|yesterday|\d{1,6} (?:hour|day)s? ago|"
    r"\d{4}-\d\d-\d\d[t ]\d\d:\d\d:\d\d(?:\.\d+)?(?:z|[+-]\d\d:\d\d)",
    re.ASCII,
)


def read_time(text: str, now: datetime, zone: tzinfo, name: str = "time") -> datetime:
    """A moment in UTC.

    Args:
        text: one of `KNOWN`; case and spaces around do not matter.
        now: aware.
        zone: the asker's, for the start of today and yesterday.
        name: the parameter, for the error.

    Raises:
        ToolArgumentError: it is none of these, or out of range.
    """
    if not TAKEN.fullmatch(" ".join(text.lower().split())):
        raise ToolArgumentError(f"{name}: {text[:80]!r} is not a time; write {KNOWN}", EXAMPLES)
    if (found := read_typed_time(text, now, zone)) is None:
        raise ToolArgumentError(f"{name}: {text!r} is not a time that exists", EXAMPLES)
    return found
