"""What an incident's summary says to a question about the incident itself; each line with the messages it rests on.

What nobody said is said to be so: silence is no all-clear, and nobody is made the lead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from workers.contracts import Fact
from workers.delivery.rich_text_blocks import lasted, several
from workers.grounding.value_format import Voice, say
from workers.incidents.summary.narrative import causes_in
from workers.incidents.summary.summary_types import OVER, ActionItem, Entry, Line, Summary
from workers.incidents.summary.summary_views import words_of
from workers.language.incident_questions import IncidentQuestion
from workers.store.incidents import Incident

SO_FAR = "in this channel so far"
MOMENTS = ("declared", "detected", "mitigated", "resolved")
"""Kinds of entries that tell when an incident began and ended."""


@dataclass(frozen=True)
class Standing:
    """An incident as its channel tells it; ``incident``: as people declared and ended it; ``voice``: the asker's."""

    summary: Summary
    incident: Incident | None
    voice: Voice

    @property
    def since(self) -> datetime | None:
        """When it began, as far as is known."""
        return self.incident.began(self.summary.since) if self.incident else self.summary.since

    @property
    def until(self) -> datetime | None:
        """When it was over; None while it is not."""
        closed = self.incident.resolved_at if self.incident else None
        return closed or (self.summary.until if self.summary.status.state in OVER else None)

    def when(self, at: datetime) -> str:
        """A moment by the asker's clock."""
        return say(Fact(value=at.isoformat(), unit="time"), self.voice)


@dataclass(frozen=True)
class SummaryAnswer:
    """The first line, and those that bear it out."""

    headline: Line
    lines: tuple[Line, ...] = ()


def answer_from(kind: IncidentQuestion, standing: Standing) -> SummaryAnswer:
    """What the summary says to a question of a kind."""
    return ANSWERS[kind](standing)


def status(standing: Standing) -> SummaryAnswer:
    """How it stands, and the newest of each part that says why."""
    summary = standing.summary
    state = "resolved" if standing.until and summary.status.state not in OVER else words_of(summary.status.state)
    title = (standing.incident.title if standing.incident else "") or summary.title or "The incident"
    head = ", ".join(filter(None, (f"{title}: {state}", summary.severity, spanned(standing))))
    parts = [labelled("Impact", summary.impact[-1:]), labelled("Cause", causes_in(summary)[:1])]
    parts += [labelled("Tried", summary.tried[-1:]), labelled("Decided", summary.decisions[-1:])]
    lines = [line for part in parts for line in part]
    said = [summary.status] if summary.status.text and summary.status.ts else []
    promised = labelled("Next update", [summary.next_update] if summary.next_update and not standing.until else [])
    rests = Line(text=f"{head}.", ts=summary.status.ts, evidence=summary.status.evidence)
    return SummaryAnswer(rests, (*(Line(**line.model_dump(exclude={"state"})) for line in said), *lines, *promised))


def lead(standing: Standing) -> SummaryAnswer:
    """Who leads, when someone said so."""
    found = standing.summary.lead
    if found is None:
        return nobody(f"Nobody is named as lead {SO_FAR}.")
    said = Line(text=found.text, ts=found.ts, evidence=found.evidence)
    return SummaryAnswer(said.model_copy(update={"text": f"@{found.name.removeprefix('@')} leads."}), (said,))


def cause(standing: Standing) -> SummaryAnswer:
    """The cause that people found, else what they suspect; and what is ruled out."""
    summary = standing.summary
    known = causes_in(summary)
    suspected = labelled("Suspected", reversed(summary.hypotheses))
    others = (*suspected, *labelled("Ruled out", reversed(summary.ruled_out)))
    if known:
        first, *more = labelled("Cause", known)
        return SummaryAnswer(first, (*more, *others))
    count = several(len(suspected), "thing is", "things are")
    guesses = f"; {count} suspected" if suspected else ", and nothing is suspected"
    return SummaryAnswer(Line(text=f"No cause is confirmed {SO_FAR}{guesses}."), others)


