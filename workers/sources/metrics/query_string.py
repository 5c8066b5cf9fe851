"""The structured string of metrics_query, read strictly.

``metric=NAME [window=…] [compare=…] [by=LABEL] [LABEL=VALUE]…`` or ``alert=NAME [window=…]``. Values with spaces,
quotes or backslashes stand in double quotes, with ``\\"`` and ``\\\\`` inside.

``unfiltered``: labels that were asked for and could not be filtered by, which the answer then says.
``window``: a length (``90m``, ``24h``, ``7d``) up to now; ``deploy``, since the last deploy; ``START/END`` or
``START/`` in RFC 3339; ``since:START``. ``compare``: ``previous``, ``day``, ``week``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from workers.errors import ToolArgumentError

Compare = Literal["previous", "day", "week"]
COMPARES: tuple[Compare, ...] = ("previous", "day", "week")

MAX_CHARS = 2_000
MAX_WINDOW = timedelta(days=400)
MIN_WINDOW = timedelta(minutes=1)
UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
RESERVED = ("metric", "alert", "window", "compare", "by", "unfiltered")
USAGE = "metric=NAME window=24h [compare=previous|day|week] [by=LABEL] [LABEL=VALUE]… or alert=NAME [window=24h]"

WORD = re.compile(r'\s*(?P<key>[^\s="]*)(?P<eq>=?)(?P<value>"(?:[^"\\]|\\["\\])*"|[^\s"]*)(?=\s|$)')
LABEL = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
NAME = re.compile(r"[A-Za-z0-9_:./ -]+")
LENGTH = re.compile(r"(\d{1,9})([A-Za-z]+)")
# Separators, controls and lone surrogates have no place in a name or a label value.
UNPRINTABLE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True)
class Last:
    """The last stretch of time before now."""

    length: timedelta


@dataclass(frozen=True)
class SinceDeploy:
    """From the last deploy until now."""


@dataclass(frozen=True)
class Span:
    """A fixed interval, aware times. ``end`` None means now."""

    start: datetime
    end: datetime | None = None


WindowSpec = Last | SinceDeploy | Span
DAY = Last(timedelta(hours=24))


@dataclass(frozen=True)
class MetricQuery:
    """A metric over a window, filtered by labels."""

    metric: str
    window: WindowSpec = DAY
    compare: Compare = "previous"
    by: str | None = None
    labels: tuple[tuple[str, str], ...] = ()
    unfiltered: str = ""


@dataclass(frozen=True)
class AlertQuery:
    """One alert over a window."""

    alert: str
    window: WindowSpec = DAY


def parse_query(text: str) -> MetricQuery | AlertQuery:
    """Read the structured string.

    Raises:
        ToolArgumentError: one sentence that names the word that is wrong.
    """
    if len(text) > MAX_CHARS:
        raise ToolArgumentError(f"the query is {len(text):,} characters long; at most {MAX_CHARS:,} are read")
    words = read_words(text)
    if not words:
        raise ToolArgumentError(f"the query is empty; it should be {USAGE}")
    if "metric" in words and "alert" in words:
        raise ToolArgumentError("metric= and alert= stand together; ask for one of them")
    window = read_window(words["window"]) if "window" in words else DAY
    if "alert" in words:
        others = [k for k in words if k not in {"alert", "window"}]
        if others:
            raise ToolArgumentError(f"{others[0]}= has no meaning beside alert=; only window= has")
        return AlertQuery(alert=read_name("alert", words["alert"]), window=window)
    if "metric" not in words:
        raise ToolArgumentError(f"neither metric= nor alert= is given; the query should be {USAGE}")
    return MetricQuery(
        metric=read_name("metric", words["metric"]),
        window=window,
        compare=read_compare(words.get("compare", "previous")),
        by=words.get("by") and read_label(words["by"]),
        labels=tuple((k, v) for k, v in words.items() if k not in RESERVED),
        unfiltered=words.get("unfiltered", ""),
    )


def read_words(text: str) -> dict[str, str]:
    """Split into unique keys with their unquoted values, in order."""
    out: dict[str, str] = {}
    text = text.strip()
    bad = UNPRINTABLE.search(text)
    if bad:
        raise ToolArgumentError(f"the query holds the control character {bad.group()!r}")
    at, end = 0, len(text)
    while at < end:
        match = WORD.match(text, at, end)
        if match is None or match.end() == at:
            raise ToolArgumentError(
                f"{text[at:end].split()[0]!r} has a quote that does not end or stands inside a word"
            )
        key, value = match["key"], match["value"]
        if not match["eq"]:
            raise ToolArgumentError(f"{match.group().strip()!r} is not KEY=VALUE; the query should be {USAGE}")
        read_label(key)
        if key in out:
            raise ToolArgumentError(f"{key}= stands twice")
        if value[:1] in {"~", "="}:
            raise ToolArgumentError(f"{key}={value}: only exact values are understood, as {key}=VALUE")
        out[key] = unquoted(value)
        if not out[key].strip():
            raise ToolArgumentError(f"{key}= has no value")
        at = match.end()
    return out


def read_label(key: str) -> str:
    """A label name."""
    if not LABEL.fullmatch(key) or key.startswith("__"):
        raise ToolArgumentError(f"{key!r} is not a label name: letters, digits and _ only")
    return key


def read_name(key: str, value: str) -> str:
    """A metric's or an alert's name: as written in the catalogue, or an alias."""
    if not NAME.fullmatch(value) and key == "metric":
        raise ToolArgumentError(f"{key}={value!r} is not a metric name")
    return value.strip()


def read_compare(value: str) -> Compare:
    """What the window is compared with."""
    for known in COMPARES:
        if value == known:
            return known
    raise ToolArgumentError(f"compare={value} is unknown; known are {', '.join(COMPARES)}")


def read_window(value: str) -> WindowSpec:
    """A length, ``deploy``, ``START/END`` or ``since:START``."""
    if value == "deploy":
        return SinceDeploy()
    if value.startswith("since:"):
        return Span(read_time(value.removeprefix("since:")))
    if "/" in value:
        first, _, last = value.partition("/")
        span = Span(read_time(first), read_time(last) if last else None)
        if span.end is not None:
            check_length(span.end - span.start, value, timedelta(0))
        return span
    match = LENGTH.fullmatch(value)
    if match is None:
        raise ToolArgumentError(f"window={value} cannot be read; use 24h, 7d, deploy, START/END or since:START")
    count, unit = match.groups()
    if unit not in UNITS:
        raise ToolArgumentError(f"window={value} has the unknown unit {unit!r}; known are {', '.join(UNITS)}")
    seconds = int(count) * UNITS[unit]
    check_length(timedelta(seconds=min(seconds, 10**9)), value)
    return Last(timedelta(seconds=seconds))


def check_length(length: timedelta, shown: str, least: timedelta = MIN_WINDOW) -> None:
    """Refuse what is reversed, too short or too long."""
    if length <= timedelta(0):
        wrong = "ends before it starts" if "/" in shown else "has no length"
        raise ToolArgumentError(f"window={shown} {wrong}")
    if length < least:
        raise ToolArgumentError(f"window={shown} is shorter than 1m")
    if length > MAX_WINDOW:
        raise ToolArgumentError(f"window={shown} is longer than {MAX_WINDOW.days}d")


def read_time(text: str) -> datetime:
    """An RFC 3339 moment; the zone is required."""
    if not re.match(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d", text):
        raise ToolArgumentError(f"{text!r} in window= is not an RFC 3339 time such as 2026-01-31T14:05:00Z")
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise ToolArgumentError(f"{text!r} in window= is not a time that exists") from error
    if moment.tzinfo is None:
        raise ToolArgumentError(f"{text!r} in window= has no time zone; add Z or an offset such as +02:00")
    return moment


def write_window(window: WindowSpec) -> str:
    """A window as `read_window` reads it."""
    if isinstance(window, SinceDeploy):
        return "deploy"
    if isinstance(window, Span):
        return f"{window.start.isoformat()}/{window.end.isoformat() if window.end else ''}"
    seconds = int(window.length.total_seconds())
    # As people say it: 24h, then 2d.
    unit = next(u for u in ("d", "h", "m", "s") if seconds % UNITS[u] == 0 and (u != "d" or seconds >= 2 * UNITS[u]))
    return f"{seconds // UNITS[unit]}{unit}"


def unquoted(value: str) -> str:
    """The value without its quotes and escapes."""
    if not value.startswith('"'):
        return value
    return re.sub(r"\\(.)", r"\1", value[1:-1])
