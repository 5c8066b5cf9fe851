"""Who has to wait is told how many are before them, and nothing depends on it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from bot.listeners.queue_position import tell_queue_positions, tell_queued
from tests.support.memory_chat import FakeChat
from workers.contracts import Question
from workers.errors import ChatBusy
from workers.ports import Place
from workers.requests.ledger import Ledger
from workers.settings.schema import WorkerSection
from workers.store.database import open_database


@pytest.fixture
def ledger(sqlite_store: str) -> Iterator[Ledger]:
    database = open_database(sqlite_store)
    yield Ledger(database, WorkerSection())
    database.close()


def ask(ledger: Ledger, number: int) -> None:
    ts = f"100.{number}"
    place = {"team": "T1", "channel": "C1", "ts": ts, "thread_ts": ts, "event_id": f"Ev{number}"}
    now = datetime.now(UTC)
    assert ledger.accept(Question(request_id=f"r{number}", text="why?", asker="U1", received_at=now, **place))


def test_those_who_wait_for_a_worker_are_told_how_many_are_before_them(ledger: Ledger) -> None:
    chat = FakeChat()
    for number in range(4):
        ask(ledger, number)
    tell_queue_positions(ledger, lambda _: chat)
    assert chat.statuses == [], "two workers are free"
    ledger.claim("r0")
    ledger.claim("r1")
    tell_queue_positions(ledger, lambda _: chat)
    assert chat.statuses == [
        (Place("C1", "100.2", "T1"), "is busy: queued, you are next"),
        (Place("C1", "100.3", "T1"), "is busy: queued, 1 before you"),
    ]


def test_a_slack_that_is_busy_is_left_alone() -> None:
    chat = FakeChat()
    chat.errors["set_status"] = [ChatBusy("too many", 30)]
    tell_queued(lambda _: chat, "T1", "C1", "100.1", 3)
    assert chat.statuses == []


def test_a_command_has_no_thread_yet() -> None:
    chat = FakeChat()
    tell_queued(lambda _: chat, "T1", "C1", "", 3)
    assert chat.statuses == []
