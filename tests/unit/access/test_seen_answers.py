"""Who is shown what, from the question to the answer: two repositories, one of them private."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.chat_worker import chat_worker
from tests.support.memory_chat import FakeChat
from tests.support.two_repositories import (
    BELONGINGS,
    GUEST,
    MEMBER,
    OPEN,
    PAYER,
    PAYMENTS,
    PRIVATE_WORDS,
    two_repositories,
)
from workers.bootstrap import build_engine
from workers.contracts import Question, RequestLog
from workers.entrypoints.tasks import take
from workers.requests.worker_context import WorkerContext

HOW = "How is a zebrafish batch settled?"


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[WorkerContext]:
    oracle = build_engine(two_repositories(tmp_path))
    with chat_worker(oracle, FakeChat(belongings=BELONGINGS)) as running:
        yield running


def ask(worker: WorkerContext, asker: str, channel: str, text: str = HOW, request_id: str = "r1") -> RequestLog:
    question = Question(
        request_id=request_id,
        text=text,
        asker=asker,
        team="T1",
        channel=channel,
        ts=f"100.{request_id[1:]}",
        thread_ts=f"100.{request_id[1:]}",
        event_id=f"Ev{request_id}",
        source="slack",
        received_at=datetime(2026, 11, 21, 11, tzinfo=UTC),
    )
    assert worker.ledger.accept(question)
    take(worker, request_id)
    return worker.oracle.store.load(request_id)


def shown(log: RequestLog) -> str:
    """All that a request knows beside its question's own words."""
    return log.model_copy(update={"question": log.question.model_copy(update={"text": ""})}).model_dump_json().lower()


@pytest.mark.parametrize(
    ("asker", "channel"), [(MEMBER, OPEN), (MEMBER, "D1"), (PAYER, OPEN), (GUEST, "D9"), (GUEST, OPEN)]
)
def test_what_may_not_be_seen_is_not_there(worker: WorkerContext, asker: str, channel: str) -> None:
    log = ask(worker, asker, channel)
    told = shown(log)
    for claim in log.answer.claims if log.answer else ():
        assert "4711" not in claim.text
    assert "settle_zebrafish" not in told
    assert "coldvault" not in told
    assert "repository:coldvault" not in (log.view or ())


@pytest.mark.parametrize(
    ("asker", "channel"), [(PAYER, "D2"), (PAYER, PAYMENTS), (MEMBER, PAYMENTS), (GUEST, PAYMENTS)]
)
def test_what_may_be_seen_is_found(worker: WorkerContext, asker: str, channel: str) -> None:
    log = ask(worker, asker, channel)
    assert "settle_zebrafish" in shown(log)
    assert log.answer
    assert log.answer.kind == "answer"
    assert "repository:coldvault" in (log.view or ())


def test_a_stranger_is_told_that_nothing_is_shown(worker: WorkerContext) -> None:
    log = ask(worker, GUEST, "D9")
    assert log.answer
    assert log.answer.kind == "refusal"
    assert "an administrator" in log.answer.headline.text
    assert log.tool_calls == ()


def test_open_things_are_found_beside_private_ones(worker: WorkerContext) -> None:
    log = ask(worker, MEMBER, OPEN, "Where is add_to_cart defined?")
    assert log.answer
    assert "src/cart.py" in log.answer.model_dump_json()
    assert not [word for word in PRIVATE_WORDS if word in shown(log)]
