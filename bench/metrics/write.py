"""What a world looks like on a server that speaks one dialect: OpenMetrics text."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bench.metrics.dialects import Dialect, Errors, digest
from bench.metrics.noise import other_series
from bench.metrics.world import Array, Cell, Happened, World, happen

BOUNDS_S = (
    (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
    (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48),
    (0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 8, 15),
    (0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8),
)


@dataclass(frozen=True)
class Series:
    """Samples of one series; ``nan`` where there is none. ``whole``: counts."""

    name: str
    labels: dict[str, str]
    values: Array
    whole: bool = False
    every: int = 1


def write_openmetrics(path: Path, world: World, dialect: Dialect, bounds: int) -> int:
    """Write everything the server scraped, family by family.

    Returns: how many samples there are.
    """
    families: dict[str, list[Series]] = defaultdict(list)
    for one in all_series(world, dialect, BOUNDS_S[bounds % len(BOUNDS_S)]):
        families[one.name].append(one)
    stamps = [f" {int(t)}\n" for t in world.times]
    count = 0
    with path.open("w", encoding="utf-8") as out:
        for name, members in families.items():
            for one in members:
                head = f"{name}{{{','.join(f'{k}={quoted(v)}' for k, v in one.labels.items())}}} "
                at = np.flatnonzero(~np.isnan(one.values))
                at = at[at % one.every == 0] if one.every > 1 else at
                texts = map(str, one.values[at].astype(np.int64).tolist()) if one.whole else digits(one.values[at])
                out.write("".join([head + text + stamps[i] for i, text in zip(at.tolist(), texts, strict=True)]))
                count += len(at)
        out.write("# EOF\n")
    return count


def digits(values: Array) -> list[str]:
    """Six digits each."""
    return [f"{v:.6g}" for v in values.tolist()]


def quoted(value: str) -> str:
    """A label value as the format wants it."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def all_series(world: World, dialect: Dialect, bounds_s: tuple[float, ...]) -> Iterator[Series]:
    """The series of all cells, of the pods, and those that have nothing to do with requests."""
    for cell in world.cells:
        happened = happen(world, cell)
        labels = request_labels(cell, dialect)
        if dialect.errors.timed:
            yield from timed_series(world, happened, dialect, labels, bounds_s)
        else:
            yield from latency_series(world, happened, dialect, labels, bounds_s)
            yield from count_series(world, happened, dialect, labels)
    yield from pod_series(world, dialect)
    yield from other_series(world, dialect, Series)


def request_labels(cell: Cell, dialect: Dialect) -> dict[str, str]:
    """The labels of what is counted by request."""
    names = dialect.labels
    out = {names.service: names.spelled.format(cell.service), names.endpoint: cell.endpoint, names.pod: cell.pod}
    out[names.region] = cell.region
    if dialect.versioned:
        out[names.version] = cell.version
    return out | dict(dialect.beside) | target_labels(cell, dialect)


def target_labels(cell: Cell, dialect: Dialect) -> dict[str, str]:
    """What Prometheus itself adds to each series."""
    if not dialect.scraped:
        return {}
    names = dialect.labels
    job = names.spelled.format(cell.service) if names.service == "job" else f"{dialect.name}-targets"
    return {"job": job, "instance": instance_of(cell)}


def instance_of(cell: Cell) -> str:
    """The address of a pod."""
    number = digest("address", cell.service, cell.pod)
    return f"10.{number % 8}.{number // 8 % 250}.{number // 2000 % 250}:9{number % 900:03d}"


def counter(world: World, happened: Happened, steps: Array, *, lazy: bool = False) -> Array:
    """A counter from its increments: it starts anew when the pod does, and stands where the cell does."""
    total = np.cumsum(steps, dtype=float)
    for moment in world.resets.get(happened.cell.pod, []):
        at = int(np.searchsorted(world.times, moment))
        if 0 < at < len(total):
            total[at:] -= total[at - 1]
    out = np.where(happened.stands, total, np.nan)
    return np.where(np.cumsum(steps) > 0, out, np.nan) if lazy else out


