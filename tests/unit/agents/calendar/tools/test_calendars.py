"""What the calendar tools tell of calendars that were not read, of rotations, and of who is not written."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from workers.agents.calendar.source.appointments import Person
from workers.agents.calendar.source.calendar_copy import CalendarCopy
from workers.agents.calendar.source.calendar_texts import new_appointment
from workers.agents.calendar.source.folder_store import FolderStore
from workers.agents.calendar.source.icalendar_objects import Owner
from workers.agents.calendar.source.open_calendars import Calendars
from workers.agents.calendar.tools.calendar_changes import CalendarChanging, CreateArgs
from workers.agents.calendar.tools.calendars import CalendarReading, EventsArgs, OnCallArgs
from workers.errors import ToolUnavailable
from workers.ports import ToolContext

NOW = datetime.now(UTC).replace(microsecond=0)
HOUR = timedelta(hours=1)
CONTEXT = ToolContext("r", "calendar", NOW, user="U1")


@pytest.fixture
def calendars(tmp_path: Path) -> Iterator[Calendars]:
    with ThreadPoolExecutor(1) as pool:
        found = Calendars()
        for name in ("Ann", "Joanna", "rotation"):
            (tmp_path / name).mkdir()
            owner = "on call platform" if name == "rotation" else name
            found.owners[name] = owner
            store = FolderStore(tmp_path / name, writable=name == "Ann")
            found.copies[name] = CalendarCopy(store, Owner(name, owner, UTC), 60, pool)
        found.people = {"Ann": Person("Ann", users=("U1",)), "Joanna": Person("Joanna")}
        found.rotations["rotation"] = "platform"
        text = new_appointment("s", "Joanna Smith", NOW - HOUR, NOW + HOUR, stamp=NOW)
        (tmp_path / "rotation" / "s.ics").write_text(text, newline="")
        found.prepare()
        yield found


def test_nobody_is_free_whose_calendar_was_never_read(calendars: Calendars) -> None:
    calendars.copies["Joanna"].snapshot = None
    calendars.copies["Joanna"].failure = "timed out"
    output = CalendarReading(calendars).events(EventsArgs(people="Ann, Joanna"), CONTEXT)
    head = output.evidence[0]
    assert head.facts["people"].value == "Ann"
    assert head.facts["unknown"].value == "Joanna"
    assert output.data["people"] == ["Ann"]
    assert "not known for Joanna" in output.summary


def test_busy_times_end_where_they_were_not_asked_for(calendars: Calendars, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calendars.copies["Joanna"].store, "ahead", timedelta(days=60))
    reading = CalendarReading(calendars)
    far = EventsArgs(people="Joanna", start=(NOW + timedelta(days=70)).isoformat())
    with pytest.raises(ToolUnavailable, match="busy times until"):
        reading.events(far, CONTEXT)
    assert reading.events(EventsArgs(people="Joanna"), CONTEXT).status == "ok"


def test_a_shift_is_of_who_is_named_as_a_whole_word_and_tells_its_age(calendars: Calendars) -> None:
    calendars.copies["rotation"].failure = "timed out"
    output = CalendarReading(calendars).on_call(OnCallArgs(), CONTEXT)
    assert output.data["shifts"][0]["person"] == "Joanna"
    assert "timed out" in str(output.evidence[0].facts["stale"].value)
    assert output.evidence[0].facts["age"].value


def test_a_guest_whose_calendar_is_not_written_is_told(calendars: Calendars) -> None:
    args = CreateArgs(title="Demo", start=(NOW + 2 * HOUR).isoformat(), duration_min=30, people="Joanna")
    output = CalendarChanging(calendars).create(args, CONTEXT)
    assert "not written: the calendars of Joanna" in output.proposals[0].preview
    assert any("not written" in line for line in output.data["conflicts"])
