"""Questions about alerts: the rules behind them, what they mean, what is to be done, who is called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from workers.agents.research.rank_changes import named_first
from workers.agents.research.rank_sections import is_general
from workers.agents.research.relevance import names_subject
from workers.agents.research.write_documents import lead, write_documents
from workers.agents.research.write_status import write_status
from workers.contracts import Claim, Draft, Evidence, Gap, Window
from workers.grounding.health import text_of
from workers.language.stop_words import content_words
from workers.language.tokens import split_names
from workers.ports import Brief
from workers.reasoning.claim_phrases import (
    alert_claim,
    capital,
    deploy_name,
    doc_name,
    has,
    join,
    most_urgent,
    named_alerts,
    of_kind,
    steps_of,
)
from workers.reasoning.question_features import alert_in, asks_to_do, undoes_deploy

MOST_NAMED, MOST_RULES, MOST_STEPS, MOST_LEADING = 12, 6, 5, 3
DAY = timedelta(days=1)
NONE_FIRED = Claim(template="I found no alert of that time.")
Rule = tuple[Evidence, str]
FIRING = re.compile(
    r"^(?!.*\b(?:when (?:does|do|will|would)|threshold|at (?:what|which)|mean\w*|should|what do (?:i|we))\b)"
    r".*(?:\b(?:is|are|was|were|still|currently|now|any|which|what)\b.{0,200}\b"
    r"(?:firing|fired|active|going off|ringing)\b|"
    r"\b(?:which|what|any) alerts? fires?\b|\bfiring (?:alerts?|now)\b)",
    re.IGNORECASE | re.DOTALL,
)
ON_CALL = re.compile(
    r"\b(?:who(?:['’]?s| is| are)|whom|anyone)\b.{0,200}\b(?:on[- ]?call|on duty|on the rota)\b", re.IGNORECASE
)
ROTA = re.compile(r"\b(?:on[- ]?call|rota\w*|pager ?duty|opsgenie|escalat\w+|on duty|shifts?)\b", re.IGNORECASE)
LEVELS = re.compile(r"\b(?:slos?|slis?|error budgets?|on[- ]?call|rota|escalat\w+)\b(?! page)", re.IGNORECASE)
MEANING = re.compile(r"\bmean\w*\b|\bwhat(?:['’]?s| is)\b", re.IGNORECASE)
HOW_TO = re.compile(r"\bhow (?:do|does|to|can|should|would) ?(?:i|we|you|one)?\b", re.IGNORECASE)


def write_alerting(brief: Brief) -> Draft:
    """The rules that speak of the subject, then what is written about them, then which of them fire."""
    text = brief.question.text
    if FIRING.search(text):
        return write_fired(brief) if asks_of_span(brief) else write_status(brief)
    draft = write_documents(brief)
    if ON_CALL.search(text):
        draft = on_call(draft, brief)
        if not named_alert(brief):
            return draft
    steps = runbook_steps(brief) if asks_to_do(text) else ()
    if asks_to_do(text):
        undone = deploys_to_undo(brief) if undoes_deploy(text) else ()
        draft = draft.model_copy(update={"next_steps": steps or draft.next_steps, "what_changed": undone})
        if steps and not named_alert(brief):
            return draft.model_copy(update={"headline": lead_step(steps, brief)})
    rules = [(c, name) for c in of_kind(brief.evidence, "code") for name in rules_of(c, brief)]
    if not rules or (draft.docs and LEVELS.search(text)):
        return draft
    draft = with_rules(draft, list({text_of(*rule): rule for rule in reversed(rules)}.values())[::-1], brief)
    about = runbook_opening(brief) if steps and MEANING.search(text) else None
    return draft.model_copy(update={"headline": lead(about)}) if about else draft


# --- what fired in a span -------------------------------------------------------------------------------------


def asks_of_span(brief: Brief) -> bool:
    """Whether a span is named, alerts were looked up, and no alert is asked about by its name."""
    looked = any("name" in a.facts or "firing" in a.facts for a in of_kind(brief.evidence, "alert"))
    return bool(brief.intent.time_hints and brief.intent.window and looked) and not named_alert(brief)


def write_fired(brief: Brief) -> Draft:
    """The alerts that began in the span that is named first, then those that ended or went on firing in it."""
    window, known = brief.intent.window, {n.lower() for n in brief.landscape.names}
    places = [s for s in brief.intent.subjects if s.lower() in known]
    alerts = [a for a in named_alerts(brief.evidence) if not places or any(names_subject(a, p) for p in places)]
    if window is None:
        return write_status(brief)
    began = [a for a in alerts if window.start <= (moment_of(a, "since") or window.start - DAY) <= window.end]
    within = [a for a in alerts if a not in began and lasts_into(a, window)]
    told = [*most_urgent(began), *most_urgent(within)]
    earlier = [a for a in alerts if a not in told and moment_of(a, "since")]
    last = sorted(earlier, key=lambda a: text_of(a, "since"), reverse=True)[:1]
    claims = [alert_claim(a) for a in told]
    if not claims:
        before = tuple(c.model_copy(update={"template": f"Before that: {c.template}"}) for c in map(alert_claim, last))
        return Draft(headline=NONE_FIRED, metrics=before, missing=brief.gaps, confidence="medium")
    return Draft(
        headline=joined(claims[:MOST_LEADING]),
        metrics=tuple(claims[MOST_LEADING:MOST_NAMED]),
        missing=brief.gaps,
        confidence="high",
    )


def lasts_into(alert: Evidence, window: Window) -> bool:
    """Whether an alert fired at some time of a span."""
    since, until = moment_of(alert, "since"), moment_of(alert, "until")
    begun = since is None or since <= window.end
    return begun and (until >= window.start if until else text_of(alert, "state") in {"", "firing"})


def moment_of(item: Evidence, name: str) -> datetime | None:
    """A fact that is a moment, when it is known."""
    return datetime.fromisoformat(text_of(item, name)) if has(item, name) else None


def joined(claims: Sequence[Claim]) -> Claim:
    """Sentences as one statement."""
    return Claim(
        template=" ".join(c.template for c in claims),
        evidence=tuple(dict.fromkeys(k for c in claims for k in c.evidence)),
    )


# --- the rules and what is written ----------------------------------------------------------------------------


def with_rules(draft: Draft, rules: Sequence[Rule], brief: Brief) -> Draft:
    """The names of the rules and their files first; each rule's condition below, those beyond a few by place alone."""
    subject = brief.intent.subjects[0] if brief.intent.subjects else "Alerts"
    named, detailed, rest = rules[:MOST_NAMED], rules[:MOST_RULES], rules[MOST_RULES:MOST_NAMED]
    files = {text_of(item, "path"): f"{{{item.id}.path}}" for item, _ in named}
    names = join([f"{{{item.id}.{name}}}" for item, name in named])
    head = f"{names}, defined in {join(list(files.values()))}."
    if not any(subject.lower() == text_of(item, name).lower() for item, name in named):
        head = f"{capital(subject)}: {head}"
    places = [f"{{{item.id}.{name}}} in {{{item.id}.{name}_lines}}" for item, name in rest]
    further = (Claim(template=f"Also: {join(places)}.", evidence=cited(rest)),) if rest else ()
    return draft.model_copy(
        update={
            "missing": (*unshown(named, brief), *(draft.missing if draft.docs else brief.gaps)),
            "headline": Claim(template=head, evidence=cited(named)),
            "code": (*(rule_claim(*rule) for rule in detailed), *further),
            "confidence": "high",
        }
    )


