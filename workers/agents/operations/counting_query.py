"""A counting question -> one SELECT over the operations data: measures by a dimension, in a time, filtered."""

# ruff: noqa: S608 - every value in the SQL is quoted
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta

from workers.agents.operations.incident_query import asks_for_incidents, incidents_query, of_incident_query
from workers.agents.operations.inquiry import Inquiry
from workers.agents.operations.measures import (
    ALWAYS,
    BAD,
    BY,
    COUNT,
    COUNTS,
    DIMENSIONS,
    FAILURES,
    GOOD,
    LATENCY,
    LEAST,
    LISTED,
    MEASURES,
    MOST_OF,
    NUMBER,
    OVERVIEW,
    SCORED,
    TRAFFIC,
    USERS,
    WHO,
    WITH,
    Measure,
)
from workers.agents.operations.numeric_bounds import Bound, bounds_in, of_groups, of_requests, with_latency
from workers.agents.operations.parameters import Parameters
from workers.agents.operations.question_words import DAILY, HOURLY, NOUN, percentiles_of, singular
from workers.agents.operations.sql_text import FEWEST, Query, conditions_on, quoted, stored
from workers.agents.operations.time_comparison import PERIOD, Spans, joined_spans, spans_in
from workers.agents.operations.tool_coverage import MAIN, OF_INCIDENT, OF_STATE, filters_of
from workers.agents.operations.user_query import budget_query, listed_query, sla_query, static_query
from workers.contracts import Intent, rfc3339
from workers.engine.validate import NOVEL
from workers.grounding.lexicon import words

MOST = 100
USUAL = {
    "LATENCY_INVESTIGATION": LATENCY,
    "ERROR_INVESTIGATION": FAILURES,
    "QUALITY_INVESTIGATION": SCORED,
    "TRAFFIC_ANALYSIS": TRAFFIC,
}
"""What a question with a pattern's cue asks for, where no word says more."""
COLUMNS = {
    "deployment": "requests.deployment_id",
    "model": "requests.model_id",
    "backend": "requests.backend_id",
    "user": "requests.user_id",
    "tier": "users.tier_id",
    "task_type": "requests.task_type",
}
STORED = (("min(requests.created_at)", "window_start"), ("max(requests.created_at)", "window_end"))
"""From when to when there are requests, where all of them are counted."""
AFFECTED = words(r"(?:affected|hit|impacted|touched) by")
HOW_MANY_OF = re.compile(rf"\b(?:how many|number of) (?:\w+ )?{NOUN}\b", re.IGNORECASE)
TIMELY = frozenset({"day", "hour", "hour of day"})


def read_query(inquiry: Inquiry, intent: Intent) -> Query | None:
    """What a question counts, by what and where; None when it counts nothing."""
    text, parameters = inquiry.text, inquiry.parameters
    for special in (sla_query(inquiry, intent), budget_query(inquiry, intent), listed_query(text, parameters)):
        if special:
            return special
    if of_incident := incident_counts(inquiry):
        return of_incident
    if asks_for_incidents(text):
        return incidents_query(text, parameters, limit_of(text, 20), rfc3339(inquiry.at.now))
    if LISTED.search(text):
        return slowest_query(inquiry, intent)
    measure = measure_of(inquiry)
    if (measure is None or measure is TRAFFIC) and (static := static_query(text)):
        return static
    spans = spans_in(inquiry.text, inquiry.at)
    measure = measure or (OVERVIEW if spans else None)
    if measure is None:
        return None
    found = told_apart(text, parameters)
    if not found and MOST_OF.search(text) and measure.adds_up:
        return None  # no total tells the most of what is not named
    query = write_counted(inquiry, intent, measure, found)
    return by_period(query, spans) if spans else query


def by_period(query: Query, spans: Spans) -> Query:
    """The same for each of the times that are compared, the first one named first."""
    moment = "requests.created_at"
    where = tuple(c for c in query.where if not c.startswith((f"{moment} >=", f"{moment} <")))
    first = [name for _, name in query.by]
    return replace(
        query, by=(*query.by, *PERIOD, ("spans.turn", "turn")), joins=(*query.joins, joined_spans(spans, moment)),
        where=where, order=", ".join((*first, "turn")), ascending=True, limit=MOST, span=None, extra=(),
        purpose="compare the times",
    )  # fmt: skip


def incident_counts(inquiry: Inquiry) -> Query | None:
    """What is counted of the time of one incident, or whom it touched; none when the incident itself is asked for."""
    text = inquiry.text
    measure = FAILURES if AFFECTED.search(text) else measure_of(inquiry) if OF_INCIDENT.search(text) else None
    if measure is None:
        return None
    by = tuple(DIMENSIONS[noun] for noun in told_apart(text, inquiry.parameters))
    joins = tuple(dict.fromkeys((*measure.joins, *(join for _, _, join in by if join))))
    names = tuple((expression, name) for expression, name, _ in by)
    now = rfc3339(inquiry.at.now)
    query = of_incident_query(text, inquiry.parameters, measure, names, joins, now)
    if query is None:
        return None
    conditions, more = filters(inquiry.parameters)
    having = (f"{measure.columns[0][0]} > 0",) if by and AFFECTED.search(text) else ()
    return replace(
        query, where=(*query.where, *conditions), joins=tuple(dict.fromkeys((*more, *query.joins))), having=having,
        ascending=is_ascending(text, measure),
    )  # fmt: skip


