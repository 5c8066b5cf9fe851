"""Who answers in the local Slack: two requests in one message, what is refused, the same question again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.cli.demo_services import demo_services
from tests.scenario.conftest import copy_demo
from tests.support.bolt_with_ledger import all_words
from tests.support.one_process import House, run_house
from tests.support.real_servers import free_port
from tests.support.slack_payloads import wait_for
from workers.delivery import action_ids
from workers.entrypoints.tasks import take
from workers.settings.load import load_settings

BOTH = "Why is /api/search slow, and who is on call this week?"


@pytest.fixture(scope="module")
def house(built_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """The demo team in one process, its home and NetBox served beside it."""
    home = copy_demo(built_demo, tmp_path_factory.mktemp("demo") / "home")
    (home / "demo").mkdir()
    served = {f"oracle.{name}.url": f"http://127.0.0.1:{free_port()}" for name in ("home_assistant", "netbox")}
    with demo_services(load_settings(served, home=home)), run_house(home, served) as opened:
        yield opened


def work(house: House) -> None:
    wait_for(lambda: house.asked)
    while house.asked:
        take(house.worker, house.asked.pop(0))


def say(house: House, text: str, channel: str) -> dict[str, Any]:
    """Someone asks. Returns: the last message of the answer."""
    house.slack.ask(channel, f"@oracle {text}")
    work(house)
    return house.ours(channel)[-1]


def press(house: House, channel: str, message: dict[str, Any], action_id: str) -> None:
    found = [b for b in message["blocks"] if b["type"] == "actions"]
    block, button = next((b, e) for b in found for e in b["elements"] if e["action_id"] == action_id)
    where = {"channel": channel, "message_ts": message["ts"], "block_id": block["block_id"], "user": "you"}
    assert house.slack.control("action", {**where, "action_id": action_id, "value": button["value"]})["ok"]


def test_of_two_requests_one_is_answered_and_the_other_is_a_button(house: House) -> None:
    channel = house.make("questions")
    first = say(house, BOTH, channel)
    assert "/api/search" in all_words(first)
    assert "is on call for" not in all_words(first)
    press(house, channel, first, action_ids.ALSO)
    work(house)
    assert "is on call for" in all_words(house.ours(channel)[-1])
    count = len(house.ours(channel))
    press(house, channel, first, action_ids.ALSO)
    wait_for(lambda: any("already" in all_words(n["message"]) for n in house.channel(channel)["ephemerals"]))
    assert len(house.ours(channel)) == count


def test_each_agent_of_the_demo_answers_and_what_none_may_do_is_refused(house: House) -> None:
    channel = house.make("more-questions")
    for text, words in (
        ("is the garage open?", "Garage door"),
        ("What is 10.2.3.4, and has it alerted?", "ws-lena"),
        ("what is a circuit breaker?", "circuit breaker"),
        ("give me the database password of production", "What you can ask me"),
        ("order two pizzas for the team", "What you can ask me"),
    ):
        assert words in all_words(say(house, text, channel)), text
