"""CalDAV against a real Radicale: reading, renewing by ETag, writing with If-Match, free-busy."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.support.radicale_server import PASSWORD, USER, make_calendar, run_radicale
from workers.agents.calendar.source.caldav_store import CaldavStore, open_client
from workers.agents.calendar.source.calendar_copy import CalendarCopy
from workers.agents.calendar.source.calendar_store import CalendarConflict
from workers.agents.calendar.source.calendar_texts import new_appointment
from workers.agents.calendar.source.calendar_writing import Change, Target, make_change
from workers.agents.calendar.source.icalendar_objects import Owner, name_start
from workers.errors import ToolUnavailable

START = (datetime.now(UTC) + timedelta(days=2)).replace(hour=9, minute=0, second=0, microsecond=0)
HOUR = timedelta(hours=1)


@pytest.fixture(scope="module")
def radicale(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with run_radicale(tmp_path_factory.mktemp("radicale")) as url:
        yield url


def store_of(url: str, *, free_busy: bool = False, password: str = PASSWORD) -> CaldavStore:
    return CaldavStore(url, open_client(url, USER, password, "", 5.0), writable=True, free_busy=free_busy)


@pytest.fixture
def url(radicale: str, request: pytest.FixtureRequest) -> str:
    return make_calendar(radicale, request.node.name.replace("_", "-")[:60])


@pytest.fixture
def copy(url: str) -> Iterator[CalendarCopy]:
    with ThreadPoolExecutor() as pool:
        yield CalendarCopy(store_of(url), Owner("work", "Anna", UTC), 0.0, pool)


def weekly(uid: str = "sync") -> str:
    return new_appointment(uid, "Sync", START, START + HOUR, stamp=START, rule="FREQ=WEEKLY;COUNT=6")


def test_what_changed_on_the_server_is_read_and_the_rest_is_kept(copy: CalendarCopy) -> None:
    copy.store.put("a.ics", weekly("a"), "")
    copy.store.put("b.ics", weekly("b"), "")
    copy.renew()
    assert copy.snapshot is not None
    assert copy.failure == ""
    first = {r.href.rsplit("/", 1)[1]: r for r in copy.snapshot.resources.values()}
    assert set(first) == {"a.ics", "b.ics"}
    assert len(copy.snapshot.between(START, START + timedelta(days=8))) == 4
    copy.store.put("b.ics", weekly("b").replace("SUMMARY:Sync", "SUMMARY:Other"), first["b.ics"].version)
    copy.renew()
    second = {r.href.rsplit("/", 1)[1]: r for r in copy.snapshot.resources.values()}
    assert second["a.ics"] is first["a.ics"]
    assert second["b.ics"].version != first["b.ics"].version
    copy.store.delete("a.ics", first["a.ics"].version)
    copy.renew()
    assert [o.title for o in copy.snapshot.between(START, START + HOUR)] == ["Other"]


def test_a_change_is_made_once_and_read_back(copy: CalendarCopy) -> None:
    copy.store.put("sync.ics", weekly(), "")
    copy.renew()
    assert copy.snapshot is not None
    (resource,) = copy.snapshot.resources.values()
    second = START + timedelta(weeks=1)
    change = Change("move", "sync", "Sync", name_start(second, UTC), "this", second + HOUR, second + 2 * HOUR)
    target = Target("work", "Anna", resource.href, resource.version)
    shown = make_change({"work": copy}, change, [target], START)
    assert shown is not None
    assert shown.start == second + HOUR
    with pytest.raises(CalendarConflict):
        make_change({"work": copy}, change, [target], START)
    copy.renew()
    assert [o.start for o in copy.snapshot.between(START, START + timedelta(weeks=3))] == [
        START, second + HOUR, START + timedelta(weeks=2)
    ]  # fmt: skip


def test_what_somebody_changed_meanwhile_stays(copy: CalendarCopy) -> None:
    version = copy.store.put("sync.ics", weekly(), "")
    theirs = weekly().replace("SUMMARY:Sync", "SUMMARY:Theirs")
    copy.store.put("sync.ics", theirs, version)
    for write in (
        lambda: copy.store.put("sync.ics", weekly(), version),
        lambda: copy.store.delete("sync.ics", version),
    ):
        with pytest.raises(CalendarConflict):
            write()
    held = copy.store.get("sync.ics")
    assert held is not None
    assert "SUMMARY:Theirs" in held.text


def test_a_parted_series_is_two_resources(copy: CalendarCopy) -> None:
    copy.store.put("sync.ics", weekly(), "")
    copy.renew()
    assert copy.snapshot is not None
    (resource,) = copy.snapshot.resources.values()
    third = START + timedelta(weeks=2)
    change = Change("move", "sync", "Sync", name_start(third, UTC), "following", third + HOUR, third + 2 * HOUR)
    make_change({"work": copy}, change, [Target("work", "Anna", resource.href, resource.version)], START)
    copy.renew()
    found = [o.start for o in copy.snapshot.between(START, START + timedelta(weeks=8))]
    weeks = [START + timedelta(weeks=i) for i in range(6)]
    assert found == [w if w < third else w + HOUR for w in weeks]
    assert len(copy.snapshot.resources) == 2


def test_busy_times_alone_are_read_where_no_more_is_asked_for(url: str, copy: CalendarCopy) -> None:
    copy.store.put("sync.ics", weekly(), "")
    busy = CalendarCopy(store_of(url, free_busy=True), Owner("work", "Anna", UTC), 0.0, copy.pool)
    busy.renew()
    assert busy.failure == ""
    assert busy.snapshot is not None
    (first, *_) = busy.snapshot.between(START, START + timedelta(days=8))
    assert (first.start, first.end, first.title) == (START, START + HOUR, "busy")
    assert not busy.store.writable


def test_a_wrong_password_and_a_server_that_is_gone_are_said(url: str) -> None:
    with pytest.raises(ToolUnavailable):
        store_of(url, password="wrong").read({})
    with pytest.raises(ToolUnavailable):
        store_of("http://127.0.0.1:1/none/").read({})


def test_no_resource_of_another_server_is_asked_for(url: str) -> None:
    with pytest.raises(ToolUnavailable):
        store_of(url).get("http://other.example/x.ics")


def test_the_calendar_of_a_folder_that_is_read_only_says_so(tmp_path: Path) -> None:
    store = CaldavStore("http://127.0.0.1:1/", open_client("http://127.0.0.1:1/", "", "", "t", 1.0), writable=False)
    assert not store.writable
    assert not store.schedules
