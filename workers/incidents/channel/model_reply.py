"""The summary of an incident's channel, as a model writes it."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from workers.incidents.summary.summary_types import SECTIONS, ActionItem, IncidentStatus, Line, State, Summary
from workers.reasoning.model.replies.allowed_words import ReplyModel, Unusable
from workers.reasoning.model.untrusted_data import visible

MOST = 6
LONGEST = 400
LONGEST_WORD = 20
"""A line without spaces that is longer is one of a language that writes none."""


class LineReply(ReplyModel):
    """One line."""

    text: str = Field(max_length=1_000)
    messages: list[str]


class ActionReply(LineReply):
    """Something to do."""

    owner: str = ""
    done: bool = False


class SummaryReply(ReplyModel):
    """A summary."""

    state: State
    status: LineReply
    impact: list[LineReply] = Field(default_factory=list)
    known: list[LineReply] = Field(default_factory=list)
    tried: list[LineReply] = Field(default_factory=list)
    hypotheses: list[LineReply] = Field(default_factory=list)
    ruled_out: list[LineReply] = Field(default_factory=list)
    decisions: list[LineReply] = Field(default_factory=list)
    action_items: list[ActionReply] = Field(default_factory=list)
    open_questions: list[LineReply] = Field(default_factory=list)


def incident_from(reply: SummaryReply, plain: Summary, numbered: Mapping[str, str], names: frozenset[str]) -> Summary:
    """A summary in place of the rules' one; its times, its timeline and the next update stay the rules'.

    Args:
        reply: what the model wrote.
        plain: what the rules wrote.
        numbered: the ids it was given -> ts.
        names: of the people in the channel.

    Raises:
        Unusable: it cites messages that do not exist, or says nothing.
    """
    read_all = {name: [read(line, numbered, names) for line in getattr(reply, name)[:MOST]] for name in SECTIONS}
    sections = telling(read_all)
    if reply.state != "none" and not any(sections.values()):
        raise Unusable("it says nothing")
    if reply.state == "none" and plain.status.state != "none":
        raise Unusable("the rules see an incident: say how it stands")
    status = read(reply.status, numbered, names) if reply.status.text.strip() else Line(text="")
    standing = IncidentStatus(text=status.text, ts=status.ts, state=reply.state)
    return plain.model_copy(update={**sections, "status": standing})


def telling(sections: Mapping[str, list[Line]]) -> dict[str, tuple[Line, ...]]:
    """The lines that say something, each in the first section that has it: no single words, nothing twice."""
    seen: set[str] = set()
    kept: dict[str, list[Line]] = {name: [] for name in sections}
    for name, lines in sections.items():
        for line in lines:
            if (" " in line.text or len(line.text) > LONGEST_WORD) and line.text.lower() not in seen:
                seen.add(line.text.lower())
                kept[name].append(line)
    return {name: tuple(lines) for name, lines in kept.items()}


def read(line: LineReply, numbered: Mapping[str, str], names: frozenset[str]) -> Line:
    """One line. Raises: Unusable."""
    if odd := [i for i in line.messages if i not in numbered]:
        raise Unusable(f"there is no message {odd[0]}")
    text = " ".join(visible(line.text).split())
    if not text or not line.messages or len(text) > LONGEST:
        raise Unusable("a line is empty, too long, or cites no message")
    ts = tuple(dict.fromkeys(numbered[i] for i in line.messages))
    if not isinstance(line, ActionReply):
        return Line(text=text, ts=ts)
    owner = line.owner.lstrip("@").strip()
    if owner and owner not in names:
        raise Unusable("an owner is nobody of the channel: use a name as it is written there")
    return ActionItem(text=text, ts=ts, owner=owner, done=line.done)
