"""A counting question -> one SELECT over the operations data, when that accounts for every word of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from workers.agents.operations.measures import (
    DIMENSIONS,
    LATENCY,
    MEASURES,
    OVERVIEW,
    TRAFFIC,
    USERS,
    Measure,
)
from workers.agents.operations.parameters import Parameters
from workers.agents.operations.question_words import GROUP, NOUN, singular
from workers.agents.operations.sql_text import FEWEST, Query, conditions_on, stored
from workers.contracts import Window, rfc3339
from workers.grounding.lexicon import words
from workers.language.bounds import Bounds, read_bounds
from workers.language.phrase_to_window import without_phrases
from workers.reasoning.question_words import STOP

MOST = 100
COLUMNS = {
    "deployment": "requests.deployment_id",
    "model": "requests.model_id",
    "backend": "requests.backend_id",
    "user": "requests.user_id",
    "tier": "users.tier_id",
}
TIMELY = ("hour of day", "hour", "day")
WHO = words(r"who|whom|whose")
TOP = re.compile(r"\b(?:top|bottom|first) (?P<n>\d{1,2})\b", re.IGNORECASE)
HIGH = words(r"(?<!at )most|highest|top|biggest|largest|busiest|longest|worst|slowest|worse|slower|dearest")
LOW = words(
    r"(?<!at )least|lowest|fewest|bottom|smallest|quietest|shortest|best|fastest|better|faster|cheapest|cheaper"
)
GOOD = words(r"best|better|fastest|faster")
BAD = words(r"worst|worse|slowest|slower")
"""Which end comes first is said by a measure's own good and bad end, or by its amount."""
SINGLE = words(r"(?:slowest|longest|most expensive) requests?")
FILLER = words(
    r"how|many|much|number|count|total|share|compare[ds]?|versus|vs|than|list|ever|daily|hourly|sent?|sends|got|had|"
    r"have|used|does|did|made|users?|customers?|tiers?|models?"
)
"""Words that say nothing more once a measure and what it is told apart by are known."""


def read_query(text: str, parameters: Parameters, window: Window | None, now: datetime) -> Query | None:
    """What a question counts, by what and where; None when a word of it is left over, or it counts nothing."""
    rest = unnamed(text, parameters)
    if re.search(rf"\bhow many (?:different )?{NOUN}\b", rest, re.IGNORECASE):
        return None  # how many of a kind fit is no figure of the requests
    bounds = read_bounds(rest)
    for one in reversed(bounds):
        rest = f"{rest[: one.start]} {one.noun} {rest[one.end :]}"
    if SINGLE.search(rest):
        return slowest_query(text, parameters, window, now) if not words_left(SINGLE.sub(" ", rest)) else None
    nouns = [singular(m["noun"]) for m in GROUP.finditer(rest)]
    rest = GROUP.sub(" ", rest)
    if WHO.search(rest):
        nouns, rest = [*nouns, "user"], WHO.sub(" ", rest)
    nouns += [kind for kind in COLUMNS if len(parameters.names.get(kind, ())) > 1]
    nouns += [
        noun for noun, word in (("hour", r"\bhourly\b"), ("day", r"\bdaily\b")) if re.search(word, rest, re.IGNORECASE)
    ]
    found = sorted(dict.fromkeys(nouns), key=lambda noun: noun not in TIMELY)
    measure, rest = measure_in(rest)
    measure = measure or (OVERVIEW if any(len(own) > 1 for own in parameters.names.values()) else None)
    rest = TOP.sub(" ", HIGH.sub(" ", LOW.sub(" ", rest)))
    if measure is None or words_left(rest) or len(found) > 2:
        return None
    if not found and (HIGH.search(text) or LOW.search(text)):
        return None  # no total tells the most of what is not named
    if bounds and not (found and measure.adds_up and len(bounds) == 1):
        return None
    query = counted(text, parameters, measure, found, span_of(text, window, now, measure.days))
    return replace(query, having=tuple(having(measure.columns[0][0], bounds)))


def having(expression: str, bounds: list[Bounds]) -> Iterator[str]:
    """The conditions on what is counted of each group."""
    for one in bounds:
        yield from (f"{expression} >= {one.least:g}",) if one.least is not None else ()
        yield from (f"{expression} <= {one.most:g}",) if one.most is not None else ()


