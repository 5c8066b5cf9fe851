"""A question about a field of a thing (“which region is west-edge in?”) -> one SELECT of the columns that it names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from workers.agents.operations.counting_query import HIGH, LOW, unnamed
from workers.agents.operations.measures import Measure
from workers.agents.operations.parameters import Parameters
from workers.agents.operations.sql_text import Query, quoted
from workers.language.stop_words import content_words
from workers.reasoning.question_words import STOP

MOST_COLUMNS, MOST = 3, 20
CONDITION = re.compile(r"\d|\bthan\b|\bhow (?:many|often)\b", re.IGNORECASE)
"""What no column answers: a number to compare with, another thing, a count."""
RANKED = re.compile(f"{HIGH.pattern}|{LOW.pattern}", re.IGNORECASE)


@dataclass(frozen=True)
class Thing:
    """A kind of thing: its table, the tables that tell more of it, and its columns, as they stand in the SELECT."""

    table: str
    key: str
    columns: tuple[str, ...]
    joins: tuple[str, ...] = ()


STATE = tuple(
    f"deployment_state_current.{name}"
    for name in (
        "status queue_depth rate_limit_remaining sample_count error_rate timeout_rate latency_p50_ms latency_p95_ms "
        "ttft_p50_ms ttft_p95_ms"
    ).split()
)
PROMISED = tuple(f"tiers.{name}" for name in "latency_sla_p95_ms max_error_rate max_timeout_rate".split())
THINGS: Mapping[str, Thing] = {
    "user": Thing(
        "users",
        "users.id",
        (
            *(f"users.{name}" for name in "tier_id daily_budget_usd max_cost_per_request_usd".split()),
            *(f"users.{name}" for name in "latency_sla_override_ms max_error_rate_override".split()),
            *PROMISED,
        ),
        ("join tiers on tiers.id = users.tier_id",),
    ),
    "deployment": Thing(
        "deployments",
        "deployments.id",
        ("deployments.enabled", "deployments.weight", *STATE),
        ("left join deployment_state_current on deployment_state_current.deployment_id = deployments.id",),
    ),
    "model": Thing(
        "models",
        "models.id",
        tuple(
            f"models.{name}"
            for name in "provider max_context_tokens supports_streaming supports_tools supports_json_mode".split()
        ),
    ),
    "backend": Thing(
        "backends", "backends.id", tuple(f"backends.{name}" for name in "provider region backend_type".split())
    ),
    "tier": Thing("tiers", "tiers.id", PROMISED),
}
NOUNS = {kind: re.compile(rf"\b{kind}s?\b", re.IGNORECASE) for kind in THINGS}


def read_fields(text: str, parameters: Parameters) -> Query | None:
    """The columns that a question names, of the things that it names, else of all of a kind; None without one."""
    rest = unnamed(text, parameters)
    wanted = {word for word in content_words(RANKED.sub(" ", rest)) if word not in STOP}
    if CONDITION.search(rest):
        return None
    named = [kind for kind in THINGS if parameters.names.get(kind)]
    for kind in [*named, *(k for k in THINGS if k not in named and NOUNS[k].search(rest))]:
        thing, nouns = THINGS[kind], content_words(f"{kind} {kind}s")
        shared = {column: len(wanted & column_words(column) - nouns) for column in thing.columns}
        most = max(shared.values())
        columns = [column for column in thing.columns if most and shared[column] == most][:MOST_COLUMNS]
        if columns and most * 2 >= len(wanted - nouns) + (not named):
            return fields_of(kind, thing, columns, parameters, rest)
    return None


def column_words(column: str) -> frozenset[str]:
    """Stems of the words of a column's name."""
    return frozenset(content_words(column.rpartition(".")[2].replace("_", " ")))


def fields_of(kind: str, thing: Thing, columns: list[str], parameters: Parameters, rest: str) -> Query:
    """The SELECT; of what is not named the highest or lowest first, where that is asked for."""
    names = parameters.names.get(kind, ())
    where = (f"{thing.key} in ({', '.join(map(quoted, names))})",) if names else ()
    key = "tier" if kind == "tier" else f"{kind}_id"
    told = tuple((column, "tier" if column.endswith("tier_id") else column.rpartition(".")[2]) for column in columns)
    ranked = HIGH.search(rest) or LOW.search(rest)
    return Query(
        table=thing.table,
        measure=Measure(()),
        by=((thing.key, key), *told),
        joins=thing.joins,
        where=where,
        order=told[0][1] if ranked else key,
        ascending=not ranked or LOW.search(rest) is not None,
        limit=MOST,
        purpose=f"read {' and '.join(name.replace('_', ' ') for _, name in told)}",
    )
