"""What a second reader makes of each message: acts that were learned, beside the words that patterns look for.

Either alone takes a request for a cause now and then. What patterns find stands when the second reader bears it out,
and what it is sure of stands by itself; how likely an act must be for either was chosen on authors that it had not
learned from (``bench/README.md``). What programs post has a form, and is not read twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from workers.contracts import ChannelMessage
from workers.incidents.summary.summary_types import Line, State
from workers.language.sentences import LABEL, overlap, sentences_of, stems_of
from workers.language.speech_acts import ACTS, Said, act_probabilities

Some = TypeVar("Some", bound=Line)


@dataclass(frozen=True)
class ReadSentence:
    """A sentence of a message. ``acts``: how likely it does each; ``labelled``: it says itself what it is."""

    stems: frozenset[str]
    acts: Mapping[str, float]
    labelled: bool = False


Reading = Mapping[str, tuple[ReadSentence, ...] | None]
"""ts -> the sentences of the message; None for what a program posted."""
BORNE_OUT: Mapping[str, tuple[float, tuple[str, ...]]] = {
    "resolved": (0.03, ("resolved",)),
    "false_alarm": (0.05, ("false_alarm",)),
    "monitoring": (0.15, ("monitoring",)),
    "mitigated": (0.1, ("mitigated", "monitoring")),
    "identified": (0.15, ("cause",)),
    "investigating": (0.1, ("investigating", "again", "correction", "ruled_out")),
    "lead": (0.03, ("lead",)),
    "ruled_out": (0.15, ("ruled_out",)),
    "hypotheses": (0.05, ("hypothesis",)),
    "known": (0.05, ("cause", "observation", "impact", "correction")),
    "impact": (0.05, ("impact", "observation", "correction")),
    "decisions": (0.1, ("decision",)),
    "tried": (0.1, ("deed", "done")),
    "action_items": (0.03, ("task_request", "commitment", "done")),
    "open_questions": (0.03, ("question", "proposal", "hypothesis")),
    "next_update": (0.02, ("next_update",)),
}
"""Kind of line -> how likely one of some acts must be where patterns found the line."""
BY_KIND = {"finding": "identified", "decision": "decisions"}
"""Kinds of the timeline that need the same as lines of the summary."""
SURE: Mapping[str, tuple[float, State]] = {
    "resolved": (0.4, "resolved"),
    "false_alarm": (0.5, "false_alarm"),
    "monitoring": (0.4, "monitoring"),
    "mitigated": (0.4, "mitigated"),
    "cause": (0.6, "identified"),
}
"""Act -> how likely it must be to say by itself how an incident stands, and how it stands then."""
GENERAL = frozenset({"update", "summary", "status", "state", "tl;dr", "tldr", "note", "edit", "fyi"})
"""Labels that do not say what stands behind them."""
WORD_FOR_WORD = frozenset({"ruled_out"})
"""Kinds of lines whose own sentence must be borne out: another one of the same message tells of something else."""
MEANT = 0.6
"""The share of words in common from which a sentence is the one that a line shows."""
LEADS, RULES_OUT, PROMISES = 0.85, 0.5, 0.4
"""How likely somebody must take or give the lead, exclude a cause, or promise an update, where no pattern says so."""


def read_again(messages: Sequence[ChannelMessage]) -> Reading:
    """What the messages of a channel, oldest first, do."""
    found: dict[str, tuple[ReadSentence, ...] | None] = {}
    before: ChannelMessage | None = None
    for message in messages:
        said = [] if message.bot else said_in(message, before)
        rows = zip(said, act_probabilities(said), strict=True)
        read = tuple(
            ReadSentence(stems_of(one.text), dict(zip(ACTS, row, strict=True)), is_labelled(one)) for one, row in rows
        )
        found[message.ts] = None if message.bot else read
        before = message
    return found


def said_in(message: ChannelMessage, before: ChannelMessage | None) -> list[Said]:
    """The sentences of a message and where each stands."""
    sentences = sentences_of(message.text)
    last = before.text if before else ""
    own, by_bot = before is not None and before.user == message.user, before is not None and before.bot
    return [
        Said(one.text, one.heading, False, sentences[place - 1].text if place else last, place > 0, own, by_bot)
        for place, one in enumerate(sentences)
    ]


def is_labelled(said: Said) -> bool:
    """Whether a sentence stands under a heading or behind a label: a form, which needs no second reader."""
    label = LABEL.match(said.text)
    return bool(said.heading or (label and label[0].strip("*_ :=").lower() not in GENERAL))


def acts_in(reading: Reading, ts: str, stems: frozenset[str]) -> Mapping[str, float]:
    """How likely a sentence of a person does each act, known by its words; empty where nobody read it."""
    return max(reading.get(ts) or (), key=lambda read: overlap(read.stems, stems), default=ReadSentence(stems, {})).acts


def state_said(acts: Mapping[str, float]) -> State | None:
    """How an incident stands by a sentence that surely says so."""
    sure = [act for act, (least, _) in SURE.items() if acts.get(act, 0.0) >= least]
    return SURE[max(sure, key=lambda act: acts[act])][1] if sure else None


def bears_out(reading: Reading, kind: str, ts: Iterable[str], text: str = "") -> bool:
    """Whether the second reader bears out that something has a place in a summary.

    Args:
        reading: of the channel.
        kind: a key of `BORNE_OUT`.
        ts: the messages that it rests on.
        text: its words; of each message the sentences count that share most of theirs with it. Without, all count.
    """
    least, acts = BORNE_OUT[kind]
    stems = stems_of(text)
    for one in ts:
        read = reading.get(one)
        if read is None:
            return True
        meant = [sentence for sentence in read if overlap(sentence.stems, stems) >= MEANT] or read
        if any(sentence.labelled or sentence.acts[act] >= least for sentence in meant for act in acts):
            return True
    return False


def borne_out(reading: Reading, kind: str, lines: Iterable[Some]) -> tuple[Some, ...]:
    """The lines of a section that the second reader bears out."""
    alone = kind in WORD_FOR_WORD
    return tuple(line for line in lines if bears_out(reading, kind, line.ts, line.text if alone else ""))