def unnamed(text: str, parameters: Parameters) -> str:
    """A question without its names and its phrases of time."""
    text = without_phrases(text)
    for own in parameters.names.values():
        for name in sorted((part for n in own for part in (n, *n.split("/"))), key=len, reverse=True):
            text = re.sub(rf"(?<![\w-]){re.escape(name)}(?:['’]s)?(?![\w-])", " ", text, flags=re.IGNORECASE)
    return text


def measure_in(rest: str) -> tuple[Measure | None, str]:
    """What is counted, and the question without the words for it."""
    for pattern, measure in MEASURES:
        if pattern.search(rest):
            rest = pattern.sub(" ", rest)
            return measure, rest if measure is TRAFFIC else words(r"requests?|traffic").sub(" ", rest)
    return None, rest


def words_left(rest: str) -> list[str]:
    """Words with a meaning that nothing took into account; any number is one."""
    plain = FILLER.sub(" ", rest)
    return [w for w in re.findall(r"[A-Za-z’'-]{3,}|\d+|%", plain) if w.lower().strip("'’-") not in STOP]


def counted(
    text: str, parameters: Parameters, measure: Measure, found: list[str], span: tuple[str, str] | None
) -> Query:
    """A measure by what is told apart; what is named alone stands in each row, so that it is seen whose it is."""
    timed = found[:1] and found[0] in TIMELY
    alone = [kind for kind in COLUMNS if len(parameters.names.get(kind, ())) == 1]
    dimensions = list(dict.fromkeys([*found, *alone]))
    by = tuple(DIMENSIONS[noun][:2] for noun in dimensions)
    conditions, more = filters(parameters)
    conditions += ("requests.error_code is not null",) if "error code" in found else ()
    joins = (*measure.joins, *(DIMENSIONS[noun][2] for noun in dimensions), *more)
    asked = TOP.search(text)
    return Query(
        table="requests",
        measure=measure,
        by=by,
        joins=tuple(dict.fromkeys(join for join in joins if join)),
        where=(*conditions, *within(span)),
        order=by[0][1] if timed else measure.names[0],
        ascending=bool(timed) or is_ascending(text, measure),
        limit=min(int(asked["n"]), MOST) if asked else MOST if timed else FEWEST,
        purpose=f"count by {' and '.join(name.replace('_', ' ') for _, name in by)}" if by else "count it",
        span=span,
    )


def is_ascending(text: str, measure: Measure) -> bool:
    """Whether the smallest come first."""
    for end, lowest in ((GOOD, measure.better == "low"), (BAD, measure.better == "high")):
        if end.search(text):
            return lowest
    return bool(LOW.search(text)) and not HIGH.search(text)


def filters(parameters: Parameters) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Conditions on requests, and the tables that they need; several names of one kind are alternatives."""
    return tuple(conditions_on(parameters, COLUMNS)), (USERS,) if "tier" in parameters.names else ()


def span_of(text: str, window: Window | None, now: datetime, days: int) -> tuple[str, str] | None:
    """The time that was named, else the usual one of the measure; None for all that is stored."""
    if window:
        return rfc3339(window.start), rfc3339(window.end)
    return None if words(r"ever|all[- ]time").search(text) else (rfc3339(now - timedelta(days=days)), rfc3339(now))


def within(span: tuple[str, str] | None) -> tuple[str, ...]:
    """Conditions of a time."""
    if span is None:
        return ()
    return (f"requests.created_at >= {stored(span[0])}", f"requests.created_at < {stored(span[1])}")


def slowest_query(text: str, parameters: Parameters, window: Window | None, now: datetime) -> Query:
    """Single requests, the slowest or dearest first."""
    worst = ("requests.cost_usd", "cost_usd") if "expensive" in text.lower() else ("requests.latency_ms", "latency_ms")
    shown = ("deployment_id", "user_id", "status", "created_at")
    columns = (("requests.id", "request_id"), worst, *((f"requests.{name}", name) for name in shown))
    conditions, joins = filters(parameters)
    span = span_of(text, window, now, LATENCY.days)
    where = (*conditions, *within(span), f"{worst[0]} is not null")
    return Query(
        "requests", Measure(()), columns, joins, where, worst[1], limit=FEWEST, purpose="list requests", span=span
    )
