"""What is known, what is supposed, and what it is not."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from workers.incidents.summary import status_patterns, utterance_patterns
from workers.incidents.summary.actions_taken import is_deed
from workers.incidents.summary.conversation import Conversation
from workers.incidents.summary.dialogue_acts import LATER, affirmed, answered, denied, told_to
from workers.incidents.summary.findings import SURE, rules_out, weigh_finding, weigh_supposed
from workers.incidents.summary.overlap_index import InWords
from workers.incidents.summary.second_reading import RULES_OUT, acts_in
from workers.incidents.summary.status import turns_of
from workers.incidents.summary.summary_types import Line
from workers.incidents.summary.utterances import Utterance
from workers.language.sentences import overlap
from workers.language.stems import stem

WHY, CERTAIN = 3.0, 3.5
"""The weight of a cause, and of one after which suspicions are history."""
FEW_WORDS = 3
SAME = 0.7
"""Of the words of two things that it is not which makes them one."""
GAUGE = re.compile(
    r"(?P<what>[a-z][\w-]*(?: [a-z][\w-]*)?)(?: (?:is|at|now|is at|is now))?"
    r" ~?\d[\d.,]*(?: ?(?:%|gb|tb|mb|ms|s|k))?\b(?![-:/.\w])"
)
MOST_KNOWN, MOST_OF_SEVERAL, MOST_SUPPOSED, MOST_RULED_OUT = 7, 4, 4, 5


@dataclass(frozen=True)
class Causes:
    """What is known of why it happens."""

    known: tuple[Line, ...]
    more: tuple[Line, ...]
    """What is merely telling, the most telling first."""
    hypotheses: tuple[Line, ...]
    ruled_out: tuple[Line, ...]
    why: frozenset[str]
    """The texts of those that are known and tell why."""


@dataclass(frozen=True)
class Held:
    """A remark that holds until it is taken back. ``ts``: the messages it rests on."""

    remark: Utterance
    weight: float
    ts: tuple[str, ...]
    asked: Utterance | None = None
    """What it answers, where it is not clear without."""

    @property
    def line(self) -> Line:
        """As it stands in a summary."""
        text = f"{self.asked.text.rstrip()} → {self.remark.text}" if self.asked else self.remark.text
        return Line(text=text, ts=self.ts)


class Board:
    """What stands of the cause, remark after remark."""

    def __init__(self, talk: Conversation) -> None:
        """Nothing yet, of a channel."""
        self.talk = talk
        self.known: list[Held] = []
        self.supposed: list[Held] = []
        self.out: list[Held] = []

    def hear(self, remark: Utterance) -> None:
        """Take up one more remark."""
        self.known = without_retracted(self.known, remark)
        if utterance_patterns.NO_HELP.search(remark.low):
            self.supposed = unlike(self.supposed, remark, 0.4)
        supposed = weigh_supposed(remark)
        if suspicion := denied(remark, self.talk):
            self.supposed = [h for h in self.supposed if h.remark.ts != suspicion.ts and not self.concerns(remark, h)]
            self.out.append(Held(remark, 2.0, (suspicion.ts, remark.ts), suspicion))
        elif not told_to(remark, self.talk) and (
            rules_out(remark) or denies(remark, self.supposed) or self.surely_excludes(remark)
        ):
            self.rule_out(remark)
        elif (weight := weigh_finding(remark, self.talk)) >= WHY or (
            weight and not ((weight < SURE and supposed) or is_deed(remark))
        ):
            self.find(remark, weight)
        elif utterance_patterns.THATS_IT.search(remark.low) and (before := self.talk.said_before(remark)):
            self.supposed.append(Held(before, 1.5, (before.ts,)))
        elif supposed:
            self.supposed = [*unlike(self.supposed, remark, 0.55), Held(remark, supposed, (remark.ts,))]
        elif remark.corrects:
            self.known = [h for h in self.known if not takes_back(remark, h.remark)]
            self.supposed = [h for h in self.supposed if not takes_back(remark, h.remark)]

    def surely_excludes(self, remark: Utterance) -> bool:
        """Whether the second reader alone is sure that a remark excludes what was supposed."""
        acts = acts_in(self.talk.reading, remark.ts, remark.stems)
        told = remark.stated and acts.get("ruled_out", 0.0) >= RULES_OUT
        return told and any(self.concerns(remark, held) for held in self.supposed)

    def rule_out(self, remark: Utterance) -> None:
        """What it is not, and no supposition any more."""
        gone = [h for h in self.supposed if self.concerns(remark, h)]
        if not gone and utterance_patterns.CONCLUDES_NOT.match(
            remark.low
        ):  # "so no double payment": of what was supposed last
            gone = [h for h in self.supposed[-1:] if remark.message.at - h.remark.message.at < LATER]
        self.supposed = [h for h in self.supposed if h not in gone]
        if remark.corrects:
            self.known = [h for h in self.known if h.weight < WHY or not self.concerns(remark, h)]
        if len(remark.stems) <= FEW_WORDS:  # "so not the etl": what merely told of it is no matter any more
            self.known = [h for h in self.known if h.weight >= SURE or not remark.stems <= h.remark.stems]
        self.out.append(Held(remark, 2.0 if gone else 1.0, (remark.ts, *(h.remark.ts for h in gone))))

    def find(self, remark: Utterance, weight: float) -> None:
        """What is known now, in the place of what said the same; a cause gives way to another cause alone."""
        if remark.corrects:
            self.known, self.supposed = unlike(self.known, remark, 0.3), unlike(self.supposed, remark, 0.3)
        if weight >= WHY:
            self.supposed = unlike(self.supposed, remark, 0.34)
            self.known = [h for h in self.known if not status_patterns.NO_CAUSE.search(h.remark.low)]
        gauge = gauge_of(remark)
        self.known = [
            h
            for h in self.known
            if h.weight >= WHY > weight
            or (overlap(remark.stems, h.remark.stems) < 0.6 and not (gauge and gauge == gauge_of(h.remark)))
        ]
        asked = question_of(remark, self.talk)
        self.known.append(Held(remark, weight, (asked.ts, remark.ts) if asked else (remark.ts,), asked))

    def concerns(self, remark: Utterance, held: Held) -> bool:
        """Whether a remark speaks of what is held."""
        return concerns(remark, held.remark, self.talk)

    def end(self) -> None:
        """Leave out suspicions from before the cause was known, and from after its end."""
        last = turns_of(self.talk)[-1:] if self.supposed else ()
        if last and last[0].state in {"resolved", "false_alarm"} and not last[0].again:
            self.supposed = [h for h in self.supposed if h.remark.key < last[0].remark.key]
        if latest := max((h.remark.key for h in self.known if h.weight >= CERTAIN), default=None):
            self.supposed = [h for h in self.supposed if h.remark.key > latest]


def causes_of(talk: Conversation, *, of: int = 1) -> Causes:
    """What of it stands after everything that was said; less of it when it is one ``of`` several incidents."""
    board = Board(talk)
    for remark in talk.remarks:
        if not remark.quoted:
            board.hear(remark)
    board.end()
    sure = [h for h in board.known if h.weight >= SURE]
    rest = [h for h in board.known if h.weight < SURE]
    return Causes(
        known=best(sure, MOST_KNOWN if of == 1 else MOST_OF_SEVERAL),
        more=tuple(h.line for h in weightiest(rest, len(rest))),
        hypotheses=best(board.supposed, MOST_SUPPOSED),
        ruled_out=best(distinct(board.out), MOST_RULED_OUT),
        why=frozenset(h.remark.text for h in sure if h.weight >= WHY),
    )


def unlike(held: list[Held], remark: Utterance, alike: float) -> list[Held]:
    """Those that do not say what a remark says."""
    return [h for h in held if overlap(remark.stems, h.remark.stems) < alike]


def gauge_of(remark: Utterance) -> str:
    """What a few words before a figure name, which a later figure replaces: "disk" of "disk 83 and climbing"."""
    found = GAUGE.match(remark.low)
    return found["what"] if found else ""


def question_of(remark: Utterance, talk: Conversation) -> Utterance | None:
    """The question that a few words answer, which say nothing without it: "what went out?" "4.18.0, at 08:20"."""
    return (answered(remark, talk) or affirmed(remark, talk)) if len(remark.stems) <= FEW_WORDS else None


def best(held: list[Held], most: int) -> tuple[Line, ...]:
    """The weightiest, in the order they were said."""
    return tuple(h.line for h in sorted(weightiest(held, most), key=lambda h: h.remark.key))


def weightiest(held: list[Held], most: int) -> list[Held]:
    """Those of the greatest weight, of equal ones the latest."""
    return sorted(held, key=lambda h: (h.weight, h.remark.key), reverse=True)[:most]


def distinct(held: list[Held]) -> list[Held]:
    """Of those that say the same the last."""
    kept: list[Held] = []
    by_words = InWords(SAME)
    for one in reversed(held):
        stems = one.remark.stems
        near = sorted(by_words.near(stems))
        same = next((i for i in near if overlap(stems, kept[i].remark.stems) >= SAME), None)
        if same is None:
            by_words.add(stems, len(kept))
            kept.append(one)
        else:
            kept[same] = replace(kept[same], weight=max(one.weight, kept[same].weight))
    return kept[::-1]


def denies(remark: Utterance, supposed: list[Held]) -> bool:
    """Whether a remark says of something supposed that it is not so."""
    if remark.bot or not remark.stated or remark.ahead or not utterance_patterns.NOT_SO.search(remark.low):
        return False
    return any(telling(remark) & telling(h.remark) for h in supposed)


def telling(remark: Utterance) -> frozenset[str]:
    """The parts of a system that a remark names."""
    named = {stem(word.lower()) for word in utterance_patterns.TECHNICAL.findall(remark.text)}
    return frozenset(
        named
        | {stem(word) for word in utterance_patterns.COMPONENT.findall(remark.low)}
        | {s for s in remark.stems if len(s) > 5}
    )


def concerns(remark: Utterance, other: Utterance, talk: Conversation) -> bool:
    """Whether a remark speaks of what another one supposes: the same words, or an answer to it."""
    if overlap(remark.stems, other.stems) >= 0.34 or len(remark.stems & other.stems) >= 2:
        return True
    follows = remark.thread == other.thread and other.thread != other.ts
    return follows and remark.key > other.key and (remark.corrects or len(talk.replies.get(other.thread, ())) <= 4)


def without_retracted(known: list[Held], remark: Utterance) -> list[Held]:
    """What is known after someone took back the last cause they gave: all that stood in its message is gone."""
    if not utterance_patterns.RETRACTS.search(remark.low):
        return known
    mine = [
        h
        for h in known
        if h.weight >= WHY and h.remark.message.user == remark.message.user and h.remark.ts != remark.ts
    ]
    return [h for h in known if not mine or h.remark.ts != mine[-1].remark.ts]


def takes_back(remark: Utterance, other: Utterance) -> bool:
    """Whether a correction is of another remark: the same words, or the same writer a moment before."""
    if overlap(remark.stems, other.stems) >= 0.34:
        return True
    soon = 0 < (remark.message.at - other.message.at).total_seconds() < 600
    return (
        soon
        and remark.message.user == other.message.user
        and utterance_patterns.words(
            "no,? wait",
            "wait,? no",
            "scratch that",
            "strike that",
            "disregard",
            "ignore that",
            "never mind",
            "nevermind",
            "i was wrong",
            "misread",
            "my mistake",
            "i take that back",
        ).search(remark.low)
        is not None
    )
