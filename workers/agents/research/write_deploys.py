"""Deploys that are asked for themselves: which went out in a span, or the last one."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from workers.agents.research.release_question import NAME, NO_NAME, PLACES, POINT
from workers.agents.research.write_deploy_effect import asks_effect, write_effect
from workers.agents.research.write_release import release_step, write_release
from workers.contracts import Claim, Draft, Evidence, Gap
from workers.grounding.health import text_of
from workers.language.time_phrases import DAY
from workers.ports import Brief
from workers.reasoning.claim_phrases import (
    alert_claim,
    change_claim,
    deploy_name,
    join,
    named_alerts,
    of_kind,
    went_out,
)
from workers.reasoning.empty_answer import unanswered
from workers.reasoning.metric_selection import ROLE_WORDS, named_metrics

IN_HEADLINE, MOST = 3, 12
ALERTS = "alert="
LISTED = re.compile(
    r"\b(?:what|which|list|show|any|anything|all|how many|every)\b.{0,200}\b(?:deploy(?:ed|s|ments?)|released?|"
    r"releases|shipped|rolled out|roll-?outs|went (?:out|live)|gone (?:out|live))\b",
    re.IGNORECASE | re.DOTALL,
)
SPAN = re.compile(
    rf"\bsince\b|\b(?:last|latest) (?:\d+|few|two|three|week|day|night|month|hours?|days|couple|{DAY})", re.IGNORECASE
)
ONE = re.compile(
    r"\b(?:last|latest|newest|most recent)\b(?! (?:\d|few|two|three|week|day|night|month|hour|hours|days|couple))|"
    r"\bversions?\b|\bcurrent\w*\b|\bright now\b|\blive\b",
    re.IGNORECASE,
)
OUT = r"(?:deploy\w*|releases?d?|roll-?outs?|rolled out|ship\w*|went (?:out|live)|go (?:out|live))"
LAST = re.compile(
    rf"\b(?:when|what|which|show|who)\b.{{0,100}}\b(?:last|latest|newest|most recent)\b.{{0,100}}\b{OUT}|"
    rf"\b(?:when|what|which|show|who)\b.{{0,100}}\b{OUT}\b.{{0,100}}\blast\b|"
    rf"\bwhen (?:was|were|did|has) .{{0,100}}\b{OUT}",
    re.IGNORECASE | re.DOTALL,
)
NO_SERVICE = r"(?:the|our|last|latest|newest|most|we|they|you|it|this|that|someone|anyone|anything)"
THE = r"(?:the |our )?"
NAMED = re.compile(
    rf"\bwhen (?:was|were|did|has) {THE}(?!{NO_SERVICE}\b)(?P<was>{NAME}) (?:service |app )?(?:been )?(?:last )?{OUT}|"
    rf"\b(?:deploy\w*|releases?|roll-?outs?|versions?) of {THE}(?P<of>{NAME})|"
    r"\bwhen did (?:we|they|you|i|anyone|someone) (?:last )?(?:deploy\w*|ship\w*|released?|roll(?:ed)? out) "
    rf"{THE}(?P<we>{NAME})|"
    rf"\bwhen (?:was|did) {THE}(?P<own>{NAME})['’]s (?:last |latest |newest )?{OUT}",
    re.IGNORECASE,
)
HEALTH = re.compile(r"\b(?:health\w*|status|ok|okay|broken|wrong|fine|why|alerts?|incidents?)\b", re.IGNORECASE)


def lists_deploys(brief: Brief) -> bool:
    """It asks which deploys there were, what one brought or what it did, and of nothing else that is measured."""
    return bool(release_step(brief)) or asks_deploys(brief) or asks_effect(brief)


def asks_deploys(brief: Brief) -> bool:
    """It asks which deploys there were, or for the last one."""
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
    if not asks_deploys(brief):
        return write_effect(brief)
    brief = of_deploys(brief)
    if unknown := unknown_service(brief):
        return never_deployed(unknown, brief)
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


def of_deploys(brief: Brief) -> Brief:
    """With the calls and gaps alone that deploys come with: those that ask for alerts."""
    calls = tuple(c for c in brief.calls if ALERTS in str(c.args.get("query", "")))
    gaps = tuple(g for g in brief.gaps if not g.tried or any(ALERTS in t for t in g.tried))
    return replace(brief, calls=calls or brief.calls, gaps=gaps)


def in_span(brief: Brief) -> list[Evidence]:
    """Deploys within the time that is asked for, oldest first."""
    window = brief.intent.window
    dated = sorted(
        ((datetime.fromisoformat(text_of(d, "at")), d) for d in of_kind(brief.evidence, "deploy")), key=first
    )
    named = named_services(brief)
    dated = [(at, d) for at, d in dated if not named or text_of(d, "service").lower() in named]
    versions = [(at, d) for at, d in dated if says_version(brief.question.text, text_of(d, "version"))]
    dated = versions or dated
    if asks_last(brief.question.text):
        return [d for _, d in dated]
    return [d for at, d in dated if window is None or window.start <= at <= window.end]


def named_services(brief: Brief) -> set[str]:
    """The services that the question names, in lower case; of names that it cuts short, the only one that fits."""
    known = {text_of(d, "service").lower() for d in of_kind(brief.evidence, "deploy")} | set(service_names(brief))
    said = {*re.findall(r"[\w-]+", brief.question.text.lower()), *(s.lower() for s in brief.intent.subjects)}
    if named := said & known:
        return named
    asked = asked_name(brief.question.text)
    near = {s for s in known if asked and asked in re.split(r"[-_.]", s)}
    return near if len(near) == 1 else set()


def asked_name(text: str) -> str:
    """What a question wants to know the deploys of, in lower case: ``billing``."""
    match = NAMED.search(text)
    name = next((n for n in match.groups() if n), "").lower() if match else ""
    return "" if name in NO_NAME or name in PLACES or re.fullmatch(f"{DAY}|{POINT}", name, re.IGNORECASE) else name


def says_version(text: str, version: str) -> bool:
    """Whether a text names a version, with or without its v."""
    bare = re.escape(version.lower().removeprefix("v"))
    return (
        bool(re.search(r"\d\.\d", version))
        and re.search(rf"(?<![\w.])v?{bare}(?![\w-]|\.\d)", text.lower()) is not None
    )


def unknown_service(brief: Brief) -> str:
    """A service that is asked for by name, and of which no deploy is known."""
    asked, deployed = asked_name(brief.question.text), {d.service.lower() for d in brief.landscape.deploys}
    named = named_services(brief)
    if asked and not named:
        return asked
    told = deployed | {text_of(d, "service").lower() for d in of_kind(brief.evidence, "deploy")}
    return min(named) if named and not named & told else ""


def never_deployed(service: str, brief: Brief) -> Draft:
    """No deploy of it is known; those that are."""
    if lost := unanswered(brief, "metrics_query"):
        return Draft(
            headline=Claim(template=f"{lost}, so I can't say when {service} was deployed."), missing=brief.gaps
        )
    others = sorted({d.service for d in brief.landscape.deploys})[:MOST]
    gap = Gap(text=f"Deploys are known of {join(others)}.") if others else Gap(text="No deploys are known at all.")
    return Draft(
        headline=Claim(template=f"I know no deploy of {service}."), missing=(gap, *brief.gaps), confidence="medium"
    )


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
    named = named_services(brief)
    own = [(at, d) for at, d in dated if not named or text_of(d, "service").lower() in named]
    before = [d for at, d in own if window and at < window.start][-1:]
    lost = unanswered(brief, "metrics_query")
    head = Claim(template=f"{lost}, so I can't say." if lost else "No deploy is known in that time.")
    return Draft(
        headline=head,
        what_changed=tuple(deployed([d], "Last before that") for d in before),
        missing=brief.gaps,
        confidence="medium",
    )


def first(pair: tuple[datetime, Evidence]) -> datetime:
    """The moment."""
    return pair[0]


def deployed(deploys: list[Evidence], lead: str) -> Claim:
    """Each with its time, in one line."""
    parts = [f"{deploy_name(d)} at {{{d.id}.at}}" for d in deploys]
    return Claim(template=f"{lead}: {'; '.join(parts)}.", evidence=tuple(d.id for d in deploys))
