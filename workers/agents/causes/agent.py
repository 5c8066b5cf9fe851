"""How the agent of causes plans a question, and tells the verdict with what speaks for and against each candidate."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from workers.agents.causes.triage_answer import write_triage
from workers.contracts import Claim, Draft, Evidence, Gap, Intent, Landscape, Plan, Question
from workers.grounding.health import text_of
from workers.ports import Brief, Playbook
from workers.reasoning.claim_phrases import has
from workers.reasoning.empty_answer import write_nothing
from workers.reasoning.known_plans import fill_step, find_pattern

WAKING = re.compile(
    r"\b(?:(?:page|wake)\s+(?:me|us|anyone|anybody|someone|somebody)|paged|suppress|mute|noise|triage)\b", re.IGNORECASE
)
NOTHING = "I found nothing in the files of the incident that says what caused it."


def read_intent(question: Question, landscape: Landscape, now: datetime, playbook: Playbook) -> Intent:
    """Whether alerts are to be told from noise, as of files of several, or a cause is asked; and the services named."""
    del now, playbook
    lower = question.text.lower()
    named = tuple(s for s in landscape.labels.get("service", ()) if s.lower() in lower)
    triage = landscape.labels.get("alert") or WAKING.search(question.text)
    return Intent(question_type="alert_triage" if triage else "incident_cause", subjects=named[:8])


def make_plan(question: Question, intent: Intent, landscape: Landscape, playbook: Playbook) -> Plan:
    """The known plan."""
    del landscape
    name, pattern = find_pattern(playbook.patterns, intent.question_type)
    ids = tuple(s.id for s in pattern.steps)
    steps = tuple(fill_step(step, {"question": question.text}, ids) for step in pattern.steps)
    return Plan(pattern=name, query_intent=pattern.query_intent, steps=steps)


def write_answer(brief: Brief, playbook: Playbook) -> Draft:
    """The verdict: the cause or that nothing explains it, rivals, what is ruled out and why, what moved, what to do;
    of alerts, which to page for."""
    del playbook
    if brief.intent.question_type == "alert_triage":
        return write_triage(brief)
    first = next((e for e in brief.evidence if has(e, "cause_kind", "sure")), None)
    if first is None:
        return write_nothing(brief, NOTHING)
    candidates = [e for e in brief.evidence if has(e, "role", "short")]
    cause = next((e for e in candidates if text_of(e, "role") == "cause"), None)
    rivals = [e for e in candidates if text_of(e, "role") == "rival"]
    out = [e for e in candidates if text_of(e, "role") in {"ruled out", "less likely"}]
    moves = [e for e in brief.evidence if e.kind == "metric"]
    logs = [e for e in brief.evidence if e.kind == "log"]
    return Draft(
        headline=headline(first, cause, rivals),
        what_changed=(*reason_claims(cause), *map(rival_claim, rivals), *map(ruled_out_claim, out)),
        metrics=(*spent_claims(first), *map(move_claim, moves), *map(log_claim, logs)),
        next_steps=next_steps(cause, rivals),
        missing=(*gaps(first, moves, logs), *brief.gaps),
        confidence={"high": "high", "medium": "medium"}.get(text_of(first, "sure"), "low"),
    )


def name_of(item: Evidence) -> str:
    """A candidate by its name: a commit with its title."""
    k = item.id
    kind = text_of(item, "kind")
    return f"`{{{k}.short}}` “{{{k}.subject}}”" if kind == "commit" else named(item, kind)


def named(item: Evidence, kind: str) -> str:
    """A candidate that is no commit by its name; a flag with what was done with it."""
    k = item.id
    return f"flag {{{k}.short}} ({{{k}.said}})" if kind == "flag" and has(item, "said") else f"{{{k}.said}}"


def headline(first: Evidence, cause: Evidence | None, rivals: Sequence[Evidence]) -> Claim:
    """The verdict in a sentence."""
    k = first.id
    at = f" at {{{k}.onset_at}}" if has(first, "onset_at") else ""
    spread = f" and spread to {{{k}.spread}}" if has(first, "spread") else ""
    began = f" It began in {{{k}.first}}{at}{spread}."
    if cause is None:
        looked = f"{{{first.id}.commits}} commits, {{{first.id}.releases}} deploys"
        text = f"No change that is known explains this ({looked} looked at), and nothing else stands out."
        return Claim(template=text + began, evidence=(first.id,))
    cited = (cause.id, first.id, *(r.id for r in rivals))
    if rivals:
        both = " and ".join(name_of(e) for e in (cause, *rivals))
        return Claim(template=f"Inconclusive: {both} fit about equally.{began}", evidence=cited, status="hypothesis")
    if text_of(cause, "kind") in {"commit", "flag"}:
        text = f"{name_of(cause)} is the likeliest cause."
    else:
        text = f"No change of ours explains this; the likeliest cause is {{{cause.id}.kind}}: {name_of(cause)}."
    return Claim(template=text + began, evidence=cited, status="hypothesis")


def reason_claims(cause: Evidence | None) -> tuple[Claim, ...]:
    """What speaks for the cause, and what against it."""
    if cause is None:
        return ()
    k = cause.id
    lines = [Claim(template=f"For {name_of(cause)}: {{{k}.for}}.", evidence=(k,))]
    if has(cause, "against"):
        lines.append(Claim(template=f"Against it: {{{k}.against}}.", evidence=(k,)))
    return tuple(lines)


def rival_claim(item: Evidence) -> Claim:
    """What fits as well, and why."""
    return Claim(template=f"As likely: {name_of(item)}: {{{item.id}.for}}.", evidence=(item.id,))


def ruled_out_claim(item: Evidence) -> Claim:
    """What is ruled out, or weighs less, and why."""
    k = item.id
    if has(item, "against"):
        role = text_of(item, "role").capitalize()
        return Claim(template=f"{role}: {name_of(item)}: {{{k}.against}}.", evidence=(k,))
    return Claim(template=f"Less likely: {name_of(item)}: only {{{k}.for}}.", evidence=(k,))


def move_claim(item: Evidence) -> Claim:
    """A series that left its range."""
    k = item.id
    text = f"{{{k}.metric_name}} of {{{k}.service}} {text_of(item, 'direction')} from {{{k}.usual}} to {{{k}.farthest}}"
    return Claim(template=f"{text}, from {{{k}.onset_at}} on.", evidence=(k,))


def spent_claims(first: Evidence) -> tuple[Claim, ...]:
    """In which service the time is spent that was added to the alert's one."""
    if not has(first, "spent_in"):
        return ()
    k = first.id
    return (Claim(template=f"Most of the time added to {{{k}.service}} is spent in {{{k}.spent_in}}.", evidence=(k,)),)


