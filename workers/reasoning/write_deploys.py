"""PURE. Deploys that are asked for themselves: which went out in a span, or the last one."""

from __future__ import annotations

import re
from datetime import datetime

from workers.contracts import Claim, Draft, Evidence, Gap
from workers.ports import Brief
from workers.reasoning.phrases import alert_claim, change_claim, deploy_name, named_alerts, of_kind, text_of
from workers.reasoning.pick_metrics import ROLE_WORDS, named_metrics
from workers.reasoning.write_release import release_step, write_release

IN_HEADLINE, MOST = 3, 12
LISTED = re.compile(
    r"\b(?:what|which|list|show|any|anything|all|how many|every)\b.*\b(?:deploy(?:ed|s|ments?)|released?|releases|"
    r"shipped|rolled out|roll-?outs|went (?:out|live)|gone (?:out|live))\b",
    re.IGNORECASE | re.DOTALL,
)
SPAN = re.compile(
    r"\bsince\b|\b(?:last|latest) (?:\d+|few|two|three|week|day|night|month|hours?|days|couple)", re.IGNORECASE
)
ONE = re.compile(
    r"\b(?:last|latest|newest|most recent)\b(?! (?:\d|few|two|three|week|day|night|month|hour|hours|days|couple))|"
    r"\bversions?\b|\bcurrent\w*\b|\bright now\b|\blive\b",
    re.IGNORECASE,
)
LAST = re.compile(
    r"\b(?:when|what|which|show|who)\b.*\b(?:last|latest|newest|most recent)\b.*"
    r"\b(?:deploy\w*|releases?d?|roll-?outs?|ship\w*)",
    re.IGNORECASE | re.DOTALL,
)
HEALTH = re.compile(r"\b(?:health\w*|status|ok|okay|broken|wrong|fine|why|alerts?|incidents?)\b", re.IGNORECASE)


def lists_deploys(brief: Brief) -> bool:
    """It asks which deploys there were, or what one brought, and of nothing measured."""
    if release_step(brief):
        return True
    text = brief.question.text
    measured = any(words.search(text) for _, words in ROLE_WORDS) or any(named_metrics(text, brief.landscape))
    kind = brief.intent.question_type in {"operations_status", "debug_incident", "other"}
    listed = bool(LISTED.search(text)) and not ONE.search(text)
    return kind and (listed or asks_last(text)) and not (measured or HEALTH.search(text))


def asks_last(text: str) -> bool:
    """Whether it asks for the newest deploy alone."""
    return LAST.search(text) is not None and not SPAN.search(text)


def write_deploys(brief: Brief) -> Draft:
    """The deploys of the span, oldest first, of the service that is named; a few in the headline, the rest below.

    Of one deploy, what it brought when that was looked for.
    """
    if step := release_step(brief):
        return write_release(brief, step)
    deploys = in_span(brief)
    if not deploys:
        return without_deploys(brief)
    if asks_last(brief.question.text):
        return Draft(headline=went_out(deploys[-1]), metrics=(), missing=brief.gaps, confidence="high")
    shown, rest = (deploys, []) if len(deploys) <= IN_HEADLINE else (deploys[-IN_HEADLINE:], deploys[:-IN_HEADLINE])
    commits = [text_of(d, "commit") for d in deploys if text_of(d, "commit")]
    changes = [c for c in of_kind(brief.evidence, "change") if any(text_of(c, "commit").startswith(h) for h in commits)]
    left = len(rest) - MOST
    gaps = (Gap(text=f"{left} earlier deploys of that time are not listed."),) if left > 0 else ()
    return Draft(
        headline=deployed(shown, "Deployed last" if rest else "Deployed"),
        what_changed=(
            *(deployed([d], "Before that") for d in reversed(rest[-MOST:])),
            *(change_claim(c) for c in changes[:MOST]),
        ),
        metrics=tuple(alert_claim(a) for a in named_alerts(brief.evidence)[:2]),
        missing=(*gaps, *brief.gaps),
        confidence="high",
    )


def in_span(brief: Brief) -> list[Evidence]:
    """Deploys within the time that is asked for, oldest first."""
    window = brief.intent.window
    dated = sorted(
        ((datetime.fromisoformat(text_of(d, "at")), d) for d in of_kind(brief.evidence, "deploy")), key=first
    )
    services = {text_of(d, "service").lower() for _, d in dated} | set(service_names(brief))
    said = {*re.findall(r"[\w-]+", brief.question.text.lower()), *(s.lower() for s in brief.intent.subjects)}
    named = said & services
    dated = [(at, d) for at, d in dated if not named or text_of(d, "service").lower() in named]
    if asks_last(brief.question.text):
        return [d for _, d in dated]
    return [d for at, d in dated if window is None or window.start <= at <= window.end]


def service_names(brief: Brief) -> list[str]:
    """Services that have deploys, or metrics."""
    known = (*(d.service for d in brief.landscape.deploys), *brief.landscape.labels.get("service", ()))
    return [s.lower() for s in known]


def without_deploys(brief: Brief) -> Draft:
    """None in that time, and the last one before it."""
    window = brief.intent.window
    dated = sorted(
        ((datetime.fromisoformat(text_of(d, "at")), d) for d in of_kind(brief.evidence, "deploy")), key=first
    )
    before = [d for at, d in dated if window and at < window.start][-1:]
    head = Claim(template="No deploy is known in that time.")
    return Draft(
        headline=head,
        what_changed=tuple(deployed([d], "Last before that") for d in before),
        missing=brief.gaps,
        confidence="medium",
    )


def first(pair: tuple[datetime, Evidence]) -> datetime:
    """The moment."""
    return pair[0]


def went_out(deploy: Evidence) -> Claim:
    """One deploy."""
    return Claim(template=f"Deploy {deploy_name(deploy)} went out at {{{deploy.id}.at}}.", evidence=(deploy.id,))


def deployed(deploys: list[Evidence], lead: str) -> Claim:
    """Each with its time, in one line."""
    parts = [f"{deploy_name(d)} at {{{d.id}.at}}" for d in deploys]
    return Claim(template=f"{lead}: {'; '.join(parts)}.", evidence=tuple(d.id for d in deploys))
