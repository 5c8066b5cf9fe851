"""A request over HTTP as events: what is looked at, then each checked claim, what it cites, and the end."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import update

from tests.support.chat_worker import chat_worker
from tests.support.engine_fakes import FakeToolbox
from tests.support.memory_chat import FakeChat
from tests.support.request_logs import make_log
from tests.unit.engine.test_run import LANDSCAPE, documents, metrics, repository
from workers.bootstrap import build_engine
from workers.contracts import Answer, Claim, Gap, Proposal, Question, Reply
from workers.entrypoints.tasks import take
from workers.requests.event_stream import answer_events
from workers.requests.worker_context import WorkerContext
from workers.settings.load import load_settings
from workers.settings.schema import WorkerSection
from workers.store.request_events import RequestEvent, events_after
from workers.store.tables import jobs
from workers.toolkit.clock import SystemClock

NOW = datetime(2026, 11, 21, 11, tzinfo=UTC)


@pytest.fixture
def worker(prepared_home: Path) -> Iterator[WorkerContext]:
    box = FakeToolbox(LANDSCAPE, metrics_query=metrics, repo_search=repository, doc_search=documents)
    oracle = build_engine(load_settings(home=prepared_home), clock=SystemClock(NOW), toolbox=box)
    chat = FakeChat()
    with chat_worker(oracle, chat) as running:
        yield running
    assert (chat.messages, chat.streams, chat.statuses, chat.looks) == ([], [], [], 0), "nothing of it is in Slack"


def ask(worker: WorkerContext, text: str) -> None:
    place = {"asker": "mia", "channel": "api", "thread_ts": "r1", "event_id": "api:r1"}
    assert worker.ledger.accept(Question(request_id="r1", text=text, source="http", received_at=NOW, **place))


def told(worker: WorkerContext, after: int = 0) -> tuple[RequestEvent, ...]:
    return events_after(worker.ledger.database, "r1", after)


def test_what_is_looked_at_comes_before_the_claims_and_what_they_cite_after(worker: WorkerContext) -> None:
    ask(worker, "Why is /api/search slow since yesterday's deploy?")
    take(worker, "r1")
    events = told(worker)
    names = [e.name for e in events]
    order = ["thinking", "tool_call", "tool_result", "content", "source", "done"]
    first = [names.index(name) for name in order]
    assert first == sorted(first)
    assert names.index("content") > max(i for i, name in enumerate(names) if name == "tool_result")
    assert names.count("done") == 1
    assert names[-1] == "done"
    answer = worker.oracle.store.load("r1").answer
    assert answer
    said = [e.data for e in events if e.name == "content"]
    assert [c["text"] for c in said] == [claim.text for claim in answer.claims]
    assert said[0]["section"] == "headline"
    cited = {i for claim in answer.claims for i in claim.evidence}
    assert {e.data["id"] for e in events if e.name == "source"} == cited
    assert events[-1].data["grounded"] is True
    calls = [e.data["step"] for e in events if e.name == "tool_call"]
    assert sorted(calls) == sorted(e.data["step"] for e in events if e.name == "tool_result")


def test_one_that_asks_back_ends_and_goes_on(worker: WorkerContext) -> None:
    ask(worker, "is it slow?")
    take(worker, "r1")
    first = told(worker)
    assert (first[-1].name, first[-1].data["kind"]) == ("done", "clarify")
    choice = first[-1].data["options"][0]["value"]
    place = {"team": "", "channel": "api", "thread_ts": "r1"}
    reply = Reply(text=choice, asker="mia", event_id="api:r1:0", request_id="r1", turn=0, received_at=NOW, **place)
    assert worker.ledger.accept_reply(reply) == "r1"
    take(worker, "r1")
    rest = told(worker, len(first))
    assert (rest[-1].name, rest[-1].data["kind"]) == ("done", "answer")


def test_one_that_is_stopped_ends_with_an_error(worker: WorkerContext) -> None:
    ask(worker, "Why is /api/search slow?")
    assert worker.ledger.stop("r1", "mia")
    take(worker, "r1")
    assert [e.name for e in told(worker)] == ["error"]
    assert worker.ledger.counts() == {"stopped": 1}


def test_one_that_failed_too_often_ends_with_an_error(worker: WorkerContext, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(worker, "Why is /api/search slow?")
    monkeypatch.setattr(worker.ledger, "limits", WorkerSection(max_failures=1))
    monkeypatch.setattr("workers.requests.stages.plan_stage", lambda *_: 1 / 0)
    for _ in range(2):
        take(worker, "r1")
        with worker.ledger.database.begin() as connection:
            connection.execute(update(jobs).values(wait_until=0.0))
    assert [e.name for e in told(worker)] == ["error"]


def test_only_what_is_cited_is_a_source_and_what_waits_is_named() -> None:
    log = make_log("r1")
    spare = log.evidence[0].model_copy(update={"id": "E2", "excerpt": "x" * 9_000})
    claim = Claim(template="a", text="a", evidence=("E1",))
    answer = Answer(headline=claim, docs=(claim,), banner="careful", missing=(Gap(text="no logs"),))
    change = Proposal(tool="t", args={"secret": 1}, title="Move a", preview="+ b")
    log = log.model_copy(update={"evidence": (*log.evidence, spare), "answer": answer, "proposals": (change,)})
    events = list(answer_events(log))
    assert [name for name, _ in events] == ["content", "content", "content", "source", "done"]
    assert [data["section"] for _, data in events[:3]] == ["banner", "headline", "docs"]
    end = events[-1][1]
    assert end["proposals"] == [{"confirms": "r1:0", "title": "Move a", "preview": "+ b"}]
    assert (end["missing"], end["request_id"]) == (["no logs"], "r1")
    assert [name for name, _ in answer_events(make_log(kind=None))] == ["error"]
