"""The same question, asked again by one person and by others, at both doors: one answer, which never cites itself."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest

from tests.scenario.conftest import copy_demo
from tests.support.chat_worker import chat_worker
from tests.support.memory_chat import FakeChat
from workers.bootstrap import build_engine
from workers.contracts import Answer, Question, RequestLog
from workers.conversations.entries import NewEntry, push
from workers.entrypoints.tasks import take
from workers.ports import ThreadMessage
from workers.requests.worker_context import WorkerContext
from workers.settings.load import load_settings
from workers.toolkit.clock import SystemClock

LIMITS = "tool_timeout_ms: 60000, tools_total_ms: 120000, keep_answers_s: {kept}"
numbers = count(1)


@pytest.fixture(params=[(0, 0), (3600, 60)], ids=["nothing kept", "answers and results kept"])
def worker(request: pytest.FixtureRequest, built_demo: Path, tmp_path: Path) -> Iterator[WorkerContext]:
    kept, cached = request.param
    home, now = copy_demo(built_demo, tmp_path), datetime.now(UTC)
    (home / "config" / "agents.yaml").write_text(f"research: {{{LIMITS.format(kept=kept)}}}\n")
    tools = ("metrics_query", "repo_search", "doc_search", "memory_search")
    (home / "config" / "tools.yaml").write_text("".join(f"{name}: {{cache_ttl_s: {cached}}}\n" for name in tools))
    oracle = build_engine(load_settings(home=home), clock=SystemClock(now))
    for _ in oracle.toolbox.refresh():
        pass
    with chat_worker(oracle, FakeChat()) as running:
        yield running


def in_slack(worker: WorkerContext, text: str, asker: str, thread: str = "", above: str = "") -> RequestLog:
    """A mention, in a thread of its own or below the first message of one, as Slack tells both."""
    at = int(datetime.now(UTC).timestamp()) + next(numbers) * 10
    ts = f"{at}.000100"
    chat = worker.chats("T1")
    assert isinstance(chat, FakeChat)
    chat.said = [ThreadMessage("U9", above, thread)] if thread else []
    chat.said.append(ThreadMessage(asker, f"@UORACLE1 {text}", ts))
    return asked(
        worker,
        Question(
            request_id=f"s{at}",
            text=text,
            asker=asker,
            team="T1",
            channel="C1",
            ts=ts,
            thread_ts=thread or ts,
            event_id=ts,
            source="slack",
            received_at=worker.oracle.engine.clock.now(),
        ),
    )


def over_http(worker: WorkerContext, text: str, asker: str) -> RequestLog:
    number = f"h{next(numbers)}"
    place = {"asker": asker, "channel": "api", "thread_ts": number, "event_id": f"api:{number}"}
    now = worker.oracle.engine.clock.now()
    return asked(worker, Question(request_id=number, text=text, source="http", received_at=now, **place))


def asked(worker: WorkerContext, question: Question) -> RequestLog:
    assert worker.ledger.accept(question)
    take(worker, question.request_id)
    return worker.oracle.store.load(question.request_id)


def told(log: RequestLog) -> list[tuple[str, ...]]:
    """The words of an answer, section by section."""
    assert isinstance(log.answer, Answer)
    sections = (getattr(log.answer, name) for name in ("what_changed", "code", "metrics", "docs"))
    return [(log.answer.headline.text,), *(tuple(claim.text for claim in section) for section in sections)]


@pytest.mark.parametrize(
    "text", ["why do we keep search results by term and not by query?", "where is the page size of search limited?"]
)
def test_who_asks_again_gets_the_same_answer_at_both_doors(worker: WorkerContext, text: str) -> None:
    first = in_slack(worker, text, "U3")
    again = [in_slack(worker, text, asker) for asker in ("U3", "U2", "U2")]
    again += [over_http(worker, text, asker) for asker in ("mia", "mia", "tom")]
    for log in again:
        assert told(log) == told(first)
    seen = [item for log in (first, *again) for item in log.evidence]
    assert not [item.title for item in seen if text in item.excerpt or item.kind == "message"]


def test_what_was_asked_above_is_no_evidence_and_what_people_said_is(worker: WorkerContext) -> None:
    text = "who chose the colour of the maintenance banner?"
    first = in_slack(worker, text, "U3")
    root = first.question.ts
    in_slack(worker, "and when?", "U2", root, f"@UORACLE1 {text}")
    assert not [e for e in in_slack(worker, text, "U2").evidence if text in e.excerpt]
    saved = NewEntry(content="The maintenance banner has the colour amber: Priya chose it.", author="user")
    push(worker.ledger.database, "T1/C1", "banners", saved, now=worker.oracle.engine.clock.now())
    other = in_slack(worker, "who chose the colour of the maintenance banner, please?", "U2")
    assert any("Priya chose it" in item.excerpt for item in other.evidence)
