"""Which value of which label explains a change: every label that a metric carries, before and after the onset, weighted
by how much of the whole each value is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from workers.sources.metrics.backend import Floats, Frame, Grid
from workers.sources.metrics.culprit import MOST_VALUES, SMALLEST_SHARE, Blame, Breakdown, Part
from workers.sources.metrics.deadline_pool import DeadlinePool, Job
from workers.sources.metrics.measurement import SHORTEST_RANGE_S, Measured
from workers.sources.metrics.metric_resolution import Server
from workers.sources.metrics.onset import Change
from workers.sources.metrics.resolved_metric import Resolved
from workers.sources.metrics.series_statistics import Reading, percent

FEWEST_VALUES = 2
MOST_LABELS = 12
SIDE_S = 3_600.0  # looked at before and after an onset, at most
POINTS = 16
TIME = 0.5  # of what is left
TOGETHER = 0.4  # when the rest moved this much of what one value did, all moved together
LEAST, LEAST_OF_SUM = 0.1, 0.02  # a smaller move, as a share of the whole's, is none
RIVAL = 0.7  # of two values that moved this alike none alone explains it
MOST_PARTS = 20
NOISE = 4.0  # a smaller difference, in standard errors, is none
RATED = re.compile(r"sum by \(\{by\}\) \(rate\([\w:{}]+?\{\{filter\}\}\[\{rate\}\]\)\)")
BUCKETS = re.compile(r"(?<![\w:}])((?:\{prefix\})?[\w:]+_bucket)\{")
LIKELY = {"endpoint": 0, "instance": 1, "version": 2, "service": 3, "region": 4}
PREFERRED = ("version", "endpoint", "service", "instance", "region")


@dataclass(frozen=True)
class Sides:
    """One value of a label before and after an onset: medians, the noise of their difference, and its traffic."""

    before: float | None
    after: float | None
    noise: float
    weight: float


@dataclass(frozen=True)
class Split:
    """A metric by a label. ``additive``: the values sum up to the whole, rather than being ratios or quantiles."""

    parts: Mapping[str, Sides]
    additive: bool


def explain(
    server: Server, measured: Measured, side: DeadlinePool[object], only: str | None = None
) -> Breakdown | None:
    """The breakdown by the label that explains a metric's change, or None: nothing changed, or all moved together.

    Args:
        server: where.
        measured: a metric that changed.
        side: within which time.
        only: the one label that is asked about.
    """
    change = measured.reading.change
    if change is None or not measured.resolved.template.groups:
        return None
    labels = (only,) if only else free_labels(server, measured.resolved)
    name = measured.resolved.known.name
    jobs: list[Job[object]] = [(f"{name} by {x}", partial(split_by, server, measured, change, x)) for x in labels]
    answers = side.part(TIME).run(jobs)
    splits = {label: split for label, split in zip(labels, answers, strict=True) if isinstance(split, Split)}
    blamed = {label: blame for label, split in splits.items() if (blame := shared(label, split, change))}
    if any(answer is None for answer in answers):  # what was not read may explain it better
        return None
    best = narrowest(server, measured.resolved, list(blamed.values()))
    return breakdown_of(best, splits[best.label], change) if best else None


def breakdown_of(blame: Blame, split: Split, change: Change) -> Breakdown:
    """A label's values before and after a change, the one to blame first, then those that moved most."""
    sign = 1.0 if change.direction == "rose" else -1.0
    parts = []
    for value, sides in split.parts.items():
        if sides.after is None or not value:
            continue
        before = sides.before if sides.before is not None else (None if not split.additive else 0.0)
        move = sign * (sides.after - (change.baseline if before is None else before))
        moved = value == blame.value or move > max(NOISE * sides.noise, 0.25 * abs(change.level - change.baseline))
        reading = Reading(
            baseline=before,
            baseline_of="before the change" if before is not None else "",
            current=sides.after,
            change_pct=percent(before, sides.after),
            peak=None,
            peak_at=None,
            direction=change.direction if moved else "steady",
            change=replace(change, baseline=before or 0.0, level=sides.after) if moved else None,
            samples=0,
        )
        parts.append(Part(value, reading, move))
    parts.sort(key=lambda p: (p.value != blame.value, not p.reading.moved, -p.score))
    return Breakdown(blame.label, tuple(parts[:MOST_PARTS]), blame.share)


