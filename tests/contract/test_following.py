"""Followed channels, their messages and what people correct, the same on SQLite and on PostgreSQL."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select, update

from tests.support.channel_changes import record_change
from workers.contracts import Change, ChannelMessage, Correction, Deleted, Page, Reacted, Written, moment_of
from workers.errors import LeaseLost
from workers.requests.ledger import Ledger
from workers.settings.schema import WorkerSection
from workers.store import channel_messages
from workers.store import followed_channels as following
from workers.store.channel_leases import (
    CHANNELS,
    keep_page,
    release_channel,
    write_channel,
)
from workers.store.channel_messages import (
    load_messages,
    save_name,
    set_unread,
    unknown_names,
    unread_thread,
)
from workers.store.connection_heartbeat import DEAF_S, note_connection
from workers.store.database import Database, open_database
from workers.store.followed_channels import (
    follow_declared,
    followed,
    is_listening,
    make_due,
    note_channel,
    pause_channel,
    stop_following,
)
from workers.store.incidents import open_incident, resolve_incident
from workers.store.tables import channel_looks as looks_table
from workers.store.tables import channel_messages as messages_table
from workers.store.tables import channel_reactions as reactions_table
from workers.store.tables import followed_channels, hearing
from workers.store.tables import incident_channels as incidents_table
from workers.store.tables import incident_corrections as corrections_table
from workers.store.tables import unasked as unasked_table
from workers.store.timeline_corrections import correct, corrections_of, note_look
from workers.store.unprompted_posts import give_back, is_paused, take_turn, turn_in_s, wants_nothing

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
HERE = "T1", "C1"
FIRST, SECOND = "1763632330.000100", "1763632340.000100"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.servers)])
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    opened = open_database(request.getfixturevalue(f"{request.param}_store"))
    yield opened
    opened.close()


def written(text: str = "hello", ts: str = FIRST, version: float = 0.0, thread_ts: str = "", **more: object) -> Written:
    said = {"ts": ts, "user": "U1ABC", "text": text, "thread_ts": thread_ts, **more}
    return Written(ChannelMessage(**said), version or float(ts))


def record(database: Database, change: Change, settle_s: float = 15, every_s: float = 300) -> bool:
    return record_change(
        database, *HERE, change, lambda t: t.replace("hunter2", "…"), settle_s=settle_s, every_s=every_s
    )


def texts(database: Database) -> list[str]:
    return [message.text for message in load_messages(database, *HERE)]


def shown(database: Database) -> None:
    """A worker has read everything and shown a summary."""
    held = CHANNELS.claim(database, HERE, 20)
    assert held is not None
    held = write_channel(database, held, state="following", read_done=True, shown_at=1.0, summary="{}")
    release_channel(database, held)


def past(database: Database, **columns: float) -> None:
    with database.begin(exclusive=True) as connection:
        connection.execute(update(followed_channels).values(**columns))


# --- messages -----------------------------------------------------------------------------------------------------


def test_messages_come_back_in_order_with_names_and_without_secrets(database: Database) -> None:
    save_name(database, "T1", "U1ABC", "Maya")
    save_name(database, "T2", "U1ABC", "someone else")
    record(database, written("ask @U1ABC, the password is hunter2", SECOND, files=("hunter2.txt",), thread_ts=FIRST))
    record(database, written("first", FIRST, bot=True, name="ci"))
    first, second = load_messages(database, *HERE)
    assert (first.text, first.name, first.bot, first.ts) == ("first", "ci", True, FIRST)
    assert (second.text, second.name, second.files) == ("ask @Maya, the password is …", "Maya", ("….txt",))
    assert second.thread_ts == FIRST
    assert load_messages(database, *HERE, since_ts=SECOND) == (second,)
    assert load_messages(database, "T1", "C2") == ()


def test_an_edit_that_comes_first_wins_and_a_deletion_stays(database: Database) -> None:
    record(database, written("after", version=float(FIRST) + 60))
    record(database, written("before"))
    assert texts(database) == ["after"]
    record(database, Deleted(FIRST))
    record(database, written("later", version=float(FIRST) + 90))
    assert texts(database) == []


def test_a_deletion_before_its_message(database: Database) -> None:
    record(database, Deleted(FIRST))
    record(database, written())
    assert texts(database) == []


def test_reactions_in_the_order_they_were_added(database: Database) -> None:
    record(database, Reacted(FIRST, "eyes", "U3", added=True, at=30.0))
    record(database, Reacted(FIRST, "eyes", "U2", added=True, at=20.0))
    record(database, Reacted(FIRST, "+1", "U2", added=True, at=10.0))
    record(database, Reacted(FIRST, "+1", "U2", added=False, at=40.0))
    record(database, written(reactions={"eyes": ("U1",), "+1": ("U2",)}))
    (message,) = load_messages(database, *HERE)
    assert message.reactions == {"eyes": ("U1", "U2", "U3")}


CHANGES: tuple[Change, ...] = (
    written("one"),
    written("one, as history has it", version=float(FIRST) + 1, reactions={"eyes": ("U1", "U2")}),
    written("one, edited", version=float(FIRST) + 2, edited_at=moment_of(FIRST) + timedelta(seconds=2)),
    written("two", SECOND),
    written("two, edited", SECOND, version=float(SECOND) + 5, edited_at=moment_of(SECOND) + timedelta(seconds=5)),
    Deleted(SECOND),
    written("three", "1763632350.000100", thread_ts=FIRST),
    Reacted(FIRST, "eyes", "U1", added=False, at=float(FIRST) + 3),
    Reacted(FIRST, "fire", "U2", added=True, at=float(FIRST) + 4),
    Reacted(FIRST, "fire", "U2", added=False, at=float(FIRST) + 5),
    Reacted(FIRST, "fire", "U2", added=True, at=float(FIRST) + 6),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.randoms(use_true_random=False), often=st.integers(1, 3))
def test_any_order_and_any_repetition_end_the_same(database: Database, order: random.Random, often: int) -> None:
    channel = f"C{order.getrandbits(40)}"
    news = [*CHANGES] * often
    order.shuffle(news)
    for change in news:
        record_change(database, "T1", channel, change, str, settle_s=1, every_s=1)
    found = load_messages(database, "T1", channel)
    edited_at = moment_of(FIRST) + timedelta(seconds=2)
    assert [(m.text, m.edited_at) for m in found] == [("one, edited", edited_at), ("three", None)]
    assert found[0].reactions == {"eyes": ("U2",), "fire": ("U2",)}


def test_threads_that_are_not_read_yet(database: Database) -> None:
    record(database, written(ts=FIRST))
    record(database, written(ts=SECOND))
    assert unread_thread(database, *HERE) is None
    with database.begin(exclusive=True) as connection:
        for root in (FIRST, SECOND):
            set_unread(connection, *HERE, root, "")
    assert unread_thread(database, *HERE) == (SECOND, "")
    with database.begin(exclusive=True) as connection:
        set_unread(connection, *HERE, SECOND, None)
        set_unread(connection, *HERE, FIRST, SECOND)
    record(database, written("edited", version=float(SECOND)))
    assert unread_thread(database, *HERE) == (FIRST, SECOND)


def test_a_thread_on_a_message_of_our_own_is_read_though_the_message_is_not_kept(database: Database) -> None:
    with database.begin(exclusive=True) as connection:
        set_unread(connection, *HERE, FIRST, "")
    assert unread_thread(database, *HERE) == (FIRST, "")
    assert load_messages(database, *HERE) == ()


def test_names_are_asked_for_again_after_a_while(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    save_name(database, "T1", "U1", "Maya")
    save_name(database, "T1", "U2", "")
    assert unknown_names(database, "T1", ["U1", "U2", "U3", "U3"]) == ("U3",)
    monkeypatch.setattr(channel_messages, "UNNAMED_S", -1.0)
    assert unknown_names(database, "T1", ["U1", "U2"]) == ("U2",)


# --- what is followed ---------------------------------------------------------------------------------------------


def test_a_found_channel_is_listened_to_at_once(database: Database) -> None:
    assert not is_listening(database, *HERE)
    note_channel(database, *HERE, "inc-42")
    assert is_listening(database, *HERE)
    assert not is_listening(database, "T2", "C1")
    assert CHANNELS.sweep(database) == (HERE,)
    assert CHANNELS.sweep(database) == (), "told a moment ago"
    found = followed(database, *HERE)
    assert found is not None
    assert (found.name, found.state, found.read_done) == ("inc-42", "found", False)


def test_a_channel_that_was_left_is_read_anew(database: Database) -> None:
    note_channel(database, *HERE)
    record(database, written())
    shown(database)
    assert stop_following(database, *HERE, "left")
    assert not stop_following(database, *HERE, "left")
    assert not is_listening(database, *HERE)
    assert CHANNELS.claim(database, HERE, 20) is None
    note_channel(database, *HERE)
    found = followed(database, *HERE)
    assert found is not None
    assert (found.state, found.read_done, found.summary) == ("found", False, "")
    assert texts(database) == [], "there are gaps in what was kept"


def test_that_a_channel_is_followed_is_remembered_for_a_moment(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(following, "monotonic", lambda: now[0])
    note_channel(database, *HERE)
    assert is_listening(database, *HERE)
    with database.begin(exclusive=True) as connection:  # another process
        connection.execute(update(followed_channels).values(state="left"))
    assert is_listening(database, *HERE)
    now[0] += following.KEPT_S
    assert not is_listening(database, *HERE)
    follow_declared(database, *HERE, FIRST)
    assert is_listening(database, *HERE)


def test_a_declared_channel_is_followed_from_its_moment(database: Database) -> None:
    follow_declared(database, *HERE, FIRST)
    found = followed(database, *HERE)
    assert found is not None
    assert (found.why, found.state, found.since_ts) == ("declared", "following", FIRST)


def test_a_declaration_in_a_followed_channel_changes_why_of_none(database: Database) -> None:
    note_channel(database, *HERE, "inc-42")
    shown(database)
    record(database, written())
    past(database, due_at=1e12)
    with database.begin(exclusive=True) as connection:
        connection.execute(update(followed_channels).values(why="name"))
    follow_declared(database, *HERE, SECOND)
    found = followed(database, *HERE)
    assert found is not None
    assert (found.why, found.since_ts) == ("name", "")
    assert texts(database) == ["hello"]
    assert CHANNELS.claim(database, HERE, 20) is not None


def test_a_paused_channel_is_listened_to(database: Database) -> None:
    follow_declared(database, *HERE, "")
    assert pause_channel(database, *HERE, paused=True)
    assert not pause_channel(database, *HERE, paused=True)
    assert is_listening(database, *HERE)
    assert not make_due(database, *HERE)
    assert not take_turn(database, *HERE, 1, "r1")
    assert pause_channel(database, *HERE, paused=False)
    assert make_due(database, *HERE)


def test_a_channel_without_an_incident_is_paused_and_goes_on(database: Database) -> None:
    assert not pause_channel(database, *HERE, paused=False)
    assert pause_channel(database, *HERE, paused=True)
    assert not pause_channel(database, *HERE, paused=True)
    assert followed(database, *HERE) is None, "nobody reads it for that"
    assert is_paused(database, *HERE)
    assert not is_paused(database, "T2", "C1")
    assert wants_nothing(database, *HERE)
    assert not take_turn(database, *HERE, 1, "r1")
    assert pause_channel(database, *HERE, paused=False)
    assert not wants_nothing(database, *HERE)
    assert take_turn(database, *HERE, 1, "r1")


def test_a_pause_outlasts_what_is_found_but_no_declaration(database: Database) -> None:
    pause_channel(database, *HERE, paused=True)
    note_channel(database, *HERE)
    stop_following(database, *HERE, "left")
    assert is_paused(database, *HERE)
    follow_declared(database, *HERE, "")
    assert not is_paused(database, *HERE)


def test_something_unasked_is_said_once_an_hour(database: Database) -> None:
    assert turn_in_s(database, *HERE, 1) == 0
    assert not take_turn(database, *HERE, 0, "r1")
    assert take_turn(database, *HERE, 1, "r1")
    assert not take_turn(database, *HERE, 1, "r2")
    assert take_turn(database, *HERE, 1, "r1"), "it has it already"
    assert take_turn(database, "T1", "C2", 1, "r2")
    assert 1_700 < (turn_in_s(database, *HERE, 2) or 0) <= 1_800
    assert turn_in_s(database, *HERE, 0) is None
    with database.begin(exclusive=True) as connection:
        connection.execute(update(unasked_table).values(spoke_at=1.0))
    assert turn_in_s(database, *HERE, 1) == 0
    assert take_turn(database, *HERE, 1, "r2")
    assert not take_turn(database, *HERE, 1, "r1"), "another took it since"


def test_who_says_nothing_gives_its_turn_back(database: Database) -> None:
    assert take_turn(database, *HERE, 1, "r1")
    give_back(database, *HERE, "r2")
    assert not take_turn(database, *HERE, 1, "r2"), "it was not its own"
    give_back(database, *HERE, "r1")
    assert take_turn(database, *HERE, 1, "r2")


def test_one_of_many_at_the_same_moment_has_the_turn(database: Database) -> None:
    barrier, taken = threading.Barrier(8), list[bool]()

    def ask(request_id: str) -> None:
        barrier.wait()
        taken.append(take_turn(database, *HERE, 1, request_id))

    threads = [threading.Thread(target=ask, args=(f"r{i}",)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == [False] * 7 + [True]


# --- when its summary is due --------------------------------------------------------------------------------------


def test_the_first_summary_is_due_at_once_and_later_ones_when_it_is_quiet(database: Database) -> None:
    note_channel(database, *HERE)
    assert record(database, written())
    shown(database)
    assert CHANNELS.sweep(database) == ()
    assert not record(database, written("again", SECOND))
    assert CHANNELS.claim(database, HERE, 20) is None
    assert record(database, written("third", SECOND), settle_s=0), "it is quiet"
    assert CHANNELS.claim(database, HERE, 20) is not None


def test_a_channel_that_is_never_quiet_has_its_summary_in_time(database: Database) -> None:
    note_channel(database, *HERE)
    shown(database)
    assert not record(database, written("one", FIRST), settle_s=1_000, every_s=500)
    past(database, dirty_at=1.0)
    assert record(database, written("two", SECOND), settle_s=1_000, every_s=500)


def test_what_comes_while_it_is_tended_is_seen_next_time(database: Database) -> None:
    note_channel(database, *HERE)
    held = CHANNELS.claim(database, HERE, 20)
    assert held is not None
    record(database, written(), settle_s=0)
    release_channel(database, held)
    held = CHANNELS.claim(database, HERE, 20)
    assert held is not None
    release_channel(database, held)
    assert CHANNELS.claim(database, HERE, 20) is None
    found = followed(database, *HERE)
    assert found is not None
    assert found.dirty == found.seen == 1


def test_what_comes_while_a_channel_is_tended_is_not_put_off(database: Database) -> None:
    note_channel(database, *HERE)
    held = CHANNELS.claim(database, HERE, 20)
    assert held is not None
    release_channel(database, held, again_s=1_800)
    assert CHANNELS.claim(database, HERE, 20) is None
    past(database, due_at=1.0)
    held = CHANNELS.claim(database, HERE, 20)
    assert held is not None
    record(database, written(), settle_s=0)
    release_channel(database, held, again_s=1_800)
    assert CHANNELS.claim(database, HERE, 20) is not None


def test_a_lease_is_one_workers_until_it_ends(database: Database) -> None:
    note_channel(database, *HERE)
    first = CHANNELS.claim(database, HERE, 20)
    assert first is not None
    assert CHANNELS.claim(database, HERE, 20) is None
    CHANNELS.renew(database, first, 20)
    past(database, lease_until=1.0)
    assert CHANNELS.sweep(database) == (HERE,)
    second = CHANNELS.claim(database, HERE, 20)
    assert second is not None
    for write in (release_channel, lambda d, h: CHANNELS.renew(d, h, 20), lambda d, h: CHANNELS.postpone(d, h, 0)):
        with pytest.raises(LeaseLost):
            write(database, first)
    release_channel(database, second)


def test_a_channel_that_kills_its_workers_is_tried_ever_more_rarely(database: Database) -> None:
    note_channel(database, *HERE)
    for lost in range(1, 6):
        assert CHANNELS.claim(database, HERE, 20) is not None
        past(database, lease_until=1.0, published_at=0.0)
        assert CHANNELS.sweep(database) == ((HERE,) if lost <= 2 else ())
        past(database, wait_until=0.0)
    held = CHANNELS.claim(database, HERE, 20)
    assert held is not None
    release_channel(database, held, again_s=0)
    assert CHANNELS.claim(database, HERE, 20) is not None
    past(database, lease_until=1.0)
    assert CHANNELS.sweep(database) == (HERE,), "all went well since: it counts anew"


def test_a_heartbeat_that_comes_late_takes_no_channel(database: Database) -> None:
    note_channel(database, *HERE)
    held = CHANNELS.claim(database, HERE, 20)
    assert held is not None
    release_channel(database, held, again_s=0)
    with pytest.raises(LeaseLost):
        CHANNELS.renew(database, held, 20)
    assert CHANNELS.claim(database, HERE, 20) is not None


def test_a_postponed_channel_waits_whatever_comes(database: Database) -> None:
    note_channel(database, *HERE)
    held = CHANNELS.claim(database, HERE, 20)
    assert held is not None
    CHANNELS.fail(database, held, "boom")
    record(database, written(), settle_s=0)
    assert CHANNELS.claim(database, HERE, 20) is None
    past(database, wait_until=0.0)
    held = CHANNELS.claim(database, HERE, 20)
    assert held is not None
    assert held.failures == 1
    release_channel(database, held, again_s=0)
    held = CHANNELS.claim(database, HERE, 20)
    assert held is not None
    assert held.failures == 0


# --- people -------------------------------------------------------------------------------------------------------


def test_corrections_of_an_incident_oldest_first(database: Database) -> None:
    first = Correction(entry=f"{FIRST}:rollback", at=NOON, kind="rollback", text="rolled back", by="U1", said_at=NOON)
    later = NOON + timedelta(hours=1)
    second = Correction(entry=f"{FIRST}:rollback", was="rolled back", removed=True, by="U2", said_at=later)
    for correction in (first, second):
        correct(database, 7, correction)
    correct(database, 8, first)
    assert corrections_of(database, 7) == (first, second)
    assert corrections_of(database, 9) == ()


def test_when_someone_last_looked(database: Database) -> None:
    assert note_look(database, *HERE, "U1", NOON) is None
    assert note_look(database, *HERE, "U1", NOON + timedelta(hours=1)) == NOON
    assert note_look(database, *HERE, "U2") is None
    assert note_look(database, *HERE, "U1") == NOON + timedelta(hours=1)


# --- how long it is kept ------------------------------------------------------------------------------------------


def everything(database: Database, team: str, channel: str) -> list[int]:
    """How much is kept of a channel, and the corrections of all incidents."""
    with database.begin() as connection:
        tables = (followed_channels, messages_table, reactions_table, looks_table, unasked_table)
        counts = [
            len(connection.execute(select(t).where(t.c.team == team, t.c.channel == channel)).all()) for t in tables
        ]
        return [*counts, len(connection.execute(select(corrections_table)).all())]


def fill(database: Database, team: str) -> None:
    follow_declared(database, team, "C1", "")
    incident = open_incident(database, team, "C1", "Checkout fails", "U1", at=NOON)
    assert incident is not None
    change = written(reactions={"eyes": ("U1",)})
    record_change(database, team, "C1", change, str, settle_s=0, every_s=0)
    correct(database, incident, Correction(text="x", said_at=NOON))
    note_look(database, team, "C1", "U1", NOON)
    assert take_turn(database, team, "C1", 1, "r1")


def test_what_is_old_is_forgotten(database: Database) -> None:
    fill(database, "T1")
    ledger = Ledger(database, WorkerSection())
    ledger.forget(36_500)
    assert everything(database, *HERE) == [1, 1, 1, 1, 1, 1]
    resolve_incident(database, *HERE, "U1", at=NOON)
    stop_following(database, *HERE, "left")
    past(database, dirty_at=1.0)
    with database.begin(exclusive=True) as connection:
        connection.execute(update(messages_table).values(version=1.0))
        connection.execute(update(incidents_table).values(resolved_at=datetime(2020, 1, 1, tzinfo=UTC)))
        connection.execute(update(looks_table).values(at=datetime(2020, 1, 1, tzinfo=UTC)))
        connection.execute(update(unasked_table).values(spoke_at=1.0))
    pause_channel(database, "T1", "C2", paused=True)
    ledger.forget(90)
    assert everything(database, *HERE) == [0, 0, 0, 0, 0, 0]
    assert is_paused(database, "T1", "C2"), "until someone resumes"


def test_a_workspace_that_removed_the_app_is_forgotten_alone(database: Database) -> None:
    fill(database, "T1")
    fill(database, "T2")
    Ledger(database, WorkerSection()).end_team("T1")
    assert everything(database, *HERE) == [0, 0, 0, 0, 0, 1]
    assert everything(database, "T2", "C1") == [1, 1, 1, 1, 1, 1]


# --- what nobody heard --------------------------------------------------------------------------------------------


def deaf(database: Database, seconds: float) -> None:
    with database.begin(exclusive=True) as connection:
        connection.execute(update(hearing).values(at=hearing.c.at - seconds))


def test_followed_channels_are_read_once_more_when_nobody_heard_slack_for_long(database: Database) -> None:
    note_channel(database, *HERE)
    record(database, written())
    shown(database)
    assert [note_connection(database), note_connection(database)] == [0, 0]
    make_due(database, *HERE)
    held = CHANNELS.claim(database, HERE, 20)
    assert held is not None
    deaf(database, DEAF_S - 30)
    assert note_connection(database) == 0
    deaf(database, DEAF_S + 30)
    assert note_connection(database) == 1
    assert note_connection(database) == 0
    again = followed(database, *HERE)
    assert again is not None
    assert (again.read_done, again.before_ts, again.summary) == (False, "", "{}")
    assert texts(database) == ["hello"]
    assert CHANNELS.sweep(database) == (HERE,)
    with pytest.raises(LeaseLost):
        write_channel(database, held, read_done=True)


def test_quiet_channels_and_those_that_were_left_are_not_read_once_more(database: Database) -> None:
    note_connection(database)
    note_channel(database, *HERE)
    record(database, written())
    past(database, dirty_at=1.0, shown_at=1.0)
    deaf(database, 600)
    assert note_connection(database) == 0
    past(database, dirty_at=time.time())
    stop_following(database, *HERE, "left")
    deaf(database, 600)
    assert note_connection(database) == 0


def test_what_a_page_no_longer_holds_was_deleted(database: Database) -> None:
    note_channel(database, *HERE)
    held = CHANNELS.claim(database, HERE, 20)
    assert held is not None
    now = time.time()
    ts = [f"{now - 1_000 + number:.6f}" for number in range(6)] + [f"{now - 1:.6f}", f"{now:.6f}"]
    for number, one in enumerate(ts):
        record(database, written(str(number), one, thread_ts=ts[1] if number in {2, 3} else ""))
    page = [written(str(number), ts[number]) for number in (1, 5, 7)]
    held = keep_page(database, held, Page(tuple(page), oldest=ts[1], newest=ts[7]), str, {}, span=(ts[1], ""))
    assert texts(database) == ["0", "1", "2", "3", "5", "6", "7"], "0 is before the page, 6 is too new to say"
    replies = Page((written("3", ts[3], thread_ts=ts[1]),), oldest=ts[1], newest=ts[3])
    held = keep_page(database, held, replies, str, {}, span=(ts[1], ""), thread_ts=ts[1])
    assert texts(database) == ["0", "1", "3", "5", "6", "7"]
    older = Page((written("0", ts[0]),), oldest=ts[0], newest=ts[0])
    held = keep_page(database, held, older, str, {}, span=(ts[0], ts[5]))
    assert texts(database) == ["0", "3", "5", "6", "7"], "1 stood between the pages"
    keep_page(database, held, Page(()), str, {}, thread_ts=ts[1])
    assert texts(database) == ["0", "3", "5", "6", "7"]
