"""Times of the clock in figures and in words, and the days they are of."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta, tzinfo

from workers.language.durations import NUMBER_WORDS

MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
HOURS = "twelve one two three four five six seven eight nine ten eleven".split()
NOON = {"noon": 12, "midday": 12, "midnight": 0}
BACKWARD, FORWARD = frozenset({"to", "before"}), frozenset({"past", "after"})
FRACTIONS = {"half": 30, "quarter": 15}
NOT_COUNTED = frozenset({"a", "minute", "minutes", "o'clock", "o’clock"})


def on_clock(hour: int, half: str) -> int:
    """An hour of the clock of 24 hours; ``half``: ``a`` or ``p``, empty for an hour that is said in full."""
    return hour % 12 + (12 if half.lower() == "p" else 0) if half else hour


def spoken_minutes(text: str) -> int:
    """Minutes since midnight, or noon, of a time in words: 150 for "half past two", 710 for "ten to twelve"."""
    *lead, hour = [w for w in text.lower().split() if w not in NOT_COUNTED]
    first = NOON[hour] if hour in NOON else HOURS.index(hour) if hour in HOURS else int(hour)
    said, sign = 60 * first, 1
    for word in reversed(lead):
        if word in BACKWARD | FORWARD:
            sign = -1 if word in BACKWARD else 1
        else:
            said += sign * (FRACTIONS.get(word) or NUMBER_WORDS.get(word) or int(word))
    return said


def midnight(now: datetime, zone: tzinfo, days_ago: int = 0) -> datetime:
    """The start of a local day, in UTC."""
    day = now.astimezone(zone).date() - timedelta(days=days_ago)
    return datetime.combine(day, time(), zone).astimezone(UTC)