def narrowest(server: Server, resolved: Resolved, found: list[Blame]) -> Blame | None:
    """Of values that explain a change about equally, the one with the least traffic: what is left is quiet anyway."""
    if not found:
        return None
    most = max(b.share for b in found)
    near = [b for b in found if b.share >= 0.8 * most]
    least = min(b.weight for b in near)
    near = [b for b in near if b.weight <= 1.25 * least + 0.01]
    return min(near, key=lambda b: (rank(server, resolved, b.label), -b.share, b.label))


def rank(server: Server, resolved: Resolved, label: str) -> int:
    """The place of a label among those that say the same."""
    part = part_of_label(server, resolved, label)
    return PREFERRED.index(part) if part in PREFERRED else len(PREFERRED)


def part_of_label(server: Server, resolved: Resolved, label: str) -> str:
    """The part that a label of a metric plays."""
    family = server.holdings.family((resolved.filtered or resolved.names)[0], resolved.span[1] or None)
    physical = server.grouping(resolved, label) or label
    return family.parts.get(physical, "") if family else ""


def free_labels(server: Server, resolved: Resolved) -> list[str]:
    """Labels that a metric can be broken down by, those of the catalogue first, under one name each."""
    names = resolved.filtered or resolved.names
    held = frozenset.intersection(*(server.labels(name) for name in names)) if names else frozenset()
    taken = {pair[0] for matched in (resolved.matchers or {}).values() for pair in matched}
    taken |= set(resolved.places.values()) | {label for t in resolved.template.fixed.values() for label in t}
    family = server.holdings.family(names[0], resolved.span[1] or None)
    out: dict[str, str] = {}
    for label in (*resolved.known.entry.group_by, *sorted(held)):
        physical = server.grouping(resolved, label)
        if physical is None or physical not in held or physical in taken or physical in out:
            continue
        if family and physical in family.labels:
            several = FEWEST_VALUES <= len(family.labels[physical]) <= MOST_VALUES
            if not several or family.parts[physical] in {"within", "status"}:
                continue
        elif physical in {"le", "quantile"}:
            continue
        out[physical] = label
    return list(out.values())[:MOST_LABELS]


def likely_labels(server: Server, resolved: Resolved) -> list[str]:
    """The labels that a metric is broken down by when nothing points to one: the catalogue's, else by their part."""
    if resolved.known.entry.group_by:
        return [x for x in resolved.known.entry.group_by if server.grouping(resolved, x)]
    return sorted(
        free_labels(server, resolved), key=lambda label: LIKELY.get(part_of_label(server, resolved, label), 9)
    )


def split_by(server: Server, measured: Measured, change: Change, label: str) -> Split:
    """A metric by one label around a change; without values when it cannot be split by it.

    Raises:
        ToolUnavailable: the server cannot answer.
    """
    resolved = measured.resolved
    physical = server.grouping(resolved, label)
    if physical is None:
        return Split({}, additive=False)
    interval = server.interval(resolved, measured.view.lead_start, measured.view.end)
    grid, range_s = sides_grid(measured, change, interval)
    frame = server.backend.query_range(resolved.promql(range_s, (physical,)), grid)
    if not FEWEST_VALUES <= len(frame.series) <= MOST_VALUES:
        return Split({}, additive=False)
    text = weight_text(resolved.template.text)
    weights = server.backend.query_range(resolved.promql(range_s, (physical,), text), grid) if text else None
    parts = read_sides(frame, weights, physical, change, range_s)
    return Split(parts, additive=text is None and resolved.template.text.startswith("sum by"))