def timed_series(
    world: World, happened: Happened, dialect: Dialect, labels: dict[str, str], bounds_s: tuple[float, ...]
) -> Iterator[Series]:
    """Response times by outcome, and the requests, if they are counted on their own; each begins with its first."""
    label = dialect.errors.label
    for value, steps in outcomes(world, happened, dialect.errors):
        part = replace(happened, requests=steps, stands=happened.stands & (np.cumsum(steps) > 0))
        yield from latency_series(world, part, dialect, labels | {label: value}, bounds_s)
        if dialect.traffic.name:
            yield Series(dialect.traffic.name, labels | {label: value}, counter(world, part, steps), whole=True)


def latency_series(
    world: World, happened: Happened, dialect: Dialect, labels: dict[str, str], bounds_s: tuple[float, ...]
) -> Iterator[Series]:
    """Response times in the shape of the dialect."""
    told, requests = dialect.latency, happened.requests
    spent = requests * happened.mean() * told.scale
    spent = spent * (
        1 + happened.cell.spread / np.sqrt(np.maximum(requests, 1)) * world.rng.standard_normal(len(requests))
    )
    if told.kind == "histogram":
        left, chance_left, under = requests.copy(), np.ones(len(requests)), np.zeros(len(requests))
        for bound in bounds_s:
            below = happened.share_below(bound)
            p = np.clip((below - under) / np.maximum(chance_left, 1e-9), 0, 1)
            left = left - world.rng.binomial(left, p)
            chance_left, under = 1 - below, below
            le = {"le": f"{bound * told.scale:.10g}"}
            yield Series(f"{told.name}_bucket", labels | le, counter(world, happened, requests - left), whole=True)
        yield Series(f"{told.name}_bucket", labels | {"le": "+Inf"}, counter(world, happened, requests), whole=True)
    if told.kind in {"histogram", "summary", "mean"}:
        total, count = (told.name + part for part in told.parts)
        yield Series(count, labels, counter(world, happened, requests), whole=True)
        yield Series(total, labels, counter(world, happened, np.maximum(spent, 0)))
    if told.kind in {"summary", "ranked"}:
        for rank in told.ranks:
            q = float(rank) if rank.startswith("0") else float(rank[1:]) / 100
            yield Series(told.name, labels | {told.rank: rank}, seen_quantile(world, happened, q) * told.scale)
    if told.kind == "gauge":
        yield Series(told.name, labels, seen_quantile(world, happened, 0.95) * told.scale)
    if told.kind == "average":
        there = happened.stands & (requests > 0)
        yield Series(told.name, labels, np.where(there, np.maximum(spent, 0) / np.maximum(requests, 1), np.nan))
    if told.peak:
        yield Series(told.peak, labels, seen_quantile(world, happened, 0.99) * told.scale)


def seen_quantile(world: World, happened: Happened, q: float) -> Array:
    """A quantile as measured over the requests of a step; nothing where there was none."""
    n = np.maximum(happened.requests, 1)
    density = {0.5: 0.4, 0.9: 0.175, 0.95: 0.103}.get(q, 0.027)
    error = np.minimum(math.sqrt(q * (1 - q)) / density * happened.cell.spread / np.sqrt(n), 0.35)
    seen = happened.quantile(q) * np.exp(error * world.rng.standard_normal(len(n)))
    return np.where(happened.stands & (happened.requests > 0), seen, np.nan)


def outcomes(world: World, happened: Happened, errors: Errors) -> list[tuple[str, Array]]:
    """How many requests of each step ended in each way."""
    requests, failed = happened.requests, happened.failed
    refused = world.rng.binomial(requests - failed, 0.01) if errors.client else np.zeros_like(requests)
    first = world.rng.binomial(failed, 0.7) if len(errors.bad) > 1 else failed
    fine = requests - failed - refused
    second = world.rng.binomial(fine, 0.1) if len(errors.good) > 1 else np.zeros_like(fine)
    return [
        *zip(errors.good, (fine - second, second), strict=False),
        *zip(errors.client, (refused,), strict=False),
        *zip(errors.bad, (first, failed - first), strict=False),
    ]


