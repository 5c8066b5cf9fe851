"""How far a tool or a known pattern reaches: which of the names that a question gives it can take."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set

from workers.agents.operations.numeric_bounds import bounds_in, picks
from workers.agents.operations.parameters import Parameters
from workers.agents.operations.question_words import NOUN, percentiles_of, singular
from workers.agents.operations.time_comparison import compares_times
from workers.contracts import PatternStep
from workers.grounding.lexicon import words

FILTERS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "get_deployment_status": (("model_id", "of_model"), ("backend_id", "of_backend")),
    "get_latency_trends": (
        ("deployment_id", "deployment_id"),
        ("model_id", "model_id"),
        ("backend_id", "backend_id"),
        ("since", "since"),
        ("until", "until"),
        ("granularity", "granularity"),
    ),
    "get_recent_requests": (
        ("deployment_id", "deployment_id"),
        ("model_id", "model_id"),
        ("backend_id", "backend_id"),
        ("user_id", "user_id"),
        ("user_tier", "user_tier"),
        ("status", "status"),
        ("since", "since"),
        ("until", "until"),
    ),
    "get_quality_summary": (
        ("model_id", "of_model"),
        ("task_type", "task_type"),
        ("since", "since"),
        ("until", "until"),
    ),
    "get_request_volume": (
        ("group_by", "group_by"),
        ("since", "since"),
        ("until", "until"),
        ("granularity", "granularity"),
    ),
    "get_user_context": (("user_id", "user_id"),),
    "get_request_detail": (("request_id", "request_id"),),
}
"""Which slots a tool's arguments are filled from."""
MAIN: Mapping[str, str] = {
    "SYSTEM_STATUS": "get_deployment_status",
    "LATENCY_INVESTIGATION": "get_latency_trends",
    "QUALITY_INVESTIGATION": "get_quality_summary",
    "ERROR_INVESTIGATION": "get_recent_requests",
    "TRAFFIC_ANALYSIS": "get_request_volume",
    "USER_LOOKUP": "get_recent_requests",
}
"""The tool that a pattern's answer comes from; a pattern that is not here takes any question with its cue."""
ARGUMENTS: Mapping[str, frozenset[str]] = {
    "deployment": frozenset({"deployment_id"}),
    "model": frozenset({"model_id"}),
    "backend": frozenset({"backend_id"}),
    "user": frozenset({"user_id"}),
    "tier": frozenset({"user_tier"}),
    "task_type": frozenset({"task_type"}),
}
TOLD_PERCENTILES = frozenset({"50", "95"})
"""Those that the domain tools return."""
PROMISES = words(r"slas?|service[- ]levels?|latency (?:targets?|objectives?|promises?)|error budgets?")
BY_NOUN = re.compile(rf"\b(?:by|per|each|for (?:each|every)|of each) (?:the )?{NOUN}\b", re.IGNORECASE)
NOUNS = (
    r"(?:error codes?|tasks?|users?|customers?|tiers?|models?|backends?|deployments?|regions?|providers?|hours?|days?)"
)
RANKING = r"(?:slowest|fastest|quickest|highest|lowest|worst|best|(?<!at )most(?! recent)|(?<!at )least|fewest|no|any|more|fewer|cheapest|busiest|top)"
WHICH_MOST = words(rf"(?:which|what) (?:\w+ )?(?P<noun>{NOUNS})\b(?=.*\b{RANKING}\b)")
RANKS = words(rf"(?:which|what)\b(?=.*\b{RANKING}\b).*\b{NOUNS}")
"""The same wherever the noun stands: "what is the slowest model?"."""
WHICH_BEST = words(rf"(?:which|what|who)\b(?=.*\b(?:best|highest|top|better)\b).*\b{NOUNS}")
TELLS: Mapping[str, frozenset[str]] = {
    "LATENCY_INVESTIGATION": frozenset({"deployment"}),
    "QUALITY_INVESTIGATION": frozenset(),
    "ERROR_INVESTIGATION": frozenset({"deployment"}),
    "SYSTEM_STATUS": frozenset({"deployment"}),
    "TRAFFIC_ANALYSIS": frozenset({"tier", "model", "backend", "deployment", "day", "hour"}),
}
"""By what the tools of a pattern tell their figures apart."""
FIRST = {"QUALITY_INVESTIGATION": frozenset({"model"})}
"""What leads their answers, worst first."""
OF_STATE = words(r"(?:successful|succeeded|failed|failing|errored|timed[- ]out) (?:requests?|calls?|ones?|traffic)")


OF_INCIDENT = re.compile(
    r"\b(?P<when>during|while|throughout|within|in|since|after|(?:affected|hit|impacted|caused|touched) by|because of|due to) "
    r"(?:the |that |this |our )?(?P<which>last |latest |newest |most recent |previous |current |active |ongoing )?"
    r"(?:incident|outage|inc[-_ ]?\d+)(?! (?:rate|count))\b",
    re.IGNORECASE,
)
"""Speaks of the time or the harm of one incident, not of incidents themselves."""


def left_out(tool: str, parameters: Parameters, given: Set[str] = frozenset()) -> tuple[str, ...]:
    """The names that a tool cannot be narrowed to, by those of its arguments that are given; none means all.

    Of several of a kind it can take none.
    """
    takes = given or frozenset(arg for arg, _ in FILTERS[tool])
    out: list[str] = []
    for kind, names in parameters.names.items():
        if kind not in ARGUMENTS or (tool == "get_deployment_status" and kind in {"deployment", "model", "backend"}):
            continue
        alone = len(names) == 1
        grouped = "group_by" in takes and parameters.get("group_by") == kind and len(filters_of(parameters)) == 1
        if not alone or not (ARGUMENTS[kind] <= takes or grouped):
            out.extend(names)
    return tuple(out)


def filters_of(parameters: Parameters) -> tuple[str, ...]:
    """The kinds of what is named, of those that requests are told apart by."""
    return tuple(kind for kind in parameters.names if kind in ARGUMENTS)


def goes_beyond(pattern: str, text: str, parameters: Parameters, steps: Sequence[PatternStep] = ()) -> bool:
    """Whether a question with a pattern's cue asks for more than its steps can tell, so that it is a novel one."""
    tool = MAIN.get(pattern)
    if tool is None:
        return False
    given = frozenset(arg for step in steps if step.tool == tool for arg in step.args)
    if left_out(tool, parameters, given) or set(groups_of(text)) - TELLS.get(pattern, frozenset()):
        return True
    if (
        parameters.excluded
        or compares_times(text, usual=pattern != "LATENCY_INVESTIGATION")
        or OF_INCIDENT.search(text)
        or (picks(text) and bounds_in(text))
    ):
        return True
    told = FIRST.get(pattern, TELLS.get(pattern, frozenset()))
    if any(singular(m["noun"]) not in told for m in WHICH_MOST.finditer(text)):
        return True
    if pattern == "LATENCY_INVESTIGATION":
        asked = set(percentiles_of(text))
        odd = asked - TOLD_PERCENTILES or asked == {"50"}  # the tools' answer begins with the 95th
        return bool(odd or PROMISES.search(text) or OF_STATE.search(text) or RANKS.search(text))
    if pattern == "QUALITY_INVESTIGATION":
        return bool(WHICH_BEST.search(text))
    return pattern == "TRAFFIC_ANALYSIS" and bool(OF_STATE.search(text))


def groups_of(text: str) -> tuple[str, ...]:
    """By what it is to be told apart: the nouns after "by" and "per"."""
    return tuple(singular(match["noun"]) for match in BY_NOUN.finditer(text))
