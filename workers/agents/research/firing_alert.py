"""A question why one alert fires, which may be about anything: a disk, a certificate, a service that is not known here.

Names and labels of alerts are whatever somebody chose: a name tells nothing of what the alert is about, and only labels
say so.
"""

from __future__ import annotations

from workers.agents.research.runbooks import owner_claims, runbook_of, runbook_steps
from workers.contracts import Claim, Draft, Evidence, Gap, Landscape, Plan, Question, Step
from workers.grounding.health import text_of
from workers.language.alert_labels import WHERE, route_of, service_of, thing_of
from workers.ports import Brief, Playbook
from workers.reasoning.claim_phrases import alert_claim, doc_claim, has, is_calm, most_urgent, named_alerts

STEP, TOOL, LABEL = "alert", "metrics_query", "label_"
LONGEST_NAME = 200


def firing_alert(question: Question, landscape: Landscape) -> str:
    """The alert that is looked into, or of which a question says that it fires, by its own spelling; empty when there
    is none."""
    if question.alert:
        return question.alert
    text = question.text
    named = [name for name in landscape.alerts if f" {name} firing" in text or f" {name} fires" in text]
    return max(named, key=len, default="")


def with_alert(plan: Plan, question: Question, landscape: Landscape, playbook: Playbook) -> Plan:
    """A plan that looks at the alert which is asked about, for what it is about stands in its labels."""
    name = firing_alert(question, landscape)
    has_tool = playbook.tools is None or TOOL in playbook.tools
    asked = any(str(step.args.get("query", "")).startswith("alert=*") for step in plan.steps)
    if not name or not has_tool or asked or '"' in name or "\\" in name or len(name) > LONGEST_NAME:
        return plan
    step = Step(id=STEP, tool=TOOL, args={"query": f'alert="{name}" window=24h'}, purpose=f"see what {name} is about")
    return plan.model_copy(update={"steps": (*plan.steps[: playbook.max_steps - 1], step)})


def write_alert(brief: Brief) -> Draft | None:
    """What an alert is about, with its runbook; None for one of a service or route that is measured here.

    The story of another service would be told as its own otherwise.
    """
    name = firing_alert(brief.question, brief.landscape)
    found = most_urgent([a for a in named_alerts(brief.evidence) if name and text_of(a, "name") == name])
    found = [a for a in found if text_of(a, "state") != "inactive"]
    if not found or any(is_measured(alert, brief.landscape) for alert in found):
        return None
    first, *others = found
    return Draft(
        headline=alert_claim(first),
        metrics=tuple(map(alert_claim, others[:4])),
        docs=(*(doc_claim(d) for d in runbook_of(brief)[:1]), *owner_claims(brief)),
        next_steps=(*runbook_link(first), *(runbook_steps(brief) if runbook_of(brief) else ())),
        missing=() if is_calm(first) else (Gap(text=unknown_thing(first), tool=TOOL),),
        confidence="medium",
    )


def is_measured(alert: Evidence, landscape: Landscape) -> bool:
    """Whether the metrics here tell of what an alert is about."""
    labels = labels_of(alert)
    if is_calm(alert) or has(alert, "environment") or has(alert, "object"):
        return False
    things = {thing.casefold() for thing in (service_of(labels), route_of(labels)) if thing}
    known = {value.casefold() for values in landscape.labels.values() for value in values}
    return bool(things & known) or (bool(things) and not known)


def labels_of(alert: Evidence) -> dict[str, str]:
    """The labels of an alert."""
    return {key.removeprefix(LABEL): str(fact.value) for key, fact in alert.facts.items() if key.startswith(LABEL)}


def runbook_link(alert: Evidence) -> tuple[Claim, ...]:
    """The runbook that an alert links to."""
    return (Claim(template=f"Read {{{alert.id}.runbook}}.", evidence=(alert.id,)),) if has(alert, "runbook") else ()


def unknown_thing(alert: Evidence) -> str:
    """A sentence on why nothing more is told."""
    if has(alert, "environment"):
        return (
            f"Of {text_of(alert, 'environment')} nothing else is known here: questions are about another environment."
        )
    thing, service = text_of(alert, "object") or thing_of(labels_of(alert)), service_of(labels_of(alert))
    thing = service if service and thing.partition(" ")[0] in WHERE else thing or service
    return f"Nothing here measures {thing}." if thing else "Its labels do not say what it is about."
