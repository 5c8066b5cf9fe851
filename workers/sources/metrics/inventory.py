"""What a server holds: families of series with their kind, unit, labels and how alive they are, read from the server
itself with a few bounded questions."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from workers.errors import ToolUnavailable
from workers.sources.metrics.backend import Backend, Described, Floats, Grid, Series
from workers.sources.metrics.deadline_pool import DeadlinePool, Job
from workers.sources.metrics.label_roles import part_of, ranked
from workers.sources.metrics.name_words import (
    ERRORS,
    LATENCY,
    MONITORING,
    SATURATION,
    SHARES,
    TIME_UNITS,
    TRAFFIC,
    has,
    pace,
    tokens,
)

Kind = Literal["histogram", "native", "summary", "pair", "counter", "gauge"]
PLAIN = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
MOST_FAMILIES = 240  # looked at closely; of more, those whose names say most
AT_ONCE = 30  # names asked for together
SPANS = ((3_600, 600), (259_200, 14_400))  # seconds back and between points; the second for what has ended
NAMESAKE = 2.0  # what a name promises that begins like that of a histogram
MOST_KEPT = 250  # values kept of a label
BUDGET_S = 6.0
ALERTING = frozenset({"ALERTS", "ALERTS_FOR_STATE"})


@dataclass(frozen=True)
class Family:
    """A metric as one thing: a histogram without its suffixes, a counter, a gauge.

    ``probe``: the series that stand for it. ``labels``: label -> its values. ``parts``: label -> the part it plays.
    ``level``: the median of its newest values; of a share, between 0 and 1. ``whole``: their sum. ``alive``: series
    with a recent sample. ``counted``: it tells how often, if its kind does. ``partial``: labels that some of its series
    lack. ``steady``: no series changed while it was looked at, as what is configured does not.
    """

    name: str
    kind: Kind
    probe: str
    help: str = ""
    unit: str = ""
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)
    alive: int = 0
    level: float = 0.0
    whole: float = 0.0
    top: float = 0.0
    recorded: bool = False
    counted: bool = True
    steady: bool = False
    partial: frozenset[str] = frozenset()

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of its name."""
        return tokens(self.name)

    def label_of(self, part: str) -> str | None:
        """The label that plays a part; of several, the one with most values."""
        found = [x for x, p in self.parts.items() if p == part]
        return max(found, key=lambda x: (len(self.labels[x]), x), default=None)


@dataclass(frozen=True)
class Draft:
    """A family as its names tell it."""

    name: str
    kind: Kind | None
    probe: str
    described: Described


@dataclass(frozen=True)
class Inventory:
    """Families by name. ``complete``: all of them were read in time."""

    families: dict[str, Family] = field(default_factory=dict)
    complete: bool = True


def read_inventory(backend: Backend, at: float) -> Inventory:
    """The families of a server by name.

    Args:
        backend: the server.
        at: epoch seconds; what has had samples in the days before is found.

    Returns: what could be read in time; empty rather than an error.
    """
    until = time.monotonic() + BUDGET_S
    side = DeadlinePool[object](backend.parallel, until)
    names, described, recorded = listed(side, backend)
    drafts = drafted(names, described)
    stems = {stem(d.name) for d in drafts if d.kind in {"histogram", "summary"}}
    drafts = sorted(drafts, key=lambda d: (-weight(d, recorded) - NAMESAKE * (stem(d.name) in stems), d.name))
    drafts = drafts[:MOST_FAMILIES]
    found: dict[str, Family] = {}
    left = drafts
    for back, step in SPANS:
        grid = Grid(int(at) - back, int(at), step)
        found |= {f.name: f for f in read_families(backend, left, grid, until, recorded)}
        left = [d for d in left if d.name not in found]
    return Inventory(found, complete=time.monotonic() < until)


def listed(
    side: DeadlinePool[object], backend: Backend
) -> tuple[frozenset[str], Mapping[str, Described], frozenset[str]]:
    """The names that can be asked for, what the server says of them, and which of them rules make."""
    jobs: list[Job[object]] = [("names", backend.names), ("metadata", backend.described), ("rules", backend.recorded)]
    names, described, recorded = side.run(jobs)
    plain = (n for n in names if PLAIN.fullmatch(n)) if isinstance(names, frozenset) else ()
    return (
        frozenset(plain) - ALERTING,
        described if isinstance(described, Mapping) else {},
        recorded if isinstance(recorded, frozenset) else frozenset(),
    )


def drafted(names: frozenset[str], described: Mapping[str, Described]) -> list[Draft]:
    """Group names into families by their suffixes."""
    out: list[Draft] = []
    taken: set[str] = set()
    for name in sorted(names):
        base = name.removesuffix("_bucket")
        if base != name:
            taken |= {name, f"{base}_count", f"{base}_sum", f"{base}_created"}
            counted = f"{base}_count"
            out.append(Draft(base, "histogram", counted if counted in names else name, about(base, described)))
    for name in sorted(names - taken):
        base = name.removesuffix("_count")
        if base != name and f"{base}_sum" in names and name not in taken:
            taken |= {name, f"{base}_sum", f"{base}_created"}
            kind: Kind = "summary" if base in names else "pair"
            taken |= {base} if base in names else set()
            out.append(Draft(base, kind, base if base in names else name, about(base, described)))
    for name in sorted(names - taken):
        if name.endswith("_created") and f"{name.removesuffix('_created')}_total" in names:
            continue
        known = about(name, described)
        kinds: Mapping[str, Kind] = {"counter": "counter", "gauge": "gauge", "histogram": "native"}
        out.append(Draft(name, "counter" if name.endswith("_total") else kinds.get(known.kind), name, known))
    return out