def write_counted(inquiry: Inquiry, intent: Intent, measure: Measure, found: list[str]) -> Query:
    """A measure by what is told apart; what is named alone stands in each row, so that it is seen whose it is."""
    text, parameters = inquiry.text, inquiry.parameters
    bounds = bounds_in(text)
    each = tuple(filter(None, map(of_requests, bounds)))
    measure = TRAFFIC if each and measure is LATENCY else with_latency(measure, bounds)
    timed = found[:1] in (["day"], ["hour"], ["hour of day"])
    alone = [kind.removesuffix("_type") for kind in filters_of(parameters) if len(parameters.names[kind]) == 1]
    dimensions = list(dict.fromkeys([*found, *alone]))
    by = tuple(DIMENSIONS[noun][:2] for noun in dimensions)
    joins = tuple(DIMENSIONS[noun][2] for noun in dimensions if DIMENSIONS[noun][2])
    conditions, more = filters(parameters)
    if "error code" in found:
        conditions = (*conditions, "requests.error_code is not null")
    having = tuple(filter(None, (of_groups(b, measure) for b in bounds if not b.each))) if found else ()
    if found and not having and not each and HOW_MANY_OF.search(text):
        having = (f"{measure.columns[0][0]} > 0",) if measure.adds_up else ()
    picked = bool(having) or (bool(found) and bool(each) and bool(HOW_MANY_OF.search(text)))
    span = span_of(inquiry, intent, 1 if found[:1] == ["hour"] else measure.days)
    extra: tuple[tuple[str, str], ...] = () if span or by or measure.percentiles else STORED
    if picked or (each and not by):
        extra = fitting(bounds, measure) if picked else asked_for(bounds)
    return Query(
        table="requests",
        measure=measure,
        by=by,
        joins=tuple(dict.fromkeys((*measure.joins, *joins, *more))),
        where=(*conditions, *each, *state_of(text, measure), *within(span, "requests.created_at")),
        having=having,
        order=by[0][1] if timed else measure.names[0],
        ascending=timed or is_ascending(text, measure),
        limit=limit_of(text, MOST if timed or picked else FEWEST),
        purpose=f"count by {' and '.join(name.replace('_', ' ') for _, name in by)}" if by else "count it",
        span=span,
        extra=extra,
    )


def fitting(bounds: Sequence[Bound], measure: Measure) -> tuple[tuple[str, str], ...]:
    """How many fit, where some are picked, and what is asked of them."""
    least = f"at least 1 {measure.names[0].removesuffix('_count').replace('_', ' ')}"
    return ("count(*) over ()", "group_count"), *(asked_for(bounds) or ((quoted(least), "asked_for"),))


def asked_for(bounds: Sequence[Bound]) -> tuple[tuple[str, str], ...]:
    """The bounds as they are said."""
    return ((quoted(" and ".join(b.said for b in bounds)), "asked_for"),) if bounds else ()


def measure_of(inquiry: Inquiry) -> Measure | None:
    """What is counted; of several that are compared, and of what no tool can be narrowed to, whatever is usual."""
    text, parameters = inquiry.text, inquiry.parameters
    several = any(len(parameters.names.get(kind, ())) > 1 for kind in COLUMNS)
    cued = inquiry.cue in MAIN and inquiry.cue != "USER_LOOKUP"
    beyond = inquiry.pattern == NOVEL and cued and not several
    if not (several or beyond or COUNTS.search(text) or WHO.search(text)):
        return None
    plain = without_group(text)
    bare = OF_STATE.sub(" ", plain)
    named = next((m for pattern, m in MEASURES if pattern.search(bare)), None)
    if named is None or named.names == ("request_count",):
        named = next((m for pattern, m in MEASURES if pattern.search(plain)), None)
    if OF_STATE.search(plain) and "success" in plain.lower() and (named is None or named.adds_up):
        named = TRAFFIC
    if named is None or (named.names == ("request_count",) and inquiry.cue == "SYSTEM_STATUS"):
        named = USUAL.get(inquiry.cue, OVERVIEW) if several or beyond else None
    asked = tuple(sorted(percentiles_of(text)))
    if named and named.of and asked:
        return replace(named, columns=(("max(value)", f"max_{named.of.partition('.')[2]}"), COUNT), percentiles=asked)
    return named


