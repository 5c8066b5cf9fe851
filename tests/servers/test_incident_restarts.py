"""A followed channel while workers and the bot are killed: no message is lost, and one summary is pinned."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlalchemy import select, update

from bench.incidents.acts import Act
from bench.incidents.replay import begin, heard, of_export, perform, said
from bench.incidents.transcripts import export
from tests.support.deployment import QUICK_WORKER, Slack, run_deployment, run_slack, until
from workers.contracts import ChannelMessage
from workers.incidents.summary.snapshot import read_snapshot
from workers.settings.load import load_settings
from workers.store.channel_messages import load_messages
from workers.store.database import open_database
from workers.store.followed_channels import followed
from workers.store.tables import followed_channels, hearing

pytestmark = pytest.mark.servers
QUICK = {"worker": QUICK_WORKER, "incidents": {"settle_s": 0}}
BROKEN = "SEV2: checkout error rate is 5%, investigating. Customers see 502."
LONG_S = 90


@pytest.fixture
def quick_home(home: Path) -> Path:
    """An empty ORACLE_HOME whose summaries are renewed at once, and where a worker that was killed is noticed soon."""
    (home / "config").mkdir()
    (home / "config" / "oracle.yaml").write_text(yaml.safe_dump(QUICK))
    return home


def ours(slack: Slack, channel: str) -> list[dict[str, Any]]:
    """The app's messages, and the pins, of a channel."""
    state = slack.get("state", channel=channel)
    bot = slack.get("state")["bot"]["user_id"]
    return [m for m in state["channels"][0]["messages"] if m.get("user") == bot]


def summaries(slack: Slack, channel: str) -> list[dict[str, Any]]:
    """Those of the app's messages that stand in the channel itself."""
    return [m for m in ours(slack, channel) if not m.get("thread_ts") or m.get("reply_count")]


def test_killed_while_it_reads_and_while_people_talk(quick_home: Path) -> None:
    with run_slack() as slack, run_deployment(quick_home, slack) as deployment:
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
        database = open_database(load_settings(home=quick_home).database_url)
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


def test_what_was_said_while_the_bot_was_away_for_long_is_read_when_it_is_back(quick_home: Path) -> None:
    """Slack gave up sending it: new messages and replies, edits, deletions and reactions."""
    began = time.time() - 3_600
    at = [f"{began + number:.6f}" for number in range(6)]
    with run_slack() as slack, run_deployment(quick_home, slack) as deployment:
        slack.control("limits", {"unlimited": True, "retry_delays_s": []})
        ids = {user["name"]: user["id"] for user in slack.get("state")["users"]}
        past = [
            {"ts": at[0], "user": ids["maya"], "text": BROKEN},
            {"ts": at[1], "user": ids["tomas"], "text": "what about the pool?"},
            {"ts": at[2], "user": ids["maya"], "text": "it is full", "thread_ts": at[1]},
            {"ts": at[3], "user": ids["maya"], "text": "a reply that goes", "thread_ts": at[1]},
            {"ts": at[4], "user": ids["tomas"], "text": "a message that goes"},
            {"ts": at[5], "user": ids["tomas"], "text": "p95 is 2 s"},
        ]
        body = {"name": "inc-8-checkout", "user": "maya", "guests": []}
        channel = str(slack.control("channel", body)["channel"])
        assert slack.control("pasts", {"channel": channel, "messages": past})["count"] == len(past)
        deployment.start_all()
        slack.control("invite", {"channel": channel, "user": "oracle"})
        database = open_database(load_settings(home=quick_home).database_url)
        team = str(slack.get("state")["team"]["id"])

        def known() -> list[str]:
            here = followed(database, team, channel)
            done = here is not None and here.read_done and here.pinned and here.dirty == here.seen
            return [m.text for m in load_messages(database, team, channel) if m.said] if done else []

        until(lambda: known() == [str(message["text"]) for message in past], "the past is read", LONG_S)
        deployment.kill("bot")
        slack.control("edit", {"channel": channel, "ts": at[5], "text": "p95 is 4 s", "user": "tomas"})
        for gone, user in ((at[3], "maya"), (at[4], "tomas")):
            assert slack.control("delete", {"channel": channel, "ts": gone, "user": user})["ok"]
        slack.control("reaction", {"channel": channel, "ts": at[5], "name": "eyes", "user": "maya"})
        slack.ask(channel, "still full", user="maya", thread_ts=at[1])
        slack.ask(channel, "it is the nightly export", user="maya", thread_ts=ours(slack, channel)[0]["ts"])
        slack.ask(channel, "Resolved: the pool is larger now.", user="tomas")
        until(lambda: all(a["result"] != "under way" for a in attempts(slack)), "Slack gives up", LONG_S)
        assert not heard(slack)
        with database.begin(exclusive=True) as connection:
            connection.execute(update(hearing).values(at=hearing.c.at - 600))
        deployment.start_bot()
        now = [BROKEN, "what about the pool?", "it is full", "p95 is 4 s", "still full"]
        now += ["it is the nightly export", "Resolved: the pool is larger now."]
        until(lambda: known() == now, "it is read", LONG_S)
        until(lambda: "resolved" in ours(slack, channel)[0]["text"].lower(), "the summary says so", LONG_S)
        (changed,) = (m for m in load_messages(database, team, channel) if m.ts == at[5])
        database.close()
        assert [*changed.reactions] == ["eyes"]
        assert len(summaries(slack, channel)) == 1


