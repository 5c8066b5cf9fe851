"""Which stretch of time a query is about, what it is compared with, and how finely it is looked at."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from workers.contracts import Deploy, Window, rfc3339
from workers.errors import ToolArgumentError
from workers.sources.metrics.backend import Grid
from workers.sources.metrics.query_string import (
    MAX_WINDOW,
    MIN_WINDOW,
    Compare,
    Last,
    SinceDeploy,
    Span,
    WindowSpec,
    write_window,
)

DEFAULT = timedelta(hours=24)
SHORTEST_LEAD = 3_600
LONGEST_LEAD = 86_400
STEPS = (15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200)
MOST_POINTS = 1_200
SHIFT = {"day": 86_400, "week": 604_800}
Deploys = Callable[[datetime, datetime], tuple[Deploy, ...]]


@dataclass(frozen=True)
class View:
    """A window with the lead before it; whole epoch seconds. ``shift``: seconds back to what it is compared with,
    0 for the lead."""

    start: int
    end: int
    lead_start: int
    step: int
    shift: int = 0

    @property
    def grid(self) -> Grid:
        """Lead and window."""
        return Grid(self.lead_start, self.end, self.step)

    @property
    def coarse(self) -> Grid:
        """The same with a third of the points, for many series at once."""
        step = 3 * self.step
        return Grid(self.end - (self.end - self.lead_start) // step * step, self.end, step)

    @property
    def reference(self) -> Grid:
        """What a shifted window is compared with."""
        return Grid(self.start - self.shift, self.end - self.shift, self.step)


def resolve_window(spec: WindowSpec, now: datetime, deploys: Deploys, services: Collection[str] = ()) -> Window:
    """The stretch of time that a query's window means as of ``now``.

    Args:
        spec: the window as asked for.
        now: the moment asked about, where open windows end.
        deploys: known deploys of a span, oldest first.
        services: whose last deploy ``deploy`` means, when they have one.

    Raises:
        ToolArgumentError: the window starts in the future, or is too long now that its end is known.
    """
    now = now.astimezone(UTC)
    if isinstance(spec, Last):
        return Window(start=now - spec.length, end=now, why=f"last {write_window(spec)}")
    if isinstance(spec, SinceDeploy):
        return since_deploy(now, deploys, services)
    start = spec.start.astimezone(UTC)
    end = min(spec.end.astimezone(UTC), now) if spec.end else now
    if start >= now:
        raise ToolArgumentError(f"window={write_window(spec)} starts after now, {rfc3339(now)}")
    if end - start > MAX_WINDOW:
        raise ToolArgumentError(f"window={write_window(spec)} is longer than {MAX_WINDOW.days}d")
    if end - start < MIN_WINDOW:  # it has only just begun
        return Window(start=end - MIN_WINDOW, end=end, why=f"{named(spec, end, now)}, widened to a minute")
    return Window(start=start, end=end, why=named(spec, end, now))


def named(spec: Span, end: datetime, now: datetime) -> str:
    """A fixed interval in words."""
    if spec.end is None:
        return f"since {rfc3339(spec.start)}"
    cut = ", cut at now" if end == now and spec.end > now else ""
    return f"{rfc3339(spec.start)} to {rfc3339(end)}{cut}"


def since_deploy(now: datetime, deploys: Deploys, services: Collection[str]) -> Window:
    """Since the last deploy, of the services when they have one; the last 24 h when none is known."""
    known = [d for d in deploys(now - MAX_WINDOW, now) if d.at < now]
    own = [d for d in known if d.service in services]
    if not known:
        return Window(start=now - DEFAULT, end=now, why="no deploy is known; last 24h")
    last = max(own or known, key=lambda d: d.at)
    at = last.at.astimezone(UTC)
    why = f"since deploy {last.service} {last.version} at {rfc3339(at)}"
    if now - at < MIN_WINDOW:
        return Window(start=now - MIN_WINDOW, end=now, why=f"{why}, widened to a minute")
    return Window(start=at, end=now, why=why)


def plan_view(window: Window, compare: Compare, interval: float, shortest_lead: int = SHORTEST_LEAD) -> View:
    """How a window is looked at.

    Args:
        window: the window.
        compare: what with.
        interval: seconds between samples; a finer step would show nothing more.
        shortest_lead: seconds before the window that are looked at, at least.
    """
    first, last = window.start.timestamp(), window.end.timestamp()
    lead = min(max(last - first, shortest_lead), LONGEST_LEAD)
    span = last - first + lead
    step = next((s for s in STEPS if span / s <= MOST_POINTS and s >= interval), STEPS[-1])
    even = min(step, 60)
    end = int(last // even * even)
    start = min(int(first), end - step)
    lead_start = end - int((end - start + lead) // step) * step
    return View(start, end, lead_start, step, SHIFT.get(compare, 0))