def log_claim(item: Evidence) -> Claim:
    """Log lines that are new."""
    k = item.id
    return Claim(template=f"{{{k}.service}} logs “{{{k}.pattern}}”, {{{k}.more}} more than before.", evidence=(k,))


def next_steps(cause: Evidence | None, rivals: Sequence[Evidence]) -> tuple[Claim, ...]:
    """What to do about the cause."""
    if cause is None or rivals:
        return ()
    k, kind = cause.id, text_of(cause, "kind")
    if kind == "commit":
        where = f" {{{k}.service}}" if has(cause, "service") else ""
        return (Claim(template=f"Roll{where} back to before `{{{k}.short}}`, or revert it.", evidence=(k,)),)
    if kind == "flag":
        return (Claim(template=f"Take back the change of {{{k}.short}} ({{{k}.said}}).", evidence=(k,)),)
    return ()


def gaps(first: Evidence, moves: Sequence[Evidence], logs: Sequence[Evidence]) -> tuple[Gap, ...]:
    """What the files lack."""
    lacking = [("commits", "commits"), ("releases", "deploys")]
    missing = [word for name, word in lacking if not first.facts[name].value]
    missing += ["a metric that moved"] * (not moves) + ["log lines that are new"] * (not logs)
    return (Gap(text=f"The files hold no {', no '.join(missing)}.", tool="candidate_causes"),) if missing else ()
