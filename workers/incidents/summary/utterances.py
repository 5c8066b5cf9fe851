"""Sentences of a channel with what their writers do by them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from workers.contracts import ChannelMessage, order_of
from workers.language.hedges import is_hedged
from workers.language.injected_instructions import instructs_reader
from workers.language.sentences import Sentence, sentences_of
from workers.language.speech_acts import ACTS, Said, act_probabilities, names_pattern, without_names

LONGEST = 400
"""Of a sentence that can stand in a summary, in characters."""
MOST = 300
"""Sentences of a message; what follows is read by nobody."""
SHORTEST = 12
"""Characters of a message that may give orders to a program that reads it."""
APPLAUSE = frozenset("100 tada raised_hands clap fire rocket star bulb dart exploding_head +1 thumbsup pray".split())
"""Reactions that mark a message as news."""
ACK_MARKS = ("eyes", "ack", "looking", "mag", "saluting_face", "raised_hand", "firefighter")
"""Reactions by which somebody says that they are on it."""
JOY = frozenset("joy rofl laughing stuck_out_tongue clown_face troll sweat_smile grin smile parrot".split())
ASKS = re.compile(r"\?[\"'”’)\s]*$")
QUANTITY = re.compile(r"(?<![\w.:-])[~≈]?\d[\d.,]*\s?(?:%|[a-z]{1,4}\b)?(?![\w:-])")
TECHNICAL = re.compile(
    r"(?<![\w-])[\w-]+[_./][\w./-]+|\b[A-Z][A-Z0-9]{2,}\b|\b[a-z]+-[a-z]+(?:-[a-z0-9]+)*\b|\b[a-z]+[A-Z]\w+|\b[0-9a-f]{7,40}\b"
)
"""Names of services, settings, versions, commits."""
SURE = {
    "investigating": 0.4, "cause": 0.6, "mitigated": 0.5, "monitoring": 0.3, "resolved": 0.4, "again": 0.5,
    "false_alarm": 0.5, "lead": 0.4, "ruled_out": 0.4, "impact": 0.6, "commitment": 0.4,
}  # fmt: skip
"""From here a summary rests on an act alone."""
LIKELY = {
    "investigating": 0.2, "cause": 0.4, "mitigated": 0.3, "monitoring": 0.15, "resolved": 0.3, "again": 0.4,
    "false_alarm": 0.25, "severity": 0.35, "lead": 0.2, "commitment": 0.25, "decline": 0.25, "next_update": 0.15,
    "impact": 0.25, "observation": 0.3, "hypothesis": 0.2, "ruled_out": 0.12, "proposal": 0.2, "decision": 0.25,
    "done": 0.25, "deed": 0.3, "task_request": 0.2, "question": 0.2, "correction": 0.2,
}  # fmt: skip
"""From here an act counts that the talk bears out otherwise. Both are read off authors that were not learned from: see
the bench of speech acts."""


@dataclass(frozen=True, eq=False)
class Utterance:
    """A sentence, who wrote it, and how likely it does each of `ACTS`."""

    message: ChannelMessage
    sentence: Sentence
    acts: Sequence[float]

    @property
    def text(self) -> str:
        """Its words."""
        return self.sentence.text

    @property
    def low(self) -> str:
        """In lower case, with straight apostrophes."""
        return self.sentence.low

    @property
    def stems(self) -> frozenset[str]:
        """What it is about."""
        return self.sentence.stems

    @property
    def heading(self) -> str:
        """What the line above it says that it is; empty for none."""
        return self.sentence.heading

    @property
    def quoted(self) -> bool:
        """Whether its writer repeats somebody else's words."""
        return self.sentence.quoted

    @property
    def number(self) -> int:
        """Its place in its message, from 0."""
        return self.sentence.number

    @property
    def ts(self) -> str:
        """Its message."""
        return self.message.ts

    @property
    def name(self) -> str:
        """Its writer, as people are shown."""
        return self.message.name

    @property
    def user(self) -> str:
        """Its writer, a program's id too."""
        return self.message.user

    @property
    def bot(self) -> bool:
        """Whether a program wrote it."""
        return self.message.bot

    @property
    def thread(self) -> str:
        """The thread it stands in; of a message at the top level the one that it may begin."""
        return self.message.thread_ts or self.ts

    @cached_property
    def key(self) -> tuple[tuple[int, int], int]:
        """What sentences sort by."""
        return order_of(self.ts), self.number

    def chance(self, *acts: str) -> float:
        """How likely it does any of some acts: the likeliest of them."""
        return max(self.acts[ACTS.index(act)] for act in acts)

    def surely(self, *acts: str) -> bool:
        """Whether it does one of some acts, so likely that a summary may rest on it alone."""
        return any(self.chance(act) >= SURE[act] for act in acts)

    def likely(self, *acts: str) -> bool:
        """Whether it more likely does one of some acts than not."""
        return any(self.chance(act) >= LIKELY[act] for act in acts)

    @cached_property
    def asks(self) -> bool:
        """Whether it ends as a question does."""
        return bool(ASKS.search(self.text))

    @cached_property
    def hedged(self) -> bool:
        """Whether its writer is not sure."""
        return is_hedged(self.low)

    @cached_property
    def joked(self) -> bool:
        """Whether several others laughed about it."""
        laughed = {user for name in JOY for user in self.message.reactions.get(name, ())} - {self.user}
        return len(laughed) > 1

    @cached_property
    def applause(self) -> int:
        """How many others marked its message as news."""
        marks = {user for name in APPLAUSE for user in self.message.reactions.get(name, ())}
        return len(marks - {self.user})

    @cached_property
    def names(self) -> int:
        """How many services, settings, versions or commits it names."""
        return len(TECHNICAL.findall(self.text))

    @cached_property
    def numbers(self) -> int:
        """How many quantities it holds."""
        return len(QUANTITY.findall(self.text))


