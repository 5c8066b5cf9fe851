"""How research reads a question, plans it and writes its answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime

from workers.agents.research import intent as intents
from workers.agents.research import plan as plans
from workers.agents.research.firing_alert import with_alert, write_alert
from workers.agents.research.follow_up import hear
from workers.agents.research.write_alerting import write_alerting
from workers.agents.research.write_code_places import write_places, write_values
from workers.agents.research.write_deploys import write_deploys
from workers.agents.research.write_incident import write_incident
from workers.agents.research.write_lookup import write_lookup
from workers.agents.research.write_status import no_metric_gaps, no_metric_of, write_status, write_traffic
from workers.contracts import Claim, Draft, Evidence, Gap, Intent, Landscape, Plan, Question
from workers.ports import Brief, Playbook
from workers.reasoning.claim_phrases import has, say_metric
from workers.reasoning.coverage import SEARCHED, aside, cover
from workers.reasoning.empty_answer import unanswered, write_nothing
from workers.reasoning.kind_groups import BEHAVIOUR_KINDS
from workers.reasoning.metric_selection import unknown_measures
from workers.reasoning.relevance import names_subject
from workers.reasoning.write_documents import write_documents
from workers.reasoning.write_handover import write_handover

WRITERS: Mapping[str, Callable[[Brief], Draft | None]] = {
    "incident": write_incident,
    "places": write_places,
    "alerting": write_alerting,
    "status": write_status,
    "traffic": write_traffic,
    "deploys": write_deploys,
    "documents": write_documents,
    "lookup": write_lookup,
}
"""By plan; a writer returns None when what was found does not answer the question."""
EXPLAINED = frozenset({"explain_code", "design_overview", "conceptual"})
"""Kinds of question that no value answers."""
PLACE = re.compile(r"\{(E\d+)\.(?:lines|hunk_\d|short)\}")


def read_intent(question: Question, landscape: Landscape, now: datetime, playbook: Playbook) -> Intent:
    """The kind of the question, what it is about, and when."""
    del playbook
    return intents.read_intent(question, landscape, now)


def make_plan(question: Question, intent: Intent, landscape: Landscape, playbook: Playbook) -> Plan:
    """The known plan of this kind of question; without one, the search for the nearest passages."""
    heard = hear(question, landscape)
    found = cover(heard.text, landscape)
    whole = question.model_copy(update={"text": heard.text})
    plan = plans.make_plan(whole, intent, landscape, playbook, known=found.covered)
    return with_alert(plan, whole, landscape, playbook)


def write_answer(brief: Brief, playbook: Playbook) -> Draft:
    """By the writer of the plan; the nearest passages where no plan covers the question, or it found no answer."""
    del playbook
    heard = hear(brief.question, brief.landscape)
    brief = replace(brief, question=brief.question.model_copy(update={"text": heard.text}))
    draft = name_repositories(write_one(brief), brief)
    return draft.model_copy(update={"banner": " ".join(heard.notes)}) if heard.notes else draft


def write_one(brief: Brief) -> Draft:
    """See `write_answer`."""
    found = cover(brief.question.text, brief.landscape)
    if alert := write_alert(brief):
        return alert
    if found.plan != "lookup" and about_nothing(brief) and not unanswered(brief):
        subject = next(s for s in brief.intent.subjects if s.startswith("/"))
        return write_nothing(brief, f"I found nothing about {subject}.")
    if not found.covered:
        values = write_values(brief) if found.kind not in EXPLAINED else None
        return values or without_measure(write_handover(brief), brief)
    if unsampled(brief):
        return write_unsampled(brief)
    draft = WRITERS[found.plan](brief)
    if draft is None or found.plan in SEARCHED:
        return draft or write_handover(brief)
    return draft.model_copy(update={"missing": (*aside(found), *draft.missing)})


def without_measure(draft: Draft, brief: Brief) -> Draft:
    """Passages in place of an answer, and that what is asked to be measured is not."""
    measured = brief.intent.question_type in BEHAVIOUR_KINDS
    names = unknown_measures(brief.question.text, brief.landscape) if measured else ()
    if not names:
        return draft
    gaps = (*no_metric_gaps(names, brief), *draft.missing)
    return draft.model_copy(update={"headline": no_metric_of(names), "missing": gaps})


def about_nothing(brief: Brief) -> bool:
    """The first subject is an endpoint that no evidence holds."""
    subjects = [s for s in brief.intent.subjects if s.startswith("/")]
    return bool(subjects) and not any(names_subject(e, subjects[0]) for e in brief.evidence if e.kind != "deploy")


def unsampled(brief: Brief) -> bool:
    """A time is asked for that lies before every sample which was found."""
    window = brief.intent.window
    series = [e.series for e in brief.evidence if e.kind == "metric" and e.series]
    if window is None or not brief.intent.time_hints or not series:
        return False
    return min(samples[0][0] for samples in series) > window.end.timestamp()


def write_unsampled(brief: Brief) -> Draft:
    """How something behaved then is not known; how it behaves in the samples there are."""
    metrics = [e for e in brief.evidence if e.kind == "metric" and e.series]
    when = " ".join(brief.intent.time_hints)
    head = f"I have no samples of {metrics[0].title} for “{when}”, so I can't say how it was then."
    return Draft(
        headline=Claim(template=head),
        metrics=tuple(Claim(template=f"{say_metric(m)}.", evidence=(m.id,)) for m in metrics[:1]),
        missing=brief.gaps or (Gap(text=f"No samples for “{when}”.", tool="metrics_query"),),
    )


def name_repositories(draft: Draft, brief: Brief) -> Draft:
    """The first place of each claim with its repository before it; nothing changes where there is only one."""
    if len(brief.landscape.repositories) < 2:
        return draft
    known = {e.id: e for e in brief.evidence}
    sections = {name: tuple(named(c, known) for c in getattr(draft, name)) for name in ("what_changed", "code")}
    return draft.model_copy(update={"headline": named(draft.headline, known), **sections})


def named(claim: Claim, known: Mapping[str, Evidence]) -> Claim:
    """One claim with the repository of its first place."""
    match = PLACE.search(claim.template)
    if match is None or match[1] not in known or not has(known[match[1]], "repository"):
        return claim
    at = match.start()
    return claim.model_copy(
        update={"template": f"{claim.template[:at]}{{{match[1]}.repository}}: {claim.template[at:]}"}
    )
