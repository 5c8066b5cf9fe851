"""How things stand now, and how much traffic there is: what fires, what moved, how the model deployments do."""

from __future__ import annotations

import re

from workers.agents.research.rank_changes import said_changes, suspect_deploy
from workers.contracts import Claim, Draft, Evidence, Gap
from workers.engine.anomaly import has_moved
from workers.grounding.health import find_trouble, number, text_of
from workers.language.alert_labels import service_of
from workers.language.nearest_names import ranked_names
from workers.language.stop_words import content_words
from workers.ports import Brief
from workers.reasoning.claim_phrases import (
    alert_claim,
    capital,
    change_claim,
    has,
    is_heartbeat,
    join,
    most_urgent,
    named_alerts,
    of_kind,
    say_firing,
    say_metric,
    say_onset,
    troubles,
)
from workers.reasoning.deployment_parts import deployment_claims, found_of, incident_claims, unchecked
from workers.reasoning.deployment_state import next_steps, state_headline
from workers.reasoning.findings import entities_of
from workers.reasoning.metric_selection import named_metrics, unknown_measures, unknown_names
from workers.reasoning.question_features import ALERT_NAME
from workers.reasoning.relevance import names_subject

PROBES, LEAST_FAILED = "probe_failures", 0.02
"""The metric of probes, and the share of them that fails where something is wrong."""
MOST_ALERTS, MOST_NAMES, MOST_PLACES = 12, 8, 4
LABEL = "label_"
ASKED = ("errors", "latency")
HIT = re.compile(r"\b(?:hit|success|availab\w*|healthy|up)\b|_hit_")


def write_status(brief: Brief) -> Draft | None:
    """What fires and what moved, of the subject first; calm is only said of what was measured."""
    alerts, metrics = named_alerts(brief.evidence), asked_first(of_kind(brief.evidence, "metric"))
    counts = [a for a in of_kind(brief.evidence, "alert") if "firing" in a.facts]
    if not alerts and not metrics and not counts and not unknown_names(brief.question.text, brief.gaps):
        nothing = "Of the services nothing is known: no metrics answered."
        only = Draft(headline=Claim(template=nothing), missing=brief.gaps)
        whole = with_deployments(only, brief, trouble=False)
        return whole if whole != only else None
    subjects = brief.intent.subjects
    trouble = troubles(brief.evidence, brief.question.text)
    own = most_urgent([a for a in trouble if not subjects or any(is_of(a, s, brief) for s in subjects)])
    own.sort(key=lambda alert: not has(alert, "environment"))  # of the environment that is asked about, if any
    elsewhere = most_urgent([a for a in alerts if a not in own and not is_heartbeat(a)])
    own_metrics = [m for m in metrics if not subjects or any(is_measured_of(m, s) for s in subjects)]
    unusual = [m for m in own_metrics if re.match("probes|errors|latency|metric", m.step) and has_moved(m)]
    unwritten = unknown_names(brief.question.text, brief.gaps)
    unknown = () if unwritten else unknown_measures(brief.question.text, brief.landscape)
    missed = (*unwritten, *unknown)
    head = no_metric_of(missed) if missed else status_headline(brief, own, unusual, counts)
    if head is None:
        return None
    worse = [m for m in unusual if not is_better(m)]
    draft = Draft(
        headline=head,
        what_changed=tuple(map(change_claim, said_changes(brief))),
        metrics=(
            *(c for a in own[:MOST_ALERTS] if (c := alert_claim(a)) != head),
            *(Claim(template=f"{say_metric(m)}.", evidence=(m.id,)) for m in ([] if unwritten else metrics[:6])),
            *(elsewhere_claim(a) for a in elsewhere[:3]),
        ),
        missing=(
            *not_shown(own[MOST_ALERTS:]),
            *no_metric_gaps(unknown, brief),
            *(gap for gap in brief.gaps if unwritten and gap.tool == "metrics_query"),
            *(Gap(text=u) for u in brief.plan.uncertainties),
        ),
        confidence="medium",
    )
    return with_deployments(draft, brief, trouble=any(map(is_on, own)) or bool(worse))


def is_measured_of(metric: Evidence, subject: str) -> bool:
    """Whether a metric is of a subject, by its labels or its title."""
    return subject.lower() in entities_of(metric) or content_words(subject) <= content_words(metric.title)


