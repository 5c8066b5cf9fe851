"""PURE. Answers to questions that no known pattern fits: rows that were counted, meanings, what tools told."""

from __future__ import annotations

from workers.contracts import Claim, Draft, Evidence, Gap
from workers.engine.health import text
from workers.ports import Brief
from workers.reasoning.operations.parts import (
    SCHEMA,
    SQL,
    WIDE,
    Found,
    claim,
    deployment_claims,
    found_of,
    incident_claims,
    state_claim,
)
from workers.reasoning.operations.write_errors import write_errors
from workers.reasoning.operations.write_latency import write_latency
from workers.reasoning.operations.write_lookup import write_request, write_user
from workers.reasoning.operations.write_quality import write_quality
from workers.reasoning.operations.write_state import write_state
from workers.reasoning.operations.write_traffic import write_traffic
from workers.reasoning.phrases import has

MOST_ROWS = 10
NAMES = tuple(
    """request_id incident_id user_id tier model_id backend_id deployment_id task_type error_code status experiment_id
    router_version day hour_of_day target_id provider region""".split()
)
"""Columns that say whose row it is."""
SAID = {
    "request_count": "requests",
    "error_count": "errors",
    "timeout_count": "timeouts",
    "failed_count": "failed requests",
    "token_count": "tokens",
    "input_token_count": "input tokens",
    "output_token_count": "output tokens",
    "sample_count": "scored requests",
    "user_count": "users",
    "model_count": "models",
    "backend_count": "backends",
    "deployment_count": "deployments",
    "tier_count": "tiers",
    "context_token_count": "context tokens",
}
"""Columns that are counts of something."""


def write_novel(brief: Brief) -> Draft:
    """By what was found: rows, meanings, else the writer whose tool told something."""
    found = found_of(brief)
    if meanings := [e for e in found.evidence if e.locator.startswith(f"{SCHEMA}/")]:
        return write_schema(brief, meanings)
    if found.of_step("rows") or any(c.step == "rows" for c in brief.calls):
        return write_rows(brief, found)
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


def write_rows(brief: Brief, found: Found) -> Draft:
    """The first row as the headline, the others below it, in the order that was asked for; then how things stand."""
    rows = [e for e in found.of_step("rows") if "#row-" in e.locator]
    state = state_claim(found)
    if not rows:
        text_of_gap = next((g.text for g in brief.gaps if g.tool == "safe_sql_query"), "")
        nothing = Gap(text="Nothing in the data matches the question.", tool="safe_sql_query")
        return Draft(
            headline=Claim(template="I found no rows that answer this in the time asked for."),
            what_changed=incident_claims(found),
            metrics=state,
            missing=brief.gaps if text_of_gap else (nothing, *brief.gaps),
            confidence="low",
        )
    summary = next((e for e in found.of_step("rows") if e.locator.startswith(f"{SQL}/") and "#" not in e.locator), None)
    head = claim(f"{say_row(rows[0])}.", rows[0])
    if summary and has(rows[0], "incident_id"):
        head = claim(f"{{{summary.id}.row_count}} incidents found; the newest: {say_row(rows[0])}.", summary, rows[0])
    more = (Gap(text="More rows exist than are shown.", tool="safe_sql_query"),) if more_rows(summary, rows) else ()
    return Draft(
        headline=head,
        what_changed=incident_claims(found),
        metrics=(*(claim(f"{say_row(e)}.", e) for e in rows[1:MOST_ROWS]), *state, *deployment_claims(found, 3)),
        missing=(*more, *brief.gaps),
        confidence="medium",
    )


def more_rows(summary: Evidence | None, rows: list[Evidence]) -> bool:
    """Whether not all rows stand in the answer."""
    return len(rows) > MOST_ROWS or (summary is not None and text(summary, "has_more") == "yes")


def say_row(item: Evidence) -> str:
    """``support-desk (premium): 120 errors, 4,000 requests, error rate 3 %``."""
    k = item.id
    if has(item, "incident_id", "title", "target_id", "status", "started_at"):
        end = f", resolved {{{k}.resolved_at}}" if has(item, "resolved_at") else ""
        return (
            f"{{{k}.incident_id}} “{{{k}.title}}” on {{{k}.target_id}}: {{{k}.status}}; started {{{k}.started_at}}{end}"
        )
    owners = [f"{{{k}.{name}}}" for name in NAMES if name in item.facts]
    figures = [say_column(item, name) for name in item.facts if name not in NAMES]
    told = ", ".join(figures)
    if not owners:
        return told
    lead = f"{owners[0]} ({', '.join(owners[1:])})" if owners[1:] else owners[0]
    return f"{lead}: {told}" if told else lead


def say_column(item: Evidence, name: str) -> str:
    """A count by what it counts, another value by its name."""
    k = item.id
    if name in SAID and has(item, name):
        return f"{{{k}.{name}}} {SAID[name]}"
    words = name.removesuffix("_ms").removesuffix("_at").replace("_usd", " in USD").replace("_", " ")
    words = words.replace("toks per sec", "tokens a second").replace("avg", "average").replace("max ", "highest ")
    return f"{words} {{{k}.{name}}}"
