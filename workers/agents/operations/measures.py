"""What can be counted in the operations data, by what, and the words that ask for it."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from workers.agents.operations.question_words import NOUN
from workers.grounding.lexicon import words


@dataclass(frozen=True)
class Measure:
    """``columns``: expression and name; the first one is what rows are ordered by. ``joins``: further tables.

    ``days``: over how long it is counted where no time is named, as the domain tools do. ``of``: the column that
    ``percentiles`` (``95``, ``99.9``) are of; ``columns`` then speak of ``value`` and ``status``. ``better``: whether
    the best have the least or the most of it.
    """

    columns: tuple[tuple[str, str], ...]
    joins: tuple[str, ...] = ()
    days: int = 7
    of: str = ""
    percentiles: tuple[str, ...] = ()
    better: Literal["low", "high"] = "low"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its columns; a percentile is what rows are ordered by, the highest of them."""
        return (*(percentile_name(self, p) for p in reversed(self.percentiles)), *(name for _, name in self.columns))

    @property
    def adds_up(self) -> bool:
        """Whether what it counts can be summed over its rows."""
        first = self.columns[0][0] if self.columns else ""
        return not self.percentiles and first.startswith(("sum(", "count("))


def percentile_name(measure: Measure, percentile: str) -> str:
    """``p95_latency_ms``."""
    return f"p{percentile.replace('.', '')}_{measure.of.partition('.')[2]}"


SCORES = "join quality_scores on quality_scores.request_id = requests.id"
USERS = "join users on users.id = requests.user_id"
BACKENDS = "join backends on backends.id = requests.backend_id"
RATE = "1.0 * {} / count(*)"
FAILED = "sum(case when requests.status <> 'success' then 1 else 0 end)"
ERRORS = "sum(case when requests.status = 'error' then 1 else 0 end)"
TIMEOUTS = "sum(case when requests.status = 'timeout' then 1 else 0 end)"
LIMITED = "(requests.error_code like '%rate%limit%' or requests.error_code like '%throttl%')"
THROTTLED = f"sum(case when {LIMITED} then 1 else 0 end)"
COUNT = ("count(*)", "request_count")
OF_ROWS = tuple(
    (RATE.format(f"sum(case when status = '{state}' then 1 else 0 end)"), f"{state}_rate")
    for state in ("error", "timeout")
)
"""Rates over rows that `ranked` made."""
LATENCY = Measure((("max(value)", "max_latency_ms"), COUNT), (), 1, "requests.latency_ms", ("50", "95"))
OVERVIEW = Measure((*OF_ROWS, COUNT), (), 1, "requests.latency_ms", ("50", "95"))
"""How requests fared in every respect."""
ERRORS_OF = Measure(((ERRORS, "error_count"), (RATE.format(ERRORS), "error_rate"), COUNT), (), 1)
SCORED = Measure((("avg(quality_scores.score)", "avg_score"), ("count(*)", "sample_count")), (SCORES,), better="high")
FAILURES = Measure(
    (
        (FAILED, "failed_count"),
        (ERRORS, "error_count"),
        (TIMEOUTS, "timeout_count"),
        (RATE.format(FAILED), "failed_rate"),
        COUNT,
    ),
    (),
    1,
)

TRAFFIC = Measure((COUNT,), better="high")
FAILURE_RATE = Measure(((RATE.format(FAILED), "failed_rate"), (FAILED, "failed_count"), COUNT), (), 1)
"""Whatever did not succeed: errors and timeouts."""

