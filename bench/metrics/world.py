"""What truly happens in a generated world: requests, failures and response times of each cell, a scrape at a time.

A cell is one combination of service, endpoint, pod, version and region. Requests are Poisson around a daily and weekly
curve with slow noise, response times lognormal, with a share of requests that an effect makes slower.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

STEP_S = 60
DAY_S = 86_400
WEEKDAYS = (1.0, 1.03, 1.02, 1.0, 0.97, 0.62, 0.55)  # Monday first

Array = np.ndarray
What = Literal["latency", "errors", "traffic", "saturation"]


@dataclass(frozen=True)
class Cell:
    """One combination of label values, and what is normal for it.

    ``rate``: requests a second at the mean of a day; ``median_s``, ``spread``: of response times (lognormal);
    ``errors``: share that fails. It carries traffic from ``since`` until ``until``; its series stand a little longer.
    """

    service: str
    endpoint: str
    pod: str
    version: str
    region: str
    rate: float
    median_s: float
    spread: float
    errors: float
    since: float = -math.inf
    until: float = math.inf


@dataclass(frozen=True)
class Effect:
    """Something that happens to the cells whose values are those of ``where``, from ``start`` until ``end``.

    ``latency``: ``share`` of the requests takes ``factor`` times as long; ``errors``: ``factor`` is a share that is
    added; ``traffic``: times ``factor``; ``saturation``: ``factor`` is added. It grows over ``ramp_s``.
    """

    what: What
    where: Mapping[str, str]
    start: float
    factor: float
    end: float = math.inf
    ramp_s: float = 0.0
    share: float = 1.0

    def hits(self, cell: Cell) -> bool:
        """Whether it happens to a cell."""
        return all(getattr(cell, name) == value for name, value in self.where.items())

    def weight(self, times: Array) -> Array:
        """How much of it holds in the step before each scrape, 0 to 1."""
        return covered(times, self.start, self.end, self.ramp_s)


def covered(times: Array, start: float, end: float, ramp_s: float = 0.0) -> Array:
    """The share of the step before each scrape that lies between two moments; rising linearly over ``ramp_s``."""
    if ramp_s:
        return np.clip((times - STEP_S / 2 - start) / ramp_s, 0, 1) * (times <= end)
    return np.clip((np.minimum(times, end) - np.maximum(times - STEP_S, start)) / STEP_S, 0, 1)


def normal_cdf(x: Array) -> Array:
    """The normal distribution, to three digits (tanh form, Page 1977): it *is* the distribution of this world."""
    return 0.5 * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3)))


@dataclass
class Habit:
    """How traffic goes up and down when nothing is wrong."""

    amplitude: float = 0.4
    peak_hour: float = 14.0
    weekly: bool = False
    opening_hour: float | None = None
    opening_factor: float = 1.0
    load_on_latency: float = 0.05
    rate_noise: float = 0.05
    latency_noise: float = 0.02
    blips: int = 0

    def curve(self, times: Array) -> Array:
        """The share of the mean rate at each moment."""
        hour = (times % DAY_S) / 3600
        out = 1 + self.amplitude * np.cos((hour - self.peak_hour) / 24 * 2 * math.pi)
        if self.weekly:
            weekday = ((times // DAY_S + 3) % 7).astype(int)  # 1970-01-01 was a Thursday
            out = out * np.asarray(WEEKDAYS)[weekday]
            if self.opening_hour is not None:
                rush = (
                    1 / (1 + np.exp(-(hour - self.opening_hour) * 6)) / (1 + np.exp((hour - self.opening_hour - 4) * 3))
                )
                out = out * (1 + (self.opening_factor - 1) * rush * (weekday == 0))
        return out


@dataclass
class World:
    """All cells over the time of the scrapes, and what happens to them.

    ``resets``: when each pod starts anew; ``missing``: when the scrapes of the first cell's service failed.
    """

    times: Array
    cells: list[Cell]
    rng: np.random.Generator
    habit: Habit = field(default_factory=Habit)
    effects: list[Effect] = field(default_factory=list)
    resets: dict[str, list[float]] = field(default_factory=dict)
    missing: list[tuple[float, float]] = field(default_factory=list)
    saturation: float = 0.4

    def slow_noise(self, size: float) -> Array:
        """Noise that stays for about half an hour, with the standard deviation ``size``."""
        kernel = np.exp(-np.arange(150) / 30.0)
        raw = self.rng.standard_normal(len(self.times) + 149)
        return np.convolve(raw, kernel, mode="valid") / math.sqrt(float((kernel**2).sum())) * size

    @cached_property
    def load(self) -> dict[str, Array]:
        """The curve of each service, with its noise."""
        names = sorted({c.service for c in self.cells})
        shape = self.habit.curve(self.times)
        return {name: shape * np.exp(self.slow_noise(self.habit.rate_noise)) for name in names}

    @cached_property
    def pace(self) -> dict[str, Array]:
        """By how much each service is slower than usual when nothing is wrong."""
        out = {}
        for name, load in self.load.items():
            pace = (
                np.exp(self.slow_noise(self.habit.latency_noise)) * np.maximum(load, 0.05) ** self.habit.load_on_latency
            )
            at = self.rng.integers(0, len(pace), self.habit.blips)
            pace[at] *= self.rng.uniform(1.1, 1.3, self.habit.blips)
            out[name] = pace
        return out

    def scraped(self, service: str) -> Array:
        """Which scrapes of a service did not fail."""
        ok = np.ones(len(self.times), dtype=bool)
        for start, end in self.missing if service == self.cells[0].service else ():
            ok &= ~((self.times > start) & (self.times < end))
        return ok

    def effects_on(self, cell: Cell, what: What) -> list[Effect]:
        """What of one sort happens to a cell."""
        return [e for e in self.effects if e.what == what and e.hits(cell)]


@dataclass(frozen=True)
class Happened:
    """One cell's truth in the step before each scrape."""

    cell: Cell
    requests: Array
    failed: Array
    median: Array
    slow_share: Array
    slow_factor: Array
    stands: Array

    def share_below(self, bound_s: float) -> Array:
        """The share of response times below a bound."""
        x = (math.log(bound_s) - np.log(self.median)) / self.cell.spread
        slow = normal_cdf(x - np.log(self.slow_factor) / self.cell.spread)
        return (1 - self.slow_share) * normal_cdf(x) + self.slow_share * slow

    def quantile(self, q: float) -> Array:
        """Seconds below which the share ``q`` of response times lies."""
        low, high = np.log(self.median) - 3, np.log(self.median) + 4 * self.cell.spread + np.log(self.slow_factor)
        for _ in range(22):
            middle = (low + high) / 2
            x = (middle - np.log(self.median)) / self.cell.spread
            slow = normal_cdf(x - np.log(self.slow_factor) / self.cell.spread)
            under = (1 - self.slow_share) * normal_cdf(x) + self.slow_share * slow < q
            low, high = np.where(under, middle, low), np.where(under, high, middle)
        return np.exp((low + high) / 2)

    def mean(self) -> Array:
        """Mean response time in seconds."""
        plain = self.median * math.exp(self.cell.spread**2 / 2)
        return plain * (1 + self.slow_share * (self.slow_factor - 1))


