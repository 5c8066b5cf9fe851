"""Steps for a question of how things stood in a span that is past."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from workers.agents.operations.counting_query import read_query
from workers.agents.operations.incident_query import during
from workers.agents.operations.inquiry import BESIDE_NOW, Inquiry
from workers.agents.operations.parameters import with_span
from workers.agents.operations.plan_steps import ROWS, THEN, sql_step, step_of
from workers.agents.operations.tool_coverage import goes_beyond, left_out
from workers.agents.operations.validators import SQL_TOOL
from workers.contracts import Intent, Step, Window, rfc3339
from workers.grounding.lexicon import words
from workers.reasoning.deployment_parts import SERVED

TOLD = {
    "": ("get_latency_trends", "trends", "see how requests fared then"),
    "QUALITY_INVESTIGATION": ("get_quality_summary", "quality", "see how answers were scored then"),
}
"""What tells how the requests of a span fared, by what is asked."""
FAILED = words(r"errors?|fail\w*|time ?outs?|timed out|broken?|wrong")


def steps_then(inquiry: Inquiry, intent: Intent, window: Window, known: Sequence[str]) -> Iterator[Step]:
    """How things stood in a span: the incidents that overlap it, and how the requests of that time fared."""
    text, parameters = inquiry.text, inquiry.parameters
    asked = [name for kind in SERVED for name in parameters.names.get(kind, ())]
    incidents = Step(
        id=THEN,
        tool=SQL_TOOL,
        args={"query": during(window, asked, owners_of(asked, known))},
        purpose="see which incidents there were",
    )
    if inquiry.cue not in BESIDE_NOW:
        yield incidents  # what comes first is told first
    spanned = {"since": rfc3339(window.start), "until": rfc3339(window.end)}
    values = {**with_span(parameters.values, intent), **spanned}
    tool, name, purpose = TOLD.get(inquiry.cue, TOLD[""])
    beyond = goes_beyond(inquiry.cue, text, parameters) or left_out(tool, parameters)
    counted = read_query(replace(inquiry, cue=inquiry.cue or "SYSTEM_STATUS"), intent) if beyond else None
    yield sql_step(ROWS, counted) if counted else step_of(tool, name, purpose, values)
    failing = parameters.get("failing") or "error"
    if inquiry.cue in BESIDE_NOW:
        yield incidents
    wants_requests = inquiry.cue == "ERROR_INVESTIGATION" or FAILED.search(text)
    if wants_requests and not left_out("get_recent_requests", parameters):
        yield step_of(
            "get_recent_requests", "requests", "see the requests that failed then", {**values, "status": failing}
        )


def owners_of(names: Sequence[str], known: Sequence[str]) -> list[str]:
    """What an incident may be on to touch one of these: itself, its deployments, and what those are made of."""
    parts = {part for name in names for part in (name, *name.split("/"))}
    touched = [d for d in known if d in parts or set(d.split("/")) & set(names)]
    return sorted({*parts, *touched, *(part for d in touched for part in d.split("/"))})
