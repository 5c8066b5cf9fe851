"""The draft of a postmortem as Markdown, for people to finish: what the channel said, and where it says so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from workers.incidents.summary.contradictions import contradictions
from workers.incidents.summary.contributing_factors import factors_of
from workers.incidents.summary.markdown_escape import Address, links, plain, spaced, span, stamp
from workers.incidents.summary.metric_impact import Measured, first_moved
from workers.incidents.summary.metric_impact_text import addresses, held, measured_section
from workers.incidents.summary.narrative import story_of, symptoms_of
from workers.incidents.summary.summary_types import ActionItem, Entry, Line, Summary
from workers.incidents.summary.summary_views import milestones

TO_DO = "_To be filled in by people:_"
UNKNOWN = "_Nobody said._"
NO_CAUSE = "_Not known yet._"
SHOWN = "_Tools show:_"
UNSHOWN = "_(said; nothing that was measured shows it)_"
UNSAID = "_(nobody spoke of it; the order in time alone)_"
NOTE = (
    "Drafted by Oracle from what was said in the channel, each line with links to its messages, and from what metrics "
    "show. It is a draft: read it, correct it, and fill in what is marked."
)


@dataclass(frozen=True)
class EndNote:
    """What whoever ended it said of that. ``by``: as people are shown; ``line``: with the message it hangs on."""

    by: str
    line: Line


def write_postmortem(
    summary: Summary,
    title: str,
    since: datetime,
    until: datetime,
    address: Address,
    measured: Measured,
    note: EndNote | None = None,
) -> str:
    """The draft.

    Args:
        summary: of the whole channel.
        title: what the incident is called.
        since: when it began, aware.
        until: when it was over, aware.
        address: of messages.
        measured: what metrics say of that time.
        note: what was said with its end.

    Returns: Markdown that shows every text as it was written.
    """

    def lines(found: Iterable[Line]) -> list[str]:
        return [f"- {plain(line.text)}{links(line, address)}" for line in found]

    parts = [
        f"# Postmortem: {plain(title) or 'incident'}",
        NOTE,
        *facts(summary, since, until, measured, address),
        "## Summary",
        *story(summary, since, until, address, note),
        "## Impact",
        "### Measured",
        *measured_section(measured),
        "### As people said it",
        *(lines([*summary.impact, *symptoms_of(summary)]) or [UNKNOWN]),
        *section("### Said and measured differ", differences(summary, measured, address)),
        f"{TO_DO} who was affected, how many people, and what it cost.",
        "## Timeline",
        "| UTC | what | |",
        "|---|---|---|",
        *(row(entry, address) for entry in summary.timeline),
        "## Contributing factors",
        *(factors(summary, measured, address) or [UNKNOWN]),
        f"{TO_DO} why it could happen, and why it was not noticed before.",
        "## What was tried",
        *(lines(summary.tried) or [UNKNOWN]),
        *section("## What it was not", lines(summary.ruled_out)),
        *section("## Decisions", lines(summary.decisions)),
        "## Actions",
        *([action(item, address) for item in summary.action_items] or [UNKNOWN]),
        *section("## Open questions", lines(summary.open_questions)),
        "## What went well, what did not, where we were lucky",
        f"{TO_DO} three lines each.",
        *addresses(measured),
    ]
    return spaced(parts)


def story(summary: Summary, since: datetime, until: datetime, address: Address, note: EndNote | None) -> Iterator[str]:
    """What people felt, what caused it, what ended it and what was said with its end, a line each."""
    told = story_of(summary)

    def said(*found: Line) -> str:
        return " ".join(f"{plain(line.text)}{links(line, address)}" for line in found)

    yield f"- **What people felt,** {stamp(since)} to {stamp(until)}: {said(told.felt) if told.felt else UNKNOWN}"
    yield f"- **Cause:** {said(*told.causes) if told.causes else NO_CAUSE}"
    is_cause = summary.status.text in {cause.text for cause in told.causes}
    stands = "" if is_cause else said(summary.status)
    end = f"{said(told.end)} ({stamp(told.end.at)})" if told.end else stands
    before = f"{said(told.deed)} ({stamp(told.deed.at)}), then: " if told.deed else ""
    if end or not note:
        yield f"- **What ended it:** {before}{end or UNKNOWN}"
    if note:
        yield f"- **{plain(note.by) or 'Whoever ended it'} said with its end:** {said(note.line)}"


def facts(summary: Summary, since: datetime, until: datetime, measured: Measured, address: Address) -> list[str]:
    """Severity, who led, and times, as a list."""
    times, first = milestones(summary.timeline), first_moved(measured)
    rows = [("Severity", plain(summary.severity) or "not given")]
    rows += [("Lead", f"{plain(summary.lead.name)}{links(summary.lead, address)}")] if summary.lead else []
    rows += [("Began", stamp(since))]
    rows += [("Metrics moved", f"{stamp(first[0])}, {plain(first[1].title)}")] if first else []
    rows += [(name, stamp(times[kind].at)) for name, kind in NAMED if kind in times]
    rows += [("Over", stamp(until)), ("Lasted", span(since, until))]
    return [f"- **{name}:** {value}" for name, value in rows]


NAMED = (
    ("Detected", "detected"),
    ("Acknowledged", "acknowledged"),
    ("Declared", "declared"),
    ("Mitigated", "mitigated"),
)


def section(head: str, found: Sequence[str]) -> list[str]:
    """A part that is left out when it is empty."""
    return [head, *found] if found else []


def differences(summary: Summary, measured: Measured, address: Address) -> list[str]:
    """What was said of the impact beside what was measured instead; which of them is right is for people to say."""
    found = [(line, held(claim, measured)) for line, claim in contradictions(summary.impact, measured.evidence)]
    return [
        f"- Said: “{plain(line.text)}”{links(line, address)} {plain(text)} They may count different things."
        for line, text in found
        if text
    ]


def factors(summary: Summary, measured: Measured, address: Address) -> list[str]:
    """Contributing factors, each as evidenced or as a hypothesis, and by what."""
    out = []
    for found in factors_of(summary, measured):
        said = f"{plain(found.line.text)}{links(found.line, address)}" if found.line else ""
        shown = " ".join(plain(text) for claim in found.shown if (text := held(claim, measured)))
        label = "Evidenced" if found.known and shown else "Hypothesis"
        why = f"{SHOWN} {shown}" if said and shown else UNSHOWN if said else f"{shown} {UNSAID}"
        if said or shown:
            out.append(f"- **{label}:** {said}{' ' if said else ''}{why}")
    return out


def row(entry: Entry, address: Address) -> str:
    """A moment in the table."""
    kind = "" if entry.kind == "other" else f"**{entry.kind}** "
    return f"| {entry.at:%Y-%m-%d %H:%M} | {kind}{plain(entry.text)} |{links(entry, address)} |"


def action(item: ActionItem, address: Address) -> str:
    """Something to do, with a box."""
    owner = f"**{plain(item.owner)}**: " if item.owner else "**nobody yet**: "
    return f"- [{'x' if item.done else ' '}] {owner}{plain(item.text)}{links(item, address)}"


def file_name(title: str, began: datetime, number: int) -> str:
    """``2026-11-20-checkout-errors-7.md``."""
    slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60].strip("-") or "incident"
    return f"{began:%Y-%m-%d}-{slug}-{number}.md"
