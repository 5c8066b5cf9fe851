"""A change that an agent proposes in the local Slack: its asker alone decides, once, and nothing is made twice."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

import workers.tools
from tests.support.bolt_with_ledger import all_words
from tests.support.one_process import House, run_house
from tests.support.slack_payloads import wait_for
from workers.delivery import action_ids
from workers.entrypoints.tasks import take
from workers.requests.ledger import Ledger
from workers.store.tables import jobs

AGENT = """
from workers.contracts import Claim, Draft, Intent, Plan, Step

QUESTION_TYPES = {"menu": "a dish is to be put on the menu"}


def claim(question, landscape):
    return 1.0 if "menu" in question.text.lower() else 0.0


def read_intent(question, landscape, now, playbook):
    return Intent(question_type="menu", subjects=("menu",))


def make_plan(question, intent, landscape, playbook):
    step = Step(id="menu", tool="canteen_menu", args={"dish": question.text.split()[1]}, purpose="change the menu")
    return Plan(pattern="NOVEL", query_intent="change the menu", steps=(step,))


def write_answer(brief, playbook):
    first = brief.evidence[0]
    return Draft(headline=Claim(template=f"Proposed: {{{first.id}.change}}", evidence=(first.id,)))
"""
TOOL = """
from pathlib import Path

from pydantic import BaseModel

from workers.contracts import Proposal, ToolOutput
from workers.toolkit.tool import Tool, ToolArgs


class MenuOptions(BaseModel):
    path: Path


class MenuArgs(ToolArgs):
    dish: str
    dishes: int = -1


def build(options, resources):
    path = MenuOptions.model_validate(options).path

    def known():
        return path.read_text().split() if path.exists() else []

    def propose(args, context):
        change = {"dish": args.dish, "dishes": len(known())}
        title = f"Put {args.dish} on the menu"
        proposal = Proposal(tool="canteen_menu", args=change, title=title, preview=f"+ {args.dish}")
        return ToolOutput(proposals=(proposal,))

    def run(args, context):
        if len(known()) != args.dishes:
            return ToolOutput(status="error", reason="the menu was changed meanwhile")
        path.write_text(" ".join([*known(), args.dish]))
        return ToolOutput(summary=f"{args.dish} is on the menu")

    return Tool(
        name="canteen_menu", description="Puts a dish on the menu.", access="write", args=MenuArgs, run=run,
        propose=propose, purpose="change the menu",
    )
"""
ENTRY = """
canteen:
  module: canteen_agent
  task: canteen
  description: Keeps the menu of the canteen.
  tools: [canteen_menu]
  validators: [max_steps, tools_allowed]
"""
ORDER = "put soup on the menu"


class Killed(BaseException):
    """A worker that is gone."""


class Canteen:
    """The menu, and the people who change it."""

    def __init__(self, house: House, menu: Path) -> None:
        self.house, self.menu = house, menu
        name = f"canteen-{next(house.numbers)}"
        self.channel = str(house.slack.control("channel", {"name": name, "guests": ["oracle"]})["channel"])
        house.forget()

    def dishes(self) -> list[str]:
        return self.menu.read_text().split() if self.menu.exists() else []

    def work(self) -> None:
        """A worker does all that was rung for."""
        while self.house.asked:
            take(self.house.worker, self.house.asked.pop(0))

    def order(self, text: str = ORDER) -> dict[str, Any]:
        """Someone orders a change. Returns: the message with its buttons."""
        self.house.slack.ask(self.channel, f"@oracle {text}")
        wait_for(lambda: self.house.asked)
        self.work()
        (waiting,) = [m for m in self.house.ours(self.channel) if buttons(m)]
        return waiting

    def press(self, message: dict[str, Any], action_id: str, user: str = "you") -> None:
        button = buttons(message)[action_id]
        where = {"channel": self.channel, "message_ts": message["ts"], "block_id": "proposal:0", "user": user}
        body = {**where, "action_id": action_id, "value": button["value"]}
        assert self.house.slack.control("action", body)["ok"]

    def keep_buttons(self) -> None:
        """Slack refuses to change a message, so that its buttons can be pressed again."""
        self.house.slack.control("faults", {"method": "chat.update", "action": "error", "times": None})

    def now(self, message: dict[str, Any]) -> dict[str, Any]:
        """The message as it is now."""
        return next(m for m in self.house.ours(self.channel) if m["ts"] == message["ts"])

    def notes(self) -> list[str]:
        """What single people were told."""
        return [all_words(note["message"]) for note in self.house.channel(self.channel)["ephemerals"]]

    def said(self) -> str:
        """Everything that stands in the channel."""
        return json.dumps(self.house.ours(self.channel), ensure_ascii=False)


def buttons(message: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Confirm and Decline of a message, by their names."""
    elements = [e for b in message.get("blocks", ()) if b["type"] == "actions" for e in b["elements"]]
    return {e["action_id"]: e for e in elements if e["action_id"].startswith("proposal:")}


