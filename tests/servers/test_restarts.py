"""Killed with SIGKILL and started again while people are in the middle of something: nothing hangs, nothing doubles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.servers.test_deployment import SLOW, WHY, answered, at_rest, home, inbox_of, slack, text_of
from tests.support.deployment import Deployment, Slack, messages_of, run_deployment, until

pytestmark = pytest.mark.servers
__all__ = ["home", "slack"]
UPLOAD = "files.getUploadURLExternal"


def hold(slack: Slack, method: str) -> None:
    """Let a call be carried out, and keep its answer back."""
    slack.control("faults", {"method": method, "action": "hold", "times": None})


def let_go(slack: Slack) -> None:
    """No fault any more; what was held is answered."""
    slack.http.delete("/control/faults").raise_for_status()
    slack.control("release", {})


def called(slack: Slack, method: str) -> int:
    """How often a method was called so far."""
    return len(slack.get("calls", method=method)["calls"])


def restart(deployment: Deployment, *names: str) -> None:
    """Kill whole groups, then start them again."""
    for name in names:
        deployment.kill(name)
    for name in names:
        deployment.start_bot() if name == "bot" else deployment.start(name, name)


def streams(slack: Slack, channel: str, ts: str) -> list[dict[str, Any]]:
    """The messages of a thread that are, or were, streams."""
    found = messages_of(slack.get("state", channel=channel))
    return [m for m in found if m.get("thread_ts") == ts and m.get("streaming_state")]


def press(slack: Slack, channel: str, question: dict[str, Any]) -> None:
    """Press the first option of a clarifying question."""
    (actions,) = [b for b in question["blocks"] if b["type"] == "actions"]
    button = actions["elements"][0]
    where = {"channel": channel, "message_ts": question["ts"], "block_id": actions["block_id"], "user": "you"}
    slack.control("action", {**where, "action_id": button["action_id"], "type": "button", "value": button["value"]})


def test_a_worker_killed_while_its_plan_streams(home: Path, slack: Slack) -> None:
    with run_deployment(home, slack) as deployment:
        deployment.start_all()
        hold(slack, UPLOAD)
        ts = slack.ask("search", WHY)
        until(lambda: streams(slack, "search", ts) and called(slack, UPLOAD), "the plan streams, a call hangs")
        deployment.kill("worker")
        let_go(slack)
        deployment.start("worker", "worker")
        answered(slack, "search", ts)
        at_rest(deployment)
        assert len(slack.answers("search", ts)) == 1
        until(
            lambda: [m["streaming_state"] for m in streams(slack, "search", ts)] == ["completed"],
            "the plan of the dead worker ends, and there is no second one",
        )


def test_everything_killed_while_a_clarifying_question_is_posted_and_again_while_it_waits(
    home: Path, slack: Slack
) -> None:
    with run_deployment(home, slack) as deployment:
        deployment.start_all()
        hold(slack, "chat.postMessage")
        ts = slack.ask("search", SLOW)
        (question,) = answered(slack, "search", ts)
        deployment.kill("worker")
        let_go(slack)
        deployment.start("worker", "worker")
        ledger = inbox_of(deployment)
        until(lambda: ledger.counts().get("waiting") == 1, "it waits for its asker")
        restart(deployment, "bot", "worker", "beat")
        assert len(slack.answers("search", ts)) == 1, "it was asked once"
        press(slack, "search", question)
        until(lambda: len(slack.answers("search", ts)) == 2, "the answer after the button")
        at_rest(deployment)
        assert len(slack.answers("search", ts)) == 2
        assert ledger.counts() == {"done": 1}
        ledger.database.close()


def test_a_bot_killed_while_someone_fills_in_the_window(home: Path, slack: Slack) -> None:
    with run_deployment(home, slack) as deployment:
        deployment.start_all()
        slack.control("command", {"channel": "search", "text": "/oracle", "user": "you"})
        view = until(lambda: slack.get("state")["views"], "the window is open")[0]
        deployment.kill("bot")
        (block,) = [b for b in view["blocks"] if b["type"] == "input" and b["element"]["type"] == "plain_text_input"]
        said = {block["block_id"]: {block["element"]["action_id"]: {"type": "plain_text_input", "value": WHY}}}
        sent = {"view_id": view["id"], "state": {"values": said}, "user": "you"}
        assert not slack.http.post("/control/view", json=sent).json()["ok"], "nobody was there to take it"
        deployment.start_bot()
        slack.control("view", sent)
        ledger = inbox_of(deployment)
        until(lambda: ledger.counts() == {"done": 1}, "it is answered")
        ledger.database.close()
        roots = [m for m in messages_of(slack.get("state", channel="search")) if "asked" in text_of(m.get("blocks"))]
        assert len(roots) == 1
        assert len(slack.answers("search", roots[0]["ts"])) == 1


def test_everything_killed_right_after_stop_was_pressed(home: Path, slack: Slack) -> None:
    with run_deployment(home, slack) as deployment:
        deployment.start_all()
        hold(slack, UPLOAD)
        ts = slack.ask("search", WHY)
        until(lambda: called(slack, UPLOAD), "it is being answered")
        slack.control("stop", {"channel": "search", "thread_ts": ts, "user": "you"})
        ledger = inbox_of(deployment)
        until(lambda: {"stop", "stopped"} & set(ledger.counts()), "the bot has heard it")
        for name in ("worker", "bot", "beat"):
            deployment.kill(name)
        let_go(slack)
        deployment.start_all()
        until(lambda: ledger.counts() == {"stopped": 1}, "it has stopped")
        ledger.database.close()
        at_rest(deployment)
        assert slack.answers("search", ts) == []
        said = [m for m in slack.thread("search", ts) if "Stopped" in m["text"]]
        assert len(said) == 1
