"""What a source of metrics can be asked, whichever it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from workers.language.alert_labels import is_calm

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Grid:
    """Evaluation moments ``start, start + step, … ≤ end``; whole UTC epoch seconds."""

    start: int
    end: int
    step: int

    @property
    def times(self) -> Floats:
        """All moments."""
        return np.arange(self.start, self.end + 1, self.step, dtype=np.float64)


@dataclass(frozen=True)
class Series:
    """One result series on a grid. A missing point, NaN or Inf is NaN.

    ``native``: its points are histograms, of which ``values`` are the counts.
    """

    labels: Mapping[str, str]
    values: Floats
    native: bool = False


@dataclass(frozen=True)
class Frame:
    """The result of a range query: series that share their moments.

    ``warnings``: what the server says is missing, such as a part that did not answer. ``not_numbers``: how many points
    were NaN or infinite, and so are left out.
    """

    grid: Grid
    series: tuple[Series, ...] = ()
    warnings: tuple[str, ...] = ()
    not_numbers: int = 0

    @property
    def times(self) -> Floats:
        """The moments of every series' values."""
        return self.grid.times


@dataclass(frozen=True)
class Alert:
    """An alert and its state. Times are epoch seconds, None when they are not known.

    ``state``: firing, pending, resolved (fired in the window, no longer) or inactive. ``since``: when it began to
    fire; ``until``: when it stopped; ``active_at``: when its condition became true. ``summary`` and ``runbook_url``
    are what its rule's annotations say, where Alertmanager told of it. ``environment``: the one it is of, where that is
    another than questions are about.
    """

    name: str
    state: str
    since: float | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    until: float | None = None
    active_at: float | None = None
    expr: str = ""
    summary: str = ""
    runbook_url: str = ""
    environment: str = ""

    @property
    def is_trouble(self) -> bool:
        """Whether it fires in the environment that questions are about, and is no heartbeat and no lack of data."""
        return self.state == "firing" and not self.environment and not is_calm(self.name, self.labels)


@dataclass(frozen=True)
class Described:
    """What a server says of a metric; empty where it says nothing."""

    kind: str = ""
    help: str = ""
    unit: str = ""


class Backend(Protocol):
    """A source of metrics. Every method raises `ToolUnavailable` with one sentence when it cannot answer.

    ``parallel`` is how many questions it answers faster side by side than one after another.
    """

    name: str
    parallel: int

    def names(self) -> frozenset[str]:
        """All metric names."""
        ...

    def label_names(self, metric: str) -> frozenset[str]:
        """The labels that a metric carries, without ``__name__``."""
        ...

    def label_values(self, label: str, metrics: tuple[str, ...], start: float, end: float) -> tuple[str, ...]:
        """The values of a label on some metrics in a span, sorted."""
        ...

    def query_range(self, promql: str, grid: Grid) -> Frame:
        """Evaluate an expression on a grid."""
        ...

    def described(self) -> Mapping[str, Described]:
        """What the server says of its metrics, by name; empty when it does not tell."""
        ...

    def recorded(self) -> frozenset[str]:
        """The metrics that recording rules make; empty when the server does not tell."""
        ...

    def cadence(self, selector: str, start: float, end: float) -> tuple[float | None, float]:
        """The newest sample's time in a span (None: no sample) and the seconds between samples (60 when unknown)."""
        ...

    def tells_alerts(self) -> bool:
        """Whether the server can say that no alert fires: it writes ALERTS, or serves its rules or alerts."""
        ...

    def lacks_alert_rules(self) -> bool:
        """Whether the server says that it has no rule for an alert, and none has fired: then none can fire."""
        ...

    def live_alerts(self) -> tuple[Alert, ...]:
        """Alerts as they stand at this very moment, also those that are inactive; empty when none is known."""
        ...

    def graph_url(self, promql: str, start: float, end: float) -> str | None:
        """A page where a person sees the same expression over the same span."""
        ...

    def ping(self, now: float) -> str:
        """One line on version and age of the newest sample."""
        ...
