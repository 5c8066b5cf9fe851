"""A channel that gets another id keeps all that is kept of it, the same on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import select

from tests.support.channel_changes import record_change
from tests.support.thread_entries import said
from workers.contracts import ChannelMessage, Question, Reacted, Reply, Written
from workers.errors import LeaseLost
from workers.requests.ledger import Ledger
from workers.settings.schema import WorkerSection
from workers.store.channel_ids import change_channel_id, is_asked_in
from workers.store.channel_leases import CHANNELS, write_channel
from workers.store.channel_messages import load_messages
from workers.store.channels import ChannelSettings, change_channel, channel_settings
from workers.store.database import Database, open_database
from workers.store.followed_channels import followed, is_listening, note_channel, pause_channel
from workers.store.incidents import active_incident, open_incident
from workers.store.tables import jobs
from workers.store.threads import list_threads, merge
from workers.store.unprompted_posts import is_paused

OLD, NEW = ("T1", "C1"), ("T1", "C9")
FIRST, SECOND, THIRD = "1763632330.000100", "1763632340.000100", "1763632350.000100"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.servers)])
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    opened = open_database(request.getfixturevalue(f"{request.param}_store"))
    yield opened
    opened.close()


def hear(database: Database, place: tuple[str, str], text: str, ts: str) -> None:
    written = Written(ChannelMessage(ts=ts, user="U1", text=text), float(ts))
    record_change(database, *place, written, str, settle_s=0, every_s=0)


def ask(ledger: Ledger, number: int, **changes: Any) -> str:
    values: dict[str, Any] = {
        "request_id": f"r{number}",
        "text": "why is it slow?",
        "asker": "U1",
        "team": "T1",
        "channel": "C1",
        "thread_ts": FIRST,
        "ts": f"17636323{number:02d}.000900",
        "event_id": f"Ev{number}",
        "source": "slack",
        "received_at": datetime(2026, 11, 21, 12, tzinfo=UTC),
    }
    accepted = ledger.accept(Question(**(values | changes)))
    assert accepted
    return accepted


def test_what_is_kept_of_a_channel_follows_its_new_id(database: Database) -> None:
    note_channel(database, *OLD, name="inc-42")
    change_channel(database, *OLD, ChannelSettings("threads", "", "full"), "U1")
    assert open_incident(database, *OLD, "Checkout is down", "U1")
    assert pause_channel(database, *OLD, paused=True)
    hear(database, OLD, "one", FIRST)
    hear(database, OLD, "two", SECOND)
    record_change(database, *OLD, Reacted(FIRST, "eyes", "U2", True, 1.0), str, settle_s=0, every_s=0)
    merge(database, "T1/C1", [], [said("a", "no deploys on Fridays")])
    note_channel(database, *NEW)
    hear(database, NEW, "two", SECOND)
    hear(database, NEW, "three", THIRD)
    for _ in range(2):
        change_channel_id(database, *OLD, NEW[1])
        here = followed(database, *NEW)
        assert here is not None
        assert (here.name, followed(database, *OLD), is_listening(database, *OLD)) == ("inc-42", None, False)
        assert [m.text for m in load_messages(database, *NEW)] == ["one", "two", "three"]
        assert load_messages(database, *NEW)[0].reactions == {"eyes": ("U2",)}
        assert load_messages(database, *OLD) == ()
        assert channel_settings(database, *NEW).mode == "threads"
        assert channel_settings(database, *OLD).mode == "mentions"
        assert (active_incident(database, *OLD), is_paused(database, *NEW)) == (None, True)
        assert active_incident(database, *NEW) is not None
        assert [one.thread_id for one in list_threads(database, "T1/C9")] == [said("a", "x").thread_id]
    assert followed(database, "T2", "C9") is None


def test_other_channels_and_workspaces_stay_as_they_are(database: Database) -> None:
    for place in (("T2", "C1"), ("T1", "C2")):
        note_channel(database, *place, name="inc-7")
    merge(database, "T1/C9", [], [said("b", "kept already")])
    merge(database, "T1/C1", [], [said("a", "no deploys on Fridays")])
    change_channel_id(database, *OLD, NEW[1])
    assert followed(database, *NEW) is None
    assert all(followed(database, *place) for place in (("T2", "C1"), ("T1", "C2")))
    assert len(list_threads(database, "T1/C1")) == len(list_threads(database, "T1/C9")) == 1


def test_whoever_works_there_loses_the_lease_and_the_next_one_has_the_new_id(database: Database) -> None:
    ledger = Ledger(database, WorkerSection())
    note_channel(database, *OLD)
    held, request = CHANNELS.claim(database, OLD, 20), ledger.claim(ask(ledger, 1))
    waiting = ledger.claim(ask(ledger, 2))
    assert held
    assert request
    assert waiting
    ledger.finish(waiting, "waiting")
    change_channel_id(database, *OLD, NEW[1])
    with pytest.raises(LeaseLost):
        write_channel(database, held, state="following")
    with pytest.raises(LeaseLost):
        ledger.finish(request, "done")
    assert CHANNELS.claim(database, NEW, 20)
    again = ledger.claim("r1")
    assert again is not None
    assert again.question.channel == "C9"
    at = again.question.received_at
    place = {"team": "T1", "channel": "C9", "thread_ts": FIRST}
    reply = Reply(text="/api/search", asker="U1", event_id="Ev9", received_at=at, **place)
    assert ledger.accept_reply(reply) == "r2"
    assert ledger.accept(again.question.model_copy(update={"event_id": "Ev10"})) is None, "its message was taken before"
    assert (is_asked_in(database, "r1", *NEW), is_asked_in(database, "r1", *OLD)) == (True, False)
    with database.begin() as connection:
        assert set(connection.execute(select(jobs.c.channel)).scalars()) == {"C9"}
