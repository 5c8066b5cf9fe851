"""How far apart the samples of metrics are; asked for once for all that come from the same places."""

from __future__ import annotations

import threading
from collections.abc import Hashable

from workers.sources.metrics.backend import Backend
from workers.sources.metrics.inventory_cache import InventoryCache

PLACES = ("service", "instance")


class Intervals:
    """Seconds between samples, by metric and by where samples come from."""

    def __init__(self, backend: Backend, holdings: InventoryCache) -> None:
        self.backend = backend
        self.holdings = holdings
        self.known: dict[Hashable, float] = {}
        self.lock = threading.Lock()
        self.asking: dict[Hashable, threading.Lock] = {}

    def of(self, metric: str, selector: str, start: float, end: float) -> float:
        """Seconds between the samples of a metric's series in a span."""
        known, source = self.known, self.source(metric)  # another thread may start anew
        if metric in known:
            return known[metric]
        with self.lock:
            asking = self.asking.setdefault(source, threading.Lock())
        with asking:
            if source not in known:
                known[source] = self.backend.cadence(selector, start, end)[1]
        return known[source]

    def learn(self, metric: str, interval: float) -> None:
        """Keep what is known of a metric, and of what comes from the same places."""
        self.known.setdefault(metric, interval)
        self.known.setdefault(self.source(metric), interval)

    def forget(self) -> None:
        """Start anew."""
        self.known = {}

    def source(self, metric: str) -> Hashable:
        """Where a metric's samples come from: its services and instances, or itself when that is not known."""
        family = self.holdings.known(metric)
        places = [(x, family.labels[x]) for x, p in family.parts.items() if p in PLACES] if family else []
        return (family is not None and family.recorded, *places) if places else metric
