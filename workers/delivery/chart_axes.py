"""Ticks and units of a chart's axes as a person writes them, and gaps in samples."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from datetime import datetime, timedelta, tzinfo

from workers.grounding.value_format import say_number

NICE = (1.0, 2.0, 2.5, 5.0, 10.0)
MINUTES = (1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10_080, 43_200)
MAX_TIMES = 5


def value_ticks(top: float, unit: str, most: int = 4) -> list[float]:
    """Round values from zero to at most ``top``, in the unit in which they will be written."""
    scale = unit_scale(top, unit)
    rough = top / scale / most
    if not math.isfinite(rough) or rough <= 0:
        return [0.0]
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(n * power for n in NICE if n * power >= rough * 0.999) * scale
    return [i * step for i in range(int(top / step + 1e-6) + 1)]


def unit_scale(top: float, unit: str) -> float:
    """How large one written unit is: a millisecond, a percent, a kibibyte."""
    if unit == "s":
        return next((s for s in (3600.0, 60.0, 1.0, 1e-3) if top >= s * (2 if s > 1 else 1)), 1e-6)
    if unit == "bytes":
        return 1024.0 ** max(0, min(4, int(math.log(max(top, 1.0), 1024))))
    return 0.01 if unit == "ratio" else 1.0


def say_tick(value: float, top: float, unit: str) -> str:
    """A tick's value; all of one axis in the same unit, zero with none."""
    if value == 0:
        return "0"
    if unit == "s":
        scale = unit_scale(top, unit)
        name = {3600.0: "h", 60.0: "min", 1.0: "s", 1e-3: "ms"}.get(scale, "µs")
        return f"{value / scale:.4g} {name}"
    if unit == "ratio":
        return f"{value * 100:.4g} %"
    if unit == "percent":
        return f"{value:.4g} %"
    return say_number(value, unit)


def time_ticks(start: float, end: float, zone: tzinfo) -> list[tuple[float, str]]:
    """Round moments of the zone's clock with their words; each day's first one carries the date.

    Moments at the very start are left out.

    Args:
        start, end: epoch seconds.
    """
    span = max(end - start, 60.0)
    step = next((m for m in MINUTES if span / 60 / m <= MAX_TIMES), max(MINUTES[-1], math.ceil(span / 60 / MAX_TIMES)))
    first, last = (datetime.fromtimestamp(at, zone) for at in (start, end))
    moment = first.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    marks: list[tuple[float, datetime]] = []
    while len(marks) <= 3 * MAX_TIMES:
        at = moment.replace(tzinfo=zone).timestamp()
        if at > end:
            break
        if at >= start + 0.035 * span:  # the zone's name stands left of it
            marks.append((at, moment))
        moment += timedelta(minutes=step)
    dated = first.date() != last.date()
    return [
        (at, tick_words(mark, marks[i - 1][1] if i else None, step, dated=dated)) for i, (at, mark) in enumerate(marks)
    ]


def tick_words(moment: datetime, before: datetime | None, step: int, *, dated: bool) -> str:
    """``14:00``, with the day below it where a new one begins."""
    day = f"{moment:%b} {moment.day}"
    if step >= 1440:
        return day
    fresh = dated and (before is None or before.date() != moment.date())
    return f"{moment:%H:%M}\n{day}" if fresh else f"{moment:%H:%M}"


def gaps_marked(series: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    """Moments and values in order, with NaN wherever samples are missing, so that no line is drawn over the gap."""
    rows = sorted((at, value) for at, value in series if math.isfinite(at))
    steps = sorted(b[0] - a[0] for a, b in itertools.pairwise(rows))
    usual = steps[int(0.9 * (len(steps) - 1))] if steps else 0.0
    times: list[float] = []
    values: list[float] = []
    for at, value in rows:
        if times and at - times[-1] > 2.5 * usual:
            times.append((times[-1] + at) / 2)
            values.append(math.nan)
        times.append(at)
        values.append(value if math.isfinite(value) else math.nan)
    return times, values
