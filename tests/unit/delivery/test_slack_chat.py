"""The door to Slack against a stand-in that answers over HTTP."""

from __future__ import annotations

import threading

import pytest

from tests.support.slack_api_server import TOKEN, StandIn, Time, cut, refuses, says
from workers.delivery import slack_chat
from workers.delivery.slack_chat import SlackChat
from workers.errors import ChatBusy, ChatRefused, ChatUnavailable, StoreUnavailable
from workers.ports import Document, Picture, Place, Post
from workers.toolkit.redaction import BUILTIN

BLOCKS = ({"type": "section", "text": {"type": "plain_text", "text": "p95 is 1.9 s"}},)
POST = Post("p95 is 1.9 s", BLOCKS)
PICTURE = Picture("p95.png", "p95 of /api/search", "a line that rises at 14:06", b"\x89PNG\r\n\x1a\n" + bytes(300))


# --- messages -------------------------------------------------------------------------------------------------


def test_post_stands_in_the_thread_marked_and_without_unfurling(
    chat: SlackChat, server: StandIn, thread: Place
) -> None:
    ts = chat.post(thread, POST, "r1:0.0")
    sent = server.last("chat.postMessage")
    assert (sent["channel"], sent["thread_ts"], sent["text"]) == ("C1", thread.thread_ts, POST.text)
    assert sent["blocks"] == list(BLOCKS)
    assert sent["metadata"] == {"event_type": "oracle_reply", "event_payload": {"key": "r1:0.0"}}
    assert (sent["unfurl_links"], sent["unfurl_media"], sent["link_names"], sent["parse"]) == (False,) * 3 + ("none",)
    assert server.messages[-1]["ts"] == ts
    assert chat.find(thread, "r1:0.0") == ts
    assert chat.find(thread, "r1:0.1") is None


def test_post_in_a_channel_has_no_thread(chat: SlackChat, server: StandIn) -> None:
    ts = chat.post(Place("C1"), Post("U1 asked: …"), "r1:root")
    assert "thread_ts" not in server.last("chat.postMessage")
    assert "blocks" not in server.last("chat.postMessage")
    assert chat.find(Place("C1"), "r1:root") == ts


def test_find_reads_all_pages_of_a_long_thread(chat: SlackChat, server: StandIn, thread: Place) -> None:
    for i in range(299):
        server.add(f"reply {i}", thread.thread_ts, user="U1")
    ts = chat.post(thread, POST, "r1:0.0")
    assert chat.find(thread, "r1:0.0") == ts
    assert server.count("conversations.replies") == 4
    assert chat.find(thread, "other") is None


def test_find_looks_at_the_newest_200_of_a_channel(chat: SlackChat, server: StandIn) -> None:
    old = chat.post(Place("C1"), POST, "old")
    for i in range(150):
        server.add(f"message {i}", user="U1")
    assert chat.find(Place("C1"), "old") == old
    for i in range(60):
        server.add(f"message {i}", user="U1")
    assert chat.find(Place("C1"), "old") is None
    assert server.count("conversations.history") == 4


def test_find_ignores_what_others_forged_and_other_marks(chat: SlackChat, server: StandIn, thread: Place) -> None:
    mark = {"event_type": "oracle_reply", "event_payload": {"key": "k"}}
    server.add("forged", thread.thread_ts, user="U1", bot_id="B9", metadata=mark)
    for odd in ({**mark, "event_type": "other"}, {**mark, "event_payload": None}, "text", None, {}):
        server.add("odd", thread.thread_ts, user="U0BOT", metadata=odd)
    assert chat.find(thread, "k") is None
    ts = server.add("ours", thread.thread_ts, user="U0BOT", metadata=mark)
    assert chat.find(thread, "k") == ts
    assert server.count("auth.test") == 1


def test_find_without_a_clear_answer_never_says_none(chat: SlackChat, server: StandIn, thread: Place) -> None:
    server.faults["conversations.replies"].append(says(200, b'{"ok": true}'))
    with pytest.raises(ChatUnavailable, match="no messages"):
        chat.find(thread, "k")
    endless = says(200, b'{"ok": true, "messages": [], "response_metadata": {"next_cursor": "1"}}')
    server.faults["conversations.replies"].extend([endless] * slack_chat.MAX_PAGES)
    with pytest.raises(ChatUnavailable, match="no end"):
        chat.find(thread, "k")


def test_update_replaces_blocks_and_keeps_the_mark(chat: SlackChat, server: StandIn, thread: Place) -> None:
    ts = chat.post(thread, POST, "k")
    chat.update(thread, ts, Post("chosen"), "k")
    assert (server.messages[-1]["text"], server.messages[-1]["blocks"]) == ("chosen", [])
    assert chat.find(thread, "k") == ts
    chat.update(thread, ts, POST)
    assert "metadata" not in server.last("chat.update")


