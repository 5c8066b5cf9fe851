"""PURE. A counting question -> one SELECT over the operations data: measures by a dimension, in a time, filtered."""

# ruff: noqa: S608 - every value in the SQL is quoted
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from workers.contracts import Intent, rfc3339
from workers.engine.validate import NOVEL
from workers.reasoning.operations.inquiry import Inquiry
from workers.reasoning.operations.measures import (
    ALWAYS,
    BEST,
    BY,
    COUNT,
    COUNTS,
    DIMENSIONS,
    FAILURES,
    LATENCY,
    LEAST,
    LISTED,
    MEASURES,
    MOST_OF,
    NUMBER,
    OVERVIEW,
    SCORED,
    USERS,
    WHO,
    Measure,
)
from workers.reasoning.operations.parameters import Parameters
from workers.reasoning.operations.reach import MAIN, OF_STATE, filters_of
from workers.reasoning.operations.sql_incidents import asks_for_incidents, incidents_query
from workers.reasoning.operations.sql_users import budget_query, sla_query, static_query, users_query
from workers.reasoning.operations.sql_write import Query, quoted, stored
from workers.reasoning.operations.words import DAILY, HOURLY, percentiles_of

FEWEST, MOST = 10, 100
USUAL = {
    "LATENCY_INVESTIGATION": LATENCY,
    "ERROR_INVESTIGATION": FAILURES,
    "QUALITY_INVESTIGATION": SCORED,
    "TRAFFIC_ANALYSIS": Measure((COUNT,)),
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
TIMELY = frozenset({"day", "hour", "hour of day"})


def read_query(inquiry: Inquiry, intent: Intent) -> Query | None:
    """What a question counts, by what and where; None when it counts nothing."""
    text, parameters = inquiry.words, inquiry.parameters
    for special in (sla_query(inquiry, intent), budget_query(inquiry, intent), static_query(text)):
        if special:
            return special
    if listed := users_query(text, parameters):
        return listed
    if asks_for_incidents(text):
        return incidents_query(text, parameters, limit_of(text, 20))
    if LISTED.search(text):
        return slowest_query(inquiry, intent)
    measure = measure_of(inquiry)
    if measure is None:
        return None
    found = told_apart(text, parameters)
    if not found and MOST_OF.search(text) and measure.adds_up:
        return None  # no total tells the most of what is not named
    return counted(inquiry, intent, measure, found)


def counted(inquiry: Inquiry, intent: Intent, measure: Measure, found: list[str]) -> Query:
    """A measure by what is told apart; what is named alone stands in each row, so that it is seen whose it is."""
    text, parameters = inquiry.words, inquiry.parameters
    timed = found[:1] in (["day"], ["hour"], ["hour of day"])
    alone = [kind.removesuffix("_type") for kind in filters_of(parameters) if len(parameters.names[kind]) == 1]
    dimensions = list(dict.fromkeys([*found, *alone]))
    by = tuple(DIMENSIONS[noun][:2] for noun in dimensions)
    joins = tuple(DIMENSIONS[noun][2] for noun in dimensions if DIMENSIONS[noun][2])
    conditions, more = filters(parameters)
    if "error code" in found:
        conditions = (*conditions, "requests.error_code is not null")
    span = span_of(inquiry, intent, 1 if found[:1] == ["hour"] else measure.days)
    return Query(
        table="requests",
        measure=measure,
        by=by,
        joins=tuple(dict.fromkeys((*measure.joins, *joins, *more))),
        where=(*conditions, *state_of(text, measure), *within(span, "requests.created_at")),
        order=by[0][1] if timed else measure.names[0],
        ascending=timed or is_ascending(text, measure),
        limit=limit_of(text, MOST if timed else FEWEST),
        purpose=f"count by {' and '.join(name.replace('_', ' ') for _, name in by)}" if by else "count it",
        span=span,
        extra=() if span or by or measure.percentiles else STORED,
    )


def measure_of(inquiry: Inquiry) -> Measure | None:
    """What is counted; of several that are compared, and of what no tool can be narrowed to, whatever is usual."""
    text, parameters = inquiry.words, inquiry.parameters
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
        named = Measure((COUNT,))
    if named is None or (named.names == ("request_count",) and inquiry.cue == "SYSTEM_STATUS"):
        named = USUAL.get(inquiry.cue, OVERVIEW) if several or beyond else None
    asked = tuple(sorted(percentiles_of(text)))
    if named and named.of and asked:
        return replace(named, columns=(("max(value)", f"max_{named.of.partition('.')[2]}"), COUNT), percentiles=asked)
    return named


def told_apart(text: str, parameters: Parameters) -> list[str]:
    """By what: the nouns after "by" and "which", several names of a kind, days, users for "who"."""
    nouns = [singular(m["noun"].lower()) for m in BY.finditer(text)]
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
    good_is_low = measure is not SCORED and not measure.adds_up
    return bool(LEAST.search(text) or (good_is_low and BEST.search(text)))


def without_group(text: str) -> str:
    """A question without what it groups by: "by error code" counts no errors."""
    return re.sub(r"\b(?:by|per) (?:error code|status)\b", " ", text, flags=re.IGNORECASE)


def singular(noun: str) -> str:
    """``models`` -> ``model``."""
    if re.fullmatch(r"hours? of (?:the )?day", noun):
        return "hour of day"
    return "status" if noun.startswith("status") else noun.removesuffix("s")


def limit_of(text: str, usual: int) -> int:
    """As many rows as are asked for."""
    asked = NUMBER.search(text)
    return max(1, min(int(asked["n"]), MOST)) if asked else usual


def filters(parameters: Parameters) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Conditions on requests, and the tables that they need; several names of one kind are alternatives."""
    out = [
        f"{column} in ({', '.join(map(quoted, parameters.names[kind]))})"
        for kind, column in COLUMNS.items()
        if kind in parameters.names and kind != "task_type"
    ]
    if tasks := parameters.names.get("task_type"):
        out.append(f"({' or '.join(of_task(name) for name in tasks)})")
    return tuple(out), (USERS,) if "tier" in parameters.names else ()


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
    text = inquiry.words
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
