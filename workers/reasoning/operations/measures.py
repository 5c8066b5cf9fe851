"""PURE. What can be counted in the operations data, by what, and the words that ask for it."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from workers.reasoning.operations.words import words


@dataclass(frozen=True)
class Measure:
    """``columns``: expression and name; the first one is what rows are ordered by. ``joins``: further tables."""

    columns: tuple[tuple[str, str], ...]
    joins: tuple[str, ...] = ()


SCORES = "join quality_scores on quality_scores.request_id = requests.id"
USERS = "join users on users.id = requests.user_id"
FAILED = "sum(case when requests.status <> 'success' then 1 else 0 end)"
ERRORS = "sum(case when requests.status = 'error' then 1 else 0 end)"
TIMEOUTS = "sum(case when requests.status = 'timeout' then 1 else 0 end)"
COUNT = ("count(*)", "request_count")

MEASURES: tuple[tuple[re.Pattern[str], Measure], ...] = (
    (
        words(r"quality|scor\w+|evals?|evaluations?"),
        Measure((("avg(quality_scores.score)", "avg_score"), ("count(*)", "sample_count")), (SCORES,)),
    ),
    (
        words(
            r"(?:average|mean|avg|typical) (?:cost|price|spend\w*)|(?:cost|price|spend\w*|expensive|cheap\w*) (?:per|a|of a|of one) request"
        ),
        Measure((("avg(requests.cost_usd)", "avg_cost_usd"), COUNT)),
    ),
    (
        words(r"costs?|spen[dt]\w*|dollars?|usd|expensive|cheap\w*|money"),
        Measure((("sum(requests.cost_usd)", "total_cost_usd"), COUNT)),
    ),
    (
        words(r"output tokens?|generated tokens?"),
        Measure((("sum(requests.output_tokens)", "output_token_count"), COUNT)),
    ),
    (words(r"input tokens?|prompt tokens?"), Measure((("sum(requests.input_tokens)", "input_token_count"), COUNT))),
    (
        words(r"ttft|(?:time to )?first token"),
        Measure((("avg(requests.ttft_ms)", "avg_ttft_ms"), COUNT)),
    ),
    (
        words(r"decode\w*|tokens? (?:per|a) second"),
        Measure((("avg(requests.decode_toks_per_sec)", "avg_decode_speed"), COUNT)),
    ),
    (
        words(r"tokens?"),
        Measure((("sum(requests.input_tokens + requests.output_tokens)", "token_count"), COUNT)),
    ),
    (
        words(
            r"(?:error|failure) (?:rate|ratio|share)s?|(?:share|percentage|proportion) of (?:\w+ )?(?:errors?|failed|failures)"
        ),
        Measure(((f"1.0 * {ERRORS} / count(*)", "error_rate"), (ERRORS, "error_count"), COUNT)),
    ),
    (
        words(
            r"time ?out (?:rate|ratio|share)s?|(?:share|percentage|proportion) of (?:\w+ )?(?:time ?outs?|timed out)"
        ),
        Measure(((f"1.0 * {TIMEOUTS} / count(*)", "timeout_rate"), (TIMEOUTS, "timeout_count"), COUNT)),
    ),
    (words(r"time ?outs?|tim(?:ed|ing) out"), Measure(((TIMEOUTS, "timeout_count"), COUNT))),
    (words(r"fail(?:ed|ures?|s|ing)?"), Measure(((FAILED, "failed_count"), COUNT))),
    (words(r"errors?|5xx|erroring"), Measure(((ERRORS, "error_count"), COUNT))),
    (
        words(r"latenc\w+|slow\w*|fast\w*|response times?"),
        Measure(
            (("avg(requests.latency_ms)", "avg_latency_ms"), ("max(requests.latency_ms)", "max_latency_ms"), COUNT)
        ),
    ),
    (words(r"requests?|traffic|calls|volume|busi\w+|active"), Measure((COUNT,))),
)
DIMENSIONS: Mapping[str, tuple[str, str, str]] = {
    "user": ("requests.user_id", "user_id", ""),
    "customer": ("requests.user_id", "user_id", ""),
    "tier": ("users.tier_id", "tier", USERS),
    "model": ("requests.model_id", "model_id", ""),
    "backend": ("requests.backend_id", "backend_id", ""),
    "deployment": ("requests.deployment_id", "deployment_id", ""),
    "task": ("requests.task_type", "task_type", ""),
    "task type": ("requests.task_type", "task_type", ""),
    "error code": ("requests.error_code", "error_code", ""),
    "status": ("requests.status", "status", ""),
    "experiment": ("requests.experiment_id", "experiment_id", ""),
    "router version": ("requests.router_version", "router_version", ""),
    "day": ("substr(cast(requests.created_at as text), 1, 10)", "day", ""),
    "hour": ("substr(cast(requests.created_at as text), 12, 2)", "hour_of_day", ""),
}
NOUN = r"(?P<noun>error codes?|task types?|router versions?|users?|customers?|tiers?|models?|backends?|deployments?|tasks?|statuses|status|experiments?|days?|hours?(?: of (?:the )?day)?)"
BY = re.compile(
    rf"\b(?:by|per|for each|for every|of each|each|across|which|what|top \d+|bottom \d+|top|bottom|cheapest|slowest|fastest|busiest|worst|best|most expensive|compare(?: the)?|between|"
    rf"broken down by|grouped by|from which) (?:the |all |our |most |\w+ing |\w+est )?{NOUN}\b",
    re.IGNORECASE,
)
WHO = words(r"who|whom")
"""Asks for users, where nothing else is told apart."""
MOST_OF = words(r"most|least|fewest|top|bottom|biggest|largest|highest|lowest|maximum|minimum")
NUMBER = re.compile(r"\b(?:top|bottom|first|the|list|show(?: me)?(?: the)?) (?P<n>\d{1,2})\b", re.IGNORECASE)
LEAST = words(r"least|lowest|fewest|bottom|cheapest|fastest|worst scor\w+|smallest|worst quality|minimum")
COUNTS = words(
    r"how (?:many|much)|number of|count|average|mean|avg|total|sum|most|least|top|bottom|highest|lowest|fewest|slowest|"
    r"fastest|cheapest|expensive|which|per|by|each|daily|share|percentage|proportion|compare|versus|vs|maximum|minimum|max|min"
)
LISTED = words(r"slowest requests?|most expensive requests?|longest requests?")
INCIDENTS = words(r"incidents?|outages?")
NOT_ACTIVE = words(
    r"past|previous|earlier|resolved|history|all|were|was|did|had|last|how many|often|longest|since|yesterday|week"
)
STATIC: tuple[tuple[re.Pattern[str], str, tuple[tuple[str, str], ...]], ...] = (
    (
        words(
            r"(?:json(?: mode)?|tools?|streaming|context|max_context\w*|provider)\b.*\bmodels?|models?\b.*\b(?:json(?: mode)?|tools?|streaming|context|providers?)"
        ),
        "models",
        (
            ("models.id", "model_id"),
            ("models.provider", "provider"),
            ("models.max_context_tokens", "context_token_count"),
            ("case when models.supports_streaming then 'yes' else 'no' end", "supports_streaming"),
            ("case when models.supports_tools then 'yes' else 'no' end", "supports_tools"),
            ("case when models.supports_json_mode then 'yes' else 'no' end", "supports_json_mode"),
        ),
    ),
    (
        words(r"regions?"),
        "backends",
        (
            ("backends.id", "backend_id"),
            ("backends.provider", "provider"),
            ("backends.region", "region"),
            ("backends.backend_type", "backend_type"),
        ),
    ),
    (
        words(
            r"(?:sla|slas|objectives?|promise\w*|limits?)\b.*\btiers?|tiers?\b.*\b(?:sla|slas|objectives?|promise\w*|limits?)"
        ),
        "tiers",
        (
            ("tiers.id", "tier"),
            ("tiers.latency_sla_p95_ms", "latency_sla_p95_ms"),
            ("tiers.max_error_rate", "max_error_rate"),
            ("tiers.max_timeout_rate", "max_timeout_rate"),
        ),
    ),
)
LISTS_USERS = words(r"(?:list|who are|which are|show)\b.*\busers?")
SUPPORTS = (("json", "supports_json_mode"), ("tool", "supports_tools"), ("stream", "supports_streaming"))
HOW_MANY = re.compile(
    r"\b(?:how many|number of|count(?: of)?) (?:\w+ )?(?P<what>users?|models?|backends?|deployments?|tiers?)\b"
    r"(?! (?:have|had|with|got|saw|see|failed|timed))",
    re.IGNORECASE,
)
