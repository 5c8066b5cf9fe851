"""What the door sends for streams, status and sessions, against the stand-in."""

from __future__ import annotations

import threading

import pytest

from tests.support.slack_api_server import TOKEN, StandIn, refuses, says
from workers.contracts import Plan, Step
from workers.delivery import slack_chat
from workers.delivery.plan_progress import stream_of
from workers.delivery.slack_chat import SlackChat
from workers.errors import ChatBusy, ChatRefused, ChatUnavailable
from workers.ports import Place, Recipient

PLAN = Plan(
    pattern="P", query_intent="q", steps=(Step(id="m1", tool="metrics_query", args={}, purpose="see when p95 moved"),)
)
CHUNKS = stream_of("r1:progress", PLAN, {}, done=False)
ASKER = Recipient("U1", "T9")


def test_a_stream_is_a_plan_for_someone(chat: SlackChat, server: StandIn, thread: Place) -> None:
    ts = chat.start_stream(thread, ASKER, CHUNKS)
    assert server.last("chat.startStream") == {
        "channel": "C1",
        "thread_ts": thread.thread_ts,
        "recipient_user_id": "U1",
        "recipient_team_id": "T9",
        "task_display_mode": "plan",
        "chunks": CHUNKS,
    }
    chat.append_stream(thread, ts, CHUNKS[1:])
    assert server.last("chat.appendStream") == {"channel": "C1", "ts": ts, "chunks": CHUNKS[1:]}
    chat.stop_stream(thread, ts, (), "r1:progress")
    mark = {"event_type": "oracle_reply", "event_payload": {"key": "r1:progress"}}
    assert server.last("chat.stopStream") == {"channel": "C1", "ts": ts, "metadata": mark}


def test_a_stream_is_found_while_it_runs_and_after(chat: SlackChat, server: StandIn, thread: Place) -> None:
    ts = chat.start_stream(thread, ASKER, CHUNKS)
    assert chat.find(thread, "r1:progress") == ts
    assert chat.find(thread, "r1:progres") is None
    chat.stop_stream(thread, ts, CHUNKS, "r1:progress")
    assert chat.find(thread, "r1:progress") == ts


def test_a_stream_waits_for_nothing(server: StandIn) -> None:
    chat = SlackChat(TOKEN, f"{server.url}api/", lambda _, lossy: 0.1 if lossy else 0.0)
    with pytest.raises(ChatBusy):
        chat.start_stream(Place("C1", "1.0"), ASKER, CHUNKS)
    assert server.calls == []


def test_a_stream_that_ended(chat: SlackChat, server: StandIn, thread: Place) -> None:
    for method, act in (
        ("chat.appendStream", lambda: chat.append_stream(thread, "1.0", CHUNKS)),
        ("chat.stopStream", lambda: chat.stop_stream(thread, "1.0", (), "k")),
    ):
        for code in ("message_not_in_streaming_state", "stopped_by_user"):
            server.faults[method].append(refuses(code))
            server.add("", thread.thread_ts)
            server.messages[-1]["ts"] = "1.0" if method == "chat.stopStream" else "0.9"
            with pytest.raises(ChatRefused) as caught:
                act()
            assert caught.value.code == code
            server.messages.pop()


def test_status_and_session(chat: SlackChat, server: StandIn, thread: Place) -> None:
    place = {"channel_id": "C1", "thread_ts": thread.thread_ts}
    chat.set_status(thread, "")
    assert server.last("assistant.threads.setStatus") == {**place, "status": ""}
    chat.set_session(thread, "processing", " why? " + "x" * 300, "U1")
    assert server.last("agents.sessions.setStatus") == {
        **place,
        "status": "processing",
        "title": ("why? " + "x" * 300)[:200],
        "initiator_user_id": "U1",
    }
    chat.set_session(thread, "active")
    assert server.last("agents.sessions.setStatus") == {**place, "status": "active"}


def test_nobody_waits_long_for_a_status(server: StandIn, thread: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slack_chat, "QUICK_TIMEOUT_S", 0.2)
    monkeypatch.setattr(slack_chat, "TIMEOUT_S", 600)
    chat, gate = SlackChat(TOKEN, f"{server.url}api"), threading.Event()
    server.faults["assistant.threads.setStatus"].append(lambda *_: gate.wait(20))
    server.faults["agents.sessions.setStatus"].append(lambda *_: gate.wait(20))
    try:
        with pytest.raises(ChatUnavailable):
            chat.set_status(thread, "is checking…")
        with pytest.raises(ChatUnavailable):
            chat.set_session(thread, "processing")
        assert not gate.is_set()
    finally:
        gate.set()


def test_permalink(chat: SlackChat, server: StandIn, thread: Place) -> None:
    assert chat.permalink(thread, "1.5") == "https://team.slack.com/archives/C1/p1.5"
    server.faults["chat.getPermalink"].append(says(200, b'{"ok": true}'))
    with pytest.raises(ChatUnavailable):
        chat.permalink(thread, "1.5")
