"""Sentences as what their writers do by them; orders to machines, jokes and quotes are no statements."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import TypeVar

from workers.contracts import ChannelMessage
from workers.incidents.summary import utterance_patterns
from workers.incidents.summary.sentences import Sentence, sentences_of

Read = TypeVar("Read")
IN_QUOTES = re.compile(r'["“„«][^"”“»]{3,}["”“»]')
CORRECTIONS = frozenset({"correction", "korrektur", "corrección", "edit"})
LONGEST = 400
"""Of a sentence that can stand in a summary, in characters; patterns read no longer ones."""

BRIEF = 8
"""So few words that one who laughs makes them a joke."""
MOST = 300
"""Sentences of a message; what follows is read by nobody."""


@dataclass(frozen=True)
class Utterance(Sentence):
    """A sentence and how it is said."""

    @cached_property
    def asks(self) -> bool:
        """Whether it is a question."""
        return bool(self.text.rstrip().endswith("?") or utterance_patterns.QUESTION.search(self.low))

    @cached_property
    def hedged(self) -> bool:
        """Whether its writer is not sure."""
        return utterance_patterns.is_hedged(self.low)

    @cached_property
    def negated(self) -> bool:
        """Whether it denies something."""
        return utterance_patterns.is_negated(self.low)

    @cached_property
    def supposed(self) -> bool:
        """Whether it speaks of what may or shall be."""
        return bool(utterance_patterns.IF.search(self.low))

    @cached_property
    def ahead(self) -> bool:
        """Whether it speaks of what comes."""
        return bool(utterance_patterns.FUTURE.search(self.low))

    @cached_property
    def corrects(self) -> bool:
        """Whether it takes back what was said."""
        if self.label in CORRECTIONS or utterance_patterns.TAKEN_BACK.search(self.low):
            return True
        return bool(utterance_patterns.TOOK_BACK.search(self.message.text[:60].lower()))

    @property
    def stated(self) -> bool:
        """Whether it states something as so."""
        return not (self.asks or self.hedged or self.supposed or self.quoted or self.joked)

    @property
    def firm(self) -> bool:
        """Whether it states something that is so at least under a condition: "it returns null if the key is old"."""
        conditional = self.supposed and not self.low.startswith(("if ", "once ", "when ", "would ", "in case "))
        return self.stated or (conditional and not (self.asks or self.hedged or self.quoted or self.joked))

    @cached_property
    def takes_lead(self) -> bool:
        """Whether its writer says that they lead, even if they ask in the same breath: "I'm IC, can you call?"."""
        states = not self.asks or self.low.startswith(("i'm ", "i am ", "i've "))
        return bool(states and utterance_patterns.I_LEAD.search(self.low))

    @cached_property
    def own(self) -> str:
        """Its writer's own words, in lower case: without what stands between quotation marks."""
        return IN_QUOTES.sub(" ", self.low)

    @property
    def name(self) -> str:
        """Its writer, as people are shown."""
        return self.message.name

    @property
    def bot(self) -> bool:
        """Whether a program wrote it."""
        return self.message.bot

    @cached_property
    def entered(self) -> bool:
        """Whether somebody entered it into a program with which people run incidents."""
        return self.bot and bool(
            utterance_patterns.RUN_WITH.search(self.message.name)
            or utterance_patterns.ENTERED.search(self.message.text)
        )

    @cached_property
    def applause(self) -> int:
        """How many others marked its message as news."""
        marks = (user for name in utterance_patterns.APPLAUSE for user in self.message.reactions.get(name, ()))
        return len({user for user in marks if user != self.message.user})

    @cached_property
    def confirmed(self) -> bool:
        """Whether someone else marked its message as the very thing that was looked for."""
        marks = {user for name in utterance_patterns.CONFIRMS for user in self.message.reactions.get(name, ())}
        return bool(marks - {self.message.user})

    @cached_property
    def joked(self) -> bool:
        """Whether it is a joke, or others laughed about it."""
        laughed = {user for name in utterance_patterns.JOY for user in self.message.reactions.get(name, ())} - {
            self.message.user
        }
        lightly = laughed and not (self.numbers or self.names or self.label) and len(self.low.split()) <= BRIEF
        return bool(utterance_patterns.JOKE.search(self.own) or len(laughed) > 1 or lightly)

    @cached_property
    def names(self) -> int:
        """How many services, settings, versions or commits it names."""
        return len(utterance_patterns.TECHNICAL.findall(self.text))

    @cached_property
    def numbers(self) -> int:
        """How many quantities it holds."""
        return len(utterance_patterns.QUANTITY.findall(self.low))


def once(read: Callable[[Utterance], Read]) -> Callable[[Utterance], Read]:
    """A function of a remark alone that reads each remark once: several parts of a summary ask for the same."""
    name = f"once:{read.__module__}.{read.__name__}"

    @wraps(read)
    def found(remark: Utterance) -> Read:
        known: dict[str, Read] = remark.__dict__
        if name not in known:
            known[name] = read(remark)
        return known[name]

    return found


def utterances_of(message: ChannelMessage) -> Sequence[Utterance]:
    """What one message says; nothing when it speaks to machines."""
    if speaks_to_machines(message.text):
        return (
            tuple(itertools.takewhile(lambda r: not speaks_to_machines(r.text), heard(message))) if message.bot else ()
        )
    return heard(message)


def heard(message: ChannelMessage) -> Sequence[Utterance]:
    """Every sentence of a message that can stand in a summary; a program's that is too long as far as it can."""
    found = [(s, shortened(s.text) if message.bot else s.text) for s in sentences_of(message)[:MOST]]
    return [Utterance(s.message, text, s.label, s.quoted, s.number) for s, text in found if len(text) <= LONGEST]


def shortened(text: str) -> str:
    """A text up to the last word that ends within `LONGEST`: programs post lists of labels without a full stop."""
    return text if len(text) <= LONGEST else text[: LONGEST + 1].rpartition(" ")[0] or text[:LONGEST]


def speaks_to_machines(text: str) -> bool:
    """Whether any line of a text gives orders to a program that reads it: nothing of such a message is relied on."""
    return any(
        utterance_patterns.TO_A_MACHINE.search(line.strip("> `*_~-")) for line in text.splitlines() if line.strip()
    )