def is_of(alert: Evidence, subject: str, brief: Brief) -> bool:
    """Whether an alert is the subject's own: it names it, and its labels name no other service than one asked for."""
    labels = {name.removeprefix(LABEL): str(fact.value) for name, fact in alert.facts.items() if name.startswith(LABEL)}
    service, services = service_of(labels), brief.landscape.labels.get("service", ())
    foreign = bool(service) and subject in services and not content_words(service) & content_words(subject)
    return names_subject(alert, subject) and not foreign


def with_deployments(services: Draft, brief: Brief, *, trouble: bool) -> Draft:
    """The state of the services with that of the model deployments: the half that is in trouble first.

    Args:
        services: what is said of the services.
        brief: what it is written from.
        trouble: the services are in trouble.
    """
    found = found_of(brief)
    if found.incidents is None and found.status is None:
        return services
    state = state_headline(found)
    ours = not trouble and any(t.kind != "stale" for t in find_trouble(brief.evidence))
    heads = [state, services.headline] if ours or not services.headline.evidence else [services.headline, state]
    told = [head for head in heads if head.evidence] or heads[:1]
    untold = [Gap(text=head.template) for head in heads if head not in told]
    cited = tuple(dict.fromkeys(key for head in told for key in head.evidence))
    return services.model_copy(
        update={
            "headline": Claim(template=" ".join(head.template for head in told), evidence=cited),
            "what_changed": (*services.what_changed, *incident_claims(found, state)),
            "metrics": (*services.metrics, *(c for c in deployment_claims(found) if c != state)),
            "next_steps": (*services.next_steps, *next_steps(found)),
            "missing": (*services.missing, *untold, *unchecked(found)),
        }
    )


def not_shown(alerts: list[Evidence]) -> tuple[Gap, ...]:
    """The alerts that a list leaves out, by their number and the first names."""
    if not alerts:
        return ()
    names = ", ".join(dict.fromkeys(text_of(a, "name") for a in alerts[:MOST_NAMES]))
    more = " …" if len(alerts) > MOST_NAMES else ""
    return (Gap(text=f"{len(alerts)} more, no graver, are not listed: {names}{more}.", tool="metrics_query"),)


def asked_first(metrics: list[Evidence]) -> list[Evidence]:
    """What the question names comes first; of two readings of one metric the one that moved stays."""
    kept: dict[tuple[str, str], Evidence] = {}
    for metric in sorted(metrics, key=lambda m: not m.step.startswith("metric")):
        key = (text_of(metric, "metric_name") or metric.title, metric.title)
        if key not in kept or (has_moved(metric) and not has_moved(kept[key])):
            kept[key] = metric
    return list(kept.values())


def no_metric_of(names: tuple[str, ...]) -> Claim:
    """What was asked for and nothing measures."""
    return Claim(template=f"I have no metric of the {join(names)}, so I can't say how it stands.")


def no_metric_gaps(names: tuple[str, ...], brief: Brief) -> tuple[Gap, ...]:
    """The same, with the names of metrics that come nearest."""
    known = [m.name for m in brief.landscape.metrics]
    near = {name: ", ".join(ranked_names(name, known, 3)) for name in names}
    return tuple(Gap(text=f"No metric names {n} (nearest: {near[n]}).", tool="metrics_query") for n in names)


def status_headline(brief: Brief, own: list[Evidence], unusual: list[Evidence], counts: list[Evidence]) -> Claim | None:
    """The subject's alert, else what moved, else what was measured."""
    asked = [s for s in brief.intent.subjects if ALERT_NAME.fullmatch(s)]
    if asked and not own and counts:
        return Claim(template=f"{asked[0]} is not among the alerts that fire.")
    measured = any(named_metrics(brief.question.text, brief.landscape)) and asked_of(brief)
    if own and asked and not measured:
        return alert_claim(own[0])
    main = asked_of(brief)
    worse = [m for m in unusual if not is_better(m) and text_of(m, "role") in ASKED][:1]
    worse = worse or [m for m in unusual if not is_better(m)][:1]
    failing = [m for m in of_kind(brief.evidence, "metric") if fails_probes(m)][:1]
    worse = [*failing, *(m for m in worse if m.title not in {f.title for f in failing})]
    main = [m for m in main if m.title not in {w.title for w in worse}]
    shown = counts[:1] if not brief.intent.subjects and not any(m.step.startswith("metric") for m in main) else []
    parts = [*(say_firing(c) for c in shown), *(say_asked(m) for m in main)]
    if not parts and not worse and not (own and is_on(own[0])):
        return None
    said = capital(f"{'; '.join(parts)}.") if parts else ""
    deploy = suspect_deploy(brief) if worse else None
    # What has not come back leads, whatever is steady beside it.
    onset = [f"{say_onset(m, deploy) if has_moved(m) else say_metric(m)}." for m in worse]
    fires = alert_claim(own[0]) if own and is_on(own[0]) and not measured else None
    if fires:  # what fires and what moved say how it stands; the rest is told below
        shown, main, said = [], [], fires.template
    cited = (
        *(e.id for e in (*worse, *((deploy,) if deploy else ()), *shown, *main)),
        *(fires.evidence if fires else ()),
    )
    return Claim(template=" ".join(t for t in (*onset, said) if t), evidence=cited)


