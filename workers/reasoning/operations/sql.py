"""PURE. A counting question -> one SELECT over the operations data: measures by a dimension, in a window, with filters.

The SQL is of the kind that SQLite and PostgreSQL share. It holds names and times of the question as quoted text only.
"""

# ruff: noqa: S608 - every value in the SQL is quoted
from __future__ import annotations

import re
from dataclasses import dataclass

from workers.contracts import Intent, rfc3339
from workers.reasoning.operations.measures import (
    BY,
    COUNTS,
    DIMENSIONS,
    HOW_MANY,
    INCIDENTS,
    LEAST,
    LISTED,
    LISTS_USERS,
    MEASURES,
    MOST_OF,
    NOT_ACTIVE,
    NUMBER,
    STATIC,
    SUPPORTS,
    USERS,
    WHO,
    Measure,
)
from workers.reasoning.operations.parameters import Parameters
from workers.reasoning.operations.words import DAILY

FEWEST, MOST = 10, 100


@dataclass(frozen=True)
class Query:
    """One SELECT. ``by``: expression and name of what is told apart; empty for one row over everything."""

    table: str
    measure: Measure
    by: tuple[tuple[str, str], ...] = ()
    joins: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    order: str = ""
    ascending: bool = False
    limit: int = FEWEST
    purpose: str = "count it"


def quoted(text: str) -> str:
    """A value as SQL text."""
    return "'" + text.replace("'", "''") + "'"


def stored(moment: str) -> str:
    """RFC 3339 as both databases compare it with a stored moment."""
    return quoted(moment.replace("T", " ").replace("Z", "+00:00"))


def read_query(text: str, parameters: Parameters, intent: Intent) -> Query | None:
    """What a question counts, by what and where; None when it counts nothing."""
    if static := static_query(text) or users_query(text, parameters):
        return static
    if INCIDENTS.search(text) and NOT_ACTIVE.search(text):
        return incidents_query(text, parameters, intent)
    if LISTED.search(text):
        return slowest_query(text, parameters, intent)
    if not COUNTS.search(text):
        return None
    measure = next((m for pattern, m in MEASURES if pattern.search(without_group(text))), None)
    if measure is None:
        return None
    nouns = [m["noun"].lower() for m in BY.finditer(text)]
    compared = [kind for kind in ("deployment", "model", "backend", "user") if len(parameters.names.get(kind, ())) > 1]
    daily = ["day"] if DAILY.search(text) else []
    found = list(dict.fromkeys([*(singular(noun) for noun in nouns), *compared, *daily]))[:2]
    if not set(found) - {"day"} and WHO.search(text):
        found = ["user", *found]
    if not found and lacks_group(text, measure):
        return None
    by = tuple(DIMENSIONS[noun][:2] for noun in found)
    joins = tuple(DIMENSIONS[noun][2] for noun in found if DIMENSIONS[noun][2])
    conditions, more = filters(parameters, intent)
    if "error code" in found:
        conditions = (*conditions, "requests.error_code is not null")
    return Query(
        table="requests",
        measure=measure,
        by=by,
        joins=tuple(dict.fromkeys((*measure.joins, *joins, *more))),
        where=conditions,
        order=by[0][1] if found[:1] in (["day"], ["hour"]) else measure.columns[0][1],
        ascending=bool(LEAST.search(text)) or found[:1] in (["day"], ["hour"]),
        limit=limit_of(text, MOST if found[:1] in (["day"], ["hour"]) else FEWEST),
        purpose=f"count by {' and '.join(name.replace('_', ' ') for _, name in by)}" if by else "count it",
    )


def lacks_group(text: str, measure: Measure) -> bool:
    """Whether the most or least is asked for, of a sum or a count, and not of what: no total tells it."""
    return bool(MOST_OF.search(text)) and not measure.columns[0][0].startswith("avg(")


def without_group(text: str) -> str:
    """A question without what it groups by: "by error code" counts no errors."""
    return re.sub(r"\b(?:by|per) (?:error code|status)\b", " ", text, flags=re.IGNORECASE)


def singular(noun: str) -> str:
    """``models`` -> ``model``."""
    noun = re.sub(r" of (?:the )?day$", "", noun)
    return "status" if noun.startswith("status") else noun.removesuffix("s")


def limit_of(text: str, usual: int) -> int:
    """As many rows as are asked for."""
    asked = NUMBER.search(text)
    return max(1, min(int(asked["n"]), MOST)) if asked else usual


