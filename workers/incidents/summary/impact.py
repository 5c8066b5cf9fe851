"""Who feels it, and how much; newer figures replace older ones of the same thing."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from dataclasses import dataclass

from workers.incidents.summary import utterance_patterns
from workers.incidents.summary.actions_taken import DECIDED
from workers.incidents.summary.assignments import LABELS as TO_DO
from workers.incidents.summary.conversation import Conversation
from workers.incidents.summary.corrected_figures import instead_of, takes_back
from workers.incidents.summary.dialogue_acts import asked_by_others, ordered
from workers.incidents.summary.salience import plain, tells, tells_impact
from workers.incidents.summary.status import is_alarm, is_symptom, severity_in, turn_of
from workers.incidents.summary.summary_types import Line
from workers.incidents.summary.utterances import Utterance
from workers.language.sentences import overlap
from workers.language.stems import stem

LABELS = frozenset(
    {"impact", "customer impact", "user impact", "auswirkung", "impacto", "scope", "blast radius", "who"}
)
MOST = 5
FEW_WORDS = 2
DIGIT = re.compile(r"\d")
FIGURE = re.compile(r"\d ?(?:%|ms\b|s\b|min\b|x\b|rps\b|k\b)|\b\d[\d,.]{2,}\b")
MACHINES = utterance_patterns.words("cpu", "memory", "mem", "heap", "disk", "pods?", "nodes?", "threads?", "keyspace")
"""What a share is of that nobody feels."""
ERRORS = r"5\d\ds?|5xx|4(?:08|29|99)s?|errors?|error rate|failures?|failure rate|timeouts?|time-?outs|rejects?|declines?|crashes"
ERROR_SHARE = re.compile(
    rf"\b(?P<what>{ERRORS})\b(?: (?:is|are|at|now|ratio|rate|still|up|to|around|about|~))*\s*[:=~]?\s*(?P<a>\d+(?:[.,]\d+)?) ?%|(?<![\d.,])(?P<b>\d+(?:[.,]\d+)?) ?% (?:of )?(?P<whose>{ERRORS})\b"
)
"""A share of errors in a few words: "503s 14 % now", "8 % errors"."""
MONEY = re.compile(
    r"\d[\d,.]* ?(?:eur|usd|gbp|chf|euros?|dollars?|pounds?)\b|\d[\d,.]* ?k?[€$£](?!\w)|[€$£] ?\d[\d,.]*"
)
LEAST_SHARE = 1.0
LIKELY = 0.0
"""The odds, as a logarithm, from which something stands as impact though nobody counted."""
NOUN = re.compile(r"[a-z]+")


@dataclass(frozen=True)
class ImpactStatement:
    """A remark of the impact; of too many the weightiest stay."""

    remark: Utterance
    weight: float
    asked: Utterance | None = None
    """The question that a bare figure answers."""

    @property
    def line(self) -> Line:
        """As it stands in a summary, with the messages it rests on."""
        if self.asked is None:
            return Line(text=self.remark.text, ts=(self.remark.ts,))
        text = f"{self.asked.text.rstrip('? ')} → {self.remark.text}"
        return Line(text=text, ts=(self.asked.ts, self.remark.ts))


def impact_of(talk: Conversation, withdrawn: frozenset[str] = frozenset()) -> tuple[Line, ...]:
    """The impact as it is known now, in the order it was told.

    Args:
        talk: of the channel.
        withdrawn: the words of what stands no more.
    """
    kept: list[ImpactStatement] = []
    gone = [r for r in talk.people if r.text in withdrawn]
    for remark in (r for r in talk.remarks if r.label not in TO_DO):
        weight = weigh(remark) or weigh_answer(remark, talk, [old.remark for old in kept])
        if weight >= 1:
            asked = counts_asked(remark, talk) if len(remark.stems) <= FEW_WORDS else None
            asked = asked or set_right(remark, [old.remark for old in kept])
            stays = [old for old in kept if not (replaces(remark, old.remark) or (asked and asked is old.asked))]
            gone += [old.remark for old in kept if old not in stays]
            kept = [*stays, ImpactStatement(remark, weight, asked)]
    kept = [one for one in kept if one.remark.text not in withdrawn]
    if not any(counted_people(old.remark) for old in kept):
        kept += measured_by_alarm(talk)
    best = sorted(kept, key=lambda one: (one.weight, one.remark.key), reverse=True)[:MOST]
    best += telling(talk, [one.remark for one in kept], gone)[: MOST - len(best)]
    return tuple(one.line for one in sorted(best, key=lambda one: one.remark.key))


def telling(talk: Conversation, kept: list[Utterance], gone: list[Utterance]) -> list[ImpactStatement]:
    """What merely tells of it, the most telling first; nothing that was replaced, nor what a later one replaces."""
    seen = {r.key for r in (*kept, *gone)}
    found: list[ImpactStatement] = []
    for remark in talk.people:
        if (
            remark.key in seen
            or remark.label in {*TO_DO, *DECIDED}
            or remark.message.user not in talk.settled
            or not (tells(remark) and plain(remark))
        ):
            continue
        weight = tells_impact(remark, talk)
        if weight >= LIKELY and not any(replaces(other, remark) for other in (*kept, *gone)):
            found = [one for one in found if not replaces(remark, one.remark)]
            found.append(ImpactStatement(remark, weight))
    return sorted(found, key=lambda one: one.weight, reverse=True)


def weigh_answer(remark: Utterance, talk: Conversation, before: list[Utterance]) -> float:
    """How much a remark says of the impact by what was said before it."""
    if counts_asked(remark, talk) or updates(remark, before) or set_right(remark, before):
        return 2.0
    return 1.5 * declares(remark, talk) or 1.0 * tells_scope(remark, talk)


def weigh(remark: Utterance) -> float:
    """How much a remark says of the impact; less than 1: nothing."""
    low = remark.low
    if (
        remark.asks
        or remark.quoted
        or remark.bot
        or remark.joked
        or takes_back(remark)
        or utterance_patterns.ORDER.search(low)
        or utterance_patterns.ABOUT_MACHINES.search(low)
    ):
        return 0.0
    if remark.label in LABELS:
        return 3.0 + min(remark.numbers, 2)
    if (
        remark.supposed
        or utterance_patterns.REMEMBERS.search(low)
        or remark.label in DECIDED
        or (remark.hedged and not remark.numbers)
    ):
        return 0.0
    if utterance_patterns.NO_IMPACT.search(low):
        return 2.0
    share = bool(error_share(remark) or MONEY.search(low))
    counted = counted_people(remark) or share
    if utterance_patterns.EASES.search(low) and not counted:
        return 0.0
    turn = turn_of(remark)
    if turn and turn.state == "mitigated" and not counted:
        return 0.0
    felt = share or any(
        cue.search(low) for cue in (utterance_patterns.AFFECTED, utterance_patterns.TALLY, utterance_patterns.SHARE)
    )
    if not (counted or utterance_patterns.WHO.search(low)) or not (felt or (remark.corrects and counted)):
        return 0.0
    if remark.ahead or is_task(remark) or (utterance_patterns.DID.match(low) and not counted):
        return 0.0
    weight = 0.6 + 1.2 * counted + 0.4 * felt + 0.2 * min(remark.numbers, 2) + 0.3 * bool(remark.applause)
    weight += 0.5 * remark.corrects - 0.5 * remark.hedged - 0.4 * bool(remark.names and not counted)
    return round(weight, 3)


def declares(remark: Utterance, talk: Conversation) -> bool:
    """Whether a remark says what is wrong beside a severity, or in the message of one, or of who leads."""
    if remark.bot or not remark.stated or remark.ahead or len(remark.stems) < 3:
        return False
    if severity_in(remark):
        return len(remark.stems) > 3 and is_symptom(remark) and not utterance_patterns.I_LEAD.search(remark.low)
    if utterance_patterns.I_LEAD.search(remark.low) or remark.text.startswith("@") or not is_symptom(remark):
        return False
    return any(
        severity_in(r) or utterance_patterns.I_LEAD.search(r.low)
        for r in talk.of_message.get(remark.ts, ())
        if r is not remark
    )


def counts_asked(remark: Utterance, talk: Conversation) -> Utterance | None:
    """Somebody's "how many" that a remark answers with a figure."""
    if remark.bot or not remark.stated or remark.ahead or not DIGIT.search(remark.text):
        return None
    asked = next((r for r in talk.before(remark) if r.message.user != remark.message.user), None)
    how_many = asked and asked_by_others(asked, remark, talk) and utterance_patterns.HOW_MANY.search(asked.low)
    return asked if how_many else None


