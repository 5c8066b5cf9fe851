"""Questions about users and what exists -> one SELECT: budgets, promised latencies, lists."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from datetime import timedelta

from workers.agents.operations.inquiry import Inquiry
from workers.agents.operations.measures import (
    COUNT,
    HOW_MANY,
    LEAST,
    MOST_OF,
    OF_ROWS,
    STATIC,
    SUPPORTS,
    USERS,
    Measure,
)
from workers.agents.operations.parameters import Parameters
from workers.agents.operations.sql_text import Query, conditions_on, percentile, quoted, stored
from workers.agents.operations.tool_coverage import PROMISES
from workers.contracts import Intent, rfc3339
from workers.grounding.lexicon import words
from workers.language.reference_moment import Moment

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
ASKS_WHAT_IS = frozenset(
    """how many number of count the all our list show me give which what who whose are is there exist do does we you have
    in on by for from with total now currently right please known deployed not no any except excluding without other than
    belong to users user customers customer models model backends backend deployments deployment tiers tier and or a an
    data system altogether exactly""".split()
)
"""The words of a question of what there is."""
USERS_ALONE = words(r"(?:list|who|which|what|show)\b.{0,200}\b(?:users?|customers?|tier|premium|standard|budget)")
OF_USERS = {"user": "users.id", "tier": "users.tier_id"}
OWN_COLUMNS = {
    "users": OF_USERS,
    "models": {"model": "models.id"},
    "backends": {"backend": "backends.id"},
    "deployments": {
        "deployment": "deployments.id",
        "model": "deployments.model_id",
        "backend": "deployments.backend_id",
    },
    "tiers": {"tier": "tiers.id"},
}
USER = (("users.id", "user_id"), ("users.tier_id", "tier"), ("users.daily_budget_usd", "daily_budget_usd"))
LEFT = words(r"left|remaining|remains?|unspent|unused")
MISSED = words(
    r"miss\w*|breach\w*|violat\w+|br[eo]ak\w*|broken?|exceed\w*|over|above|fail\w*|not (?:kept|met|get\w*|keep\w*)"
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
    text, parameters = inquiry.text, inquiry.parameters
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
    where = [*conditions_on(parameters, columns)]
    start, end = span_or_day(inquiry, intent)
    where += [f"requests.created_at >= {stored(start)}", f"requests.created_at < {stored(end)}"]
    p95 = percentile("95")
    late = f"case when {p95} is null then 'not measured' when {p95} > latency_sla_ms then 'missed' else 'met' end"
    errors = OF_ROWS[0][0]
    broken = f"case when {p95} > latency_sla_ms or {errors} > promised_error_rate then 1 else 0 end"
    return Query(
        "requests",
        Measure((*OF_ROWS, COUNT), of="requests.latency_ms", percentiles=("95",)),
        by=tuple(rows),
        joins=(USERS, "join tiers on tiers.id = users.tier_id"),
        where=tuple(where),
        order="sla_missed desc, p95_latency_ms",
        limit=MOST,
        purpose="compare latency with what was promised",
        span=(start, end),
        extra=(
            (late, "latency_target"),
            (f"case when {errors} > promised_error_rate then 'missed' else 'met' end", "error_target"),
            (broken, "sla_missed"),
            (f"sum({broken}) over ()", "missed_count"),
            ("count(*) over ()", "user_count" if of_users else "tier_count"),
        ),
    )


def budget_query(inquiry: Inquiry, intent: Intent) -> Query | None:
    """What users spent of their daily budgets, the highest share first, and how many are over it."""
    text, parameters = inquiry.text, inquiry.parameters
    if not SPENT.search(text):
        return None
    start, end = day_of_budget(inquiry.at, intent)
    spent = "coalesce(sum(requests.cost_usd), 0)"
    where = [*conditions_on(parameters, OF_USERS)]
    ascending = bool(LEAST.search(text))
    order = "left_usd" if LEFT.search(text) and (ascending or MOST_OF.search(text)) else "budget_share"
    leads = (
        f"{'the least' if ascending else 'the most'} left"
        if order == "left_usd"
        else "the lowest"
        if ascending
        else "the highest"
    )
    when = f"requests.created_at >= {stored(start)} and requests.created_at < {stored(end)}"
    return Query(
        "users",
        Measure(
            (
                (f"1.0 * {spent} / users.daily_budget_usd", "budget_share"),
                (spent, "spent_usd"),
                (f"sum(case when {spent} > users.daily_budget_usd then 1 else 0 end) over ()", "over_count"),
                ("count(*) over ()", "user_count"),
                (f"users.daily_budget_usd - {spent}", "left_usd"),
            )
        ),
        by=(("users.id", "user_id"), ("users.tier_id", "tier"), ("users.daily_budget_usd", "daily_budget_usd")),
        joins=(f"left join requests on requests.user_id = users.id and {when}",),
        where=(*where, "users.daily_budget_usd > 0"),
        order=order,
        ascending=ascending,
        extra=((quoted(leads), "leads"),),
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
    """What a kind of thing can do, or was promised."""
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


def listed_query(text: str, parameters: Parameters) -> Query | None:
    """What there is: how many, or which users; none when anything else is asked of them."""
    left = words_left(text, parameters)
    if left - ASKS_WHAT_IS:
        return None
    if counted := HOW_MANY.search(text):
        table = counted["what"].lower().removesuffix("s").replace("customer", "user") + "s"
        measure = Measure((("count(*)", f"{table.removesuffix('s')}_count"),))
        columns, kinds = OWN_COLUMNS[table], {*parameters.names, *parameters.excluded}
        if kinds - set(columns):
            return None
        return Query(table, measure, where=tuple(conditions_on(parameters, columns)), limit=1, purpose=f"count {table}")
    if not USERS_ALONE.search(text) or {*parameters.names, *parameters.excluded} - set(OF_USERS):
        return None
    where = tuple(conditions_on(parameters, OF_USERS))
    return Query("users", Measure(()), USER, (), where, "user_id", ascending=True, limit=MOST, purpose="list users")


def words_left(text: str, parameters: Parameters) -> set[str]:
    """The words of a question but for the names in it."""
    for name in sorted(
        (n for p in (parameters.names, parameters.excluded) for own in p.values() for n in own), key=len
    ):
        text = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", " ", text, flags=re.IGNORECASE)
    return {word.lower() for word in re.findall(r"[A-Za-z’'-]+|\d+", text)}
