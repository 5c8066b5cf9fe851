"""Feedback, channel settings, declared incidents and sources, the same on SQLite and on PostgreSQL."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import update

from workers.errors import StoreUnavailable
from workers.store import channels
from workers.store.channels import (
    DEFAULT,
    ChannelSettings,
    change_channel,
    changed_channels,
    channel_settings,
    forget_channels,
)
from workers.store.database import Database, open_database
from workers.store.feedback import Tally, feedback_of, save_feedback, tally
from workers.store.incidents import (
    active_incident,
    active_incidents,
    incidents_since,
    open_incident,
    place_incident,
    reopen_incident,
    resolve_incident,
    withdraw_incident,
)
from workers.store.source_refreshes import list_sources, record_sources
from workers.store.tables import channel_settings as settings_table

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
QUIET = ChannelSettings(mode="threads", agent="research", verbosity="full")


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.servers)])
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    opened = open_database(request.getfixturevalue(f"{request.param}_store"))
    yield opened
    opened.close()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock that settings are remembered by; its one value is the time, in seconds."""
    now = [1_000.0]
    monkeypatch.setattr(channels, "monotonic", lambda: now[0])
    return now


def behind_the_back(database: Database, **columns: str) -> None:
    """Another process changes every channel."""
    with database.begin(exclusive=True) as connection:
        connection.execute(update(settings_table).values(**columns))


# --- feedback -------------------------------------------------------------------------------------------------


def test_the_newest_word_of_each_person_counts(database: Database) -> None:
    save_feedback(database, "r1", "T1", "U1", "bad", "wrong", "no such deploy", at=NOON)
    save_feedback(database, "r1", "T1", "U2", "good", at=NOON)
    assert tally(database, 1, now=NOON + HOUR) == Tally(good=1, bad=1, reasons=(("wrong", 1),))
    save_feedback(database, "r1", "T1", "U1", "good", at=NOON + HOUR)
    save_feedback(database, "r1", "T1", "U1", "bad", "late", at=NOON)
    assert tally(database, 1, now=NOON + HOUR) == Tally(good=2, bad=0)


def test_a_tally_is_of_days_and_of_a_workspace(database: Database) -> None:
    save_feedback(database, "r1", "T1", "U1", "bad", "slow", at=NOON)
    save_feedback(database, "r2", "T1", "U1", "bad", "wrong", at=NOON)
    save_feedback(database, "r3", "T1", "U1", "bad", "wrong", at=NOON)
    save_feedback(database, "r4", "T2", "U9", "good", at=NOON)
    save_feedback(database, "r5", "T1", "U1", "good", at=NOON - 30 * HOUR)
    assert tally(database, 1, now=NOON) == Tally(good=1, bad=3, reasons=(("wrong", 2), ("slow", 1)))
    assert tally(database, 2, team="T1", now=NOON) == Tally(good=1, bad=3, reasons=(("wrong", 2), ("slow", 1)))
    assert tally(database, 1, team="T2", now=NOON) == Tally(good=1)
    assert feedback_of(database, ["r1", "r4", "r5"]) == Tally(good=2, bad=1, reasons=(("slow", 1),))
    assert feedback_of(database, []) == Tally()


# --- channel settings -----------------------------------------------------------------------------------------


def test_a_channel_nobody_changed_answers_mentions(database: Database) -> None:
    assert channel_settings(database, "T1", "C1") == DEFAULT == ChannelSettings("mentions", "", "short")
    assert channel_settings(database, "T1", "C1").mode == "mentions"
    assert changed_channels(database, "T1") == ()


def test_this_process_sees_its_own_change_at_once(database: Database) -> None:
    assert channel_settings(database, "T1", "C1").mode == "mentions"
    change_channel(database, "T1", "C1", QUIET, "U1")
    assert channel_settings(database, "T1", "C1") == QUIET
    assert channel_settings(database, "T2", "C1").mode == "mentions", "another workspace"
    [changed] = changed_channels(database, "T1")
    assert (changed.channel, changed.settings, changed.changed_by) == ("C1", QUIET, "U1")
    change_channel(database, "T1", "C1", DEFAULT, "U2")
    assert channel_settings(database, "T1", "C1") == DEFAULT
    assert changed_channels(database, "T1") == ()


