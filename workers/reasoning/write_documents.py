"""PURE. Questions that documents answer first (design, alerting, notions), and what is left when nothing was found."""

from __future__ import annotations

import re

from workers.contracts import Claim, Draft, Evidence, Gap
from workers.engine.anomaly import has_moved
from workers.engine.assemble import stems
from workers.ports import Brief
from workers.reasoning.phrases import (
    alert_claim,
    capital,
    code_claim,
    deploy_name,
    doc_claim,
    doc_name,
    join,
    named_alerts,
    of_kind,
    say_metric,
    text_of,
)
from workers.reasoning.relevance import covers, names_subject
from workers.reasoning.write_places import subject_phrase

DEPLOY = re.compile(r"\b(deploy(ed|ment|s)?|release[ds]?|shipped|rolled out|version|live)\b", re.IGNORECASE)
FIRING = re.compile(r"\b(fir(e|es|ed|ing)|active|going off|ringing)\b", re.IGNORECASE)
ALERT_NAME = re.compile(r"[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+")


def write_documents(brief: Brief) -> Draft:
    """The section that says it, in its own words; then code and alerts."""
    docs = [d for d in of_kind(brief.evidence, "doc") if covers(d, brief)]
    code = of_kind(brief.evidence, "code")
    alerts = named_alerts(brief.evidence)
    subject = brief.intent.subjects[0] if brief.intent.subjects else subject_phrase(brief.question.text)
    if not docs and not any(covers(c, brief) for c in code):
        return write_nothing(brief, f"No source here explains {subject}.")
    metrics = tuple(alert_claim(a) for a in alerts if names_subject(a, subject))
    return Draft(
        headline=lead(docs[0]) if docs else code_claim(code[0]),
        code=tuple(code_claim(c) for c in code[:4]),
        metrics=metrics,
        docs=tuple(doc_claim(d) for d in docs[:4]),
        next_steps=tuple(Claim(template=f"Read {doc_name(d)} ({{{d.id}.path}}).", evidence=(d.id,)) for d in docs[:1]),
        missing=tuple(g for g in brief.gaps if g.tool != "metrics_query" or brief.intent.question_type == "alerting"),
        confidence="high" if docs else "medium",
    )


def write_alerting(brief: Brief) -> Draft:
    """The rules that speak of the subject, then what is written about them, then which of them fire."""
    if FIRING.search(brief.question.text):
        return write_status(brief)
    draft = write_documents(brief)
    rules = [r for c in of_kind(brief.evidence, "code") for r in rules_of(c, brief)]
    if not rules:
        return draft
    subject = capital(brief.intent.subjects[0]) if brief.intent.subjects else "Alerts"
    names = join([f"{{{key}.{name}}}" for key, name in rules])
    files = {text_of(e, "path"): e.id for e in brief.evidence for key, _ in rules if e.id == key}
    path = join([f"{{{key}.path}}" for key in files.values()])
    cited = tuple(dict.fromkeys(key for key, _ in rules))
    return draft.model_copy(
        update={
            "headline": Claim(template=f"{subject}: {names}, defined in {path}.", evidence=cited),
            "code": tuple(rule_claim(next(e for e in brief.evidence if e.id == key), name) for key, name in rules),
            "confidence": "high",
        }
    )


def rules_of(item: Evidence, brief: Brief) -> list[tuple[str, str]]:
    """The alert rules of an excerpt that hold a word of the subject; all of them when no subject is named."""
    wanted = stems(" ".join(brief.intent.subjects)) - stems("flow service endpoint alert alerts api")
    wanted = set() if wanted & stems(text_of(item, "path")) else wanted  # a file of the subject's own
    names = [f"alert_{i}" for i in range(1, 9) if f"alert_{i}" in item.facts]
    split = {n: stems(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text_of(item, f"{n}_rule"))) for n in names}
    return [(item.id, n) for n in names if not wanted or wanted & split[n]]


def rule_claim(item: Evidence, name: str) -> Claim:
    """One rule: where, how long it waits, its labels."""
    k = item.id
    wait = f", fires after {{{k}.{name}_for}}" if f"{name}_for" in item.facts else ""
    labels = f", labels `{{{k}.{name}_labels}}`" if f"{name}_labels" in item.facts else ""
    return Claim(template=f"{{{k}.{name}}}: {{{k}.{name}_lines}}{wait}{labels}", evidence=(k,))


def lead(item: Evidence) -> Claim:
    """The sentence of the section that answers, as its headline."""
    if not text_of(item, "quote"):
        return Claim(template=f"{doc_name(item)} speaks of it.", evidence=(item.id,))
    return Claim(template=f"{{{item.id}.quote}}", evidence=(item.id,))


def write_nothing(brief: Brief, text: str) -> Draft:
    """Nothing found: said as such, with everything that was tried, and never as "all fine"."""
    tried: dict[str, int] = {}
    for call in brief.calls:
        tried[call.name] = tried.get(call.name, 0) + 1
    times = {1: "once", 2: "twice"}
    checked = ", ".join(f"{name} {times.get(n, f'{n} times')}" for name, n in tried.items())
    gaps = brief.gaps or tuple(
        Gap(text=f"{c.name}: nothing that speaks of it", tool=c.name, tried=(str(c.args.get("query", "")),))
        for c in brief.calls
    )
    summary = (Gap(text=f"Checked: {checked}."),) if checked else ()
    if gaps and all(re.search(r"\b(?:is|are) connected\b", g.text) for g in gaps):
        text = (
            "No source is connected that could answer this: name one with --repo, --docs or --prometheus, or in config."
        )
    return Draft(headline=Claim(template=text), missing=(*gaps, *summary))


