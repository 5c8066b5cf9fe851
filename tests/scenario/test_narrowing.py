"""An answer with menus, in the local Slack: a ranked list with its picture, and what a chosen option asks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import ship_agent
from tests.support.bolt_with_ledger import all_words
from tests.support.one_process import House, run_house
from tests.support.slack_payloads import wait_for
from workers.delivery import action_ids
from workers.entrypoints.tasks import take


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """The played agent of ships in one process."""
    ship_agent.install(tmp_path, monkeypatch)
    with run_house(tmp_path) as opened:
        yield opened


def work(house: House) -> None:
    wait_for(lambda: house.asked)
    while house.asked:
        take(house.worker, house.asked.pop(0))


def menu_of(message: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The block of menus of an answer, and its first menu."""
    block = next(b for b in message["blocks"] if b.get("block_id", "").startswith(f"{action_ids.NARROW_BLOCK}:"))
    return block, block["elements"][0]


def choose(house: House, channel: str, message: dict[str, Any], label: str) -> dict[str, Any]:
    """Someone chooses an option. Returns: the answer that comes below."""
    block, menu = menu_of(message)
    option = next(o for o in menu["options"] if o["text"]["text"] == label)
    where = {"channel": channel, "message_ts": message["ts"], "block_id": block["block_id"], "user": "maya"}
    body = {**where, "action_id": menu["action_id"], "selected_option": option}
    assert house.slack.control("action", body)["ok"]
    work(house)
    return house.ours(channel)[-1]


def asked_last(house: House, message: dict[str, Any]) -> Any:
    """The question that a message answers."""
    block, _ = menu_of(message)
    return house.worker.oracle.store.load(block["block_id"].partition(":")[2]).question


def test_a_chosen_option_asks_a_narrower_question_in_the_same_thread(house: House) -> None:
    channel = house.make("questions")
    asked = house.slack.ask(channel, "@oracle which ship is like ours?")
    work(house)
    first = house.ours(channel)[-1]
    lists = [
        e for b in first["blocks"] if b["type"] == "rich_text" for e in b["elements"] if e.get("style") == "ordered"
    ]
    said = [" ".join(all_words(item).split()) for item in lists[0]["elements"]]
    assert said[:2] == ["Albatros · Hamburg [E2]", "Merle · Bergen [E3]"]
    assert len(said) == 5
    assert "and 2 more" in all_words(first)
    (picture,) = [b for b in first["blocks"] if b["type"] == "image"]
    assert picture["alt_text"].startswith("Albatros and six other ships: three in Hamburg")

    second = choose(house, channel, first, "Bergen")
    assert second["thread_ts"] == asked
    assert "2 ships come near." in all_words(second)
    question = asked_last(house, second)
    assert (question.text, question.agent) == ("which ship is like ours? [port: Bergen]", "ships")
    assert question.asker != asked_last(house, first).asker
    assert menu_of(second)[1]["initial_option"]["text"]["text"] == "Bergen"

    third = choose(house, channel, first, "Leith")  # of the first answer, once more
    assert asked_last(house, third).text == "which ship is like ours? [port: Leith]"
    fourth = choose(house, channel, third, "Hamburg")
    assert asked_last(house, fourth).text == "which ship is like ours? [port: Hamburg]"
    fifth = choose(house, channel, fourth, "any port")
    assert asked_last(house, fifth).text == "which ship is like ours?"
    assert "7 ships come near." in all_words(fifth)
    told = house.channel(channel)["ephemerals"]
    assert all_words(told[-1]["message"]) == "Looking… The answer comes below."
