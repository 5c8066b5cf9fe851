"""What goes on in the shop, minute by minute: levels of every signal, healthy ones bent by a fault.

A level is an array with one value a minute. Latencies are 95th percentiles in seconds, ratios 0..1, traffic
requests per second.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from examples.shop.fault import Fault

Series = NDArray[np.float64]

HOURS = 48
AHEAD_HOURS = 24
STEP_S = 60
STEPS = HOURS * 60 + 1

ENDPOINTS = (
    "/api/search",
    "/api/products",
    "/api/cart",
    "/api/checkout",
    "/api/orders",
    "/api/recommendations",
    "/api/users",
)

# The table that most of an endpoint's queries read.
TABLES = {
    "/api/search": "product_terms",
    "/api/products": "products",
    "/api/cart": "cart_lines",
    "/api/checkout": "stock",
    "/api/orders": "orders",
    "/api/recommendations": "products",
    "/api/users": "users",
}

POOL_SIZES = {"main": 24, "accounts": 8}
TARGETS = {"payments": "/api/checkout", "recommender": "/api/recommendations"}


def per_endpoint(*values: float) -> dict[str, float]:
    """Values in the order of `ENDPOINTS`."""
    return dict(zip(ENDPOINTS, values, strict=True))


# Healthy levels by signal and key, at the busiest hour.
BASE: dict[str, dict[str, float]] = {
    "traffic": per_endpoint(40, 120, 30, 6, 9, 45, 25),
    "latency": per_endpoint(0.192, 0.062, 0.095, 0.6, 0.12, 0.13, 0.055),
    "errors": per_endpoint(0.0006, 0.0004, 0.0006, 0.003, 0.0006, 0.0006, 0.0004),
    "refused": per_endpoint(0.003, 0.012, 0.004, 0.035, 0.004, 0.001, 0.006),
    "db_latency": per_endpoint(0.0166, 0.0085, 0.009, 0.012, 0.013, 0.0085, 0.0075),
    "db_queries": per_endpoint(1.3, 0.45, 1.05, 6.2, 1.15, 1.0, 2.0),
    "cache_hit": {"/api/search": 0.9, "/api/products": 0.86},
    "cache_lookups": {"/api/search": 2.7, "/api/products": 0.8},
    "pool_in_use": {"main": 5.0, "accounts": 1.0},
    "pool_wait": {"main": 0.002, "accounts": 0.002},
    "outbound_latency": {"payments": 0.46, "recommender": 0.185},
    "outbound_calls": {"payments": 1.03, "recommender": 0.12},
    "outbound_busy": {"payments": 0.002, "recommender": 0.0001},
    "outbound_timeout": {"payments": 0.002, "recommender": 0.03},
    "memory": {"": 182e6},
}

# How far a level strays by itself (standard deviation of its logarithm).
WOBBLE = {"traffic": 0.03, "latency": 0.035, "db_latency": 0.03, "outbound_latency": 0.04, "pool_in_use": 0.12}
LIKE_TRAFFIC = {"latency": 0.10, "db_latency": 0.08, "pool_in_use": 0.5}


@dataclass(frozen=True)
class Signals:
    """All levels. ``times`` are whole minutes in UTC epoch seconds."""

    times: NDArray[np.int64]
    levels: dict[tuple[str, str], Series]

    def level(self, signal: str, key: str) -> Series:
        """One signal's level at every minute."""
        return self.levels[signal, key]


def minutes_until(now: datetime) -> NDArray[np.int64]:
    """The last 48 hours in whole minutes, UTC epoch seconds."""
    last = int(now.timestamp()) // STEP_S * STEP_S
    return last - STEP_S * np.arange(STEPS - 1, -1, -1, dtype=np.int64)


def minutes_after(now: datetime) -> NDArray[np.int64]:
    """The next 24 hours in whole minutes, UTC epoch seconds, from the one that follows `minutes_until`."""
    last = int(minutes_until(now)[-1])
    return last + STEP_S * np.arange(1, AHEAD_HOURS * 60 + 1, dtype=np.int64)


def make_signals(times: NDArray[np.int64], fault: Fault, onset: datetime, rng: np.random.Generator) -> Signals:
    """Levels: the time of day, chance, and from its onset the fault.

    Args:
        times: whole minutes, UTC epoch seconds, ascending.
        fault: bends the signals that its effects name.
        onset: the first minute whose sample shows the fault at the endpoint.
        rng: where chance comes from.
    """
    season = daily_season(times)
    levels: dict[tuple[str, str], Series] = {}
    for signal, keys in BASE.items():
        for key, base in keys.items():
            pull = 1.0 if signal == "traffic" else LIKE_TRAFFIC.get(signal, 0.0)
            stray = wander(rng, WOBBLE.get(signal, 0.015), len(times))
            levels[signal, key] = base * season**pull * stray
    for effect in fault.effects:
        grown = growth(times, onset - timedelta(minutes=effect.lead_minutes), effect.ramp_minutes)
        healthy, base = levels[effect.signal, effect.key], BASE[effect.signal][effect.key]
        if effect.fixed:
            bent = healthy + (effect.to - healthy) * grown
        else:
            bent = healthy * (fault.level(effect, base) / base * wander(rng, 0.03, len(times))) ** grown
        levels[effect.signal, effect.key] = bent
    return Signals(times, levels)


def daily_season(times: NDArray[np.int64]) -> Series:
    """Traffic by time of day: 1 in the busiest hour (about 14:00 UTC), about half of it at night."""
    hour = (times % 86_400) / 3600.0
    return 0.55 + 0.45 * ((1 + np.cos((hour - 14.0) * np.pi / 12)) / 2) ** 0.8


def wander(rng: np.random.Generator, spread: float, steps: int) -> Series:
    """A factor around 1 that strays slowly: half chance of the minute, half memory of the last half hour."""
    fast = rng.standard_normal(steps)
    slow = np.convolve(rng.standard_normal(steps + 29), np.full(30, 30**-0.5), mode="valid")
    return np.exp(spread * (0.5 * fast + 0.87 * slow))


def growth(times: NDArray[np.int64], begins: datetime, ramp_minutes: int) -> Series:
    """How much of an effect is there: 0 before ``begins``, most of it at once, all of it after the ramp."""
    start = begins.timestamp()
    since = (times - start) / 60.0
    share = np.clip((since + 1) / (ramp_minutes + 1), 0.0, 1.0) ** 0.5
    return np.where(since >= 0, share, 0.0)
