"""What was tried with what came of it, and what was decided."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence

from workers.incidents.summary import status_patterns, utterance_patterns
from workers.incidents.summary.conversation import Conversation
from workers.incidents.summary.dialogue_acts import ordered
from workers.incidents.summary.overlap_index import InWords
from workers.incidents.summary.status import is_alarm, is_symptom
from workers.incidents.summary.summary_types import Line
from workers.incidents.summary.utterances import Utterance, once
from workers.language.sentences import overlap, stems_of

MOST_TRIED, MOST_DECIDED = 7, 6
SOON_S = 45 * 60
SAME = 0.6
"""Of the words of two deeds that makes them one."""
STAYS = utterance_patterns.words("stays?", "remains?")
FIGURE = re.compile(r"[\w./-]+(?: is| at)? \d[\d.,]*\s?(?:%|ms|s|k|rps)?(?: now)?\W*$")
"""A figure and what it is of, and nothing else: "delivered 95%"."""
BRIEFLY = re.compile(r"(?:i|we|they)(?:'ve| have)? \w+ed \w+")
SUBORDINATE = re.compile(r"\b(?:before|after|when|until|till|since|while|if) (?:i|we|they|he|she|it)$")
"""What makes a deed the time of something else: "3,400 went out before i killed it"."""
BEGINS = re.compile(r"^(?:i'm |we're )?(?:currently |now )?")
"""What may stand before what someone is doing."""
WE_DO = re.compile(
    r"(?:(?:then|so|ok|right|for now)[, ]+)?we (?:now )?(?:go (?:back|on|with|for|over)|do (?:the|a|both|it|this|that)|take|pause|stop|switch|keep|restart|send|build|hide|leave|hold|stay|wait|put|move|turn|disable|enable|freeze|roll|ship|skip|tell|pay|refund|cancel|accept|treat|split|start|give|close|block|let|revert|unfreeze|withdraw|order|ask|set)\b(?! (?:up|seeing|getting)\b)"
)
"""How whoever leads says what is done from now on: "we do the file drop"."""
GERUND = re.compile(r"[a-z]{3,}ing \w+")
TRIED = frozenset({"tried", "mitigation", "mitigations", "actions taken", "done so far"})
DECIDED = frozenset({"decision", "decisions", "decided", "entscheidung", "decisión"})


def tried_of(talk: Conversation) -> tuple[Line, ...]:
    """What was done about it, each with what came of it where that was told."""
    deeds = [r for r in talk.remarks if is_deed(r) and not ordered(r, talk)[0]]
    tried = Tried()
    for deed in deeds:
        tried.hear(deed)
    outcomes = [r for r in talk.people if tells_outcome(r)] if deeds else []
    following = elsewhere_after(deeds)
    lines = []
    for deed, tellings in zip(tried.deeds, tried.told, strict=True):
        outcome = next(
            (o for d in (tellings[-1], deed) if (o := outcome_of(d, talk, following[d.key], outcomes))), None
        )
        text = (
            deed.text if outcome is None or outcome.text in deed.text else f"{deed.text.rstrip('. ')} → {outcome.text}"
        )
        ts = dict.fromkeys([deed.ts, *(t.ts for t in tellings), *([outcome.ts] if outcome else [])])
        rank = (
            2.0 * any(map(done, tellings))
            + (1.5 if outcome else 0)
            + (1.0 if utterance_patterns.ROLLBACK.search(deed.low) else 0)
        )
        lines.append((rank, deed, Line(text=text, ts=tuple(ts))))
    chosen = sorted(lines, key=lambda one: (one[0], one[1].key), reverse=True)[:MOST_TRIED]
    return tuple(line for _, deed, line in sorted(chosen, key=lambda one: one[1].key))


class Tried:
    """Deeds, each once, in its best words.

    ``told``: of each all that tell of it, itself too. ``under_way``: the numbers of those that were not told as done, the
    newest last.
    """

    def __init__(self) -> None:
        """Nothing yet."""
        self.deeds: list[Utterance] = []
        self.told: list[list[Utterance]] = []
        self.by_words = InWords(SAME)
        self.under_way: deque[int] = deque()

    def hear(self, deed: Utterance) -> None:
        """Take up one more telling, later than all before."""
        number = self.number_of(deed)
        if number is None:
            number = len(self.deeds)
            self.deeds.append(deed)
            self.told.append([deed])
        else:
            older = self.deeds[number]
            self.told[number].append(deed)
            if not (done(deed) and not done(older) and len(deed.stems) >= len(older.stems)):
                return
            self.deeds[number] = deed
        self.by_words.add(deed.stems, number)
        if not done(deed):
            self.under_way.append(number)

    def number_of(self, deed: Utterance) -> int | None:
        """The last one that is the same; None for another one."""
        while self.under_way and not soon_after(self.deeds[self.under_way[0]], deed):
            self.under_way.popleft()
        near = {*self.by_words.near(deed.stems), *self.under_way}
        return next((n for n in sorted(near, reverse=True) if same_deed(self.deeds[n], deed)), None)


def elsewhere_after(deeds: Sequence[Utterance]) -> dict[tuple[tuple[int, int], int], Utterance | None]:
    """The key of each deed -> the next one in another thread."""
    found: dict[tuple[tuple[int, int], int], Utterance | None] = {}
    after: Utterance | None = None
    for deed in reversed(deeds):
        found[deed.key] = found[after.key] if after and after.thread == deed.thread else after
        after = deed
    return found


@once
def is_deed(remark: Utterance) -> bool:
    """Whether a remark says that something was done about it, or is being done."""
    low = remark.low
    if (
        remark.quoted
        or remark.asks
        or remark.supposed
        or STAYS.search(low)
        or utterance_patterns.MINE.search(low)
        or utterance_patterns.HEARSAY.search(low)
    ):
        return False
    if len(remark.stems) < 2 and not (remark.stems and BRIEFLY.match(low)):
        return False
    if remark.label in TRIED:
        return True
    if remark.bot:
        changed = utterance_patterns.ROLLBACK.search(low) or utterance_patterns.CONFIGURED.search(low)
        return bool(changed) and not (utterance_patterns.BUILD.search(low) or is_alarm(remark) or remark.entered)
    no_help = utterance_patterns.NO_HELP.search(low)
    if (
        utterance_patterns.SO_NO.search(low)
        or utterance_patterns.SEVERITY.search(low)
        or utterance_patterns.FAULTY.search(low)
        or (utterance_patterns.RULED_OUT.search(low) and not no_help)
    ):
        return False
    if (
        no_help
        and (len(remark.stems) >= 3 or GERUND.match(low))
        and not utterance_patterns.WHO.match(low)
        and not utterance_patterns.STILL.search(low)
    ):
        return True
    if utterance_patterns.COMPLETED.match(low) or utterance_patterns.FROM_NOW.search(low):
        return not remark.negated
    under_way = utterance_patterns.DOING.match(low)
    if (remark.negated and not no_help) or (
        not under_way and (remark.ahead or utterance_patterns.LONG_AGO.search(low))
    ):
        return False
    return bool(under_way or utterance_patterns.DOING.match(BEGINS.sub("", low))) or is_past_deed(remark)


def is_past_deed(remark: Utterance) -> bool:
    """Whether a remark says in the past what was done: by its writer, by someone, or with nobody named."""
    low = remark.low
    if utterance_patterns.ROLLBACK.search(low) and not remark.hedged:
        return bool(utterance_patterns.ROLLED.search(low))
    if utterance_patterns.WAS_DONE.search(low) and not (remark.hedged or status_patterns.MITIGATED.search(low)):
        return True
    found = utterance_patterns.DID.search(low)
    if not found or (remark.hedged and not utterance_patterns.NO_HELP.search(low)):
        return False
    if utterance_patterns.BEGAN.search(low) and utterance_patterns.words("started", "begun").search(found[0]):
        return False
    before = low[: found.start()].strip()
    if SUBORDINATE.search(before):
        return False
    if not before or utterance_patterns.BY_WHOM.search(before):
        return True
    return before.startswith("@") and not utterance_patterns.words("please", "pls", "kindly", "can", "could").search(
        before
    )


@once
def families(remark: Utterance) -> tuple[str, ...]:
    """The kinds of deed that it speaks of: "rolled back" and "revert" are one."""
    return tuple(name for name, cue in utterance_patterns.FAMILIES.items() if cue.search(remark.low))


def same_deed(older: Utterance, newer: Utterance) -> bool:
    """Whether two remarks tell of one deed: in the same words, or as it begins and as it is done."""
    alike = overlap(older.stems, newer.stems)
    if alike >= SAME:
        return True
    if not soon_after(older, newer) or done(older):
        return False
    if not set(families(older)[:1]) & set(families(newer)) or utterance_patterns.DOING.search(newer.low):
        return False
    return older.message.user == newer.message.user or older.thread == newer.thread or alike >= 0.3


def soon_after(older: Utterance, newer: Utterance) -> bool:
    """Whether one was said within a while after the other."""
    return (newer.message.at - older.message.at).total_seconds() <= SOON_S


@once
def done(deed: Utterance) -> bool:
    """Whether it is told as done, not as under way."""
    return bool(utterance_patterns.DID.search(deed.low)) or bool(
        utterance_patterns.words("done", "complete[d]?", "finished").search(deed.low)
    )


def outcome_of(
    deed: Utterance, talk: Conversation, following: Utterance | None, outcomes: Sequence[Utterance]
) -> Utterance | None:
    """What came of a deed: said with it, in its thread, or soon after it and before the next deed of someone.

    Args:
        deed: what was done.
        talk: where.
        following: the next deed elsewhere.
        outcomes: what `tells_outcome` of all that people said.
    """
    for other in talk.of_message.get(deed.ts, ()):
        if other.number >= deed.number and tells_outcome(other):
            return other
    for other in later(deed, outcomes):
        alike = overlap(other.stems, deed.stems)
        if following and other.key >= following.key and alike < 0.3:
            continue
        if other.thread == deed.thread or other.message.user == deed.message.user or alike >= 0.2:
            return other
    return None


def later(deed: Utterance, said: Sequence[Utterance]) -> Iterator[Utterance]:
    """What of all that was said came within a while after a deed, in other messages."""
    for place in range(bisect_right(said, deed.key, key=lambda r: r.key), len(said)):
        if said[place].ts == deed.ts:
            continue
        if not soon_after(deed, said[place]):
            return
        yield said[place]


@once
def tells_outcome(remark: Utterance) -> bool:
    """Whether a remark says that something helped, or did not."""
    if remark.asks or remark.supposed or remark.quoted or remark.ahead:
        return False
    low = remark.low
    helped = utterance_patterns.HELPED.search(low) or utterance_patterns.SERIES.search(low) or FIGURE.match(low)
    return bool(utterance_patterns.NO_HELP.search(low) or (helped and not remark.hedged and not remark.negated))


# --- decisions ------------------------------------------------------------------------------------------------


def decisions_of(talk: Conversation) -> tuple[Line, ...]:
    """What was decided; a later decision on the same thing replaces the earlier one."""
    kept: list[tuple[Utterance, tuple[str, ...]]] = []
    for said in talk.remarks:
        ts = decided(said, talk)
        remark = meant(said, talk)
        if utterance_patterns.TURNED_BACK.search(remark.low) and said.message.user in talk.leaders:
            kept = [(old, its) for old, its in kept if not remark.stems & stems_of(ordered(old, talk)[0])]
        if ts and not refused(remark, talk) and not any(carries_out(remark, old, talk) for old, _ in kept[-1:]):
            kept = [(old, its) for old, its in kept if old.ts == remark.ts or not replaces(remark, old)]
            kept.append((remark, ts))
    return tuple(Line(text=ordered(remark, talk)[0] or remark.text, ts=ts) for remark, ts in kept[-MOST_DECIDED:])


def carries_out(order: Utterance, decision: Utterance, talk: Conversation) -> bool:
    """Whether an order gives to someone what was decided a moment before."""
    soon = (order.message.at - decision.message.at).total_seconds() < 180 and order.ts != decision.ts
    return soon and bool(talk.addressed(order.text)[0]) and bool(order.stems & decision.stems)


def meant(remark: Utterance, talk: Conversation) -> Utterance:
    """What "Call made." or "This is decided" is about: the sentence after it, else the one before it."""
    if not utterance_patterns.DECIDED_SO.match(remark.low):
        return remark
    whole = talk.of_message.get(remark.ts, ())
    near = [r for r in whole if abs(r.number - remark.number) == 1 and len(r.stems) >= 3 and not r.asks]
    return near[-1] if near else remark


def refused(remark: Utterance, talk: Conversation) -> bool:
    """Whether someone who leads said no to it."""
    for seen, other in enumerate(later(remark, talk.people)):
        if seen > 6 or remark.message.user in talk.leaders:
            return False
        if other.message.user in talk.leaders and utterance_patterns.REFUSES.search(other.message.text.strip()):
            return True
    return False


def replaces(new: Utterance, old: Utterance) -> bool:
    """Whether a decision is on the same thing as an older one: in the same words, or for and against one deed."""
    if overlap(new.stems, old.stems) >= 0.5:
        return True
    shared = set(families(new)) & set(families(old))
    return bool(shared) and (new.negated != old.negated or "hold" in shared)


def decided(remark: Utterance, talk: Conversation) -> tuple[str, ...]:
    """The messages by which something was decided; none when it was not."""
    low = remark.low
    if remark.bot or remark.quoted or remark.asks or remark.message.user not in talk.settled:
        return ()
    if utterance_patterns.NEXT_UPDATE.search(low):
        return ()
    if utterance_patterns.DECIDED_SO.match(remark.low):
        return (remark.ts,) if meant(remark, talk) is not remark else ()
    if told := ordered(remark, talk)[1]:
        return told
    if remark.label in DECIDED and remark.stems:
        return () if remark.text.startswith("@") else (remark.ts,)
    if len(remark.stems) < 2:
        return ()
    if utterance_patterns.LETS.search(low) and not (
        utterance_patterns.words("would").search(low) or low.startswith("if ")
    ):
        agreed = remark.ts if remark.message.user in talk.leaders else agreed_by(remark, talk)
        return tuple(dict.fromkeys((remark.ts, agreed))) if agreed else ()
    rules = (
        utterance_patterns.FORBIDS.match(low)
        or utterance_patterns.STANDS_UNTIL.search(low)
        or (WE_DO.match(low) and not remark.supposed)
    )
    fact = utterance_patterns.WHAT_NOT_KNOWN.search(low) or is_symptom(remark)
    if rules and not (fact or remark.joked) and (remark.message.user in talk.leaders or thumbs(remark) > 1):
        return (remark.ts,)
    if (
        utterance_patterns.DECISION.search(low)
        and not remark.hedged
        and not utterance_patterns.words("if", "would", "unless").search(low)
    ):
        return (remark.ts,)
    return ()


def thumbs(remark: Utterance) -> int:
    """How many others agreed with a reaction."""
    users = {user for name in utterance_patterns.THUMBS for user in remark.message.reactions.get(name, ())}
    return len(users - {remark.message.user})


def agreed_by(remark: Utterance, talk: Conversation) -> str:
    """The message by which someone agreed, or the proposal's own where a reaction did; empty when nobody did."""
    if thumbs(remark):
        return remark.ts
    for seen, other in enumerate(later(remark, talk.people)):
        if seen > 8 or (other.message.at - remark.message.at).total_seconds() > 600:
            break
        if other.message.user != remark.message.user and utterance_patterns.AGREES.match(
            other.message.text.strip().lower()
        ):
            return other.ts
    return ""