MEASURES: tuple[tuple[re.Pattern[str], Measure], ...] = (
    (words(r"quality|scor\w+|evals?|evaluations?"), SCORED),
    (
        words(r"success rates?|(?:share|percentage|proportion) of (?:successful|good) requests"),
        Measure(
            ((RATE.format("sum(case when requests.status = 'success' then 1 else 0 end)"), "success_rate"), COUNT),
            (),
            1,
            better="high",
        ),
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
        Measure((("avg(requests.ttft_ms)", "avg_ttft_ms"), COUNT), (), 1, "requests.ttft_ms"),
    ),
    (
        words(r"decode\w*|tokens? (?:per|a) second"),
        Measure(
            (("avg(requests.decode_toks_per_sec)", "avg_decode_speed"), COUNT),
            (),
            1,
            "requests.decode_toks_per_sec",
            better="high",
        ),
    ),
    (
        words(r"tokens?"),
        Measure((("sum(requests.input_tokens + requests.output_tokens)", "token_count"), COUNT)),
    ),
    (
        words(
            r"fail\w* (?:rate|ratio|share|percentage)s?|(?:share|percentage|proportion|fraction|percent|%) of (?:\w+ ){0,4}fail\w*|reliab\w+|healthiest"
        ),
        FAILURE_RATE,
    ),
    (
        words(
            r"error (?:rate|ratio|share|percentage)s?|(?:share|percentage|proportion|fraction|percent|%) of (?:\w+ ){0,4}err\w+"
        ),
        Measure(((RATE.format(ERRORS), "error_rate"), (ERRORS, "error_count"), COUNT), (), 1),
    ),
    (
        words(
            r"time ?out (?:rate|ratio|share)s?|(?:share|percentage|proportion) of (?:\w+ )?(?:time ?outs?|timed out)"
        ),
        Measure(((RATE.format(TIMEOUTS), "timeout_rate"), (TIMEOUTS, "timeout_count"), COUNT), (), 1),
    ),
    (
        words(r"time ?outs?|tim(?:ed|ing) out"),
        Measure(((TIMEOUTS, "timeout_count"), (RATE.format(TIMEOUTS), "timeout_rate"), COUNT), (), 1),
    ),
    (
        words(r"throttl\w+|rate[- ]limit\w*"),
        Measure(((THROTTLED, "throttled_count"), (RATE.format(THROTTLED), "throttled_rate"), COUNT), (), 1),
    ),
    (words(r"fail(?:ed|ures?|s|ing)?"), FAILURES),
    (words(r"errors?|5xx|erroring"), ERRORS_OF),
    (
        words(r"(?:average|mean|avg) (?:\w+ )?(?:latenc\w+|response times?)"),
        Measure(
            (("avg(requests.latency_ms)", "avg_latency_ms"), ("max(requests.latency_ms)", "max_latency_ms"), COUNT),
            (),
            1,
            "requests.latency_ms",
        ),
    ),
    (
        words(r"(?:max(?:imum)?|highest|longest|biggest|largest|peak) (?:\w+ )?(?:latenc\w+|response times?)"),
        Measure((("max(requests.latency_ms)", "max_latency_ms"), COUNT), (), 1, "requests.latency_ms"),
    ),
    (words(r"latenc\w+|slow\w*|fast\w*|quick\w*|response times?|p\d\d+|percentile|median|performance|speed"), LATENCY),
    (words(r"requests?|traffic|calls|volume|load|busi\w+|active|usage|used?|serv(?:ed?|ing)"), TRAFFIC),
)
DIMENSIONS: Mapping[str, tuple[str, str, str]] = {
    "user": ("requests.user_id", "user_id", ""),
    "customer": ("requests.user_id", "user_id", ""),
    "tier": ("users.tier_id", "tier", USERS),
    "model": ("requests.model_id", "model_id", ""),
    "backend": ("requests.backend_id", "backend_id", ""),
    "deployment": ("requests.deployment_id", "deployment_id", ""),
    "region": ("backends.region", "region", BACKENDS),
    "provider": ("backends.provider", "provider", BACKENDS),
    "task": ("requests.task_type", "task_type", ""),
    "task type": ("requests.task_type", "task_type", ""),
    "error code": ("requests.error_code", "error_code", ""),
    "status": ("requests.status", "status", ""),
    "experiment": ("requests.experiment_id", "experiment_id", ""),
    "router version": ("requests.router_version", "router_version", ""),
    "day": ("substr(cast(requests.created_at as text), 1, 10)", "day", ""),
    "hour": ("substr(cast(requests.created_at as text), 1, 13) || ':00'", "hour", ""),
    "hour of day": ("substr(cast(requests.created_at as text), 12, 2)", "hour_of_day", ""),
}
BY = re.compile(
    rf"\b(?:by|per|for each|for every|of each|each|across|which|what|top \d+|bottom \d+|top|bottom|cheapest|slowest|fastest|busiest|worst|best|(?:most|least) \w+|compare(?: the)?|between|"
    rf"broken down by|grouped by|from which|how many|number of) (?:the |all |our |most |\w+ing |\w+est )?{NOUN}\b",
    re.IGNORECASE,
)
WITH = re.compile(
    rf"\b{NOUN} (?:with|without|that|who|which|having)\b(?: (?:has|have|had|got|saw|is|are|was|were|cost|spent|used|made|sent))*"
    r"(?: (?:the|a|an|any|no|\w+est|most|least|more|fewer|less|at|over|above|below|under|\d+|errors?|timeouts?|failures?))",
    re.IGNORECASE,
)
"""Tells apart, too: "the model with the lowest cost", "users with more than 10 errors"."""
WHO = words(r"who|whom")
"""Asks for users, where nothing else is told apart."""
RANKED = words(
    r"most|least|fewest|slowest|fastest|cheapest|busiest|worst|best|longest|highest|lowest|expensive|dearest"
)
MOST_OF = words(r"(?<!at )(?:most|least)|fewest|top|bottom|biggest|largest|highest|lowest|maximum|minimum")
NUMBER = re.compile(r"\b(?:top|bottom|first|the|list|show(?: me)?(?: the)?) (?P<n>\d{1,2})\b", re.IGNORECASE)
LEAST = words(r"(?<!at )least|lowest|fewest|bottom|cheapest|smallest|minimum|quietest|shortest")
GOOD = words(
    r"best|better|fastest|faster|quickest|quicker|healthiest|most (?:reliable|stable)|more (?:reliable|stable)"
)
BAD = words(r"worst|worse|slowest|slower|least (?:reliable|stable)|less (?:reliable|stable)")
"""Which end comes first is said by a measure's own good and bad end, or by its amount."""
COUNTS = words(
    r"how (?:many|much)|number of|count|average|mean|avg|total|sum|(?<!at )(?:most|least)|top|bottom|highest|lowest|fewest|slowest|"
    r"fastest|cheapest|expensive|which|per|by|each|daily|share|percentage|proportion|compare|versus|vs|maximum|minimum|max|min|median|than|compared|p\d\d+|percentile"
)
LISTED = words(r"slowest requests?|most expensive requests?|longest requests?")
INCIDENTS = words(r"incidents?|outages?")
NOT_ACTIVE = words(
    r"past|previous|earlier|resolved|history|all|were|was|did|had|last|latest|recent|how many|often|how long|longest|shortest|since|"
    r"yesterday|week|ended|lasted"
)
ALWAYS = words(
    r"ever|all[- ]time|of all times?|since the (?:very )?(?:beginning|start)|altogether|whole history|so far"
)
"""Asks for everything that is stored, where no time is named."""
STATIC: tuple[tuple[re.Pattern[str], str, tuple[tuple[str, str], ...]], ...] = (
    (
        words(
            r"(?:json(?: mode)?|tools?|streaming|context|max_context\w*|provider)\b.{0,200}\bmodels?|models?\b.{0,200}\b(?:json(?: mode)?|tools?|streaming|context|providers?)"
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
            r"(?:sla|slas|objectives?|promise\w*|limits?)\b.{0,200}\btiers?|tiers?\b.{0,200}\b(?:sla|slas|objectives?|promise\w*|limits?)"
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
SUPPORTS = (("json", "supports_json_mode"), ("tool", "supports_tools"), ("stream", "supports_streaming"))
HOW_MANY = re.compile(
    r"\b(?:how many|number of|count(?: of)?) (?:\w+ )?(?P<what>users?|customers?|models?|backends?|deployments?|tiers?)\b",
    re.IGNORECASE,
)
GROUPED = re.compile(
    rf"\b(?:(?:which|what|how many|number of) (?:\w+ )?{NOUN}|who)\b|{WITH.pattern.replace('?P<noun>', '?:')}",
    re.IGNORECASE,
)
"""Picks some of what is told apart."""
