"""What the operations data mean, in words: tables and columns as `tables` has them, and terms."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlalchemy import Column, Table

from workers.agents.operations.source.tables import metadata

TABLES = {
    "models": "the language models, with what they can do",
    "backends": "the places where models run",
    "deployments": "a model on a backend; its id is model/backend, and weight is its share of the model's requests",
    "tiers": "the three service levels with what each promises",
    "users": "who sends requests: tier, daily budget, and limits of their own in place of the tier's",
    "deployment_state_current": "how each deployment does now, by the requests of its last window_sec seconds",
    "requests": "each request: who sent it, which deployment answered, how long it took, what it cost, how it ended",
    "incidents": "incidents of a deployment, a model or a backend; an active one has no resolved_at",
    "quality_scores": "scores of answers, 0 to 1, of a part of the requests",
}
TERMS = {
    "is_stale": "is_stale is true when the state of a deployment was updated more than 60 seconds ago or rests on "
    "fewer than 10 requests (sample_count): its numbers may no longer hold.",
    "stale": "A deployment is stale (is_stale) when its state was updated more than 60 seconds ago or rests on fewer "
    "than 10 requests.",
    "degraded": "degraded is a status of deployment_state_current between healthy and down: it answers, but worse than "
    "it should.",
    "healthy": "healthy is a status of deployment_state_current: the deployment answers as it should.",
    "down": "down is a status of deployment_state_current: the deployment does not answer.",
    "error_rate": "error_rate is the share of requests with status error among those of the window, 0 to 1.",
    "timeout_rate": "timeout_rate is the share of requests with status timeout among those of the window, 0 to 1.",
    "ttft": "ttft is the time to the first token of an answer; ttft_ms is in milliseconds.",
    "decode_toks_per_sec": "decode_toks_per_sec is how many tokens a second are written once the first one is there.",
    "p95": "p95 is the value that 95 of 100 requests stay below, interpolated between neighbours.",
    "p50": "p50 is the median: half of the requests stay below it.",
    "latency_ms": "latency_ms is the time from a request to the end of its answer, in milliseconds.",
    "weight": "weight is the share of its model's requests that a deployment gets.",
    "queue_depth": "queue_depth is how many requests wait for the deployment.",
    "rate_limit_remaining": "rate_limit_remaining is how many more requests the provider takes before it refuses.",
    "sample_count": "sample_count is how many requests the numbers of a window or a group rest on.",
    "score": "score says how good an answer is, from 0 to 1; eval_type says by which evaluation.",
    "routing_decision": "routing_decision is why the router chose the deployment of a request (routing_reason_json).",
    "latency_sla_p95_ms": "latency_sla_p95_ms is the p95 latency that a tier promises, in milliseconds.",
    "daily_budget_usd": "daily_budget_usd is what a user may spend in a day of UTC, in US dollars.",
    "related_incident": "related_incident is an incident of the request's deployment, model or backend that lasted "
    "when the request was made.",
}  # fmt: skip


def columns_of(table: Table) -> str:
    """``id (text), score (number, 0 to 1)``."""
    return ", ".join(f"{column.name} ({kind_of(column)})" for column in table.columns)


def kind_of(column: Column[object]) -> str:
    """What a column holds, in words."""
    info = column.info
    if "choices" in info:
        return " | ".join(info["choices"])
    kind = {"BOOLEAN": "yes or no", "INTEGER": "whole number", "DOUBLE": "number"}.get(str(column.type), "text")
    kind = "time" if "Time" in type(column.type).__name__ else "JSON" if info.get("json") else kind
    high = info.get("high")
    optional = ", may be empty" if column.nullable and not column.primary_key else ""
    return f"{kind}, 0 to {high:g}{optional}" if high else f"{kind}{optional}"


def describe_table(name: str) -> str:
    """A table and its columns in a sentence or two."""
    return f"{name}: {TABLES[name]}. Columns: {columns_of(metadata.tables[name])}."


def schema_summary() -> tuple[str, ...]:
    """Every table in a line, for a planner."""
    return tuple(describe_table(name) for name in metadata.tables)


def find_terms(subject: str) -> Iterator[tuple[str, str]]:
    """Names and meanings that a text speaks of: terms, then columns, then tables; nothing when it names none."""
    text = subject.lower()
    said = set(re.findall(r"[a-z0-9_]+", text))
    for term, meaning in TERMS.items():
        if term in said or term.replace("_", " ") in text:
            yield term, meaning
    for name, table in metadata.tables.items():
        for column in table.columns:
            if column.name in said and column.name not in TERMS and "_" in column.name:
                yield (
                    f"{name}.{column.name}",
                    f"{name}.{column.name} is {article(kind_of(column))} of {name}: {TABLES[name]}.",
                )
        if name in said and re.search(rf"\b{name}\b.*\btable|\btable\b.*\b{name}\b|_|\b(?:columns?|fields?)\b", text):
            yield name, describe_table(name)


def article(kind: str) -> str:
    """``a text``."""
    return f"{'one of ' if '|' in kind else 'a '}{kind}"
