"""What can be counted in the operations data, by what, and the words that ask for it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from workers.grounding.lexicon import words


@dataclass(frozen=True)
class Measure:
    """``columns``: expression and name; the first one is what rows are ordered by. ``joins``: further tables.

    ``days``: over how long it is counted where no time is named, as the domain tools do. ``better``: whether the best
    have the least or the most of it.
    """

    columns: tuple[tuple[str, str], ...]
    joins: tuple[str, ...] = ()
    days: int = 7
    better: Literal["low", "high"] = "low"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its columns."""
        return tuple(name for _, name in self.columns)

    @property
    def adds_up(self) -> bool:
        """Whether what it counts can be summed over its rows."""
        return bool(self.columns) and self.columns[0][0].startswith(("sum(", "count("))


SCORES = "join quality_scores on quality_scores.request_id = requests.id"
USERS = "join users on users.id = requests.user_id"
BACKENDS = "join backends on backends.id = requests.backend_id"
COUNT = ("count(*)", "request_count")


def number_of(condition: str) -> str:
    """How many rows meet a condition."""
    return f"sum(case when {condition} then 1 else 0 end)"


def of_state(condition: str, name: str, *, rate_first: bool = False, better: Literal["low", "high"] = "low") -> Measure:
    """How many requests ended so, and their share of all."""
    number, rate = (number_of(condition), f"{name}_count"), (f"1.0 * {number_of(condition)} / count(*)", f"{name}_rate")
    return Measure((rate, number, COUNT) if rate_first else (number, rate, COUNT), (), 1, better=better)


def summed(expression: str, name: str) -> Measure:
    """A total."""
    return Measure(((f"sum({expression})", name), COUNT))


def averaged(column: str, name: str, better: Literal["low", "high"] = "low") -> Measure:
    """A mean."""
    return Measure(((f"avg({column})", name), COUNT), (), 1, better=better)


FAILED, ERROR, TIMEOUT = "requests.status <> 'success'", "requests.status = 'error'", "requests.status = 'timeout'"
LIMITED = "(requests.error_code like '%rate%limit%' or requests.error_code like '%throttl%')"
LATENCY = Measure(
    (("avg(requests.latency_ms)", "avg_latency_ms"), ("max(requests.latency_ms)", "max_latency_ms"), COUNT), (), 1
)
OVERVIEW = Measure((*LATENCY.columns[:1], (f"1.0 * {number_of(ERROR)} / count(*)", "error_rate"), COUNT), (), 1)
"""How requests fared in every respect."""
TRAFFIC = Measure((COUNT,), better="high")
RATE = r"(?:rates?|ratios?|shares?|percentages?)"
MEASURES: tuple[tuple[re.Pattern[str], Measure], ...] = tuple(
    (words(pattern), measure)
    for pattern, measure in (
        (
            r"(?:answer )?quality|scor(?:e|es|ed)|evals?|evaluations?",
            Measure(
                (("avg(quality_scores.score)", "avg_score"), ("count(*)", "sample_count")), (SCORES,), better="high"
            ),
        ),
        (rf"success {RATE}", of_state("requests.status = 'success'", "success", rate_first=True, better="high")),
        (
            r"(?:average|mean|avg) costs?(?: (?:per|of a) request)?|costs? per request",
            averaged("requests.cost_usd", "avg_cost_usd"),
        ),
        (
            r"costs?|spen[dt]s?|spending|dollars?|usd|expensive|cheap\w*|money",
            summed("requests.cost_usd", "total_cost_usd"),
        ),
        (r"output tokens?", summed("requests.output_tokens", "output_token_count")),
        (r"input tokens?|prompt tokens?", summed("requests.input_tokens", "input_token_count")),
        (r"ttft|(?:time to )?first token", averaged("requests.ttft_ms", "avg_ttft_ms")),
        (
            r"decode (?:speed|rate)|tokens per second",
            averaged("requests.decode_toks_per_sec", "avg_decode_speed", "high"),
        ),
        (r"tokens?(?: usage)?", summed("requests.input_tokens + requests.output_tokens", "token_count")),
        (rf"fail\w* {RATE}|{RATE} of failed requests", of_state(FAILED, "failed", rate_first=True)),
        (rf"error {RATE}", of_state(ERROR, "error", rate_first=True)),
        (rf"time ?out {RATE}", of_state(TIMEOUT, "timeout", rate_first=True)),
        (r"time ?outs?|tim(?:ed|ing) out", of_state(TIMEOUT, "timeout")),
        (r"throttled|throttling|rate[- ]limit(?:s|ed)?", of_state(LIMITED, "throttled")),
        (r"fail(?:ed|ures?|s|ing)?(?: requests?)?", of_state(FAILED, "failed")),
        (r"errors?|erroring", of_state(ERROR, "error")),
        (r"(?:average |mean |avg )?(?:latenc\w+|slow\w*|fast\w*|response times?)", LATENCY),
        (r"requests?|traffic|calls|volume|load|usage|busiest", TRAFFIC),
    )
)
"""The first whose words stand in a question is what it counts."""
DIMENSIONS: Mapping[str, tuple[str, str, str]] = {
    "user": ("requests.user_id", "user_id", ""),
    "tier": ("users.tier_id", "tier", USERS),
    "model": ("requests.model_id", "model_id", ""),
    "backend": ("requests.backend_id", "backend_id", ""),
    "deployment": ("requests.deployment_id", "deployment_id", ""),
    "region": ("backends.region", "region", BACKENDS),
    "provider": ("backends.provider", "provider", BACKENDS),
    "task": ("requests.task_type", "task_type", ""),
    "error code": ("requests.error_code", "error_code", ""),
    "status": ("requests.status", "status", ""),
    "experiment": ("requests.experiment_id", "experiment_id", ""),
    "router version": ("requests.router_version", "router_version", ""),
    "day": ("substr(cast(requests.created_at as text), 1, 10)", "day", ""),
    "hour": ("substr(cast(requests.created_at as text), 1, 13) || ':00'", "hour", ""),
    "hour of day": ("substr(cast(requests.created_at as text), 12, 2)", "hour_of_day", ""),
}
"""What it is told apart by: expression, name, the table that it needs."""
