"""A channel with a long past, read back once under Slack's limits while people go on talking; a worker is killed."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from bench.incidents.past import long_past
from tests.support.deployment import run_deployment, until
from tests.support.one_process import House, run_house
from tests.support.slack_payloads import wait_for
from workers.contracts import ChannelMessage, Written
from workers.incidents.channel.channel_inbox import tend_channel
from workers.incidents.summary.snapshot import read_snapshot
from workers.language.people_names import with_names
from workers.slack_messages.fields import Fields
from workers.slack_messages.message import read_page
from workers.store.channel_messages import known_names
from workers.store.followed_channels import FollowedChannel
from workers.store.tables import followed_channels

pytestmark = pytest.mark.servers
SIZES = {"internal": (1_000, 100), "distributed": (400, 40)}
"""How many messages and threads, by how much Slack gives an app at once: the longest thread has several pages."""
HISTORY, REPLIES = "conversations.history", "conversations.replies"
TALKING, LOOK, TURNS = 12, 25, 600
"""People talk while it reads for the first turns; the message is looked at then, and now and then;
    so many turns are enough for anything."""


@dataclass(frozen=True)
class Past:
    """A channel with a long past, some of it maya's."""

    house: House
    channel: str
    messages: list[dict[str, Any]]

    def state(self) -> FollowedChannel:
        found = self.house.state(self.channel)
        assert found is not None
        return found

    def begun(self) -> bool:
        found = self.house.state(self.channel)
        return found is not None and found.read_count > 0

    def read(self) -> list[tuple[str, ...]]:
        """The pages that were read of what was said before; looking for a message of our own asks for its mark too."""
        calls = [c for m in (HISTORY, REPLIES) for c in self.house.slack.get("calls", method=m)["calls"]]
        calls = [c for c in calls if "include_all_metadata" not in c["arguments"]]
        keys = ("ts", "oldest", "latest")
        return [(c["method"], *(str(c["arguments"].get(k, "")) for k in keys)) for c in calls if c["status"] == 200]

    def talk(self, turn: int) -> str:
        """What was said long ago is answered, marked, edited or deleted. Returns: the ts of what is said then."""
        old = self.messages[len(self.messages) * turn // TALKING]
        own = [m for m in self.messages if "maya remembers" in m["text"]][turn * 3]
        mark = {"channel": self.channel, "ts": old["ts"], "name": "tada", "user": "maya"}
        change = {"channel": self.channel, "ts": own["ts"], "user": "maya"}
        self.house.slack.control("reaction", mark)
        self.house.slack.control(*(("edit", change | {"text": "corrected"}) if turn % 2 else ("delete", change)))
        self.house.say(self.channel, f"and a reply {turn}", "priya", thread_ts=old.get("thread_ts", old["ts"]))
        said = f"update: {turn * 7 + 3}% of checkouts fail with 502 now"
        ts = self.house.say(self.channel, said, "tomas")
        wait_for(lambda: ts in self.kept())
        return ts

    def at_slack(self) -> dict[str, ChannelMessage]:
        """What the local Slack holds of others, as it should be kept."""
        bot = self.house.slack.get("state")["bot"]["user_id"]
        names = known_names(self.house.database, self.house.team)
        given = [Fields(one) for one in self.house.channel(self.channel)["messages"]]
        found = read_page(given, ("", bot)).changes
        return {one.message.ts: with_names(one.message, names) for one in found if isinstance(one, Written)}

    def kept(self) -> dict[str, ChannelMessage]:
        found = self.house.kept(self.channel)
        assert len({message.ts for message in found}) == len(found)
        return {message.ts: message for message in found}


def with_past(house: House, count: int, threads: int) -> Past:
    """A channel that the app is not in, and in which much was said."""
    people, messages = long_past(count, threads, time.time() - 60)
    maya = house.slack.get("state")["users"]
    for person in people:
        assert house.slack.control("person", person)["ok"]
    for number, message in enumerate(messages):
        if "user" in message and "subtype" not in message and number % 8 == 3:
            message |= {"user": next(u["id"] for u in maya if u["name"] == "maya"), "text": f"maya remembers {number}"}
    channel = house.make("inc-2000-checkout", guests=[])
    assert house.slack.control("pasts", {"channel": channel, "messages": messages})["count"] == count
    return Past(house, channel, messages)


def pass_time(house: House) -> None:
    """Go to the moment when the channel is due: at Slack, and in the store."""
    times = ("due_at", "wait_until", "lease_until")
    with house.database.begin(exclusive=True) as connection:
        row = connection.execute(select(followed_channels)).mappings().one()
        seconds = max(0.0, *((row[name] or 0.0) - time.time() for name in times))
        earlier = {name: row[name] - seconds for name in times if row[name] is not None}
        connection.execute(update(followed_channels).values(earlier))
    house.slack.control("pass", {"seconds": seconds})


def summed_up_to(state: FollowedChannel) -> str:
    """The newest message that the summary takes in."""
    last = read_snapshot(state.summary)
    return last.summary.as_of if last else ""


def plain(messages: dict[str, ChannelMessage]) -> dict[str, tuple[Any, ...]]:
    """What must be the same: neither the order of those who reacted, nor the microsecond of an edit."""
    marks = {ts: {mark: set(users) for mark, users in m.reactions.items()} for ts, m in messages.items()}
    edited = {ts: m.edited_at is not None for ts, m in messages.items()}
    bare = {"name": "", "zone": "", "reactions": {}, "edited_at": None}
    return {ts: (replace(m, **bare), marks[ts], edited[ts]) for ts, m in messages.items()}


@pytest.mark.parametrize("app", SIZES)
def test_a_long_past_is_read_once_and_whole_while_people_talk(home: Path, app: str) -> None:
    with run_house(home) as house:
        slack, past = house.slack, with_past(house, *SIZES[app])
        slack.control("limits", {"app": app})
        slack.control("faults", {"method": REPLIES, "action": "slow", "seconds": 0.2})
        with run_deployment(home, slack) as deployment:
            deployment.start("beat", "beat")
            deployment.start("worker", "worker")
            slack.control("invite", {"channel": past.channel, "user": "oracle"})
            until(past.begun, f"a worker reads {deployment.log('worker')[-2000:]}")
            deployment.kill("worker")
        slack.http.delete("/control/faults")
        killed_at = past.state().read_count
        assert killed_at > 0
        assert not past.state().read_done
        counts, said = [killed_at], ""
        for turn in range(TURNS):
            pass_time(house)
            tend_channel(house.worker, house.team, past.channel)
            counts.append(past.state().read_count)
            if past.state().read_done and past.state().dirty == past.state().seen:
                break
            if not past.state().read_done and (turn < TALKING or turn % LOOK == 0):
                assert f"Reading earlier messages: {counts[-1]:,} so far" in house.shown(past.channel)
            if 1 <= turn < TALKING:
                assert not past.state().read_done
                assert said == "" or summed_up_to(past.state()) == said, "the summary goes on meanwhile"
                said = past.talk(turn)
        assert counts == sorted(counts)
        assert len(house.ours(past.channel)) == len(house.channel(past.channel)["pins"]) == 1
        assert "Reading earlier messages" not in house.shown(past.channel)
        assert plain(past.kept()) == plain(past.at_slack())
        again = [one for one, times in Counter(past.read()).items() if times > 1]
        assert len(again) <= 1, "but for the page that was under way when the worker was killed"
        limited = [c for c in slack.get("calls")["calls"] if c["method"] in {HISTORY, REPLIES} and c["status"] == 429]
        assert limited
        assert len(limited) <= len(counts)
