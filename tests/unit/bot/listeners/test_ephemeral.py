"""What is said to one person: where they wrote or pressed, in one sentence, whatever Slack and the database do."""

from __future__ import annotations

import logging
from functools import partial
from typing import Any

import pytest
from slack_sdk import WebClient

from bot.listeners.ephemeral import BUSY, UNCLEAR, post_ephemeral, post_in, refusal, refused_or, tried
from bot.views.notice import NO_DATABASE
from tests.support.payload_reading import received
from tests.support.slack_payloads import about, edit, mention, message, press, pressed, shortcut, stand_in
from workers.delivery.slack_chat import SlackChat
from workers.errors import ChatBusy, ChatRefused, ChatUnavailable, StoreUnavailable
from workers.ports import Place, Post

THREAD = "1763733600.000100"
NOWHERE = "http://127.0.0.1:1/api/"


def place_of(body: dict[str, Any]) -> tuple[str, str, str]:
    origin = received(body).origin
    return origin.channel, origin.user, origin.thread_ts


def test_where_someone_wrote_or_pressed() -> None:
    assert place_of(mention()) == ("C1", "U1", "")
    assert place_of(message()) == ("C1", "U1", THREAD)
    assert place_of(edit("a", "b", thread_ts=THREAD)) == ("C1", "U1", THREAD)
    assert place_of(press()) == ("C1", "U2", THREAD)
    assert place_of(about(thread_ts=THREAD)) == ("C1", "U1", THREAD)
    assert place_of(shortcut()) == ("", "U1", "")
    assert place_of({**pressed("home:ask", ""), "channel": None, "container": {"type": "view"}})[0] == ""


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (StoreUnavailable("gone"), NO_DATABASE),
        (ChatRefused("x: is_archived", "is_archived"), "That did not work: Slack refused it (is_archived)."),
        (ChatBusy("x", 3), BUSY),
        (ChatUnavailable("x"), UNCLEAR),
        (TimeoutError("x"), UNCLEAR),
    ],
)
def test_what_failed_is_one_sentence(error: Exception, sentence: str) -> None:
    said: list[Post] = []
    with refused_or(said.append):
        raise error
    assert said == [Post(sentence)]


def test_it_is_said_where_it_was_pressed() -> None:
    with stand_in() as (address, calls):
        with refused_or(partial(post_ephemeral, WebClient(base_url=address), received(press()).origin)):
            raise StoreUnavailable("gone")
        ((method, told),) = calls
    assert method == "chat.postEphemeral"
    assert told["text"] == NO_DATABASE
    assert (told["channel"], told["user"], told["thread_ts"]) == ("C1", "U2", THREAD)


def test_what_slack_refuses_is_said_with_its_word_or_logged(caplog: pytest.LogCaptureFixture) -> None:
    with stand_in(ok=False, error="expired_trigger_id") as (address, calls):
        client = WebClient(base_url=address)
        with refused_or(partial(post_ephemeral, client, received(press()).origin)):
            client.views_open(trigger_id="1.2.3", view={"type": "modal"})
    assert [method for method, _ in calls] == ["views.open", "chat.postEphemeral"]
    assert "(expired_trigger_id)" in calls[1][1]["text"]
    assert "nothing was said to U2: expired_trigger_id" in caplog.text


def test_where_the_app_is_no_member_one_person_is_told_directly_and_how_to_invite_it() -> None:
    refused = {"chat.postEphemeral": {"ok": False, "error": "not_in_channel"}}
    with stand_in(by_method=refused, channel={"id": "D7"}) as (address, calls):
        post_ephemeral(WebClient(base_url=address), received(mention()).origin, Post("Hello."))
    assert [method for method, _ in calls] == ["chat.postEphemeral", "conversations.open", "chat.postMessage"]
    told = calls[-1][1]
    assert (calls[1][1]["users"], told["channel"]) == ("U1", "D7")
    assert told["text"].startswith("Hello.")
    assert "/invite" in told["text"]


def test_what_nobody_needs_to_hear_of_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    lost = WebClient(base_url=NOWHERE, retry_handlers=[])
    assert tried("no pin", lambda: lost.pins_add(channel="C1", timestamp="1.1")) == "URLError"
    assert "no pin: URLError" in caplog.text
    assert tried("nothing", lambda: None) == ""


def test_a_mistake_of_our_own_is_not_hidden() -> None:
    said: list[Post] = []
    with pytest.raises(KeyError), refused_or(said.append):
        raise KeyError("x")
    assert said == []


def test_where_there_is_no_channel_nothing_is_sent(caplog: pytest.LogCaptureFixture) -> None:
    with stand_in() as (address, calls):
        post_ephemeral(WebClient(base_url=address), received(shortcut()).origin, Post("x"))
    assert calls == []
    assert "no channel" in caplog.text


def test_blocks_that_slack_would_refuse_are_said_as_text(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    long = {"type": "section", "text": {"type": "plain_text", "text": "x" * 3_001}}
    fits = {"type": "section", "text": {"type": "plain_text", "text": "x"}}
    with stand_in(ts="500.1") as (address, calls):
        chat = SlackChat("xoxb-test", address)
        for block in (long, fits):
            assert post_in(lambda _: chat, Place("C1"), Post("said", (block,)), "r1:root") == "500.1"
    assert ["blocks" in told for _, told in calls] == [False, True]
    assert "r1:root breaks Slack's limits" in caplog.text


def test_the_word_for_a_refusal() -> None:
    assert refusal(ChatRefused("x", "")) == "refused"
    assert refusal(ChatBusy("x", 1)) == "ratelimited"
