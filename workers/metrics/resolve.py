"""A catalogue metric on a server: which alternative it has, under which names, and the PromQL that asks for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workers.errors import ToolArgumentError
from workers.metrics.backend import Backend
from workers.metrics.catalogue import Catalogue, Known, raw_metric
from workers.metrics.nearest import nearest_metrics
from workers.metrics.template import Matches, Template, duration, fill, promql_string

MOST_CANDIDATES = 8


@dataclass(frozen=True)
class Resolved:
    """A metric as one server has it.

    ``applied`` and ``dropped``: the filters asked for that its metrics carry, and those they do not. ``matchers``:
    metric name -> the same filters under the server's label names. ``places``: logical label -> server's label.
    """

    known: Known
    template: Template
    prefix: str
    places: Mapping[str, str]
    applied: Matches = ()
    dropped: Matches = ()
    matchers: Mapping[str, Matches] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The server's metrics that it reads."""
        return tuple(n.replace("{prefix}", self.prefix) for n in self.template.metrics)

    @property
    def filtered(self) -> tuple[str, ...]:
        """Those of them that take the filter."""
        return tuple(n.replace("{prefix}", self.prefix) for n in self.template.filtered)

    @property
    def selector(self) -> str:
        """Its main series: the first filtered metric with its filters, else the first metric."""
        name = (self.filtered or self.names)[0]
        inside = ",".join(f"{k}={promql_string(v)}" for k, v in (self.matchers or {}).get(name, ()))
        return f"{name}{{{inside}}}" if inside else name

    def promql(self, range_s: float, by: Sequence[str] = ()) -> str:
        """The expression over a range in seconds, grouped by labels of the server."""
        return fill(
            self.template.text,
            prefix=self.prefix,
            rate=duration(range_s),
            filters=self.matchers or {},
            by=by,
            labels=self.places,
        )


class Server:
    """A backend read through a catalogue. Keeps what it found for as long as the server's names stay the same."""

    def __init__(self, backend: Backend, catalogue: Catalogue) -> None:
        self.backend = backend
        self.catalogue = catalogue
        self.seen: frozenset[str] = frozenset()
        self.found: dict[str, tuple[Resolved, ...]] = {}
        self.intervals: dict[str, float] = {}

    def find(self, word: str) -> Known:
        """A metric by its name, an alias, or as the server spells it.

        Raises:
            ToolArgumentError: nothing has that name; carries the nearest ones.
        """
        known = self.catalogue.find(word) or raw_metric(word, self.names())
        if known is None:
            near = nearest_metrics(word, self.catalogue.aliases, self.names())
            raise ToolArgumentError(f"no metric is named {word!r}", near)
        return known

    def names(self) -> frozenset[str]:
        """All metric names of the server."""
        names = self.backend.names()
        if names != self.seen:
            self.seen, self.found, self.intervals = names, {}, {}
        return names

    def candidates(self, known: Known) -> tuple[Resolved, ...]:
        """Every way in which the server has a metric, best first, without filters."""
        names = self.names()
        found = self.found  # another thread may start a new one
        if known.name not in found:
            ways = [
                (prefix.startswith(self.catalogue.infrastructure), bool(prefix), i, len(prefix), prefix, template)
                for i, template in enumerate(known.templates)
                for prefix in prefixes(template, names)
            ]
            ways.sort(key=lambda way: way[:5])
            resolved = (self.placed(known, way[5], way[4]) for way in ways[:MOST_CANDIDATES])
            found[known.name] = tuple(r for r in resolved if r is not None)
        return found[known.name]

    def placed(self, known: Known, template: Template, prefix: str) -> Resolved | None:
        """One alternative with its logical labels found; None when a label that it needs is missing."""
        for name, labels in template.fixed.items():
            if labels and not set(labels) <= self.labels(name.replace("{prefix}", prefix)):
                return None
        places: dict[str, str] = {}
        for label, needing in template.logical.items():
            held = [self.labels(n.replace("{prefix}", prefix)) for n in needing]
            spelt = next((p for p in self.catalogue.physical(label) if all(p in h for h in held)), None)
            if spelt is None:
                return None
            places[label] = spelt
        return Resolved(known, template, prefix, places)

    def labels(self, metric: str) -> frozenset[str]:
        """The labels that one of the server's metrics carries."""
        return self.backend.label_names(metric)

    def resolve(self, known: Known, filters: Matches, start: float, end: float) -> Resolved | None:
        """The best alternative for some filters, or None when the server has none at all.

        An alternative that carries every filter is preferred, and of several such one that has the values asked for
        between ``start`` and ``end``.
        """
        ways = [self.filter(r, filters) for r in self.candidates(known)]
        if not ways:
            return None
        fewest = min(len(r.dropped) for r in ways)
        best = [r for r in ways if len(r.dropped) == fewest]
        if len(best) > 1 and filters:
            return next((r for r in best if self.has_values(r, start, end)), best[0])
        return best[0]

    def filter(self, resolved: Resolved, filters: Matches) -> Resolved:
        """An alternative with filters, as far as all of its metrics carry them."""
        matchers: dict[str, list[tuple[str, str]]] = {n: [] for n in resolved.filtered}
        applied, dropped = [], []
        for label, value in filters:
            spelt = {name: self.spelling(name, label) for name in resolved.filtered}
            if spelt and all(spelt.values()):
                applied.append((label, value))
                for name, physical in spelt.items():
                    matchers[name].append((str(physical), value))
            else:
                dropped.append((label, value))
        return Resolved(
            resolved.known,
            resolved.template,
            resolved.prefix,
            resolved.places,
            tuple(applied),
            tuple(dropped),
            {n: tuple(m) for n, m in matchers.items()},
        )

    def spelling(self, metric: str, label: str) -> str | None:
        """The name that a metric gives to a label."""
        held = self.labels(metric)
        return next((p for p in self.catalogue.physical(label) if p in held), None)

    def has_values(self, resolved: Resolved, start: float, end: float) -> bool:
        """Whether every filter's value exists."""
        return all(value in self.values(resolved, label, start, end) for label, value in resolved.applied)

    def values(self, resolved: Resolved, label: str, start: float, end: float) -> tuple[str, ...]:
        """The values of a label on a metric between two moments; empty when the metric lacks the label."""
        name = (resolved.filtered or resolved.names)[0]
        spelt = self.spelling(name, label)
        return self.backend.label_values(spelt, (name,), start, end) if spelt else ()

    def grouping(self, resolved: Resolved, label: str) -> str | None:
        """The label to group by, when all of the metric's parts spell it the same way."""
        if not resolved.template.groups:
            return None
        spelt = {self.spelling(name, label) for name in resolved.filtered}
        only = spelt.pop() if len(spelt) == 1 else None
        return only if only != "le" else None

    def interval(self, resolved: Resolved, start: float, end: float) -> float:
        """Seconds between the samples of a metric."""
        name, intervals = resolved.names[0], self.intervals
        if name not in intervals:
            intervals[name] = self.backend.cadence(resolved.selector, start, end)[1]
        return intervals[name]


def prefixes(template: Template, names: frozenset[str]) -> list[str]:
    """The namespaces under which all metrics of a template exist."""
    named = [n for n in template.metrics if n.startswith("{prefix}")]
    if not all(n in names for n in template.metrics if n not in named):
        return []
    if not named:
        return [""]
    first = named[0].removeprefix("{prefix}")
    out = []
    for name in names:
        if name.endswith(first):
            prefix = name[: len(name) - len(first)]
            if (not prefix or prefix[-1] in "_:") and all(n.replace("{prefix}", prefix) in names for n in named):
                out.append(prefix)
    return sorted(out)