def tells_scope(remark: Utterance, talk: Conversation) -> bool:
    """Whether someone who works on it says which part of it is felt, and which is not."""
    settled = (
        remark.message.user in talk.settled and remark.stated and not (remark.bot or remark.ahead or remark.negated)
    )
    if (
        utterance_patterns.SERIES.search(remark.low)
        or utterance_patterns.BIDS.match(remark.low)
        or remark.low.startswith(("i ", "my "))
    ):
        return False
    told = utterance_patterns.SCOPE.search(remark.low) or utterance_patterns.CONTRAST.search(remark.low)
    return settled and bool(told) and not ordered(remark, talk)[0] and len(remark.stems) >= 2


def set_right(remark: Utterance, before: list[Utterance]) -> Utterance | None:
    """The one whose figure a few words correct: "212 bookings are on a alone", "187, not 212"."""
    figure = instead_of(remark)
    return next((old for old in reversed(before) if figure and old is not remark and figure.search(old.low)), None)


def updates(remark: Utterance, kept: list[Utterance]) -> bool:
    """Whether a remark tells anew how many feel what was told before."""
    fresh = not (remark.bot or remark.ahead or MACHINES.search(remark.low)) and remark.stated and counted_people(remark)
    return fresh and any(replaces(remark, old) for old in kept)


