"""Whether times are in the unit that their name says: held against the bounds of the buckets and the mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workers.sources.metrics.name_words import TIME_UNITS, tokens

SERVED = frozenset("http https grpc rpc request req api server handler route endpoint rest web client".split())
"""Words of names that time requests: these take seconds at most, as a rule."""
MINUTE_S, HALF_MINUTE_S = 60, 30
LARGE, SMALL = 1_000.0, 60.0
"""Bounds in milliseconds reach the first at least; those in seconds end at the second, where requests are timed."""
LONGEST_MEAN_S = 300.0
FAR = 10.0
"""So many times beyond all buckets, a mean is not in their unit."""


@dataclass(frozen=True)
class UnitCheck:
    """``factor``: what brings the values from the unit that was assumed into the one that the data carry; 1 where they
    agree, or nothing is clear. ``doubt``: one sentence; empty without any."""

    factor: float = 1.0
    doubt: str = ""


def check_unit(name: str, said_s: float, bounds: Sequence[float], mean: float | None) -> UnitCheck:
    """Hold the unit of a metric's name against its data.

    Args:
        name: the metric, without suffixes.
        said_s: seconds in the unit that is assumed, 1 or 0.001; others are not checked.
        bounds: finite bounds of its buckets, ascending, as the server has them; none where it has no buckets.
        mean: the mean of its values, as the server has it; None when nothing was measured.
    """
    words = set(tokens(name))
    if said_s not in {1.0, 1e-3} or mean is None or mean <= 0 or not (words & SERVED and words & TIME_UNITS.keys()):
        return UnitCheck()
    said, other = ("seconds", "milliseconds") if said_s == 1.0 else ("milliseconds", "seconds")
    buckets = f"its buckets ({bounds[0]:g} to {bounds[-1]:g})" if bounds else ""
    made_for_other = bool(bounds) and (is_of_milliseconds(bounds) if said_s == 1.0 else is_of_seconds(bounds))
    if made_for_other and bounds[0] <= mean <= bounds[-1]:
        factor = 1e-3 if said_s == 1.0 else 1e3
        return UnitCheck(
            factor, f"{name} is in {other}: {buckets} and its mean ({mean:.3g}) are of that unit, against its name"
        )
    outside = mean * FAR <= bounds[0] if said_s == 1.0 and bounds else bool(bounds) and mean >= FAR * bounds[-1]
    if made_for_other and outside:
        return UnitCheck(1.0, f"{name} is in {said} by its mean ({mean:.3g}), but {buckets} are made for {other}")
    if made_for_other or (said_s == 1.0 and mean > max((LONGEST_MEAN_S, *bounds[-1:]))):
        why = " and ".join(filter(None, (buckets if made_for_other else "", f"its mean ({mean:.3g})")))
        return UnitCheck(1.0, f"{name} is told in {said}, as its name says; by {why} it may be in {other}")
    return UnitCheck()


def is_of_milliseconds(bounds: Sequence[float]) -> bool:
    """Whether bounds are such as people set in milliseconds: none is below one, they reach far beyond what a request
    takes in seconds, and beyond a minute they are no whole minutes."""
    odd = any(b > MINUTE_S and b % HALF_MINUTE_S for b in bounds)
    return bounds[0] >= 1 and bounds[-1] >= LARGE and odd


def is_of_seconds(bounds: Sequence[float]) -> bool:
    """Whether bounds are such as people set in seconds: they begin with parts of one, and end with some."""
    return bounds[0] < 1 <= bounds[-1] <= SMALL
