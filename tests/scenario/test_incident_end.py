"""The end of an incident, through the sandbox: one draft of a postmortem in its thread, found when it happens again."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from tests.house import House
from tests.scenario.test_incident_channels import house
from tests.unit.bot.parts import wait_for
from workers.contracts import Question

__all__ = ["house"]
CAUSE = "found it: the connection pool of checkout is exhausted since the deploy of pool-size 5"


def end(house: House) -> str:
    """An incident that was resolved by command, and its channel."""
    channel = house.followed_channel()
    house.say(channel, CAUSE, user="tomas")
    house.say(channel, "@priya please add an alert on the pool", user="maya")
    wait_for(lambda: len(house.heard(channel)) == 3)
    house.type(channel, "resolve", user="maya")
    house.work(channel)
    return channel


def files(house: House, channel: str) -> list[str]:
    """The names of our files in a channel and its threads."""
    return [file["name"] for m in house.ours(channel) for file in m.get("files") or ()]


def test_a_resolved_incident_has_one_draft_in_its_thread(house: House) -> None:
    channel = end(house)
    (name,) = wait_for(lambda: files(house, channel))
    house.say(channel, "thanks all", user="priya")
    wait_for(lambda: "thanks all" in house.heard(channel))
    house.work(channel)
    assert files(house, channel) == [name]
    (message,) = [m for m in house.ours(channel) if m.get("files")]
    assert message["thread_ts"] == next(m["ts"] for m in house.ours(channel) if not m.get("files"))
    text = (house.desk.oracle.settings.home / "postmortems" / name).read_text()
    assert "pool-size 5" in text
    assert "/archives/" in text
    assert "- [ ] **priya**: Add an alert on the pool [[1]](" in text


def test_a_false_alarm_gets_no_draft(house: House) -> None:
    channel = house.followed_channel()
    house.say(channel, "false alarm, the probe was broken, no customer impact", user="maya")
    wait_for(lambda: len(house.heard(channel)) == 2)
    house.type(channel, "resolve", user="maya")
    house.work(channel)
    assert files(house, channel) == []


def test_the_past_incident_answers_whether_it_happened_before(house: House) -> None:
    end(house)
    oracle = house.desk.oracle
    for _ in oracle.rack.refresh():
        pass
    question = Question(
        request_id="seen-before",
        text="have we seen checkout 502 errors with an exhausted connection pool before?",
        received_at=datetime.now(UTC),
    )
    answer = oracle.engine.ask(question).answer
    assert answer is not None
    said = json.dumps(answer.model_dump(mode="json"))
    assert "pool" in said
    assert "Postmortem" in answer.headline.text
