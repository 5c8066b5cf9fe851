"""``python -m bench onsets [--seeds N]``: onsets told of series that have none, and real changes that are missed.

Each series is read by `measure` as metrics_query reads it, from a source that plays eight days: an hour to two
days, with the lead before it. Shapes: level, daily wave, gaps, a counter's rate with resets, few requests, a level that
wanders, and one that creeps by a percent. A real change is the same with a lasting factor from an hour before the end.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from itertools import product

import numpy as np

from tests.support.metric_shapes import END, FakeBackend, options
from workers.contracts import Window
from workers.sources.metrics.backend import Floats, Frame, Grid, Series
from workers.sources.metrics.catalogue import Catalogue, read_options
from workers.sources.metrics.measurement import Measured, measure
from workers.sources.metrics.metric_resolution import Server
from workers.sources.metrics.query_window import plan_view

STEP_S, DAYS, DAY_S = 60, 9, 86_400
HOURS = (1, 6, 24, 48)
KEPT_HOURS = (26, 50, 216)
"""How far back samples reach: a server that is new knows no other day."""
FACTORS = (0.5, 0.8, 1.05, 1.2, 1.5, 3.0)
Shape = Callable[[Floats, np.random.Generator], Floats]


def wave(t: Floats, rng: np.random.Generator, depth: float) -> Floats:
    """A day's course around one, highest at any hour."""
    return 1 + depth * np.sin(2 * np.pi * (t / DAY_S + rng.uniform()))


def hours_of_work(t: Floats, rng: np.random.Generator) -> Floats:
    """High by day and low by night, with an hour or two between."""
    return 0.4 + 1 / (1 + np.exp(-rng.uniform(4, 9) * np.sin(2 * np.pi * (t / DAY_S + rng.uniform()))))


def with_gap(values: Floats, rng: np.random.Generator) -> Floats:
    """Without some hours of the last two days."""
    out, start = values.copy(), len(values) - int(rng.integers(200, 2_800))
    out[start : start + int(rng.integers(60, 400))] = np.nan
    return out


def wander(n: int, rng: np.random.Generator, size: float) -> Floats:
    """A slow random course around one."""
    steps = rng.normal(0, 1, n)
    kernel = np.exp(-np.arange(240) / 60)
    slow = np.convolve(steps, kernel, "same")
    return 1 + size * slow / slow.std()


def with_gaps(values: Floats, rng: np.random.Generator) -> Floats:
    """Without some stretches of minutes to hours."""
    out = values.copy()
    for start in rng.integers(0, len(out), 12):
        out[start : start + int(rng.integers(5, 180))] = np.nan
    return out


def with_resets(values: Floats, rng: np.random.Generator) -> Floats:
    """A counter's rate: at a restart one point is low."""
    out = values.copy()
    out[rng.integers(0, len(out), 40)] *= rng.uniform(0.2, 0.9)
    return out