def count_series(world: World, happened: Happened, dialect: Dialect, labels: dict[str, str]) -> Iterator[Series]:
    """Requests and failures in the shape of the dialect."""
    traffic, errors, requests, failed = dialect.traffic, dialect.errors, happened.requests, happened.failed
    if errors.kind == "label":
        for value, steps in outcomes(world, happened, errors):
            lazy = errors.lazy and value in errors.bad
            told = counter(world, happened, steps, lazy=lazy)
            yield Series(traffic.name, labels | {errors.label: value}, told, whole=True)
        return
    if traffic.gauge:
        rate = np.where(happened.stands, requests / 60 * traffic.per_s, np.nan)
        yield Series(traffic.name, labels, rate)
    elif traffic.name:
        yield Series(traffic.name, labels, counter(world, happened, requests), whole=True)
    if errors.fine:
        yield Series(errors.fine, labels, counter(world, happened, requests - failed), whole=True)
    if errors.kind == "counter" and errors.label:
        for value, steps in outcomes(world, happened, errors):
            told = counter(world, happened, steps, lazy=errors.lazy)
            yield Series(errors.name, labels | {errors.label: value}, told, whole=True)
    elif errors.kind == "counter":
        yield Series(errors.name, labels, counter(world, happened, failed, lazy=errors.lazy), whole=True)
    elif errors.kind == "pace":
        yield Series(errors.name, labels, np.where(happened.stands, failed / 60 * errors.scale, np.nan))
    else:
        ratio = failed / np.maximum(requests, 1) * errors.scale
        yield Series(errors.name, labels, np.where(happened.stands & (requests > 0), ratio, np.nan))


def pod_series(world: World, dialect: Dialect) -> Iterator[Series]:
    """How full each pod is, which version it runs, and whether it was scraped."""
    names, fullness = dialect.labels, dialect.saturation
    pods: dict[tuple[str, str], Cell] = {}
    for cell in world.cells:
        pods.setdefault((cell.service, cell.pod), cell)
    for cell in pods.values():
        there = {names.pod: cell.pod, names.region: cell.region} | target_labels(cell, dialect)
        labels = {names.service: names.spelled.format(cell.service)} | there
        filled = {fullness.service: cell.service} | there if fullness.service else labels
        alive = (world.times >= cell.since - 180) & (world.times <= cell.until + 150)
        stands = world.scraped(cell.service) & alive
        full = np.where(stands, fill_of(world, cell), np.nan)
        if fullness.size:
            yield Series(fullness.name, filled, np.rint(full * fullness.capacity), whole=True)
            yield Series(fullness.size, filled, np.where(stands, float(fullness.capacity), np.nan), whole=True)
        else:
            yield Series(fullness.name, filled, full * fullness.scale)
        if dialect.build:
            told = {names.version: cell.version, "toolchain": "21.0.4"}
            yield Series(dialect.build, labels | told, np.where(stands, 1.0, np.nan), whole=True)
        if dialect.scraped:
            seen = np.where(alive, world.scraped(cell.service).astype(float), np.nan)
            yield Series("up", target_labels(cell, dialect), seen, whole=True)


def fill_of(world: World, cell: Cell) -> Array:
    """How full a pod is: it follows the load of its service, and what happens to it."""
    load = world.load[cell.service].copy()
    for effect in world.effects_on(cell, "traffic"):
        if not effect.where.get("endpoint"):
            load = load * (1 + effect.weight(world.times) * (effect.factor - 1))
    full = world.saturation * np.maximum(load, 0.01) ** 0.5 * np.exp(0.04 * world.rng.standard_normal(len(load)))
    for effect in world.effects_on(cell, "saturation"):
        full = full + effect.weight(world.times) * effect.factor
    return np.clip(full, 0.01, 0.99)