def fails_probes(metric: Evidence) -> bool:
    """Whether it is of a target whose probes fail, however long they have done so."""
    return text_of(metric, "metric_name") == PROBES and number(metric, "current") >= LEAST_FAILED


def asked_of(brief: Brief) -> list[Evidence]:
    """What the question asks for: the metric that it names, else errors and latency; what moved for the worse first."""
    metrics = of_kind(brief.evidence, "metric")
    if len(places := same_of_places(metrics, brief)) > 1:
        return places[:MOST_PLACES]
    named = [m for m in metrics if m.step.startswith("metric")][:1]
    first = {text_of(m, "role"): m for m in reversed(metrics) if text_of(m, "role") in ASKED}
    main = [first[role] for role in ASKED if role in first]
    main = [*named, *(m for m in main if m not in named)][:2]
    return sorted(main, key=lambda m: (m not in named, not has_moved(m) or is_better(m)))


def same_of_places(metrics: list[Evidence], brief: Brief) -> list[Evidence]:
    """The metric that the question names, of each place that it names."""
    wanted = next(iter(named_metrics(brief.question.text, brief.landscape)), "")
    shown = {m.title: m for m in reversed(metrics) if wanted and text_of(m, "metric_name") == wanted}
    of_place = ((s, m) for s in brief.intent.subjects for m in shown.values() if names_subject(m, s))
    return list({m.title: m for _, m in of_place}.values())


def is_better(metric: Evidence) -> bool:
    """What moved for the better, such as fewer errors, or tells neither way, such as more traffic."""
    role, name = text_of(metric, "role"), f"{text_of(metric, 'metric_name')} {metric.title}".lower()
    rose = text_of(metric, "direction") == "rose"
    return role == "traffic" or (rose if role == "cache" or HIT.search(name) else not rose)


def say_asked(metric: Evidence) -> str:
    """How a metric moved; one that is better than before by its value alone."""
    told = has(metric, "current", "baseline") and text_of(metric, "role") in ASKED
    if not told or not has_moved(metric) or not is_better(metric):
        return say_metric(metric)
    return f"{capital(metric.title)} is {{{metric.id}.current}}, {{{metric.id}.baseline}} before"


def is_on(alert: Evidence) -> bool:
    """Whether an alert fires or waits to, rather than being over."""
    return text_of(alert, "state") in {"", "firing", "pending"}


def elsewhere_claim(item: Evidence) -> Claim:
    """An alert of something else, or of another environment, which it says by itself."""
    claim = alert_claim(item)
    if has(item, "environment"):
        return claim
    return claim.model_copy(update={"template": f"Apart from that: {claim.template}"})


def write_traffic(brief: Brief) -> Draft | None:
    """How much traffic, or what else of the metrics is asked for in numbers, and its peak."""
    metrics = of_kind(brief.evidence, "metric")
    if brief.intent.question_type != "traffic":
        return None
    if unwritten := unknown_names(brief.question.text, brief.gaps):
        return Draft(headline=no_metric_of(unwritten), missing=brief.gaps)
    if not metrics:
        return None
    main = metrics[0]
    lines = [Claim(template=f"{say_metric(m)}.", evidence=(m.id,)) for m in metrics[:4]]
    if has(main, "peak", "peak_at"):
        word = "It was lowest" if text_of(main, "direction") == "fell" else "Its peak was"
        peak = Claim(template=f"{word} {{{main.id}.peak}} at {{{main.id}.peak_at}}.", evidence=(main.id,))
        lines.insert(1, peak)
    return Draft(headline=lines[0], metrics=tuple(lines[1:]), missing=brief.gaps, confidence="medium")
