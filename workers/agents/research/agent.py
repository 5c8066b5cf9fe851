"""How research reads a question, plans it and writes its answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime

from workers.agents.research import intent as intents
from workers.agents.research import plan as plans
from workers.agents.research.find import find_all
from workers.agents.research.firing_alert import with_alert, write_alert
from workers.agents.research.follow_up import Heard, hear
from workers.agents.research.follow_up import named as named_in
from workers.agents.research.stack_trace import with_trace
from workers.agents.research.write_causes import read_weighed, with_cause
from workers.agents.research.write_incident import unmeasured, without_metrics
from workers.agents.research.write_on_call import write_on_call
from workers.contracts import Claim, Draft, Evidence, Gap, Intent, Landscape, Plan, Question
from workers.grounding.health import text_of
from workers.language.message_parts import Frame
from workers.ports import Brief, Playbook
from workers.reasoning.claim_phrases import has, join, of_kind, say_metric
from workers.reasoning.compose import compose
from workers.reasoning.empty_answer import as_nearest, unanswered, write_nothing
from workers.reasoning.findings import Reading, told_once
from workers.reasoning.kind_groups import BEHAVIOUR_KINDS
from workers.reasoning.relevance import names_subject

PLACE = re.compile(r"\{(E\d+)\.(?:lines|hunk_\d|short)\}")


def read_intent(question: Question, landscape: Landscape, now: datetime, playbook: Playbook) -> Intent:
    """The kind of the question, what it is about, and when."""
    del playbook
    return intents.read_intent(question, landscape, now)


def make_plan(question: Question, intent: Intent, landscape: Landscape, playbook: Playbook) -> Plan:
    """All looks that what is named allows; those of the likeliest kind of question first."""
    whole = question.model_copy(update={"text": hear(question, landscape).whole})
    plan = with_trace(plans.make_plan(whole, intent, landscape, playbook), question, playbook)
    return with_alert(plan, whole, landscape, playbook)


def write_answer(brief: Brief, playbook: Playbook) -> Draft:
    """The findings of the evidence, the likeliest first."""
    del playbook
    heard = hear(brief.question, brief.landscape)
    question = brief.question.model_copy(update={"text": heard.whole})
    brief = replace(brief, question=question, evidence=told_once(brief.evidence))
    draft = name_repositories(write_one(brief), brief)
    notes = (*heard.notes, *only_one(heard, brief))
    if heard.frames and not any(map(brief_holds(brief), heard.frames)):
        where = join(brief.landscape.repositories) or "what is connected"
        notes, draft = (*notes, f"No frame of the trace is in {where}."), nearest(draft, brief)
    return draft.model_copy(update={"banner": " ".join(notes)}) if notes else draft


def only_one(heard: Heard, brief: Brief) -> tuple[str, ...]:
    """Says of what it is, where nothing was named and a single thing got slower."""
    places = {value for label in ("endpoint", "service") for value in brief.landscape.labels.get(label, ())}
    subjects = [s for s in brief.intent.subjects if s in places]
    if heard.leans or not subjects or named_in(heard.text, brief.landscape):
        return ()
    return (f"You named nothing; I looked at {subjects[0]}, the only one whose p95 rose in the last day.",)


def brief_holds(brief: Brief) -> Callable[[Frame], bool]:
    """Whether code that was found stands in the file that a frame names, each as far as it is written."""
    paths = [text_of(e, "path") for e in of_kind(brief.evidence, "code")]
    return lambda frame: any(same_file(frame.path, path) for path in paths)


def same_file(one: str, other: str) -> bool:
    """Whether two paths may be of one file: the longer one ends with the shorter one."""
    short, long = sorted((one.split("/"), other.split("/")), key=len)
    return long[-len(short) :] == short


def nearest(draft: Draft, brief: Brief) -> Draft:
    """What lies nearest to an error whose code is not here."""
    return as_nearest(draft, brief.without_model) if draft.headline.evidence else draft


def write_one(brief: Brief) -> Draft:
    """See `write_answer`."""
    if alert := write_alert(brief):
        return alert
    if on_call := write_on_call(brief):
        return on_call
    if about_nothing(brief) and not unanswered(brief):
        subject = next(s for s in brief.intent.subjects if s.startswith("/"))
        return write_nothing(brief, f"I found nothing about {subject}.")
    if unsampled(brief):
        return write_unsampled(brief)
    weighed = brief.intent.question_type == "debug_incident" and read_weighed(brief.evidence) is not None
    if brief.intent.question_type in BEHAVIOUR_KINDS and not weighed:
        if unknown := unmeasured(brief):
            return unknown
        if not of_kind(brief.evidence, "metric", "alert", "incident") and unanswered(brief, "metrics_query"):
            return without_metrics(brief)
    reading = Reading(brief)
    draft = compose(reading, find_all(reading))
    return with_cause(draft, brief.evidence) if weighed else draft


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