def attempts(slack: Slack) -> list[dict[str, Any]]:
    """Every time that Slack sent an event."""
    return [attempt for one in slack.get("deliveries")["deliveries"] for attempt in one["attempts"]]


def as_told(message: ChannelMessage) -> tuple[str, str, dict[str, set[str]]]:
    """A message and who reacted: reactions told while the past was being read stand last, so their order may differ."""
    return message.ts, message.text, {name: set(users) for name, users in message.reactions.items()}


def test_killed_while_a_whole_incident_is_told(quick_home: Path, tmp_path: Path) -> None:
    """Threads, edits, deletions and reactions; six kills. In the end it is as if nobody had been killed."""
    written = export("lieferung")
    messages, wanted = of_export(written, tmp_path)
    with run_slack() as slack, run_deployment(quick_home, slack) as deployment:
        slack.control("limits", {"unlimited": True, "retry_delays_s": [1, 2, 4, 8, 16]})
        deployment.start_all()
        body = {"name": written.channel, "user": "maya", "guests": ["oracle"]}
        channel = str(slack.control("channel", body)["channel"])
        told = begin(slack, written.name, channel)
        done: list[Act] = []

        def between(act: Act) -> None:
            done.append(act)
            if len(done) % 23 == 20:  # Slack sends an event again a few times: the bot is up at one of them
                until(lambda: heard(slack), "every event is acknowledged", LONG_S)
            if len(done) % 11 == 0:
                deployment.kill("worker")
                deployment.start("worker", "worker")
            if len(done) % 23 == 0:
                deployment.kill("bot")
                deployment.start_bot()

        perform(slack, told, between)
        assert len(done) // 11 + len(done) // 23 >= 6
        until(lambda: heard(slack), "every event is acknowledged", LONG_S)
        database = open_database(load_settings(home=quick_home).database_url)
        team = str(slack.get("state")["team"]["id"])

        def summed() -> bool:
            here = followed(database, team, channel)  # its summary is kept before it is posted, the pin after that
            last = read_snapshot(here.summary) if here and here.pinned else None
            return last is not None and last.summary.as_of == messages[-1].ts

        until(summed, f"the summary has all {deployment.log('worker')[-2000:]}", LONG_S)
        here = followed(database, team, channel)
        kept = load_messages(database, team, channel)
        database.close()
        (message,) = summaries(slack, channel)
        (pin,) = slack.get("state", channel=channel)["channels"][0]["pins"]
    assert pin["message"]["ts"] == message["ts"]
    assert list(map(as_told, kept)) == list(map(as_told, messages))
    assert here is not None
    last = read_snapshot(here.summary)
    assert last is not None
    moments = [(entry.at, entry.text) for entry in last.summary.timeline]
    assert len(set(moments)) == len(moments) > 5
    assert said(last.summary) == said(wanted)
