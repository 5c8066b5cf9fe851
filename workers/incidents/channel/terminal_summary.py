"""A summary of a channel as a person reads it in a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from workers.contracts import ChannelMessage
from workers.delivery.rich_text import safe
from workers.grounding.value_format import Voice, say_time
from workers.incidents.summary.summarizer import SummaryResult
from workers.incidents.summary.summary_types import ActionItem, Line, Summary

TITLES = {
    "impact": "Impact",
    "known": "Known",
    "tried": "Tried",
    "hypotheses": "Hypotheses, not proven",
    "ruled_out": "Ruled out",
    "decisions": "Decisions",
    "action_items": "Actions",
    "open_questions": "Open questions",
}
"""The sections of a summary as they are headed."""
NONE = "I see no incident in these messages."


def state_text(summary: Summary) -> str:
    """How it stands, in words."""
    return summary.status.state.replace("_", " ")


def render_summary(summed: SummaryResult, messages: Sequence[ChannelMessage], voice: Voice) -> Group:
    """The whole summary; each line with who wrote the message it is taken from, and when."""
    summary, by_ts = summed.summary, {message.ts: message for message in messages}
    if summary.status.state == "none":
        return Group(Text(NONE, style="bold"), Text(f"{len(messages):,} messages read", style="dim"))
    head = Text.assemble(
        (safe(summary.title) or "Incident", "bold"), "  ", (" · ".join(headline(summary, voice)), "bold yellow")
    )
    parts: list[RenderableType] = [head]
    if summary.status.text:
        parts.append(Text.assemble(safe(summary.status.text), (f"  {source(summary.status, by_ts, voice)}", "dim")))
    for name, title in TITLES.items():
        lines = getattr(summary, name)
        if lines:
            parts += [
                Text(""),
                Text(title, style="bold magenta" if name == "hypotheses" else "bold blue"),
                rows(lines, by_ts, voice),
            ]
    if summary.next_update:
        parts += [Text(""), Text.assemble(("→ ", "bold blue"), safe(summary.next_update.text))]
    if summary.timeline:
        parts += [Text(""), Text("Timeline", style="bold blue"), timeline(summary, voice)]
    told = f"{len(messages):,} messages read · {summed.reasoner}" + (f" ({summed.why})" if summed.why else "")
    return Group(*parts, Text(""), Text(told, style="dim"))


def headline(summary: Summary, voice: Voice) -> list[str]:
    """Severity, state, since when, who leads."""
    since = f"since {say_time(summary.since, voice)}" if summary.since else ""
    until = f"until {say_time(summary.until, voice)}" if summary.until else ""
    lead = f"lead @{safe(summary.lead.name)}" if summary.lead else ""
    parts = (summary.severity, state_text(summary), " ".join(filter(None, (since, until))), lead)
    return [part for part in parts if part]


def rows(lines: Sequence[Line], by_ts: Mapping[str, ChannelMessage], voice: Voice) -> Table:
    """Lines of a section."""
    grid = Table.grid(padding=(0, 1))
    grid.add_column(justify="right", width=3)
    grid.add_column(overflow="fold")
    for line in lines:
        mark = "·" if not isinstance(line, ActionItem) else "☑" if line.done else "☐"
        owner = f"@{line.owner}: " if isinstance(line, ActionItem) and line.owner else ""
        text = Text.assemble((safe(owner), "cyan"), safe(line.text), (f"  {source(line, by_ts, voice)}", "dim"))
        grid.add_row(mark, text)
    return grid


def timeline(summary: Summary, voice: Voice) -> Table:
    """Moments, their kinds, and what happened."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for entry in summary.timeline:
        kind = "" if entry.kind == "other" else entry.kind
        grid.add_row(f"  {entry.at.astimezone(voice.tz()):%b %d %H:%M}", kind, safe(entry.text))
    return grid


def source(line: Line, by_ts: Mapping[str, ChannelMessage], voice: Voice) -> str:
    """Who wrote what a line rests on, and when."""
    found = [by_ts[ts] for ts in line.ts if ts in by_ts]
    return ", ".join(f"{safe(m.name or m.user)} {m.at.astimezone(voice.tz()):%H:%M}" for m in found)
