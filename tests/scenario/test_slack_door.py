"""The workers' door to Slack against the sandbox, which checks every message by Slack's own rules."""

from __future__ import annotations

import struct
import threading
import time
import zlib
from collections.abc import Callable, Iterator

import pytest

from tests.support.sandbox_process import Running, running_sandbox
from workers.contracts import Plan, Step
from workers.delivery import slack_chat
from workers.delivery.progress import ProgressBoard
from workers.delivery.slack_chat import SlackChat
from workers.errors import ChatBusy, ChatRefused, ChatUnavailable
from workers.ports import Picture, Place, Post

POST = Post("p95 is 1.9 s", ({"type": "section", "text": {"type": "plain_text", "text": "p95 is 1.9 s"}},))
PLAN = Plan(
    pattern="P",
    query_intent="find the cause",
    steps=tuple(Step(id=i, tool="metrics_query", args={"query": i}, purpose=f"look at {i}") for i in ("m1", "m2")),
)


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with running_sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def sandbox(running: Running) -> Iterator[Running]:
    running.do("/control/limits", unlimited=True)
    yield running
    running.http.delete("/control/faults")


@pytest.fixture
def chat(sandbox: Running) -> SlackChat:
    return SlackChat(sandbox.address["bot_token"], sandbox.address["api_url"])


@pytest.fixture
def thread(sandbox: Running) -> Place:
    asked = sandbox.do("/control/message", channel="incidents", text="why is it slow?")
    return Place(asked["channel"], asked["ts"])


