"""Appointments in the local Slack: proposed, confirmed by their asker alone, made once or not at all."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.scenario.test_confirmation import Canteen, buttons
from tests.support import one_process
from tests.support.one_process import House, run_house
from tests.support.slack_payloads import wait_for
from workers.agents.calendar.source.appointments import Occurrence, Resource
from workers.agents.calendar.source.calendar_copy import Snapshot
from workers.agents.calendar.source.calendar_texts import new_appointment
from workers.agents.calendar.source.folder_store import FolderStore
from workers.agents.calendar.source.icalendar_objects import Owner, read_objects
from workers.bootstrap import build_engine
from workers.delivery import action_ids
from workers.entrypoints.tasks import build_worker_context, take
from workers.settings.load import Settings, load_settings
from workers.telemetry.service_metrics import ServiceMetrics

DAY = (datetime.now(UTC) + timedelta(days=3)).date()
START = datetime(DAY.year, DAY.month, DAY.day, 10, tzinfo=UTC)
HOUR = timedelta(hours=1)
LATER = DAY + timedelta(days=1)
MOVE = f"move the quarterly review to {LATER} at 15:00"


class Team:
    """Two people with a calendar each, in the local Slack."""

    def __init__(self, chat: Canteen, folder: Path, settings: Settings) -> None:
        self.chat, self.folder, self.settings = chat, folder, settings

    def held(self, name: str) -> list[Occurrence]:
        """What stands in a calendar, from its files."""
        found = []
        for file in sorted((self.folder / name).glob("*.ics")):
            for one in read_objects(Resource(file.name, "", file.read_text()), Owner(name, name, UTC)).appointments:
                found += one.between(START - timedelta(days=30), START + timedelta(days=30))
        return sorted(found, key=lambda o: o.start)

    def starts(self, name: str) -> list[tuple[str, datetime]]:
        return [(o.title, o.start.astimezone(UTC)) for o in self.held(name)]

    def confirm(self, message: dict[str, Any]) -> None:
        self.chat.press(message, action_ids.CONFIRM)
        wait_for(lambda: self.chat.house.asked)
        self.chat.work()


@pytest.fixture(scope="module")
def shared(module_home: Path) -> Iterator[tuple[House, Path, Settings]]:
    """Oracle that is asked about calendars, their folder, and its settings."""
    folder = module_home / "calendars"
    for name in ("anna", "ben"):
        (folder / name).mkdir(parents=True)
    opened: list[Settings] = []

    def load(changed: dict[str, Any], home: Path) -> Settings:
        boot = httpx.get(str(httpx.URL(changed["oracle.slack.api_url"]).join("/client/boot"))).json()
        days = {"days": "mon,tue,wed,thu,fri,sat,sun", "timezone": "UTC", "fresh_s": 0}
        calendars = [
            {"path": str(folder / "anna"), "name": "Anna Berger", "users": [boot["me"]], **days},
            {"path": str(folder / "ben"), "name": "Ben Okafor", **days},
        ]
        more = {"oracle.calendars": calendars, "oracle.default_agent": "calendar", "oracle.timezone": "UTC"}
        opened.append(load_settings({**changed, **more}, home=home))
        return opened[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(one_process, "load_settings", load)
        with run_house(module_home) as house:
            yield house, folder, opened[0]


@pytest.fixture
def team(shared: tuple[House, Path, Settings]) -> Team:
    """The calendars as they are at first, and a channel in which nothing was said."""
    house, folder, settings = shared
    review = new_appointment("review", "Quarterly review", START, START + HOUR, stamp=START)
    daily = new_appointment("daily", "Daily", START - 2 * HOUR, START - HOUR, stamp=START, rule="FREQ=DAILY;COUNT=5")
    for file in folder.glob("*/*.ics"):
        file.unlink()
    for name in ("anna", "ben"):
        (folder / name / "review.ics").write_text(review, newline="")
    (folder / "anna" / "daily.ics").write_text(daily, newline="")
    return Team(Canteen(house, folder / "unused"), folder, settings)


def test_a_move_waits_for_its_asker_and_is_made_once(team: Team) -> None:
    before = team.starts("anna")
    waiting = team.chat.order(MOVE)
    assert team.starts("anna") == before
    team.chat.press(waiting, action_ids.CONFIRM, "maya")
    wait_for(lambda: len(team.chat.notes()) == 1)
    assert team.chat.house.asked == []
    assert team.starts("anna") == before
    team.chat.keep_buttons()
    team.confirm(waiting)
    moved = ("Quarterly review", datetime(LATER.year, LATER.month, LATER.day, 15, tzinfo=UTC))
    assert moved in team.starts("anna")
    assert team.starts("ben") == [moved]
    team.chat.press(waiting, action_ids.CONFIRM)
    wait_for(lambda: any("decided already" in note for note in team.chat.notes()))
    team.chat.work()
    assert team.starts("ben") == [moved]
    assert "SEQUENCE:1" in (team.folder / "ben" / "review.ics").read_text()


def test_a_new_appointment_stands_in_both_calendars_with_its_conflict_told(team: Team) -> None:
    waiting = team.chat.order(f"book a budget chat with Ben on {DAY} at 10:15 for 30 minutes")
    assert "Quarterly review" in team.chat.said()
    team.confirm(waiting)
    for name in ("anna", "ben"):
        (found,) = [o for o in team.held(name) if o.title == "Budget chat"]
        assert (found.start, found.end - found.start) == (START + HOUR / 4, HOUR / 2)


def test_declined_is_declined(team: Team) -> None:
    before = team.starts("anna")
    waiting = team.chat.order("cancel the quarterly review")
    team.chat.press(waiting, action_ids.DECLINE)
    wait_for(lambda: not buttons(team.chat.now(waiting)))
    team.chat.work()
    assert team.starts("anna") == before


def test_one_of_a_series_is_cancelled_alone(team: Team) -> None:
    waiting = team.chat.order(f"cancel the daily on {DAY}")
    team.confirm(waiting)
    daily = [start for title, start in team.starts("anna") if title == "Daily"]
    assert daily == [START - 2 * HOUR + timedelta(days=i) for i in range(1, 5)]


def test_which_of_a_series_is_asked_back(team: Team) -> None:
    team.chat.house.slack.ask(team.chat.channel, "@oracle cancel the daily")
    wait_for(lambda: team.chat.house.asked)
    team.chat.work()
    said = team.chat.said().lower()
    assert all(scope in said for scope in ("only this one", "this and all following", "the whole series"))
    assert not [m for m in team.chat.house.ours(team.chat.channel) if buttons(m)]


@pytest.mark.parametrize("name", ["anna", "ben"])
def test_what_was_changed_meanwhile_stays_in_all_calendars(team: Team, name: str) -> None:
    waiting = team.chat.order(MOVE)
    file = team.folder / name / "review.ics"
    file.write_text(file.read_text().replace("Quarterly review", "Yearly review"), newline="")
    before = [(n, (team.folder / n / "review.ics").read_bytes()) for n in ("anna", "ben")]
    team.confirm(waiting)
    assert [(n, (team.folder / n / "review.ics").read_bytes()) for n in ("anna", "ben")] == before
    assert "changed meanwhile; nothing was changed" in team.chat.said()


def test_another_process_makes_what_was_proposed_before_it_was_started(team: Team) -> None:
    waiting = team.chat.order(MOVE)
    team.chat.press(waiting, action_ids.CONFIRM)
    wait_for(lambda: team.chat.house.asked)
    oracle = build_engine(team.settings)
    worker = build_worker_context(oracle, ServiceMetrics(oracle.metrics))
    try:
        take(worker, team.chat.house.asked.pop(0))
    finally:
        worker.board.close()
        oracle.close()
    assert team.starts("ben")[0][1].hour == 15


def test_a_calendar_that_cannot_be_written_at_the_end_leaves_the_others_as_they_were(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = team.chat.order(MOVE)
    before = team.starts("anna")
    written = FolderStore.replace

    def fails(store: FolderStore, href: str, data: bytes) -> None:
        if store.folder.name == "ben":
            raise OSError(28, "No space left on device")
        written(store, href, data)

    monkeypatch.setattr(FolderStore, "replace", fails)
    team.confirm(waiting)
    assert team.starts("anna") == before
    assert "No space left" in team.chat.said()


def test_a_slow_calendar_is_said_to_be_late(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    between = Snapshot.between

    def slow(snapshot: Snapshot, start: datetime, end: datetime) -> list[Occurrence]:
        if end - start < timedelta(days=4):
            time.sleep(3)
        return between(snapshot, start, end)

    monkeypatch.setattr(Snapshot, "between", slow)
    team.chat.house.slack.ask(team.chat.channel, "@oracle what is on my calendar tomorrow?")
    wait_for(lambda: team.chat.house.asked)
    team.chat.work()
    assert "did not answer" in team.chat.said()