def test_another_process_s_change_is_seen_after_a_moment(database: Database, clock: list[float]) -> None:
    change_channel(database, "T1", "C1", QUIET, "U1")
    assert channel_settings(database, "T1", "C1").mode == "threads"
    behind_the_back(database, mode="off")
    clock[0] += channels.KEPT_S - 1
    assert channel_settings(database, "T1", "C1").mode == "threads", "remembered"
    clock[0] += 2
    assert channel_settings(database, "T1", "C1").mode == "off"
    assert channels.KEPT_S <= 30


def test_what_was_read_before_a_change_is_not_remembered_after_it(database: Database) -> None:
    memory = channels.remembered(database)
    _, writes = memory.get(("T1", "C1"))
    change_channel(database, "T1", "C1", QUIET, "U1")
    memory.put(("T1", "C1"), DEFAULT, writes)
    assert channel_settings(database, "T1", "C1") == QUIET


def test_what_is_remembered_is_bounded(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels, "KEPT_MOST", 3)
    change_channel(database, "T1", "C0", QUIET, "U1")
    for number in range(9):
        channel_settings(database, "T1", f"C{number}")
    assert list(channels.remembered(database).rows) == [("T1", "C6"), ("T1", "C7"), ("T1", "C8")]
    assert channel_settings(database, "T1", "C0").mode == "threads"


def test_a_workspace_s_settings_are_forgotten_together(database: Database) -> None:
    for team, channel in (("T1", "C1"), ("T1", "C2"), ("T2", "C1")):
        change_channel(database, team, channel, QUIET, "U1")
    assert channel_settings(database, "T1", "C1").mode == "threads"
    assert forget_channels(database, "T1") == 2
    assert channel_settings(database, "T1", "C1").mode == "mentions"
    assert channel_settings(database, "T2", "C1").mode == "threads"


# --- incidents ------------------------------------------------------------------------------------------------


def test_one_incident_at_a_time_in_a_channel(database: Database) -> None:
    first = open_incident(database, "T1", "C1", "Checkout errors", "U1", at=NOON)
    assert first is not None
    assert open_incident(database, "T1", "C1", "again", "U2") is None
    assert open_incident(database, "T1", "C2", "elsewhere", "U2", "9.9", at=NOON + HOUR) is not None
    assert open_incident(database, "T2", "C1", "another workspace", "U2") is not None
    place_incident(database, first, "100.1")
    found = active_incident(database, "T1", "C1")
    assert found is not None
    assert (found.id, found.title, found.ts, found.opened_by, found.opened_at) == (
        first,
        "Checkout errors",
        "100.1",
        "U1",
        NOON,
    )
    assert [i.title for i in active_incidents(database, "T1")] == ["Checkout errors", "elsewhere"]


def test_an_incident_is_resolved_once_and_another_may_follow(database: Database) -> None:
    assert resolve_incident(database, "T1", "C1", "U1") is None
    opened = open_incident(database, "T1", "C1", "Checkout errors", "U1", at=NOON)
    ended = resolve_incident(database, "T1", "C1", "U2", at=NOON + HOUR, note="rolled back")
    assert ended is not None
    assert ended.note == "rolled back"
    assert (ended.id, ended.status, ended.resolved_by, ended.resolved_at) == (opened, "resolved", "U2", NOON + HOUR)
    assert resolve_incident(database, "T1", "C1", "U2") is None
    assert active_incident(database, "T1", "C1") is None
    assert open_incident(database, "T1", "C1", "once more", "U1") is not None


def test_a_resolved_incident_goes_on_unless_another_does(database: Database) -> None:
    first = open_incident(database, "T1", "C1", "Checkout errors", "U1", at=NOON)
    assert first is not None
    resolve_incident(database, "T1", "C1", "", at=NOON + HOUR)
    assert reopen_incident(database, first)
    again = active_incident(database, "T1", "C1")
    assert again is not None
    assert (again.id, again.resolved_by, again.resolved_at) == (first, "", None)
    resolve_incident(database, "T1", "C1", "", at=NOON + HOUR)
    open_incident(database, "T1", "C1", "Search is slow", "U1")
    assert not reopen_incident(database, first)
    assert not reopen_incident(database, first + 99)


