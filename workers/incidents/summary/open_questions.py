"""What nobody has answered, and when people will hear more."""

from __future__ import annotations

from datetime import timedelta

from workers.incidents.summary.conversation import Conversation
from workers.incidents.summary.lead import in_charge
from workers.incidents.summary.reported_times import ahead_of
from workers.incidents.summary.summary_types import Line
from workers.incidents.summary.utterances import Utterance
from workers.language.sentences import overlap

MOST = 5
OVERDUE = timedelta(minutes=15)
"""So long after an update was due it is no promise any more."""
AT_ONCE = timedelta(minutes=4)
SOON = timedelta(minutes=20)
LEFT_AFTER, LEFT_SHARE = 20, 0.4
"""So many sentences later, and so much of all that was said, a question that nobody came back to is left."""
FEWEST = 2
"""Words of a question that can stand by itself."""
SAME, AKIN = 0.6, 0.25
HEADING = ("open question", "unknown", "unclear", "offen")
TELLS = ("observation", "impact", "cause", "ruled_out", "correction", "deed", "done", "hypothesis")


def questions_of(talk: Conversation) -> tuple[Line, ...]:
    """What is still asked about the incident itself, in the order it was asked."""
    found: list[Utterance] = []
    for place in range(len(talk.people) - 1, -1, -1):  # the newest first: there is room for a few
        remark = talk.people[place]
        if not is_question(remark) or is_left(remark, place, talk) or is_answered(remark, talk):
            continue
        if all(overlap(remark.stems, newer.stems) < SAME for newer in found):
            found.append(remark)
        if len(found) == MOST:
            break
    return tuple(Line(text=r.text, ts=(r.ts,)) for r in reversed(found))


def is_question(remark: Utterance) -> bool:
    """Whether a remark asks something about the incident."""
    if remark.joked or len(remark.stems) < FEWEST:
        return False
    listed = remark.heading.startswith(HEADING)
    return listed or (
        remark.likely("question", "proposal") and remark.asks and not remark.likely("task_request", "lead")
    )


def is_left(question: Utterance, place: int, talk: Conversation) -> bool:
    """Whether people went on for long without it."""
    after = len(talk.people) - place
    return not question.heading and after >= LEFT_AFTER and after > LEFT_SHARE * len(talk.people)


def is_answered(question: Utterance, talk: Conversation) -> bool:
    """Whether someone else answered: in its thread, right after it, or later in words of the question."""
    number = 0
    for other in talk.after(question):
        if other.asks or other.user == question.user:
            continue
        number += 1
        waited = other.message.at - question.message.at
        below = other.message.thread_ts == question.ts
        shared = overlap(other.stems, question.stems)
        tells = other.likely(*TELLS) or other.numbers > 0
        if (below and tells) or (tells and shared >= SAME) or (tells and shared >= AKIN and waited <= SOON):
            return True
        same_place = other.message.thread_ts == question.message.thread_ts and waited <= AT_ONCE
        decides = question.likely("proposal") and other.likely("decision", "commitment", "decline")
        if same_place and number == 1 and (other.likely(*TELLS) or decides or len(other.stems) < FEWEST):
            return True
    return False


def next_update_of(talk: Conversation, *, over: bool) -> Line | None:
    """The last promise of an update; none once it is over, or when it is past."""
    if over or not talk.messages:
        return None
    last, chiefs = talk.messages[-1].at, in_charge(talk)
    for remark in reversed(talk.remarks):
        told = remark.likely("next_update") and (talk.is_entered(remark) if remark.bot else remark.user in chiefs)
        if not told or remark.quoted or remark.asks:
            continue
        due = ahead_of(remark)
        if due and due + OVERDUE < last:
            return None
        if due or any(letter.isdigit() for letter in remark.text):
            return Line(text=remark.text, ts=(remark.ts,))
    return None
