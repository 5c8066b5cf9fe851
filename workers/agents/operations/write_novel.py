"""Answers to questions that no known pattern fits: rows that were counted, meanings, what tools told."""

from __future__ import annotations

from workers.agents.operations.write_errors import write_errors
from workers.agents.operations.write_latency import write_latency
from workers.agents.operations.write_lookup import write_request, write_user
from workers.agents.operations.write_past_state import write_then
from workers.agents.operations.write_quality import write_quality
from workers.agents.operations.write_rows import write_rows
from workers.agents.operations.write_traffic import write_traffic
from workers.contracts import Draft, Evidence
from workers.ports import Brief
from workers.reasoning.deployment_parts import SCHEMA, WIDE, claim, found_of, incident_claims
from workers.reasoning.deployment_state import write_state


def write_novel(brief: Brief) -> Draft:
    """By what was found: rows, meanings, else the writer whose tool told something."""
    found = found_of(brief)
    if meanings := [e for e in found.evidence if e.locator.startswith(f"{SCHEMA}/")]:
        return write_schema(brief, meanings)
    if any(c.step == "then" for c in brief.calls):
        return write_then(brief)
    if found.of_step("rows") or any(c.step == "rows" for c in brief.calls):
        return write_rows(brief)
    steps = {c.step for c in brief.calls if c.status == "ok" or c.step in {"request", "user"}}
    for step, writer in (
        ("request", write_request),
        ("user", write_user),
        ("quality", write_quality),
        ("trends", write_latency),
        ("volume", write_traffic),
        ("requests", write_errors),
    ):
        if step in steps or f"{step}{WIDE}" in steps:
            return writer(brief)
    return write_state(brief)


def write_schema(brief: Brief, meanings: list[Evidence]) -> Draft:
    """What a name means; the tables, when none is named."""
    overview = next((e for e in brief.evidence if e.locator == SCHEMA), None)
    first = meanings[0]
    head = claim(f"{{{first.id}.meaning}}", first)
    if overview:
        head = claim(f"{{{overview.id}.table_count}} tables: {{{overview.id}.listed}}.", overview)
        meanings = [first, *meanings[1:]]
    else:
        meanings = meanings[1:]
    found = found_of(brief)
    return Draft(
        headline=head,
        what_changed=incident_claims(found),
        docs=tuple(claim(f"{{{e.id}.meaning}}", e) for e in meanings[:9]),
        missing=brief.gaps,
        confidence="high",
    )
