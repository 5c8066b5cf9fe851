"""What was said in a channel, in order: what answers what, who is called how, and who may say how it stands."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property

from workers.contracts import ChannelMessage, order_of
from workers.incidents.summary.utterances import Utterance, utterances_of
from workers.language.speech_acts import ALSO_WORDS

MENTION = re.compile(r"@([\w.-]*\w(?: [A-Z][\w'.-]+)?)")
WORDS = re.compile(r"\w[\w.'-]*")
FEW = 12
"""So many messages of people, and it is too early to tell who belongs there."""
NEAR = 8
"""So many sentences back an answer may reach."""
SOON = timedelta(minutes=6)
CAME = re.compile(r"\bhas (?:joined|left) the (?:channel|group)\W*$")
"""What Slack says of those who come and go."""
LED_BY = re.compile(r"\b(?:ic|(?:incident )?(?:commander|lead|manager)|duty manager)\b(?: is)?\s*[:=|-]?\s*@?([\w.-]+)")
"""Whom a topic names as the one who leads."""
ENTERED = re.compile(
    r"incident\.?io|^incidents?$|incident[ _-]?(?:bot|manager|commander|response|io)|rootly|fire ?hydrant|blameless",
    re.IGNORECASE,
)
"""Programs with which people run incidents: what they post, someone entered. Those that page alone are none."""


@dataclass(frozen=True)
class Conversation:
    """What was said in a channel, in order.

    ``remarks``: sentences of people and programs that may be relied on; ``messages``: all of them; ``topics``: what the
    channel is for, as people set it.
    """

    messages: tuple[ChannelMessage, ...]
    remarks: tuple[Utterance, ...]
    topics: tuple[str, ...] = ()
    memo: dict[str, frozenset[str]] = field(default_factory=dict, init=False, compare=False, repr=False)
    """What is found out of it once."""

    @cached_property
    def people(self) -> tuple[Utterance, ...]:
        """What people said in their own words."""
        return tuple(r for r in self.remarks if not r.bot and not r.quoted)

    @cached_property
    def keys(self) -> list[tuple[tuple[int, int], int]]:
        """What the remarks of `people` sort by."""
        return [r.key for r in self.people]

    def after(self, remark: Utterance) -> Iterator[Utterance]:
        """What people said after a remark, in other messages."""
        start = bisect_right(self.keys, remark.key)
        return (r for r in self.people[start:] if r.ts != remark.ts)

    def before(self, remark: Utterance, within: timedelta = SOON) -> Iterator[Utterance]:
        """What people said before a remark in the same place, in other messages, the last first."""
        place = bisect_left(self.keys, remark.key)
        for other in reversed(self.people[max(place - NEAR, 0) : place]):
            if remark.message.at - other.message.at > within:
                return
            same = other.message.thread_ts == remark.message.thread_ts or other.ts == remark.thread
            if same and other.ts != remark.ts:
                yield other

    @cached_property
    def of_message(self) -> dict[str, tuple[Utterance, ...]]:
        """The remarks of each message."""
        found: dict[str, list[Utterance]] = {}
        for remark in self.remarks:
            found.setdefault(remark.ts, []).append(remark)
        return {ts: tuple(each) for ts, each in found.items()}

    def sentence_before(self, remark: Utterance) -> Utterance | None:
        """The sentence before a remark in its message."""
        return next((r for r in reversed(self.of_message[remark.ts]) if r.number < remark.number), None)

    @cached_property
    def users(self) -> dict[str, str]:
        """People as they are shown -> users."""
        return {m.name: m.user for m in self.messages if m.name and not m.bot}

    @cached_property
    def settled(self) -> frozenset[str]:
        """Who belongs there: people who wrote more than once, or whom others name; everyone among very few."""
        wrote = Counter(m.user for m in self.messages if not m.bot)
        if sum(wrote.values()) < FEW:
            return frozenset(wrote)
        text = " ".join(m.text for m in self.messages)
        named = {user for name, user in self.users.items() if f"@{name}" in text}
        return frozenset(user for user, count in wrote.items() if count > 1) | named

    @cached_property
    def called(self) -> dict[str, str]:
        """Names as they are written -> names as people are shown: whole, or a first name that only one has."""
        shown = sorted({m.name for m in self.messages if m.name and not m.bot})
        known = {name.lower(): name for name in shown}
        for name in sorted({m for r in self.people for m in MENTION.findall(r.text)}):
            if name.partition(" ")[0].lower() not in known:
                known.setdefault(name.lower(), name)
        firsts = Counter(re.split(r"[\s.]", name)[0].lower() for name in shown)
        for name in shown:
            first = re.split(r"[\s.]", name)[0].lower()
            if firsts[first] == 1:
                known.setdefault(first, name)
        return known | {plain_letters(written): name for written, name in known.items()}

    def named_in(self, text: str) -> tuple[str, ...]:
        """Those whom a text names, as people are shown, each once, in order."""
        found: dict[str, None] = {}
        for match in WORDS.finditer(text):
            word, mentioned = match[0].rstrip(".'-"), text[: match.start()].endswith("@")
            name = self.called.get(plain_letters(word.lower())) or self.called.get(word.lower().split(".")[0])
            if name and (mentioned or word.lower() not in ALSO_WORDS or (word[:1].isupper() and match.start())):
                found[name] = None
        return tuple(found)

    def is_entered(self, remark: Utterance) -> bool:
        """Whether somebody entered it into a program with which people run incidents."""
        return remark.bot and bool(ENTERED.search(remark.message.name))


def plain_letters(text: str) -> str:
    """A text without accents: people are called Tomás who are shown as tomas."""
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def read_conversation(messages: Iterable[ChannelMessage]) -> Conversation:
    """What a channel's messages say, in the order they were written."""
    everything = sorted(messages, key=lambda m: order_of(m.ts))
    ordered = tuple(m for m in everything if m.said)
    topics = (m.text for m in everything if not m.said and m.text and not CAME.search(m.text))
    return Conversation(ordered, tuple(utterances_of(ordered)), tuple(topics))
