"""PURE. Questions that documents answer first (design, alerting, notions), and what is left when nothing was found."""

from __future__ import annotations

import re

from workers.contracts import Claim, Draft, Evidence, Gap
from workers.engine.assemble import stems
from workers.ports import Brief
from workers.reasoning.identifiers import identifiers
from workers.reasoning.phrases import (
    alert_claim,
    capital,
    code_claim,
    doc_claim,
    doc_name,
    join,
    named_alerts,
    of_kind,
    passage_claim,
    steps_of,
    text_of,
)
from workers.reasoning.relevance import asked_words, covers, is_titled, names_subject
from workers.reasoning.said import asks_overview
from workers.reasoning.write_nothing import no_document_gaps, write_nothing
from workers.reasoning.write_places import subject_phrase
from workers.reasoning.write_status import write_status

SHORT, MOST_NEAR, MOST_RULES = 420, 5, 6
GENERAL = re.compile(r"\b(?:overview|design|architecture|parts|components|services)\b", re.IGNORECASE)
FIRING = re.compile(
    r"^(?!.*\b(?:when (?:does|do|will|would)|threshold|at (?:what|which)|mean\w*|should|what do (?:i|we))\b)"
    r".*(?:\b(?:is|are|was|were|still|currently|now|any|which|what)\b.*\b(?:firing|fired|active|going off|ringing)\b|"
    r"\b(?:which|what|any) alerts? fires?\b|\bfiring (?:alerts?|now)\b)",
    re.IGNORECASE | re.DOTALL,
)
ON_CALL = re.compile(
    r"\b(?:who(?:['’]?s| is| are)|whom|anyone)\b.*\b(?:on[- ]?call|on duty|on the rota)\b", re.IGNORECASE
)
LEVELS = re.compile(r"\b(?:slos?|slis?|error budgets?|on[- ]?call|rota|escalat\w+)\b(?! page)", re.IGNORECASE)
TO_DO = re.compile(
    r"\b(?:what (?:do|should|can|must|shall) (?:i|we|one)|how (?:do|should|can) (?:i|we)|mean\w*|next|runbook|"
    r"react|respond|handle)\b",
    re.IGNORECASE,
)
HOW_TO = re.compile(r"\bhow (?:do|does|to|can|should|would) ?(?:i|we|you|one)?\b", re.IGNORECASE)
ALERT_NAME = re.compile(r"[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+")


def write_documents(brief: Brief) -> Draft:
    """The section that says it, in its own words; then code and alerts."""
    docs = [d for d in of_kind(brief.evidence, "doc") if fits(d, brief)]
    docs.sort(key=lambda d: not text_of(d, "passage"))
    code = [c for c in of_kind(brief.evidence, "code") if covers(c, brief)]
    alerts = named_alerts(brief.evidence)
    subject = brief.intent.subjects[0] if brief.intent.subjects else subject_phrase(brief.question.text)
    if not docs and not code:
        return write_nothing(brief, f"No source here explains {subject}.")
    metrics = tuple(alert_claim(a) for a in alerts if names_subject(a, subject))
    others = (g for g in brief.gaps if g.tool != "metrics_query" or brief.intent.question_type == "alerting")
    told = [d for d in docs if text_of(d, "passage")] or docs
    return Draft(
        headline=lead(told[0]) if docs else code_claim(code[0]),
        code=tuple(code_claim(c, words=asked_words(brief), most=2) for c in code[:4]),
        metrics=metrics,
        docs=tuple(passage_claim(d) for d in told[:4]),
        next_steps=tuple(Claim(template=f"Read {doc_name(d)} ({{{d.id}.path}}).", evidence=(d.id,)) for d in told[:1]),
        missing=(*no_document_gaps(brief), *others),
        confidence="high" if docs else "medium",
    )


def fits(doc: Evidence, brief: Brief) -> bool:
    """It speaks of what was asked; who wants an overview gets what the design documents give."""
    if covers(doc, brief) or is_titled(doc, brief):
        return True
    whole = brief.intent.question_type == "design_overview" and asks_overview(brief.question.text)
    general = re.search(
        r"\b(?:overview|design|architecture|parts|components|services)\b", f"{doc.title} {doc.locator}", re.IGNORECASE
    )
    return whole and general is not None


