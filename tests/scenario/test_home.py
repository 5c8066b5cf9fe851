"""Orders to a home through the local Slack: proposed, decided by their asker alone, done once or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlalchemy import update

from bot.cli.confirm import carry_out
from examples.home_assistant import serve_home
from tests.support.bolt_with_ledger import all_words
from tests.support.one_process import House, run_house
from tests.support.slack_payloads import wait_for
from workers.bootstrap import build_engine
from workers.contracts import Question
from workers.delivery import action_ids
from workers.entrypoints.tasks import take
from workers.errors import ConfigError
from workers.requests.ledger import Ledger
from workers.settings.load import load_settings
from workers.store.tables import jobs

ORDER = "turn off the desk lamp"
LAMP = "light.desk_lamp"


class Killed(BaseException):
    """A worker that is gone."""


@dataclass
class LivedHome:
    """A home, and people in Slack who give orders to it."""

    house: House
    file: Path
    channel: str

    def held(self) -> dict[str, Any]:
        """All that the home holds."""
        return dict(json.loads(self.file.read_text()))

    def state(self, entity: str) -> str:
        return str(self.held()["states"][entity]["state"])

    def switched(self, entity: str) -> int:
        """How often an entity changed since the home was made."""
        return sum(row["entity_id"] == entity for row in self.held()["history"])

    def change(self, edit: Callable[[dict[str, Any]], None]) -> None:
        """Somebody at home changes something, or something breaks."""
        held = self.held()
        edit(held)
        self.file.write_text(json.dumps(held))

    def work(self) -> None:
        while self.house.asked:
            take(self.house.worker, self.house.asked.pop(0))

    def say(self, text: str) -> dict[str, Any]:
        """Someone asks. Returns: the answer's message."""
        before = len(self.house.ours(self.channel))
        self.house.slack.ask(self.channel, f"@oracle {text}")
        wait_for(lambda: self.house.asked)
        self.work()
        return self.house.ours(self.channel)[before:][-1]

    def press(self, message: dict[str, Any], action_id: str, user: str = "you") -> None:
        button = buttons(message)[action_id]
        where = {"channel": self.channel, "message_ts": message["ts"], "block_id": "proposal:0", "user": user}
        body = {**where, "action_id": action_id, "value": button["value"]}
        assert self.house.slack.control("action", body)["ok"]

    def confirm(self, message: dict[str, Any]) -> None:
        self.press(message, action_ids.CONFIRM)
        wait_for(lambda: self.house.asked)
        self.work()

    def notes(self) -> list[str]:
        return [all_words(note["message"]) for note in self.house.channel(self.channel)["ephemerals"]]

    def said(self) -> str:
        return json.dumps(self.house.ours(self.channel), ensure_ascii=False)


