"""Every error that can come through the door to Slack becomes one of ours; no post is sent twice."""

from __future__ import annotations

import http.client
import io
import json
import logging
import socket
import ssl
import threading
import traceback
import urllib.error
from email.message import Message

import pytest
import slack_sdk.errors
from slack_sdk import WebClient
from slack_sdk.web import SlackResponse

from tests.support.slack_api_server import TOKEN, StandIn, cut, refuses, says
from workers.delivery import slack_chat
from workers.delivery.slack_chat import SlackChat
from workers.delivery.slack_error_codes import BUSY, UNCLEAR, retry_after_s
from workers.errors import ChatBusy, ChatError, ChatRefused, ChatUnavailable, ConfigError
from workers.ports import Picture, Place, Post, Recipient

POST = Post("p95 is 1.9 s", ({"type": "section", "text": {"type": "plain_text", "text": "p95 is 1.9 s"}},))
PICTURE = Picture("p95.png", "p95 of /api/search", "a line that rises at 14:06", b"png")


# --- faults ---------------------------------------------------------------------------------------------------


def test_connection_cut_after_the_post_was_stored(chat: SlackChat, server: StandIn, thread: Place) -> None:
    server.faults["chat.postMessage"].append(cut)
    with pytest.raises(ChatUnavailable, match=r"chat\.postMessage"):
        chat.post(thread, POST, "k")
    assert server.count("chat.postMessage") == 1
    assert chat.find(thread, "k") == server.messages[-1]["ts"]


def test_answer_that_comes_too_late(server: StandIn, thread: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slack_chat, "TIMEOUT_S", 0.2)
    chat, gate = SlackChat(TOKEN, f"{server.url}api"), threading.Event()
    server.faults["chat.postMessage"].append(lambda *_: gate.wait(20))
    try:
        with pytest.raises(ChatUnavailable, match="no clear answer"):
            chat.post(thread, POST, "k")
    finally:
        gate.set()
    assert server.count("chat.postMessage") == 1
    assert chat.find(thread, "k")


@pytest.mark.parametrize("value", ["7", "7.0"])
def test_too_many_requests(chat: SlackChat, server: StandIn, thread: Place, value: str) -> None:
    server.faults["chat.postMessage"].append(says(429, b'{"ok": false, "error": "ratelimited"}', Retry_After=value))
    with pytest.raises(ChatBusy) as caught:
        chat.post(thread, POST, "k")
    assert caught.value.retry_after_s == 7
    assert server.count("chat.postMessage") == 1


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 5),
        ({"Retry-After": "soon"}, 5),
        ({"retry-after": "2"}, 2),
        ({"Retry-After": "-1"}, 5),
        ({"Retry-After": "nan"}, 5),
        ({"Retry-After": "1e9"}, 3600),
        ({"Retry-After": ""}, 5),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float) -> None:
    assert retry_after_s(headers) == seconds


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (500, b"oops", "text/html"),
        (502, b"", "text/html"),
        (503, b'{"ok": false, "error": "service_unavailable"}', "application/json"),
        (500, b'{"ok": false, "error": "channel_not_found"}', "application/json"),
        (404, b"<html>not Slack</html>", "text/html"),
        (200, b"<html>please log in</html>", "text/html"),
        (200, b"", "application/json"),
        (200, b"[1, 2]", "application/json"),
        (200, b"[]", "application/json"),
        (200, b"null", "application/json"),
        (200, b"7", "application/json"),
        (200, b'"ok"', "application/json"),
        (200, b'{"ok": true}', "application/json"),
        (200, b'{"ok": true, "ts": 7}', "application/json"),
        (200, b'{"ok": false}', "application/json"),
        (200, b'{"ok": false, "error": {"code": 7}}', "application/json"),
        (200, b'{"ok": false, "error": "Something Else"}', "application/json"),
        (200, b"\xff\xfe", "application/json"),
        (200, b'{"ok": true}', "application/json; charset=klingon"),
        (200, b"[" * 200_000, "application/json"),
        (200, b"PK", "application/gzip"),
    ],
)
def test_answers_that_are_not_slacks(
    chat: SlackChat, server: StandIn, thread: Place, status: int, body: bytes, kind: str
) -> None:
    server.faults["chat.postMessage"].append(says(status, body, kind))
    with pytest.raises(ChatUnavailable):
        chat.post(thread, POST, "k")
    assert server.count("chat.postMessage") == 1


def test_answer_that_breaks_off(chat: SlackChat, server: StandIn, thread: Place) -> None:
    def half(handler, answer) -> bool:  # type: ignore[no-untyped-def]
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b'{"ok": true')
        return True

    server.faults["chat.postMessage"].append(half)
    with pytest.raises(ChatUnavailable):
        chat.post(thread, POST, "k")


FINAL = """channel_not_found is_archived not_in_channel token_revoked token_expired account_inactive invalid_auth
not_authed thread_locked cannot_reply_to_message restricted_action restricted_action_read_only_channel msg_too_long
msg_blocks_too_long invalid_blocks invalid_blocks_format no_text missing_scope message_not_found cant_update_message
edit_window_closed as_yet_unknown_code""".split()


@pytest.mark.parametrize("code", FINAL)
def test_final_codes(chat: SlackChat, server: StandIn, thread: Place, code: str) -> None:
    server.faults["chat.postMessage"].append(refuses(code))
    with pytest.raises(ChatRefused, match=code) as caught:
        chat.post(thread, POST, "k")
    assert caught.value.code == code


