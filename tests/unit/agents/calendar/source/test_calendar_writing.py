"""A write that fails half way: what was done is told as done, what nobody knows as not known."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from workers.agents.calendar.source.appointments import Person, Resource
from workers.agents.calendar.source.calendar_copy import CalendarCopy
from workers.agents.calendar.source.calendar_store import AnswerLost
from workers.agents.calendar.source.calendar_texts import new_appointment
from workers.agents.calendar.source.folder_store import FolderStore
from workers.agents.calendar.source.icalendar_objects import Owner
from workers.agents.calendar.source.open_calendars import Calendars
from workers.agents.calendar.tools.calendar_changes import ApplyArgs, CalendarChanging
from workers.errors import ToolUnavailable
from workers.ports import ToolContext

START = datetime(2026, 11, 30, 10, tzinfo=UTC)
HOUR = timedelta(hours=1)
CONTEXT = ToolContext("r", "calendar", START - HOUR, timezone="UTC")


class Late(FolderStore):
    """A folder whose answers are lost: ``makes`` the write first, or not; ``dumb``: it tells nothing after that."""

    makes, dumb, tried = True, False, False

    def put(self, href: str, text: str, version: str) -> str:
        if self.makes:
            super().put(href, text, version)
        self.tried = True
        raise AnswerLost("the server does not answer: timed out")

    def get(self, href: str) -> Resource | None:
        if self.tried and self.dumb:
            raise ToolUnavailable("the server does not answer: timed out")
        return super().get(href)


@pytest.fixture
def calendars(tmp_path: Path) -> Iterator[Calendars]:
    with ThreadPoolExecutor(1) as pool:
        found = Calendars()
        for name, sort in (("anna", FolderStore), ("ben", Late)):
            (tmp_path / name).mkdir()
            text = new_appointment("u", "Review", START, START + HOUR, stamp=START)
            (tmp_path / name / "u.ics").write_text(text, newline="")
            found.people[name] = Person(name)
            found.owners[name] = name
            store = sort(tmp_path / name, writable=True)
            found.copies[name] = CalendarCopy(store, Owner(name, name, UTC), 0, pool)
        yield found


def move(calendars: Calendars) -> ApplyArgs:
    targets = []
    for name, copy in calendars.copies.items():
        held = copy.store.get("u.ics")
        assert held
        targets.append({"calendar": name, "owner": name, "href": "u.ics", "version": held.version})
    start, end = (START + HOUR).isoformat(), (START + 2 * HOUR).isoformat()
    return ApplyArgs(action="move", uid="u", title="Review", start=start, end=end, targets=targets)


def test_a_write_that_was_made_although_its_answer_was_lost_is_done(calendars: Calendars) -> None:
    output = CalendarChanging(calendars).apply(move(calendars), CONTEXT)
    assert output.status == "ok"
    assert "is at" in output.summary


@pytest.mark.parametrize(("makes", "dumb"), [(True, True), (False, True), (False, False)])
def test_a_write_whose_end_nobody_knows_is_not_told_as_failed(
    calendars: Calendars, monkeypatch: pytest.MonkeyPatch, *, makes: bool, dumb: bool
) -> None:
    monkeypatch.setattr(Late, "makes", makes)
    monkeypatch.setattr(Late, "dumb", dumb)
    output = CalendarChanging(calendars).apply(move(calendars), CONTEXT)
    assert output.status == "timeout"
    assert "timed out" in output.reason
    assert "ben" in output.reason
    held = calendars.copies["anna"].store.get("u.ics")
    assert held
    assert "T100000" in held.text  # taken back


def test_what_cannot_be_taken_back_is_not_told_as_failed(calendars: Calendars, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(store: FolderStore, href: str, text: str, version: str) -> str:
        raise ToolUnavailable("no space left")

    monkeypatch.setattr(Late, "put", refuses)
    written = FolderStore.replace

    def once(store: FolderStore, href: str, data: bytes) -> None:
        if b"DTSTART:20261130T11" not in data:
            raise OSError(28, "full")
        written(store, href, data)

    monkeypatch.setattr(FolderStore, "replace", once)
    output = CalendarChanging(calendars).apply(move(calendars), CONTEXT)
    assert output.status == "timeout"
    assert "anna" in output.reason


def test_a_refused_first_write_has_failed(calendars: Calendars, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(store: FolderStore, href: str, data: bytes) -> None:
        raise OSError(28, "full")

    monkeypatch.setattr(FolderStore, "replace", refuses)
    with pytest.raises(ToolUnavailable, match="cannot be written"):
        CalendarChanging(calendars).apply(move(calendars), CONTEXT)
