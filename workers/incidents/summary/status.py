"""How an incident stands, how grave it is, and whether there is one."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from workers.contracts import Why
from workers.incidents.summary import status_patterns, utterance_patterns
from workers.incidents.summary.conversation import FEW, Conversation
from workers.incidents.summary.incident_commander import takings
from workers.incidents.summary.second_reading import acts_in, bears_out, state_said
from workers.incidents.summary.summary_types import IncidentStatus, State
from workers.incidents.summary.utterances import Utterance, once
from workers.language.sentences import overlap

LABELS: dict[str, State] = {
    "investigating": "investigating",
    "identified": "identified",
    "cause found": "identified",
    "mitigated": "mitigated",
    "monitoring": "monitoring",
    "resolved": "resolved",
    "closed": "resolved",
    "all clear": "resolved",
    "all-clear": "resolved",
    "false alarm": "false_alarm",
}
BY_PROGRAM: dict[str, State] = {
    **LABELS,
    "triage": "investigating",
    "fixing": "identified",
    "post-incident": "resolved",
    "canceled": "false_alarm",
    "cancelled": "false_alarm",
    "declined": "false_alarm",
}
"""How programs call the states of the incidents that people run with them."""
STATE = re.compile(rf"\b(?:{'|'.join(BY_PROGRAM)})\b")
STATUS_LABELS = frozenset({"status", "current status", "state", "current state"})
AMISS = utterance_patterns.words(
    "late", "delayed?", "declined", "frozen", "stopped", "drops", "can't", "cannot", "unable", "nobody can"
)
BECAUSE = re.compile(r"\bbecause\b")
WANTED = re.compile(r"\b(?:needs?|should|must|ought to|somebody|someone) \b")
"""How it is said that something is to be watched one day."""
BIDS_DO = re.compile(
    r"(?:please |pls )?(?:take|put|set|bring|turn|switch|get|move|pull|try|start|open|close|add|roll|push|make) (?!effect\b)"
)
"""How someone is told to do something, which has not happened yet."""
UNDER_REPAIR = re.compile(r"\bbeing (?:set|built|brought|put|started)\b")
BIDS_WATCH = re.compile(r"(?:please |pls )?keep (?:an|a close|a) eye\b(?! on (?:it|this) (?:for|until|till|over))")
"""How someone is told to watch something."""
SO_NOT = re.compile(r"\bso (?:it(?:'s| is) )?not\b")
"""What draws from a good figure that something is not the cause."""
WANTS = re.compile(
    r"(?:so |and |but |then )*(?:please\b|let's\b|do(?:n't| not)\b|(?:i|we)(?:'m|'d|'ll|'re| am| are| would| will| should| want| need| prefer| stop| keep| leave| wait| do not| don't)\b)"
)
"""How a sentence begins that tells what its writer does or wants."""
CLAUSE = re.compile(r"[,;:]\s|\s[–—-]\s")
RANK: dict[State, int] = {"investigating": 0, "identified": 1, "mitigated": 2, "monitoring": 2}
REGRETS = re.compile(r"(?:unfortunately,? |sadly,? )?i(?:'m| am) afraid\b")
"""It doubts nothing: "I am afraid it is not over"."""
AWAY = timedelta(hours=6)
"""So long without a word of who leads, and others may end it."""
SAME = 0.5
CAUSES = frozenset(
    {
        "root cause",
        "cause",
        "cause known",
        "cause found",
        "ursache",
        "causa",
        "culprit",
        "trigger",
        "rca",
        "rc",
        "why it broke",
    }
)
"""What stands before the cause."""
GRADE = frozenset({"severity", "priority"})
ENOUGH = 1.5
"""Of the signs of an incident; below it a channel holds none."""


@dataclass(frozen=True)
class Turn:
    """A remark that says how it stands.

    ``again``: it is not over; ``weak``: by what someone still sees; ``open``: it takes back an end, and nothing else.
    """

    state: State
    remark: Utterance
    again: bool = False
    weak: bool = False
    open: bool = False


def turns_of(talk: Conversation) -> tuple[Turn, ...]:
    """Every remark that says how it stands, in order."""
    settled = (remark for remark in talk.remarks if remark.bot or remark.message.user in talk.settled)
    found = (turn_in(remark, talk) or announced(remark, talk) or surely_said(remark, talk) for remark in settled)
    return tuple(counts for turn in found if turn and (counts := led(turn, talk)))


def announced(remark: Utterance, talk: Conversation) -> Turn | None:
    """A finding that was announced as one: "Got it. The key beside it is last season's"; or nodded at."""
    if remark.bot or not remark.firm or len(remark.stems) < 4:
        return None
    named = remark.names or remark.numbers or utterance_patterns.COMPONENT.search(remark.low)
    tells = talk.leads_in(remark) or remark.ts in talk.nodded
    return Turn("identified", remark) if tells and named else None


def turn_in(remark: Utterance, talk: Conversation) -> Turn | None:
    """What the words of one remark say of it, when the second reader bears that out."""
    turn = turn_of(remark)
    retracts = turn is not None and turn.again and remark.corrects
    return turn if turn and (retracts or bears_out(talk.reading, turn.state, (remark.ts,), remark.text)) else None


def leaders_of(talk: Conversation) -> frozenset[str]:
    """The users who led at any time, and whom the topic names."""
    names = {taken.name for taken in takings(talk)}
    return talk.leaders | frozenset(talk.users[name] for name in names if name in talk.users)


def surely_said(remark: Utterance, talk: Conversation) -> Turn | None:
    """How it stands by what the second reader alone is sure of."""
    if remark.bot or not remark.firm or remark.ahead or remark.supposed:
        return None
    state = state_said(acts_in(talk.reading, remark.ts, remark.stems))
    return Turn(state, remark) if state and (state != "identified" or len(remark.stems) >= 2) else None


def led(turn: Turn, talk: Conversation) -> Turn | None:
    """The turn, unless it ends what somebody else leads, who was there not long ago."""
    leaders = leaders_of(talk)
    leads = not leaders or turn.remark.bot or turn.remark.message.user in leaders
    if leads or turn.state not in {"resolved", "false_alarm"}:
        return turn
    said = (m.at for m in talk.messages if m.user in leaders and m.ts < turn.remark.ts)
    last = max(said, default=None)
    return None if last and turn.remark.message.at - last < AWAY else turn


@once
def turn_of(remark: Utterance) -> Turn | None:
    """What one remark says of it."""
    low = status_patterns.UNTIL.sub("", remark.own)
    if remark.bot:
        return set_by_program(remark, low) if remark.entered else None
    drill = remark.joked and was_none(low)  # "false alarm, it was an exercise" is no joke
    if (
        (remark.joked and not drill)
        or utterance_patterns.ORDER.search(low)
        or utterance_patterns.ABOUT_MACHINES.search(low)
    ):
        return None
    if remark.quoted or remark.asks or (remark.message.thread_ts and len(low) < 8):
        return None
    if remark.label in STATUS_LABELS:
        named = next((state for word, state in LABELS.items() if low.lstrip("[(").startswith(word)), None)
        if named:
            return Turn(named, remark)
    return again(remark, low) or onward(remark, low)


def set_by_program(remark: Utterance, low: str) -> Turn | None:
    """How it stands since someone said so to a program: "Maya changed the status from investigating to fixing"."""
    told = low if remark.label in STATUS_LABELS else "".join(status_patterns.CHANGED.findall(low)[:1])
    named = STATE.findall(told)
    return Turn(BY_PROGRAM[named[-1]], remark) if named else None


def again(remark: Utterance, low: str) -> Turn | None:
    """That it is not over, or that what was found is not why."""
    if status_patterns.NO_CAUSE.search(low) and not status_patterns.MITIGATED.search(low):
        return Turn("investigating", remark, again=True)
    if remark.supposed or (remark.hedged and not REGRETS.match(low)):
        return None
    if status_patterns.REOPENED.search(low):
        return Turn("investigating", remark, again=True)
    if status_patterns.NO_MORE.search(low):
        return None
    if status_patterns.NOT_OVER.search(low):
        return Turn("investigating", remark, again=True, open=True)
    return Turn("investigating", remark, again=True, weak=True) if status_patterns.STILL_BAD.search(low) else None


def onward(remark: Utterance, low: str) -> Turn | None:
    """That it is nearer to its end."""
    performed = status_patterns.PERFORMED.search(low)
    if remark.supposed or (remark.ahead and not (performed or status_patterns.MONITORING.search(low))):
        return None
    ended = status_patterns.RESOLVED.search(low) or (
        None if status_patterns.NOT_OURS.search(low) else status_patterns.ENDED.search(low)
    )
    none = was_none(low)
    if performed or (ended and not remark.hedged and not utterance_patterns.is_negated(clause_of(ended, low))):
        return Turn("false_alarm" if none or status_patterns.CLOSED_AS.search(low) else "resolved", remark)
    if none and not remark.hedged:
        return Turn("false_alarm", remark)
    elsewhere = utterance_patterns.RULED.search(low) or status_patterns.OTHERS_STATUS.search(low) or SO_NOT.search(low)
    if status_patterns.NO_MORE.search(low) and not (remark.hedged or status_patterns.PARTLY.search(low)):
        return Turn("mitigated", remark)
    eased = status_patterns.MITIGATED.search(low)
    if eased and not (
        BIDS_DO.match(low)
        or UNDER_REPAIR.search(low)
        or denied(clause_of(eased, low))
        or remark.hedged
        or elsewhere
        or status_patterns.PARTLY.search(low)
    ):
        return Turn("mitigated", remark)
    if (
        status_patterns.ALL_OF.search(low)
        and status_patterns.WELL.search(low)
        and remark.stated
        and not utterance_patterns.SYMPTOM.search(low)
    ):
        return Turn("mitigated", remark)
    if status_patterns.MONITORING.search(remark.own) and not (
        remark.negated or BIDS_WATCH.match(low) or WANTED.search(low)
    ):
        return Turn("monitoring", remark)
    cause = utterance_patterns.CAUSE.search(low)
    tells = (
        remark.label in CAUSES
        or (cause and not gives_reason(remark) and (not cause[0].startswith("confirm") or tells_why(remark)))
        or status_patterns.KNOWN_NOW.search(low)
        or (remark.confirmed and tells_why(remark))
    )
    enough = len(remark.stems) >= 2 or utterance_patterns.LEADS_IN.search(low)
    if tells and enough and not (remark.hedged or remark.corrects or utterance_patterns.RULED_OUT.search(low)):
        return Turn("identified", remark)
    return None


def was_none(low: str) -> bool:
    """Whether it is said that there never was an incident, and nothing beside it says that one goes on."""
    if status_patterns.NO_DRILL.search(low):
        return False
    return bool(
        status_patterns.FALSE_ALARM.search(low)
        or (status_patterns.SEEMED.search(low) and not status_patterns.GOES_ON.search(low))
    )


def gives_reason(remark: Utterance) -> bool:
    """Whether a "because" is that of what somebody does, grades or wants, and of nothing that broke."""
    low = remark.low
    if not BECAUSE.search(low) or utterance_patterns.CAUSE.search(BECAUSE.sub(" ", low)):
        return False
    return bool(severity_in(remark) or utterance_patterns.DECISION.search(low) or WANTS.match(low))


def clause_of(found: re.Match[str], low: str) -> str:
    """The clause in which something stands: "no drops for 45 min" denies nothing of "marking it done" behind it."""
    ends = CLAUSE.search(low, found.end())
    return low[begins_of(found, low) : ends.start() if ends else len(low)]


def begins_of(found: re.Match[str], low: str) -> int:
    """Where the clause begins in which something stands."""
    return max((end.end() for end in CLAUSE.finditer(low, 0, found.start())), default=0)


def tells_why(remark: Utterance) -> bool:
    """Whether a remark that others marked as the very thing may be a cause: it names a part, and counts nobody."""
    if utterance_patterns.STILL.search(remark.low) or utterance_patterns.QUANTIFIED.search(remark.low):
        return False
    return bool(remark.names or remark.numbers or utterance_patterns.COMPONENT.search(remark.low))


def denied(low: str) -> bool:
    """Whether what is said of a recovery is denied: "not back to normal"; "no more errors" denies the errors."""
    return bool(
        utterance_patterns.words(
            "not", "isn't", "aren't", "n't", "never", "haven't", "hasn't", "nicht", "yet to"
        ).search(low)
    )


def status_of(talk: Conversation) -> IncidentStatus:
    """How an incident stands after everything that was said."""
    now: Turn | None = None
    over = False
    for turn in turns_of(talk):
        if over and not turn.again:
            if turn.state == "false_alarm" and now and now.state == "mitigated":
                now = turn
            continue
        if turn.again and status_patterns.NO_CAUSE.search(turn.remark.low):
            leads = turn.remark.message.user in talk.leaders
            now = None if now and now.state == "identified" and (leads or same_writer(now, turn)) else now
            continue
        if turn.again:
            if turn.open and not over:
                continue
            if turn.weak and (now is None or status_patterns.PLAINLY.search(now.remark.low) or over):
                continue
            now, over = reopened(now, turn), False
        elif turn.state in {"resolved", "false_alarm"}:
            now, over = turn, True
        elif now is None or RANK[turn.state] >= RANK.get(now.state, 0):
            now = turn
    cleared = all_clear(talk)
    back = now is not None and now.again and cleared is not None and now.remark.key > cleared.key
    if cleared and not back and (now is None or now.state in {"investigating", "identified"}):
        return IncidentStatus(text=cleared.text, ts=(cleared.ts,), state="mitigated")
    if now is None:
        first = first_sign(talk)
        return IncidentStatus(text=first.text if first else "", ts=(first.ts,) if first else (), state="investigating")
    return IncidentStatus(text=in_words(now.remark, talk).text, ts=(now.remark.ts,), state=now.state)


def in_words(remark: Utterance, talk: Conversation) -> Utterance:
    """What says more than the mere name of a state, "Status: monitoring": another labelled part of the same update."""
    if remark.label not in STATUS_LABELS or len(remark.stems) > 1:
        return remark
    whole = talk.of_message.get(remark.ts, ())
    return next((r for r in whole if r.label and r.label not in {*STATUS_LABELS, *GRADE} and len(r.stems) >= 3), remark)


def all_clear(talk: Conversation) -> Utterance | None:
    """The post by which the last of the alarms that fired went back; None while one of them fires."""
    firing: list[Utterance] = []
    last: Utterance | None = None
    for remark in talk.remarks:
        if not remark.bot or remark.number:
            continue
        if is_alarm(remark):
            firing, last = [*(a for a in firing if not same_alarm(a, remark)), remark], None
        elif firing and utterance_patterns.CLEARED.search(remark.text):
            firing = [alarm for alarm in firing if not same_alarm(alarm, remark)]
            last = None if firing else remark
    return last


def same_alarm(one: Utterance, other: Utterance) -> bool:
    """Whether two posts of one program are of the same alarm: the same words, figures aside."""
    told, again = (frozenset(s for s in r.stems if not s[:1].isdigit()) for r in (one, other))
    return one.message.user == other.message.user and overlap(told, again) >= SAME


def reopened(now: Turn | None, turn: Turn) -> Turn:
    """Something is not over: a known cause stays known, unless whoever gave it takes it back."""
    if now is not None and utterance_patterns.RETRACTS.search(turn.remark.low) and same_writer(now, turn):
        return turn
    return now if now is not None and now.state in {"investigating", "identified"} else turn


def same_writer(one: Turn, other: Turn) -> bool:
    """Whether one person said how it stands both times."""
    return one.remark.message.user == other.remark.message.user


# --- is there one ---------------------------------------------------------------------------------------------


def is_incident(talk: Conversation, why: Why = "") -> bool:
    """Whether enough speaks for a real incident; jokes, drills and plans for them speak against it.

    It is one too when all that was said up to some moment spoke for it, and it turned out a drill after that.
    """
    if why == "declared":
        return True
    if any(status_patterns.NO_INCIDENT.search(topic.lower()) for topic in talk.topics):
        return False
    signs = [*signs_in(talk), *handling_in(talk)]
    play = any(utterance_patterns.JOKE.search(topic.lower()) for topic in talk.topics) and not any(
        r.bot for r, _ in signs
    )
    moments = [r.key for number, r in enumerate(talk.people) if number >= FEW and r.number == 0]
    if any(speaks_for_it(talk, signs, until, play=play) for until in (*moments[::FEW], None)):
        return True
    return bool(why) and not (play or playful(talk.people)) and any(map(slight, talk.people))


def speaks_for_it(
    talk: Conversation, signs: list[tuple[Utterance, float]], until: tuple[tuple[int, int], int] | None, *, play: bool
) -> bool:
    """Whether what was said up to a moment is of a real incident; ``until``: what remarks sort by, None: the end."""
    weight = sum(weight for r, weight in signs if until is None or r.key <= until)
    people = [r for r in talk.people if until is None or r.key <= until]
    return weight * (0.15 if play or playful(people) else 1.0) >= ENOUGH


def playful(people: Sequence[Utterance]) -> bool:
    """Whether many jokes are among what people said, of more than one of them."""
    funny = [r for r in people if utterance_patterns.JOKE.search(r.own)]
    jokes = len(funny) if len({r.message.user for r in funny}) > 1 else 0
    return jokes >= 2 and jokes / max(len(people), 1) > 0.08


def slight(remark: Utterance) -> bool:
    """Whether a remark is of an incident in a channel that is called like one; elsewhere it may be of anything."""
    told = (
        utterance_patterns.SYMPTOM.search(remark.low)
        or utterance_patterns.ROLLBACK.search(remark.low)
        or utterance_patterns.DID.match(remark.low)
    )
    told = told or AMISS.search(remark.low)
    return bool(told) and not (remark.joked or remark.supposed or remark.ahead)


def handling_in(talk: Conversation) -> Iterator[tuple[Utterance, float]]:
    """Remarks of those who handle an incident, whatever went wrong: who leads, how it stands, who feels it."""
    for remark in talk.people:
        if remark.joked or remark.supposed or remark.asks:
            continue
        felt = (
            utterance_patterns.QUANTIFIED.search(remark.low)
            and utterance_patterns.AFFECTED.search(remark.low)
            and not remark.hedged
        )
        if remark.takes_lead or (remark.label in STATUS_LABELS and turn_of(remark)):
            yield remark, 1.0
        elif felt or turn_of(remark) or utterance_patterns.NEXT_UPDATE.search(remark.low):
            yield remark, 0.7


def signs_in(talk: Conversation) -> Iterator[tuple[Utterance, float]]:
    """Remarks that only an incident brings."""
    for remark in talk.remarks:
        low = remark.low
        if remark.bot:
            if remark.number == 0 and (remark.entered or is_alarm(remark)):
                yield remark, 1.5
        elif remark.quoted or remark.supposed or utterance_patterns.JOKE.search(low):
            continue
        elif not remark.asks and (utterance_patterns.DECLARED.search(low) or severity_in(remark)):
            yield remark, 1.5 if severity_in(remark) else 1.0
        elif is_symptom(remark):
            yield remark, 0.7


@once
def is_alarm(remark: Utterance) -> bool:
    """Whether a program's post says that something is wrong."""
    text = remark.message.text
    if remark.entered:
        return False
    if utterance_patterns.CLEARED.search(remark.text) and not utterance_patterns.FIRING.search(remark.text):
        return False
    if utterance_patterns.ROUTINE.search(text.lower()):
        return False
    if utterance_patterns.ALARMS.search(remark.message.name):
        return True
    if utterance_patterns.BUILD.search(text) and not utterance_patterns.GRAVE.search(text):
        return False
    return bool(
        utterance_patterns.FIRING.search(text)
        or (utterance_patterns.GRAVE.search(remark.text) and utterance_patterns.SYMPTOM.search(text.lower()))
    )


