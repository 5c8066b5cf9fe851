"""Signed requests through Bolt: committed before they are acknowledged, rung after, refused when not Slack's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from slack_bolt import BoltRequest

from tests.support.slack_payloads import (
    APP,
    FORM,
    SECRET,
    as_json,
    command,
    event_body,
    mention,
    message,
    press,
    signed,
    wait_for,
)
from tests.unit.bot.conftest import Bot
from workers.settings.load import load_settings

LONG = "x" * 101
NOWHERE = "http://127.0.0.1:1/api/"
THREAD = "1763733600.000100"


def test_a_mention_is_committed_then_acknowledged_then_rung(bot: Bot) -> None:
    response = bot.send(mention())
    assert (response.status, response.body) == (200, "")
    assert [q.text for q in bot.ledger.questions] == ["why is search slow?"]
    assert wait_for(lambda: bot.rung) == [bot.ledger.questions[0].request_id]
    assert bot.calls == []


def test_an_event_delivered_three_times_is_accepted_once(bot: Bot) -> None:
    for number in range(3):
        retry = {"x-slack-retry-num": str(number), "x-slack-retry-reason": "http_timeout"} if number else {}
        assert bot.send(mention(), **retry).status == 200
    assert len(bot.ledger.questions) == 1
    wait_for(lambda: bot.rung)
    assert len(bot.rung) == 1
    assert 'oracle_events_total{kind="mention"} 3.0' in bot.counted
    assert 'oracle_questions_accepted_total{kind="mention"} 1.0' in bot.counted
    assert "oracle_events_repeated_total 2.0" in bot.counted


def test_a_broken_database_is_no_acknowledgement_and_the_next_delivery_is_accepted(bot: Bot) -> None:
    bot.ledger.broken = True
    for body in (mention(), press()):
        assert bot.send(body).status == 503
    bot.ledger.broken = False
    assert bot.send(mention(), **{"x-slack-retry-num": "1"}).status == 200
    assert len(bot.ledger.questions) == 1
    assert 'oracle_events_refused_total{reason="store_unavailable"} 2.0' in bot.counted


def test_a_command_that_cannot_be_committed_gets_a_sentence_as_slack_never_repeats_it(bot: Bot) -> None:
    bot.ledger.broken = True
    response = bot.send(command())
    assert response.status == 200
    assert json.loads(response.body) == {
        "response_type": "ephemeral",
        "text": "I can't take questions right now: my database does not answer. Please ask again in a minute.",
    }
    assert bot.rung == []


@pytest.mark.parametrize("how", [{"secret": "another"}, {"age_s": 301}, {"age_s": -301}])
def test_a_wrong_or_old_signature_is_refused(bot: Bot, how: dict[str, Any]) -> None:
    for body in (mention(), command(), press()):
        assert bot.send(body, **how).status == 401
    assert bot.ledger.questions == []
    assert bot.counted == []


def test_a_missing_signature_or_another_body_is_refused(bot: Bot) -> None:
    raw, content_type = as_json(mention())
    assert bot.app.dispatch(BoltRequest(body=raw, headers={"content-type": content_type})).status == 401
    headers = signed(raw, content_type)
    assert bot.app.dispatch(BoltRequest(body=raw.replace("U1", "U2"), headers=dict(headers))).status == 401
    assert bot.ledger.questions == []


def test_the_address_is_verified(bot: Bot) -> None:
    raw = json.dumps({"type": "url_verification", "challenge": "3eZbrw1aB"})
    response = bot.app.dispatch(BoltRequest(body=raw, headers=dict(signed(raw, "application/json"))))
    assert (response.status, json.loads(response.body)) == (200, {"challenge": "3eZbrw1aB"})
    ssl = "ssl_check=1&token=x"
    assert bot.app.dispatch(BoltRequest(body=ssl, headers=dict(signed(ssl, FORM)))).status == 200


def test_a_command_is_answered_at_once(bot: Bot) -> None:
    response = bot.send(command())
    told = json.loads(response.body)
    assert response.status == 200
    assert told["response_type"] == "ephemeral"
    assert told["text"].startswith("Looking into it…")
    assert wait_for(lambda: bot.rung) == [q.request_id for q in bot.ledger.questions]


def test_a_command_alone_opens_a_window(bot: Bot) -> None:
    assert bot.send(command("")).status == 200
    method, told = wait_for(lambda: bot.calls)[0]
    assert (method, told["trigger_id"]) == ("views.open", command()["trigger_id"])
    assert told["view"]["callback_id"] == "ask"
    assert bot.ledger.questions == []


@pytest.mark.parametrize("text", ["help", "HELP ", "hi"])
def test_help_by_command(bot: Bot, text: str) -> None:
    told = json.loads(bot.send(command(text)).body)
    assert told["response_type"] == "ephemeral"
    assert "/api/zones" in told["text"]
    assert "in shop?" in json.dumps(told["blocks"])
    assert bot.ledger.questions == []


def test_help_by_mention_is_seen_by_who_asked(bot: Bot) -> None:
    assert bot.send(mention(f"<@{APP}> help", thread_ts=THREAD)).status == 200
    method, told = wait_for(lambda: bot.calls)[0]
    assert method == "chat.postEphemeral"
    assert (told["channel"], told["user"], told["thread_ts"]) == ("C1", "U1", THREAD)
    assert told["token"] == "Bearer xoxb-test"
    assert "/oracle" in told["text"]
    assert bot.ledger.questions == []


@pytest.mark.parametrize("body", [mention(f"<@{APP}> hlep"), message("hlep", channel_type="im", thread_ts=None)])
def test_a_mistyped_command_is_answered_to_its_writer_alone(bot: Bot, body: dict[str, Any]) -> None:
    assert bot.send(body).status == 200
    method, told = wait_for(lambda: bot.calls)[0]
    assert (method, told["user"]) == ("chat.postEphemeral", "U1")
    assert "/oracle help?" in told["text"]
    assert bot.ledger.questions == []


@pytest.mark.parametrize("body", [mention(LONG), message(LONG, channel_type="im", thread_ts=None)])
def test_a_long_question_is_answered_with_one_sentence(bot: Bot, body: dict[str, Any]) -> None:
    assert bot.send(body).status == 200
    _, told = wait_for(lambda: bot.calls)[0]
    assert "101 characters, and I read at most 100" in told["text"]
    assert "thread_ts" not in told
    assert bot.ledger.questions == []
    assert 'oracle_events_refused_total{reason="too_long"} 1.0' in bot.counted


def test_a_long_command_is_answered_with_one_sentence(bot: Bot) -> None:
    told = json.loads(bot.send(command(LONG)).body)
    assert "101 characters, and I read at most 100" in told["text"]
    assert bot.ledger.questions == []


def test_the_longest_question_is_taken(bot: Bot) -> None:
    assert bot.send(mention("y" * 100)).status == 200
    assert len(bot.ledger.questions) == 1


def test_long_talk_in_a_thread_is_nobodys_business(bot: Bot) -> None:
    assert bot.send(message(LONG)).status == 200
    bot.send(mention(f"<@{APP}> help"))
    wait_for(lambda: bot.calls)
    assert [told["text"][:8] for _, told in bot.calls] == ["I answer"]
    assert bot.ledger.replies == []


def test_a_reply_in_a_thread_that_waits(bot: Bot) -> None:
    bot.ledger.waiting[THREAD] = "a1b2c3d4e5f6"
    assert bot.send(message("the checkout one")).status == 200
    assert [r.text for r in bot.ledger.replies] == ["the checkout one"]
    assert wait_for(lambda: bot.rung) == ["a1b2c3d4e5f6"]


def test_talk_in_any_other_thread_rings_nobody(bot: Bot) -> None:
    assert bot.send(message("the checkout one")).status == 200
    assert bot.send(mention()).status == 200
    assert wait_for(lambda: bot.rung) == [bot.ledger.questions[0].request_id]
    assert bot.calls == []


def test_a_pressed_option(bot: Bot) -> None:
    bot.ledger.waiting[THREAD] = "a1b2c3d4e5f6"
    response = bot.send(press())
    assert (response.status, response.body) == (200, "")
    assert [(r.text, r.request_id) for r in bot.ledger.replies] == [("/api/search", "a1b2c3d4e5f6")]
    assert wait_for(lambda: bot.rung) == ["a1b2c3d4e5f6"]
    assert bot.calls == []


def test_an_option_of_a_question_that_was_answered(bot: Bot) -> None:
    assert bot.send(press()).status == 200
    method, told = wait_for(lambda: bot.calls)[0]
    assert method == "chat.postEphemeral"
    assert (told["channel"], told["user"], told["thread_ts"]) == ("C1", "U2", THREAD)
    assert "answered already" in told["text"]
    assert bot.rung == []


@pytest.mark.parametrize(
    "body",
    [
        press(action_id="open-link"),
        event_body({"type": "reaction_added", "user": "U1", "item": {"type": "message", "channel": "C1", "ts": "1.1"}}),
        event_body({"type": "member_joined_channel", "user": APP, "channel": "C1"}),
        message(subtype="message_changed", message={"text": "x"}),
        message(bot_id="B1", user=APP),
    ],
)
def test_what_nobody_asked_for_is_acknowledged(bot: Bot, body: dict[str, Any]) -> None:
    assert bot.send(body).status == 200
    assert bot.ledger.questions == []
    assert bot.ledger.replies == []


def test_a_listener_that_fails_is_logged_and_nobody_sees_it(bot: Bot, caplog: pytest.LogCaptureFixture) -> None:
    def fail(_: str) -> None:
        raise RuntimeError("the bell is broken")

    failing = Bot(bot.settings, bot.calls, ring=fail)
    assert failing.send(mention()).status == 200
    wait_for(lambda: "a Slack listener failed" in caplog.text)
    assert "the bell is broken" in caplog.text
    assert bot.calls == []


def test_a_note_that_slack_does_not_take_is_logged(bot: Bot, caplog: pytest.LogCaptureFixture) -> None:
    slack = {"api_url": NOWHERE, "signing_secret": SECRET, "bot_token": "xoxb-1"}
    lonely = Bot(load_settings({f"oracle.slack.{key}": value for key, value in slack.items()}), [])
    for body in (press(), mention(f"<@{APP}> help")):
        caplog.clear()
        assert lonely.send(body).status == 200
        wait_for(lambda: "nothing was said to U" in caplog.text)
    assert "Traceback" not in caplog.text


def test_the_environment_of_a_distributed_app_changes_nothing(
    bot: Bot, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET", "SLACK_BOT_TOKEN", "SLACK_SIGNING_SECRET"):
        monkeypatch.setenv(name, "xoxb-environment")
    again = Bot(bot.settings, bot.calls)
    assert again.send(mention(f"<@{APP}> help")).status == 200
    assert wait_for(lambda: bot.calls)[0][1]["token"] == "Bearer xoxb-test"
    assert caplog.messages == []


def test_slack_itself_is_the_address_when_none_is_set(tmp_path: Path) -> None:
    settings = load_settings({"oracle.slack.bot_token": "xoxb-1"}, home=tmp_path)
    assert Bot(settings, []).app.client.base_url == "https://slack.com/api/"


def test_nothing_signed_is_taken_without_a_secret_to_check_it_with(tmp_path: Path) -> None:
    bot = Bot(load_settings({"oracle.slack.bot_token": "xoxb-1"}, home=tmp_path), [])
    for body in (mention(), command(), press()):
        assert bot.send(body).status == 500
    assert bot.ledger.questions == []