def unshown(named: Sequence[Rule], brief: Brief) -> tuple[Gap, ...]:
    """When all alerts are asked for: that a search does not list all of them, and those known that it did not find."""
    if brief.intent.subjects:
        return ()
    told = {text_of(*rule) for rule in named}
    left = [a for a in brief.landscape.alerts if a not in told]
    more = f"; known besides: {join(left)}" if left else ""
    text = f"Only the rules in the lines that were found are listed; there may be more in these files{more}."
    return (Gap(text=text, tool="repo_search"),)


def cited(rules: Sequence[Rule]) -> tuple[str, ...]:
    """The evidence of rules, each once."""
    return tuple(dict.fromkeys(item.id for item, _ in rules))


def on_call(draft: Draft, brief: Brief) -> Draft:
    """Nothing tells who is on call now; what is written about it stands below, and leads when it is about just that."""
    gap = Gap(text="Who is on call at this moment: no on-call schedule is connected.")
    docs = [d for d in of_kind(brief.evidence, "doc") if ROTA.search(f"{text_of(d, 'heading')} {d.excerpt}")]
    own = {d.id for d in docs}
    of_what = [
        s for s in brief.intent.subjects if not re.fullmatch(r"(?:on-?)?call|duty|rota|oncall", s, re.IGNORECASE)
    ]
    head = Claim(template="I can't say who is on call: no on-call schedule is connected.")
    if any(ROTA.search(f"{text_of(d, 'title')} {text_of(d, 'heading')}") for d in docs):
        head = draft.headline
    return draft.model_copy(
        update={
            "headline": head,
            "code": draft.code if of_what else (),
            "docs": tuple(c for c in draft.docs if of_what or own & set(c.evidence)),
            "next_steps": (),
            "missing": (gap, *draft.missing),
        }
    )


def named_alert(brief: Brief) -> str:
    """The alert that the question names: one that is known, or a name as alerts have."""
    return alert_in(brief.intent, brief.landscape)


# --- what is to be done ---------------------------------------------------------------------------------------


