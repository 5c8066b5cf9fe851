"""What was deployed and when: the deploys of a span, the last one, or what one of them brought."""

from __future__ import annotations

import re
from datetime import datetime

from workers.contracts import Claim, Draft, Evidence, Gap
from workers.grounding.health import text_of
from workers.language.time_phrases import names_deploy
from workers.ports import Brief
from workers.reasoning.claim_phrases import alert_claim, change_claim, deploy_name, join, of_kind, troubles
from workers.reasoning.empty_answer import unanswered
from workers.reasoning.wish import VERSION

IN_HEADLINE, MOST = 3, 8
LAST = re.compile(r"\b(?:last|latest|newest|most recent|when|live|current\w*|running)\b", re.IGNORECASE)


def write_deploys(brief: Brief) -> Draft:
    """The deploy that is named or the last one, with what it brought; of a span, its deploys and commits."""
    deploys = sorted(of_kind(brief.evidence, "deploy"), key=lambda d: text_of(d, "at"))
    own = of_service(deploys, brief)
    named = own and {text_of(d, "service") for d in own} != {text_of(d, "service") for d in deploys}
    if not own and (missing := asked_service(brief)):
        return never_deployed(missing, brief)
    one = the_one(own, brief)
    if one is not None:
        brought = [c for c in of_kind(brief.evidence, "change") if c.step == "release"]
        return Draft(
            headline=deployed([one], ""),
            what_changed=tuple(change_claim(c) for c in brought[:MOST]),
            missing=brief.gaps if not brought else (),
            confidence="high",
        )
    inside = [d for d in own if in_window(d, brief)]
    changes = [c for c in of_kind(brief.evidence, "change") if c.step == "changes"]
    commits = [] if named else [change_claim(c) for c in changes[:MOST]]
    if not inside:
        return without_deploys(own, commits, brief)
    shown, rest = inside[-IN_HEADLINE:], inside[:-IN_HEADLINE]
    return Draft(
        headline=deployed(shown, "Deployed last: " if rest else "Deployed: "),
        what_changed=(*(deployed([d], "Before that: ") for d in reversed(rest[-MOST:])), *commits),
        metrics=tuple(alert_claim(a) for a in troubles(brief.evidence, brief.question.text)[:2]),
        missing=tuple(g for g in brief.gaps if g.tool == "metrics_query"),
        confidence="high",
    )


def the_one(own: list[Evidence], brief: Brief) -> Evidence | None:
    """The deploy of the version that is named, else the last one where that is asked for; None for a span."""
    text, said = brief.question.text, {v.removeprefix("v") for v in VERSION.findall(brief.question.text)}
    if said:
        return next((d for d in reversed(own) if text_of(d, "version").removeprefix("v") in said), None)
    if not all(map(names_deploy, brief.intent.time_hints)) or not LAST.search(text):
        return None
    return own[-1] if own else None


def of_service(deploys: list[Evidence], brief: Brief) -> list[Evidence]:
    """Deploys of the service that the question names; all when it names none."""
    service = asked_service(brief)
    return [d for d in deploys if not service or text_of(d, "service").lower() == service.lower()]


def asked_service(brief: Brief) -> str:
    """The service that is named."""
    known = {s.lower(): s for s in brief.landscape.labels.get("service", ())}
    known |= {d.service.lower(): d.service for d in brief.landscape.deploys}
    said = [*re.findall(r"[\w-]+", brief.question.text.lower()), *(s.lower() for s in brief.intent.subjects)]
    return next((known[word] for word in said if word in known), "")


def in_window(deploy: Evidence, brief: Brief) -> bool:
    """Whether it went out within the time that is asked for."""
    window, at = brief.intent.window, datetime.fromisoformat(text_of(deploy, "at"))
    return window is None or window.start <= at <= window.end


def never_deployed(service: str, brief: Brief) -> Draft:
    """No deploy of it is known; those that are."""
    if lost := unanswered(brief, "metrics_query"):
        head = f"{lost}, so I can't say when {service} was deployed."
        return Draft(headline=Claim(template=head), missing=brief.gaps)
    others = sorted({d.service for d in brief.landscape.deploys})[:MOST]
    gap = Gap(text=f"Deploys are known of {join(others)}.") if others else Gap(text="No deploys are known at all.")
    return Draft(headline=Claim(template=f"I know no deploy of {service}."), missing=(gap,), confidence="medium")


def without_deploys(own: list[Evidence], commits: list[Claim], brief: Brief) -> Draft:
    """None in that time: its commits, and the last deploy before it."""
    window = brief.intent.window
    before = [d for d in own if window and datetime.fromisoformat(text_of(d, "at")) < window.start][-1:]
    lost = unanswered(brief, "metrics_query")
    head = Claim(template=f"{lost}, so I can't say." if lost else "No deploy is known in that time.")
    lead = commits[0] if commits and not brief.landscape.metrics else head
    return Draft(
        headline=lead,
        what_changed=(*(c for c in commits if c != lead), *(deployed([d], "Last before that: ") for d in before)),
        missing=brief.gaps,
        confidence="medium",
    )


def deployed(deploys: list[Evidence], lead: str) -> Claim:
    """Each with its time, in one line."""
    if not lead:
        one = deploys[0]
        return Claim(template=f"Deploy {deploy_name(one)} went out at {{{one.id}.at}}.", evidence=(one.id,))
    parts = [f"{deploy_name(d)} at {{{d.id}.at}}" for d in deploys]
    return Claim(template=f"{lead}{'; '.join(parts)}.", evidence=tuple(d.id for d in deploys))
