"""How a fact is said: units, rounding, time zone. Wording never touches the value behind it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from workers.contracts import Fact
from workers.language.zones import read_zone

MINUS = "−"


@dataclass(frozen=True)
class Voice:
    """Whose clock is used and what "yesterday" means. ``zone`` is an IANA name or an offset such as ``+09:00``."""

    now: datetime
    zone: str = "UTC"

    def tz(self) -> tzinfo:
        """The asker's zone; UTC when the name is unknown."""
        return read_zone(self.zone)


def say(fact: Fact, voice: Voice) -> str:
    """One fact as a person would say it."""
    value, unit = fact.value, fact.unit
    if unit == "time":
        return say_time(datetime.fromisoformat(str(value)), voice)
    if isinstance(value, bool | str):
        return str(value)[:7] if unit == "commit" else str(value)
    return say_number(float(value), unit)


def say_number(value: float, unit: str) -> str:
    """A number with its unit, rounded to what matters."""
    if not math.isfinite(value):
        return "unknown"
    if unit == "s":
        return say_seconds(value)
    if unit == "ratio":
        return f"{round_off(value * 100, 2)} %"
    if unit == "percent":
        return f"{signed(value)} %"
    if unit == "bytes":
        return say_bytes(value)
    if unit == "/s":
        return f"{round_off(value, 2 if abs(value) < 100 else 3)}/s"
    if unit == "line":
        return str(int(value))
    return round_off(value, 3)


def say_seconds(value: float) -> str:
    """Seconds as µs, ms, s, min or h."""
    size = abs(value)
    if size == 0:
        return "0 s"
    if size < 0.001:
        return f"{round_off(value * 1e6, 2)} µs"
    if size < 0.9995:
        return f"{round_off(value * 1e3, 2 if size < 0.1 else 3)} ms"
    if size < 120:
        return f"{round_off(value, 2 if size < 10 else 3)} s"
    if size < 7200:
        return f"{round_off(value / 60, 2)} min"
    return f"{round_off(value / 3600, 2)} h"


def say_bytes(value: float) -> str:
    """Bytes with a binary prefix."""
    for suffix in ("B", "KiB", "MiB", "GiB", "TiB"):
        if abs(value) < 1024 or suffix == "TiB":
            return f"{round_off(value, 3)} {suffix}"
        value /= 1024
    return ""


def round_off(value: float, digits: int) -> str:
    """Round to significant digits, but never lose digits of an integer part."""
    if value == 0:
        return "0"
    places = digits - 1 - math.floor(math.log10(abs(value)))
    rounded = round(value, max(places, 0))
    text = f"{rounded:,.{max(places, 0)}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text.replace("-", MINUS)


def signed(value: float) -> str:
    """A change with its sign."""
    text = round_off(value, 2 if abs(value) < 10 else 3)
    return text if value <= 0 else f"+{text}"


def say_duration(seconds: float) -> str:
    """A span of time in words."""
    size = abs(seconds)
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if size >= length * (2 if unit == "day" else 1):
            count = round(size / length) if unit != "hour" else round(size / length, 1)
            number = f"{count:g}"
            return f"{number} {unit}{'' if number == '1' else 's'}"
    return f"{round(size)} seconds"


def say_time(moment: datetime, voice: Voice) -> str:
    """``14:06 UTC yesterday``; with the reader's own clock beside it when that is another one."""
    zone = voice.tz()
    local, now = moment.astimezone(zone), voice.now.astimezone(zone)
    clock = f"{moment.astimezone(UTC):%H:%M} UTC"
    if local.utcoffset() != timedelta(0):
        clock += f" ({local:%H:%M} {zone_label(local)})"
    days = (now.date() - local.date()).days
    day = {0: "today", 1: "yesterday", -1: "tomorrow"}.get(days, "")
    year = "" if local.year == now.year else f" {local.year}"
    return f"{clock} {day or f'on {local:%b} {local.day}{year}'}"


def zone_label(local: datetime) -> str:
    """``CET``, or the offset where the zone has no letters."""
    name = local.tzname() or ""
    return name if name.isalpha() else f"{local:%z}"[:3] + ":" + f"{local:%z}"[3:]


def say_move(before: Fact, after: Fact, voice: Voice) -> str:
    """``rose from 18 ms to 240 ms``: the word of direction comes from the values."""
    first, last = float(before.value), float(after.value)
    if steady(first, last):
        return f"is unchanged at {say(after, voice)} ({change_text(first, last)})"
    return f"{'rose' if last > first else 'fell'} from {say(before, voice)} to {say(after, voice)}"


def steady(first: float, last: float) -> bool:
    """Less than a tenth apart."""
    return abs(last - first) <= 0.1 * max(abs(first), 1e-12) or first == last


def change_text(first: float, last: float) -> str:
    """The change in percent, or as a factor when it is large."""
    if first == 0:
        return "from zero"
    share = (last - first) / abs(first)
    return f"×{round_off(last / first, 2)}" if share >= 2 else f"{signed(share * 100)} %"


def say_lag(event: datetime, anchor: datetime) -> str:
    """``2 minutes after``, ``1 minute before`` or ``at the same minute as``: order comes from the values."""
    gap = (event - anchor).total_seconds()
    if abs(gap) < 30:
        return "in the same minute as"
    return f"{say_duration(gap)} {'after' if gap > 0 else 'before'}"
