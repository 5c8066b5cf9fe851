"""Steps for a question that no known pattern fits: the tools its words call for, SQL where no tool counts it."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta

from workers.agents.operations.counting_query import incident_counts, like_request, read_query
from workers.agents.operations.incident_query import (
    asks_for_incidents,
    impact_query,
    incident_query,
    incidents_query,
)
from workers.agents.operations.inquiry import Inquiry
from workers.agents.operations.measures import MOST_OF
from workers.agents.operations.numeric_bounds import bounds_in, picks
from workers.agents.operations.parameters import Parameters, with_span
from workers.agents.operations.past_state_plan import steps_then
from workers.agents.operations.plan_steps import INCIDENTS, ROWS, THEN, sql_step, status_step, step_of
from workers.agents.operations.question_words import typed_sql
from workers.agents.operations.time_comparison import compares_times
from workers.agents.operations.tool_coverage import OF_INCIDENT, left_out
from workers.agents.operations.validators import SQL_TOOL, is_ops_like
from workers.contracts import Intent, Landscape, Plan, Scalar, Step, ToolCall, rfc3339
from workers.engine.validate import NOVEL
from workers.grounding.lexicon import words
from workers.ports import Brief
from workers.reasoning.claim_phrases import join
from workers.reasoning.deployment_parts import SERVED, WIDE

TOPICS: tuple[tuple[str, str, str, re.Pattern[str]], ...] = (
    (
        "get_latency_trends",
        "trends",
        "see how latency moved",
        words(r"latenc\w+|slow\w*|fast\w*|p50|p9\d|tail|response times?|spik\w+|regress\w+|performance"),
    ),
    ("get_quality_summary", "quality", "see how answers were scored", words(r"quality|scor\w+|evals?|evaluations?")),
    (
        "get_request_volume",
        "volume",
        "count requests",
        words(r"traffic|volume|load|throughput|requests? (?:per|by)|how many requests|number of requests|busi\w+|busy"),
    ),
    (
        "get_recent_requests",
        "requests",
        "see the last requests",
        words(r"requests|errors?|fail\w*|timeouts?|timed out|recent\w*|tier|users?|customers?"),
    ),
)
SCHEMA = words(
    r"tables?|columns?|schema|fields?|mean(?:s|ing)?|stand for|defined|definition|computed|calculated|what data"
)
HEALTH = words(r"status|health\w*|degraded|down|stale|deployments?|error rates?|queue\w*|rate limits?|ttft")
UNCERTAIN = "the steps were chosen by the words of the question"
SPANS = (timedelta(days=7), timedelta(days=30))
"""How far back is looked when a span held nothing."""
SPANNED = frozenset({"get_recent_requests", "get_latency_trends", "get_quality_summary", "get_request_volume"})


def compose(inquiry: Inquiry, intent: Intent, landscape: Landscape, max_steps: int) -> Plan:
    """Domain tools by what is asked; incidents and health first wherever the question may be of how things stand."""
    steps = list(chosen(inquiry, intent, landscape.labels.get("deployment", ())))
    kind = intent_of(steps)
    if is_ops_like(inquiry.text, kind) or not steps:
        steps = [INCIDENTS, status_step(inquiry.parameters), *steps]
    steps = without_twins(steps)[:max_steps]
    return Plan(
        pattern=NOVEL,
        query_intent=kind,
        steps=tuple(steps),
        uncertainties=tuple(uncertainties(inquiry, steps)),
        verification_tips=(*inquiry.entry.verification_tips, tip(steps[-1])),
    )


def tip(step: Step) -> str:
    """How a person can check what a step told."""
    if step.tool == "safe_sql_query":
        return "read the SELECT that ran: it is the excerpt of the evidence"
    return f"compare with the tool itself: oracle tool {step.tool} {shlex.quote(json.dumps(dict(step.args)))}"


def chosen(inquiry: Inquiry, intent: Intent, known: Sequence[str]) -> Iterator[Step]:
    """What the question names, then what it counts, then what it speaks of."""
    text, parameters = inquiry.text, inquiry.parameters
    values = with_span(parameters.values, intent)
    if typed := typed_sql(inquiry.text):
        yield Step(id=ROWS, tool=SQL_TOOL, args={"query": typed}, purpose="run the query as it was asked")
        return
    if SCHEMA.search(inquiry.text):
        yield Step(id="schema", tool="get_schema", args={"subject": inquiry.text}, purpose="look up what the data mean")
        return
    if OF_INCIDENT.search(text) and (counted := incident_counts(inquiry)):
        yield sql_step(ROWS, counted)
        return
    if ids := parameters.names.get("incident"):
        yield sql_step(ROWS, incident_query(ids))
        yield sql_step("impact", impact_query(ids, rfc3339(inquiry.at.now)))
        return
    window = inquiry.then or (intent.window if intent.time_hints and asks_for_incidents(text) else None)
    picked = not inquiry.cue and picks(inquiry.text) and bounds_in(inquiry.text)
    if window and not picked and not compares_times(inquiry.text):
        yield from steps_then(inquiry, intent, window, known)
        return
    if parameters.get("request_id"):
        yield step_of("get_request_detail", "request", "open the request", values)
    query = read_query(inquiry, intent)
    if parameters.get("user_id"):
        yield step_of("get_user_context", "user", "see the user's tier and budget", values)
    if query:
        if inquiry.cue == "SYSTEM_STATUS" or (not inquiry.cue and set(SERVED) & set(parameters.names)):
            yield from (INCIDENTS, status_step(parameters))
        yield sql_step(ROWS, query)
        return
    yield from by_topic(text, parameters, values)


def by_topic(text: str, parameters: Parameters, values: Mapping[str, str]) -> Iterator[Step]:
    """The domain tools that the words call for."""
    if HEALTH.search(text):
        yield status_step(parameters)
    topics = [topic for topic in TOPICS if topic[-1].search(text)]
    for tool, name, purpose, _ in topics:
        yield step_of(tool, name, purpose, values)
    if set(SERVED) & set(parameters.names) and not topics:
        yield status_step(parameters)
        yield step_of("get_latency_trends", "trends", "see how latency moved", values)


def without_twins(steps: Sequence[Step]) -> list[Step]:
    """Each tool with the same arguments once."""
    out: list[Step] = []
    for step in steps:
        if not any(s.tool == step.tool and s.args == step.args for s in out) and step.id not in {s.id for s in out}:
            out.append(step)
    return out


def intent_of(steps: Sequence[Step]) -> str:
    """One of the kinds of plan."""
    tools = [s.tool for s in steps]
    if "get_schema" in tools:
        return "schema_docs"
    if "get_request_detail" in tools:
        return "request_lookup"
    if "get_user_context" in tools:
        return "user_lookup"
    if tools and set(tools) <= {"get_request_volume"}:
        return "traffic"
    return "ops_investigation" if not tools or "safe_sql_query" not in tools else "other"


def uncertainties(inquiry: Inquiry, steps: Sequence[Step]) -> Iterator[str]:
    """What a reader has to know of steps that nobody has tried before."""
    if typed_sql(inquiry.text):
        yield "the query ran as it was written"
        return
    yield UNCERTAIN
    if any(s.id == ROWS for s in steps):
        yield "the SQL was put together from the question, and counts rows as they are stored"
    if not any(s.tool == "safe_sql_query" for s in steps) and MOST_OF.search(inquiry.text):
        yield "the question does not say what is to be ranked: users, models, deployments or something else"
    if inquiry.parameters.ambiguous:
        yield "a name stands for several things"
    for step in steps:
        loose = left_out(step.tool, inquiry.parameters) if step.tool in SPANNED else ()
        if loose and not any(s.id == ROWS for s in steps):
            yield f"{step.tool} cannot be narrowed to {join(loose)}"
    lacking = [slot for slot in inquiry.entry.requires if not inquiry.parameters.get(slot)]
    if lacking:
        yield f"{lacking[0]} is not named"


# --- once more ------------------------------------------------------------------------------------------------


def look_further(brief: Brief, inquiry: Inquiry, max_steps: int) -> Plan | None:
    """After steps that failed or found nothing: a longer span, names that exist, the same by another tool."""
    if any(s.id == THEN for s in brief.plan.steps):
        return None  # a longer span is no answer to how things stood then
    lost = {c.step for c in brief.calls if c.status in {"empty", "error"}}
    steps = [s for s in brief.plan.steps if s.id in {c.step for c in brief.calls if c.status == "empty"}]
    more = list(further(brief, steps, inquiry))
    room = max_steps - len(brief.plan.steps)
    if not more or room <= 0:
        return None
    return Plan(
        pattern=NOVEL,
        query_intent=brief.plan.query_intent,
        steps=tuple(more[:room]),
        uncertainties=tuple(f"{call_words(c)}" for c in brief.calls if c.step in lost),
        verification_tips=("name a longer span, or another model, deployment or user",),
    )


def further(brief: Brief, lost: Sequence[Step], inquiry: Inquiry) -> Iterator[Step]:
    """What else may find it."""
    for step in lost:
        if step.tool == "get_request_detail" and (request := inquiry.parameters.get("request_id")):
            args: dict[str, Scalar] = {"query": like_request(request)}
            yield Step(id="similar", tool="safe_sql_query", args=args, purpose="find requests with a similar id")
        if step.id == "impact" and any(s.id == ROWS for s in lost):
            yield sql_step("newest", incidents_query("", Parameters(), 5))
        if step.tool in SPANNED and not (is_of_failures(step) and checks_ran(brief)):
            wide = widened(step, brief)
            if wide:
                yield wide
            if wide and step.tool == "get_recent_requests" and any(s.id == "detail" for s in brief.plan.steps):
                args = {"request_id": f"{{{wide.id}.failed_request}}"}
                yield Step(
                    id="detail_wide",
                    tool="get_request_detail",
                    args=args,
                    purpose="open the newest request that failed",
                    after=(wide.id,),
                )
    tools = {s.tool for s in brief.plan.steps}
    everything = Step(id="status_all", tool="get_deployment_status", args={}, purpose="see how all deployments do")
    if "get_active_incidents" not in tools:
        yield INCIDENTS
        yield everything
    elif not lost:
        yield everything


def is_of_failures(step: Step) -> bool:
    """Whether a step looks for requests that failed, of which to find none is an answer."""
    return step.tool == "get_recent_requests" and step.args.get("status") in {"error", "timeout"}


def checks_ran(brief: Brief) -> bool:
    """Whether incidents and health were both read."""
    return {"get_active_incidents", "get_deployment_status"} <= {c.name for c in brief.calls if c.status == "ok"}


def widened(step: Step, brief: Brief) -> Step | None:
    """The same over a longer span that ends when the asked one does."""
    window = brief.intent.window
    if window is None:
        return None
    now_span = window.end - window.start
    longer = next((span for span in SPANS if span > now_span), None)
    if longer is None:
        return None
    args = {k: v for k, v in step.args.items() if k not in {"since", "granularity"}}
    args["since"] = rfc3339(window.end - longer)
    return Step(id=f"{step.id}{WIDE}", tool=step.tool, args=args, purpose=f"look {longer.days} days back")


def call_words(call: ToolCall) -> str:
    """What a call came to."""
    return f"{call.name} {'found nothing' if call.status == 'empty' else 'failed'}"
