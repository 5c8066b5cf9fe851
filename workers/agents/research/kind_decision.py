"""The kind of a question: what the model says, held against what the question names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workers.agents.research.code_change_question import asked_change, is_of_code
from workers.agents.research.release_question import asked_release
from workers.contracts import Landscape, QuestionType
from workers.language.question_kinds import score_kinds
from workers.reasoning.metric_selection import named_metrics
from workers.reasoning.question_words import METRIC_WORD
from workers.reasoning.request_identifiers import identifiers

ONE_REQUEST = re.compile(
    r"\b(?:request|trace|transaction|correlation)[ _-]?(?:id|number)s?\b|"
    r"\b(?:that|this|a) (?:one |single |specific )?request\b",
    re.IGNORECASE,
)
OF_A_USER = re.compile(
    r"\b(?:quotas?|budgets?|limits?|tiers?|plans?|usage|credits?|caps?|spen[dt]\w*|consumed|blocked|remaining|left)\b",
    re.IGNORECASE,
)
FIRES_NOW = re.compile(
    r"\b(?:is|are|still) (?:\S+ ){0,3}(?:firing|active|ringing|going off)\b|\bwhy (?:is|did|does)\b|\bgone\b",
    re.IGNORECASE,
)
ABOUT_ALERT = re.compile(
    r"\b(?:mean\w*|thresholds?|what (?:do|should|can|must) (?:i|we|one)|how (?:do|should) (?:i|we)|who|which team|"
    r"whom|runbook|when does|at (?:what|which)|how (?:long|many|high)|severity|rule|defined|configured|"
    r"page[sd]?|fires?)\b",
    re.IGNORECASE,
)
ALERTING = re.compile(
    r"\b(?:alert\w*|alarms?|pag(?:e|ed|es|er|erduty|ing)|slos?|slis?|budget|burn|on-?call|on call|rota|escalat\w+|"
    r"threshold\w*|"
    r"fires?|firing|silenc\w+|muted?|notif\w+|woken|wakes?|ack\w*|severit\w+|runbooks?|trigger\w*|incidents?|"
    r"roll(?:ed|ing)? ?back|(?:what|how) (?:do|should|to|can|must)|who(?:m|se)?|goes? off|p[0-3]|"
    r"sev-?\d|dashboards?|channel)\b",
    re.IGNORECASE,
)
HELPLESS = re.compile(
    r"\bwhat (?:do|should|can|must) (?:i|we) do\b.*(?-i:\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+)", re.IGNORECASE
)
FLAG = re.compile(
    r"^\W*(?:so |and |hey |hi )*(?:is|are|was) (?!.*\b(?:call|fire|track|hold|slow|again|going)\b).{2,50}\b(?:on|off|"
    r"enabled|disabled|(?:turned|switched) (?:on|off))\b(?: (?:in|on) (?:prod\w*|live|staging|dev\w*|test)|\s*\?|$)",
    re.IGNORECASE,
)
ALLOWED = re.compile(r"\bhow (?:many|much|long) .*\b(?:can|may|allowed|permitted|at most|max\w*)\b", re.IGNORECASE)
RIGHT_NOW = re.compile(
    r"\b(?:now|currently|today|since|per (?:second|minute)|yesterday|before|at the moment)\b", re.IGNORECASE
)
OWNER = re.compile(
    r"\b(?:which|what|whose) team\b(?=.*\b(?:owns?|do i|should i|can i|is responsible|maintains?|bother|ask|"
    r"contact|talk))|"
    r"\bwho (?:owns|maintains|is responsible for|looks after)\b|\bwh(?:o|om) (?:do|should|can) (?:i|we) (?:ask|bother|"
    r"contact|talk to|ping|call|tell)\b",
    re.IGNORECASE,
)
NOT_OWNER = re.compile(r"\b(?:threshold|page[sd]?|fires?|configured|why|slow|errors?)\b", re.IGNORECASE)
WHY = re.compile(r"^\W*(?:\w+ ){0,2}why\b|\bwhy (?:is|are|did|does|was|were)\b", re.IGNORECASE)
PLAIN = re.compile(
    r"^\W*(?:so |and |hey |hi |please )*(?:when|which|who|what|since when)\b(?!.*\b(?:now|status|up|down)\b)",
    re.IGNORECASE,
)
OF_METRICS: frozenset[QuestionType] = frozenset({"operations_status", "traffic"})
"""Kinds that metrics alone answer: what, when, which and who are asked of the code where there are none."""
SEEN_BEFORE = re.compile(
    r"\b(?:have|had|has|did|do) (?:we|you|anyone|anybody|this|it|that|something)\b[^?]{0,80}"
    r"\b(?:seen|had|met|happen(?:ed)?|hit|encounter(?:ed)?)\b[^?]{0,120}\bbefore\b"
    r"|\b(?:seen|happened) (?:this|that|it|anything like (?:this|that)) before\b"
    r"|\b(?:incidents?|outages?) like (?:this|that|it)\b"
    r"|\b(?:similar|past|previous|earlier|prior) (?:incidents?|outages?|postmortems?)\b"
    r"|\bpostmortems? (?:about|of|on|for|like)\b",
    re.IGNORECASE,
)
KEPT = frozenset({"alerting", "locate_code", "explain_code", "debug_incident", "user_lookup", "request_lookup"})


def settle_kind(text: str, landscape: Landscape, context: Sequence[str] = ()) -> QuestionType:
    """The likeliest kind that the question has what it takes for.

    A look-up needs an id, or the words for one. Who names an alert that exists, and does not ask whether it fires, asks
    about alerting; who looks for a team asks about alerting when an alert is spoken of, else about the design. What a
    deploy brought, and how a part of the code changed, is looked up in the code's history.
    """
    if asks_of_past(text):
        return "conceptual"
    if asked_release(text, landscape) or asked_change(text, landscape):
        return "locate_code"
    kind = classify(text)
    if asks_owner(text):
        said = " ".join((text, *context))
        return "alerting" if any(a.lower() in said.lower() for a in landscape.alerts) else "design_overview"
    if FLAG.search(text) or (kind == "traffic" and ALLOWED.search(text)):
        return "locate_code"
    if kind == "conceptual" and RIGHT_NOW.search(text) and any(True for _ in named_metrics(text, landscape)):
        return "operations_status"
    if kind in {"locate_code", "explain_code"} and HELPLESS.search(text):
        return "alerting"
    if kind in OF_METRICS and is_of_code(landscape) and PLAIN.match(text) and not METRIC_WORD.search(text):
        return "locate_code"
    named = any(re.search(rf"(?<!\w){re.escape(a)}(?!\w)", text, re.IGNORECASE) for a in landscape.alerts)
    if not named or FIRES_NOW.search(text):
        return kind
    return "alerting" if kind not in KEPT or (kind == "debug_incident" and ABOUT_ALERT.search(text)) else kind


def asks_of_past(text: str) -> bool:
    """Whether it asks for past incidents like this one."""
    return SEEN_BEFORE.search(text) is not None


def asks_owner(text: str) -> bool:
    """Whether it asks who is responsible, and nothing else."""
    return OWNER.search(text) is not None and not NOT_OWNER.search(text)


def classify(text: str) -> QuestionType:
    """The kind with the highest score among those that are possible."""
    scores = score_kinds(text)
    possible = [k for k in scores if is_possible(k, text)]
    return max(possible, key=lambda kind: scores[kind])


def is_possible(kind: QuestionType, text: str) -> bool:
    """A look-up has something to look up, alerting is spoken of, and who asks why wants more than how things stand."""
    if kind == "request_lookup":
        return bool(identifiers(text)) or ONE_REQUEST.search(text) is not None
    if kind == "operations_status" and WHY.search(text):
        return False
    if kind == "alerting":
        return ALERTING.search(text) is not None or re.search(r"\b[A-Z][a-z]+[A-Z]\w+", text) is not None
    if kind == "user_lookup":
        return bool(identifiers(text)) or OF_A_USER.search(text) is not None
    return True