def filters(parameters: Parameters, intent: Intent) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Conditions on requests, and the tables that they need; several names of one kind are alternatives."""
    columns = {
        "deployment": "requests.deployment_id",
        "model": "requests.model_id",
        "backend": "requests.backend_id",
        "user": "requests.user_id",
        "tier": "users.tier_id",
        "task_type": "requests.task_type",
    }
    out = []
    for kind, column in columns.items():
        if named := parameters.names.get(kind):
            out.append(f"{column} in ({', '.join(map(quoted, named))})")
    return (*out, *within(intent, "requests.created_at")), (USERS,) if "tier" in parameters.names else ()


def within(intent: Intent, column: str) -> tuple[str, ...]:
    """The time that was named."""
    if not intent.time_hints or intent.window is None:
        return ()
    start, end = stored(rfc3339(intent.window.start)), stored(rfc3339(intent.window.end))
    return (f"{column} >= {start}", f"{column} < {end}")


def static_query(text: str) -> Query | None:
    """What exists: how many, and what it can do."""
    if counted := HOW_MANY.search(text):
        table = singular(counted["what"].lower()) + "s"
        measure = Measure((("count(*)", f"{singular(table)}_count"),))
        return Query(table, measure, limit=1, purpose=f"count {table}")
    for pattern, table, columns in STATIC:
        if pattern.search(text):
            wanted = tuple(
                f"models.{column}" for word, column in SUPPORTS if table == "models" and word in text.lower()
            )
            return Query(
                table, Measure(()), by=columns, where=wanted, limit=MOST, order=columns[0][1], ascending=True,
                purpose=f"list {table}",
            )  # fmt: skip
    return None


def users_query(text: str, parameters: Parameters) -> Query | None:
    """Who there is, of the tier that is named."""
    if not LISTS_USERS.search(text) or parameters.names.keys() - {"tier"}:
        return None
    columns = (
        ("users.id", "user_id"),
        ("users.tier_id", "tier"),
        ("users.daily_budget_usd", "daily_budget_usd"),
    )
    where = tuple(f"users.tier_id = {quoted(tier)}" for tier in parameters.names.get("tier", ()))
    return Query("users", Measure(()), columns, (), where, "user_id", ascending=True, limit=MOST, purpose="list users")


def incidents_query(text: str, parameters: Parameters, intent: Intent) -> Query:
    """Incidents of all times, newest first; those of what is named."""
    columns = tuple(
        (f"incidents.{name}", alias)
        for name, alias in (
            ("id", "incident_id"),
            ("title", "title"),
            ("target_type", "target_type"),
            ("target_id", "target_id"),
            ("status", "status"),
            ("started_at", "started_at"),
            ("resolved_at", "resolved_at"),
        )
    )
    named = [name for kind in ("deployment", "model", "backend") for name in parameters.names.get(kind, ())]
    where = [f"incidents.target_id in ({', '.join(map(quoted, named))})"] if named else []
    if re.search(r"\bresolved\b", text, re.IGNORECASE):
        where.append("incidents.status = 'resolved'")
    where.extend(within(intent, "incidents.started_at"))
    return Query(
        "incidents", Measure(()), by=columns, where=tuple(where), order="started_at", limit=limit_of(text, 20),
        purpose="list incidents",
    )  # fmt: skip


def slowest_query(text: str, parameters: Parameters, intent: Intent) -> Query:
    """Single requests, the slowest or dearest first."""
    worst = ("requests.cost_usd", "cost_usd") if "expensive" in text.lower() else ("requests.latency_ms", "latency_ms")
    columns = (
        ("requests.id", "request_id"),
        worst,
        ("requests.deployment_id", "deployment_id"),
        ("requests.user_id", "user_id"),
        ("requests.status", "status"),
        ("requests.created_at", "created_at"),
    )
    conditions, joins = filters(parameters, intent)
    return Query(
        "requests", Measure(()), by=columns, joins=joins, where=(*conditions, f"{worst[0]} is not null"),
        order=worst[1], limit=limit_of(text, FEWEST), purpose="list requests",
    )  # fmt: skip


def write_sql(query: Query) -> str:
    """The SELECT."""
    listed = ", ".join(f"{expression} as {name}" for expression, name in (*query.by, *query.measure.columns))
    parts = [f"select {listed} from {query.table}", *query.joins]
    if query.where:
        parts.append(f"where {' and '.join(query.where)}")
    if query.by and query.measure.columns:
        parts.append(f"group by {', '.join(expression for expression, _ in query.by)}")
    if query.order and query.by:
        parts.append(f"order by {query.order} {'asc' if query.ascending else 'desc'}")
    return f"{' '.join(parts)} limit {query.limit}"


def like_request(request_id: str) -> str:
    """Requests whose id begins as this one does."""
    start = re.sub(r"[^\w-]", "", request_id)[:7]
    return (
        "select requests.id as request_id, requests.deployment_id as deployment_id, requests.status as status, "
        f"requests.created_at as created_at from requests where requests.id like {quoted(f'{start}%')} "
        "order by created_at desc limit 5"
    )