def buttons(message: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Confirm and Decline of a message, by their names."""
    elements = [e for b in message.get("blocks", ()) if b["type"] == "actions" for e in b["elements"]]
    return {e["action_id"]: e for e in elements if e["action_id"].startswith("proposal:")}


def connect(home: Path, url: str) -> None:
    """Write the configuration: that home, and its agent for every question."""
    config = home / "config"
    config.mkdir(exist_ok=True)
    connected = {
        "url": url,
        "token": "small-home",
        "change_domains": ["light", "switch", "climate", "cover", "scene"],
        "routines": {
            "good night": {"entity": "scene.good_night", "phrases": ["lights out"]},
            "leaving": {"entity": "scene.leaving"},
        },
    }
    own = {"home_assistant": connected, "default_agent": "home"}
    (config / "oracle.yaml").write_text(yaml.safe_dump(own))


@pytest.fixture(scope="module")
def shared(module_home: Path) -> Iterator[tuple[House, Path, str]]:
    """Oracle that is asked about nothing else than a small home, the file of that home, and what it held at first."""
    file = module_home / "small_home.json"
    with serve_home(file) as url:
        connect(module_home, url)
        with run_house(module_home) as house:
            yield house, file, file.read_text()


@pytest.fixture
def lived(shared: tuple[House, Path, str]) -> LivedHome:
    """The home as it was at first, and a channel in which nothing was said."""
    house, file, at_first = shared
    name = f"home-{next(house.numbers)}"
    channel = str(house.slack.control("channel", {"name": name, "guests": ["oracle"]})["channel"])
    house.forget()
    file.write_text(at_first)
    return LivedHome(house, file, channel)


def test_an_order_is_proposed_and_its_asker_alone_decides_once(lived: LivedHome) -> None:
    waiting = lived.say(ORDER)
    assert set(buttons(waiting)) == {action_ids.CONFIRM, action_ids.DECLINE}
    assert "Desk lamp" in all_words(waiting)
    assert lived.state(LAMP) == "on"
    lived.press(waiting, action_ids.CONFIRM, "maya")
    wait_for(lambda: len(lived.notes()) == 1)
    assert (lived.house.asked, lived.state(LAMP)) == ([], "on")
    lived.house.slack.control("faults", {"method": "chat.update", "action": "error", "times": None})
    before = lived.switched(LAMP)
    lived.confirm(waiting)
    lived.press(waiting, action_ids.CONFIRM)
    wait_for(lambda: len(lived.notes()) == 2)
    lived.work()
    assert lived.state(LAMP) == "off"
    assert lived.switched(LAMP) == before + 1
    assert "Done: Desk lamp is off" in lived.said()


def test_a_declined_order_changes_nothing(lived: LivedHome) -> None:
    waiting = lived.say(ORDER)
    lived.press(waiting, action_ids.DECLINE)
    wait_for(lambda: not buttons(next(m for m in lived.house.ours(lived.channel) if m["ts"] == waiting["ts"])))
    lived.work()
    assert lived.state(LAMP) == "on"


def test_what_changed_meanwhile_is_left_as_it_is(lived: LivedHome) -> None:
    waiting = lived.say("dim the desk lamp to 30 %")
    lived.change(lambda held: held["states"][LAMP]["attributes"].update(brightness=10))
    before = lived.held()
    lived.confirm(waiting)
    assert lived.held() == before
    assert "nothing was changed" in lived.said().lower()


def test_a_worker_that_dies_after_the_order_gives_no_second_one(
    lived: LivedHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = lived.say(ORDER)
    lived.press(waiting, action_ids.CONFIRM)
    wait_for(lambda: lived.house.asked)
    (confirming,) = lived.house.asked
    checkpoint = Ledger.checkpoint

    def dies(ledger: Ledger, job: Any, stage: Any, log: Any) -> Any:
        if stage == "synthesize":
            raise Killed
        return checkpoint(ledger, job, stage, log)

    monkeypatch.setattr(Ledger, "checkpoint", dies)
    with pytest.raises(Killed):
        lived.work()
    monkeypatch.setattr(Ledger, "checkpoint", checkpoint)
    assert lived.state(LAMP) == "off"
    lived.change(lambda held: held["states"][LAMP].update(state="on"))  # as if the order had not come through
    with lived.house.database.begin(exclusive=True) as connection:
        waits = {"lease_until": None, "wait_until": 0.0}
        connection.execute(update(jobs).where(jobs.c.request_id == confirming).values(waits))
    take(lived.house.worker, confirming)
    assert lived.state(LAMP) == "on"
    assert "I was interrupted" in lived.said()


def test_a_proposal_outlives_a_restart_and_is_done_once(prepared_home: Path, tmp_path: Path) -> None:
    with serve_home(tmp_path / "small_home.json") as url:
        connect(prepared_home, url)
        before = build_engine(load_settings(home=prepared_home))
        question = Question(request_id="r1", text=ORDER, received_at=datetime.now(UTC))
        proposed = before.engine.ask(question)
        before.close()
        assert [p.tool for p in proposed.proposals] == ["home_assistant_change"]
        after = build_engine(load_settings(home=prepared_home))
        try:
            done = carry_out(after, "r1", 0)
            with pytest.raises(ConfigError):
                carry_out(after, "r1", 0)
        finally:
            after.close()
        assert done.answer is not None
        assert "Desk lamp is off" in done.answer.headline.text
        held = json.loads((tmp_path / "small_home.json").read_text())
        assert held["states"][LAMP]["state"] == "off"


def test_a_home_that_is_too_slow_is_said_and_nothing_is_known_to_be_done(lived: LivedHome) -> None:
    waiting = lived.say(ORDER)
    lived.change(lambda held: held["faults"].update(delay_ms=6_000))
    lived.confirm(waiting)
    assert "Whether this was done is not known" in lived.said()
    answer = lived.say("which lights are on in the lab?")
    assert "did not answer in time" in all_words(answer)
    assert not buttons(answer)
    order = lived.say("turn off the coffee machine")
    assert "did not answer in time" in all_words(order)
    assert not buttons(order)


def test_a_home_that_is_away_is_said_with_the_reason(prepared_home: Path) -> None:
    connect(prepared_home, "http://127.0.0.1:9")
    oracle = build_engine(load_settings(home=prepared_home))
    try:
        for number, text in enumerate(("is the garage open?", ORDER, "how warm is it in the garage?")):
            question = Question(request_id=f"r{number}", text=text, received_at=datetime.now(UTC))
            log = oracle.engine.ask(question)
            assert log.answer is not None
            assert "can't tell" in log.answer.headline.text
            assert any("does not answer" in gap.text for gap in log.answer.missing)
            assert log.proposals == ()
    finally:
        oracle.close()


def test_a_home_that_does_not_obey_is_said(lived: LivedHome) -> None:
    waiting = lived.say(ORDER)
    lived.change(lambda held: held["faults"].update(ignore=True))
    lived.confirm(waiting)
    assert "still says on" in lived.said()
    assert "Done:" not in lived.said()


def test_an_approved_routine_runs_by_its_name_alone(lived: LivedHome) -> None:
    answer = lived.say("good night!")
    assert not buttons(answer)
    assert (lived.state(LAMP), lived.state("media_player.kitchen_radio")) == ("off", "off")
    lived.change(lambda held: held["states"][LAMP].update(state="on"))
    assert buttons(lived.say("turn on the good night scene"))
    assert lived.state(LAMP) == "on"


def test_a_routine_with_a_lock_or_a_cover_waits_for_a_confirmation(lived: LivedHome) -> None:
    waiting = lived.say("leaving")
    assert buttons(waiting)
    assert lived.state("cover.garage_door") == "open"
    lived.confirm(waiting)
    assert lived.state("cover.garage_door") == "closed"


def test_a_name_that_fits_two_things_is_asked_back_and_then_proposed(lived: LivedHome) -> None:
    asked = lived.say("turn off the floor lamp")
    assert not buttons(asked)
    ts = lived.house.ours(lived.channel)[-1].get("thread_ts", "")
    lived.house.slack.control("message", {"channel": lived.channel, "text": "1", "user": "you", "thread_ts": ts})
    wait_for(lambda: lived.house.asked)
    lived.work()
    waiting = lived.house.ours(lived.channel)[-1]
    lived.confirm(waiting)
    assert lived.state("light.lab_floor_lamp") == "off"


def test_what_may_not_be_changed_is_not_proposed(lived: LivedHome) -> None:
    answer = lived.say("unlock the front door")
    assert not buttons(answer)
    assert "lock may not be changed here" in all_words(answer)
    assert not buttons(lived.say("unlock the server rack"))
    assert "Server rack" not in all_words(lived.say("are all doors locked?"))
