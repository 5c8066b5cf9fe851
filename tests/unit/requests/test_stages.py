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

from tests.support.engine_fakes import NOW, FakeToolbox
from tests.support.memory_chat import FakeChat
from tests.unit.engine.test_run import LANDSCAPE, documents, metrics, repository
from workers.bootstrap import build_engine
from workers.contracts import Question, Reply, RequestLog, Scalar, ToolOutput
from workers.delivery.progress import ProgressBoard
from workers.entrypoints.tasks import take
from workers.errors import ChatBusy, ChatRefused, ChatUnavailable
from workers.ports import Picture, Post, Said
from workers.requests.ledger import Inbox
from workers.requests.worker_context import Desk
from workers.settings.load import load_settings
from workers.settings.schema import WorkerSection
from workers.store.channels import ChannelSettings, change_channel
from workers.store.tables import jobs
from workers.telemetry.service_metrics import ServiceMetrics
from workers.toolkit.clock import SystemClock

WHY = "Why is /api/search slow since yesterday's deploy?"


class Killed(BaseException):
    """A worker that is gone: nothing after it runs in this test but what `take` does for a stopped worker."""


@pytest.fixture
def desk(prepared_home: Path) -> Iterator[Desk]:
    box = FakeToolbox(LANDSCAPE, metrics_query=metrics, repo_search=repository, doc_search=documents)
    oracle = build_engine(load_settings(home=prepared_home), clock=SystemClock(NOW), toolbox=box)
    chat = FakeChat()
    inbox = Inbox(oracle.store.database, WorkerSection())
    board = ProgressBoard(lambda _: chat, inbox.note_progress)
    yield Desk(oracle=oracle, inbox=inbox, chats=lambda _: chat, board=board, metrics=ServiceMetrics(oracle.metrics))
    board.close()
    oracle.close()


def chat_of(desk: Desk) -> FakeChat:
    chat = desk.chats("T1")
    assert isinstance(chat, FakeChat)
    return chat


def calls_of(desk: Desk) -> list[str]:
    box = desk.oracle.engine.toolbox
    assert isinstance(box, FakeToolbox)
    return [call.name for call in box.made]


def ask(desk: Desk, text: str = WHY, **changes: Any) -> None:
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
    assert desk.inbox.accept(Question(**(shared | changes)))


def row(desk: Desk) -> Any:
    with desk.inbox.database.begin() as connection:
        return connection.execute(select(jobs)).mappings().one()


def shift(desk: Desk, **columns: Any) -> None:
    with desk.inbox.database.begin() as connection:
        connection.execute(update(jobs).values(**columns))


def again(desk: Desk) -> None:
    """Time passes, and the sweeper rings."""
    shift(desk, wait_until=0.0, lease_until=None)
    take(desk, "r1")


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


def test_a_mention_is_answered_in_its_thread(desk: Desk) -> None:
    ask(desk)
    take(desk, "r1")
    (answer,) = [m for m in chat_of(desk).messages if m.key == "r1:0.0"]
    assert (answer.place.channel, answer.place.thread_ts) == ("C1", "100.1")
    assert "p95 latency of /api/search rose" in answer.post.text
    assert "2 minutes after" in text_of(answer.post.blocks)
    found = row(desk)
    assert (found["stage"], found["open"], found["sent"]) == ("done", False, {"0.0": answer.ts})
    assert desk.oracle.store.load("r1").question.timezone == "Europe/Berlin"
    assert chat_of(desk).looks == 0, "a first post needs no look"
    take(desk, "r1")
    assert chat_of(desk).keys() == ["r1:0.0"]


def test_the_thread_is_told_the_plan_before_the_answer(desk: Desk) -> None:
    told = threading.Event()

    def slow(args: Mapping[str, Scalar]) -> ToolOutput:
        assert told.wait(20), "the plan stands in the thread while the tools run"
        return metrics(args)

    chat_of(desk).on_progress = told.set
    box = FakeToolbox(LANDSCAPE, metrics_query=slow, repo_search=repository, doc_search=documents)
    desk = replace(desk, oracle=replace(desk.oracle, engine=replace(desk.oracle.engine, toolbox=box)))
    ask(desk)
    take(desk, "r1")
    assert len(chat_of(desk).streams) == 1
    assert [m.key for m in chat_of(desk).messages] == ["r1:0.0"]


