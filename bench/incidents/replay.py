"""A transcript as events through a local Slack: the app hears them one by one, a worker keeps the pinned summary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.incidents.acts import Act, acts, people
from bench.incidents.expected import END, Cut
from bench.incidents.transcripts import Export, write_export
from tests.support.deployment import Slack, until
from tests.support.one_process import House, run_house
from workers.contracts import ChannelMessage
from workers.grounding.value_format import Voice
from workers.incidents.summary.snapshot import read_snapshot
from workers.incidents.summary.summarizer import summarize_channel
from workers.incidents.summary.summary_types import SECTIONS, Line, Summary
from workers.ports import Place
from workers.slack_messages.export import read_export

Json = dict[str, Any]
HEARD_S = 120.0
ANY_NAME = {"oracle.incidents.channels": "."}
"""Every channel is one of an incident: half of the written ones go by names of their own."""


@dataclass(frozen=True)
class Replayed:
    """What stands in the channel at a cut: ``summary`` as it is kept, ``wrong_links`` of the pinned message."""

    cut: Cut
    summary: Summary
    wrong_links: tuple[str, ...]
    links: int


@contextmanager
def run_replay(home: Path) -> Iterator[House]:
    """A local Slack, the app and a worker, where any channel may be one of an incident."""
    with run_house(home, ANY_NAME) as house:
        yield house


def replay(house: House, channel: Export, cuts: Sequence[Cut]) -> Iterator[Replayed]:
    """Tell a transcript act by act, and look at the pinned message at each cut."""
    taken = {one.get("name") for one in house.slack.get("state")["channels"]}
    made = house.make(f"{channel.channel}-2" if channel.channel in taken else channel.channel)
    here, done = begin(house.slack, channel.name, made), 0
    for cut in cuts:
        end = len(here) if cut.until == END else next_after(here, channel.ts[cut.until])
        perform(house.slack, here[done:end])
        done = max(done, end)
        place = here[0].body["channel"]
        until(lambda: heard(house.slack), "all events are acknowledged", HEARD_S)
        house.work(place)
        yield look(house, place, cut)


def begin(slack: Slack, name: str, place: str) -> list[Act]:
    """Let the people of a transcript come into the team. Returns: what they do in the channel."""
    known = {user["id"] for user in slack.get("state", channel=place)["users"]}
    for person in people(name):
        if person["id"] not in known:
            assert slack.control("person", person)["ok"], person
    return acts(name, place)


def perform(slack: Slack, given: Sequence[Act], between: Callable[[Act], None] = lambda _: None) -> None:
    """Do what people did. ``between``: called after each act."""
    for act in given:
        answer = slack.control(act.verb, act.body)
        assert answer["ok"], (act, answer)
        between(act)


def next_after(given: Sequence[Act], ts: str) -> int:
    """The first act that comes after a message and the reactions to it."""
    at = next(act.at for act in given if act.ts == ts and act.verb == "past")
    return next((n for n, act in enumerate(given) if act.at > at and act.verb != "reaction"), len(given))


def heard(slack: Slack) -> bool:
    """Whether every event was acknowledged."""
    return all(one["acknowledged"] for one in slack.get("deliveries")["deliveries"])


def look(house: House, place: str, cut: Cut) -> Replayed:
    """What the channel's pinned message says, and where its links lead."""
    state = house.state(place)
    last = read_snapshot(state.summary) if state else None
    assert last is not None, f"no summary in {place}"
    (message,) = (one for one in house.ours(place) if not one.get("thread_ts") or one.get("reply_count"))
    (pin,) = house.channel(place)["pins"]
    assert pin["message"]["ts"] == message["ts"]
    chat = house.worker.chats(house.team)

    def permalink(ts: str) -> str:
        return chat.permalink(Place(place, team=house.team), ts)

    items = list(linked(message["blocks"]))
    wrong = tuple(said for text, urls in items if (said := wrong_link(text, urls, last.summary, permalink)))
    return Replayed(cut, last.summary, wrong, sum(len(urls) for _, urls in items))


def of_export(channel: Export, folder: Path) -> tuple[tuple[ChannelMessage, ...], Summary]:
    """The same channel's messages and summary as `oracle summarize` has them from its export."""
    messages = read_export(write_export(channel, folder))
    return messages, summarize_channel(messages, Voice(now=messages[-1].at)).summary


def said(summary: Summary) -> Json:
    """All of a summary but what the incident is called."""
    return summary.model_dump(mode="json", exclude={"title"})


def linked(part: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each line of a message that holds links, with their addresses."""
    if isinstance(part, list):
        for one in part:
            yield from linked(one)
    elif isinstance(part, dict):
        elements = part.get("elements", [])
        if part.get("type") == "rich_text_section":
            urls = tuple(one["url"] for one in elements if one.get("type") == "link")
            if urls:
                yield "".join(one.get("text", "") for one in elements if one.get("type") == "text"), urls
        else:
            yield from linked(elements)


def wrong_link(text: str, urls: Sequence[str], summary: Summary, permalink: Callable[[str], str]) -> str:
    """Why the links of a shown line do not open the messages that it rests on; empty when they do."""
    shown = " ".join(text.split()).rstrip("…")
    lines = [line for line in all_lines(summary) if " ".join(line.text.split())[:100] in shown]
    if not lines:
        return f"no line of the summary: {text}"
    if any(tuple(map(permalink, line.ts[: len(urls)])) == tuple(urls) for line in lines):
        return ""
    return f"{urls} are not the messages of: {text}"


def all_lines(summary: Summary) -> Iterator[Line]:
    """Every line of a summary, as it is shown."""
    yield summary.status
    if summary.lead:
        yield Line(text=f"lead @{summary.lead.name}", ts=summary.lead.ts)
    if summary.next_update:
        yield summary.next_update
    for name in SECTIONS:
        yield from getattr(summary, name)
    yield from summary.timeline