def sides_grid(measured: Measured, change: Change, interval: float) -> tuple[Grid, float]:
    """The moments before and after an onset, and the range of rates there."""
    view = measured.view
    last = measured.newest if measured.newest is not None else view.end
    end = min(change.ended_at or view.end, view.end, last)
    before = min(change.at - view.lead_start, SIDE_S)
    after = min(max(end - change.at, 2 * interval), SIDE_S)
    if change.kind == "drift":  # what has grown most stands at its end
        after = max(end - change.at, 2 * interval)
    step = int(max((before + after) / POINTS, interval, 15))
    start = int(change.at - before)
    return Grid(start, start + int((before + after) // step) * step, step), max(step, 4 * interval, SHORTEST_RANGE_S)


def weight_text(text: str) -> str | None:
    """The template of the traffic behind a quantile or a ratio; None for what has no traffic."""
    buckets = BUCKETS.search(text)
    if buckets:
        return f'sum by ({{by}}) (rate({buckets[1]}{{le="+Inf",{{filter}}}}[{{rate}}]))'
    rates = RATED.findall(text)
    return rates[-1] if rates and "/" in text else None


def read_sides(frame: Frame, weights: Frame | None, physical: str, change: Change, range_s: float) -> dict[str, Sides]:
    """Every value of a label before and after an onset."""
    times = frame.times
    early, late = times < min(change.after, change.at - 1), times >= change.at
    settled = times >= change.at + range_s
    if change.kind == "drift":
        settled = times >= change.at + 0.66 * (times[-1] - change.at)
    late = settled if settled.sum() >= 3 else late
    traffic = {s.labels.get(physical, ""): s.values for s in weights.series} if weights else {}
    out = {}
    for series in frame.series:
        value = series.labels.get(physical, "")
        held = traffic.get(value)
        weight = (
            1.0 if weights is None else float(np.nanmean(held[late])) if held is not None and known(held[late]) else 0
        )
        before, after = level(series.values[early]), level(series.values[late])
        noise = float(np.hypot(error(series.values[early]), error(series.values[late])))
        out[value] = Sides(before, after, noise, weight)
    return out


def known(values: Floats) -> bool:
    """Whether there is any value."""
    return bool(np.isfinite(values).any())


def level(values: Floats) -> float | None:
    """The median; None without a value."""
    return float(np.median(values[np.isfinite(values)])) if known(values) else None


def error(values: Floats) -> float:
    """The standard error of a median."""
    values = values[np.isfinite(values)]
    if len(values) < 2:
        return 0.0
    spread = 1.4826 * float(np.median(np.abs(values - np.median(values))))
    return 1.25 * spread / float(np.sqrt(len(values)))


def shared(label: str, split: Split, change: Change) -> Blame | None:
    """The value whose excess is most of all excess, unless the rest moved with it."""
    sign = 1.0 if change.direction == "rose" else -1.0
    whole, additive, parts = abs(change.level - change.baseline), split.additive, split.parts
    default = 0.0 if additive else change.baseline
    moves: dict[str, tuple[float, float, float]] = {}  # value -> its move, its level before, its weight
    for value, part in parts.items():
        if part.after is None and not additive:
            continue
        before = part.before if part.before is not None else default
        moves[value] = (sign * ((part.after or 0.0) - before), before, 1.0 if additive else part.weight)
    total = sum(w for _, _, w in moves.values())
    if len(moves) < FEWEST_VALUES or total <= 0:
        return None
    least = (LEAST_OF_SUM if additive else LEAST) * whole
    excess = {v: w * d for v, (d, _, w) in moves.items() if d > max(NOISE * parts[v].noise, least)}
    if not excess:
        return None
    first = max(excess, key=lambda v: (excess[v], v))
    share, move = excess[first] / sum(excess.values()), moves[first][0]
    if not first or share < SMALLEST_SHARE or move < 0.25 * whole:
        return None
    if max((e for v, e in excess.items() if v != first), default=0.0) > RIVAL * excess[first]:
        return None
    if moved_together(moves, first, whole, additive=additive):
        return None
    size = (parts[first].after or 0.0) / max(sum(p.after or 0.0 for p in parts.values()), 1e-300)
    return Blame(label, first, share, size if additive else moves[first][2] / total)


def moved_together(
    moves: Mapping[str, tuple[float, float, float]], first: str, whole: float, *, additive: bool
) -> bool:
    """Whether the rest moved as one value did: in proportion, or for ratios near zero by as much."""
    move, before, _ = moves[first]
    rest = [m for v, m in moves.items() if v != first]
    weight = sum(w for _, _, w in rest)
    if weight <= 0:
        return False
    others = sum(w * d for d, _, w in rest) / weight
    base = sum(w * b for _, b, w in rest) / weight
    least = 1e-12 if additive else 0.1 * whole
    return others / max(abs(base), least) > TOGETHER * move / max(abs(before), least)
