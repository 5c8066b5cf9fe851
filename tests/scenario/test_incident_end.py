"""The end of an incident, through the sandbox: one draft of a postmortem in its thread, found when it happens again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.bolt_with_ledger import all_words
from tests.support.one_process import House, run_house
from tests.support.slack_payloads import wait_for
from tests.support.tables import sqlite_tables
from workers.contracts import Question
from workers.ports import Place
from workers.requests.stages import work

CAUSE = "found it: the connection pool of checkout is exhausted since the deploy of pool-size 5"


@pytest.fixture(scope="module")
def house(module_home: Path) -> Iterator[House]:
    with run_house(module_home) as found:
        yield found


@pytest.fixture(scope="module")
def other_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One in which the incident of `end` never happened."""
    home = tmp_path_factory.mktemp("other-home")
    sqlite_tables(home / "oracle.db")
    with run_house(home) as found:
        yield found


@pytest.fixture(scope="module")
def ended(house: House) -> str:
    """The channel of an incident that ended, whose postmortem can be found."""
    channel = end(house)
    for _ in house.worker.oracle.toolbox.refresh():
        pass
    return channel


def end(house: House) -> str:
    """An incident that was resolved by command, and its channel."""
    channel = house.followed_channel()
    house.say(channel, CAUSE, user="tomas")
    house.say(channel, "@priya please add an alert on the pool", user="maya")
    wait_for(lambda: len(house.heard(channel)) == 3)
    house.type(channel, "resolve back on pool-size 20, OPS-12 is the follow-up", user="maya")
    house.work(channel)
    return channel


def files(house: House, channel: str) -> list[str]:
    """The names of our files in a channel and its threads."""
    return [file["name"] for m in house.ours(channel) for file in m.get("files") or ()]


def test_a_resolved_incident_has_one_draft_in_its_thread(house: House, ended: str) -> None:
    channel = ended
    (name,) = wait_for(lambda: files(house, channel))
    house.say(channel, "thanks all", user="priya")
    wait_for(lambda: "thanks all" in house.heard(channel))
    house.work(channel)
    assert files(house, channel) == [name]
    (message,) = [m for m in house.ours(channel) if m.get("files")]
    assert message["thread_ts"] == next(m["ts"] for m in house.ours(channel) if not m.get("files"))
    text = (house.worker.oracle.settings.home / "postmortems" / house.team / name).read_text()
    assert "pool-size 5" in text
    assert "/archives/" in text
    assert "- [ ] **priya**: Add an alert on the pool [[1]](" in text
    note = next(m for m in house.ours(channel) if "OPS-12 is the follow-up" in all_words(m))
    place = Place(channel, team=house.team)
    link = house.worker.chats(house.team).permalink(place, note["ts"])
    assert f"- **maya said with its end:** back on pool-size 20, OPS-12 is the follow-up [[1]]({link})" in text
    assert "- **Cause:** Found it: the connection pool of checkout is exhausted" in text


def test_whether_it_happened_before_is_handed_over_with_the_past_incident(other_house: House) -> None:
    """The only one there yet."""
    house = other_house
    assert not list((house.worker.oracle.settings.home / "postmortems").glob("*/*.md"))
    channel = house.followed_channel()
    house.say(channel, CAUSE, user="tomas")
    house.say(channel, "do we know why the canary did not catch the checkout 502 errors?", user="priya")
    house.say(channel, "rolled back checkout to pool-size 20", user="tomas")
    house.say(channel, "error rate is back to normal, mitigated", user="tomas")
    wait_for(lambda: len(house.heard(channel)) == 5)
    house.type(channel, "resolve", user="maya")
    house.work(channel)
    for _ in house.worker.oracle.toolbox.refresh():
        pass
    for text in ("have we had 502 at checkout before?", "postmortems about the exhausted pool of checkout"):
        question = Question(request_id="cause-and-fix", text=text, received_at=datetime.now(UTC))
        answer = house.worker.oracle.engine.ask(question).answer
        assert answer is not None
        assert any("Postmortem" in claim.text for claim in answer.claims), text


def test_whoever_asks_after_its_end_is_told_what_ended(other_house: House) -> None:
    house = other_house
    channel = house.followed_channel()
    told = " ".join(house.type(channel, "resolve back on pool-size 20", user="maya").split())
    assert "Resolved after " in told
    assert "A draft of its postmortem comes into its thread shortly." in told
    house.work(channel)
    told = " ".join(house.type(channel, "incident status").split())
    assert "No incident is open in this channel. The last one, " in told
    assert "ended by" in told


def test_a_false_alarm_gets_no_draft(other_house: House) -> None:
    house = other_house
    channel = house.followed_channel()
    house.say(channel, "false alarm, the probe was broken, no customer impact", user="maya")
    wait_for(lambda: len(house.heard(channel)) == 2)
    house.type(channel, "resolve", user="maya")
    house.work(channel)
    assert files(house, channel) == []


@pytest.mark.usefixtures("ended")
def test_the_past_incident_answers_whether_it_happened_before(house: House) -> None:
    oracle = house.worker.oracle
    question = Question(
        request_id="seen-before",
        text="have we seen checkout 502 errors with an exhausted connection pool before?",
        received_at=datetime.now(UTC),
    )
    answer = oracle.engine.ask(question).answer
    assert answer is not None
    said = json.dumps(answer.model_dump(mode="json"))
    assert "pool" in said
    assert any("Postmortem" in claim.text for claim in answer.claims)


MARKUP = re.compile(r"\[\[\d+\]\]|\]\(http|[Tt]o be filled in|Nobody said")


@pytest.mark.usefixtures("ended")
@pytest.mark.parametrize("in_thread", [False, True])
def test_seen_before_asked_without_words_is_about_the_channels_incident(house: House, in_thread: bool) -> None:
    channel = house.make(f"inc-{77 + in_thread}-payments-page")
    before = len(house.asked)
    first = house.say(channel, "SEV2: customers see 502 at the payments page, investigating")
    house.say(channel, "I suspect the connection pool is exhausted again", user="tomas")
    wait_for(lambda: len(house.heard(channel)) == 2)
    house.work(channel)
    place = {"thread_ts": first} if in_thread else {}
    asked = house.say(channel, f"<@{house.slack.get('state')['bot']['user_id']}> have we seen this before?", **place)
    request = wait_for(lambda: house.asked[before:])[-1]
    job = house.worker.ledger.claim(request)
    assert job is not None
    work(house.worker, job)
    said = "\n".join(all_words(m) for m in house.slack.thread(channel, first if in_thread else asked))
    assert "pool-size 5" in said, said
    assert "Postmortem" in said
    assert not MARKUP.search(json.dumps(house.slack.thread(channel, first if in_thread else asked))), said


@pytest.mark.usefixtures("ended")
def test_an_answer_from_a_draft_shows_none_of_its_marks(house: House) -> None:
    oracle = house.worker.oracle
    for number, text in enumerate(
        (
            "have we had 502 at checkout before?",
            "postmortems about the exhausted pool of checkout",
            "did checkout errors happen before?",
        )
    ):
        found = oracle.engine.ask(
            Question(request_id=f"marks-{number}", text=text, received_at=datetime.now(UTC))
        ).answer
        assert found is not None
        assert found.claims, text
        said = "\n".join(claim.text for claim in found.claims)
        assert not MARKUP.search(said), said
