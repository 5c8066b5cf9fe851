"""A window as periods; each period as the hours that are summed up, and what must be read from the raw rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import Literal

from sqlalchemy import Connection, select

from workers.agents.operations.source.database import has_sums
from workers.agents.operations.source.hourly_sums import hours
from workers.errors import ToolArgumentError

Granularity = Literal["hour", "day"]
GRANULARITIES: tuple[Granularity, ...] = ("hour", "day")
HOUR = timedelta(hours=1)
MOST_PERIODS = 2_000
Span = tuple[datetime, datetime]


@dataclass(frozen=True)
class Period:
    """``name``: when the whole hour or day begins; ``start`` to ``end``, in UTC: the part of it within the window."""

    name: datetime
    start: datetime
    end: datetime
    whole: bool


@dataclass(frozen=True)
class Cover:
    """How a period is read: the ``hours`` within it that are summed up, and ``raw`` spans for the rest."""

    period: Period
    hours: frozenset[datetime]
    raw: tuple[Span, ...]

    @property
    def spans(self) -> tuple[Span, ...]:
        """The summed hours, neighbours together."""
        found: list[Span] = []
        for hour in sorted(self.hours):
            if found and found[-1][1] == hour:
                found[-1] = (found[-1][0], hour + HOUR)
            else:
                found.append((hour, hour + HOUR))
        return tuple(found)


def periods(start: datetime, end: datetime, granularity: str, zone: tzinfo) -> tuple[Period, ...]:
    """The hours (of UTC) or days (of the asker's zone) of a window, the first and the last cut to it.

    Raises:
        ToolArgumentError: there are more than `MOST_PERIODS`.
    """
    length = HOUR if granularity == "hour" else timedelta(days=1)
    if (end - start) / length > MOST_PERIODS:
        raise ToolArgumentError(
            f"since: more than {MOST_PERIODS:,} periods of one {granularity}; take a shorter window or longer periods",
            ("day",) if granularity == "hour" else ("30 days ago",),
        )
    found, name = list[Period](), first(start, granularity, zone)
    while name < end:
        following = after(name, granularity, zone)
        cut = max(name, start).astimezone(UTC), min(following, end).astimezone(UTC)
        found.append(Period(name, *cut, whole=start <= name and following <= end))
        name = following
    return tuple(found)


def first(start: datetime, granularity: str, zone: tzinfo) -> datetime:
    """When the hour or day begins that a moment is in."""
    if granularity == "hour":
        return start.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    return datetime.combine(start.astimezone(zone).date(), time(), zone)


def after(name: datetime, granularity: str, zone: tzinfo) -> datetime:
    """When the next one begins; a day with a change of the clock is longer or shorter."""
    if granularity == "hour":
        return name + HOUR
    return datetime.combine(name.date() + timedelta(days=1), time(), zone)


def summed_hours(connection: Connection, start: datetime, end: datetime) -> frozenset[datetime]:
    """The hours of a window whose sums hold."""
    if not has_sums(connection):
        return frozenset()
    inside = (hours.c.hour >= start) & (hours.c.hour < end)
    return frozenset(connection.execute(select(hours.c.hour).where(inside)).scalars())


def cover(period: Period, summed: Iterable[datetime]) -> Cover:
    """The whole hours that are summed up, and the spans between them."""
    inside = sorted(hour for hour in summed if period.start <= hour and hour + HOUR <= period.end)
    raw, at = list[Span](), period.start
    for begin in [*inside, period.end]:
        if at < begin:
            raw.append((at, begin))
        at = begin + HOUR
    return Cover(period, frozenset(inside), tuple(raw))


def covers(connection: Connection, cut: Sequence[Period]) -> list[Cover]:
    """How each of several neighbouring periods is read."""
    hours_of: list[list[datetime]] = [[] for _ in cut]
    i = 0
    for hour in sorted(summed_hours(connection, cut[0].start, cut[-1].end)):
        while hour >= cut[i].end:
            i += 1
        hours_of[i].append(hour)
    return [cover(period, summed) for period, summed in zip(cut, hours_of, strict=True)]


def whole_window(connection: Connection, start: datetime, end: datetime) -> Cover:
    """How a window is read as one period."""
    return cover(
        Period(start, start.astimezone(UTC), end.astimezone(UTC), whole=True), summed_hours(connection, start, end)
    )