def deploys_to_undo(brief: Brief) -> tuple[Claim, ...]:
    """The deploy that the thread names, else the last one, and the one before it of the same service."""
    deploys = sorted(of_kind(brief.evidence, "deploy"), key=lambda d: text_of(d, "at"), reverse=True)
    if not deploys:
        return ()
    last = named_first(deploys, brief)[0]
    same = [d for d in deploys if text_of(d, "service") == text_of(last, "service")]
    before = [d for d in same if text_of(d, "at") < text_of(last, "at")][:1]
    return tuple(
        Claim(template=f"Deploy {deploy_name(d)} went out at {{{d.id}.at}}.", evidence=(d.id,)) for d in (last, *before)
    )


def lead_step(steps: Sequence[Claim], brief: Brief) -> Claim:
    """How something is done begins with the first step; otherwise the step that shares most words with the question."""
    if HOW_TO.search(brief.question.text):
        doc = next(e for e in brief.evidence if e.id == steps[0].evidence[0])
        return steps[0].model_copy(update={"template": f"{doc_name(doc)}: {steps[0].template}"})
    facts = {f"{{{e.id}.{n}}}": str(f.value) for e in brief.evidence for n, f in e.facts.items()}
    wanted = content_words(brief.question.text)
    return max(steps, key=lambda c: len(content_words(facts.get(c.template, "")) & wanted))


def runbook_steps(brief: Brief) -> tuple[Claim, ...]:
    """What the runbook that speaks of the subject says to do; of an alert's own runbook, what it begins with."""
    if sections := runbook_of(brief):
        return first_look(sections)
    for doc in of_kind(brief.evidence, "doc"):
        named = not brief.intent.subjects or any(names_subject(doc, s) for s in brief.intent.subjects)
        if named and steps_of(doc):
            return steps_claims(doc)
    return ()


def steps_claims(doc: Evidence) -> tuple[Claim, ...]:
    """A section's steps, word for word."""
    return tuple(Claim(template=f"{{{doc.id}.{name}}}", evidence=(doc.id,)) for name in steps_of(doc)[:MOST_STEPS])


def first_look(sections: Sequence[Evidence]) -> tuple[Claim, ...]:
    """The steps that hold for every case, then which sections to choose from; without such steps, the first ones."""
    with_steps = [s for s in sections if steps_of(s)]
    general = [s for s in with_steps if is_general(s)]
    begin = (general or with_steps)[:1]
    rest = [s for s in with_steps if s not in begin][:MOST_STEPS]
    names = join([doc_name(s) for s in rest]) if rest else ""
    choose = Claim(template=f"Read {names}.", evidence=tuple(s.id for s in rest))
    return (*(c for s in begin for c in steps_claims(s)), *((choose,) if begin and rest else ()))


def runbook_of(brief: Brief) -> list[Evidence]:
    """The sections of the runbook that names the alert which is asked about, in its order."""
    alert = named_alert(brief).lower()
    docs = [d for d in of_kind(brief.evidence, "doc") if text_of(d, "doc_kind") == "runbook"]
    home = next((text_of(d, "path") for d in docs if alert and alert in d.excerpt.lower()), "")
    return sorted((d for d in docs if home and text_of(d, "path") == home), key=first_line)


def runbook_opening(brief: Brief) -> Evidence | None:
    """The section of its runbook that names the alert."""
    alert = named_alert(brief).lower()
    return next((d for d in runbook_of(brief) if alert in d.excerpt.lower() and text_of(d, "quote")), None)


def first_line(doc: Evidence) -> int:
    """Where a section begins."""
    match = re.search(r":(\d+)", text_of(doc, "lines"))
    return int(match[1]) if match else 0


# --- the rules ------------------------------------------------------------------------------------------------


def rules_of(item: Evidence, brief: Brief) -> list[str]:
    """The alert rules of an excerpt that are named, else those that hold a word of the subject; all without one."""
    names = [f"alert_{i}" for i in range(1, 9) if f"alert_{i}" in item.facts]
    asked = {s.lower() for s in brief.intent.subjects}
    known = {a.lower() for a in brief.landscape.alerts}
    if asked & known:
        return [n for n in names if text_of(item, n).lower() in asked]
    wanted = content_words(" ".join(brief.intent.subjects)) - content_words("flow service endpoint alert alerts api")
    wanted = set() if wanted & content_words(text_of(item, "path")) else wanted  # a file of the subject's own
    split = {n: content_words(split_names(text_of(item, f"{n}_rule"))) for n in names}
    return [n for n in names if not wanted or wanted & split[n]]


def rule_claim(item: Evidence, name: str) -> Claim:
    """One rule: where, its condition, how long it waits, its labels."""
    k = item.id
    when = f", when `{{{k}.{name}_expr}}`" if f"{name}_expr" in item.facts else ""
    wait = f", fires after {{{k}.{name}_for}}" if f"{name}_for" in item.facts else ""
    labels = f", labels `{{{k}.{name}_labels}}`" if f"{name}_labels" in item.facts else ""
    return Claim(template=f"{{{k}.{name}}}: {{{k}.{name}_lines}}{when}{wait}{labels}", evidence=(k,))
