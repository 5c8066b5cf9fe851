"""How things stand now, and how much traffic there is: what fires, what moved, what was deployed."""

from __future__ import annotations

import re

from workers.agents.research.missing_evidence import no_document_gaps
from workers.agents.research.relevance import covers, names_subject
from workers.agents.research.write_system_health import looked_at_deployments, with_deployments
from workers.contracts import Claim, Draft, Evidence, Gap
from workers.engine.anomaly import has_moved
from workers.grounding.health import text_of
from workers.language.nearest_names import ranked_names
from workers.language.stop_words import content_words
from workers.ports import Brief
from workers.reasoning.claim_phrases import (
    alert_claim,
    capital,
    change_claim,
    doc_claim,
    has,
    join,
    most_urgent,
    named_alerts,
    of_kind,
    say_metric,
    went_out,
)
from workers.reasoning.empty_answer import unanswered, write_nothing
from workers.reasoning.metric_selection import unknown_measures
from workers.reasoning.question_features import ALERT_NAME, asks_deploys, quoted_phrases

ASKED = ("errors", "latency")
HIT = re.compile(r"\b(?:hit|success|availab\w*|healthy|up)\b|_hit_")


def write_status(brief: Brief) -> Draft:
    """What fires and what moved, of the subject first; calm is only said of what was measured."""
    alerts, metrics = named_alerts(brief.evidence), asked_first(of_kind(brief.evidence, "metric"))
    counts = [a for a in of_kind(brief.evidence, "alert") if "firing" in a.facts]
    docs = [d for d in of_kind(brief.evidence, "doc") if covers(d, brief)]
    if not alerts and not metrics and not counts:
        if looked_at_deployments(brief):
            only = Draft(
                headline=Claim(template="Of the services nothing is known: no metrics answered."), missing=brief.gaps
            )
            return with_deployments(only, brief, trouble=False)
        return write_nothing(brief, "I can't tell how things stand: no metrics answered.")
    subjects = brief.intent.subjects
    own = [a for a in alerts if not subjects or any(names_subject(a, s) for s in subjects)]
    elsewhere = most_urgent([a for a in alerts if a not in own])
    own = most_urgent(own)
    unusual = [m for m in metrics if re.match("errors|latency|metric", m.step) and has_moved(m)]
    unknown = unknown_measures(brief.question.text, brief.landscape)
    head = no_metric_of(unknown) if unknown else status_headline(brief, own, unusual, counts)
    strange = [s for s in unknown_names(brief) if not any(names_subject(e, s) for e in (*alerts, *metrics))]
    if strange:
        why = unanswered(brief, "metrics_query") or f"I have no metrics for {strange[0]}"
        of_it = "it" if strange[0] in why else strange[0]
        head = Claim(template=f"{why}, so I can't say how {of_it} stands.")
    draft = Draft(
        headline=head,
        what_changed=(
            *(went_out(d) for d in of_kind(brief.evidence, "deploy")[1:6] if asks_deploys(brief.question.text)),
            *(change_claim(c) for c in said_changes(brief)),
        ),
        metrics=(
            *(c for a in own if (c := alert_claim(a)) != head),
            *(Claim(template=f"{say_metric(m)}.", evidence=(m.id,)) for m in metrics[:6]),
            *(elsewhere_claim(a) for a in elsewhere[:3]),
        ),
        docs=tuple(doc_claim(d) for d in docs[:1]),
        missing=(
            *no_metric_gaps((*unknown, *strange), brief),
            *no_document_gaps(brief),
            *brief.gaps,
            *(Gap(text=u) for u in brief.plan.uncertainties),
        ),
        confidence="medium",
    )
    worse = any(not is_better(m) for m in unusual)
    return with_deployments(draft, brief, trouble=any(map(is_on, own)) or worse)


def unknown_names(brief: Brief) -> list[str]:
    """Names of the question that no source's list of names holds: outside systems, misspelt services."""
    known = " ".join(brief.landscape.names).lower()
    return [s for s in brief.intent.subjects if re.match(r"/|[A-Z][a-z]|\w+-\w", s) and s.lower() not in known]


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
    out = []
    for name in names:
        near = ranked_names(name, known, 3)
        out.append(Gap(text=f"No metric names {name} (nearest: {', '.join(near)}).", tool="metrics_query"))
    return tuple(out)


def said_changes(brief: Brief) -> list[Evidence]:
    """Commits whose subject the question quotes."""
    wanted = [content_words(p) for p in quoted_phrases(brief.question.text)]
    changes = of_kind(brief.evidence, "change")
    return [
        c for c in changes if any(w and len(w & content_words(text_of(c, "subject"))) >= 0.6 * len(w) for w in wanted)
    ]


def status_headline(brief: Brief, own: list[Evidence], unusual: list[Evidence], counts: list[Evidence]) -> Claim:
    """The subject's alert, else what moved, else what was measured; deploys when they are asked for."""
    deploys = of_kind(brief.evidence, "deploy")
    if deploys and asks_deploys(brief.question.text):
        return went_out(deploys[0])
    asked = [s for s in brief.intent.subjects if ALERT_NAME.fullmatch(s)]
    if asked and not own and counts:
        return Claim(template=f"{asked[0]} is not among the alerts that fire.")
    if own and (is_on(own[0]) or asked):
        return alert_claim(own[0])
    main = asked_of(brief)
    worse = [m for m in unusual if m not in main and not is_better(m) and m.title not in {a.title for a in main}][:1]
    shown = counts[:1] if not brief.intent.subjects and not any(m.step.startswith("metric") for m in main) else []
    parts = [*(f"{{{c.id}.firing}} alerts fire" for c in shown), *(say_asked(m) for m in main)]
    if not parts and not worse:
        why = unanswered(brief, "metrics_query") or "no metric of errors or latency answered"
        return Claim(template=f"I can't tell how things stand: {why}.")
    said = f"{'; '.join(parts)}." if parts else ""
    also = [f"{'Also: ' if said else ''}{say_metric(m)}." for m in worse]
    return Claim(
        template=" ".join(t for t in (said, *also) if t), evidence=tuple(e.id for e in (*shown, *main, *worse))
    )


def asked_of(brief: Brief) -> list[Evidence]:
    """What the question asks for: the metric that it names, else errors and latency; what moved for the worse first."""
    metrics = of_kind(brief.evidence, "metric")
    named = [m for m in metrics if m.step.startswith("metric")][:1]
    first = {text_of(m, "role"): m for m in reversed(metrics) if text_of(m, "role") in ASKED}
    main = [first[role] for role in ASKED if role in first]
    main = [*named, *(m for m in main if m not in named)][:2]
    return sorted(main, key=lambda m: (m not in named, not has_moved(m) or is_better(m)))


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
    """An alert of something else."""
    claim = alert_claim(item)
    return claim.model_copy(update={"template": f"Apart from that: {claim.template}"})


def write_traffic(brief: Brief) -> Draft:
    """How much traffic, and its peak."""
    metrics = of_kind(brief.evidence, "metric")
    if not metrics:
        return write_nothing(brief, "I have no metric that counts these requests.")
    main = metrics[0]
    lines = [Claim(template=f"{say_metric(main)}.", evidence=(main.id,))]
    if "peak" in main.facts and "peak_at" in main.facts:
        word = "It was lowest" if text_of(main, "direction") == "fell" else "Its peak was"
        lines.append(Claim(template=f"{word} {{{main.id}.peak}} at {{{main.id}.peak_at}}.", evidence=(main.id,)))
    return Draft(headline=lines[0], metrics=tuple(lines[1:]), missing=brief.gaps, confidence="medium")