def test_an_answer_that_stands_is_not_followed_by_an_apology(desk: Desk) -> None:
    ask(desk)
    chat_of(desk).after.append(Killed())
    with pytest.raises(Killed):
        take(desk, "r1")
    shift(desk, lost_leases=10)
    again(desk)
    assert (chat_of(desk).keys(), row(desk)["stage"]) == (["r1:0.0"], "done")


def test_a_post_that_was_cut_off_is_found_and_not_repeated(desk: Desk) -> None:
    ask(desk)
    chat_of(desk).after.append(ChatUnavailable("the connection was cut"))
    take(desk, "r1")
    assert (row(desk)["stage"], row(desk)["sent"], row(desk)["failures"]) == ("deliver", {"0.0": ""}, 0)
    again(desk)
    assert row(desk)["stage"] == "done"
    assert chat_of(desk).keys() == ["r1:0.0"]
    assert chat_of(desk).looks == 1


def test_a_worker_killed_between_post_and_record_answers_once(desk: Desk) -> None:
    ask(desk)
    chat_of(desk).after.append(Killed())
    with pytest.raises(Killed):
        take(desk, "r1")
    again(desk)
    assert chat_of(desk).keys() == ["r1:0.0"]
    assert row(desk)["sent"] == {"0.0": "500.1"} or row(desk)["sent"] == {"0.0": "500.0"}


def test_a_worker_killed_before_the_post_answers_once(desk: Desk) -> None:
    ask(desk)
    chat_of(desk).before.append(Killed())
    with pytest.raises(Killed):
        take(desk, "r1")
    made = calls_of(desk)
    again(desk)
    assert chat_of(desk).keys() == ["r1:0.0"]
    assert calls_of(desk) == made, "the tools are not called again: the checkpoint holds what they found"


def test_slack_is_away_for_long_and_the_answer_comes_afterwards(desk: Desk) -> None:
    ask(desk)
    chat_of(desk).before.extend(ChatUnavailable("no answer") for _ in range(8))
    for _ in range(9):
        again(desk)
    assert row(desk)["stage"] == "done"
    assert chat_of(desk).keys() == ["r1:0.0"]


def test_a_busy_slack_is_obeyed(desk: Desk) -> None:
    ask(desk)
    chat_of(desk).before.append(ChatBusy("too many", retry_after_s=30))
    take(desk, "r1")
    found = row(desk)
    assert 30 <= found["wait_until"] - found["accepted_at"] < 60
    take(desk, "r1")
    assert (chat_of(desk).keys(), row(desk)["sent"]) == ([], {})
    again(desk)
    assert (chat_of(desk).keys(), chat_of(desk).looks) == (["r1:0.0"], 0)


def test_blocks_that_slack_refuses_are_said_as_text(desk: Desk) -> None:
    ask(desk)
    chat_of(desk).before.extend(ChatRefused("invalid blocks", "invalid_blocks") for _ in range(2))
    take(desk, "r1")
    (answer,) = [m for m in chat_of(desk).messages if m.key == "r1:0.0"]
    assert answer.post.blocks == ()
    assert "/api/search" in answer.post.text
    assert row(desk)["stage"] == "done"


def test_a_channel_that_is_gone_is_answered_in_a_direct_message(desk: Desk) -> None:
    ask(desk)
    chat_of(desk).before.append(ChatRefused("no such channel", "channel_not_found"))
    take(desk, "r1")
    again(desk)
    root, answer = [m for m in chat_of(desk).messages if not m.key.endswith("progress")]
    assert (root.key, root.place.channel, root.place.thread_ts) == ("r1:direct", "D1", "")
    assert "channel_not_found" in text_of(root.post.blocks)
    assert (answer.key, answer.place.channel, answer.place.thread_ts) == ("r1:0.0", "D1", root.ts)
    assert row(desk)["stage"] == "done"