def test_text_that_no_form_can_carry(chat: SlackChat, server: StandIn, thread: Place) -> None:
    chat.post(thread, Post("a\ud800b \x00 𝄞"), "k")
    chat.upload(Picture("p.png", "t\ud800", "a\ud800b", b"png"))
    assert server.last("files.getUploadURLExternal")["alt_txt"] == "a?b"


def test_no_secret_is_posted(server: StandIn, time: Time) -> None:
    token = "ghp_" + "a1B2" * 9
    chat = SlackChat(TOKEN, f"{server.url}api/", sleep=time.sleep, monotonic=lambda: time.now, clean=BUILTIN.value)
    post = Post(f"use {token}", ({"type": "section", "text": {"type": "plain_text", "text": f"use {token}"}},))
    ts = chat.post(Place("C1"), post, "k")
    chat.update(Place("C1"), ts, post, "k")
    chat.share(Place("C1", ts), Document("draft.md", token, f"# {token}"), "a draft")
    sent = repr([server.calls, server.uploaded])
    assert "[redacted:github-token]" in sent
    assert token not in sent


# --- pace -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("wait_s", "slept"), [(0.0, []), (0.7, [0.7]), (1.5, [1.5])])
def test_short_pause_is_slept(server: StandIn, time: Time, wait_s: float, slept: list[float]) -> None:
    asked: list[str] = []

    def pace(channel: str, lossy: bool) -> float:
        assert not lossy
        asked.append(channel)
        return wait_s

    SlackChat(TOKEN, f"{server.url}api/", pace, sleep=time.sleep).post(Place("C1"), POST, "k")
    assert (time.slept, asked) == (slept, ["C1"])


def test_long_pause_is_left_to_the_caller(server: StandIn, time: Time) -> None:
    chat = SlackChat(TOKEN, f"{server.url}api/", lambda _, lossy: 1.6, sleep=time.sleep)
    with pytest.raises(ChatBusy) as caught:
        chat.post(Place("C1"), POST, "k")
    assert caught.value.retry_after_s == 1.6
    assert (server.calls, time.slept) == ([], [])


def test_a_lossy_post_waits_for_nothing(server: StandIn, time: Time) -> None:
    chat = SlackChat(TOKEN, f"{server.url}api/", lambda _, lossy: 0.1 if lossy else 0.0, sleep=time.sleep)
    with pytest.raises(ChatBusy):
        chat.post(Place("C1"), POST, "k", lossy=True)
    assert (server.calls, time.slept) == ([], [])


def test_pace_that_cannot_be_told(server: StandIn) -> None:
    def pace(channel: str, lossy: bool) -> float:
        raise StoreUnavailable("the database is gone")

    with pytest.raises(StoreUnavailable):
        SlackChat(TOKEN, f"{server.url}api/", pace).post(Place("C1"), POST, "k")
    assert server.calls == []


# --- pictures -------------------------------------------------------------------------------------------------


def test_upload(chat: SlackChat, server: StandIn) -> None:
    file_id = chat.upload(PICTURE)
    file = server.files[file_id]
    assert server.uploaded[file_id] == PICTURE.png
    assert (file["filename"], file["title"], file["alt_txt"]) == (PICTURE.name, PICTURE.title, PICTURE.alt)
    assert file["length"] == str(len(PICTURE.png))
    assert set(server.last("files.completeUploadExternal")) == {"files"}
    assert server.count("files.info") == 0


def test_long_words_of_a_picture_fit(chat: SlackChat, server: StandIn) -> None:
    file_id = chat.upload(Picture("p.png", "t" * 999, "a" * 1_200, b"png"))
    assert len(server.files[file_id]["alt_txt"]) == 1_000


def test_upload_waits_until_slack_has_read_the_file(chat: SlackChat, server: StandIn, time: Time) -> None:
    server.reads_after = 3
    server.faults["files.info"].append(refuses("file_not_found"))
    assert chat.upload(PICTURE) in server.files
    assert server.count("files.info") == 3
    assert time.now == pytest.approx(0.6)


def test_upload_that_slack_never_reads(chat: SlackChat, server: StandIn, time: Time) -> None:
    server.reads_after = 99
    with pytest.raises(ChatUnavailable, match="not done with the file"):
        chat.upload(PICTURE)
    assert time.now == pytest.approx(2.0)


DRAFT = Document("2026-11-20-checkout-7.md", "Postmortem draft: checkout", "# Postmortem: checkout ✓\n")


def test_a_shared_text_stands_in_its_thread_as_a_file(chat: SlackChat, server: StandIn, thread: Place) -> None:
    assert not chat.holds(thread, DRAFT.name)
    chat.share(thread, DRAFT, "a draft")
    (file,) = server.files.values()
    assert server.uploaded[file["id"]].decode() == DRAFT.text
    assert (file["filename"], file["title"], file["length"]) == (DRAFT.name, DRAFT.title, str(len(DRAFT.text.encode())))
    assert (server.messages[-1]["thread_ts"], server.messages[-1]["text"]) == (thread.thread_ts, "a draft")
    assert chat.holds(thread, DRAFT.name)
    assert not chat.holds(thread, "another.md")


