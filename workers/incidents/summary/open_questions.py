"""What nobody has answered, and when people will hear more."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from datetime import timedelta

from workers.incidents.summary import utterance_patterns
from workers.incidents.summary.actions_taken import is_deed
from workers.incidents.summary.causes import Causes
from workers.incidents.summary.conversation import SOON, Conversation
from workers.incidents.summary.crowd_filter import FEW_PEOPLE
from workers.incidents.summary.reported_times import ahead_of, clocks_in
from workers.incidents.summary.second_reading import PROMISES, acts_in
from workers.incidents.summary.status import turn_of
from workers.incidents.summary.summary_types import Line
from workers.incidents.summary.utterances import Utterance, once
from workers.language.sentences import overlap, stems_of

MOST = 5
OVERDUE = timedelta(minutes=15)
"""So long after an update was due it is no promise any more."""
ANSWERED_S = 20 * 60
AT_ONCE_S = 150
NEAR = 6
WHY = re.compile(r"(?:\[[^\]]{1,16}\] )?(?:and |but |so )?(?:why|how come)\b")
REQUEST = re.compile(r"(?:can|could|would|will|do|did|are) (?:you|u|someone|somebody|anyone|anybody|i)\b")
"""What is asked of someone rather than about the incident."""
REPORT = re.compile(r"\b(?:is|are|was|were|has|have|\w{2,}ed)\b|'s\b|\byes\b|\bno\b")
"""What tells something, rather than asks for it."""
IN_PART = re.compile(r"(?:on|in|for|from) [\w-]+(?: [\w-]+)? (?:yes|yep|no|nope)\b")
"""An answer for a part of it: "on ios yes"."""
SHRUG = utterance_patterns.words(
    "dunno", "idk", "no idea", "no clue", "good q(?:uestion)?", "don't know", "do not know", "nobody knows"
)
"""How someone says that they have no answer."""
SHRUGS = 3
"""So many remarks after a question in which "dunno" says that it stays open."""
OWED = re.compile(
    r"\b(?:do|must|should|shall|will|are|have|need) (?:we|they|people|customers|the \w+)\b.{0,40}"
    r"\b(?:notify|tell|report|inform|refund\w*|compensat\w*|pay|paid|owe|call)\b"
    r"|\bwho (?:pays|tells|informs|notifies|calls)\b"
)
"""What may be owed to those who were affected: it stays open however long nobody speaks of it."""
LEFT_AFTER, LEFT_SHARE = 20, 0.4
"""So many sentences later, and so much of all that was said, a question that nobody came back to is left."""
UPDATES = frozenset({"next update", "nächstes update"})
DIRECT = re.compile(r"(?:yes|yep|yeah|no\b|nope|not |only |because|since|ja\b|nein|sí\b|it's|it is|that's)")
LABELS = frozenset({"open question", "open questions", "unknown", "unknowns", "unclear", "question"})


def questions_of(talk: Conversation, causes: Causes) -> tuple[Line, ...]:
    """What is still asked about the incident itself, in the order it was asked."""
    small = len({m.user for m in talk.messages if not m.bot}) <= FEW_PEOPLE
    open_ones: list[Utterance] = []
    found: list[Utterance] = []
    for remark in reversed(talk.people):  # the newest first: there is room for a few, and all before them stay unread
        asks = is_open_question(remark) and not is_left(remark, talk) and (small or spoken_of(remark, talk))
        if asks and not is_answered(remark, talk, causes):
            if all(overlap(remark.stems, newer.stems) < 0.6 for newer in open_ones):
                found.append(remark)
            open_ones.append(remark)
        if len(found) == MOST:
            break
    return tuple(Line(text=r.text, ts=(r.ts,)) for r in reversed(found))


def is_open_question(remark: Utterance) -> bool:
    """Whether a remark asks, or says that nobody knows, something about the incident."""
    low = remark.low
    if remark.label in LABELS:
        return True
    if utterance_patterns.WHAT_NOT_KNOWN.search(low) and not remark.asks and len(remark.stems) >= 3:
        return True
    few = 1 if utterance_patterns.words("why", "warum", "por qué").search(low) else 2
    if not (low.rstrip().endswith("?") or (WHY.match(low) and len(remark.stems) >= 4)) or len(remark.stems) < few:
        return False
    if utterance_patterns.SMALL_TALK.search(low) or remark.text.startswith("@"):
        return False
    if (remark.hedged and utterance_patterns.SUSPECT.search(low)) or utterance_patterns.JOKE.search(low):
        return False  # a supposition put as a question
    return bool(utterance_patterns.GOOD_QUESTION.search(low)) or (len(remark.stems) >= 3 and not REQUEST.match(low))


def is_left(question: Utterance, talk: Conversation) -> bool:
    """Whether people went on for long without it: answered in other words, or none of their concern any more. What they
    may owe to others stays.
    """
    if question.label or OWED.search(question.low):
        return False
    after = len(talk.people) - bisect_right(talk.people, question.key, key=lambda r: r.key)
    return after >= LEFT_AFTER and after > LEFT_SHARE * len(talk.people)


def spoken_of(question: Utterance, talk: Conversation) -> bool:
    """Whether a question is about what the channel speaks of: others use some of its words too."""
    if question.label:
        return True
    user = question.message.user
    return any(overlap(r.stems, question.stems) > 0 for r in talk.remarks if r.message.user != user and not r.asks)


def is_answered(question: Utterance, talk: Conversation, causes: Causes) -> bool:
    """Whether someone else answered: in its thread, right after it, or later in words of the question."""
    below = talk.replies.get(question.ts, ())
    own = any(tells(r) and r.stated and len(r.stems) >= 3 for r in below)
    if own or any(answers(r, question) for r in below) or taken(question, talk):
        return True
    if question in talk.people[:2]:
        return True
    shrugged = any(
        utterance_patterns.SHRUG.search(r.low)
        and r.message.user != question.message.user
        and r.message.thread_ts == question.message.thread_ts
        for r in itertools.islice(talk.people_after(question), SHRUGS)
    )
    if told_to_asker(question, talk) or (not shrugged and told_at_once(question, talk)):
        return True
    when = utterance_patterns.words("when", "since when", "how long").search(question.low)
    seen: set[str] = set()
    for other in talk.people_after(question):
        if not tells(other):
            continue
        if (len(question.stems) > 1 and overlap(other.stems, question.stems) >= 0.6) or (
            when and utterance_patterns.BEGAN.search(other.low) and clocks_in(other)
        ):
            return True
        seen.add(other.ts)
        late = (other.message.at - question.message.at).total_seconds() > ANSWERED_S
        same_place = other.message.thread_ts == question.message.thread_ts
        common = len(other.stems & question.stems) >= (1 if len(seen) <= 2 else 2)
        direct = DIRECT.match(other.message.text.strip().lower()) or IN_PART.match(other.low)
        alike = direct or (common and overlap(other.stems, question.stems) >= 0.25)
        if len(seen) <= NEAR and not (late or shrugged) and same_place and alike and answers(other, question):
            return True
    asks_why = utterance_patterns.words("why", "what caused", "what changed", "root cause", "warum").search(
        question.low
    )
    known = [line for line in causes.known if asks_why]
    return any(overlap(stems_of(line.text), question.stems) >= 0.34 for line in known)


def told_to_asker(question: Utterance, talk: Conversation) -> bool:
    """Whether someone tells the asker by name, soon, what they found."""
    for other in talk.people_after(question):
        if (other.message.at - question.message.at).total_seconds() > ANSWERED_S:
            return False
        to, told = talk.addressed(other.text)
        if to and to == question.name and other.message.user != question.message.user and REPORT.search(told.lower()):
            return not (other.asks or other.ahead)
    return False


def told_at_once(question: Utterance, talk: Conversation) -> bool:
    """Whether the next that others wrote holds a name or a figure: "what went out?" "4.18.0, at 08:20"."""
    after = (r for r in talk.people_after(question) if r.message.user != question.message.user)
    for other in itertools.islice(after, 2):
        soon = (other.message.at - question.message.at).total_seconds() < AT_ONCE_S
        same_place = other.message.thread_ts == question.message.thread_ts
        if (
            soon
            and same_place
            and tells(other)
            and not (
                is_deed(other)
                or turn_of(other)
                or other.label
                or utterance_patterns.NEXT_UPDATE.search(other.message.text.lower())
            )
            and not talk.addressed(other.text)[0]
            and (other.names or other.numbers)
        ):
            return True
    return False


def taken(question: Utterance, talk: Conversation) -> bool:
    """Whether who asked said thanks for what others wrote since."""
    others = False
    for other in itertools.islice(talk.people_after(question), NEAR):
        if other.message.at - question.message.at > SOON:
            return False
        if other.message.user != question.message.user:
            others = True
        elif others and utterance_patterns.THANKS.match(other.message.text.lower()):
            return True
    return False


@once
def tells(remark: Utterance) -> bool:
    """Whether a remark says something that may answer: no question, no promise, no task, no "ask someone else"."""
    return not (
        remark.asks or remark.ahead or is_open_question(remark) or utterance_patterns.ASIDE.search(remark.low)
    ) and not (remark.text.startswith("@"))


def answers(remark: Utterance, question: Utterance) -> bool:
    """Whether a remark of someone else may answer."""
    return (
        remark.message.user != question.message.user
        and tells(remark)
        and (len(remark.stems) >= 1 or DIRECT.match(remark.message.text.strip().lower()) is not None)
    )


def next_update_of(talk: Conversation, *, over: bool) -> Line | None:
    """The last promise of an update; none once it is over."""
    if over:
        return None
    last = talk.messages[-1].at
    for remark in reversed(talk.remarks):
        named = remark.label in UPDATES
        if remark.quoted or (remark.bot and not (named and remark.entered)):
            continue
        told = utterance_patterns.NEXT_UPDATE.search(remark.low) or named
        acts = acts_in(talk.reading, remark.ts, remark.stems)
        if remark.asks or not (told or acts.get("next_update", 0.0) >= PROMISES):
            continue
        due = ahead_of(remark)
        if due and due + OVERDUE < last:
            return None
        if due or remark.numbers:
            return Line(text=f"Next update: {remark.text}" if named else remark.text, ts=(remark.ts,))
        before = talk.said_before(remark)
        if before and ahead_of(before):
            return Line(text=f"{before.text.rstrip('. ')} → {remark.text}", ts=(remark.ts,))
    return None
