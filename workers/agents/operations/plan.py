"""The plan of a question about operations: its pattern filled, what is counted, or the nearest facts."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta

from workers.agents.operations.incident_query import incident_query, incidents_query
from workers.agents.operations.inquiry import PAST, SCHEMA, Inquiry
from workers.agents.operations.parameters import with_span
from workers.agents.operations.question_words import typed_sql
from workers.agents.operations.sql_text import Query, write_sql
from workers.agents.operations.validators import SQL_TOOL, is_ops_like
from workers.contracts import Intent, Landscape, PatternStep, Plan, Scalar, Step, rfc3339
from workers.engine.validate import NOVEL
from workers.ports import Brief
from workers.reasoning.deployment_parts import WIDE

SLOT = re.compile(r"\{([^{}]+)\}")
ROWS = "rows"
"""The step whose rows answer a question."""
INCIDENTS = Step(id="incidents", tool="get_active_incidents", args={}, purpose="see what is wrong now")
STATUS = PatternStep(
    id="status",
    tool="get_deployment_status",
    args={"model_id": "{of_model}", "backend_id": "{of_backend}"},
    purpose="see how the deployments do",
)
COUNTED_SO = "the SQL was put together from the question, and counts rows as they are stored"
SPANS = (timedelta(days=7), timedelta(days=30))
"""How far back is looked when a span held nothing."""
SPANNED = frozenset({"get_recent_requests", "get_latency_trends", "get_quality_summary", "get_request_volume"})


def make_plan(inquiry: Inquiry, intent: Intent, landscape: Landscape, max_steps: int) -> Plan:
    """The steps of the pattern in its order, exactly; of a novel question what it counts, else how things stand."""
    values = with_span(inquiry.parameters.values, intent)
    if inquiry.pattern != NOVEL:
        return Plan(
            pattern=inquiry.pattern,
            query_intent=inquiry.entry.query_intent,
            steps=tuple(fill_step(step, values) for step in inquiry.entry.steps),
            uncertainties=inquiry.entry.uncertainties,
            verification_tips=inquiry.entry.verification_tips,
        )
    steps = list(novel_steps(inquiry, landscape))
    kind = "schema_docs" if any(s.tool == "get_schema" for s in steps) else "other" if steps else "ops_investigation"
    if is_ops_like(inquiry.text, kind) or not steps:
        steps = [INCIDENTS, fill_step(STATUS, values), *steps]
    return Plan(
        pattern=NOVEL,
        query_intent=kind,
        steps=tuple(steps[:max_steps]),
        uncertainties=(COUNTED_SO if inquiry.query else "the steps were chosen by the words of the question",),
        verification_tips=(tip(steps[min(len(steps), max_steps) - 1]),),
    )


def tip(step: Step) -> str:
    """How a person can check what a step told."""
    if step.tool == SQL_TOOL:
        return "read the SELECT that ran: it is the excerpt of the evidence"
    return f"compare with the tool itself: oracle tool {step.tool} {shlex.quote(json.dumps(dict(step.args)))}"


def novel_steps(inquiry: Inquiry, landscape: Landscape) -> Iterator[Step]:
    """What answers it beyond how things stand: the query that was typed, meanings, incidents, figures."""
    if typed := typed_sql(inquiry.text):
        yield Step(id=ROWS, tool=SQL_TOOL, args={"query": typed}, purpose="run the query as it was asked")
    elif inquiry.left and not inquiry.is_past:
        return
    elif inquiry.kind == SCHEMA:
        yield Step(id="schema", tool="get_schema", args={"subject": inquiry.text}, purpose="look up what the data mean")
    elif inquiry.kind == PAST and (ids := inquiry.parameters.names.get("incident")):
        yield sql_step(ROWS, incident_query(ids))
    elif inquiry.kind == PAST:
        yield sql_step(ROWS, incidents_query(inquiry.text, inquiry.parameters, inquiry.window, landscape))
    elif inquiry.query:
        yield sql_step(ROWS, inquiry.query)


def sql_step(name: str, query: Query) -> Step:
    """One SELECT."""
    return Step(id=name, tool=SQL_TOOL, args={"query": write_sql(query)}, purpose=query.purpose)


def fill_step(step: PatternStep, values: Mapping[str, str]) -> Step:
    """Fill the slots known now; those with a dot wait for the run."""
    args: dict[str, Scalar] = {}
    for name, value in step.args.items():
        filled = fill(value, values) if isinstance(value, str) else value
        if filled != "":
            args[name] = filled
    return Step(id=step.id, tool=step.tool, args=args, purpose=fill(step.purpose, values), after=step.after)


def fill(text: str, values: Mapping[str, str]) -> str:
    """Replace ``{name}``, by nothing when it has no value; ``{step.fact}`` stays."""
    filled = SLOT.sub(lambda m: m[0] if "." in m[1] else values.get(m[1], ""), text)
    return re.sub(r" {2,}", " ", filled).strip()


# --- once more ------------------------------------------------------------------------------------------------


def look_further(brief: Brief, max_steps: int) -> Plan | None:
    """After steps that found nothing or failed: a longer span, and how things stand."""
    empty = {c.step for c in brief.calls if c.status == "empty"}
    lost = [s for s in brief.plan.steps if s.id in empty and s.tool in SPANNED]
    more = [wide for step in lost if (wide := widened(step, brief))]
    tools = {s.tool for s in brief.plan.steps}
    if "get_active_incidents" not in tools:
        more += [INCIDENTS, Step(id="status_all", tool="get_deployment_status", args={}, purpose="see how all do")]
    room = max_steps - len(brief.plan.steps)
    if not more or room <= 0:
        return None
    tips = ("name a longer span, or another model, deployment or user",)
    steps: Sequence[Step] = more[:room]
    return Plan(pattern=NOVEL, query_intent=brief.plan.query_intent, steps=tuple(steps), verification_tips=tips)


def widened(step: Step, brief: Brief) -> Step | None:
    """The same over a longer span that ends when the asked one does; none for failures, of which none is a result."""
    window = brief.intent.window
    if window is None or step.args.get("status") in {"error", "timeout"}:
        return None
    longer = next((span for span in SPANS if span > window.end - window.start), None)
    if longer is None:
        return None
    args = {k: v for k, v in step.args.items() if k not in {"since", "granularity"}}
    args["since"] = rfc3339(window.end - longer)
    return Step(id=f"{step.id}{WIDE}", tool=step.tool, args=args, purpose=f"look {longer.days} days back")