@pytest.fixture(scope="module")
def house(module_home: Path) -> Iterator[House]:
    """An agent with a writing tool of its own; the tool lies in a folder that workers.tools is extended by."""
    package, tools, config = (module_home / name for name in ("more/canteen_agent", "tools", "config"))
    for folder in (package, tools, config):
        folder.mkdir(parents=True)
    (package / "__init__.py").write_text(AGENT)
    (package / "patterns.yaml").write_text("{}\n")
    (tools / "canteen_menu.py").write_text(TOOL)
    (config / "agents.yaml").write_text(ENTRY)
    menu = module_home / "menu.txt"
    (config / "tools.yaml").write_text(f"canteen_menu: {{module: canteen_menu, options: {{path: {menu}}}}}\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(module_home / "more")
        patch.setattr(workers.tools, "__path__", [*workers.tools.__path__, str(tools)])
        with run_house(module_home) as opened:
            yield opened
    for name in ("canteen_agent", "workers.tools.canteen_menu"):
        sys.modules.pop(name, None)


@pytest.fixture
def canteen(house: House, module_home: Path) -> Canteen:
    """An empty menu, and a channel in which nothing was said."""
    menu = module_home / "menu.txt"
    menu.unlink(missing_ok=True)
    return Canteen(house, menu)


def test_another_person_decides_nothing_and_the_asker_once(canteen: Canteen) -> None:
    waiting = canteen.order()
    assert set(buttons(waiting)) == {action_ids.CONFIRM, action_ids.DECLINE}
    assert "Put soup on the menu" in all_words(waiting)
    canteen.press(waiting, action_ids.CONFIRM, "maya")
    wait_for(lambda: len(canteen.notes()) == 1)
    canteen.press(waiting, action_ids.DECLINE, "maya")
    wait_for(lambda: len(canteen.notes()) == 2)
    assert all("can decide" in note for note in canteen.notes())
    assert (canteen.house.asked, canteen.dishes(), set(buttons(canteen.now(waiting)))) == (
        [],
        [],
        set(buttons(waiting)),
    )
    canteen.keep_buttons()
    canteen.press(waiting, action_ids.CONFIRM)
    wait_for(lambda: canteen.house.asked)
    canteen.work()
    for late in (action_ids.CONFIRM, action_ids.DECLINE):
        before = len(canteen.notes())
        canteen.press(waiting, late)
        wait_for(lambda before=before: len(canteen.notes()) > before)
        assert "decided already" in canteen.notes()[-1]
    canteen.work()
    assert canteen.dishes() == ["soup"]
    assert "Done: soup is on the menu" in canteen.said()
    assert canteen.house.worker.ledger.counts() == {"done": 2}


def test_declined_is_declined(canteen: Canteen) -> None:
    waiting = canteen.order()
    canteen.keep_buttons()
    canteen.press(waiting, action_ids.DECLINE)
    canteen.press(waiting, action_ids.CONFIRM)
    wait_for(lambda: any("decided already" in note for note in canteen.notes()))
    canteen.work()
    assert (canteen.dishes(), canteen.house.worker.ledger.counts()) == ([], {"done": 1})


def test_who_decided_is_shown_in_place_of_the_buttons(canteen: Canteen) -> None:
    waiting = canteen.order()
    canteen.press(waiting, action_ids.DECLINE)
    wait_for(lambda: not buttons(canteen.now(waiting)))
    assert "Put soup on the menu" in all_words(canteen.now(waiting))
    assert "Declined" in all_words(canteen.now(waiting))


def test_a_change_that_is_no_longer_what_was_confirmed_is_not_made(canteen: Canteen) -> None:
    waiting = canteen.order()
    canteen.menu.write_text("stew")
    canteen.press(waiting, action_ids.CONFIRM)
    wait_for(lambda: canteen.house.asked)
    canteen.work()
    assert canteen.dishes() == ["stew"]
    assert "the menu was changed meanwhile" in canteen.said()


def test_a_worker_that_dies_with_the_change_half_recorded_makes_no_second_one(
    canteen: Canteen, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = canteen.order()
    canteen.press(waiting, action_ids.CONFIRM)
    wait_for(lambda: canteen.house.asked)
    (confirming,) = canteen.house.asked
    checkpoint = Ledger.checkpoint

    def dies(ledger: Ledger, job: Any, stage: Any, log: Any) -> Any:
        if stage == "synthesize":
            raise Killed
        return checkpoint(ledger, job, stage, log)

    monkeypatch.setattr(Ledger, "checkpoint", dies)
    with pytest.raises(Killed):
        canteen.work()
    monkeypatch.setattr(Ledger, "checkpoint", checkpoint)
    assert canteen.dishes() == ["soup"]
    canteen.menu.write_text("")  # as if the change had not come through: it would be made again by whoever tried
    with canteen.house.database.begin(exclusive=True) as connection:
        waits = {"lease_until": None, "wait_until": 0.0}
        connection.execute(update(jobs).where(jobs.c.request_id == confirming).values(waits))
    take(canteen.house.worker, confirming)
    assert canteen.dishes() == []
    assert "I was interrupted" in canteen.said()
    assert [m for m in canteen.house.ours(canteen.channel) if buttons(m)] == [], "nothing is left to be confirmed"
    assert canteen.house.worker.ledger.counts() == {"done": 2}
