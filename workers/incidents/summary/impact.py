"""Who feels it, and how much; newer figures replace older ones of the same thing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from workers.incidents.summary.conversation import Conversation
from workers.incidents.summary.program_posts import CLEARED, is_alarm
from workers.incidents.summary.summary_types import Line
from workers.incidents.summary.utterances import Utterance
from workers.language.sentences import overlap

MOST = 5
FIGURE = re.compile(r"\d[\d.,]*\d|\d")
SHARE = re.compile(r"\d ?%")
AKIN, SAME = 0.3, 0.6
"""The share of words in common from which a newer figure replaces an older one, and any remark another one."""
CLOCK = re.compile(r"\b\d{1,2}:\d\d\b")


def impact_of(talk: Conversation, gone: Mapping[str, Utterance]) -> tuple[Line, ...]:
    """The impact as it is known now, in the order it was told.

    Args:
        talk: of the channel.
        gone: the words of what stands no more, and what set it right.
    """
    kept: list[Utterance] = []
    for remark in talk.people:
        if tells_impact(remark):
            kept = [old for old in kept if not replaces(remark, old)]
            kept.append(remark)
    kept = list(dict.fromkeys(gone.get(remark.text, remark) for remark in kept))
    if not any(remark.numbers for remark in kept):
        kept += measured_by_alarm(talk)
    best = sorted(kept, key=weight, reverse=True)[:MOST]
    return tuple(Line(text=r.text, ts=(r.ts,)) for r in sorted(best, key=lambda r: r.key))


def tells_impact(remark: Utterance) -> bool:
    """Whether a remark tells who feels it, or sets that right."""
    return remark.likely("impact") and not (remark.asks or remark.joked or remark.likely("hypothesis", "task_request"))


def weight(remark: Utterance) -> float:
    """How much a line tells: figures, applause and newer words count more."""
    return remark.chance("impact") + 0.3 * min(remark.numbers, 2) + 0.2 * min(remark.applause, 2)


def replaces(new: Utterance, old: Utterance) -> bool:
    """Whether a newer remark tells anew what an older one told."""
    shared = overlap(new.stems, old.stems)
    both = bool(SHARE.search(new.text)) == bool(SHARE.search(old.text))
    if new.numbers and old.numbers and both and shared >= AKIN:
        return True
    return shared >= SAME and new.numbers >= old.numbers


def withdrawn(talk: Conversation) -> dict[str, Utterance]:
    """The words of what people said with a figure that was set right later, and the sentence that did."""
    gone: dict[str, Utterance] = {}
    told = [r for r in talk.people if r.numbers]
    for message in talk.of_message.values():
        if message[0].bot or not any(r.likely("correction") for r in message):
            continue
        figures = figures_in(message[0].message.text)
        before = [r for r in told if r.key < message[0].key and r.ts != message[0].ts]
        of_it = [r for r in before if figures & figures_in(r.text) and figures - figures_in(r.text)]
        if not of_it and figures:
            mine = [r for r in before if r.user == message[0].user]
            akin = [r for r in before if any(overlap(r.stems, one.stems) >= AKIN for one in message)] or mine[-1:]
            unit = bool(SHARE.search(message[0].message.text))
            of_it = [r for r in akin[-1:] if bool(SHARE.search(r.text)) == unit]
        gone |= {r.text: right_of(message, r) for r in of_it}
    return gone


def right_of(message: Sequence[Utterance], old: Utterance) -> Utterance:
    """The sentence of a correction that has the right figure: another one than what it corrects."""
    wrong = figures_in(old.text)
    return max(message, key=lambda r: (bool(figures_in(r.text) - wrong), r.chance("correction")))


def figures_in(text: str) -> set[str]:
    """The figures of a text that can be told from others: more than one digit, and no time of the clock."""
    return {figure for figure in FIGURE.findall(CLOCK.sub(" ", text)) if len(figure) > 1}


def measured_by_alarm(talk: Conversation) -> list[Utterance]:
    """The figure of the last alarm: all that is known of how much, before anyone has told it."""
    for remark in reversed(talk.remarks):
        if not remark.bot or remark.quoted:
            continue
        first = talk.of_message[remark.ts][0]
        if CLEARED.search(first.text):
            return []
        if remark.numbers and is_alarm(first):
            return [remark]
    return []