def happen(world: World, cell: Cell) -> Happened:
    """Let a cell live through the world's time."""
    times = world.times
    rate = cell.rate * world.load[cell.service] * covered(times, cell.since, cell.until)
    for effect in world.effects_on(cell, "traffic"):
        rate = rate * (1 + effect.weight(times) * (effect.factor - 1))
    share, factor = np.zeros(len(times)), np.ones(len(times))
    for effect in world.effects_on(cell, "latency"):
        weight = effect.weight(times)
        if effect.ramp_s:  # everything gets slower bit by bit
            share, factor = np.where(weight > 0, effect.share, share), factor * effect.factor**weight
        else:  # the step of the onset holds requests from before and after it
            share, factor = np.maximum(share, weight * effect.share), np.where(weight > 0, effect.factor, factor)
    failing = np.full(len(times), cell.errors)
    for effect in world.effects_on(cell, "errors"):
        failing = failing + effect.weight(times) * effect.factor
    requests = world.rng.poisson(np.maximum(rate, 0) * STEP_S)
    failed = world.rng.binomial(requests, np.minimum(failing, 0.98))
    stands = world.scraped(cell.service) & (times >= cell.since - 180) & (times <= cell.until + 150)
    return Happened(cell, requests, failed, cell.median_s * world.pace[cell.service], share, factor, stands)
