"""What a source of metrics holds, by words or by an endpoint: its metrics with type, help and labels, and which of the
catalogue's names it can answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic

from workers.contracts import Evidence, Fact
from workers.sources.metrics.backend import Described
from workers.sources.metrics.catalogue import Known
from workers.sources.metrics.deadline_pool import DeadlinePool
from workers.sources.metrics.inventory import Family, about
from workers.sources.metrics.inventory_cache import carrying, in_families
from workers.sources.metrics.metric_resolution import Server

MOST_METRICS = 40
MOST_LOOKED_UP = 12
MOST_LABELS = 8
BUDGET_S = 4.0
DAY_S = 86_400
VALUES = 8
ROWS_A_PIECE = 8
OF_HISTOGRAM = {
    "histogram": ("_bucket", "_count", "_sum"),
    "summary": ("", "_count", "_sum"),
    "pair": ("_count", "_sum"),
}


@dataclass(frozen=True)
class Listed:
    """One metric. ``labels``: each label with its values; ``series``: so many have a recent sample, None: not known."""

    name: str
    kind: str
    help: str
    labels: Mapping[str, Sequence[str]]
    series: int | None = None

    @property
    def row(self) -> str:
        """In a line: the most telling first, no longer than a reader wants."""
        parts = self.name + (f" {self.kind}" if self.kind else "")
        if ends := OF_HISTOGRAM.get(self.kind):
            parts += f" ({', '.join(f'{self.name}{end}' for end in ends)})"
        count = f", {self.series} series" if self.series is not None else ""
        labels = "; ".join(label_row(label, values) for label, values in self.labels.items() if label != "le")
        text = f" — {self.help}" if self.help else ""
        return f"{parts}{count}{text}" + (f"; {labels}" if labels else "")


def label_row(label: str, values: Sequence[str]) -> str:
    """A label with how many values it has and the first of them."""
    if not values:
        return label
    more = ", …" if len(values) > VALUES else ""
    return f"{label} ({len(values)}): {', '.join(v[:60] for v in values[:VALUES])}{more}"


def list_metrics(server: Server, words: Sequence[str], endpoint: str, at: float) -> tuple[list[Listed], int]:
    """The metrics that fit, and how many there are: with all words in name, help, labels or an alias, and with an
    endpoint among the values of a label.

    Raises:
        ToolUnavailable: the source does not answer.
    """
    families = server.holdings.inventory(at)
    read_by = {name for known in logical(server, words, at) for r in server.candidates(known, at) for name in r.names}
    meant = {family.name for name in (read_by if words else ()) if (family := in_families(families, name))}
    fitting = [f for f in families.values() if f.name in meant or holds(words, f.name, f.help, *f.labels)]
    if endpoint:
        fitting = [f for f in fitting if carrying(f, "endpoint", endpoint)]
    rows = [listed(f) for f in sorted(fitting, key=lambda f: (f.name not in meant, f.name))]
    if endpoint:
        return rows[:MOST_METRICS], len(rows)
    described = server.backend.described()
    others = [
        n for n in sorted(server.names()) if not in_families(families, n) and holds(words, n, about(n, described).help)
    ]
    room = max(min(MOST_METRICS - len(rows), MOST_LOOKED_UP), 0)
    rows += look_up(server, others[:room], described, at)
    return rows[:MOST_METRICS], len(rows) + max(len(others) - room, 0)


def look_up(server: Server, names: Sequence[str], described: Mapping[str, Described], at: float) -> Iterator[Listed]:
    """Metrics that were not looked at with the others, with their labels as far as the time allows."""
    side = DeadlinePool[dict[str, tuple[str, ...]]](server.backend.parallel, monotonic() + BUDGET_S)
    found = side.run([(name, lambda name=name: labels_of(server, name, at)) for name in names])  # type: ignore[misc]
    for name, labels in zip(names, found, strict=True):
        known = about(name, described)
        yield Listed(name, known.kind, known.help, labels or {})


def labels_of(server: Server, name: str, at: float) -> dict[str, tuple[str, ...]]:
    """The labels of a metric, the first of them with their values in the day before a moment."""
    labels = sorted(server.backend.label_names(name))
    read = server.backend.label_values
    return {x: read(x, (name,), at - DAY_S, at) if i < MOST_LABELS else () for i, x in enumerate(labels)}


def listed(family: Family) -> Listed:
    """A family as it is told."""
    return Listed(family.name, family.kind, family.help, family.labels, family.alive)


def holds(words: Sequence[str], *texts: str) -> bool:
    """Whether each word stands in one of some texts."""
    shown = " ".join(texts).casefold()
    return all(word.casefold() in shown for word in words)


def logical(server: Server, words: Sequence[str], at: float) -> list[Known]:
    """The metrics of the catalogue that a source can answer, those that words name by title or alias."""
    known = server.catalogue.metrics.values()
    fitting = [k for k in known if holds(words, k.name, k.entry.title, *k.entry.aliases)]
    return [k for k in fitting if server.candidates(k, at)]


def listed_evidence(rows: Sequence[Listed], total: int, locator: str) -> tuple[Evidence, ...]:
    """Metrics in pieces. Facts: metric_1, metric_1_type, metric_1_series …, and metrics, how many fit."""
    out = []
    for start in range(0, len(rows), ROWS_A_PIECE):
        some = rows[start : start + ROWS_A_PIECE]
        facts = {"metrics": Fact(value=total, unit="count", entity="metrics")}
        for i, one in enumerate(some, start + 1):
            facts[f"metric_{i}"] = Fact(value=one.name, entity=one.name)
            if one.kind:
                facts[f"metric_{i}_type"] = Fact(value=one.kind, entity=one.name)
            if one.series is not None:
                facts[f"metric_{i}_series"] = Fact(value=one.series, unit="count", entity=one.name)
        title = "metrics" if len(rows) <= ROWS_A_PIECE else f"metrics {start + 1} to {start + len(some)} of {total}"
        out.append(
            Evidence(kind="metric", title=title, locator=locator, excerpt="\n".join(r.row for r in some), facts=facts)
        )
    return tuple(out)


def logical_evidence(known: Sequence[Known]) -> Evidence:
    """What metrics_query can be asked by name. Facts: logical_1, logical_1_title …"""
    facts: dict[str, Fact] = {}
    for i, one in enumerate(known, 1):
        facts[f"logical_{i}"] = Fact(value=one.name, entity=one.name)
        facts[f"logical_{i}_title"] = Fact(value=one.entry.title, entity=one.name)
    text = "\n".join(f"metric={one.name}: {one.entry.title}, in {one.entry.unit}" for one in known)
    return Evidence(kind="metric", title="names for metrics_query", locator="metrics_query", excerpt=text, facts=facts)