@pytest.mark.parametrize("code", sorted(UNCLEAR | BUSY))
def test_codes_that_pass(chat: SlackChat, server: StandIn, thread: Place, code: str) -> None:
    server.faults["chat.postMessage"].append(refuses(code))
    with pytest.raises(ChatBusy if code in BUSY else ChatUnavailable, match=code):
        chat.post(thread, POST, "k")


def test_server_that_is_not_there() -> None:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{sock.getsockname()[1]}/api/"
        with pytest.raises(ChatUnavailable, match="Connection refused"):
            SlackChat(TOKEN, url).post(Place("C1"), POST, "k")


THEIRS = {"slack_sdk.errors", "http.client", "urllib.error", "ssl", "socket", "builtins"}


def response(data: object, status: int = 200) -> SlackResponse:
    client = WebClient(TOKEN)
    return SlackResponse(
        client=client, http_verb="POST", api_url="u", req_args={}, data=data, headers={}, status_code=status
    )


def subclasses(kind: type[BaseException]) -> set[type[BaseException]]:
    return {kind, *(deep for sub in kind.__subclasses__() for deep in subclasses(sub))}


def http_error(code: int) -> urllib.error.HTTPError:
    return urllib.error.HTTPError("u", code, "m", Message(), io.BytesIO(b"body"))


def make(kind: type[BaseException], words: str) -> BaseException:
    return kind(words, b"") if kind is urllib.error.ContentTooShortError else kind(words)


def foreign_errors() -> list[BaseException]:
    """One of every class of error that slack_sdk, urllib, http, ssl and sockets define, and json's."""
    leak = f"Bearer {TOKEN}"
    out: list[BaseException] = [slack_sdk.errors.SlackApiError("m", response({"ok": False, "error": "x"}, 500))]
    out.append(slack_sdk.errors.SlackTokenRotationError(out[0]))  # type: ignore[arg-type]
    made = {type(e) for e in out} | {urllib.error.HTTPError}
    families = (slack_sdk.errors.SlackClientError, http.client.HTTPException, OSError)
    kinds = {kind for family in families for kind in subclasses(family) if kind.__module__ in THEIRS} - made
    out.extend(make(kind, leak) for kind in sorted(kinds, key=str))
    out.extend(http_error(code) for code in (302, 400, 403, 404, 408, 429, 500, 503))
    out.append(urllib.error.URLError(ssl.SSLCertVerificationError(1, "certificate verify failed")))
    out.append(urllib.error.URLError(TimeoutError("timed out")))
    out.append(json.JSONDecodeError(leak, "doc", 0))
    out.append(UnicodeDecodeError("utf-8", b"x", 0, 1, leak))
    out.append(UnicodeEncodeError("latin-1", "x", 0, 1, leak))
    out.extend(kind(leak) for kind in (ValueError, LookupError, KeyError, AttributeError, TypeError, RecursionError))
    return out


@pytest.mark.parametrize("error", foreign_errors(), ids=lambda e: type(e).__name__)
def test_nothing_foreign_leaks(
    chat: SlackChat, thread: Place, error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: object, **kwargs: object) -> None:
        raise error

    monkeypatch.setattr(WebClient, "api_call", broken)
    monkeypatch.setattr(WebClient, "_upload_file", broken)
    acts = (
        lambda: chat.post(thread, POST, "k"),
        lambda: chat.find(thread, "k"),
        lambda: chat.update(thread, "1.0", POST),
        lambda: chat.upload(PICTURE),
        lambda: slack_chat.send_file(chat.client, "https://x/", b""),
        lambda: chat.start_stream(thread, Recipient("U1", "T1"), ()),
        lambda: chat.append_stream(thread, "1.0", ()),
        lambda: chat.stop_stream(thread, "1.0", (), "k"),
        lambda: chat.set_status(thread, "is checking…"),
        lambda: chat.set_session(thread, "active"),
        lambda: chat.thread(thread, "9.0", 5),
        lambda: chat.permalink(thread, "1.0"),
        lambda: chat.direct("U1"),
    )
    for act in acts:
        with pytest.raises(ChatError) as caught:
            act()
        assert "secret" not in str(caught.value)
        assert "\n" not in str(caught.value)
        assert caught.value.__cause__ is error
    assert chat.timezone("U1") == ""


def test_arguments_that_are_no_json_are_final(chat: SlackChat, thread: Place) -> None:
    with pytest.raises(ChatRefused, match="cannot be written"):
        chat.post(thread, Post("text", ({"type": object()},)), "k")


def test_sdk_logs_no_words_and_no_token(
    chat: SlackChat, server: StandIn, thread: Place, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.faults["chat.postMessage"].append(cut)
    with pytest.raises(ChatUnavailable) as caught:
        chat.post(thread, POST, "k")
    chat.upload(PICTURE)
    assert caplog.records == []
    assert "secret" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("token", ["", "xoxb-1\nX-Evil: 1", "xoxb é", " "])
def test_token_that_is_none(token: str) -> None:
    with pytest.raises(ConfigError, match=r"slack\.bot_token") as caught:
        SlackChat(token)
    assert "Evil" not in str(caught.value)


@pytest.mark.parametrize("address", ["file:///etc/", "slack.com/api", "http://"])
def test_address_that_is_none(address: str) -> None:
    with pytest.raises(ConfigError, match=r"slack\.api_url"):
        SlackChat(TOKEN, address)
