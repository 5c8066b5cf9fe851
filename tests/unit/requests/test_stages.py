"""One request from its claim to its reply, with the ledger on SQLite and hand-written tools and chat."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from tests.support.chat_worker import chat_worker
from tests.support.engine_fakes import NOW, FakeToolbox
from tests.support.memory_chat import FakeChat
from tests.unit.engine.test_run import LANDSCAPE, documents, metrics, repository
from workers.bootstrap import build_engine
from workers.contracts import Question, Reply, RequestLog, Scalar, ToolOutput
from workers.entrypoints.tasks import take
from workers.errors import ChatBusy, ChatRefused, ChatUnavailable
from workers.ports import Picture, Post, ThreadMessage
from workers.requests.worker_context import WorkerContext
from workers.settings.load import load_settings
from workers.store.channels import ChannelSettings, change_channel
from workers.store.tables import jobs
from workers.toolkit.clock import SystemClock

WHY = "Why is /api/search slow since yesterday's deploy?"


class Killed(BaseException):
    """A worker that is gone: nothing after it runs in this test but what `take` does for a stopped worker."""


@pytest.fixture
def worker(prepared_home: Path) -> Iterator[WorkerContext]:
    box = FakeToolbox(LANDSCAPE, metrics_query=metrics, repo_search=repository, doc_search=documents)
    oracle = build_engine(load_settings(home=prepared_home), clock=SystemClock(NOW), toolbox=box)
    chat = FakeChat()
    with chat_worker(oracle, chat) as running:
        yield running


def chat_of(worker: WorkerContext) -> FakeChat:
    chat = worker.chats("T1")
    assert isinstance(chat, FakeChat)
    return chat


def calls_of(worker: WorkerContext) -> list[str]:
    box = worker.oracle.engine.toolbox
    assert isinstance(box, FakeToolbox)
    return [call.name for call in box.made]


def ask(worker: WorkerContext, text: str = WHY, **changes: Any) -> None:
    shared: dict[str, Any] = {
        "request_id": "r1",
        "text": text,
        "asker": "U1",
        "team": "T1",
        "channel": "C1",
        "ts": "100.1",
        "thread_ts": "100.1",
        "event_id": "Ev1",
        "source": "slack",
        "received_at": datetime(2026, 11, 21, 11, tzinfo=UTC),
    }
    assert worker.ledger.accept(Question(**(shared | changes)))


def row(worker: WorkerContext) -> Any:
    with worker.ledger.database.begin() as connection:
        return connection.execute(select(jobs)).mappings().one()


def shift(worker: WorkerContext, **columns: Any) -> None:
    with worker.ledger.database.begin() as connection:
        connection.execute(update(jobs).values(**columns))


def again(worker: WorkerContext) -> None:
    """Time passes, and the sweeper rings."""
    shift(worker, wait_until=0.0, lease_until=None)
    take(worker, "r1")


def text_of(blocks: Any) -> str:
    """Every text in blocks."""
    if isinstance(blocks, Mapping):
        return " ".join(
            [
                str(blocks.get("text", "")) if isinstance(blocks.get("text"), str) else "",
                *(text_of(v) for v in blocks.values() if not isinstance(v, str)),
            ]
        )
    return " ".join(text_of(b) for b in blocks) if isinstance(blocks, list | tuple) else ""


def test_a_mention_is_answered_in_its_thread(worker: WorkerContext) -> None:
    ask(worker)
    take(worker, "r1")
    (answer,) = [m for m in chat_of(worker).messages if m.key == "r1:0.0"]
    assert (answer.place.channel, answer.place.thread_ts) == ("C1", "100.1")
    assert "p95 latency of /api/search rose" in answer.post.text
    assert "2 minutes after" in text_of(answer.post.blocks)
    found = row(worker)
    assert (found["stage"], found["open"], found["sent"]) == ("done", False, {"0.0": answer.ts})
    assert worker.oracle.store.load("r1").question.timezone == "Europe/Berlin"
    assert chat_of(worker).looks == 0, "a first post needs no look"
    take(worker, "r1")
    assert chat_of(worker).keys() == ["r1:0.0"]


def test_the_thread_is_told_the_plan_before_the_answer(worker: WorkerContext) -> None:
    told = threading.Event()

    def slow(args: Mapping[str, Scalar]) -> ToolOutput:
        assert told.wait(20), "the plan stands in the thread while the tools run"
        return metrics(args)

    chat_of(worker).on_progress = told.set
    box = FakeToolbox(LANDSCAPE, metrics_query=slow, repo_search=repository, doc_search=documents)
    worker = replace(worker, oracle=replace(worker.oracle, engine=replace(worker.oracle.engine, toolbox=box)))
    ask(worker)
    take(worker, "r1")
    assert len(chat_of(worker).streams) == 1
    assert [m.key for m in chat_of(worker).messages] == ["r1:0.0"]


def test_an_answer_that_stands_is_not_followed_by_an_apology(worker: WorkerContext) -> None:
    ask(worker)
    chat_of(worker).after.append(Killed())
    with pytest.raises(Killed):
        take(worker, "r1")
    shift(worker, lost_leases=10)
    again(worker)
    assert (chat_of(worker).keys(), row(worker)["stage"]) == (["r1:0.0"], "done")


def test_a_post_that_was_cut_off_is_found_and_not_repeated(worker: WorkerContext) -> None:
    ask(worker)
    chat_of(worker).after.append(ChatUnavailable("the connection was cut"))
    take(worker, "r1")
    assert (row(worker)["stage"], row(worker)["sent"], row(worker)["failures"]) == ("deliver", {"0.0": ""}, 0)
    again(worker)
    assert row(worker)["stage"] == "done"
    assert chat_of(worker).keys() == ["r1:0.0"]
    assert chat_of(worker).looks == 1


def test_a_worker_killed_between_post_and_record_answers_once(worker: WorkerContext) -> None:
    ask(worker)
    chat_of(worker).after.append(Killed())
    with pytest.raises(Killed):
        take(worker, "r1")
    again(worker)
    assert chat_of(worker).keys() == ["r1:0.0"]
    assert row(worker)["sent"] == {"0.0": "500.1"} or row(worker)["sent"] == {"0.0": "500.0"}


def test_a_worker_killed_before_the_post_answers_once(worker: WorkerContext) -> None:
    ask(worker)
    chat_of(worker).before.append(Killed())
    with pytest.raises(Killed):
        take(worker, "r1")
    made = calls_of(worker)
    again(worker)
    assert chat_of(worker).keys() == ["r1:0.0"]
    assert calls_of(worker) == made, "the tools are not called again: the checkpoint holds what they found"


def test_slack_is_away_for_long_and_the_answer_comes_afterwards(worker: WorkerContext) -> None:
    ask(worker)
    chat_of(worker).before.extend(ChatUnavailable("no answer") for _ in range(8))
    for _ in range(9):
        again(worker)
    assert row(worker)["stage"] == "done"
    assert chat_of(worker).keys() == ["r1:0.0"]


def test_a_busy_slack_is_obeyed(worker: WorkerContext) -> None:
    ask(worker)
    chat_of(worker).before.append(ChatBusy("too many", retry_after_s=30))
    take(worker, "r1")
    found = row(worker)
    assert 30 <= found["wait_until"] - found["accepted_at"] < 60
    take(worker, "r1")
    assert (chat_of(worker).keys(), row(worker)["sent"]) == ([], {})
    again(worker)
    assert (chat_of(worker).keys(), chat_of(worker).looks) == (["r1:0.0"], 0)


def test_blocks_that_slack_refuses_are_said_as_text(worker: WorkerContext) -> None:
    ask(worker)
    chat_of(worker).before.extend(ChatRefused("invalid blocks", "invalid_blocks") for _ in range(2))
    take(worker, "r1")
    (answer,) = [m for m in chat_of(worker).messages if m.key == "r1:0.0"]
    assert answer.post.blocks == ()
    assert "/api/search" in answer.post.text
    assert row(worker)["stage"] == "done"


def test_a_channel_that_is_gone_is_answered_in_a_direct_message(worker: WorkerContext) -> None:
    ask(worker)
    chat_of(worker).before.append(ChatRefused("no such channel", "channel_not_found"))
    take(worker, "r1")
    again(worker)
    root, answer = [m for m in chat_of(worker).messages if not m.key.endswith("progress")]
    assert (root.key, root.place.channel, root.place.thread_ts) == ("r1:direct", "D1", "")
    assert "/invite @oracle" in text_of(root.post.blocks)
    assert (answer.key, answer.place.channel, answer.place.thread_ts) == ("r1:0.0", "D1", root.ts)
    assert row(worker)["stage"] == "done"


def test_where_no_direct_message_is_possible_the_request_ends(worker: WorkerContext) -> None:
    ask(worker, asker="")
    chat_of(worker).before.append(ChatRefused("no such channel", "channel_not_found"))
    take(worker, "r1")
    assert (row(worker)["stage"], row(worker)["open"], row(worker)["error"]) == ("dead", False, "nobody")


def drawn(log: RequestLog) -> Picture:
    return Picture("chart.png", "a chart", "words", b"png")


def test_a_picture_that_cannot_be_shown_takes_nothing_else_away(
    worker: WorkerContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.requests.outbox.draw_chart", drawn)
    ask(worker)
    chat_of(worker).before.append(ChatRefused("invalid blocks", "invalid_blocks"))
    take(worker, "r1")
    (answer,) = [m for m in chat_of(worker).messages if m.key == "r1:0.0"]
    assert "2 minutes after" in text_of(answer.post.blocks)
    assert not [b for b in answer.post.blocks if b["type"] == "image"]


def test_a_picture_is_stored_once(worker: WorkerContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.requests.outbox.draw_chart", drawn)
    ask(worker)
    chat_of(worker).before.extend([ChatUnavailable("no answer"), ChatBusy("too many", 1.0)])
    for _ in range(3):
        again(worker)
    (answer,) = [m for m in chat_of(worker).messages if m.key == "r1:0.0"]
    assert [b["slack_file"]["id"] for b in answer.post.blocks if b["type"] == "image"] == ["F1"]
    assert len(chat_of(worker).pictures) == 1


def test_blocks_that_break_a_limit_are_not_even_sent(worker: WorkerContext, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = Post("the answer", ({"type": "header", "text": {"type": "plain_text", "text": "x" * 500}},))
    monkeypatch.setattr("workers.requests.stages.render_answer", lambda *_, **__: (bad,))
    ask(worker)
    take(worker, "r1")
    (answer,) = [m for m in chat_of(worker).messages if m.key == "r1:0.0"]
    assert (answer.post.blocks, answer.post.text) == ((), "the answer\nAll of it: oracle show r1")


def broken(args: Mapping[str, Scalar]) -> ToolOutput:
    raise ZeroDivisionError("a bug")


def test_a_bug_ends_in_a_visible_reply(worker: WorkerContext) -> None:
    box = FakeToolbox(LANDSCAPE, metrics_query=broken, repo_search=broken, doc_search=broken)
    worker = replace(worker, oracle=replace(worker.oracle, engine=replace(worker.oracle.engine, toolbox=box)))
    ask(worker)
    for tries in range(1, 4):
        again(worker)
        assert row(worker)["failures"] == tries
    again(worker)
    (answer,) = [m for m in chat_of(worker).messages if m.key.startswith("r1:0.failed")]
    assert "could not finish" in text_of(answer.post.blocks)
    assert "ZeroDivisionError" not in text_of(answer.post.blocks)
    assert (row(worker)["stage"], row(worker)["error"]) == ("done", "gave up")


def test_a_job_that_kills_its_workers_ends_in_a_visible_reply(worker: WorkerContext) -> None:
    ask(worker)
    shift(worker, lost_leases=10)
    take(worker, "r1")
    assert chat_of(worker).keys() == ["r1:0.failed.0"]


def test_an_apology_that_cannot_be_posted_ends_it(worker: WorkerContext) -> None:
    ask(worker)
    shift(worker, lost_leases=10)
    chat_of(worker).before.append(Killed())
    with pytest.raises(Killed):
        take(worker, "r1")
    shift(worker, failures=3)
    again(worker)
    assert row(worker)["stage"] == "dead"


def test_a_question_with_two_meanings_waits_and_goes_on(worker: WorkerContext) -> None:
    ask(worker, "is it slow?")
    take(worker, "r1")
    assert (row(worker)["stage"], chat_of(worker).keys()) == ("waiting", ["r1:0.0"])
    reply = Reply(
        text="/api/search",
        asker="U1",
        team="T1",
        channel="C1",
        thread_ts="100.1",
        event_id="Ev2",
        request_id="r1",
        received_at=NOW,
    )
    assert worker.ledger.accept_reply(reply) == "r1"
    take(worker, "r1")
    assert chat_of(worker).keys() == ["r1:0.0", "r1:1.0"]
    assert row(worker)["stage"] == "done"
    asked_ts = chat_of(worker).messages[0].ts
    (shown,) = [post for ts, post in chat_of(worker).updates if ts == asked_ts]
    assert "/api/search" in text_of(shown.blocks)
    assert not [b for b in shown.blocks if b["type"] == "actions"]
    assert "/api/search" in worker.oracle.store.load("r1").question.text


def test_a_command_opens_its_thread_once(worker: WorkerContext) -> None:
    ask(worker, ts="", thread_ts="")
    chat_of(worker).after.append(ChatUnavailable("the connection was cut"))
    take(worker, "r1")
    again(worker)
    assert chat_of(worker).keys() == ["r1:root", "r1:0.0"]
    root, *rest = chat_of(worker).messages
    assert root.place.thread_ts == ""
    assert {m.place.thread_ts for m in rest} == {root.ts}


def test_a_follow_up_leans_on_its_thread(worker: WorkerContext) -> None:
    ask(worker)
    take(worker, "r1")
    ask(worker, "and what changed?", request_id="r2", ts="100.2", event_id="Ev2")
    take(worker, "r2")
    log = worker.oracle.store.load("r2")
    assert log.question.context[0] == WHY
    assert log.intent is not None
    assert "/api/search" in log.intent.subjects


def test_what_people_said_in_the_thread_is_context(worker: WorkerContext) -> None:
    chat_of(worker).said = [
        ThreadMessage("U2", "is anyone looking at /api/search?", "100.1"),
        ThreadMessage("U3", "what changed?", "100.3"),
    ]
    ask(worker, "what changed?", ts="100.2")
    take(worker, "r1")
    log = worker.oracle.store.load("r1")
    assert log.question.context == ("is anyone looking at /api/search?",)
    assert log.intent is not None
    assert "/api/search" in log.intent.subjects


def test_what_an_app_posted_above_is_context_and_asks_nothing(worker: WorkerContext) -> None:
    alert = "The app Monitor posted: “[FIRING:1] SearchLatencyHigh: p95 latency of /api/search is 1.9 s. Why?”"
    chat_of(worker).said = [ThreadMessage("B1", "", "100.1", app=True, quoted=alert, unread=("p95.png", "p95.png"))]
    ask(worker, "what's going on with this?", ts="100.2", unread=("error.log",))
    take(worker, "r1")
    log = worker.oracle.store.load("r1")
    assert (log.question.text, log.question.context) == ("what's going on with this?", (alert,))
    assert log.intent is not None
    assert "/api/search" in log.intent.subjects
    assert log.answer is not None
    assert log.answer.missing[-1].text == "I did not read error.log and p95.png."
    ask(worker, "what's going on with this?", request_id="r2", ts="", event_id="Ev2", again="r1")
    take(worker, "r2")
    assert worker.oracle.store.load("r2").question.unread == log.question.unread


def test_what_a_question_shows_without_its_thread_is_context(worker: WorkerContext) -> None:
    quoted = "Tomas wrote: “p95 of /api/search went from 180 ms to 900 ms after 13:00”"
    ask(worker, "what could be behind this?", context=(quoted,))
    take(worker, "r1")
    log = worker.oracle.store.load("r1")
    assert log.question.context == (quoted,)
    assert log.intent is not None
    assert "/api/search" in log.intent.subjects


def test_a_thread_that_cannot_be_read_delays_nothing(worker: WorkerContext) -> None:
    chat_of(worker).errors["thread"] = [ChatBusy("too many", 30)]
    ask(worker, ts="100.2")
    take(worker, "r1")
    assert row(worker)["stage"] == "done"


def test_a_request_that_is_run_again_says_what_differs(worker: WorkerContext) -> None:
    ask(worker)
    take(worker, "r1")
    before = worker.oracle.store.load("r1")
    ask(worker, request_id="r2", ts="", event_id="Ev2", again="r1")
    take(worker, "r2")
    (answer,) = [m for m in chat_of(worker).messages if m.key == "r2:0.0"]
    assert "last time" in text_of(answer.post.blocks)
    assert worker.oracle.store.load("r2").question.context == before.question.context


def test_a_channel_may_want_it_in_full(worker: WorkerContext) -> None:
    ask(worker)
    take(worker, "r1")
    change_channel(worker.ledger.database, "T1", "C1", ChannelSettings("mentions", "", "full"), "U1")
    ask(worker, request_id="r2", ts="100.2", thread_ts="100.2", event_id="Ev2")
    take(worker, "r2")
    short, full = (m for m in chat_of(worker).messages if m.key in {"r1:0.0", "r2:0.0"})
    assert len(text_of(short.post.blocks)) < len(text_of(full.post.blocks))


def test_a_follow_up_in_a_thread_says_what_is_new_and_draws_no_chart_twice(worker: WorkerContext) -> None:
    for number in (1, 2):
        ask(worker, request_id=f"r{number}", ts=f"100.{number}", event_id=f"Ev{number}")
        take(worker, f"r{number}")
    first, again = (text_of(m.post.blocks) for m in chat_of(worker).messages if m.key.endswith(":0.0"))
    headline = worker.oracle.store.load("r2").answer
    assert headline
    assert headline.headline.text.split(" ")[0] in again
    assert len(again) < len(first)
    assert len(chat_of(worker).pictures) <= 1


def stop_at(worker: WorkerContext, tool: str) -> WorkerContext:
    """A worker at which someone presses Stop while a tool runs."""

    def press(args: Mapping[str, Scalar]) -> ToolOutput:
        assert worker.ledger.stop_thread("T1", "C1", "100.1", "U2") == ("r1",)
        return metrics(args)

    tools = {"metrics_query": metrics, "repo_search": repository, "doc_search": documents, tool: press}
    box = FakeToolbox(LANDSCAPE, **tools)
    return replace(worker, oracle=replace(worker.oracle, engine=replace(worker.oracle.engine, toolbox=box)))


def test_a_stopped_request_is_not_answered_and_says_so(worker: WorkerContext) -> None:
    ask(worker)
    take(stop_at(worker, "metrics_query"), "r1")
    assert chat_of(worker).keys() == [], "the worker lost its lease"
    take(worker, "r1")
    assert chat_of(worker).keys() == ["r1:0.stopped"]
    (said,) = [m for m in chat_of(worker).messages if m.key == "r1:0.stopped"]
    assert "Stopped" in said.post.text
    assert (row(worker)["stage"], row(worker)["open"]) == ("stopped", False)


def test_stop_after_the_answer_was_posted_adds_nothing(worker: WorkerContext) -> None:
    ask(worker)
    chat_of(worker).after.append(ChatUnavailable("the connection was cut"))
    take(worker, "r1")
    assert worker.ledger.stop("r1", "U1")
    take(worker, "r1")
    assert (chat_of(worker).keys(), row(worker)["stage"]) == (["r1:0.0"], "stopped")


def test_an_answer_in_the_thread_always_has_its_log(worker: WorkerContext) -> None:
    ask(worker)
    chat_of(worker).after.append(Killed())
    with pytest.raises(Killed):
        take(worker, "r1")
    assert worker.ledger.stop("r1", "U1")
    take(worker, "r1")
    assert chat_of(worker).keys() == ["r1:0.0"]
    assert worker.oracle.store.load("r1").answer is not None


def test_stop_while_a_post_may_be_under_way_looks_again_before_it_says_so(worker: WorkerContext) -> None:
    ask(worker)
    chat_of(worker).before.append(Killed())
    with pytest.raises(Killed):
        take(worker, "r1")
    assert worker.ledger.stop("r1", "U1")
    take(worker, "r1")
    assert chat_of(worker).keys() == [], "the post of the worker before may still arrive"
    assert row(worker)["wait_until"] - row(worker)["waiting_since"] > 10
    again(worker)
    assert (chat_of(worker).keys(), row(worker)["stage"]) == (["r1:0.stopped"], "stopped")


def test_a_question_from_a_window_reads_the_thread_it_is_about(worker: WorkerContext) -> None:
    chat_of(worker).said = [ThreadMessage("U2", "/api/search is slow for us", "100.1")]
    ask(worker, "what changed?", ts="", context=("quoted",))
    take(worker, "r1")
    assert worker.oracle.store.load("r1").question.context == ("/api/search is slow for us", "quoted")


def test_a_clarifying_question_can_be_stopped(worker: WorkerContext) -> None:
    ask(worker, "is it slow?")
    take(worker, "r1")
    assert worker.ledger.stop("r1", "U1")
    take(worker, "r1")
    assert row(worker)["stage"] == "stopped"
    assert chat_of(worker).keys() == ["r1:0.0", "r1:0.stopped"]


def test_a_direct_message_that_was_cut_off_is_not_opened_twice(worker: WorkerContext) -> None:
    ask(worker)
    chat_of(worker).before.append(ChatRefused("no such channel", "channel_not_found"))
    chat_of(worker).after.append(ChatUnavailable("the connection was cut"))
    take(worker, "r1")
    assert chat_of(worker).keys() == ["r1:direct"]
    chat_of(worker).before.append(ChatRefused("no such channel", "channel_not_found"))
    again(worker)
    again(worker)
    assert chat_of(worker).keys() == ["r1:direct", "r1:0.0"]
    assert row(worker)["stage"] == "done"


def test_nobody_who_did_not_ask_is_told_that_nothing_was_found(worker: WorkerContext) -> None:
    ask(worker, "lunch at 12?", unasked=True)
    take(worker, "r1")
    assert (chat_of(worker).keys(), chat_of(worker).streams, row(worker)["stage"]) == ([], [], "done")


def test_nobody_who_did_not_ask_is_asked_back(worker: WorkerContext) -> None:
    ask(worker, "is it slow?", unasked=True)
    take(worker, "r1")
    assert (chat_of(worker).keys(), row(worker)["stage"]) == ([], "done")


def test_what_was_found_is_said_to_those_who_did_not_ask_too(worker: WorkerContext) -> None:
    ask(worker, unasked=True)
    take(worker, "r1")
    assert (chat_of(worker).keys(), chat_of(worker).streams) == (["r1:0.0"], [])
