"""Phrases of time together: which days, between which times, at what time, for how long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, tzinfo

from workers.language.appointment_times import PARTS, Mention, Repeat
from workers.language.appointment_values import ONE_DAY, WEEK, monday

EARLIEST = (
    "not before",
    "no earlier than",
    "not earlier than",
    "nothing before",
    "never before",
    "from",
    "after",
    "starting",
)
LATEST = ("before", "until", "till", "by", "done by", "over by", "finished by", "out by")
LATEST_NEGATED = ("not after", "no later than", "not later than", "nothing after", "never after", "no after")


@dataclass(frozen=True)
class Times:
    """``days``: spans of dates, the end excluded; ``weekdays``: the only ones wanted, when any is named; minutes of the
    day: ``earliest``, ``latest``, ``at``, ``until``; minutes: ``length``, ``shift``; ``now``: right now was said;
    ``repeat``: how it recurs.

    ``single``: the one day that is named, when it is one.
    """

    days: tuple[tuple[date, date], ...] = ()
    weekdays: tuple[int, ...] = ()
    earliest: int | None = None
    latest: int | None = None
    at: int | None = None
    until: int | None = None
    length: int | None = None
    shift: int | None = None
    zone: tzinfo | None = None
    now: bool = False
    part: str = ""
    repeat: Repeat | None = None

    @property
    def single(self) -> date | None:
        """The one day."""
        return self.days[0][0] if len(self.days) == 1 and self.days[0][1] - self.days[0][0] == ONE_DAY else None

    @property
    def span(self) -> tuple[date, date] | None:
        """From the first day to the last."""
        return (min(d[0] for d in self.days), max(d[1] for d in self.days)) if self.days else None


def combine(mentions: Sequence[Mention], now: datetime, *, bounds: bool = True) -> Times:
    """All phrases as one wish.

    Args:
        now: on the asker's clock.
        bounds: a range of times and "from three" are bounds, not the time itself.
    """
    repeat = next((m.value for m in mentions if m.kind == "repeat"), None)
    ends = [m for m in mentions if repeat and m.kind in {"days", "weekday"} and m.lead in {*UP_TO, "before"}]
    limits = [] if repeat or not bounds else [m for m in mentions if is_limit(m)]
    mentions = [m for m in mentions if m not in ends and m not in limits]
    spans: list[tuple[date, date]] = [m.value for m in mentions if m.kind == "days" and not m.negated]
    out: dict[str, object] = {"repeat": ended(repeat, ends, mentions, now.date()) if repeat else None}
    weeks = [s for s in spans if s[1] - s[0] > ONE_DAY]
    named = [m for m in mentions if m.kind == "weekday" and not dated(m, mentions)]
    excluded = {m.value[0] for m in named if m.negated}
    wanted = [m for m in named if not m.negated]
    several = [d for m in mentions if m.kind == "weekdays" for d in m.value]
    today = now.date()
    if (wanted or several) and weeks:
        days = {*several, *(m.value[0] for m in wanted)}
        spans = [(day, day + ONE_DAY) for s in weeks for day in dates(s) if day.weekday() in days]
    elif wanted:
        which = "next" if any(m.value[1] == "next" for m in wanted) else ""
        spans += [one_day(m, today, which if len(wanted) > 1 else m.value[1]) for m in wanted]
    elif several:
        first = next_weekday(today, several[0])
        spans.append((first, first + len(several) * ONE_DAY))
    if excluded:
        spans = spans or [(today, today + WEEK)]
        kept = [day for s in spans for day in dates(s) if day.weekday() not in excluded]
        spans = [(day, day + ONE_DAY) for day in kept]
    for m in limits:
        spans = limited(spans, m, today)
    for m in mentions:
        read_clock(m, out, bounds=bounds)
    part = next((m for m in mentions if m.kind == "part"), None)
    if part:
        name, of_today = part.value
        begin, end = PARTS[name]
        if part.negated:
            begin, end = (end, 1_440) if begin == 0 else (0, begin)
        elif out.get("at") is not None and name != "morning" and int(str(out["at"])) < 720:
            out["at"] = int(str(out["at"])) + 720
        out["part"] = name
        if out.get("at") is None and out.get("until") is None:
            out["earliest"] = out.get("earliest") if out.get("earliest") is not None else begin or None
            out["latest"] = out.get("latest") if out.get("latest") is not None else (end if end < 1_440 else None)
        if of_today and not spans:
            spans = [(today, today + ONE_DAY)]
    out["zone"] = next((m.zone for m in mentions if m.zone), None)
    out["now"] = any(m.kind == "now" for m in mentions)
    return Times(days=tuple(merge(spans)), **out)  # type: ignore[arg-type]


def dated(m: Mention, mentions: Sequence[Mention]) -> bool:
    """Whether a date beside a day of the week says which it is: "Friday 30 October"."""
    beside = (o for o in mentions if o.kind == "days" and min(abs(o.start - m.end), abs(m.start - o.end)) < BESIDE)
    return any(o.value[0].weekday() == m.value[0] and o.value[1] - o.value[0] == ONE_DAY for o in beside)


BESIDE = 7
"""So many letters are at most between a day of the week and its date: " the "."""
UP_TO = ("until", "till", "through", "by")


def is_limit(m: Mention) -> bool:
    """Whether a day is the last or the first that may be, not the one that is wanted."""
    return m.kind in {"days", "weekday"} and m.lead in {*UP_TO, "before", "after"} and not m.negated


def limited(spans: Sequence[tuple[date, date]], m: Mention, today: date) -> list[tuple[date, date]]:
    """The days that a limit leaves: of those named, else of those from today on, or of a week after it."""
    first, last = days_of(m, today)
    if m.lead == "after":
        return [(max(a, last), b) for a, b in spans if b > last] or [(last, last + WEEK)]
    end = first if m.lead == "before" else last
    return [(a, min(b, end)) for a, b in spans if a < end] or [(today, end)]


def ended(repeat: Repeat, ends: Sequence[Mention], mentions: Sequence[Mention], today: date) -> Repeat:
    """What recurs, with its end: "until March" ends before March, "until 4 March" with that day."""
    for m in ends:
        first, last = days_of(m, today)
        whole = last - first > ONE_DAY and m.lead != "through"
        repeat = replace(repeat, ends=first if whole or m.lead == "before" else last)
    for count, unit in (m.value for m in mentions if m.kind == "times"):
        each = {"DAILY": 7 * count, "WEEKLY": count * max(len(repeat.days), 1)} if unit == "weeks" else {}
        repeat = replace(repeat, count=-(-each.get(repeat.freq, count) // repeat.interval))
    return repeat


def read_clock(m: Mention, out: dict[str, object], *, bounds: bool) -> None:
    """One phrase of a time of day or a length."""
    if m.kind == "length":
        out.setdefault("length", m.value)
    elif m.kind == "shift":
        out["shift"] = m.value
    elif m.kind == "range":
        keys = ("earliest", "latest") if bounds else ("at", "until")
        out[keys[0]], out[keys[1]] = m.value
    elif m.kind == "clock":
        if m.lead in LATEST_NEGATED or m.lead in LATEST:
            out["latest" if bounds or out.get("at") is None else "until"] = m.value
        elif m.lead in EARLIEST and (bounds or m.lead != "from"):
            out["earliest"] = m.value
        else:
            out["at"] = m.value


def days_of(m: Mention, today: date) -> tuple[date, date]:
    """The days that a date or the name of a day means."""
    span: tuple[date, date] = m.value if m.kind == "days" else one_day(m, today, m.value[1])
    return span


def one_day(m: Mention, today: date, which: str) -> tuple[date, date]:
    """The day that a weekday means: the next one, of today's name in a week; "next" is one of next week."""
    weekday = m.value[0]
    day = monday(today) + weekday * ONE_DAY
    if which == "next" or (day <= today and not (which == "this" and day == today)):
        day += WEEK
    return day, day + ONE_DAY


def next_weekday(today: date, weekday: int) -> date:
    """The next day of a name, or today."""
    return today + ((weekday - today.weekday()) % 7) * ONE_DAY


def dates(span: tuple[date, date]) -> list[date]:
    """The days of a span."""
    return [span[0] + i * ONE_DAY for i in range(min((span[1] - span[0]).days, 400))]


def merge(spans: Sequence[tuple[date, date]]) -> list[tuple[date, date]]:
    """In order, those that touch as one."""
    out: list[tuple[date, date]] = []
    for start, end in sorted(spans):
        if out and start <= out[-1][1]:
            out[-1] = out[-1][0], max(out[-1][1], end)
        else:
            out.append((start, end))
    return out


def clock_text(minutes: int) -> str:
    """Minutes of a day as HH:MM."""
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


def minute_of(local: datetime) -> int:
    """The minute of the day."""
    return local.hour * 60 + local.minute


def at_clock(day: date, minutes: int, zone: tzinfo) -> datetime:
    """A time of a local day."""
    return datetime(day.year, day.month, day.day, tzinfo=zone) + timedelta(minutes=minutes)
