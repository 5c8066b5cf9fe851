"""Times in suites and worlds: a moment, or an offset from the world's "now" such as ``-25h48m``."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Annotated, Any

from pydantic import BeforeValidator

OFFSET = re.compile(
    r"-?(?=\d)(?:(?P<days>\d{1,4})d)?(?:(?P<hours>\d{1,5})h)?(?:(?P<minutes>\d{1,6})m)?(?:(?P<seconds>\d{1,8})s)?",
    re.ASCII,
)
EXAMPLE = "write an offset from now such as -25h48m or -30d, or a moment such as 2026-11-19T13:12:00Z"


def read_offset(text: str) -> timedelta:
    """``-1d2h`` as a timedelta that is never positive: what a world holds happened before its now.

    Raises:
        ValueError: it is no such offset.
    """
    clean = text.strip()
    match = OFFSET.fullmatch(clean)
    if match is None:
        raise ValueError(f"{text!r} is no time; {EXAMPLE}")
    parts = {unit: int(number) for unit, number in match.groupdict(default="0").items()}
    offset = timedelta(**parts)
    if offset and not clean.startswith("-"):
        raise ValueError(f"{text!r} lies after now; {EXAMPLE}")
    return -offset


def read_when(value: Any) -> timedelta | datetime:
    """An offset, or an aware moment. Raises: ValueError."""
    if isinstance(value, timedelta):
        return value
    if isinstance(value, str) and not re.match(r"\d{4}-", value.strip()):
        return read_offset(value)
    try:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value).strip())
    except ValueError as error:
        raise ValueError(f"{value!r} is no time; {EXAMPLE}") from error
    if moment.tzinfo is None:
        raise ValueError(f"{value!r} has no time zone; write 2026-11-19T13:12:00Z")
    return moment


When = Annotated[timedelta | datetime, BeforeValidator(read_when)]


def moment_of(when: timedelta | datetime, now: datetime) -> datetime:
    """The moment that is meant."""
    return now + when if isinstance(when, timedelta) else when
