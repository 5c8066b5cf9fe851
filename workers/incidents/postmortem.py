"""PURE: the draft of a postmortem as Markdown, for people to finish: what the channel said, and where it says so."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from workers.incidents.model import ActionItem, Entry, Line, Summary
from workers.incidents.views import milestones

SPECIAL = re.compile(r"([\\`*_\[\]<>#|~!{}&])")
BEGINNING = re.compile(r"^(\d*)([-+=.)])")
TO_DO = "_To be filled in by people:_"
UNKNOWN = "_Nobody said._"
NOTE = (
    "Drafted by Oracle from what was said in the channel; each line links to the messages it is taken from. "
    "It is a draft: read it, correct it, and fill in what is marked."
)
Address = Callable[[str], str]
"""The address of a message by its ts; empty when there is none."""


def write_postmortem(summary: Summary, title: str, since: datetime, until: datetime, address: Address) -> str:
    """The draft.

    Args:
        summary: of the whole channel.
        title: what the incident is called.
        since: when it began, aware.
        until: when it was over, aware.
        address: of messages.

    Returns: Markdown that shows every text as it was written.
    """

    def lines(found: Iterable[Line]) -> list[str]:
        return [f"- {plain(line.text)}{links(line, address)}" for line in found]

    factors = [*lines(summary.known), *(f"{row} (hypothesis, not proven)" for row in lines(summary.hypotheses))]
    parts = [
        f"# Postmortem: {plain(title) or 'incident'}",
        NOTE,
        *facts(summary, since, until),
        "## Summary",
        plain(summary.status.text) + links(summary.status, address) if summary.status.text else UNKNOWN,
        "## Impact",
        *(lines(summary.impact) or [UNKNOWN]),
        f"{TO_DO} who was affected, how many, and what it cost, from your metrics.",
        "## Timeline",
        "| UTC | what | |",
        "|---|---|---|",
        *(row(entry, address) for entry in summary.timeline),
        "## Contributing factors",
        *(factors or [UNKNOWN]),
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
    ]
    return spaced(parts)


def facts(summary: Summary, since: datetime, until: datetime) -> list[str]:
    """Severity and times, as a list."""
    times = milestones(summary.timeline)
    rows = [("Severity", plain(summary.severity) or "not given"), ("Began", stamp(since))]
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


def row(entry: Entry, address: Address) -> str:
    """A moment in the table."""
    kind = "" if entry.kind == "other" else f"**{entry.kind}** "
    return f"| {entry.at:%Y-%m-%d %H:%M} | {kind}{plain(entry.text)} |{links(entry, address)} |"


def action(item: ActionItem, address: Address) -> str:
    """Something to do, with a box."""
    owner = f"**{plain(item.owner)}**: " if item.owner else "**nobody yet**: "
    return f"- [{'x' if item.done else ' '}] {owner}{plain(item.text)}{links(item, address)}"


def links(line: Line, address: Address) -> str:
    """Links to the messages of a line."""
    urls = [url for ts in line.ts if (url := address(ts))]
    return "".join(f" [[{number}]]({url})" for number, url in enumerate(urls, 1))


def plain(text: str) -> str:
    """A text that Markdown shows as it was written, on one line."""
    flat = " ".join(text.split())
    return BEGINNING.sub(r"\1\\\2", SPECIAL.sub(r"\\\1", flat))


def stamp(at: datetime) -> str:
    """``2026-11-20 09:09 UTC``."""
    return f"{at:%Y-%m-%d %H:%M} UTC"


def span(since: datetime, until: datetime) -> str:
    """How long, in hours and minutes."""
    minutes = max(round((until - since).total_seconds() / 60), 0)
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} min" if hours else f"{rest} min"


def spaced(parts: Sequence[str]) -> str:
    """Lines with an empty one around headings, and before and after lists and tables."""
    out: list[str] = []
    for part in parts:
        kind = part[:1] if part[:1] in "-|#" else ""
        before = (out[-1][:1] if out[-1][:1] in "-|#" else "") if out else "#"
        if out and (kind in {"#", ""} or kind != before):
            out.append("")
        out.append(part)
    return "\n".join(out) + "\n"


def file_name(title: str, began: datetime, number: int) -> str:
    """``2026-11-20-checkout-errors-7.md``."""
    slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60].strip("-") or "incident"
    return f"{began:%Y-%m-%d}-{slug}-{number}.md"
