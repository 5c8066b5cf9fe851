"""PURE. Whether a question is one about model deployments in operation, or about code, documents and metrics."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re

from workers.contracts import Landscape
from workers.reasoning.kinds import score_kinds
from workers.reasoning.operations.words import REQUEST_ID, TIER, names_in, words
from workers.reasoning.said import questions_in

OWN_WORDS = words(
    r"model deployments?|active incidents?|incidents? (?:are |is )?(?:active|open)|open incidents?|"
    r"deployments? (?:is |are |look |looking )?(?:status|health\w*|unhealthy|degraded|down|stale|doing)|"
    r"(?:status|health|state) of (?:the |our |all )?(?:model )?(?:deployments|models|backends)|"
    r"(?:degraded|unhealthy|stale|healthy) (?:deployments?|backends?|models?)|which (?:deployments?|backends?|models?)|"
    r"quality (?:scores?|of (?:the )?(?:answers|models?))|(?:lowest|low|bad|worst) scor\w+|eval scores?|ttft|time to first token|tokens? (?:per|a) second|"
    r"(?:per|by|each|for each) (?:tier|model|backend|deployment)s?|daily budget|budget (?:left|used|remaining)|"
    r"router versions?|rate[_ ]limit[_ ]remaining|queue_depth|is_stale|deployment_state_current|quality_scores|"
    r"operations (?:data|database)|context database"
)
NOT_OWN = words(
    r"code|repo\w*|file|function|class|config\w*|implement\w*|commit\w*|pull request|runbooks?|adrs?|docs?|documents?|"
    r"documentation|wiki|design|architecture|alert rules?|alertmanager|on-?call|pager\w*|wired|defined|deploy(?:ed)? (?:went|of)|"
    r"went out|released?|roll(?:ed)? ?out|endpoints?"
)
OF_A_USER = words(r"users?|budget|requests?|tier|spen[dt]\w*|latency|errors?|limits?")
ENDPOINT = re.compile(r"(?<![\w./:~])/[A-Za-z_]")
CODE_KINDS = frozenset({"locate_code", "explain_code", "design_overview", "alerting"})
SURE, LIKELY, HARDLY = 0.9, 0.7, 0.0


def how_operational(text: str, context: tuple[str, ...], landscape: Landscape) -> float:
    """How sure it is that the operations data answer, 0 to 1."""
    own = by_words(text, landscape)
    asked = questions_in(context)
    if own == HARDLY and asked and not speaks_of_else(text, landscape):
        return by_words(asked[-1], landscape)
    return own


def by_words(text: str, landscape: Landscape) -> float:
    """By the names and words of one message."""
    if speaks_of_else(text, landscape):
        return HARDLY
    labels = landscape.labels
    served, _ = names_in(text, (*labels.get("deployment", ()), *labels.get("model", ()), *labels.get("backend", ())))
    users, _ = names_in(text, labels.get("user", ()))
    if served or OWN_WORDS.search(text) or (users and OF_A_USER.search(text)):
        return SURE
    scores = score_kinds(text)
    if max(scores, key=lambda kind: scores[kind]) in CODE_KINDS:
        return HARDLY
    return LIKELY if REQUEST_ID.search(text) or TIER.search(text) else HARDLY


def speaks_of_else(text: str, landscape: Landscape) -> bool:
    """Whether it names an endpoint, a service or an alert, or asks for code and documents."""
    others, _ = names_in(text, (*landscape.labels.get("service", ()), *landscape.alerts))
    return bool(others or ENDPOINT.search(text) or NOT_OWN.search(text))