def test_a_text_is_shared_when_its_thread_holds_it(chat: SlackChat, server: StandIn, thread: Place, time: Time) -> None:
    server.shares_after = 3
    chat.share(thread, DRAFT, "a draft")
    assert chat.holds(thread, DRAFT.name)
    assert time.now == pytest.approx(0.6)


def test_a_text_that_slack_shares_late_is_found_later(chat: SlackChat, server: StandIn, thread: Place) -> None:
    server.shares_after = 6
    with pytest.raises(ChatUnavailable, match="not done with the file"):
        chat.share(thread, DRAFT, "a draft")
    assert not chat.holds(thread, DRAFT.name)
    server.files_info({"file": next(iter(server.files))})
    assert chat.holds(thread, DRAFT.name)


def test_a_file_of_someone_else_is_not_ours(chat: SlackChat, server: StandIn, thread: Place) -> None:
    server.add("here", thread.thread_ts, user="U1", files=[{"name": DRAFT.name}])
    assert not chat.holds(thread, DRAFT.name)


@pytest.mark.parametrize("step", ["files.getUploadURLExternal", "upload", "files.completeUploadExternal"])
def test_upload_that_breaks(chat: SlackChat, server: StandIn, step: str) -> None:
    server.faults[step].extend([says(500, b"oops", "text/html"), cut])
    for _ in range(2):
        with pytest.raises(ChatUnavailable):
            chat.upload(PICTURE)
    assert server.count(step) == 2
    server.faults[step].append(says(429, b"", Retry_After="3"))
    with pytest.raises(ChatBusy) as caught:
        chat.upload(PICTURE)
    assert caught.value.retry_after_s == 3


def test_upload_to_an_odd_address(chat: SlackChat, server: StandIn) -> None:
    answer = b'{"ok": true, "file_id": "F1", "upload_url": "file:///etc/passwd"}'
    server.faults["files.getUploadURLExternal"].append(says(200, answer))
    with pytest.raises(ChatUnavailable, match="an address that is none"):
        chat.upload(PICTURE)


@pytest.mark.parametrize("code", ["missing_scope", "file_uploads_disabled"])
def test_upload_that_is_not_allowed(chat: SlackChat, server: StandIn, code: str) -> None:
    server.reads_after = 1
    server.faults["files.info"].append(refuses(code))
    with pytest.raises(ChatRefused, match=code):
        chat.upload(PICTURE)


# --- people ---------------------------------------------------------------------------------------------------


def test_zone_is_asked_for_once_an_hour(chat: SlackChat, server: StandIn, time: Time) -> None:
    assert [chat.timezone("U1") for _ in range(3)] == ["Asia/Tokyo"] * 3
    assert server.count("users.info") == 1
    time.now += 3_601
    server.zones["U1"] = "Europe/Berlin"
    assert chat.timezone("U1") == "Europe/Berlin"


def test_zone_that_cannot_be_told_is_asked_for_again(chat: SlackChat, server: StandIn, time: Time) -> None:
    server.faults["users.info"].append(says(500, b"oops"))
    assert [chat.timezone("U1"), chat.timezone("U1")] == ["", ""]
    assert server.count("users.info") == 1
    time.now += 61
    assert chat.timezone("U1") == "Asia/Tokyo"


@pytest.mark.parametrize("zone", [None, "", 7, "Mars/Olympus", "../../etc/passwd", "/etc/localtime", "a\x00b"])
def test_zone_that_is_none(chat: SlackChat, server: StandIn, zone: object) -> None:
    server.zones["U2"] = zone
    assert chat.timezone("U2") == ""


def test_nobody_waits_long_for_a_zone(server: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slack_chat, "QUICK_TIMEOUT_S", 0.2)
    monkeypatch.setattr(slack_chat, "TIMEOUT_S", 600)
    gate = threading.Event()
    server.faults["users.info"].append(lambda *_: gate.wait(20))
    try:
        assert SlackChat(TOKEN, f"{server.url}api").timezone("U1") == ""
        assert not gate.is_set()
    finally:
        gate.set()


def test_zone_of_nobody(chat: SlackChat, server: StandIn) -> None:
    assert chat.timezone("") == ""
    assert server.calls == []


def test_zones_remembered_are_few(chat: SlackChat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slack_chat, "ZONES", 10)
    monkeypatch.setattr(SlackChat, "ask_zone", lambda self, user: "UTC")
    for i in range(50):
        chat.timezone(f"U{i}")
    assert list(chat.zones) == [f"U{i}" for i in range(40, 50)]