def write_alerting(brief: Brief) -> Draft:
    """The rules that speak of the subject, then what is written about them, then which of them fire."""
    if FIRING.search(brief.question.text):
        return write_status(brief)
    draft = write_documents(brief)
    if ON_CALL.search(brief.question.text):
        gap = Gap(text="Who is on call at this moment: no on-call schedule is connected.")
        draft = draft.model_copy(update={"missing": (gap, *draft.missing)})
    if TO_DO.search(brief.question.text):
        steps = runbook_steps(brief)
        draft = draft.model_copy(update={"next_steps": steps or draft.next_steps})
        if steps and not named_alert(brief):
            return draft.model_copy(update={"headline": lead_step(steps, brief)})
    rules = [r for c in of_kind(brief.evidence, "code") for r in rules_of(c, brief)]
    if not rules or (draft.docs and LEVELS.search(brief.question.text)):
        return draft
    named = {text_of(e, name): (e.id, name) for key, name in reversed(rules) for e in brief.evidence if e.id == key}
    rules = list(reversed(named.values()))[:MOST_RULES]
    subject = brief.intent.subjects[0] if brief.intent.subjects else "Alerts"
    names = join([f"{{{key}.{name}}}" for key, name in rules])
    files = {text_of(e, "path"): e.id for e in brief.evidence for key, _ in rules if e.id == key}
    path = join([f"{{{key}.path}}" for key in files.values()])
    cited = tuple(dict.fromkeys(key for key, _ in rules))
    head = f"{names}, defined in {path}."
    if not any(subject.lower() == name.lower() for name in named):
        head = f"{capital(subject)}: {head}"
    return draft.model_copy(
        update={
            "missing": draft.missing if draft.docs else brief.gaps,
            "headline": Claim(template=head, evidence=cited),
            "code": tuple(rule_claim(next(e for e in brief.evidence if e.id == key), name) for key, name in rules),
            "confidence": "high",
        }
    )


def named_alert(brief: Brief) -> bool:
    """Whether the question names an alert that exists."""
    known = {a.lower() for a in brief.landscape.alerts}
    return any(s.lower() in known for s in brief.intent.subjects)


def lead_step(steps: tuple[Claim, ...], brief: Brief) -> Claim:
    """How something is done begins with the first step; otherwise the step that shares most words with the question."""
    if HOW_TO.search(brief.question.text):
        doc = next(e for e in brief.evidence if e.id == steps[0].evidence[0])
        return steps[0].model_copy(update={"template": f"{doc_name(doc)}: {steps[0].template}"})
    facts = {f"{{{e.id}.{n}}}": str(f.value) for e in brief.evidence for n, f in e.facts.items()}
    wanted = stems(brief.question.text)
    return max(steps, key=lambda c: len(stems(facts.get(c.template, "")) & wanted))


def runbook_steps(brief: Brief) -> tuple[Claim, ...]:
    """What the runbook that speaks of the subject says to do."""
    for doc in of_kind(brief.evidence, "doc"):
        named = not brief.intent.subjects or any(names_subject(doc, s) for s in brief.intent.subjects)
        if named and steps_of(doc):
            return tuple(Claim(template=f"{{{doc.id}.{name}}}", evidence=(doc.id,)) for name in steps_of(doc)[:5])
    return ()


def rules_of(item: Evidence, brief: Brief) -> list[tuple[str, str]]:
    """The alert rules of an excerpt that are named, else those that hold a word of the subject; all without one."""
    names = [f"alert_{i}" for i in range(1, 9) if f"alert_{i}" in item.facts]
    asked = {s.lower() for s in brief.intent.subjects}
    known = {a.lower() for a in brief.landscape.alerts}
    if asked & known:
        return [(item.id, n) for n in names if text_of(item, n).lower() in asked]
    wanted = stems(" ".join(brief.intent.subjects)) - stems("flow service endpoint alert alerts api")
    wanted = set() if wanted & stems(text_of(item, "path")) else wanted  # a file of the subject's own
    split = {n: stems(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text_of(item, f"{n}_rule"))) for n in names}
    return [(item.id, n) for n in names if not wanted or wanted & split[n]]


def rule_claim(item: Evidence, name: str) -> Claim:
    """One rule: where, its condition, how long it waits, its labels."""
    k = item.id
    when = f", when `{{{k}.{name}_expr}}`" if f"{name}_expr" in item.facts else ""
    wait = f", fires after {{{k}.{name}_for}}" if f"{name}_for" in item.facts else ""
    labels = f", labels `{{{k}.{name}_labels}}`" if f"{name}_labels" in item.facts else ""
    return Claim(template=f"{{{k}.{name}}}: {{{k}.{name}_lines}}{when}{wait}{labels}", evidence=(k,))


def lead(item: Evidence) -> Claim:
    """What of the section answers, as its headline: all of it when it is short."""
    if not text_of(item, "quote"):
        return Claim(template=f"{doc_name(item)} speaks of it.", evidence=(item.id,))
    name = "passage" if len(text_of(item, "passage")) <= SHORT else "quote"
    return Claim(template=f"{{{item.id}.{name}}}", evidence=(item.id,))


def write_lookup(brief: Brief) -> Draft:
    """One request or user: needs a source that is not connected."""
    request = brief.intent.question_type == "request_lookup"
    what = "single requests" if request else "users and their limits"
    ids = identifiers(" ".join((brief.question.text, *brief.question.context)))[:3]
    whom = f"{'request' if request else 'user'} {join(ids)}" if ids else what
    draft = write_nothing(brief, f"I can't look up {whom}: no source of {what} is connected.")
    if ids:
        gap = Gap(text=f"{join(ids)}: no source of {what} (an operations database, traces or logs) is connected.")
        draft = draft.model_copy(update={"missing": (gap, *draft.missing)})
    docs = [d for d in of_kind(brief.evidence, "doc") if covers(d, brief)]
    return draft.model_copy(update={"docs": tuple(doc_claim(d) for d in docs[:2])})
