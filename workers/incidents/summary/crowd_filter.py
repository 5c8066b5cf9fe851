"""In a crowded channel, who works on the incident and what it is about; the rest is the room's noise."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from workers.contracts import ChannelMessage
from workers.incidents.summary.conversation import Conversation
from workers.incidents.summary.lead import leaders_of
from workers.incidents.summary.program_posts import DEPLOYERS, is_alarm
from workers.incidents.summary.status import severity_in
from workers.incidents.summary.utterances import ACK_MARKS, APPLAUSE, JOY, Utterance
from workers.language.sentences import stems_of

FEW_PEOPLE = 14
"""So many writers know what they do in a channel; among more of them some only look on."""
NEAR, VERY_NEAR = 1.2, 2.2
"""How near to the subject a remark must be: of one who works on it, and of anyone else."""
SOON_S = 600
EXPERT = 0.34
"""The share of someone's remarks that are near to the subject, when they work on it."""


@dataclass(frozen=True)
class Focus:
    """What a channel is about. ``words``: stem -> weight; ``involved``: users; ``crowded``: others write too."""

    words: dict[str, float] = field(default_factory=dict)
    involved: frozenset[str] = frozenset()
    leaders: frozenset[str] = frozenset()
    crowded: bool = False

    def near(self, remark: Utterance) -> float:
        """How much of the subject a remark speaks of."""
        return sum(self.words.get(stem, 0.0) for stem in remark.stems)

    def keeps(self, remark: Utterance) -> bool:
        """Whether a remark is about the incident, rather than the room's noise."""
        user = remark.message.user
        if not self.crowded or remark.bot or user in self.leaders:
            return True
        near = self.near(remark)
        if user in self.involved:
            return (
                near >= NEAR
                or bool(remark.heading or remark.applause or remark.numbers)
                or says_why(remark)
                or (near > 0 and len(remark.stems) >= 4)
            )
        noted = {who for mark in APPLAUSE for who in remark.message.reactions.get(mark, ())}
        return near >= NEAR and bool(noted & self.involved)


def says_why(remark: Utterance) -> bool:
    """Whether a remark names a part of the system that it is, may be, or is not."""
    return remark.likely("cause", "hypothesis", "ruled_out")


def focus_of(talk: Conversation) -> Focus:
    """What the channel's alarms, its topic, its leaders and those near to them make of it."""
    writers = {m.user for m in talk.messages if not m.bot}
    if len(writers) <= FEW_PEOPLE:
        return Focus()
    leaders = set(leaders_of(talk))
    rare = rarity(talk)
    seeds = frozenset().union(*(stems_of(topic) for topic in talk.topics)) if talk.topics else frozenset()
    for remark in talk.remarks:
        opens = remark.bot and remark.number == 0 and is_alarm(remark)
        if opens or remark.message.user in leaders or (not remark.bot and severity_in(remark, talk)):
            seeds |= remark.stems
    seeds -= frozenset().union(*map(stems_of, talk.called)) if talk.called else frozenset()
    words = {stem: rare.get(stem, 0.0) for stem in seeds}
    narrow = Focus(words=words, crowded=True)
    told: Counter[str] = Counter()
    by: dict[str, set[str]] = defaultdict(set)
    for remark in talk.people:
        if narrow.near(remark) >= VERY_NEAR:
            told.update(remark.stems - seeds)
            for stem in remark.stems - seeds:
                by[stem].add(remark.message.user)
    words |= {stem: 0.6 * rare[stem] for stem, count in told.items() if count >= 2 and len(by[stem]) >= 2}
    wide = Focus(words=words, crowded=True)
    near: Counter[str] = Counter()
    all_of: Counter[str] = Counter()
    for remark in talk.people:
        all_of[remark.message.user] += 1
        near[remark.message.user] += wide.near(remark) >= NEAR
    alarm = next((r for r in talk.remarks if r.bot and r.number == 0 and is_alarm(r)), None)
    soon = [r for r in talk.people if alarm and 0 < (r.message.at - alarm.message.at).total_seconds() < SOON_S]
    first = {r.message.user for r in soon if r.likely("investigating", "commitment") and not r.asks}
    first |= {user for m in opening_of(talk, leaders) for mark in ACK_MARKS for user in m.reactions.get(mark, ())}
    first |= set(named_by_programs(talk))
    expert = first | {user for user, count in near.items() if count >= 3 and count / all_of[user] >= EXPERT}
    involved = taken_up(talk, expert | leaders)
    if not involved:  # nothing tells who works on it: everyone is listened to
        return Focus()
    return Focus(words, frozenset(involved), frozenset(leaders), crowded=True)


def named_by_programs(talk: Conversation) -> Iterator[str]:
    """Those whom alarms, deploys and what people run incidents with name: who was paged, who shipped it."""
    for message in (m for m in talk.messages if m.bot):
        remarks = talk.of_message.get(message.ts, ())
        if remarks and (talk.is_entered(remarks[0]) or is_alarm(remarks[0]) or DEPLOYERS.search(message.name)):
            yield from (talk.users[n] for n in talk.named_in(message.text) if n in talk.users)


def opening_of(talk: Conversation, leaders: set[str]) -> Iterator[ChannelMessage]:
    """Messages by which someone took the lead or gave a severity: who marks them with an eye is on it."""
    for remark in talk.people:
        if remark.user in leaders and (remark.likely("lead") or severity_in(remark, talk)):
            yield remark.message


def taken_up(talk: Conversation, involved: set[str]) -> set[str]:
    """Those who work on it, and whom they name, assign or applaud: twice around."""
    ids = {m.name: m.user for m in talk.messages if m.name and not m.bot}
    for _ in range(2):
        named = {
            user for m in talk.messages if m.user in involved for name, user in ids.items() if f"@{name}" in m.text
        }
        noted = {
            m.user
            for m in talk.messages
            if not m.bot and any(involved & set(m.reactions.get(mark, ())) for mark in APPLAUSE)
        }
        marked = Counter(
            user
            for m in talk.messages
            if m.user in involved
            for user in {who for mark, users in m.reactions.items() if mark not in JOY for who in users}
        )
        involved = involved | named | noted | {user for user, count in marked.items() if count > 1}
    return involved


def rarity(talk: Conversation) -> dict[str, float]:
    """How telling each stem is in this channel: 0 for what everybody says, 1 for what few say."""
    counts = Counter(stem for r in talk.remarks for stem in r.stems)
    total = max(len(talk.remarks), 2)
    return {stem: min(math.log(total / count) / math.log(total), 1.0) for stem, count in counts.items()}