def write_lookup(brief: Brief) -> Draft:
    """One request or user: needs a source that is not connected."""
    what = "single requests" if brief.intent.question_type == "request_lookup" else "users and their limits"
    draft = write_nothing(brief, f"I can't look up {what}: no operations database is connected.")
    docs = [d for d in of_kind(brief.evidence, "doc") if covers(d, brief)]
    return draft.model_copy(update={"docs": tuple(doc_claim(d) for d in docs[:2])})


def write_status(brief: Brief) -> Draft:
    """What fires and what moved, of the subject first; calm is only said of what was measured."""
    alerts, metrics = named_alerts(brief.evidence), of_kind(brief.evidence, "metric")
    counts = [a for a in of_kind(brief.evidence, "alert") if "firing" in a.facts]
    docs = [d for d in of_kind(brief.evidence, "doc") if covers(d, brief)]
    if not alerts and not metrics and not counts:
        return write_nothing(brief, "I can't tell how things stand: no metrics answered.")
    subjects = brief.intent.subjects
    own = [a for a in alerts if not subjects or any(names_subject(a, s) for s in subjects)]
    elsewhere = [a for a in alerts if a not in own]
    unusual = [m for m in metrics if m.step in {"errors", "latency"} and has_moved(m)]
    return Draft(
        headline=status_headline(brief, own, unusual, counts),
        what_changed=tuple(deploy_claim(d) for d in of_kind(brief.evidence, "deploy")[1:6] if asks_deploys(brief)),
        metrics=(
            *(alert_claim(a) for a in own[1:]),
            *(Claim(template=f"{say_metric(m)}.", evidence=(m.id,)) for m in metrics[:6]),
            *(elsewhere_claim(a) for a in elsewhere[:3]),
        ),
        docs=tuple(doc_claim(d) for d in docs[:1]),
        missing=(*brief.gaps, *(Gap(text=u) for u in brief.plan.uncertainties)),
        confidence="medium",
    )


def status_headline(brief: Brief, own: list[Evidence], unusual: list[Evidence], counts: list[Evidence]) -> Claim:
    """The subject's alert, else what moved, else what was measured; deploys when they are asked for."""
    deploys = of_kind(brief.evidence, "deploy")
    if deploys and asks_deploys(brief):
        return deploy_claim(deploys[0])
    asked = [s for s in brief.intent.subjects if ALERT_NAME.fullmatch(s)]
    if asked and not own and counts:
        return Claim(template=f"{asked[0]} is not among the alerts that fire.")
    if own:
        return alert_claim(own[0])
    if unusual:
        return Claim(template=f"{say_metric(unusual[0])}.", evidence=(unusual[0].id,))
    metrics = of_kind(brief.evidence, "metric")
    main = [m for role in ("errors", "latency") for m in metrics if text_of(m, "role") == role][:4]
    main = [
        next(m for m in main if text_of(m, "role") == role) for role in dict.fromkeys(text_of(m, "role") for m in main)
    ]
    shown = counts[:1] if not brief.intent.subjects else []
    parts = [*(f"{{{c.id}.firing}} alerts fire" for c in shown), *(say_metric(m) for m in main)]
    if not parts:
        return Claim(template="I can't tell how things stand: no metric of errors or latency answered.")
    return Claim(template=f"{'; '.join(parts)}.", evidence=tuple(e.id for e in (*shown, *main)))


def asks_deploys(brief: Brief) -> bool:
    """Whether the question is about deploys."""
    return DEPLOY.search(brief.question.text) is not None


def deploy_claim(item: Evidence) -> Claim:
    """One deploy."""
    return Claim(template=f"Deploy {deploy_name(item)} went out at {{{item.id}.at}}.", evidence=(item.id,))


def elsewhere_claim(item: Evidence) -> Claim:
    """An alert of something else."""
    claim = alert_claim(item)
    return claim.model_copy(update={"template": f"Elsewhere: {claim.template}"})


def write_traffic(brief: Brief) -> Draft:
    """How much traffic, and its peak."""
    metrics = of_kind(brief.evidence, "metric")
    if not metrics:
        return write_nothing(brief, "I have no metric that counts these requests.")
    main = metrics[0]
    lines = [Claim(template=f"{say_metric(main)}.", evidence=(main.id,))]
    if "peak" in main.facts and "peak_at" in main.facts:
        lines.append(Claim(template=f"Its peak was {{{main.id}.peak}} at {{{main.id}.peak_at}}.", evidence=(main.id,)))
    return Draft(headline=lines[0], metrics=tuple(lines[1:]), missing=brief.gaps, confidence="medium")


def about_nothing(brief: Brief) -> bool:
    """The first subject is an endpoint that no evidence holds."""
    subjects = [s for s in brief.intent.subjects if s.startswith("/")]
    return bool(subjects) and not any(names_subject(e, subjects[0]) for e in brief.evidence if e.kind != "deploy")
