"""What is said to one person: where they wrote or pressed, in one sentence, whatever Slack and the database do."""

from __future__ import annotations

import pytest
from slack_sdk import WebClient

from bot.listeners.heard import or_say, place_of, whisper
from tests.unit.bot.parts import about, edit, mention, message, press, pressed, shortcut, stand_in
from workers.errors import RequestNotFound, StoreUnavailable
from workers.ports import Post

THREAD = "1763733600.000100"


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
        (StoreUnavailable("gone"), "my database does not answer"),
        (RequestNotFound("no request 'x'"), "no longer have the record"),
    ],
)
def test_what_failed_is_said(error: Exception, sentence: str) -> None:
    with stand_in() as (address, calls):
        with or_say(WebClient(base_url=address), press()):
            raise error
        ((method, told),) = calls
    assert method == "chat.postEphemeral"
    assert sentence in told["text"]
    assert (told["channel"], told["user"], told["thread_ts"]) == ("C1", "U2", THREAD)


def test_what_slack_refuses_is_said_with_its_word_or_logged(caplog: pytest.LogCaptureFixture) -> None:
    with stand_in(ok=False, error="expired_trigger_id") as (address, calls):
        client = WebClient(base_url=address)
        with or_say(client, press()):
            client.views_open(trigger_id="1.2.3", view={"type": "modal"})
    assert [method for method, _ in calls] == ["views.open", "chat.postEphemeral"]
    assert "(expired_trigger_id)" in calls[1][1]["text"]
    assert "nothing was said to U2" in caplog.text
    lost = WebClient(base_url="http://127.0.0.1:1/api/")
    with or_say(lost, press()):
        lost.views_open(trigger_id="1.2.3", view={"type": "modal"})
    assert "Slack did not answer" in caplog.text


def test_a_mistake_of_our_own_is_not_hidden() -> None:
    with stand_in() as (address, calls), pytest.raises(KeyError), or_say(WebClient(base_url=address), press()):
        raise KeyError("x")
    assert calls == []


def test_where_there_is_no_channel_nothing_is_sent(caplog: pytest.LogCaptureFixture) -> None:
    with stand_in() as (address, calls):
        whisper(WebClient(base_url=address), shortcut(), Post("x"))
    assert calls == []
    assert "no channel" in caplog.text
