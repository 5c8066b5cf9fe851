"""A confirmed change as a request: made by one worker, at most once, whatever dies or is pressed meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from tests.support.chat_worker import chat_worker
from tests.support.engine_fakes import NOW, FakeToolbox
from tests.support.memory_chat import FakeChat
from tests.support.request_logs import make_log
from tests.unit.engine.test_run import LANDSCAPE
from workers.bootstrap import build_engine
from workers.contracts import Proposal, Question, Scalar, ToolOutput
from workers.entrypoints.tasks import take
from workers.requests.worker_context import WorkerContext
from workers.settings.load import load_settings
from workers.store.tables import jobs
from workers.toolkit.clock import SystemClock

MOVE = Proposal(tool="vault_move", args={"n": 1}, title="Move a.md to b.md", preview="- a")


class Killed(BaseException):
    """A worker that is gone."""


class Vault:
    """A tool that moves, counts it, and dies when it is told to; what it proposes next."""

    def __init__(self) -> None:
        self.made, self.dies = 0, False
        self.next: tuple[Proposal, ...] = ()

    def move(self, args: Mapping[str, Scalar]) -> ToolOutput:
        self.made += 1
        if self.dies:
            raise Killed
        return ToolOutput(summary="moved", proposals=self.next)


@pytest.fixture
def vault() -> Vault:
    return Vault()


@pytest.fixture
def worker(prepared_home: Path, vault: Vault) -> Iterator[WorkerContext]:
    box = FakeToolbox(LANDSCAPE, vault_move=vault.move)
    oracle = build_engine(load_settings(home=prepared_home), clock=SystemClock(NOW), toolbox=box)
    chat = FakeChat()
    proposed = make_log("before", question=asked(request_id="before"), proposals=(MOVE,))
    oracle.store.save(proposed)
    with chat_worker(oracle, chat) as running:
        yield running


def asked(**changes: Any) -> Question:
    place = {"asker": "U1", "team": "T1", "channel": "C1", "thread_ts": "100.1"}
    return Question(
        **{"request_id": "r1", "text": MOVE.title, "source": "slack", "received_at": NOW, **place, **changes}
    )


def confirm(worker: WorkerContext, request_id: str = "r1", **changes: Any) -> None:
    named = {"request_id": request_id, "confirms": "before:0", "event_id": f"decision:{request_id}"}
    assert worker.ledger.accept(asked(**(named | changes)))


def again(worker: WorkerContext, request_id: str = "r1") -> None:
    """Time passes, and the sweeper rings."""
    with worker.ledger.database.begin() as connection:
        connection.execute(update(jobs).values(wait_until=0.0, lease_until=None))
    take(worker, request_id)


def headline(worker: WorkerContext, request_id: str = "r1") -> str:
    answer = worker.oracle.store.load(request_id).answer
    assert answer
    return answer.headline.text


def posts(worker: WorkerContext) -> list[str]:
    chat = worker.chats("T1")
    assert isinstance(chat, FakeChat)
    return chat.keys()


def test_it_is_made_and_said_in_its_thread(worker: WorkerContext, vault: Vault) -> None:
    confirm(worker)
    take(worker, "r1")
    again(worker)
    assert (vault.made, headline(worker), posts(worker)) == (1, "Done: moved", ["r1:0.0"])


def test_a_worker_that_dies_while_it_is_made_leaves_a_sentence_and_no_button(
    worker: WorkerContext, vault: Vault
) -> None:
    confirm(worker)
    vault.dies = True
    with pytest.raises(Killed):
        take(worker, "r1")
    vault.dies = False
    again(worker)
    assert (vault.made, posts(worker)) == (1, ["r1:0.0"])
    assert headline(worker).startswith("I was interrupted")
    assert worker.oracle.store.load("r1").proposals == ()
    assert worker.ledger.counts() == {"done": 1}


def test_a_worker_that_dies_before_it_is_begun_leaves_it_to_the_next(
    worker: WorkerContext, vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    confirm(worker)
    with monkeypatch.context() as patch:
        patch.setattr("workers.requests.stages.show_progress", dying(after=1))
        with pytest.raises(Killed):
            take(worker, "r1")
    assert vault.made == 0
    again(worker)
    assert (vault.made, headline(worker)) == (1, "Done: moved")


def dying(after: int) -> Any:
    """A function that dies when it is called once more."""
    left = [after]

    def die(*_: Any, **__: Any) -> None:
        if not left[0]:
            raise Killed
        left[0] -= 1

    return die


def test_a_change_that_another_door_began_is_not_begun_again(worker: WorkerContext, vault: Vault) -> None:
    confirm(worker)
    take(worker, "r1")
    confirm(worker, "r2", source="http", team="", asker="T1/U1", channel="api", thread_ts="r2")
    take(worker, "r2")
    assert vault.made == 1
    assert headline(worker, "r2").startswith("I was interrupted")


def test_a_change_that_was_declined_is_not_made_at_another_door(worker: WorkerContext, vault: Vault) -> None:
    assert worker.ledger.begin_change("before:0", "before")
    confirm(worker, source="http", team="", asker="T1/U1", channel="api", thread_ts="r1")
    take(worker, "r1")
    assert vault.made == 0


def test_one_that_cannot_be_told_of_says_that_it_may_be_done(
    worker: WorkerContext, vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    confirm(worker)
    monkeypatch.setattr("workers.requests.stages.synthesize_stage", lambda *_: 1 / 0)
    for _ in range(8):
        again(worker)
    assert (vault.made, posts(worker)) == (1, ["r1:0.failed.0"])
    assert "look whether it was done" in headline(worker)
    assert worker.oracle.store.load("r1").proposals == ()


def test_what_it_leads_to_waits_again(worker: WorkerContext, vault: Vault) -> None:
    vault.next = (MOVE, MOVE.model_copy(update={"title": "Move c.md"}))
    confirm(worker)
    take(worker, "r1")
    assert posts(worker) == ["r1:0.0", "r1:proposal.0", "r1:proposal.1"]


def test_another_s_confirmation_makes_nothing_and_takes_nothing_away(worker: WorkerContext, vault: Vault) -> None:
    confirm(worker, "r2", asker="U2")
    take(worker, "r2")
    assert (vault.made, "Only the person" in headline(worker, "r2")) == (0, True)
    confirm(worker)
    take(worker, "r1")
    assert vault.made == 1
