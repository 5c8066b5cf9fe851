"""Streamed progress against the sandbox, which lets streams expire, be stopped and be refused as Slack does."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support.sandbox_process import Running, running_sandbox
from workers.contracts import Plan, Step
from workers.delivery import progress, slack_chat
from workers.delivery.progress import ProgressBoard
from workers.delivery.slack_chat import SlackChat
from workers.errors import ChatRefused
from workers.ports import Place, Post, Recipient

ANSWER = Post("p95 is 1.9 s", ({"type": "section", "text": {"type": "plain_text", "text": "p95 is 1.9 s"}},))
PLAN = Plan(
    pattern="P",
    query_intent="find the cause",
    steps=tuple(Step(id=i, tool="metrics_query", args={"query": i}, purpose=f"look at {i}") for i in ("m1", "m2")),
)
URL = "https://prometheus.example/graph?g0.expr=p95"


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with running_sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def sandbox(running: Running) -> Iterator[Running]:
    running.do("/control/limits", unlimited=True, stream_life_s=300)
    yield running
    running.http.delete("/control/faults")


@pytest.fixture
def chat(sandbox: Running) -> SlackChat:
    return SlackChat(sandbox.address["bot_token"], sandbox.address["api_url"])


@pytest.fixture
def asked(sandbox: Running) -> dict[str, Any]:
    message = sandbox.do("/control/message", channel="incidents", text="why is it slow?")
    (root,) = sandbox.thread(message["channel"], message["ts"])
    return root | {"channel": message["channel"]}


@pytest.fixture
def thread(asked: dict[str, Any]) -> Place:
    return Place(asked["channel"], asked["ts"], asked["team"])


@pytest.fixture
def recipient(asked: dict[str, Any]) -> Recipient:
    return Recipient(asked["user"], asked["team"])


@pytest.fixture
def board(chat: SlackChat) -> Iterator[ProgressBoard]:
    made = ProgressBoard(lambda team: chat, interval_s=0.01)
    yield made
    made.close()


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def replies(sandbox: Running, thread: Place) -> list[dict[str, Any]]:
    return sandbox.thread(thread.channel, thread.thread_ts)[1:]


def place_state(sandbox: Running, thread: Place, what: str) -> list[dict[str, Any]]:
    (channel,) = sandbox.see("/control/state", channel=thread.channel)["channels"]
    return [entry for entry in channel[what] if entry["thread_ts"] == thread.thread_ts]


def shows(sandbox: Running, thread: Place, words: str) -> bool:
    return any(words in str(message["blocks"]) for message in replies(sandbox, thread))


def begin(board: ProgressBoard, thread: Place, recipient: Recipient | None, name: str = "r1") -> None:
    board.plan(name, thread, "why is it slow?", PLAN, recipient=recipient)
    until(lambda: board.shown[name].ts)


def test_a_plan_grows_in_one_message_above_the_answer(
    board: ProgressBoard, chat: SlackChat, sandbox: Running, thread: Place, recipient: Recipient
) -> None:
    begin(board, thread, recipient)
    (message,) = replies(sandbox, thread)
    (plan,) = message["blocks"]
    assert (plan["type"], plan["title"]) == ("plan", "Checking · 0 of 2 done")
    assert chat.find(thread, "r1:progress") == message["ts"]
    board.step("r1", "m1", "running", "")
    board.step("r1", "m1", "ok", "p95 is 1.9 s", (("p95 of /api/search", URL),))
    until(lambda: shows(sandbox, thread, "1 of 2 done"))
    board.step("r1", "m2", "timeout", "the server is slow")
    board.finish("r1")
    chat.post(thread, ANSWER, "r1:0.0")
    until(lambda: not board.shown)
    message, answer = replies(sandbox, thread)
    (plan,) = message["blocks"]
    first, second = plan["tasks"]
    assert (plan["title"], first["status"], second["status"]) == ("Checked", "complete", "error")
    assert first["sources"] == [{"type": "url", "url": URL, "text": "p95 of /api/search"}]
    assert "took too long: the server is slow" in str(second["output"])
    assert chat.find(thread, "r1:progress") == message["ts"]
    assert [said.text for said in chat.thread(thread, "9999999999.0", 9)] == ["why is it slow?", "p95 is 1.9 s"]
    assert answer["text"] == "p95 is 1.9 s"


def test_status_and_stop_button_stand_until_the_answer(
    board: ProgressBoard, sandbox: Running, thread: Place, recipient: Recipient
) -> None:
    begin(board, thread, recipient)
    until(lambda: place_state(sandbox, thread, "sessions"))
    (session,) = place_state(sandbox, thread, "sessions")
    assert (session["status"], session["title"]) == ("processing", "why is it slow?")
    assert session["initiator"] == recipient.user
    (status,) = place_state(sandbox, thread, "statuses")
    assert status["status"] == "is checking: look at m1…"
    board.finish("r1")
    until(lambda: place_state(sandbox, thread, "sessions")[0]["status"] == "active")
    assert place_state(sandbox, thread, "statuses") == []


@pytest.mark.parametrize("last", [False, True])
def test_a_stream_that_expired_goes_on_in_its_message(
    board: ProgressBoard, chat: SlackChat, sandbox: Running, thread: Place, recipient: Recipient, last: bool
) -> None:
    sandbox.do("/control/limits", stream_life_s=0)
    begin(board, thread, recipient)
    board.step("r1", "m1", "ok", "found after the end")
    if not last:
        until(lambda: shows(sandbox, thread, "found after the end"))
    board.finish("r1")
    until(lambda: not board.shown)
    (message,) = replies(sandbox, thread)
    assert "found after the end" in str(message["blocks"])
    assert "Checked" in str(message["blocks"])
    assert chat.find(thread, "r1:progress") == message["ts"]
    assert board.dropped == 0


def test_a_stream_is_rolled_over_before_it_expires(
    board: ProgressBoard,
    chat: SlackChat,
    sandbox: Running,
    thread: Place,
    recipient: Recipient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(progress, "STREAM_S", 0.2)
    begin(board, thread, recipient)
    until(lambda: replies(sandbox, thread)[0]["blocks"][0]["type"] == "rich_text")
    board.step("r1", "m2", "ok", "said by an update")
    board.finish("r1")
    until(lambda: not board.shown)
    (message,) = replies(sandbox, thread)
    assert "said by an update" in str(message["blocks"])
    assert chat.find(thread, "r1:progress") == message["ts"]


def test_a_person_presses_stop(board: ProgressBoard, sandbox: Running, thread: Place, recipient: Recipient) -> None:
    begin(board, thread, recipient)
    until(lambda: place_state(sandbox, thread, "sessions"))
    stopped = sandbox.do("/control/stop", channel=thread.channel, thread_ts=thread.thread_ts)
    assert stopped["streaming_message_ts"] == [replies(sandbox, thread)[0]["ts"]]
    board.step("r1", "m1", "ok", "after the stop")
    board.finish("r1")
    until(lambda: not board.shown)
    (message,) = replies(sandbox, thread)
    assert "after the stop" in str(message["blocks"])
    assert "not finished" in str(message["blocks"])
    until(lambda: place_state(sandbox, thread, "sessions")[0]["status"] == "active")


def test_too_many_streams_are_followed_by_messages(
    board: ProgressBoard, sandbox: Running, thread: Place, recipient: Recipient
) -> None:
    sandbox.do("/control/faults", method="chat.startStream", action="ratelimit", seconds=60, times=1)
    board.plan("r1", thread, "why?", PLAN, recipient=recipient)
    until(lambda: board.dropped)
    assert replies(sandbox, thread) == []
    begin(board, thread, recipient, "r2")
    (message,) = replies(sandbox, thread)
    assert message["blocks"][0]["type"] == "rich_text"
    assert place_state(sandbox, thread, "sessions") == [], "under load nothing stands below the thread"


def test_a_person_who_cannot_be_streamed_to_sees_a_message(
    board: ProgressBoard, sandbox: Running, thread: Place
) -> None:
    begin(board, thread, Recipient("U000NOBODY", thread.team))
    (message,) = replies(sandbox, thread)
    assert message["blocks"][0]["type"] == "rich_text"


def test_the_answer_stands_although_the_stream_hangs(
    board: ProgressBoard, chat: SlackChat, sandbox: Running, thread: Place, recipient: Recipient
) -> None:
    sandbox.do("/control/faults", method="chat.startStream", action="hold", times=1)
    board.plan("r1", thread, "why?", PLAN, recipient=recipient)
    until(lambda: sandbox.see("/control/calls", method="chat.startStream")["calls"] and replies(sandbox, thread))
    board.finish("r1")
    chat.post(thread, ANSWER, "r1:0.0")
    assert chat.find(thread, "r1:0.0")
    sandbox.do("/control/release")
    until(lambda: not board.shown)
    stream, answer = replies(sandbox, thread)
    assert (stream["blocks"][0]["title"], answer["text"]) == ("Checked", "p95 is 1.9 s")


def test_a_start_that_was_cut_is_found_by_its_tasks(
    board: ProgressBoard,
    chat: SlackChat,
    sandbox: Running,
    thread: Place,
    recipient: Recipient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(progress, "PAUSE_S", 0)
    sandbox.do("/control/faults", method="chat.startStream", action="drop_after", times=1)
    board.plan("r1", thread, "why?", PLAN, recipient=recipient)
    board.step("r1", "m1", "ok", "found again")
    until(lambda: shows(sandbox, thread, "found again"))
    board.finish("r1")
    until(lambda: not board.shown)
    (message,) = replies(sandbox, thread)
    assert chat.find(thread, "r1:progress") == message["ts"]


def test_an_append_that_was_cut_is_not_said_twice(
    board: ProgressBoard, sandbox: Running, thread: Place, recipient: Recipient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "PAUSE_S", 0)
    begin(board, thread, recipient)
    sandbox.do("/control/faults", method="chat.appendStream", action="drop_after", times=1)
    board.step("r1", "m1", "ok", "said once")
    until(lambda: replies(sandbox, thread)[0]["blocks"][0]["type"] == "rich_text")
    (message,) = replies(sandbox, thread)
    assert str(message["blocks"]).count("said once") == 1


def test_the_next_worker_goes_on_with_a_stream_that_still_runs(
    chat: SlackChat, sandbox: Running, thread: Place, recipient: Recipient
) -> None:
    dead = ProgressBoard(lambda team: chat, interval_s=0.01)
    begin(dead, thread, recipient)
    ts = dead.shown["r1"].ts
    dead.close()
    assert replies(sandbox, thread)[0]["streaming_state"] == "in_progress"
    board = ProgressBoard(lambda team: chat, interval_s=0.01)
    board.plan("r1", thread, "why?", PLAN, recipient=recipient, ts=ts, states={"m1": ("ok", "known before")})
    until(lambda: shows(sandbox, thread, "known before"))
    board.finish("r1")
    until(lambda: not board.shown and not board.leaving)
    board.close()
    (message,) = replies(sandbox, thread)
    assert (message["ts"], message["streaming_state"]) == (ts, "completed")


def test_a_status_that_takes_too_long_is_given_up(
    sandbox: Running, thread: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slack_chat, "QUICK_TIMEOUT_S", 0.3)
    chat = SlackChat(sandbox.address["bot_token"], sandbox.address["api_url"])
    sandbox.do("/control/faults", method="assistant.threads.setStatus", action="hold", times=1)
    board = ProgressBoard(lambda team: chat, interval_s=0.01)
    assert not board.signals.status(thread, "is checking")
    assert board.signals.rests(thread.team, "status")
    sandbox.do("/control/release")
    board.close()


def test_the_address_of_a_message(chat: SlackChat, thread: Place) -> None:
    ts = chat.post(thread, ANSWER, "r1:0.0")
    assert ts.replace(".", "") in chat.permalink(thread, ts)
    with pytest.raises(ChatRefused, match="message_not_found"):
        chat.permalink(thread, "1.0")
