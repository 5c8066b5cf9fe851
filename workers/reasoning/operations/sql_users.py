"""PURE. Questions about users and what exists -> one SELECT: budgets, promised latencies, lists."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

from datetime import timedelta

from workers.contracts import Intent, rfc3339
from workers.reasoning.operations.inquiry import Inquiry
from workers.reasoning.operations.measures import (
    COUNT,
    HOW_MANY,
    LISTS_USERS,
    OF_ROWS,
    STATIC,
    SUPPORTS,
    USERS,
    Measure,
)
from workers.reasoning.operations.parameters import Parameters
from workers.reasoning.operations.reach import PROMISES
from workers.reasoning.operations.sql_write import Query, percentile, quoted, stored
from workers.reasoning.operations.words import words
from workers.reasoning.time_hints import Moment

MOST = 100
A_DAY = timedelta(days=1, minutes=5)
KEPT = words(
    r"g[eo]ts?|gotten|me[et]+(?:ing|s)?|kept|keep\w*|within|miss\w*|breach\w*|violat\w+|br[eo]ak\w*|broken?|reach\w*|hold\w*|held|"
    r"exceed\w*|over|above|under|below|fulfil\w*|satisf\w+|hit\w*|compl\w+|how (?:is|are|was|were)|today|yesterday|"
    r"last|this|now|ok|fail\w*"
)
BUDGETS = r"(?:(?:budgets?|quotas?)(?! (?:tier|users?|customers?|requests?|traffic|accounts?|tenants?))|daily limits?)"
SPENT = words(
    rf"(?:over|above|exceed\w*|within|under|near\w*|close to|out of|beyond|us(?:e|es|ed|ing)|left|remaining|hit|through|ran|"
    rf"run|blow\w*|blew|most|highest|almost|much|all) .{{0,40}}\b{BUDGETS}|"
    rf"{BUDGETS}\b.{{0,40}}\b(?:left|us(?:e|es|ed|ing)|remain\w*|gone|spent|exceed\w*|over|exhausted|up)|over ?budget|overspen\w+"
)
TARGET = "coalesce(users.latency_sla_override_ms, tiers.latency_sla_p95_ms)"
MOST_ERRORS = "coalesce(users.max_error_rate_override, tiers.max_error_rate)"


def span_or_day(inquiry: Inquiry, intent: Intent) -> tuple[str, str]:
    """The time that was named, else the last 24 hours."""
    if intent.time_hints and intent.window:
        return rfc3339(intent.window.start), rfc3339(intent.window.end)
    return rfc3339(inquiry.at.now - timedelta(days=1)), rfc3339(inquiry.at.now)


def sla_query(inquiry: Inquiry, intent: Intent) -> Query | None:
    """Whether latency and errors were as promised, by tier, or of the users that are named or asked for."""
    text, parameters = inquiry.words, inquiry.parameters
    if not (PROMISES.search(text) and (KEPT.search(text) or parameters.names)):
        return None
    of_users = "user" in parameters.names or words(r"who|(?:which|what|any) (?:users?|customers?)").search(text)
    rows = [("requests.user_id", "user_id")] if of_users else []
    rows += [
        ("users.tier_id", "tier"),
        (TARGET if of_users else "tiers.latency_sla_p95_ms", "latency_sla_ms"),
        (MOST_ERRORS if of_users else "tiers.max_error_rate", "promised_error_rate"),
    ]
    columns = {"user": "requests.user_id", "tier": "users.tier_id", "model": "requests.model_id"}
    columns |= {"backend": "requests.backend_id", "deployment": "requests.deployment_id"}
    where = [
        f"{column} in ({', '.join(map(quoted, parameters.names[kind]))})"
        for kind, column in columns.items()
        if kind in parameters.names
    ]
    start, end = span_or_day(inquiry, intent)
    where += [f"requests.created_at >= {stored(start)}", f"requests.created_at < {stored(end)}"]
    p95 = percentile("95")
    kept = f"case when {p95} > latency_sla_ms then 'missed' else 'met' end"
    return Query(
        "requests",
        Measure((*OF_ROWS, COUNT), of="requests.latency_ms", percentiles=("95",)),
        by=tuple(rows),
        joins=(USERS, "join tiers on tiers.id = users.tier_id"),
        where=tuple(where),
        order="p95_latency_ms",
        purpose="compare latency with what was promised",
        span=(start, end),
        extra=((kept, "latency_target"),),
    )


def budget_query(inquiry: Inquiry, intent: Intent) -> Query | None:
    """What users spent of their daily budgets, the highest share first, and how many are over it."""
    text, parameters = inquiry.words, inquiry.parameters
    if not SPENT.search(text):
        return None
    start, end = day_of_budget(inquiry.at, intent)
    spent = "coalesce(sum(requests.cost_usd), 0)"
    where = [f"users.id in ({', '.join(map(quoted, names))})" for names in (parameters.names.get("user"),) if names]
    where += [f"users.tier_id in ({', '.join(map(quoted, t))})" for t in (parameters.names.get("tier"),) if t]
    when = f"requests.created_at >= {stored(start)} and requests.created_at < {stored(end)}"
    return Query(
        "users",
        Measure(
            (
                (f"1.0 * {spent} / users.daily_budget_usd", "budget_share"),
                (spent, "spent_usd"),
                (f"sum(case when {spent} > users.daily_budget_usd then 1 else 0 end) over ()", "over_count"),
                ("count(*) over ()", "user_count"),
            )
        ),
        by=(("users.id", "user_id"), ("users.tier_id", "tier"), ("users.daily_budget_usd", "daily_budget_usd")),
        joins=(f"left join requests on requests.user_id = users.id and {when}",),
        where=(*where, "users.daily_budget_usd > 0"),
        order="budget_share",
        purpose="compare what users spent with their daily budgets",
        span=(start, end),
    )


def day_of_budget(at: Moment, intent: Intent) -> tuple[str, str]:
    """The day that is named, else today on the asker's clock."""
    window = intent.window
    if intent.time_hints and window and window.end - window.start <= A_DAY:
        return rfc3339(window.start), rfc3339(window.end)
    midnight = at.clock().replace(hour=0, minute=0, second=0, microsecond=0)
    return rfc3339(at.starts(midnight)), rfc3339(at.now)


def static_query(text: str) -> Query | None:
    """What exists: how many, and what it can do."""
    if counted := HOW_MANY.search(text):
        table = counted["what"].lower().removesuffix("s") + "s"
        measure = Measure((("count(*)", f"{table.removesuffix('s')}_count"),))
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
