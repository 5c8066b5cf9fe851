"""PURE: who feels it, and how much; newer figures replace older ones of the same thing."""

from __future__ import annotations

import re

from workers.incidents import cues
from workers.incidents.deeds import DECIDED
from workers.incidents.model import Line
from workers.incidents.remarks import Remark, Talk
from workers.incidents.standing import is_symptom, severity_in, turn_of
from workers.incidents.text import overlap, stem

LABELS = frozenset(
    {"impact", "customer impact", "user impact", "auswirkung", "impacto", "scope", "blast radius", "who"}
)
MOST = 5
NOUN = re.compile(r"[a-z]+")


def impact_of(talk: Talk) -> tuple[Line, ...]:
    """The impact as it is known now, in the order it was told."""
    kept: list[tuple[Remark, tuple[str, ...]]] = []
    for remark in talk.remarks:
        weight = weigh(remark) or 1.5 * declares(remark, talk)
        if weight < 1:
            continue
        replaced = [old for old, _ in kept if replaces(remark, old)]
        kept = [(old, ts) for old, ts in kept if old not in replaced]
        kept.append((remark, (remark.ts,)))
    best = sorted(kept, key=lambda one: (weigh(one[0]) or 1.5, one[0].key), reverse=True)[:MOST]
    return tuple(Line(text=remark.text, ts=ts) for remark, ts in sorted(best, key=lambda one: one[0].key))


def weigh(remark: Remark) -> float:
    """How much a remark says of the impact; less than 1: nothing."""
    low = remark.low
    if (
        remark.asks
        or remark.quoted
        or remark.bot
        or remark.joked
        or cues.ORDER.search(low)
        or cues.ABOUT_MACHINES.search(low)
    ):
        return 0.0
    if remark.label in LABELS:
        return 3.0 + min(remark.numbers, 2)
    if remark.supposed or remark.label in DECIDED or (remark.hedged and not remark.numbers):
        return 0.0
    if cues.NO_IMPACT.search(low):
        return 2.0
    counted = counted_people(remark)
    turn = turn_of(remark)
    if turn and turn.state == "mitigated" and not counted:
        return 0.0
    felt = any(cue.search(low) for cue in (cues.AFFECTED, cues.TALLY, cues.SHARE))
    if not (counted or cues.WHO.search(low)) or not (felt or (remark.corrects and counted)):
        return 0.0
    if remark.ahead or is_task(remark) or (cues.DID.match(low) and not counted):
        return 0.0
    weight = 0.6 + 1.2 * counted + 0.4 * felt + 0.2 * min(remark.numbers, 2) + 0.3 * bool(remark.applause)
    return weight + 0.5 * remark.corrects - 0.5 * remark.hedged - 0.4 * bool(remark.names and not counted)


def declares(remark: Remark, talk: Talk) -> bool:
    """Whether a remark says what is wrong in the message that gives the incident its severity or its lead."""
    if remark.bot or not remark.stated or remark.ahead or len(remark.stems) < 3 or severity_in(remark):
        return False
    if cues.I_LEAD.search(remark.low) or remark.text.startswith("@") or not is_symptom(remark):
        return False
    return any(
        severity_in(r) or cues.I_LEAD.search(r.low) for r in talk.of_message.get(remark.ts, ()) if r is not remark
    )


def is_task(remark: Remark) -> bool:
    """Whether it tells someone what to do."""
    return bool(re.match(r"@[\w.-]+", remark.text)) and not counted_people(remark)


def counted_people(remark: Remark) -> bool:
    """Whether it says how many feel it."""
    return any(cue.search(remark.low) for cue in (cues.QUANTIFIED, cues.COUNTED, cues.TALLY, cues.SHARE))


def replaces(new: Remark, old: Remark) -> bool:
    """Whether a newer remark says anew what an older one said."""
    alike = overlap(new.stems, old.stems)
    if cues.TALLY.search(new.low) and cues.TALLY.search(old.low) and new.message.user == old.message.user:
        return True
    if new.corrects and (alike >= 0.25 or measures(new) & measures(old)):
        return True
    if cues.NO_IMPACT.search(new.low) or cues.NO_IMPACT.search(old.low):
        return alike >= 0.3
    same = measures(new) & measures(old)
    if same and (alike >= 0.34 or (felt(new) & felt(old) and not places(new) ^ places(old))):
        return True
    return alike >= 0.6 and (new.numbers >= old.numbers or alike >= 0.8)


def felt(remark: Remark) -> frozenset[str]:
    """How it is felt: ``fail``, ``denied``."""
    return frozenset(stem(word) for word in cues.AFFECTED.findall(remark.low))


def places(remark: Remark) -> frozenset[str]:
    """Names of places and things that a remark is of, its first word aside."""
    return frozenset(re.findall(r"(?<!^)(?<![.!?] )\b[A-Z][a-zà-ÿ]{2,}\b", remark.text))


def measures(remark: Remark) -> frozenset[str]:
    """What its numbers count: shares, or the word after each."""
    found = set()
    for match in cues.MEASURE.finditer(remark.low):
        if match[0].rstrip().endswith(("%", "percent")):
            found.add("share")
            continue
        following = NOUN.match(remark.low[match.end() :].lstrip())
        if following and cues.WHO.search(following[0]):
            found.add(following[0].rstrip("s"))
    found |= {match["noun"].rstrip("s") for match in cues.COUNTED.finditer(remark.low)}
    return frozenset(found)
