"""What the MCP server answers, as objects with a schema."""

from __future__ import annotations

import json
from typing import Any

from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel, Field

from workers.contracts import SECTIONS, Answer, Evidence, Proposal, RequestLog, ToolOutput, name_proposal
from workers.delivery.cited_evidence import NOTES

EXCERPT_CHARS, DATA_CHARS, TEXT_CHARS = 4_000, 200_000, 200_000


class SourceResult(BaseModel):
    """A piece of evidence; ``facts``: its quotable values."""

    id: str
    kind: str
    title: str
    locator: str
    url: str | None = None
    excerpt: str = ""
    facts: dict[str, Any] = Field(default_factory=dict)


class ProposalResult(BaseModel):
    """A change that waits for a person. ``id``: what `oracle confirm` and the HTTP API call it."""

    id: str = ""
    tool: str
    title: str
    preview: str = ""


class ToolResult(BaseModel):
    """What a tool returned. ``status``: ok, empty (nothing was found; ``reason`` says what was looked for), timeout,
    error or denied; ``data``: the tool's own object; ``nearest``: names that do exist, best first."""

    status: str
    summary: str = ""
    reason: str = ""
    nearest: list[str] = Field(default_factory=list)
    data: dict[str, Any] = Field(default_factory=dict)
    evidence: list[SourceResult] = Field(default_factory=list)
    proposals: list[ProposalResult] = Field(default_factory=list)


class ClaimResult(BaseModel):
    """One statement, checked against the evidence it names. ``status``: supported, or a hypothesis; ``note``: see
    `Claim`."""

    section: str
    text: str
    status: str
    note: str = ""
    evidence: list[str] = Field(default_factory=list)
    arithmetic: list[str] = Field(default_factory=list)


class MissingResult(BaseModel):
    """What could not be found or checked."""

    text: str
    tool: str = ""
    tried: list[str] = Field(default_factory=list)


class AskResult(BaseModel):
    """An answer. ``kind``: answer, refusal, or clarify: then ``options`` are the meanings to choose from, and a call
    with ``request`` goes on. ``done``: what came of changes that the person confirmed."""

    request_id: str
    kind: str
    headline: str
    claims: list[ClaimResult] = Field(default_factory=list)
    evidence: list[SourceResult] = Field(default_factory=list)
    missing: list[MissingResult] = Field(default_factory=list)
    options: list[str] = Field(default_factory=list)
    tools_used: list[str] = Field(default_factory=list)
    confidence: str = "low"
    banner: str = ""
    reasoner: str = ""
    proposals: list[ProposalResult] = Field(default_factory=list)
    done: list[str] = Field(default_factory=list)


def source_result(item: Evidence) -> SourceResult:
    """A piece of evidence as it is sent."""
    facts = {name: fact.model_dump(mode="json", exclude_defaults=True) for name, fact in item.facts.items()}
    return SourceResult(
        id=item.id,
        kind=item.kind,
        title=item.title,
        locator=item.locator,
        url=item.url,
        excerpt=item.excerpt[:EXCERPT_CHARS],
        facts=facts,
    )


def proposal_result(proposal: Proposal, name: str = "") -> ProposalResult:
    """A change as it is sent: not its arguments, which may be as long as the note."""
    return ProposalResult(id=name, tool=proposal.tool, title=proposal.title, preview=proposal.preview[:TEXT_CHARS])


def tool_result(output: ToolOutput) -> ToolResult:
    """A tool's output as it is sent; data that are too large are left to the evidence."""
    sized = len(json.dumps(output.data, default=str)) <= DATA_CHARS
    return ToolResult(
        status=output.status,
        summary=output.summary,
        reason=output.reason,
        nearest=list(output.nearest),
        data=json.loads(json.dumps(output.data, default=str)) if sized else {},
        evidence=[source_result(item) for item in output.evidence],
        proposals=[proposal_result(proposal) for proposal in output.proposals],
    )


def ask_result(log: RequestLog, done: list[str]) -> AskResult:
    """A finished request as it is sent. ``done``: what came of changes that were confirmed."""
    answer = log.answer or Answer.model_validate({"kind": "refusal", "headline": {"template": "", "text": ""}})
    cited = {name for claim in answer.claims for name in claim.evidence}
    claims = [
        ClaimResult(
            section=section,
            text=claim.text,
            status=claim.status,
            note=claim.note,
            evidence=list(claim.evidence),
            arithmetic=list(claim.arithmetic),
        )
        for section in SECTIONS
        for claim in getattr(answer, section)
    ]
    return AskResult(
        request_id=log.request_id,
        kind=answer.kind,
        headline=answer.headline.text,
        claims=claims,
        evidence=[source_result(item) for item in log.evidence if item.id in cited],
        missing=[MissingResult(text=gap.text, tool=gap.tool, tried=list(gap.tried)) for gap in answer.missing],
        options=[option.value for option in answer.options],
        tools_used=list(dict.fromkeys(call.name for call in log.tool_calls)),
        confidence=answer.confidence,
        banner=answer.banner or "",
        reasoner=log.reasoner,
        proposals=[proposal_result(p, name_proposal(log.request_id, i)) for i, p in enumerate(log.proposals)],
        done=done,
    )


def as_text(result: AskResult) -> str:
    """An answer to read: claims with the evidence they name, and where that is."""
    lines = [result.banner, result.headline, *(f"- {claim_line(claim)}" for claim in result.claims)]
    lines += [f"- Not found: {gap.text}" for gap in result.missing]
    lines += [f"{number}. {option}" for number, option in enumerate(result.options, 1)]
    lines += [f"[{item.id}] {item.title}: {item.url or item.locator}" for item in result.evidence]
    lines += [f"Proposed ({p.id}): {p.title}" for p in result.proposals]
    return "\n".join(line for line in (*lines, *result.done) if line)


def claim_line(claim: ClaimResult) -> str:
    """``p95 rose to 1.9 s [E1]``."""
    doubt = "(hypothesis) " if claim.status == "hypothesis" else NOTES[claim.note]
    cited = f" [{', '.join(claim.evidence)}]" if claim.evidence else ""
    return f"{doubt}{claim.text}{cited}"


def sent(result: BaseModel, text: str = "", *, wrong: bool = False) -> CallToolResult:
    """An object as the result of a call, with a text for clients that read no objects."""
    said = text or result.model_dump_json(exclude_defaults=True)
    return CallToolResult(
        content=[TextContent(type="text", text=said[:TEXT_CHARS])],
        structured_content=result.model_dump(mode="json"),
        is_error=wrong,
    )
