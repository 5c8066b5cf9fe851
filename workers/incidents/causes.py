"""PURE: what is known, what is supposed, and what it is not."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from workers.incidents import cues
from workers.incidents.impact import weigh as weigh_impact
from workers.incidents.model import Line
from workers.incidents.remarks import Remark, Talk
from workers.incidents.standing import is_symptom, tells_why, turn_of, turns_of
from workers.incidents.text import overlap, stem

CAUSES = frozenset({"root cause", "cause", "ursache", "causa", "culprit", "trigger", "rca"})
FINDINGS = frozenset(
    {"finding", "findings", "known", "what we know", "current understanding", "summary", "tl;dr", "tldr"}
)
SUPPOSED = frozenset({"hypothesis", "theory", "suspect", "suspected cause", "current hypothesis", "working theory"})
MINE = re.compile(r"(?:i|we)(?:'m|'re|'ll| am| are| will)\b|@")
MOST_KNOWN, MOST_SUPPOSED, MOST_RULED_OUT = 6, 4, 5


@dataclass(frozen=True)
class Causes:
    """What is known of why it happens."""

    known: tuple[Line, ...]
    hypotheses: tuple[Line, ...]
    ruled_out: tuple[Line, ...]


@dataclass(frozen=True)
class Held:
    """A remark that holds until it is taken back. ``ts``: the messages it rests on."""

    remark: Remark
    weight: float
    ts: tuple[str, ...]


def causes_of(talk: Talk) -> Causes:  # noqa: C901 - one question after another
    """What of it stands after everything that was said."""
    known: list[Held] = []
    supposed: list[Held] = []
    out: list[Held] = []
    for remark in talk.remarks:
        if remark.quoted:
            continue
        known = without_retracted(known, remark)
        if cues.NO_HELP.search(remark.low):
            supposed = [h for h in supposed if overlap(remark.stems, h.remark.stems) < 0.4]
        if rules_out(remark) or denies(remark, supposed):
            gone = [held for held in supposed if concerns(remark, held.remark, talk)]
            supposed = [held for held in supposed if held not in gone]
            known = [h for h in known if not (remark.corrects and h.weight >= 3 and concerns(remark, h.remark, talk))]
            out.append(Held(remark, 2.0 if gone else 1.0, (remark.ts, *(h.remark.ts for h in gone))))
            continue
        if weight := max(weigh_known(remark), 3.6 * found(remark, talk)):
            if remark.corrects:
                known = [h for h in known if overlap(remark.stems, h.remark.stems) < 0.3]
                supposed = [h for h in supposed if overlap(remark.stems, h.remark.stems) < 0.3]
            if weight >= 3:
                supposed = [h for h in supposed if overlap(remark.stems, h.remark.stems) < 0.34]
            known = [h for h in known if overlap(remark.stems, h.remark.stems) < 0.6] + [
                Held(remark, weight, (remark.ts,))
            ]
        elif cues.THATS_IT.search(remark.low) and (before := said_before(remark, talk)):
            supposed.append(Held(before, 1.5, (before.ts,)))
        elif weight := weigh_supposed(remark):
            supposed = [h for h in supposed if overlap(remark.stems, h.remark.stems) < 0.55]
            supposed.append(Held(remark, weight, (remark.ts,)))
        elif remark.corrects:
            known = [h for h in known if not takes_back(remark, h.remark)]
            supposed = [h for h in supposed if not takes_back(remark, h.remark)]
    last = turns_of(talk)[-1:] if supposed else ()
    if last and last[0].state in {"resolved", "false_alarm"} and not last[0].again:
        supposed = [h for h in supposed if h.remark.key < last[0].remark.key]
    if any(h.weight >= 3.5 for h in known):  # the cause is known: what was supposed before is history
        latest = max((h.remark.key for h in known if h.weight >= 3.5), default=None)
        supposed = [h for h in supposed if latest and h.remark.key > latest]
    return Causes(best(known, MOST_KNOWN), best(supposed, MOST_SUPPOSED), best(distinct(out), MOST_RULED_OUT))


def best(held: list[Held], most: int) -> tuple[Line, ...]:
    """The weightiest, in the order they were said."""
    chosen = sorted(held, key=lambda h: (h.weight, h.remark.key), reverse=True)[:most]
    return tuple(Line(text=h.remark.text, ts=h.ts) for h in sorted(chosen, key=lambda h: h.remark.key))


def distinct(held: list[Held]) -> list[Held]:
    """Of those that say the same the last."""
    kept: list[Held] = []
    for one in reversed(held):
        same = next((i for i, h in enumerate(kept) if overlap(one.remark.stems, h.remark.stems) >= 0.7), None)
        if same is None:
            kept.append(one)
        else:
            kept[same] = replace(kept[same], weight=max(one.weight, kept[same].weight))
    return kept[::-1]


def found(remark: Remark, talk: Talk) -> bool:
    """Whether a remark is a finding because it was announced as one, or others marked it so."""
    if remark.bot or not remark.stated or remark.ahead or len(remark.stems) < 4 or rules_out(remark):
        return False
    if not (remark.names or remark.numbers or cues.COMPONENT.search(remark.low)):
        return False
    return talk.leads_in(remark) or (remark.confirmed and tells_why(remark) and not cues.DECISION.search(remark.low))


def weigh_known(remark: Remark) -> float:
    """How much a remark adds to what is known; 3 and more for a cause, 0 for nothing."""
    low = remark.low
    if cues.ORDER.search(low) or cues.ABOUT_MACHINES.search(low):
        return 0.0
    if remark.bot or not remark.stated or remark.ahead or len(remark.stems) < 3 or cues.JOKE.search(low):
        return 0.0
    if remark.label in CAUSES:
        return 4.0
    if remark.label in FINDINGS:
        return 2.5
    turn = turn_of(remark)
    if turn and turn.state in {"resolved", "mitigated", "monitoring", "false_alarm"}:
        return 0.0
    if cues.NO_HELP.search(low) or cues.DECISION.search(low) or MINE.match(low):
        return 0.0
    specific = 0.25 * min(remark.numbers, 3) + 0.25 * min(remark.names, 3) + min(0.3 * remark.applause, 0.9)
    if cues.CAUSE.search(low) and not cues.words("no", "unknown", "unclear", "finding", "find").search(low):
        sure = cues.words(
            "root cause", "confirm(?:ed)?", "found", "culprit", "caused by", "reason", "reproduced"
        ).search(low)
        return 3.0 + 0.6 * bool(sure) + 0.5 * specific
    if weigh_impact(remark) >= 1:
        return 0.0
    telling = (
        0.7 * bool(cues.VERIFIED.search(low))
        + 0.7 * is_symptom(remark)
        + 0.6 * bool(cues.BEGAN.search(low))
        + 0.5 * bool(cues.ONLY.search(low))
        + 0.8 * bool(cues.UNUSUAL.search(low))
        + 1.0 * bool(cues.IDENTIFIES.match(low) and (remark.names or cues.COMPONENT.search(low)))
    )
    telling += 0.9 * bool(cues.UPDATE.match(remark.message.text))
    return telling + specific if telling + specific >= 1.3 else 0.0


def weigh_supposed(remark: Remark) -> float:
    """How much of a supposition of the cause a remark is."""
    low = remark.own
    if remark.joked or cues.ORDER.search(low) or cues.ABOUT_MACHINES.search(low):
        return 0.0
    if remark.bot or len(remark.stems) < 2 or cues.JOKE.search(low):
        return 0.0
    if remark.label in SUPPOSED:
        return 2.0
    if not (remark.hedged and (cues.SUSPECT.search(low) or remark.names)):
        return 0.0
    if cues.MITIGATED.search(low) or cues.RESOLVED.search(low) or weigh_impact(remark) >= 1:
        return 0.0
    strong = cues.words(
        "suspect\\w*",
        "theory",
        "hypothesis",
        "hunch",
        "related",
        "caused",
        "because",
        "due to",
        "culprit",
        "candidate",
        "i wonder",
        "my (?:best )?(?:read|bet|money|guess)",
        "a feeling",
        "i'd bet",
        "suspicious(?:ly)?",
        "lines up",
        "smells (?:like|of)",
        "could (?:it|this|that) be",
        "maybe\\?",
    ).search(low)
    if remark.ahead and not strong:
        return 0.0
    technical = remark.names or cues.COMPONENT.search(low) or cues.DEPLOY.search(low) or cues.SYMPTOM.search(low)
    return (1.0 if technical or strong else 0.0) + (0.6 if strong else 0.0)


def rules_out(remark: Remark) -> bool:
    """Whether a remark says what it is not."""
    low = remark.low
    if remark.bot or remark.asks or remark.quoted or remark.ahead or remark.supposed:
        return False
    if (cues.SO_NO.search(low) and not remark.corrects) or (cues.SO_NO.search(low) and len(remark.stems) >= 2):
        return not cues.NO_HELP.search(low)
    if not cues.RULED_OUT.search(low) or cues.NO_IMPACT.search(low) or cues.NO_HELP.search(low):
        return False
    if cues.RULED.search(low):
        return True
    return not remark.hedged and not (turn_of(remark) and not remark.negated) and len(remark.stems) >= 1


def said_before(remark: Remark, talk: Talk) -> Remark | None:
    """The sentence before one in its message."""
    return next((r for r in talk.of_message[remark.ts] if r.number == remark.number - 1), None)


def denies(remark: Remark, supposed: list[Held]) -> bool:
    """Whether a remark says of something supposed that it is not so."""
    if remark.bot or not remark.stated or remark.ahead or not cues.NOT_SO.search(remark.low):
        return False
    return any(telling(remark) & telling(h.remark) for h in supposed)


def telling(remark: Remark) -> frozenset[str]:
    """The parts of a system that a remark names."""
    named = {stem(word.lower()) for word in cues.TECHNICAL.findall(remark.text)}
    return frozenset(
        named | {stem(word) for word in cues.COMPONENT.findall(remark.low)} | {s for s in remark.stems if len(s) > 5}
    )


def concerns(remark: Remark, other: Remark, talk: Talk) -> bool:
    """Whether a remark speaks of what another one supposes: the same words, or an answer to it."""
    if overlap(remark.stems, other.stems) >= 0.34 or len(remark.stems & other.stems) >= 2:
        return True
    follows = remark.thread == other.thread and other.thread != other.ts
    return follows and remark.key > other.key and (remark.corrects or len(talk.replies.get(other.thread, ())) <= 4)


def without_retracted(known: list[Held], remark: Remark) -> list[Held]:
    """What is known after someone took back the last cause they gave: all that stood in its message is gone."""
    if not cues.RETRACTS.search(remark.low):
        return known
    mine = [
        h for h in known if h.weight >= 3 and h.remark.message.user == remark.message.user and h.remark.ts != remark.ts
    ]
    return [h for h in known if not mine or h.remark.ts != mine[-1].remark.ts]


def takes_back(remark: Remark, other: Remark) -> bool:
    """Whether a correction is of another remark: the same words, or the same writer a moment before."""
    if overlap(remark.stems, other.stems) >= 0.34:
        return True
    soon = 0 < (remark.message.at - other.message.at).total_seconds() < 600
    return (
        soon
        and remark.message.user == other.message.user
        and cues.words(
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
