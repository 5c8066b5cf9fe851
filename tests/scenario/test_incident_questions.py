"""Questions about an incident in its own channel: answered from what was said there, each line with its message."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.bolt_with_ledger import all_words
from tests.support.one_process import BROKEN, House, run_house
from tests.support.slack_payloads import wait_for
from workers.contracts import RequestLog
from workers.entrypoints.tasks import take
from workers.ports import Place

LED = "I'm IC for this"
CAUSE = "found it: the connection pool of payments is exhausted since the 13:40 deploy"
DECIDED = "Decision: we roll back payments to 2.3 and freeze deploys"
ACTION = "@tomas please roll back payments"


@pytest.fixture(scope="module")
def house(module_home: Path) -> Iterator[House]:
    with run_house(module_home) as found:
        yield found


def ask(house: House, channel: str, text: str, **more: Any) -> tuple[RequestLog, dict[str, Any]]:
    """Ask by mention. Returns: the log, and the message that answers."""
    before = len(house.asked)
    house.say(channel, f"@oracle {text}", user="priya", **more)
    request_id = wait_for(lambda: house.asked[before:])[0]
    take(house.worker, request_id)
    log = house.worker.oracle.store.load(request_id)
    key = f"{request_id}:0.0"
    (message,) = [m for m in house.ours(channel) if str(m.get("metadata")).find(key) >= 0]
    return log, message


def said(log: RequestLog) -> list[str]:
    assert log.answer
    return [claim.text for claim in log.answer.claims]


@pytest.fixture(scope="module")
def told(house: House) -> tuple[str, dict[str, str]]:
    """A channel in which something was said of everything, and the ts of each message."""
    channel = house.make()
    stamps = {text: house.say(channel, text) for text in (BROKEN, LED, CAUSE, DECIDED, ACTION)}
    wait_for(lambda: len(house.heard(channel)) == len(stamps))
    house.work(channel)
    return channel, stamps


@pytest.mark.parametrize(
    ("question", "kind", "rests_on", "words"),
    [
        ("what's the status?", "incident_status", BROKEN, "SEV2"),
        ("who leads?", "incident_lead", LED, "leads."),
        ("root cause?", "incident_cause", CAUSE, "connection pool"),
        ("open actions?", "incident_actions", ACTION, "☐ @tomas: Roll back payments"),
        ("since when?", "incident_since", BROKEN, "Since "),
        ("what did we decide?", "incident_decisions", DECIDED, "freeze deploys"),
        ("what's the impact?", "incident_impact", BROKEN, "502"),
    ],
)
def test_a_question_about_the_incident_is_answered_from_its_messages(
    house: House, told: tuple[str, dict[str, str]], question: str, kind: str, rests_on: str, words: str
) -> None:
    channel, stamps = told
    log, message = ask(house, channel, question)
    assert log.intent
    assert (log.intent.question_type, log.tool_calls) == (kind, ())
    assert words in " ".join(said(log))
    link = house.worker.chats(house.team).permalink(Place(channel, team=house.team), stamps[rests_on])
    assert link in {item.url for item in log.evidence}
    assert words in all_words(message)
    assert link in str(message["blocks"]) or len(said(log)) > 4


def test_what_nobody_said_is_not_made_up(house: House) -> None:
    channel = house.followed_channel()
    log, message = ask(house, channel, "who's IC?")
    assert said(log) == ["Nobody is named as lead in this channel so far."]
    assert log.evidence == ()
    assert "Nobody is named as lead" in all_words(message)
    assert said(ask(house, channel, "what did we decide?")[0]) == [
        "No decision is written down in this channel so far."
    ]


def test_the_question_itself_is_no_message_of_the_incident(house: House) -> None:
    channel = house.followed_channel()
    first = ask(house, channel, "what's the impact for users?")[0]
    asked_again = ask(house, channel, "what's the impact for users?")[0]
    assert said(asked_again) == said(first)
    assert all("impact for users" not in item.excerpt for item in asked_again.evidence)


def test_a_question_of_something_else_is_looked_into(house: House, told: tuple[str, dict[str, str]]) -> None:
    log, _ = ask(house, told[0], "what's the impact on /api/zeppelin?")
    assert log.intent
    assert not log.intent.question_type.startswith("incident_")


def test_elsewhere_the_same_words_are_a_question_like_any_other(house: House) -> None:
    channel = house.make("team-lunch", guests=[])
    house.slack.control("invite", {"channel": channel, "user": "oracle"})
    log, _ = ask(house, channel, "who leads?")
    assert log.intent is None or not log.intent.question_type.startswith("incident_")


def test_it_means_what_the_incident_is_about(house: House) -> None:
    channel = house.make()
    house.say(channel, BROKEN)
    wait_for(lambda: house.heard(channel) == [BROKEN])
    house.work(channel)
    log, _ = ask(house, channel, "is it slow?")
    assert log.intent
    assert log.answer
    assert log.answer.kind != "clarify"
    assert any("checkout" in text.lower() for text in log.question.context)  # what whoever answers reads "it" by