@once
def is_symptom(remark: Utterance) -> bool:
    """Whether it says that something fails, and what."""
    low = utterance_patterns.NONE_OF_IT.sub(" ", remark.low)
    if remark.ahead or not (
        utterance_patterns.SYMPTOM.search(low)
        or (utterance_patterns.CANNOT.search(low) and not utterance_patterns.CANNOT.match(low))
    ):
        return False
    return bool(
        utterance_patterns.WHO.search(low)
        or remark.numbers
        or (utterance_patterns.AFFECTED.search(low) and len(remark.stems) >= 3)
    )


def first_sign(talk: Conversation, *, asked: bool = True) -> Utterance | None:
    """What was said first of it; questions such as "anyone else seeing this?" too unless ``asked`` is off."""
    first = next((remark for remark, _ in signs_in(talk) if asked or not remark.asks), None)
    if first is None or len(first.stems) > 1:
        return first
    return next((r for r in talk.of_message.get(first.ts, ()) if r.stated and len(r.stems) >= 3), first)  # "SEV1. …"


# --- how grave ------------------------------------------------------------------------------------------------


def severity_of(talk: Conversation) -> tuple[str, Utterance | None]:
    """The last severity that was given, and by which remark."""
    found: tuple[str, Utterance | None] = (topic_severity(talk), None)
    for remark in talk.remarks:
        who = remark.bot or remark.message.user in talk.settled
        named = severity_in(remark) or graded_anew(remark, found[0]) if who else ""
        if named and (found[1] is None or named[-1] <= found[0][-1] or replaces_severity(remark, found[1], talk)):
            found = named, remark
    return found


