"""A followed channel while workers and the bot are killed: no message is lost, and one summary is pinned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from tests.deployment import Slack, run_deployment, run_slack, until
from workers.settings import load_settings
from workers.store.channel_messages import load_messages
from workers.store.database import open_database
from workers.store.following import followed
from workers.store.tables import followed_channels

pytestmark = pytest.mark.servers
BROKEN = "SEV2: checkout error rate is 5%, investigating. Customers see 502."
LONG_S = 90


def ours(slack: Slack, channel: str) -> list[dict[str, Any]]:
    """The app's messages, and the pins, of a channel."""
    state = slack.get("state", channel=channel)
    bot = slack.get("state")["bot"]["user_id"]
    return [m for m in state["channels"][0]["messages"] if m["user"] == bot]


def test_killed_while_it_reads_and_while_people_talk(home: Path) -> None:
    with run_slack() as slack, run_deployment(home, slack) as deployment:
        slack.control("limits", {"unlimited": True})
        body = {"name": "inc-7-checkout", "user": "maya"}
        channel = str(slack.control("channel", body)["channel"])
        said = [BROKEN]
        slack.ask(channel, BROKEN, user="maya")
        for number in range(8):
            root = slack.ask(channel, f"thread {number}", user="maya")
            said += [f"thread {number}", f"reply {number}"]
            slack.ask(channel, f"reply {number}", user="tomas", thread_ts=root)
        slack.control("faults", {"method": "conversations.replies", "action": "slow", "seconds": 0.5})
        deployment.start_all()
        slack.control("invite", {"channel": channel, "user": "oracle"})
        for round_ in range(3):
            seen = len(slack.get("calls", method="conversations.replies")["calls"])
            until(
                lambda seen=seen: len(slack.get("calls", method="conversations.replies")["calls"]) > seen,  # type: ignore[misc]
                f"it reads {deployment.log('worker')[-2000:]}",
                LONG_S,
            )
            deployment.kill("worker")
            said.append(f"while it is down {round_}")
            slack.ask(channel, said[-1], user="priya")
            deployment.start("worker", "worker")
        deployment.kill("bot")
        deployment.start_bot()
        said.append("after the bot is back")
        slack.ask(channel, said[-1], user="priya")
        database = open_database(load_settings(home=home).database_url)
        with database.begin() as connection:
            team = str(connection.execute(select(followed_channels.c.team)).scalar())

        def heard() -> bool:
            here = followed(database, team, channel)
            found = [m.text for m in load_messages(database, team, channel) if m.said]
            return bool(here and here.read_done and sorted(found) == sorted(said) and here.summary)

        until(heard, "everything is kept", LONG_S)
        until(lambda: ours(slack, channel), "the summary stands", LONG_S)
        database.close()
        (message,) = ours(slack, channel)
        assert list(slack.get("state", channel=channel)["channels"][0]["pins"])
        assert "SEV2" in message["text"]
