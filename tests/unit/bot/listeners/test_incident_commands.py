"""Declared incidents: one at a time in a channel, told to everyone there, ended in the thread they began in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.listeners import commands, incident_commands
from bot.views.notice import NO_DATABASE
from tests.support.bolt_with_ledger import Desk, all_words, open_desk
from workers.store.incidents import active_incident, active_incidents

LINK = "https://t.slack.com/archives/C1/p5001"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with open_desk(tmp_path / "home") as opened:
        opened.slack.answers["chat.getPermalink"] = {"permalink": LINK}
        yield opened.listen(commands)


def posted(desk: Desk) -> list[dict[str, Any]]:
    return desk.slack.called("chat.postMessage")


@pytest.mark.parametrize(
    "text", ['incident "Checkout fails"', "incident start Checkout fails", "incident “Checkout fails”"]
)
def test_an_incident_is_declared_pinned_and_kept(desk: Desk, text: str) -> None:
    assert desk.say(text) == "Declared."
    [message] = posted(desk)
    assert message["channel"] == "C1"
    assert "Checkout fails" in message["text"]
    assert "“" not in message["text"]
    [pin] = desk.slack.called("pins.add")
    assert (pin["channel"], pin["timestamp"]) == ("C1", "500.1")
    found = active_incident(desk.database, "T1", "C1")
    assert found is not None
    assert (found.title, found.ts, found.opened_by) == ("Checkout fails", "500.1", "U1")


def test_a_second_one_is_not_declared_and_the_first_is_linked(desk: Desk) -> None:
    desk.say('incident "Checkout fails"')
    told = desk.say('incident "Search too"', user_id="U2")
    assert "Checkout fails" in told
    assert LINK in json.dumps(desk.slack.told[-1])
    assert len(posted(desk)) == 1
    assert [i.title for i in active_incidents(desk.database, "T1")] == ["Checkout fails"]


def test_words_that_may_be_a_question_declare_nothing(desk: Desk) -> None:
    told = desk.say("incident checkout fails since 09:12")
    assert "/oracle incident start checkout fails since 09:12" in told
    assert "/oracle ask incident checkout fails since 09:12?" in told
    assert posted(desk) == []
    assert active_incidents(desk.database, "T1") == ()


def test_how_an_incident_stands(desk: Desk) -> None:
    assert "No incident is open" in desk.say("incident")
    desk.say('incident "Checkout fails"')
    for text in ("incident", "incident status"):
        assert "open for" in desk.say(text)


def test_an_incident_is_resolved_in_its_thread_and_its_message_says_so(desk: Desk) -> None:
    desk.say('incident "Checkout fails"')
    assert desk.say("resolve rolled back, hunter2 changed", user_id="U2").startswith("Resolved after")
    note = posted(desk)[-1]
    assert (note["channel"], note["thread_ts"]) == ("C1", "500.1")
    assert "rolled back, [redacted] changed" in all_words(note)
    [changed] = desk.slack.called("chat.update")
    assert changed["ts"] == "500.1"
    assert changed["metadata"] == posted(desk)[0]["metadata"]
    assert "Resolved: Checkout fails" in changed["text"]
    [unpinned] = desk.slack.called("pins.remove")
    assert unpinned["timestamp"] == "500.1"
    assert active_incident(desk.database, "T1", "C1") is None
    told = " ".join(desk.say("resolve").split())
    assert told.startswith("No incident is open in this channel. The last one, Checkout fails , was over")
    assert desk.say('incident "Once more"') == "Declared."
    assert desk.say("incident resolve").startswith("Resolved after")


@pytest.mark.parametrize("error", ["not_in_channel", "channel_not_found"])
def test_where_it_is_no_member_nothing_is_declared(desk: Desk, error: str) -> None:
    desk.slack.answers["chat.postMessage"] = {"ok": False, "error": error}
    assert desk.say('incident "Checkout fails"') == incident_commands.NOT_A_MEMBER
    assert active_incidents(desk.database, "T1") == ()


def test_a_channel_s_pace_is_kept(desk: Desk) -> None:
    desk.chat.pace = lambda channel, lossy: 9.0
    assert desk.say('incident "x"') == "Slack refused the message (ratelimited): nothing is declared."
    assert posted(desk) == []
    assert active_incidents(desk.database, "T1") == ()


def test_what_slack_refuses_is_named(desk: Desk) -> None:
    desk.slack.answers["chat.postMessage"] = {"ok": False, "error": "is_archived"}
    assert desk.say('incident "x"') == "Slack refused the message (is_archived): nothing is declared."
    desk.slack.answers["chat.postMessage"] = {}
    desk.slack.answers["pins.add"] = {"ok": False, "error": "missing_scope"}
    assert desk.say('incident "x"') == "Declared; I could not pin the message (missing_scope)."
    desk.slack.answers["chat.postMessage"] = {"ok": False, "error": "restricted_action"}
    assert "I could not say so in the channel (restricted_action)." in desk.say("resolve")
    assert active_incidents(desk.database, "T1") == ()


def test_an_unclear_post_keeps_what_was_declared(desk: Desk) -> None:
    desk.slack.answers["chat.postMessage"] = {"ok": False, "error": "internal_error"}
    assert desk.say('incident "x"') == "It is declared, but Slack did not confirm my message to the channel."
    assert [i.ts for i in active_incidents(desk.database, "T1")] == [""]
    desk.slack.answers["chat.postMessage"] = {}
    assert desk.say("resolve").startswith("Resolved after")
    assert "thread_ts" not in posted(desk)[-1]
    assert desk.slack.called("chat.update") == []


def test_a_title_is_needed_and_a_direct_message_is_no_place(desk: Desk) -> None:
    assert "What happens?" in desk.say("incident start")
    assert desk.say('incident "x"', channel_id="D1") == incident_commands.NOT_HERE
    assert active_incidents(desk.database, "T1") == ()


def test_a_database_that_is_gone_is_one_sentence(desk: Desk) -> None:
    with desk.database.begin() as connection:
        connection.exec_driver_sql("alter table incident_channels rename to gone")
    assert desk.say('incident "x"') == NO_DATABASE
    assert posted(desk) == []
