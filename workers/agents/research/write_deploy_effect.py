"""What a deploy did: what moved and what fired after it, and what had before it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from workers.agents.research.rank_changes import named_first
from workers.agents.research.write_status import asked_of, is_better
from workers.contracts import Claim, Draft, Evidence
from workers.engine.anomaly import has_moved
from workers.grounding.health import text_of
from workers.language.time_phrases import BEFORE_EARLY, EARLY, names_deploy
from workers.ports import Brief
from workers.reasoning.claim_phrases import alert_claim, deploy_name, has, named_alerts, of_kind, say_metric
from workers.reasoning.empty_answer import unanswered

AT_ONCE = timedelta(minutes=1)  # an onset or alert so long before the moment told of a deploy may be of it
IN_HEADLINE, MOST = 2, 6
EFFECT = re.compile(
    r"\b(?:deploy\w*|releases?d?|roll-?outs?|rolled out|shipped|version)\b.{0,200}\b(?:worse\w*|better|br[eo]ak\w*|"
    r"broke|hurt\w*|harm\w*|affect\w*|impact\w*|effects?|regress\w*|degrad\w*|problems?|issues?|trouble|ok|okay|fine|healthy|"
    r"safe|well)\b|"
    r"\b(?:worse|better|br[eo]ak\w*|broke|regress\w*|degrad\w*)\b.{0,200}\b(?:since|after|by|with|from) .{0,200}"
    r"\b(?:deploy\w*|release|roll-?out|version)\b",
    re.IGNORECASE | re.DOTALL,
)
BEHAVIOUR = frozenset({"operations_status", "traffic", "debug_incident"})


def asks_effect(brief: Brief) -> bool:
    """Whether it asks how things are since a deploy; of any kind of behaviour when that deploy is only just out."""
    kind = brief.intent.question_type
    since = any(names_deploy(hint) for hint in brief.intent.time_hints)
    if since and kind in BEHAVIOUR and is_early(brief):
        return True
    effect = EFFECT.search(brief.question.text) is not None
    return (kind == "operations_status" and (since or effect)) or (
        kind == "debug_incident" and effect and is_another(brief)
    )


def is_another(brief: Brief) -> bool:
    """Whether the service named has a deploy of its own that is not the one which what moved points to."""
    deploy, suspect = asked_deploy(brief), brief.suspect.deploy if brief.suspect else None
    if deploy is None or suspect is None or text_of(deploy, "service").lower() not in brief.question.text.lower():
        return False
    return text_of(deploy, "service") != suspect.service


def is_early(brief: Brief) -> bool:
    """Whether the deploy that is asked about went out too short a time ago to be seen in any metric."""
    deploy, window = asked_deploy(brief), brief.intent.window
    return deploy is not None and window is not None and window.end - at_of(deploy, "at") < EARLY


def asked_deploy(brief: Brief) -> Evidence | None:
    """The deploy that is asked about: the one that the time counts from, else the one that is named, else the last."""
    deploys = sorted(of_kind(brief.evidence, "deploy"), key=lambda d: text_of(d, "at"), reverse=True)
    window = brief.intent.window
    past = [d for d in deploys if window is None or at_of(d, "at") <= window.end]
    if window and any(names_deploy(hint) for hint in brief.intent.time_hints):
        starts = (window.start, window.start + BEFORE_EARLY)
        past = [d for d in past if at_of(d, "at").replace(microsecond=0) in starts] or past
    return named_first(past, brief)[0] if past else None


def write_effect(brief: Brief) -> Draft:
    """What came after the deploy first; what was there before it is told as such, and never blamed on it."""
    deploy = asked_deploy(brief)
    if deploy is None:
        why = unanswered(brief, "metrics_query") or "no deploy is known in that time"
        return Draft(headline=Claim(template=f"I can't tell what the deploy did: {why}."), missing=brief.gaps)
    first: dict[str, Evidence] = {}
    for metric in (*asked_of(brief), *of_kind(brief.evidence, "metric")):
        first.setdefault(metric.title, metric)
    metrics = list(first.values())
    alerts = [a for a in named_alerts(brief.evidence) if text_of(a, "state") == "firing" or follows(a, "since", deploy)]
    early = is_early(brief)
    return Draft(
        headline=headline(deploy, metrics, alerts, brief, early=early),
        metrics=(
            *(alert_line(a, deploy) for a in alerts),
            *(metric_line(m, deploy) for m in metrics[:MOST]),
        ),
        missing=brief.gaps,
        confidence="low" if early or not metrics else "medium",
    )


def headline(
    deploy: Evidence, metrics: Sequence[Evidence], alerts: Sequence[Evidence], brief: Brief, *, early: bool
) -> Claim:
    """What got worse after the deploy, else that nothing did of what was measured."""
    went = f"deploy {deploy_name(deploy)} went out at {{{deploy.id}.at}}"
    if early:
        template = f"D{went[1:]}, too short a time ago to tell what it did; this is how things stood."
        return Claim(template=template, evidence=(deploy.id,))
    worse = [m for m in metrics if has_moved(m) and not is_better(m)]
    since = [m for m in worse if follows(m, "onset_at", deploy)]
    fired = [a for a in alerts if follows(a, "since", deploy)]
    if since:
        return metric_line(since[0], deploy)
    if fired:
        return alert_line(fired[0], deploy)
    if is_unseen(metrics, deploy):
        template = f"D{went[1:]}. I can't tell yet what it did: no metric looked at has a newer sample."
        return Claim(template=template, evidence=(deploy.id,))
    if worse:
        before = "What moved, moved before: " if has(worse[0], "onset_at") else ""
        line = metric_line(worse[0], deploy)
        return Claim(template=f"D{went[1:]}. {before}{line.template}", evidence=(deploy.id, worse[0].id))
    return unharmed(went, deploy, metrics, brief)


def is_unseen(metrics: Sequence[Evidence], deploy: Evidence) -> bool:
    """Whether metrics were read, and the newest sample of each is older than the deploy."""
    newest = [m.series[-1][0] for m in metrics if m.series]
    return bool(newest) and len(newest) == len(metrics) and max(newest) < at_of(deploy, "at").timestamp()


def unharmed(went: str, deploy: Evidence, metrics: Sequence[Evidence], brief: Brief) -> Claim:
    """Nothing got worse, of what was measured; when nothing was, that it is not known."""
    steady = [m for m in metrics if has(m, "current") and not has_moved(m)][:IN_HEADLINE]
    better = [m for m in metrics if has(m, "current") and has_moved(m)][:1]
    if steady:
        values = " and ".join(f"{m.title} is {{{m.id}.current}}" for m in steady)
        cited = (deploy.id, *(m.id for m in steady))
        return Claim(template=f"I see nothing that moved since {went}: {values}.", evidence=cited)
    if better:
        return Claim(template=f"D{went[1:]}. {say_metric(better[0])}.", evidence=(deploy.id, better[0].id))
    why = unanswered(brief, "metrics_query") or "no metric has a recent value"
    return Claim(template=f"D{went[1:]}; I can't tell what it did: {why}.", evidence=(deploy.id,))


def metric_line(metric: Evidence, deploy: Evidence) -> Claim:
    """How a metric moved, and whether that was before or after the deploy."""
    said, k = say_metric(metric), metric.id
    if not has_moved(metric) or not has(metric, "onset_at"):
        return Claim(template=f"{said}.", evidence=(k,))
    template = f"{said}, starting {{lag({k}.onset_at,{deploy.id}.at)}} deploy {deploy_name(deploy)}."
    return Claim(template=template, evidence=(k, deploy.id))


def alert_line(alert: Evidence, deploy: Evidence) -> Claim:
    """An alert; one that fired before the deploy is told so."""
    claim = alert_claim(alert)
    if not has(alert, "since"):
        return claim
    order = f"{{lag({alert.id}.since,{deploy.id}.at)}} deploy {deploy_name(deploy)}"
    return Claim(template=f"{claim.template.rstrip('.')}, {order}.", evidence=(alert.id, deploy.id))


def follows(item: Evidence, name: str, deploy: Evidence) -> bool:
    """Whether something began after a deploy."""
    return has(item, name) and at_of(item, name) >= at_of(deploy, "at") - AT_ONCE


def at_of(item: Evidence, name: str) -> datetime:
    """A fact that is a moment."""
    return datetime.fromisoformat(text_of(item, name))