def actions(standing: Standing) -> SummaryAnswer:
    """What is to do and whose it is, then what is done."""
    items = standing.summary.action_items
    if not items:
        return nobody(f"No actions are named {SO_FAR}.")
    left = [item for item in items if not item.done]
    done = len(items) - len(left)
    counted = f"{several(len(left), 'open action')}{f', {done} done' if done else ''}"
    return SummaryAnswer(Line(text=f"{counted}."), tuple(map(action, sorted(items, key=lambda item: item.done))))


def action(item: ActionItem) -> Line:
    """One thing to do, and who does it."""
    who = f"@{item.owner.removeprefix('@')}: " if item.owner else ""
    nobodys = "" if item.owner or item.done else " (nobody named)"
    return Line(text=f"{'☑' if item.done else '☐'} {who}{item.text}{nobodys}", ts=item.ts, evidence=item.evidence)


def since(standing: Standing) -> SummaryAnswer:
    """When it began and how long it has lasted, and the moments that tell so."""
    entries = standing.summary.timeline
    told = tuple(moment(standing, entry) for kind in MOMENTS for entry in entries if entry.kind == kind)
    first = next((entry for entry in entries if entry.at == standing.summary.since), None)
    if standing.since is None:
        return SummaryAnswer(Line(text=f"Nobody has said {SO_FAR} when it began."), told)
    if first is None or standing.since != first.at:
        opened = standing.incident.ts if standing.incident else ""
        return SummaryAnswer(Line(text=f"{sentence(spanned(standing))}.", ts=(opened,) if opened else ()), told)
    rests = Line(text=f"{sentence(spanned(standing))}.", ts=first.ts, evidence=first.evidence)
    begun = moment(standing, first)
    return SummaryAnswer(rests, (begun, *(line for line in told if line != begun)))


def moment(standing: Standing, entry: Entry) -> Line:
    """One entry of the timeline."""
    kind = "" if entry.kind == "other" else f" {entry.kind}"
    return Line(text=f"{standing.when(entry.at)}{kind}: {entry.text}", ts=entry.ts, evidence=entry.evidence)


def decisions(standing: Standing) -> SummaryAnswer:
    """What was decided, the newest first."""
    made = standing.summary.decisions
    if not made:
        return nobody(f"No decision is written down {SO_FAR}.")
    newest, *others = reversed(made)
    return SummaryAnswer(labelled("Decided", [newest])[0], tuple(others))


def impact(standing: Standing) -> SummaryAnswer:
    """Whom and what it affects, the newest first."""
    felt = standing.summary.impact
    if not felt:
        return nobody(f"Nobody has said {SO_FAR} whom or what it affects.")
    newest, *others = reversed(felt)
    return SummaryAnswer(labelled("Impact", [newest])[0], tuple(others))


ANSWERS: Mapping[IncidentQuestion, Callable[[Standing], SummaryAnswer]] = {
    "status": status,
    "lead": lead,
    "cause": cause,
    "actions": actions,
    "since": since,
    "decisions": decisions,
    "impact": impact,
}


# --- words ----------------------------------------------------------------------------------------------------


def nobody(text: str) -> SummaryAnswer:
    """What no message tells."""
    return SummaryAnswer(Line(text=text))


def labelled(label: str, lines: Iterable[Line]) -> tuple[Line, ...]:
    """Lines with what they are before them, which some say themselves."""
    return tuple(
        Line(
            text=line.text if line.text.lower().startswith(label.lower()) else f"{label}: {line.text}",
            ts=line.ts,
            evidence=line.evidence,
        )
        for line in lines
    )


def spanned(standing: Standing) -> str:
    """``since 14:06 UTC today (48 min)``; of what is over from when to when; empty when nothing is known of it."""
    began, until = standing.since, standing.until
    if began is None:
        return f"over since {standing.when(until)}" if until else ""
    took = lasted(((until or standing.voice.now) - began).total_seconds())
    if until:
        return f"from {standing.when(began)} to {standing.when(until)} ({took})"
    return f"since {standing.when(began)} ({took})"


def sentence(text: str) -> str:
    """With a capital at its beginning."""
    return text[:1].upper() + text[1:]
