"""A local copy of one calendar, so that a call needs no server: renewed from time to time, with its age."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from time import monotonic

from workers.agents.calendar.source.appointments import Occurrence, Resource
from workers.agents.calendar.source.calendar_store import CalendarStore
from workers.agents.calendar.source.icalendar_objects import Appointment, Owner, Parsed, read_objects
from workers.errors import ToolUnavailable

WEEK = timedelta(days=7)
MOST_WEEKS = 60
"""Of which occurrences are kept. Beyond that they are worked out for each call."""
WARM, AHEAD = (-1, 4), (-5, 27)
"""Weeks before and after now that are worked out when the copy is made, and in the background when it is renewed: a
process that answers one question needs few."""


@dataclass(frozen=True)
class Snapshot:
    """All of a calendar as it was read.

    ``unread``: titles of appointments, or places of resources, that cannot be read.
    ``weeks``: the occurrences of a week by its Monday, as they are asked for."""

    resources: dict[str, Resource] = field(default_factory=dict)
    parsed: dict[str, Parsed] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    weeks: dict[date, tuple[Occurrence, ...]] = field(default_factory=dict)

    @property
    def appointments(self) -> list[Appointment]:
        """All of them."""
        return [one for parsed in self.parsed.values() for one in parsed.appointments]

    @property
    def zones(self) -> tuple[str, ...]:
        """The zones that nobody knows."""
        return tuple(dict.fromkeys(zone for parsed in self.parsed.values() for zone in parsed.zones))

    def between(self, start: datetime, end: datetime) -> list[Occurrence]:
        """Occurrences that have a part in a span, by their start."""
        weeks = list(weeks_of(start, end))
        if len(weeks) > MOST_WEEKS:
            found: Iterable[Occurrence] = self.expand(start, end)
        else:
            self.fill(weeks)
            found = (o for week in weeks for o in self.weeks[week])
        kept = {(o.uid, o.original, o.start): o for o in found if o.touches(start, end)}
        return sorted(kept.values(), key=lambda o: (o.start, o.end, o.title))

    def fill(self, weeks: list[date]) -> None:
        """Work out the weeks that nobody asked for yet."""
        missing = [week for week in weeks if week not in self.weeks]
        if not missing:
            return
        if len(self.weeks) > 2 * MOST_WEEKS:
            for week in [w for w in self.weeks if w not in weeks]:
                self.weeks.pop(week, None)
        first = monday(min(missing))
        found = self.expand(first, monday(max(missing)) + WEEK)
        for week in missing:
            self.weeks[week] = tuple(o for o in found if o.touches(monday(week), monday(week) + WEEK))

    def expand(self, start: datetime, end: datetime) -> list[Occurrence]:
        """The occurrences of a span, from the appointments."""
        return [o for one in self.appointments for o in one.between(start, end)]


def monday(week: date) -> datetime:
    """When a week begins, in UTC."""
    return datetime(week.year, week.month, week.day, tzinfo=UTC)


def weeks_of(start: datetime, end: datetime) -> Iterator[date]:
    """The Mondays of the weeks that a span touches."""
    day = start.astimezone(UTC).date()
    day -= timedelta(days=day.weekday())
    while monday(day) < max(end, start + timedelta(seconds=1)):
        yield day
        day += WEEK


class CalendarCopy:
    """The copy of one calendar. One a process; several threads may use it.

    Args:
        store: where the calendar lies.
        owner: whose it is.
        fresh_s: after so long it is renewed by whoever comes next, in the background when there is a copy already.
    """

    def __init__(self, store: CalendarStore, owner: Owner, fresh_s: float, pool: ThreadPoolExecutor) -> None:
        self.store, self.owner, self.fresh_s, self.pool = store, owner, fresh_s, pool
        self.snapshot: Snapshot | None = None
        self.read_at: datetime | None = None
        self.failure = ""
        self.looked_at = float("-inf")
        self.lock = threading.Lock()
        self.renewal_lock = threading.Lock()

    @property
    def stale(self) -> bool:
        """Whether it is time to look again; also after a failure."""
        return monotonic() - self.looked_at > self.fresh_s

    def prepare(self, wait_s: float) -> None:
        """Read it for the first time, or renew it, and wait no longer for that than so; never raises."""
        if not self.stale and self.snapshot:
            return
        done = self.pool.submit(self.renew)
        try:
            done.result(timeout=None if self.snapshot is None else wait_s)
        except TimeoutError:
            return

    def renew(self) -> None:
        """Read what changed. A failure is kept as ``failure``; the copy stays as it was."""
        with self.renewal_lock:
            if not self.stale and self.snapshot:
                return
            try:
                held, again = self.snapshot or Snapshot(), self.snapshot is not None
                self.take(self.store.read(held.resources))
                if again and self.snapshot:
                    now = datetime.now(UTC)
                    weeks = list(weeks_of(now + AHEAD[0] * WEEK, now + AHEAD[1] * WEEK))
                    self.pool.submit(self.snapshot.fill, weeks)
                self.failure = ""
            except ToolUnavailable as error:
                self.failure = str(error)
            self.looked_at = monotonic()

    def take(self, resources: dict[str, Resource]) -> None:
        """Make these the copy: what did not change is not parsed again."""
        held = self.snapshot or Snapshot()
        with self.lock:
            self.read_at = datetime.now(UTC)
            if self.snapshot and resources == held.resources:
                return
            parsed: dict[str, Parsed] = {}
            unread = []
            for href, resource in resources.items():
                if held.resources.get(href) == resource and href in held.parsed:
                    parsed[href] = held.parsed[href]
                else:
                    try:
                        parsed[href] = read_objects(resource, self.owner)
                    except (ValueError, KeyError, TypeError, AttributeError):
                        unread.append(href)
                        continue
                unread += parsed[href].unread
            snapshot = Snapshot(resources, parsed, tuple(unread))
            now = datetime.now(UTC)
            snapshot.fill(list(weeks_of(now + WARM[0] * WEEK, now + WARM[1] * WEEK)))
            self.snapshot = snapshot

    def refreshed(self, href: str) -> Resource | None:
        """Read one resource from the calendar itself and keep it. Raises: ToolUnavailable."""
        resource = self.store.get(href)
        resources = dict((self.snapshot or Snapshot()).resources)
        if resource is None:
            resources.pop(href, None)
        else:
            resources[href] = resource
        self.take(resources)
        return resource

    @property
    def told_until(self) -> datetime | None:
        """Until when it is known what is taken; None: without an end."""
        ahead = self.store.ahead
        return self.read_at + ahead if self.read_at and ahead is not None else None

    def age_s(self, now: datetime) -> float | None:
        """How old the copy is; None when there is none."""
        return max((now - self.read_at).total_seconds(), 0.0) if self.read_at else None