def test_two_who_declare_at_once_open_one(database: Database) -> None:
    gate = threading.Barrier(6)

    def declare(number: int) -> int | None:
        gate.wait()
        return open_incident(database, "T1", "C1", f"by {number}", f"U{number}")

    with ThreadPoolExecutor(6) as pool:
        opened = list(pool.map(declare, range(6)))
    assert len([one for one in opened if one is not None]) == 1
    assert len(active_incidents(database, "T1")) == 1


def test_an_incident_that_nobody_could_be_told_of_is_withdrawn(database: Database) -> None:
    opened = open_incident(database, "T1", "C1", "x", "U1")
    assert opened is not None
    withdraw_incident(database, opened)
    assert active_incident(database, "T1", "C1") is None


def test_what_happened_in_a_channel_since_a_moment(database: Database) -> None:
    for number, title in enumerate(("old", "long", "open")):
        open_incident(database, "T1", "C1", title, "U1", at=NOON + number * HOUR)
        if title != "open":
            resolve_incident(database, "T1", "C1", "U1", at=NOON + (number * 4 + 1) * HOUR)
    open_incident(database, "T1", "C2", "elsewhere", "U1", at=NOON + 4 * HOUR)
    since = incidents_since(database, "T1", "C1", NOON + 4 * HOUR)
    assert [i.title for i in since] == ["long", "open"]


# --- sources --------------------------------------------------------------------------------------------------


def test_a_source_that_fails_keeps_when_it_was_last_read(database: Database) -> None:
    said = [("repo_search", "shop at 4f2c1ab, 42 files indexed", True), ("doc_search", "docs: 12 documents", True)]
    assert record_sources(database, said, at=NOON) == ("doc_search", "repo_search")
    record_sources(database, [("repo_search", "shop cannot be read", False), said[1]], at=NOON + HOUR)
    docs, repo = list_sources(database)
    assert (docs.name, docs.ok, docs.checked_at, docs.fresh_at) == ("doc_search", True, NOON + HOUR, NOON + HOUR)
    assert (repo.lines, repo.ok) == ((("shop cannot be read", False),), False)
    assert (repo.checked_at, repo.fresh_at) == (NOON + HOUR, NOON)


def test_the_lines_of_one_tool_are_kept_together_and_one_error_is_trouble(database: Database) -> None:
    record_sources(database, [("repo_search", "shop at 4f2c1ab", True), ("repo_search", "pay: gone", False)], at=NOON)
    [source] = list_sources(database)
    assert source.lines == (("shop at 4f2c1ab", True), ("pay: gone", False))
    assert (source.ok, source.fresh_at) == (False, None)


def test_a_source_that_is_not_named_any_more_is_forgotten(database: Database) -> None:
    record_sources(database, [("a", "1", True), ("b", "2", True)])
    assert record_sources(database, [("b", "3", True)]) == ("b",)
    assert [(s.name, s.lines) for s in list_sources(database)] == [("b", (("3", True),))]
    assert record_sources(database, []) == ()
    assert list_sources(database) == ()


# --- words ----------------------------------------------------------------------------------------------------

WORDS = st.text(max_size=500) | st.text(st.characters(categories=("Cs", "Cc", "So")), max_size=5_000)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(WORDS)
def test_whatever_people_write_can_be_kept(database: Database, words: str) -> None:
    save_feedback(database, "r1", "T1", "U1", "bad", words, words)
    opened = open_incident(database, "T1", "C1", words, "U1")
    found = active_incident(database, "T1", "C1")
    assert opened is not None
    assert found is not None
    assert found.id == opened
    assert len(found.title) == min(len(words), 300)
    withdraw_incident(database, opened)
    assert record_sources(database, [("x", words, True)]) == ("x",)


def test_a_database_that_is_gone_is_unavailable(tmp_path: Path) -> None:
    gone = open_database(f"sqlite:///{tmp_path / 'empty.db'}")
    for attempt in (
        lambda: channel_settings(gone, "T1", "C1"),
        lambda: active_incidents(gone, "T1"),
        lambda: list_sources(gone),
        lambda: tally(gone, 1),
    ):
        with pytest.raises(StoreUnavailable):
            attempt()
    gone.close()