def test_where_no_direct_message_is_possible_the_request_ends(desk: Desk) -> None:
    ask(desk, asker="")
    chat_of(desk).before.append(ChatRefused("no such channel", "channel_not_found"))
    take(desk, "r1")
    assert (row(desk)["stage"], row(desk)["open"], row(desk)["error"]) == ("dead", False, "nobody")


def drawn(log: RequestLog) -> Picture:
    return Picture("chart.png", "a chart", "words", b"png")


def test_a_picture_that_cannot_be_shown_takes_nothing_else_away(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.requests.outbox.draw_chart", drawn)
    ask(desk)
    chat_of(desk).before.append(ChatRefused("invalid blocks", "invalid_blocks"))
    take(desk, "r1")
    (answer,) = [m for m in chat_of(desk).messages if m.key == "r1:0.0"]
    assert "Metrics" in text_of(answer.post.blocks)
    assert not [b for b in answer.post.blocks if b["type"] == "image"]


def test_a_picture_is_stored_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.requests.outbox.draw_chart", drawn)
    ask(desk)
    chat_of(desk).before.extend([ChatUnavailable("no answer"), ChatBusy("too many", 1.0)])
    for _ in range(3):
        again(desk)
    (answer,) = [m for m in chat_of(desk).messages if m.key == "r1:0.0"]
    assert [b["slack_file"]["id"] for b in answer.post.blocks if b["type"] == "image"] == ["F1"]
    assert len(chat_of(desk).pictures) == 1


def test_blocks_that_break_a_limit_are_not_even_sent(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = Post("the answer", ({"type": "header", "text": {"type": "plain_text", "text": "x" * 500}},))
    monkeypatch.setattr("workers.requests.stages.render_answer", lambda *_, **__: (bad,))
    ask(desk)
    take(desk, "r1")
    (answer,) = [m for m in chat_of(desk).messages if m.key == "r1:0.0"]
    assert (answer.post.blocks, answer.post.text) == ((), "the answer\nAll of it: oracle show r1")


def broken(args: Mapping[str, Scalar]) -> ToolOutput:
    raise ZeroDivisionError("a bug")


def test_a_bug_ends_in_a_visible_reply(desk: Desk) -> None:
    box = FakeToolbox(LANDSCAPE, metrics_query=broken, repo_search=broken, doc_search=broken)
    desk = replace(desk, oracle=replace(desk.oracle, engine=replace(desk.oracle.engine, toolbox=box)))
    ask(desk)
    for tries in range(1, 4):
        again(desk)
        assert row(desk)["failures"] == tries
    again(desk)
    (answer,) = [m for m in chat_of(desk).messages if m.key.startswith("r1:0.failed")]
    assert "could not finish" in text_of(answer.post.blocks)
    assert "ZeroDivisionError" not in text_of(answer.post.blocks)
    assert (row(desk)["stage"], row(desk)["error"]) == ("done", "gave up")


def test_a_job_that_kills_its_workers_ends_in_a_visible_reply(desk: Desk) -> None:
    ask(desk)
    shift(desk, lost_leases=10)
    take(desk, "r1")
    assert chat_of(desk).keys() == ["r1:0.failed.0"]


def test_an_apology_that_cannot_be_posted_ends_it(desk: Desk) -> None:
    ask(desk)
    shift(desk, lost_leases=10)
    chat_of(desk).before.append(Killed())
    with pytest.raises(Killed):
        take(desk, "r1")
    shift(desk, failures=3)
    again(desk)
    assert row(desk)["stage"] == "dead"


def test_a_question_with_two_meanings_waits_and_goes_on(desk: Desk) -> None:
    ask(desk, "is it slow?")
    take(desk, "r1")
    assert (row(desk)["stage"], chat_of(desk).keys()) == ("waiting", ["r1:0.0"])
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
    assert desk.inbox.accept_reply(reply) == "r1"
    take(desk, "r1")
    assert chat_of(desk).keys() == ["r1:0.0", "r1:1.0"]
    assert row(desk)["stage"] == "done"
    asked_ts = chat_of(desk).messages[0].ts
    (shown,) = [post for ts, post in chat_of(desk).updates if ts == asked_ts]
    assert "/api/search" in text_of(shown.blocks)
    assert not [b for b in shown.blocks if b["type"] == "actions"]
    assert "/api/search" in desk.oracle.store.load("r1").question.text


def test_a_command_opens_its_thread_once(desk: Desk) -> None:
    ask(desk, ts="", thread_ts="")
    chat_of(desk).after.append(ChatUnavailable("the connection was cut"))
    take(desk, "r1")
    again(desk)
    assert chat_of(desk).keys() == ["r1:root", "r1:0.0"]
    root, *rest = chat_of(desk).messages
    assert root.place.thread_ts == ""
    assert {m.place.thread_ts for m in rest} == {root.ts}


def test_a_follow_up_leans_on_its_thread(desk: Desk) -> None:
    ask(desk)
    take(desk, "r1")
    ask(desk, "and what changed?", request_id="r2", ts="100.2", event_id="Ev2")
    take(desk, "r2")
    log = desk.oracle.store.load("r2")
    assert log.question.context[0] == WHY
    assert log.intent is not None
    assert "/api/search" in log.intent.subjects


def test_what_people_said_in_the_thread_is_context(desk: Desk) -> None:
    chat_of(desk).said = [
        Said("U2", "is anyone looking at /api/search?", "100.1"),
        Said("U3", "what changed?", "100.3"),
    ]
    ask(desk, "what changed?", ts="100.2")
    take(desk, "r1")
    log = desk.oracle.store.load("r1")
    assert log.question.context == ("is anyone looking at /api/search?",)
    assert log.intent is not None
    assert "/api/search" in log.intent.subjects


def test_a_thread_that_cannot_be_read_delays_nothing(desk: Desk) -> None:
    chat_of(desk).errors["thread"] = [ChatBusy("too many", 30)]
    ask(desk, ts="100.2")
    take(desk, "r1")
    assert row(desk)["stage"] == "done"


def test_a_request_that_is_run_again_says_what_differs(desk: Desk) -> None:
    ask(desk)
    take(desk, "r1")
    before = desk.oracle.store.load("r1")
    ask(desk, request_id="r2", ts="", event_id="Ev2", again="r1")
    take(desk, "r2")
    (answer,) = [m for m in chat_of(desk).messages if m.key == "r2:0.0"]
    assert "last time" in text_of(answer.post.blocks)
    assert desk.oracle.store.load("r2").question.context == before.question.context


def test_a_channel_may_want_it_short(desk: Desk) -> None:
    ask(desk)
    take(desk, "r1")
    change_channel(desk.inbox.database, "T1", "C1", ChannelSettings("mentions", "", "short"), "U1")
    ask(desk, request_id="r2", ts="100.2", thread_ts="100.2", event_id="Ev2")
    take(desk, "r2")
    full, short = (m for m in chat_of(desk).messages if m.key in {"r1:0.0", "r2:0.0"})
    assert len(text_of(short.post.blocks)) < len(text_of(full.post.blocks))


def stop_at(desk: Desk, tool: str) -> Desk:
    """A desk at which someone presses Stop while a tool runs."""

    def press(args: Mapping[str, Scalar]) -> ToolOutput:
        assert desk.inbox.stop_thread("T1", "C1", "100.1", "U2") == ("r1",)
        return metrics(args)

    tools = {"metrics_query": metrics, "repo_search": repository, "doc_search": documents, tool: press}
    box = FakeToolbox(LANDSCAPE, **tools)
    return replace(desk, oracle=replace(desk.oracle, engine=replace(desk.oracle.engine, toolbox=box)))


def test_a_stopped_request_is_not_answered_and_says_so(desk: Desk) -> None:
    ask(desk)
    take(stop_at(desk, "metrics_query"), "r1")
    assert chat_of(desk).keys() == [], "the worker lost its lease"
    take(desk, "r1")
    assert chat_of(desk).keys() == ["r1:0.stopped"]
    (said,) = [m for m in chat_of(desk).messages if m.key == "r1:0.stopped"]
    assert "Stopped" in said.post.text
    assert (row(desk)["stage"], row(desk)["open"]) == ("stopped", False)


def test_stop_after_the_answer_was_posted_adds_nothing(desk: Desk) -> None:
    ask(desk)
    chat_of(desk).after.append(ChatUnavailable("the connection was cut"))
    take(desk, "r1")
    assert desk.inbox.stop("r1", "U1")
    take(desk, "r1")
    assert (chat_of(desk).keys(), row(desk)["stage"]) == (["r1:0.0"], "stopped")


def test_an_answer_in_the_thread_always_has_its_log(desk: Desk) -> None:
    ask(desk)
    chat_of(desk).after.append(Killed())
    with pytest.raises(Killed):
        take(desk, "r1")
    assert desk.inbox.stop("r1", "U1")
    take(desk, "r1")
    assert chat_of(desk).keys() == ["r1:0.0"]
    assert desk.oracle.store.load("r1").answer is not None


def test_stop_while_a_post_may_be_under_way_looks_again_before_it_says_so(desk: Desk) -> None:
    ask(desk)
    chat_of(desk).before.append(Killed())
    with pytest.raises(Killed):
        take(desk, "r1")
    assert desk.inbox.stop("r1", "U1")
    take(desk, "r1")
    assert chat_of(desk).keys() == [], "the post of the worker before may still arrive"
    assert row(desk)["wait_until"] - row(desk)["waiting_since"] > 10
    again(desk)
    assert (chat_of(desk).keys(), row(desk)["stage"]) == (["r1:0.stopped"], "stopped")


def test_a_question_from_a_window_reads_the_thread_it_is_about(desk: Desk) -> None:
    chat_of(desk).said = [Said("U2", "/api/search is slow for us", "100.1")]
    ask(desk, "what changed?", ts="", context=("quoted",))
    take(desk, "r1")
    assert desk.oracle.store.load("r1").question.context == ("quoted", "/api/search is slow for us")


def test_a_clarifying_question_can_be_stopped(desk: Desk) -> None:
    ask(desk, "is it slow?")
    take(desk, "r1")
    assert desk.inbox.stop("r1", "U1")
    take(desk, "r1")
    assert row(desk)["stage"] == "stopped"
    assert chat_of(desk).keys() == ["r1:0.0", "r1:0.stopped"]


def test_a_direct_message_that_was_cut_off_is_not_opened_twice(desk: Desk) -> None:
    ask(desk)
    chat_of(desk).before.append(ChatRefused("no such channel", "channel_not_found"))
    chat_of(desk).after.append(ChatUnavailable("the connection was cut"))
    take(desk, "r1")
    assert chat_of(desk).keys() == ["r1:direct"]
    chat_of(desk).before.append(ChatRefused("no such channel", "channel_not_found"))
    again(desk)
    again(desk)
    assert chat_of(desk).keys() == ["r1:direct", "r1:0.0"]
    assert row(desk)["stage"] == "done"


def test_nobody_who_did_not_ask_is_told_that_nothing_was_found(desk: Desk) -> None:
    ask(desk, "lunch at 12?", unasked=True)
    take(desk, "r1")
    assert (chat_of(desk).keys(), chat_of(desk).streams, row(desk)["stage"]) == ([], [], "done")


def test_nobody_who_did_not_ask_is_asked_back(desk: Desk) -> None:
    ask(desk, "is it slow?", unasked=True)
    take(desk, "r1")
    assert (chat_of(desk).keys(), row(desk)["stage"]) == ([], "done")


def test_what_was_found_is_said_to_those_who_did_not_ask_too(desk: Desk) -> None:
    ask(desk, unasked=True)
    take(desk, "r1")
    assert (chat_of(desk).keys(), chat_of(desk).streams) == (["r1:0.0"], [])