SHAPES: Mapping[str, Shape] = {
    "exact": lambda t, _: np.ones(len(t)),
    "level": lambda t, rng: 1 + rng.normal(0, 0.02, len(t)),
    "noisy": lambda t, rng: np.exp(rng.normal(0, 0.25, len(t))),
    "wave": lambda t, rng: wave(t, rng, 0.5) * (1 + rng.normal(0, 0.02, len(t))),
    "deep wave": lambda t, rng: wave(t, rng, 0.85) * (1 + rng.normal(0, 0.05, len(t))),
    "working hours": lambda t, rng: hours_of_work(t, rng) * (1 + rng.normal(0, 0.03, len(t))),
    "wave with a gap": lambda t, rng: with_gap(wave(t, rng, 0.6) * (1 + rng.normal(0, 0.02, len(t))), rng),
    "shallow wave": lambda t, rng: wave(t, rng, 0.05) * (1 + rng.normal(0, 0.002, len(t))),
    "gaps": lambda t, rng: with_gaps(wave(t, rng, 0.3) * (1 + rng.normal(0, 0.03, len(t))), rng),
    "resets": lambda t, rng: with_resets(1 + rng.normal(0, 0.03, len(t)), rng),
    "few": lambda t, rng: rng.poisson(3 * wave(t, rng, 0.3), len(t)) / 60.0,
    "wanders": lambda t, rng: wander(len(t), rng, 0.03),
    "creeps": lambda t, rng: 1 + 0.012 * (t > END - 0.5 * 3_600) + rng.normal(0, 0.0005, len(t)),
    "noise of a step": lambda t, rng: 1 + 0.004 * rng.integers(-2, 3, len(t) // 90 + 1).repeat(90)[: len(t)],
}


class Played(FakeBackend):
    """A server whose one series has been played; a rate of a range is the mean over it."""

    def __init__(self, times: Floats, values: Floats) -> None:
        super().__init__({"http_requests_total": {}})
        self.first, self.values = times[0], values

    def query_range(self, promql: str, grid: Grid) -> Frame:  # noqa: ARG002
        width = max(min(grid.step, 300) // STEP_S, 1)
        at = ((grid.times - self.first) // STEP_S).astype(int)
        windows = np.stack([self.values[np.clip(at - i, 0, len(self.values) - 1)] for i in range(width)])
        known = np.isfinite(windows).any(axis=0) & (at >= 0) & (at < len(self.values))
        means = np.where(known, np.nansum(windows, 0) / np.maximum(np.isfinite(windows).sum(0), 1), np.nan)
        return Frame(grid, (Series({}, means),) if known.any() else ())


def read(values: Floats, times: Floats, hours: int) -> Measured:
    """A series as metrics_query reads it."""
    server = Server(Played(times, values), Catalogue(read_options(options())))
    resolved = server.candidates(server.find("traffic"))[0]
    end = datetime.fromtimestamp(END, UTC)
    window = Window(start=end - timedelta(hours=hours), end=end, why="bench")
    return measure(server, resolved, plan_view(window, "previous", float(STEP_S)), float(END))


def main(args: list[str]) -> int:
    """Print the rows."""
    parser = argparse.ArgumentParser(prog="python -m bench onsets")
    parser.add_argument("--seeds", type=int, default=10)
    seeds = parser.parse_args(args).seeds
    times = np.arange(END - DAYS * DAY_S, END + STEP_S, STEP_S, dtype=float)
    false, quiet, missed, real = Counter[str](), Counter[str](), Counter[float](), Counter[float]()
    told: list[str] = []
    for name, shape in SHAPES.items():
        for seed in range(seeds):
            rng = np.random.default_rng(seed)
            values = 20 * shape(times, rng)
            for hours, kept in product(HOURS, KEPT_HOURS):
                known = np.where(times >= END - 3_600 * kept, values, np.nan)
                reading = read(known, times, hours).reading
                quiet[name] += 1
                if reading.change:
                    false[name] += 1
                    size, sure = reading.change_pct or 0.0, reading.change.confidence
                    told.append(
                        f"{name} {hours} h of {kept} h seed {seed}: {reading.change.kind} {size:+.1f} % ({sure:.2f})"
                    )
            onset = END - 3_600 * int(rng.integers(1, 5)) / 2
            for factor in FACTORS:
                changed = read(values * np.where(times >= onset, factor, 1.0), times, 6).reading
                real[factor] += 1
                missed[factor] += changed.change is None
    print("| quiet series | read | onset told |\n|---|---|---|")
    for name in SHAPES:
        print(f"| {name} | {quiet[name]} | {false[name]} |")
    print(f"| all | {quiet.total()} | {false.total()} |\n\n| factor | read | onset told |\n|---|---|---|")
    for factor in FACTORS:
        print(f"| {factor:g} | {real[factor]} | {real[factor] - missed[factor]} |")
    print("\n" + "\n".join(told[:40]))
    return 0
