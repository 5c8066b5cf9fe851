"""What a channel's messages say of an incident, taken from their own sentences."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from workers.contracts import ChannelMessage, Correction, Evidence, Why, order_of
from workers.incidents.summary.action_items import tasks_of
from workers.incidents.summary.actions import decisions_of, tried_of
from workers.incidents.summary.causes import Causes, causes_of
from workers.incidents.summary.conversation import Conversation, read_conversation
from workers.incidents.summary.crowd_filter import focus_of
from workers.incidents.summary.external_events import with_external_events
from workers.incidents.summary.impact import impact_of, withdrawn
from workers.incidents.summary.lead import lead_of
from workers.incidents.summary.open_questions import next_update_of, questions_of
from workers.incidents.summary.parallel_incidents import split
from workers.incidents.summary.status import first_sign, is_incident, severity_of, status_of
from workers.incidents.summary.summary_types import OVER, SECTIONS, Entry, IncidentStatus, Line, State, Summary
from workers.incidents.summary.timeline import corrected, fewer, timeline_of
from workers.incidents.summary.utterances import Utterance
from workers.language.sentences import overlap, stems_of
from workers.language.speech_acts import LABEL

AnyLine = TypeVar("AnyLine", bound=Line)
ENDS: tuple[State, ...] = ("investigating", "identified", "mitigated", "monitoring", "resolved", "false_alarm", "none")
TITLE = 90
BEGINS = frozenset({"detected", "alert", "declared"})
MOST = {"impact": 5, "known": 7, "hypotheses": 5, "ruled_out": 6, "open_questions": 6, "action_items": 12}
"""Lines of a section, of two incidents together too."""
HEAD = re.compile(
    r"^(?:\[[^\]]*\]\s*|\W+|(?:new )?incident (?:declared|created|opened|reported)(?: by @?\S+)?:"
    r"|(?:firing|alert|triggered|critical|warning|problem)\b[:\s-]*)+",
    re.IGNORECASE,
)
FORGOTTEN, LEAST = 0.7, 12
"""A suspicion is past when more than so much of all messages came after it, and so many at any rate."""
TELLS = 0.25
"""So likely a line tells what was seen that stands among what is known."""
PARTS = frozenset(
    "impact cause correction decision decided hypothesis suspect tried done finding found known status update edit"
    " action ai todo question".split()
) | {"root cause", "action item", "open question"}
"""What a line may say that it is: it stands in that part anyway."""
SAME = 0.75
"""The share of words in common from which a line says what another one says."""


def summarize(
    messages: Iterable[ChannelMessage],
    *,
    title: str = "",
    why: Why = "",
    corrections: Sequence[Correction] = (),
    told: Sequence[Evidence] = (),
) -> Summary:
    """The summary of a channel: every line is a sentence that someone wrote there, with the messages it rests on.

    Args:
        messages: of the channel and its threads, in any order; deleted ones left out.
        title: what the incident is called, when people said so; else it is taken from the messages.
        why: what says, besides its messages, that the channel holds an incident.
        corrections: what people changed in the timeline, oldest first.
        told: deploys and alerts that programs told of, each with an id.
    """
    talk = told_of_it(messages)
    as_of = talk.messages[-1].ts if talk.messages else ""
    parts = split(talk) if talk.people and is_incident(talk, why) else ()
    found = [of_talk(part) for part in parts]
    if not found:
        status = IncidentStatus(text="", ts=(), state="none")
        return Summary(title=title, status=status, timeline=corrected((), corrections), as_of=as_of)
    whole = found[0] if len(found) == 1 else joined(found)
    timeline = corrected(fewer(with_external_events(whole.timeline, told)), corrections)
    over = whole.status.state in OVER
    return whole.model_copy(
        update={
            "title": title or whole.title,
            "timeline": timeline,
            "since": began(timeline),
            "until": ended(timeline) if over else None,
            "evidence": tuple(told),
            "as_of": as_of,
        }
    )


def told_of_it(messages: Iterable[ChannelMessage]) -> Conversation:
    """What the channel says of the incident; the room's noise is let go of."""
    heard = read_conversation(messages)
    focus = focus_of(heard)
    return replace(heard, remarks=tuple(r for r in heard.remarks if focus.keeps(r)))


def of_talk(talk: Conversation) -> Summary:
    """The summary of one incident."""
    status = status_of(talk)
    over = status.state in OVER
    severity, given = severity_of(talk)
    stands = given or (talk.remarks[0] if talk.remarks else None)
    if not status.text and stands:
        status = IncidentStatus(text=stands.text, ts=(stands.ts,), state=status.state)
    causes, gone = causes_of(talk), withdrawn(talk)
    lead, impact, tried, decisions = lead_of(talk), impact_of(talk, gone), tried_of(talk), decisions_of(talk)
    tasks = tasks_of(talk, over=over)
    elsewhere = [*impact, *tried, *decisions, *causes.ruled_out, *([lead] if lead else [])]
    found = Summary(
        title=title_of(talk),
        severity=severity,
        status=status,
        lead=lead,
        impact=impact,
        known=tuple(known_in(talk, causes, elsewhere, gone)),
        tried=tried,
        hypotheses=tuple(line for line in causes.hypotheses if line.text not in gone and not is_past(line, talk)),
        ruled_out=causes.ruled_out,
        decisions=decisions,
        action_items=tasks,
        open_questions=questions_of(talk),
        next_update=next_update_of(talk, over=over),
        timeline=timeline_of(talk, causes),
    )
    return in_fair_copy(found)


