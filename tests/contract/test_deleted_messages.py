"""What is deleted in Slack is deleted here, and each kind goes when its time is over."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select, update

from tests.support.request_logs import make_log, unchanged
from workers.contracts import Question
from workers.errors import LeaseLost, RequestNotFound
from workers.requests.ledger import Ledger
from workers.settings.schema import KeepSection, WorkerSection
from workers.store.database import Database, open_database
from workers.store.deleted_messages import forget_message
from workers.store.request_logs import SqlStore
from workers.store.tables import jobs, thread_entries
from workers.store.threads import Entry, find_entries, merge

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
TS, SENT = "1763632330.000100", "1763632340.000100"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.servers)])
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    opened = open_database(request.getfixturevalue(f"{request.param}_store"))
    yield opened
    opened.close()


def ask(channel: str = "C1", ts: str = TS) -> Question:
    return Question(
        request_id=f"{channel}{ts[-8:]}",
        text="why does the invoice of Weber fail?",
        asker="U1",
        team="T1",
        channel=channel,
        ts=ts,
        thread_ts=ts,
        event_id=f"Ev{channel}{ts}",
        source="slack",
        received_at=NOON,
        context=("Weber called again",),
    )


def entry(ts: str, text: str, at: datetime = NOON, channel: str = "C1") -> Entry:
    return Entry(f"{channel}-{ts}", f"slack-{channel.lower()}-1", text, "user", "thought", at, at)


def contents(database: Database, space: str = "T1/C1") -> dict[str, str]:
    return {key: one.content for key, one in find_entries(database, space, [f"C1-{TS}", f"C1-{SENT}"]).items()}


def test_a_deleted_question_leaves_no_word_behind(database: Database) -> None:
    ledger, store = Ledger(database, WorkerSection()), SqlStore(database, unchanged)
    question = ask()
    ledger.accept(question)
    job = ledger.claim(question.request_id)
    assert job
    log = make_log(question.request_id, question.text)
    store.save(log)
    job = ledger.mark_sent(ledger.checkpoint(job, "deliver", log), "0.0", SENT)
    merge(database, "T1/C1", [], [entry(TS, "the invoice of Weber"), entry(SENT, "Asked: Weber"), entry("1.2", "else")])
    assert forget_message(database, "T1", "C1", TS)
    with database.begin() as connection:
        row = connection.execute(select(jobs)).mappings().one()
    assert "Weber" not in str(dict(row))
    assert not row["open"]
    assert set(contents(database).values()) == {""}
    with pytest.raises(RequestNotFound):
        store.load(question.request_id)
    with pytest.raises(LeaseLost):
        ledger.mark_sent(job, "0.1", "")
    merge(database, "T1/C1", [], [entry(TS, "the invoice of Weber")])
    assert set(contents(database).values()) == {""}, "what is synced again stays deleted"


def test_others_words_and_other_channels_stay(database: Database) -> None:
    ledger = Ledger(database, WorkerSection())
    ledger.accept(ask())
    ledger.accept(ask("C2"))
    assert not forget_message(database, "T1", "C1", "1763632399.000100")
    assert not forget_message(database, "T1", "C3", TS)
    assert forget_message(database, "T1", "C2", TS)
    (mine,) = ledger.asked_in("T1", "C1", datetime(2020, 1, 1, tzinfo=UTC), 5)
    assert "Weber" in mine.text
    assert ledger.claim(ask().request_id)
    assert not ledger.claim(ask("C2").request_id)


def test_each_kind_is_kept_for_its_own_time(database: Database) -> None:
    ledger = Ledger(database, WorkerSection())
    now = datetime.now(UTC)
    merge(database, "T1/C1", [], [entry(TS, "old", now - timedelta(days=40)), entry(SENT, "new", now)])
    question = ask()
    ledger.accept(question)
    with database.begin() as connection:
        connection.execute(update(jobs).values(open=False, stage="done", finished_at=now.timestamp() - 40 * 86_400))
    ledger.forget(90)
    assert len(contents(database)) == 2
    assert ledger.is_known(question.request_id)
    ledger.forget(90, KeepSection(threads=30))
    assert contents(database) == {f"C1-{SENT}": "new"}
    assert ledger.is_known(question.request_id)
    assert ledger.forget(90, KeepSection(requests=30)) == 1
    with database.begin() as connection:
        assert len(connection.execute(select(thread_entries.c.id)).all()) == 1