def utterances_of(messages: Sequence[ChannelMessage]) -> Iterator[Utterance]:
    """What messages say, with its acts, in order.

    Args:
        messages: of a channel, oldest first.
    """
    heard = [(message, heard_in(message)) for message in messages]
    names = names_pattern(message.name for message in messages if message.name and not message.bot)
    said: list[Said] = []
    before: ChannelMessage | None = None
    for message, sentences in heard:
        for place, one in enumerate(sentences):
            last = sentences[place - 1].text if place else before.text if before else ""
            said.append(
                Said(
                    without_names(one.text, names), one.heading, message.bot, without_names(last, names),
                    inside=place > 0, own=_same_writer(before, message), by_bot=bool(before and before.bot),
                )
            )  # fmt: skip
        before = message
    rows = iter(act_probabilities(said))
    for message, sentences in heard:
        for one in sentences:
            yield Utterance(message, one, next(rows))


def _same_writer(before: ChannelMessage | None, message: ChannelMessage) -> bool:
    return before is not None and before.user == message.user


def heard_in(message: ChannelMessage) -> list[Sentence]:
    """The sentences of a message that can stand in a summary; of one that speaks to machines none of those behind."""
    found: list[Sentence] = []
    for one in sentences_of(message.text)[:MOST]:
        text = shortened(one.text) if message.bot else one.text
        if speaks_to_machines(text):
            return found if message.bot else []
        if len(text) <= LONGEST:
            found.append(one if text == one.text else replace(one, text=text))
    return found


def shortened(text: str) -> str:
    """A text up to the last word that ends within `LONGEST`: programs post lists of labels without a full stop."""
    return text if len(text) <= LONGEST else text[: LONGEST + 1].rpartition(" ")[0] or text[:LONGEST]


def speaks_to_machines(text: str) -> bool:
    """Whether any line of a text gives orders to a program that reads it: nothing of such a message is relied on."""
    return len(text) >= SHORTEST and any(instructs_reader(line) for line in text.splitlines() if line.strip())
