"""What a run of the deals agent comes to: precedents, levers, risks, and the log of its steps."""

from __future__ import annotations

from pydantic import Field

from workers.contracts import Message


class Precedent(Message):
    """An earlier deal, why it is a precedent, and where that is recorded."""

    deal_id: str
    name: str
    similarity_reason: str
    evidence: tuple[str, ...] = ()


class ReasoningOutput(Message):
    """What follows from the ranked deals. Levers and risks end with their place in the records, in square brackets."""

    precedents: list[Precedent] = Field(default_factory=list)
    playbook_levers: list[str] = Field(default_factory=list)
    risk_themes: list[str] = Field(default_factory=list)
    narrative_summary: str = ""


class ToolCallSummary(Message):
    """One step: its name, what it was given and what it returned, as short texts."""

    tool: str
    inputs: str
    outputs: str


class AgentLog(Message):
    """What was asked, the steps that were finished, and what came of them; None when a step failed."""

    query: str
    tool_calls: list[ToolCallSummary] = Field(default_factory=list)
    reasoning_output: ReasoningOutput | None = None