def topic_severity(talk: Conversation) -> str:
    """The last severity that stands in a topic of the channel; empty for none."""
    named = [match for topic in talk.topics for match in utterance_patterns.SEVERITY.finditer(topic)]
    return told_severity(named[-1]) if named else ""


def graded_anew(remark: Utterance, before: str) -> str:
    """A severity that is given by its number alone, after one was given before: "bumping this to a 1"."""
    graded = utterance_patterns.GRADES.search(remark.own) if before and remark.stated and not remark.bot else None
    return f"{before[:-1]}{graded[1]}" if graded and not remark.negated else ""


NUMBERS = {"one": "1", "two": "2", "three": "3", "four": "4"}


def told_severity(match: re.Match[str]) -> str:
    """A severity as it is shown: ``SEV2``, ``P1``."""
    number = (match[2] or match[4]).lower()
    return f"{(match[1] or match[3]).upper()}{NUMBERS.get(number, number)}"


def replaces_severity(remark: Utterance, before: Utterance, talk: Conversation) -> bool:
    """Whether a less grave severity takes the place of the one before.

    It does when it is said as a change, by a program, or by who leads or gave the one before and names no other thing.
    """
    if remark.bot or remark.label in GRADE or len(utterance_patterns.SEVERITY.findall(remark.own)) > 1:
        return True
    if utterance_patterns.CHANGES_SEVERITY.search(remark.message.text.lower()):
        return True
    things = [
        name
        for name in utterance_patterns.TECHNICAL.findall(remark.text)
        if not utterance_patterns.SEVERITY.fullmatch(name)
    ]
    return not things and (remark.message.user in talk.leaders or remark.message.user == before.message.user)


