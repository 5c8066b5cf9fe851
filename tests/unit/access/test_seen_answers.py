"""Who is shown what, from the question to the answer: two repositories, one of them private."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

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
from workers.access.doors import Doors
from workers.agents.memory.source.memories import remember
from workers.bootstrap import build_engine
from workers.contracts import Question, RequestLog
from workers.entrypoints.mcp.callers import engine_seen, question_of
from workers.entrypoints.mcp.resources import open_texts, texts_seen
from workers.entrypoints.mcp.toolbox_tools import served
from workers.entrypoints.tasks import take
from workers.ports import Belonging
from workers.requests.worker_context import WorkerContext

HOW = "How is a zebrafish batch settled?"


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[WorkerContext]:
    oracle = build_engine(two_repositories(tmp_path))
    with chat_worker(oracle, FakeChat(belongings=BELONGINGS)) as running:
        yield running


def ask(
    worker: WorkerContext, asker: str, channel: str, text: str = HOW, request_id: str = "r1", **more: Any
) -> RequestLog:
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
        **more,
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


# --- what was found is shown again ------------------------------------------------------------------------------


def chat_of(worker: WorkerContext) -> FakeChat:
    chat = worker.chats("T1")
    assert isinstance(chat, FakeChat)
    return chat


def test_who_may_see_more_than_the_channel_is_told_so_alone(worker: WorkerContext) -> None:
    ask(worker, PAYER, OPEN)
    ask(worker, MEMBER, OPEN, request_id="r2")
    ask(worker, PAYER, PAYMENTS, request_id="r3")
    ask(worker, PAYER, "D2", request_id="r4")
    assert [(place.channel, user) for place, user, _ in chat_of(worker).whispers] == [(OPEN, PAYER)]
    assert not [word for word in PRIVATE_WORDS if word in str(chat_of(worker).whispers).lower()]


def test_what_was_found_is_shown_to_whom_all_of_it_is_given_now(worker: WorkerContext) -> None:
    log = ask(worker, PAYER, "D2")
    doors = Doors(worker.oracle.access, worker.chats)
    assert doors.may_read(log, "T1", PAYER)
    assert doors.may_read(log, "T1", PAYER, PAYMENTS)
    assert not doors.may_read(log, "T1", PAYER, OPEN)
    assert not doors.may_read(log, "T1", MEMBER)
    chat_of(worker).belongings = BELONGINGS | {PAYER: Belonging(member=True)}
    assert not doors.may_read(log, "T1", PAYER)
    assert not doors.may_read(log.model_copy(update={"view": None}), "T1", MEMBER)


def test_one_who_left_the_group_gets_nothing_of_what_they_were_told_before(worker: WorkerContext) -> None:
    first = ask(worker, PAYER, "D2")
    chat_of(worker).belongings = BELONGINGS | {PAYER: Belonging(member=True)}
    again = ask(worker, PAYER, "D2", request_id="r2")
    assert "settle_zebrafish" in shown(first)
    assert "settle_zebrafish" not in shown(again)


def saved(worker: WorkerContext, asker: str, channel: str, of: str, request_id: str) -> RequestLog:
    return ask(worker, asker, channel, f"Save the answer {of} as a note", request_id, agent="memory")


def test_a_note_of_private_things_is_not_written_where_others_read_it(worker: WorkerContext) -> None:
    ask(worker, PAYER, "D2")
    log = saved(worker, PAYER, "D2", "r1", "r2")
    assert log.answer
    assert "repository:coldvault, which not everyone" in log.answer.headline.text
    assert notes_of(worker) == []


def notes_of(worker: WorkerContext) -> list[Path]:
    return sorted((worker.oracle.settings.home / "vault").rglob("*.md"))


def test_a_note_of_open_things_says_who_will_read_it(worker: WorkerContext) -> None:
    ask(worker, PAYER, "D2", "Where is add_to_cart defined?")
    (proposal,) = saved(worker, PAYER, "D2", "r1", "r2").proposals
    assert proposal.preview.startswith("Who will read it: notes:vault: everyone (")
    assert "access.yaml:" in proposal.preview.splitlines()[0]
    assert notes_of(worker) == []
    confirmed = ask(worker, PAYER, "D2", proposal.title, "r3", confirms="r2:0")
    assert confirmed.answer
    assert confirmed.answer.headline.text.startswith("Done: saved as")
    assert len(notes_of(worker)) == 1


def test_anothers_answer_is_not_saved(worker: WorkerContext) -> None:
    ask(worker, PAYER, PAYMENTS)
    saved(worker, MEMBER, OPEN, "r1", "r2")
    assert notes_of(worker) == []


def test_what_was_said_directly_is_not_saved_for_a_channel_to_read(worker: WorkerContext) -> None:
    ask(worker, PAYER, "D2", "Where is add_to_cart defined?")
    log = saved(worker, PAYER, OPEN, "r1", "r2")
    assert log.proposals == ()
    assert "src/cart.py" not in shown(log)
    assert notes_of(worker) == []


def test_threads_and_memories_of_a_person_stay_out_of_a_channel(worker: WorkerContext) -> None:
    database = worker.oracle.store.database
    remember(database, f"T1/{PAYER}", "the pomegranate is mine")
    ask(worker, PAYER, "D2", "How is the pomegranate cart sold?")
    told = [
        shown(ask(worker, PAYER, OPEN, text, f"r{number}", agent="memory"))
        for number, text in enumerate(
            ("What do you remember of me?", "list my threads", "what did I say of the cart?", "read the thread r1"), 2
        )
    ]
    assert not [text for text in told if "pomegranate" in text]
    assert "pomegranate is mine" in shown(ask(worker, PAYER, "D2", "What do you remember of me?", "r9", agent="memory"))


# --- programs ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("user", "may"), [("payments-bot", True), ("other-bot", False), ("T1/U2", False)])
def test_a_program_sees_what_its_token_is_given(worker: WorkerContext, user: str, may: bool) -> None:
    oracle = worker.oracle
    seen = engine_seen(oracle, user)
    found = seen.ask(question_of(oracle, user, HOW)) if seen.agents else None
    assert (found is not None and "settle_zebrafish" in shown(found)) is may
    assert bool(served(seen)) is may
    schemes = [one.scheme for one in texts_seen(oracle, open_texts(oracle), user)]
    assert schemes == (["thread://", "note://"] if may else ["thread://"])


def test_without_a_policy_all_is_as_before(tmp_path: Path) -> None:
    oracle = build_engine(two_repositories(tmp_path, None))
    with chat_worker(oracle, FakeChat()) as running:
        log = ask(running, GUEST, OPEN)
        assert "settle_zebrafish" in shown(log)
        assert log.view is None
        assert chat_of(running).whispers == []