def measured_by_alarm(talk: Conversation) -> list[ImpactStatement]:
    """The figure of the last alarm: all that is known of how much, before anyone has told it."""
    for remark in reversed(talk.remarks):
        if not remark.bot or remark.quoted:
            continue
        if utterance_patterns.CLEARED.search(talk.of_message[remark.ts][0].text):
            return []
        if remark.numbers and FIGURE.search(remark.low) and is_alarm(talk.of_message[remark.ts][0]):
            return [ImpactStatement(remark, 1.0)]
    return []


def is_task(remark: Utterance) -> bool:
    """Whether it tells someone what to do."""
    return bool(re.match(r"@[\w.-]+", remark.text)) and not counted_people(remark)


def error_share(remark: Utterance) -> str:
    """What fails, of "503s 14 % now"; empty where no share is told, or one so small that it is over."""
    found = ERROR_SHARE.search(remark.low)
    if not found or MACHINES.search(remark.low) or utterance_patterns.SERIES.search(remark.low):
        return ""
    share = float((found["a"] or found["b"]).replace(",", "."))
    return (found["what"] or found["whose"]) if share >= LEAST_SHARE else ""


def counted_people(remark: Utterance) -> bool:
    """Whether it says how many feel it."""
    return any(
        cue.search(remark.low)
        for cue in (
            utterance_patterns.QUANTIFIED,
            utterance_patterns.COUNTED,
            utterance_patterns.TALLY,
            utterance_patterns.SHARE,
        )
    )


def replaces(new: Utterance, old: Utterance) -> bool:
    """Whether a newer remark says anew what an older one said."""
    alike = overlap(new.stems, old.stems)
    if set_right(new, [old]):
        return True
    if old.label in LABELS and new.label not in LABELS and not new.corrects:
        return False
    if (
        utterance_patterns.TALLY.search(new.low)
        and utterance_patterns.TALLY.search(old.low)
        and new.message.user == old.message.user
    ):
        return True
    if new.corrects and (alike >= 0.25 or measures(new) & measures(old)):
        return True
    if utterance_patterns.NO_IMPACT.search(new.low) or utterance_patterns.NO_IMPACT.search(old.low):
        return alike >= 0.3
    if error_share(new) and error_share(new) == error_share(old):
        return True
    if MONEY.search(new.low) and MONEY.search(old.low) and (alike >= 0.2 or new.message.user == old.message.user):
        return True
    same = measures(new) & measures(old)
    if "share" in same and not MACHINES.search(new.low) and whom(new) & whom(old) and not places(new) ^ places(old):
        return True
    if same and (alike >= 0.34 or (felt(new) & felt(old) and not places(new) ^ places(old))):
        return True
    return alike >= 0.6 and (new.numbers >= old.numbers or alike >= 0.8)


def whom(remark: Utterance) -> frozenset[str]:
    """Who feels it, by what they are called."""
    return frozenset(stem(word.split()[-1]) for word in utterance_patterns.WHO.findall(remark.low))


def felt(remark: Utterance) -> frozenset[str]:
    """How it is felt: ``fail``, ``denied``."""
    return frozenset(stem(word) for word in utterance_patterns.AFFECTED.findall(remark.low))


def places(remark: Utterance) -> frozenset[str]:
    """Names of places and things that a remark is of, its first word aside."""
    return frozenset(re.findall(r"(?<!^)(?<![.!?] )\b[A-Z][a-zà-ÿ]{2,}\b", remark.text))


def measures(remark: Utterance) -> frozenset[str]:
    """What its numbers count: shares, or the word after each."""
    found = set()
    for match in utterance_patterns.MEASURE.finditer(remark.low):
        if match[0].rstrip().endswith(("%", "percent")):
            found.add("share")
            continue
        following = NOUN.match(remark.low[match.end() :].lstrip())
        if following and utterance_patterns.WHO.search(following[0]):
            found.add(following[0].rstrip("s"))
    found |= {match["noun"].rstrip("s") for match in utterance_patterns.COUNTED.finditer(remark.low)}
    return frozenset(found)
