"""Declared incidents: one at a time in a channel, told to everyone there, ended in the thread they began in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.listeners import commands, declared_incidents
from bot.views.notice import NO_DATABASE
from tests.support.bolt_with_ledger import Desk, all_words, open_desk
from workers.store.incidents import active_incident, active_incidents

LINK = "https://t.slack.com/archives/C1/p5001"


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Desk]:
    with open_desk(tmp_path / "home") as opened:
        opened.slack.answers["chat.getPermalink"] = {"permalink": LINK}
        yield opened.listen(commands)


def posted(worker: Desk) -> list[dict[str, Any]]:
    return worker.slack.called("chat.postMessage")


@pytest.mark.parametrize(
    "text", ['incident "Checkout fails"', "incident start Checkout fails", "incident “Checkout fails”"]
)
def test_an_incident_is_declared_pinned_and_kept(worker: Desk, text: str) -> None:
    assert worker.say(text) == "Declared."
    [message] = posted(worker)
    assert message["channel"] == "C1"
    assert "Checkout fails" in message["text"]
    assert "“" not in message["text"]
    [pin] = worker.slack.called("pins.add")
    assert (pin["channel"], pin["timestamp"]) == ("C1", "500.1")
    found = active_incident(worker.database, "T1", "C1")
    assert found is not None
    assert (found.title, found.ts, found.opened_by) == ("Checkout fails", "500.1", "U1")


def test_a_second_one_is_not_declared_and_the_first_is_linked(worker: Desk) -> None:
    worker.say('incident "Checkout fails"')
    told = worker.say('incident "Search too"', user_id="U2")
    assert "Checkout fails" in told
    assert LINK in json.dumps(worker.slack.told[-1])
    assert len(posted(worker)) == 1
    assert [i.title for i in active_incidents(worker.database, "T1")] == ["Checkout fails"]


def test_words_that_may_be_a_question_declare_nothing(worker: Desk) -> None:
    told = worker.say("incident checkout fails since 09:12")
    assert "/oracle incident start checkout fails since 09:12" in told
    assert "/oracle ask incident checkout fails since 09:12?" in told
    assert posted(worker) == []
    assert active_incidents(worker.database, "T1") == ()


def test_how_an_incident_stands(worker: Desk) -> None:
    assert "No incident is open" in worker.say("incident")
    worker.say('incident "Checkout fails"')
    for text in ("incident", "incident status"):
        assert "open for" in worker.say(text)


def test_an_incident_is_resolved_in_its_thread_and_its_message_says_so(worker: Desk) -> None:
    worker.say('incident "Checkout fails"')
    assert worker.say("resolve rolled back, hunter2 changed", user_id="U2").startswith("Resolved after")
    note = posted(worker)[-1]
    assert (note["channel"], note["thread_ts"]) == ("C1", "500.1")
    assert "rolled back, [redacted] changed" in all_words(note)
    [changed] = worker.slack.called("chat.update")
    assert changed["ts"] == "500.1"
    assert changed["metadata"] == posted(worker)[0]["metadata"]
    assert "Resolved: Checkout fails" in changed["text"]
    [unpinned] = worker.slack.called("pins.remove")
    assert unpinned["timestamp"] == "500.1"
    assert active_incident(worker.database, "T1", "C1") is None
    told = " ".join(worker.say("resolve").split())
    assert told.startswith("No incident is open in this channel. The last one, Checkout fails , was over")
    assert worker.say('incident "Once more"') == "Declared."
    assert worker.say("incident resolve").startswith("Resolved after")


@pytest.mark.parametrize("error", ["not_in_channel", "channel_not_found"])
def test_where_it_is_no_member_nothing_is_declared(worker: Desk, error: str) -> None:
    worker.slack.answers["chat.postMessage"] = {"ok": False, "error": error}
    assert worker.say('incident "Checkout fails"') == declared_incidents.NOT_A_MEMBER
    assert active_incidents(worker.database, "T1") == ()


def test_a_channel_s_pace_is_kept(worker: Desk) -> None:
    worker.chat.pace = lambda channel, lossy: 9.0
    assert worker.say('incident "x"') == "Slack refused the message (ratelimited): nothing is declared."
    assert posted(worker) == []
    assert active_incidents(worker.database, "T1") == ()


def test_what_slack_refuses_is_named(worker: Desk) -> None:
    worker.slack.answers["chat.postMessage"] = {"ok": False, "error": "is_archived"}
    assert worker.say('incident "x"') == "Slack refused the message (is_archived): nothing is declared."
    worker.slack.answers["chat.postMessage"] = {}
    worker.slack.answers["pins.add"] = {"ok": False, "error": "missing_scope"}
    assert worker.say('incident "x"') == "Declared; I could not pin the message (missing_scope)."
    worker.slack.answers["chat.postMessage"] = {"ok": False, "error": "restricted_action"}
    assert "I could not say so in the channel (restricted_action)." in worker.say("resolve")
    assert active_incidents(worker.database, "T1") == ()


def test_an_unclear_post_keeps_what_was_declared(worker: Desk) -> None:
    worker.slack.answers["chat.postMessage"] = {"ok": False, "error": "internal_error"}
    assert worker.say('incident "x"') == "It is declared, but Slack did not confirm my message to the channel."
    assert [i.ts for i in active_incidents(worker.database, "T1")] == [""]
    worker.slack.answers["chat.postMessage"] = {}
    assert worker.say("resolve").startswith("Resolved after")
    assert "thread_ts" not in posted(worker)[-1]
    assert worker.slack.called("chat.update") == []


def test_a_title_is_needed_and_a_direct_message_is_no_place(worker: Desk) -> None:
    assert "What happens?" in worker.say("incident start")
    assert worker.say('incident "x"', channel_id="D1") == declared_incidents.NOT_HERE
    assert active_incidents(worker.database, "T1") == ()


def test_a_database_that_is_gone_is_one_sentence(worker: Desk) -> None:
    with worker.database.begin() as connection:
        connection.exec_driver_sql("alter table incident_channels rename to gone")
    assert worker.say('incident "x"') == NO_DATABASE
    assert posted(worker) == []
