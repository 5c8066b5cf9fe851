"""What a channel's messages say of an incident, taken from their own sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from workers.contracts import ChannelMessage, Correction, Evidence, Why
from workers.incidents.summary import utterance_patterns
from workers.incidents.summary.action_items import tasks_of
from workers.incidents.summary.actions_taken import decisions_of, tried_of
from workers.incidents.summary.causes import causes_of
from workers.incidents.summary.conversation import Conversation, read_conversation
from workers.incidents.summary.corrected_figures import withdrawn
from workers.incidents.summary.crowd_filter import focus_of
from workers.incidents.summary.denied_statements import relied_on
from workers.incidents.summary.external_events import with_external_events
from workers.incidents.summary.impact import impact_of
from workers.incidents.summary.incident_commander import lead_of
from workers.incidents.summary.open_questions import next_update_of, questions_of
from workers.incidents.summary.parallel_incidents import split
from workers.incidents.summary.second_reading import BY_KIND, bears_out, borne_out
from workers.incidents.summary.sentences import lowered
from workers.incidents.summary.status import first_sign, is_incident, severity_of, status_of
from workers.incidents.summary.summary_types import OVER, SECTIONS, Entry, IncidentStatus, Line, State, Summary
from workers.incidents.summary.superseded_statements import superseded
from workers.incidents.summary.timeline import corrected, fewer, timeline_of

ENDS: tuple[State, ...] = ("investigating", "identified", "mitigated", "monitoring", "resolved", "false_alarm", "none")
TITLE = 90
BEGINS = frozenset({"detected", "alert", "declared"})
MOST = {"impact": 5, "known": 7, "hypotheses": 5, "ruled_out": 6, "open_questions": 6, "action_items": 12}
"""Lines of a section, of two incidents together."""
HEAD = re.compile(
    r"^(?:\[[^\]]*\]\s*|\W+|(?:new )?incident (?:declared|created|opened|reported)(?: by @?\S+)?:"
    r"|(?:firing|alert|triggered|critical|warning|problem)\b[:\s-]*)+",
    re.IGNORECASE,
)


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
    found = [of_talk(part, of=len(parts)) for part in parts]
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
    """What the channel says of the incident and may be relied on; the room's noise is let go of."""
    heard = read_conversation(messages)
    focus = focus_of(heard)
    return relied_on(replace(heard, remarks=tuple(r for r in heard.remarks if focus.keeps(r))))


def of_talk(talk: Conversation, *, of: int = 1) -> Summary:
    """The summary of one incident, of so many in the channel."""
    status = status_of(talk)
    severity, given = severity_of(talk)
    if not status.text and given:
        status = IncidentStatus(text=given.text, ts=(given.ts,), state=status.state)
    if not status.text and talk.remarks:
        status = IncidentStatus(text=talk.remarks[0].text, ts=(talk.remarks[0].ts,), state=status.state)
    causes = causes_of(talk, of=of)
    gone = withdrawn(talk)
    impact = impact_of(talk, gone)
    lead = lead_of(talk)
    tried = tried_of(talk)
    elsewhere = [line.text for line in tried]
    impact = tuple(line for line in impact if line.text not in causes.why)
    known = tuple(
        line
        for line in causes.known
        if line not in impact and line.text not in gone and not any(line.text in text for text in elsewhere)
    )
    decisions, tasks = decisions_of(talk), tasks_of(talk, over=status.state in OVER)
    update = next_update_of(talk, over=status.state in OVER)
    summary = Summary(
        title=title_of(talk),
        severity=severity,
        status=status,
        lead=lead,
        impact=impact,
        known=known,
        tried=tried,
        hypotheses=tuple(line for line in causes.hypotheses if line.text not in gone),
        ruled_out=causes.ruled_out,
        decisions=decisions,
        action_items=tasks,
        open_questions=questions_of(talk, causes),
        next_update=update if update and bears_out(talk.reading, "next_update", update.ts) else None,
        timeline=tuple(
            e for e in timeline_of(talk) if e.kind not in BY_KIND or bears_out(talk.reading, BY_KIND[e.kind], e.ts)
        ),
    )
    agreed = {name: borne_out(talk.reading, name, getattr(summary, name)) for name in SECTIONS}
    summary = summary.model_copy(update=agreed)
    reports = {ts for task in tasks for ts in task.ts[1:]}
    more = [
        line
        for line in borne_out(talk.reading, "known", causes.more)
        if not reports & set(line.ts) and line.text not in gone
    ]
    return superseded(summary, more, talk.messages, MOST["known"] // of)


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
    first = [
        e.at
        for e in timeline
        if e.kind in BEGINS or (e.kind == "other" and utterance_patterns.ONSET.match(lowered(e.text)))
    ]
    return min(first, default=timeline[0].at if timeline else None)


def ended(timeline: Sequence[Entry]) -> datetime | None:
    """When it was over."""
    return max((e.at for e in timeline if e.kind == "resolved"), default=None)