def told_apart(text: str, parameters: Parameters) -> list[str]:
    """By what: the nouns after "by" and "which", several names of a kind, days, users for "who"."""
    nouns = [singular(m["noun"]) for pattern in (BY, WITH) for m in pattern.finditer(text)]
    nouns = ["task" if noun == "task type" else "user" if noun == "customer" else noun for noun in nouns]
    compared = [kind.removesuffix("_type") for kind in COLUMNS if len(parameters.names.get(kind, ())) > 1]
    timely = ["day"] if DAILY.search(text) else ["hour"] if HOURLY.search(text) and "hour of day" not in nouns else []
    found = list(dict.fromkeys([*nouns, *compared, *timely]))
    found.sort(key=lambda noun: noun not in TIMELY)
    found = found[:2]
    if not set(found) - TIMELY and WHO.search(text) and "user" not in parameters.names:
        found = ["user", *found][:2]
    return found


def is_ascending(text: str, measure: Measure) -> bool:
    """Whether the smallest come first."""
    for end, lowest in ((GOOD, measure.better == "low"), (BAD, measure.better == "high")):
        if end.search(text):
            return lowest
    return bool(LEAST.search(text))


def without_group(text: str) -> str:
    """A question without what it groups by: "by error code" counts no errors."""
    return re.sub(r"\b(?:by|per) (?:error code|status)\b", " ", text, flags=re.IGNORECASE)


def limit_of(text: str, usual: int) -> int:
    """As many rows as are asked for."""
    asked = NUMBER.search(text)
    return max(1, min(int(asked["n"]), MOST)) if asked else usual


def filters(parameters: Parameters) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Conditions on requests, and the tables that they need; several names of one kind are alternatives."""
    out = [*conditions_on(parameters, {kind: column for kind, column in COLUMNS.items() if kind != "task_type"})]
    if tasks := parameters.names.get("task_type"):
        out.append(f"({' or '.join(of_task(name) for name in tasks)})")
    out += [f"not {of_task(name)}" for name in parameters.excluded.get("task_type", ())]
    return tuple(out), (USERS,) if "tier" in {**parameters.names, **parameters.excluded} else ()


def of_task(name: str) -> str:
    """A type of task by its name, or by the stem of what one does in it: "coding" is code."""
    stem = re.sub(r"(?:i[sz]ation|ification|ation|ing|ion|at)$", "", name.lower())
    if stem == name.lower() or len(stem) < 3:
        return f"lower(requests.task_type) = {quoted(name.lower())}"
    return f"lower(requests.task_type) like {quoted(stem + '%')}"


def state_of(text: str, measure: Measure) -> tuple[str, ...]:
    """Requests that ended in a way that is named, unless that is what is counted."""
    match = OF_STATE.search(text)
    if match is None or any(name in measure.names for name in ("failed_count", "error_count", "timeout_count")):
        return ()
    low = match.group().lower()
    if low.startswith("succ"):
        return ("requests.status = 'success'",)
    return ("requests.status = 'timeout'",) if low.startswith("timed") else ("requests.status <> 'success'",)


def span_of(inquiry: Inquiry, intent: Intent, days: int) -> tuple[str, str] | None:
    """The time that was named, else the last days; none where all that is stored is asked for."""
    if intent.time_hints and intent.window:
        return rfc3339(intent.window.start), rfc3339(intent.window.end)
    if ALWAYS.search(inquiry.text):
        return None
    return rfc3339(inquiry.at.now - timedelta(days=days)), rfc3339(inquiry.at.now)


def within(span: tuple[str, str] | None, column: str) -> Iterator[str]:
    """Conditions of a time."""
    if span:
        yield f"{column} >= {stored(span[0])}"
        yield f"{column} < {stored(span[1])}"


def slowest_query(inquiry: Inquiry, intent: Intent) -> Query:
    """Single requests, the slowest or dearest first."""
    text = inquiry.text
    worst = ("requests.cost_usd", "cost_usd") if "expensive" in text.lower() else ("requests.latency_ms", "latency_ms")
    columns = (
        ("requests.id", "request_id"),
        worst,
        ("requests.deployment_id", "deployment_id"),
        ("requests.user_id", "user_id"),
        ("requests.status", "status"),
        ("requests.created_at", "created_at"),
    )
    conditions, joins = filters(inquiry.parameters)
    span = span_of(inquiry, intent, 1)
    return Query(
        "requests", Measure(()), by=columns, joins=joins,
        where=(*conditions, *within(span, "requests.created_at"), f"{worst[0]} is not null"),
        order=worst[1], limit=limit_of(text, FEWEST), purpose="list requests", span=span,
    )  # fmt: skip


def like_request(request_id: str) -> str:
    """Requests whose id begins as this one does."""
    start = re.sub(r"[^\w-]", "", request_id)[:7]
    return (
        "select requests.id as request_id, requests.deployment_id as deployment_id, requests.status as status, "
        f"requests.created_at as created_at from requests where requests.id like {quoted(f'{start}%')} "
        "order by created_at desc limit 5"
    )
