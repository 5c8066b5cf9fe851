"""Four people with a week of meetings, and an on-call rotation, as folders of .ics files."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from workers.agents.calendar.source.calendar_texts import new_appointment
from workers.agents.calendar.source.recurrence_changes import cancel, move

HOME = "Europe/Berlin"
PEOPLE = {
    "Anna Berger": {"aliases": ["anna"], "email": "anna@example.com", "timezone": HOME, "users": ["local"]},
    "Ben Okafor": {"aliases": ["ben"], "email": "ben@example.com", "timezone": HOME, "lunch": "12:30-13:00"},
    "Chloe Martin": {"aliases": ["chloe"], "email": "chloe@example.com", "timezone": "Europe/London"},
    "Dev Patel": {"aliases": ["dev"], "email": "dev@example.com", "timezone": "America/New_York"},
}
ALL = tuple(PEOPLE)
# title, who, weekday of this week (0 Monday), start, minutes, rule
MEETINGS: tuple[tuple[str, tuple[str, ...], int, str, int, str], ...] = (
    ("Standup", ALL[:3], 0, "09:30", 15, "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
    ("Sprint planning", ALL, 0, "15:00", 60, "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO"),
    ("1:1 Anna and Ben", ALL[:2], 1, "11:00", 30, "FREQ=WEEKLY;BYDAY=TU"),
    ("Architecture review", (ALL[0], ALL[2]), 2, "14:00", 60, "FREQ=WEEKLY;BYDAY=WE"),
    ("Transatlantic sync", (ALL[0], ALL[3]), 3, "16:00", 45, "FREQ=WEEKLY;BYDAY=TH"),
    ("Retro", ALL[:3], 4, "13:00", 60, "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR"),
    ("Customer call", (ALL[0],), 1, "15:30", 45, ""),
    ("Interview backend", (ALL[1],), 2, "10:30", 60, ""),
    ("Vendor demo", (ALL[2], ALL[1]), 3, "14:00", 60, ""),
    ("Dentist", (ALL[0],), 9, "08:30", 60, ""),
    ("Budget review", (ALL[0], ALL[3]), 8, "15:00", 60, ""),
    ("Design workshop", ALL[:3], 10, "10:00", 150, ""),
)


def build_calendars(folder: Path, now: datetime) -> list[dict[str, object]]:
    """Write the calendars; what was there is replaced.

    Args:
        folder: for them; made when it is not there.
        now: its week is the first with meetings.

    Returns: the entries for ``calendars:`` of ``oracle.yaml``. The first person is the one at the command line (user
        ``local``); add Slack ids to ``users``.
    """
    zone = ZoneInfo(HOME)
    today = now.astimezone(zone).date()
    monday = today - timedelta(days=today.weekday())
    entries: list[dict[str, object]] = []
    for name, more in PEOPLE.items():
        place = emptied(folder / slug(name))
        entries.append({"path": str(place), "name": name, **more})
    for title, who, day, clock, minutes, rule in MEETINGS:
        start = at(monday + timedelta(days=day), clock, zone)
        if rule:
            start -= timedelta(weeks=4)  # series have a past
        end = start + timedelta(minutes=minutes)
        uid = f"{slug(title)}@demo"
        people = [(name, str(PEOPLE[name]["email"])) for name in who]
        text = new_appointment(uid, title, start, end, stamp=now, rule=rule, organizer=people[0], attendees=people[1:])
        text = with_exceptions(uid, title, text, monday, zone)
        for name in who:
            (folder / slug(name) / f"{slug(title)}.ics").write_text(text, encoding="utf-8", newline="")
    days_off(folder, "Chloe Martin", "Day off", monday + timedelta(days=11), 1, now)
    days_off(folder, "Dev Patel", "Holiday", monday + timedelta(days=3), 1, now)
    entries.append({"path": str(rotation(folder / "on-call-platform", monday, now, zone)), "on_call": "platform"})
    return entries


def with_exceptions(uid: str, title: str, text: str, monday: date, zone: ZoneInfo) -> str:
    """One standup is cancelled and one architecture review is an hour later, in the next week."""
    if title == "Standup":
        original = original_of(at(monday + timedelta(days=9), "09:30", zone))
        return cancel(text, uid, original, "this", zone).kept or text
    if title == "Architecture review":
        first = at(monday + timedelta(days=9), "14:00", zone)
        start = first + timedelta(hours=1)
        moved = move(text, uid, original_of(first), "this", zone, start, start + timedelta(hours=1))
        return moved.kept or text
    return text


def rotation(folder: Path, monday: date, now: datetime, zone: ZoneInfo) -> Path:
    """A week each, handed over on Monday at nine."""
    place = emptied(folder)
    for week in range(-1, 7):
        name = ALL[week % len(ALL)]
        start = at(monday + timedelta(weeks=week), "09:00", zone)
        uid = f"on-call-{start:%Y%m%d}@demo"
        text = new_appointment(uid, name, start, at(start.date() + timedelta(weeks=1), "09:00", zone), stamp=now)
        (place / f"{uid}.ics").write_text(text, encoding="utf-8", newline="")
    return place


def days_off(folder: Path, name: str, title: str, first: date, days: int, now: datetime) -> None:
    """Whole days."""
    text = new_appointment(f"{slug(title)}@demo", title, first, first + timedelta(days=days), stamp=now)
    (folder / slug(name) / f"{slug(title)}.ics").write_text(text, encoding="utf-8", newline="")


def emptied(folder: Path) -> Path:
    """A folder without calendar files."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in folder.glob("*.ics"):
        file.unlink()
    return folder


def at(day: date, clock: str, zone: ZoneInfo) -> datetime:
    """A local time."""
    return datetime.combine(day, time.fromisoformat(clock), zone)


def original_of(start: datetime) -> str:
    """The name of an occurrence."""
    from workers.agents.calendar.source.icalendar_objects import name_start  # noqa: PLC0415 - one name of one module

    return name_start(start, start.tzinfo or ZoneInfo(HOME))


def slug(name: str) -> str:
    """A name as one of a file."""
    return "-".join("".join(c if c.isalnum() else " " for c in name.lower()).split())


__all__ = ["build_calendars"]
