"""What was said in a channel, in order: what answers what, who is called how, and who leads."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import itertools
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property

from workers.contracts import ChannelMessage, order_of
from workers.incidents.summary import utterance_patterns
from workers.incidents.summary.second_reading import Reading, read_again
from workers.incidents.summary.sentences import LEADS
from workers.incidents.summary.utterances import Utterance, utterances_of

MENTION = re.compile(r"@([\w.-]+(?: [A-Z][\w'.-]+)?)")
WORDS = re.compile(r"[\w.'-]+")
GOES_ON = re.compile(r"^(?:and|so|which|because|since) ", re.IGNORECASE)
ALSO_WORDS = frozenset(
    """mark will bill grant chase may rob pat drew sue josh rich jack frank grace hope joy faith max art ray gene dawn april
    june august summer sky rose guy dean page wade cliff rusty ivy reed ward chance miles""".split()
)
"""First names that are words too: "mark it resolved" speaks to nobody, "Mark, close it" does."""
ONE_BREATH = timedelta(minutes=3)
"""Within it someone's next message goes on with what they wrote before."""
FEW = 12
"""So many messages of people, and it is too early to tell who belongs there."""
ME = re.compile(r"(?:me|i am|i do|i can|i will|i'll do it)\W*$")
WHO_LEADS = re.compile(
    r"\bwho (?:runs|leads|is leading|drives|owns|is driving|is running|'s running|coordinates|takes|has) (?:this|it|the (?:incident|lead))|\bwho(?:'s| is) (?:the )?(?:ic|lead|commander|in charge|on point)\b"
)
NEAR = 6
"""So many sentences back an answer may reach."""
SOON = timedelta(minutes=4)
CAME = re.compile(r"\bhas (?:joined|left) the (?:channel|group)\W*$")
"""What Slack says of those who come and go."""
LED_BY = re.compile(
    r"\b(?:ic|commander|incident (?:commander|lead|manager)|lead|duty manager)\b(?: is)?\s*[:=|-]?\s*@?([\w.-]+)"
)
"""Whom a topic names as the one who leads."""
TAKES_IT = re.compile(
    r"(?:^|[,.;] )(?:mine|taking (?:this|it)|i(?:'ll| will)? take (?:this|it)|got (?:this|it)|i have (?:this|it)|i(?:'ve| have) got (?:this|it))\b(?=\W*$|[,.;])"
)
NODS = re.compile(
    r"^(?:bingo|there we go|there it is|that's it|that(?:'d| would) (?:do|be|explain) it|nailed it|(?:nice|good|great) (?:find|catch|spot)|fits\b|well spotted|so that's (?:it|why))"
)
"""How someone says of what was just written that it is the very thing."""