def png() -> bytes:
    """The smallest picture: one grey point."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0\x80")) + chunk(b"IEND", b"")
    )


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def replies(sandbox: Running, thread: Place) -> list[dict]:
    return sandbox.thread(thread.channel, thread.thread_ts)[1:]


def test_post_find_update(chat: SlackChat, sandbox: Running, thread: Place) -> None:
    ts = chat.post(thread, POST, "r1:0.0")
    assert chat.find(thread, "r1:0.0") == ts
    assert chat.find(thread, "r1:0.1") is None
    chat.update(thread, ts, Post("chosen: /api/search"), "r1:0.0")
    (message,) = replies(sandbox, thread)
    assert (message["ts"], message["text"], message.get("blocks") or []) == (ts, "chosen: /api/search", [])
    assert chat.find(thread, "r1:0.0") == ts


def test_root_of_a_command(chat: SlackChat, thread: Place) -> None:
    ts = chat.post(Place(thread.channel), Post("U1 asked: …"), "r2:root")
    assert chat.find(Place(thread.channel), "r2:root") == ts
    assert chat.find(thread, "r2:root") is None


def test_picture_in_a_message(chat: SlackChat, sandbox: Running, thread: Place) -> None:
    data = png()
    file_id = chat.upload(Picture("p95.png", "p95 of /api/search", "a line that rises", data))
    image = {"type": "image", "slack_file": {"id": file_id}, "alt_text": "a line that rises"}
    chat.post(thread, Post("p95", (image,)), "r3:0.0")
    (file,) = [f for f in sandbox.see("/control/state")["files"] if f["id"] == file_id]
    assert (file["title"], file["completed"]) == ("p95 of /api/search", True)
    headers = {"Authorization": f"Bearer {sandbox.address['bot_token']}"}
    assert sandbox.http.get(file["url_private"], headers=headers).content == data


def test_connection_dropped_after_the_post_was_stored(chat: SlackChat, sandbox: Running, thread: Place) -> None:
    sandbox.do("/control/faults", method="chat.postMessage", action="drop_after", times=1)
    with pytest.raises(ChatUnavailable):
        chat.post(thread, POST, "r4:0.0")
    (message,) = replies(sandbox, thread)
    assert chat.find(thread, "r4:0.0") == message["ts"]


def test_error_before_anything_was_stored(chat: SlackChat, sandbox: Running, thread: Place) -> None:
    sandbox.do("/control/faults", method="chat.postMessage", action="error", status=503, times=1)
    with pytest.raises(ChatUnavailable):
        chat.post(thread, POST, "r5:0.0")
    assert chat.find(thread, "r5:0.0") is None
    assert replies(sandbox, thread) == []


def test_too_many_requests(chat: SlackChat, sandbox: Running, thread: Place) -> None:
    sandbox.do("/control/faults", method="chat.postMessage", action="ratelimit", seconds=7, times=1)
    with pytest.raises(ChatBusy) as caught:
        chat.post(thread, POST, "r6:0.0")
    assert caught.value.retry_after_s == 7
    assert replies(sandbox, thread) == []


def test_slow_answer(sandbox: Running, thread: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slack_chat, "TIMEOUT_S", 0.3)
    chat = SlackChat(sandbox.address["bot_token"], sandbox.address["api_url"])
    sandbox.do("/control/faults", method="chat.postMessage", action="hold", times=1)
    with pytest.raises(ChatUnavailable):
        chat.post(thread, POST, "r7:0.0")
    sandbox.do("/control/release")
    assert chat.find(thread, "r7:0.0")
    assert len(replies(sandbox, thread)) == 1


def test_slack_that_is_down(chat: SlackChat, sandbox: Running, thread: Place) -> None:
    sandbox.do("/control/faults", method="*", action="down")
    with pytest.raises(ChatUnavailable):
        chat.post(thread, POST, "r8:0.0")
    assert chat.timezone("U1") == ""
    sandbox.http.delete("/control/faults")
    assert chat.post(thread, POST, "r8:0.0")


def test_long_thread_is_read_page_by_page(chat: SlackChat, sandbox: Running, thread: Place) -> None:
    for number in range(299):
        sandbox.do("/control/message", channel=thread.channel, thread_ts=thread.thread_ts, text=f"reply {number}")
    ts = chat.post(thread, POST, "r9:0.0")
    since = time.time()
    assert chat.find(thread, "r9:0.0") == ts
    assert len(sandbox.see("/control/calls", method="conversations.replies", since=since)["calls"]) == 2


@pytest.mark.parametrize(
    ("place", "post", "code"),
    [
        (Place("C000"), POST, "channel_not_found"),
        (None, Post("x", ({"type": "section", "text": {"type": "mrkdwn", "text": "a" * 3_001}},)), "invalid_blocks"),
        (None, Post("x", ({"type": "image", "slack_file": {"id": "F000"}, "alt_text": "a"},)), "invalid_blocks"),
        (None, Post("a" * 40_001), "msg_too_long"),
    ],
)
def test_final_answers(chat: SlackChat, thread: Place, place: Place | None, post: Post, code: str) -> None:
    with pytest.raises(ChatRefused) as caught:
        chat.post(place or thread, post, "r10:0.0")
    assert caught.value.code == code


def test_channel_the_bot_is_not_in(chat: SlackChat, sandbox: Running) -> None:
    with pytest.raises(ChatRefused, match="not_in_channel"):
        chat.post(Place(sandbox.channel("random")["id"]), POST, "r11:0.0")


def test_token_that_was_revoked(sandbox: Running, thread: Place) -> None:
    with pytest.raises(ChatRefused, match="invalid_auth"):
        SlackChat("xoxb-other", sandbox.address["api_url"]).post(thread, POST, "r12:0.0")


def test_zone_of_a_person(chat: SlackChat, sandbox: Running) -> None:
    users = sandbox.see("/control/state")["users"]
    known = [user for user in users if user.get("tz")]
    assert known
    assert [chat.timezone(user["id"]) for user in known] == [user["tz"] for user in known]
    assert chat.timezone("U000") == ""


def test_progress_stands_above_the_answer(chat: SlackChat, sandbox: Running, thread: Place) -> None:
    posted = threading.Event()
    board = ProgressBoard(lambda team: chat, lambda *_: posted.set(), interval_s=0.01)
    board.plan("r13", thread, "why?", PLAN)
    assert posted.wait(20)
    board.step("r13", "m1", "ok", "p95 is 1.9 s")
    board.finish("r13")
    chat.post(thread, POST, "r13:0.0")
    until(lambda: not board.shown)
    board.close()
    progress, answer = replies(sandbox, thread)
    assert "p95 is 1.9 s" in str(progress["blocks"])
    assert chat.find(thread, "r13:progress") == progress["ts"]
    assert chat.find(thread, "r13:0.0") == answer["ts"]
    assert board.dropped == 0


def test_progress_whose_post_was_cut_is_ended_all_the_same(chat: SlackChat, sandbox: Running, thread: Place) -> None:
    sandbox.do("/control/faults", method="chat.postMessage", action="drop_after", times=1)
    board = ProgressBoard(lambda team: chat, interval_s=0.01)
    board.plan("r14", thread, "why?", PLAN)
    until(lambda: board.quiet_until)
    board.step("r14", "m1", "ok", "found again")
    board.finish("r14")
    board.close()
    (progress,) = replies(sandbox, thread)
    assert "found again" in str(progress["blocks"])