def in_fair_copy(summary: Summary) -> Summary:
    """The summary with its lines as they are shown."""

    def fair(line: AnyLine) -> AnyLine:
        return line.model_copy(update={"text": shown(line.text)})

    lines = {name: tuple(map(fair, getattr(summary, name))) for name in (*SECTIONS, "timeline")}
    single = {name: fair(line) for name in ("status", "next_update") if (line := getattr(summary, name))}
    return summary.model_copy(update={**lines, **single})


def shown(text: str) -> str:
    """A line without the name of the part that it stands in, and with a capital where it begins with a plain word."""
    label = LABEL.match(text)
    told = text[label.end() :] if label and label[1].lower() in PARTS else text
    plain = re.match(r"[^\W\d_]+(?=[\s,:;.!?]|$|['’])", told)
    return told[:1].upper() + told[1:] if plain and plain[0].islower() else told


def known_in(talk: Conversation, causes: Causes, elsewhere: Sequence[Line], gone: Collection[str]) -> Iterator[Line]:
    """What is known: the cause, then what was seen that tells most, in the order it was said."""
    said = [stems_of(line.text) for line in elsewhere]
    found = {r: 2.0 + r.chance("cause") for r in causes.found[-3:]}
    for remark in talk.people:
        if remark in found or not tells_known(remark, talk) or remark.text in gone:
            continue
        if not any(overlap(remark.stems, other) >= SAME for other in said):
            found[remark] = telling(remark)
    best = sorted(found, key=lambda r: (found[r], r.key), reverse=True)[: MOST["known"]]
    return (Line(text=r.text, ts=(r.ts,)) for r in sorted(best, key=lambda r: r.key))


def tells_known(remark: Utterance, talk: Conversation) -> bool:
    """Whether a remark tells something that was seen, and nothing else."""
    if remark.asks or remark.joked or remark.hedged or remark.user not in talk.settled or len(remark.stems) < 2:
        return False
    other = ("hypothesis", "task_request", "proposal", "next_update", "mitigated", "monitoring", "resolved")
    return seen(remark) >= TELLS and not remark.likely(*other)


def seen(remark: Utterance) -> float:
    """How likely a remark tells something that was seen or found out."""
    return sum(remark.chance(act) for act in ("observation", "impact", "cause"))


def telling(remark: Utterance) -> float:
    """How much what was seen tells: figures, names of things and applause count more."""
    return seen(remark) + 0.25 * min(remark.numbers, 2) + 0.15 * min(remark.names, 2) + 0.25 * min(remark.applause, 2)


def is_past(line: Line, talk: Conversation) -> bool:
    """Whether a suspicion was left: nobody came back to it while people went on."""
    times = [order_of(message.ts) for message in talk.messages]
    since = len(times) - bisect_right(times, order_of(line.ts[-1]))
    return since >= LEAST and since / len(times) > FORGOTTEN


def joined(parts: Sequence[Summary]) -> Summary:
    """Two incidents of one channel as one summary; it stands as the one that is further from its end."""
    behind = min(parts, key=lambda part: ENDS.index(part.status.state))
    sections = {name: both([getattr(part, name) for part in parts], MOST.get(name, 8)) for name in SECTIONS}
    timeline = sorted((entry for part in parts for entry in part.timeline), key=lambda e: (e.at, e.ts))
    others = tuple(part.lead for part in parts if part.lead and part is not behind and part.lead != behind.lead)
    sections["known"] += tuple(Line(text=line.text, ts=line.ts) for line in others)
    promised = [part.next_update for part in parts if part.next_update]
    return behind.model_copy(
        update={
            **sections,
            "title": " · ".join(filter(None, (part.title for part in parts))),
            "severity": min(filter(None, (part.severity for part in parts)), key=lambda s: s[-1], default=""),
            "next_update": promised[-1] if promised else None,
            "timeline": tuple(fewer(timeline)),
        }
    )


def both(lines: Sequence[tuple[Line, ...]], most: int) -> tuple[Line, ...]:
    """The lines of both; of too many the last ones of each."""
    if sum(map(len, lines)) <= most:
        return tuple(line for part in lines for line in part)
    few = min(map(len, lines))
    return tuple(line for part in lines for line in part[-max(most - few, most // 2) :])[:most]


def title_of(talk: Conversation) -> str:
    """What an incident is called when nobody named it: its first alert or symptom."""
    first = first_sign(talk, asked=False) or first_sign(talk)
    if first is None:
        return ""
    told = HEAD.sub("", first.text).strip() or first.text
    text = told if len(told) <= TITLE else told[:TITLE].rsplit(" ", 1)[0] + "…"
    return text.rstrip(". ")


def began(timeline: Sequence[Entry]) -> datetime | None:
    """When it began, as far as the timeline tells."""
    first = [e.at for e in timeline if e.kind in BEGINS]
    return min(first, default=timeline[0].at if timeline else None)


def ended(timeline: Sequence[Entry]) -> datetime | None:
    """When it was over."""
    return max((e.at for e in timeline if e.kind == "resolved"), default=None)