@dataclass(frozen=True)
class Conversation:
    """What was said in a channel, in order.

    ``remarks``: sentences of people and programs that may be relied on; ``messages``: all of them; ``topics``: what the
    channel is for, as people set it.
    """

    messages: tuple[ChannelMessage, ...]
    remarks: tuple[Utterance, ...]
    topics: tuple[str, ...] = ()

    @cached_property
    def reading(self) -> Reading:
        """What a second reader makes of the messages."""
        return read_again(self.messages)

    @cached_property
    def people(self) -> tuple[Utterance, ...]:
        """What people said in their own words."""
        return tuple(r for r in self.remarks if not r.bot and not r.quoted)

    def people_after(self, remark: Utterance) -> Iterator[Utterance]:
        """What people said after a remark, in other messages."""
        start = bisect_right(self.people, remark.key, key=lambda r: r.key)
        after = (self.people[place] for place in range(start, len(self.people)))
        return (r for r in after if r.ts != remark.ts)

    @cached_property
    def leaders(self) -> frozenset[str]:
        """Who said that they lead, and whom the topic names."""
        found = {r.message.user for r in self.people if r.takes_lead or self.takes_it(r)}
        topics = " ".join(self.topics).lower()
        found |= {r.message.user for r in self.people if ME.match(r.low) and self.asks_who_leads(r)}
        said = (r for r in self.remarks if not (r.asks or r.quoted) and (not r.bot or r.entered))
        heads = {*found, *(m.user for m in self.messages if m.bot)}
        handed = (
            r
            for r in said
            if r.label in LEADS or (r.message.user in heads and utterance_patterns.HANDS_LEAD.search(r.low))
        )
        return self.named_in(" ".join(LED_BY.findall(topics))).union(found, *(self.named_in(r.low) for r in handed))

    def named_in(self, low: str) -> frozenset[str]:
        """Those whom a text in lower case names."""
        named = {self.called[word] for word in WORDS.findall(low) if word in self.called}
        return frozenset(self.users[name] for name in named if name in self.users)

    @cached_property
    def users(self) -> dict[str, str]:
        """People as they are shown -> users."""
        return {m.name: m.user for m in self.messages if m.name and not m.bot}

    def takes_it(self, remark: Utterance) -> bool:
        """Whether its writer takes what they give a severity in the same breath: "mine. sev2", "taking this, p1"."""
        if not TAKES_IT.search(remark.low) or remark.asks or remark.message.thread_ts:
            return False
        after = next((r for r in self.people_after(remark) if r.message.user == remark.message.user), remark)
        soon = after.message.at - remark.message.at < ONE_BREATH
        said = [*self.of_message.get(remark.ts, ()), *([after] if soon else [])]
        return any(utterance_patterns.SEVERITY.search(r.own) and not (r.asks or r.joked) for r in said)

    @cached_property
    def chiefs(self) -> frozenset[str]:
        """Whose orders count: who leads; where nobody said so, whoever gave a severity or promised an update."""
        told = (
            r
            for r in self.people
            if utterance_patterns.SEVERITY.search(r.own) or utterance_patterns.NEXT_UPDATE.search(r.low)
        )
        return self.leaders or frozenset(r.message.user for r in told if not (r.asks or r.joked))

    def asks_who_leads(self, answer: Utterance) -> bool:
        """Whether what was asked before an answer is who leads."""
        return any(WHO_LEADS.search(r.low) for r in itertools.islice(self.before(answer), 2))

    @cached_property
    def settled(self) -> frozenset[str]:
        """Who may say how it stands: people who wrote more than once, or whom others name; everyone among very few."""
        wrote = Counter(m.user for m in self.messages if not m.bot)
        if sum(wrote.values()) < FEW:
            return frozenset(wrote)
        text = " ".join(m.text for m in self.messages)
        people = {(m.user, m.name) for m in self.messages if m.name}
        named = {user for user, name in people if f"@{name}" in text}
        return frozenset(user for user, count in wrote.items() if count > 1) | named

    @cached_property
    def shares(self) -> dict[str, float]:
        """How much of what people wrote each of them wrote: user -> 0 to 1."""
        wrote = Counter(m.user for m in self.messages if not m.bot)
        return {user: count / wrote.total() for user, count in wrote.items()}

    @cached_property
    def speakers(self) -> dict[str, frozenset[str]]:
        """Who speaks of what, programs too: stem -> users."""
        found: dict[str, set[str]] = {}
        for remark in self.remarks:
            for stem in remark.stems:
                found.setdefault(stem, set()).add(remark.message.user)
        return {stem: frozenset(users) for stem, users in found.items()}

    def spoken_of(self, stem: str, user: str) -> bool:
        """Whether anyone but one user speaks of something."""
        return bool(self.speakers.get(stem, frozenset()) - {user})

    @cached_property
    def involved(self) -> frozenset[str]:
        """People who wrote more than once of what others speak of too; everyone among very few."""
        if sum(not m.bot for m in self.messages) < FEW:
            return self.settled
        told = {r.ts: r.message.user for r in self.people if any(self.spoken_of(s, r.message.user) for s in r.stems)}
        return frozenset(user for user, count in Counter(told.values()).items() if count > 1)

    @cached_property
    def called(self) -> dict[str, str]:
        """Names as they are written -> names as people are shown: whole, or a first name that only one has."""
        shown = {m.name for m in self.messages if m.name and not m.bot}
        mentioned = {m for r in self.people for m in MENTION.findall(r.text)}
        known = {name.lower(): name for name in sorted(shown)}
        whole = {name.lower(): name for name in sorted(mentioned) if name.partition(" ")[0].lower() not in known}
        found = whole | known
        firsts = Counter(re.split(r"[\s.]", name)[0].lower() for name in shown)
        for name in sorted(shown):
            first = re.split(r"[\s.]", name)[0].lower()
            if firsts[first] == 1:
                found.setdefault(first, name)
        found = {plain_letters(written): name for written, name in found.items()} | found
        accented = {word for r in self.people for word in WORDS.findall(r.low) if not word.isascii()}
        return {word: found[plain_letters(word)] for word in accented if plain_letters(word) in found} | found

    def addressed(self, text: str) -> tuple[str, str]:
        """Whom a text names first, as people are shown, and what it says to them; an empty name and the text for nobody."""
        for count in (3, 2, 1):
            words = text.removeprefix("@").split(maxsplit=count)
            written, rest = " ".join(words[:count]), " ".join(words[count:])
            name = written.rstrip(",:").lower()
            plain = name in ALSO_WORDS and written.lower() == name and not text.startswith("@")
            if name in self.called and not plain:
                return self.called[name], rest
        return "", text

    def leads_in(self, remark: Utterance) -> bool:
        """Whether a few words before a remark announce it as a finding: "Found it. The pool is exhausted"."""
        for _ in range(NEAR):
            if utterance_patterns.FINDS.match(remark.low):
                return True
            before = self.just_before(remark)
            if before is None:
                return False
            if remark.number or remark.asks or not GOES_ON.match(remark.message.text):
                return self.announces(before, remark)
            remark = before
        return False

    def announces(self, before: Utterance, remark: Utterance) -> bool:
        """Whether a few words say that what follows them is a finding; "got it" mostly says that one has read it."""
        if len(before.stems) > 2 or not utterance_patterns.LEADS_IN.search(before.low):
            return False
        goes_on = remark.number and remark.firm and len(remark.stems) >= 5
        return bool(remark.confirmed or goes_on or "got it" not in before.low)

    def just_before(self, remark: Utterance) -> Utterance | None:
        """The sentence before a remark: in its message, else the last one that its writer wrote a moment before."""
        if remark.number:
            return self.said_before(remark)
        place = bisect_left(self.people, remark.key, key=lambda r: r.key)
        last = self.people[place - 1] if place else None
        mine = (
            last is not None
            and last.message.user == remark.message.user
            and last.message.thread_ts == remark.message.thread_ts
        )
        return last if last and mine and remark.message.at - last.message.at < ONE_BREATH else None

    def said_before(self, remark: Utterance) -> Utterance | None:
        """The sentence before one in its message."""
        return next((r for r in self.of_message.get(remark.ts, ()) if r.number == remark.number - 1), None)

    @cached_property
    def of_message(self) -> dict[str, tuple[Utterance, ...]]:
        """The remarks of each message."""
        found: dict[str, list[Utterance]] = {}
        for remark in self.remarks:
            found.setdefault(remark.ts, []).append(remark)
        return {ts: tuple(each) for ts, each in found.items()}

    @cached_property
    def replies(self) -> dict[str, tuple[Utterance, ...]]:
        """The remarks below each root of a thread."""
        found: dict[str, list[Utterance]] = {}
        for remark in self.remarks:
            if remark.message.thread_ts and remark.message.thread_ts != remark.ts:
                found.setdefault(remark.message.thread_ts, []).append(remark)
        return {ts: tuple(each) for ts, each in found.items()}

    def before(self, remark: Utterance, within: timedelta = SOON) -> Iterator[Utterance]:
        """What people said before a remark in the same place, in other messages, the last first."""
        place = bisect_left(self.people, remark.key, key=lambda r: r.key)
        for other in reversed(self.people[max(place - NEAR, 0) : place]):
            if remark.message.at - other.message.at > within:
                return
            same = other.message.thread_ts == remark.message.thread_ts or other.ts == remark.thread
            if same and other.ts != remark.ts:
                yield other

    @cached_property
    def nodded(self) -> frozenset[str]:
        """The messages of which someone else said a moment later that they are the very thing."""
        found = set()
        for remark in self.people:
            if not NODS.match(remark.low) or remark.asks or len(remark.stems) > 4:
                continue
            told = [r for r in self.before(remark) if r.message.user != remark.message.user and r.stated]
            found |= {r.ts for r in told[:3] if r.message.user == told[0].message.user}
            for after in itertools.islice(self.people_after(remark), 3):
                if after.message.at - remark.message.at < SOON and GOES_ON.match(after.message.text) and after.stated:
                    found.add(after.ts)
        return frozenset(found)


def plain_letters(text: str) -> str:
    """A text without accents: people are called Tomás who are shown as tomas."""
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def read_conversation(messages: Iterable[ChannelMessage]) -> Conversation:
    """What a channel's messages say, in the order they were written."""
    everything = sorted(messages, key=lambda m: order_of(m.ts))
    ordered = tuple(m for m in everything if m.said)
    remarks = [remark for message in ordered for remark in utterances_of(message)]
    topics = (m.text for m in everything if not m.said and m.text and not CAME.search(m.text))
    return Conversation(ordered, tuple(remarks), tuple(topics))