def about(name: str, described: Mapping[str, Described]) -> Described:
    """What the server says of a family: OpenMetrics describes a counter without its suffix."""
    return described.get(name) or described.get(name.removesuffix("_total")) or Described()


def stem(name: str) -> tuple[str, ...]:
    """How a name begins: its namespace and what it is about."""
    return tokens(name)[:2]


def weight(draft: Draft, recorded: frozenset[str]) -> float:
    """How much a name promises, where there are too many to look at."""
    words = tokens(draft.name)
    said = sum(has(words, known) for known in (LATENCY, TRAFFIC, ERRORS, SATURATION, SHARES, frozenset(TIME_UNITS)))
    return said + 3 * (draft.kind in {"histogram", "summary"}) + (draft.name in recorded) - 2 * has(words, MONITORING)


def read_families(
    backend: Backend, drafts: Sequence[Draft], grid: Grid, until: float, recorded: frozenset[str]
) -> list[Family]:
    """Families with what their series show at the points of a grid; those without a series are left out."""
    by_probe = {d.probe: d for d in drafts}
    probes = list(by_probe)  # the most telling names are asked for first
    chunks = [probes[i : i + AT_ONCE] for i in range(0, len(probes), AT_ONCE)]
    side = DeadlinePool[dict[str, list[Series]]](backend.parallel, until)
    answers = side.run([("names", lambda c=c: snapshot(backend, c, grid)) for c in chunks])  # type: ignore[misc]
    rows: dict[str, list[Series]] = {}
    for answer in answers:
        rows |= answer or {}
    return [family(by_probe[name], series, name in recorded) for name, series in sorted(rows.items())]


def snapshot(backend: Backend, names: Sequence[str], grid: Grid) -> dict[str, list[Series]]:
    """The series of some metrics; halved when the answer is too much."""
    selector = f'{{__name__=~"{"|".join(names)}"}}' if len(names) > 1 else names[0]
    try:
        frame = backend.query_range(selector, grid)
    except ToolUnavailable:
        if len(names) == 1:
            return {}
        half = len(names) // 2
        return snapshot(backend, names[:half], grid) | snapshot(backend, names[half:], grid)
    out: dict[str, list[Series]] = {}
    for series in frame.series:
        out.setdefault(series.labels.get("__name__", names[0]), []).append(series)
    return out


def family(draft: Draft, series: Sequence[Series], recorded: bool) -> Family:
    """A family from its series."""
    values: dict[str, dict[str, None]] = {}
    for one in series:
        for label, value in one.labels.items():
            if label != "__name__" and len(values.setdefault(label, {})) < MOST_KEPT:
                values[label][value] = None
    labels = {label: tuple(sorted(found)) for label, found in sorted(values.items())}
    kind = draft.kind or kind_of(draft, series, labels)
    table = np.stack([s.values for s in series])
    known = np.isfinite(table)
    newest = table[np.arange(len(table)), table.shape[1] - 1 - np.argmax(known[:, ::-1], axis=1)]
    return Family(
        name=draft.name,
        kind=kind,
        probe=draft.probe,
        help=draft.described.help,
        unit=draft.described.unit,
        labels=labels,
        parts={label: part_of(label, found) for label, found in labels.items()},
        alive=int(known[:, -2:].any(axis=1).sum()),
        level=float(np.sort(newest)[len(newest) // 2]),
        whole=float(newest[[s.labels.get("le", "+Inf") == "+Inf" for s in series]].sum()),
        top=float(newest.max()),
        recorded=recorded or ":" in draft.name,
        counted=kind != "summary" or draft.kind == "summary",
        steady=bool((np.fmax.reduce(table, 1) == np.fmin.reduce(table, 1)).all() and (known.sum(axis=1) > 2).all()),
        partial=frozenset(x for x in labels if any(x not in s.labels for s in series)),
    )


def kind_of(draft: Draft, series: Sequence[Series], labels: Mapping[str, tuple[str, ...]]) -> Kind:
    """The kind of a family that neither its name nor the server tells."""
    if any(s.native for s in series):
        return "native"
    if "quantile" in labels or any(ranked(values) for values in labels.values()):
        return "summary"
    if draft.name.endswith("_count") and not any(falls(s.values) for s in series):
        return "counter"
    words = tokens(draft.name)
    if pace(words) is not None:
        return "gauge"
    rare = bool(has(words, ERRORS | TRAFFIC) and not has(words, SATURATION | SHARES | frozenset(TIME_UNITS)))
    return "counter" if counts((s.values for s in series), rare=rare) else "gauge"


def falls(values: Floats) -> bool:
    """Whether a series falls otherwise than a counter does that starts anew."""
    known = values[np.isfinite(values)]
    return bool(((np.diff(known) < 0) & (known[1:] > 0.5 * known[:-1])).any())


def counts(rows: Iterable[Floats], *, rare: bool) -> bool:
    """Whether series only grow, but for falls to near zero; what happens rarely need not grow while it is looked at,
    if it is whole numbers."""
    grown = fallen = steps = 0
    whole = True
    for values in rows:
        known = values[np.isfinite(values)]
        change = np.diff(known)
        if not len(change):
            continue
        if (known < 0).any():
            return False
        whole = whole and bool((known == np.round(known)).all())
        steps += len(change)
        grown += int((change > 0).sum())
        restarted = (change < 0) & (known[1:] <= 0.5 * known[:-1])
        fallen += int(((change < 0) & ~restarted).sum())
    return steps >= 5 and fallen == 0 and (grown >= max(4, 0.3 * steps) or (rare and whole))