def opens(severity: re.Match[str], remark: Utterance) -> bool:
    """Whether an alarm begins with its severity: "P1 CertExpired api"."""
    return remark.number == 0 and not remark.own[: severity.start()].strip(" []()*:-|")


def severity_in(remark: Utterance) -> str:
    """The severity that a remark gives; empty for none."""
    named = [
        match
        for match in utterance_patterns.SEVERITY.finditer(remark.own)
        if not utterance_patterns.VENDOR.search(remark.own)
    ]
    if not named or remark.asks or remark.quoted or remark.joked or utterance_patterns.ORDER.search(remark.own):
        return ""
    last = named[0] if remark.label in GRADE else named[-1]
    told = told_severity(last)
    if remark.entered:
        return told
    if remark.bot:
        begins = opens(named[0], remark) and is_alarm(remark)
        return told if remark.label in GRADE or utterance_patterns.SET_BY_BOT.search(remark.low) or begins else ""
    clause = clause_of(last, remark.own)
    supposed = utterance_patterns.IF.search(clause) or utterance_patterns.IF.match(remark.own)
    if (
        utterance_patterns.is_hedged(clause)
        or (supposed and not remark.label)
        or (utterance_patterns.is_negated(remark.own[begins_of(last, remark.own) : last.end()]) and len(named) < 2)
    ):
        return ""
    sets = remark.label in GRADE or utterance_patterns.SETS_SEVERITY.search(remark.low)
    return told if sets or len(remark.low.split()) <= 8 else ""
