"""Debug_incident: what moved, when, what went out before, where to look, what to do next."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal

from workers.agents.research.rank_changes import (
    named_first,
    rank_changes,
    said_changes,
    suspect_deploy,
    telling_changes,
)
from workers.agents.research.rank_sections import rank_sections
from workers.agents.research.runbooks import owner_claims, runbook_steps
from workers.agents.research.write_causes import Weighed, cause_claims, read_weighed, unsure_deliveries
from workers.agents.research.write_status import is_measured_of, no_metric_gaps, no_metric_of
from workers.contracts import Claim, Draft, Evidence, Gap
from workers.engine.anomaly import has_moved
from workers.grounding.health import text_of
from workers.language.stop_words import content_words
from workers.ports import Brief
from workers.reasoning.claim_phrases import (
    alert_claim,
    capital,
    change_claim,
    code_claim,
    code_words,
    deploy_name,
    doc_claim,
    has,
    hunk_claim,
    hunks,
    metric_claim,
    named_alerts,
    of_kind,
    say_metric,
    say_onset,
    steady_claims,
    steps_of,
    troubles,
    went_out,
)
from workers.reasoning.empty_answer import unanswered
from workers.reasoning.metric_selection import roles_in, unknown_measures
from workers.reasoning.question_features import asks_yes_no
from workers.reasoning.relevance import is_titled, names_subject
from workers.reasoning.wish import VERSION

MAX_STEPS = 5
ALERTS_STEP = "alerts"
"""How the steps begin that list alerts and deploys of a day, whatever moved."""
RUNBOOK_STEPS = frozenset({"runbook", "sections"})
LATELY, TOLD = timedelta(hours=1), timedelta(hours=6)
"""How long before the onset something outside the code may be behind it, and how long a changed flag is told."""
MOST_OUTSIDE = 3
CAUSAL = re.compile(
    r"\b(?:because|due to|caus\w+|break|broke|affect\w*|relat\w+|responsible|blame|behind|wegen|deploy\w*|release)\b",
    re.IGNORECASE,
)
"""Asks what something else has to do with it."""
PRESENT = re.compile(r"\W*(?:\w+\W+)?(?:is|are|ist|sind)\b", re.IGNORECASE)
ALARMING = frozenset({"latency", "errors"})  # a change of traffic or load alone is no incident
PATH = re.compile(r"(?<![\w./-])[\w-]+/[\w./-]+\.\w+|(?<![\w-])[\w-]+\.(?:py|go|js|ts|rb|java|rs|sql|ya?ml|toml)\b")


def write_incident(brief: Brief) -> Draft | None:
    """Compose from whatever the tools returned; every part may be missing.

    Only what was seen to move gets a suspect, a runbook and next steps: a remedy for a symptom that nobody measured is
    worse than none.
    """
    evidence = brief.evidence
    metrics, changes, code = telling_metrics(brief), of_kind(evidence, "change"), of_kind(evidence, "code")
    main = metrics[0] if metrics and speaks_of_subject(metrics[0], brief) else None
    if main is None:
        return None
    if not has_moved(main) and brief.intent.question_type != "debug_incident":
        return None  # how things stand is told by the state
    if not has_moved(main):  # what moved of something else says nothing of it
        metrics = [m for m in metrics if any(is_measured_of(m, s) for s in brief.intent.subjects)] or metrics
    if not has_moved(main) and not any(has_moved(m) and text_of(m, "role") in ALARMING for m in metrics):
        return quiet(brief, main, metrics)
    deploy, weighed = suspect_deploy(brief), read_weighed(evidence)
    changes = weighed.commits if weighed else rank_changes(changes, deploy, brief)
    sections = of_kind(evidence, "doc")
    own = [d for d in sections if d.step in RUNBOOK_STEPS]  # those that were looked for by what moved
    docs = rank_sections(own or sections, metrics, changes)
    return Draft(
        headline=led(headline(main, metrics, deploy), decided(brief.question.text, main)),
        what_changed=(
            *what_changed(changes, deploy, main, brief),
            *(cause_claims(weighed, main, docs, metrics) if weighed else ()),
            *outside_code(main, evidence, weighed=weighed is not None),
        ),
        metrics=(*metric_lines(main, metrics), *(alert_claim(a) for a in troubles(evidence, brief.question.text))),
        code=code_lines(changes, code, docs),
        docs=tuple(doc_claim(d) for d in docs[:2] if text_of(d, "path") == text_of(docs[0], "path")),
        next_steps=next_steps(docs, changes, code),
        missing=(*brief.gaps, *(unsure_deliveries(evidence) if weighed else ())),
        confidence=confidence(main, deploy, changes, weighed),
    )


def telling_metrics(brief: Brief) -> list[Evidence]:
    """What was measured of the question itself, where something of it moved; else all that was measured."""
    metrics = of_kind(brief.evidence, "metric")
    own = [m for m in metrics if m.step.startswith("metric")]
    return own if any(map(has_moved, own)) else metrics


def without_metrics(brief: Brief) -> Draft:
    """No metric of the subject: no guess at how it behaved; of an alert, what its runbook says to do."""
    subject = brief.intent.subjects[0] if brief.intent.subjects else "this"
    why = unanswered(brief, "metrics_query") or f"I have no metrics for {subject}"
    of_it = "it" if subject in why else subject
    alerts = [a for a in named_alerts(brief.evidence) if names_subject(a, subject)]
    changes = telling_changes(of_kind(brief.evidence, "change")) if brief.intent.time_hints else []
    return Draft(
        headline=Claim(template=f"{why}, so I can't say how {of_it} behaved."),
        what_changed=tuple(map(change_claim, changes)),
        metrics=tuple(alert_claim(a) for a in alerts[:2]),
        docs=owner_claims(brief),
        next_steps=runbook_steps(brief),
        missing=brief.gaps or (Gap(text=f"No metric of {subject}.", tool="metrics_query"),),
    )


def unmeasured(brief: Brief) -> Draft | None:
    """What is asked for is measured by nothing: another metric's movement is no answer to it."""
    names = unknown_measures(brief.question.text, brief.landscape)
    moved = [m for m in of_kind(brief.evidence, "metric") if has_moved(m)]
    if not names:
        return None
    return Draft(
        headline=no_metric_of(names),
        metrics=tuple(Claim(template=f"{say_metric(m)}.", evidence=(m.id,)) for m in moved[:3]),
        missing=(*no_metric_gaps(names, brief), *brief.gaps),
    )


def quiet(brief: Brief, main: Evidence, metrics: Sequence[Evidence]) -> Draft:
    """Nothing moved: what was measured, and the deploys of that time."""
    evidence = brief.evidence
    looked = list({m.title: m for m in metrics if text_of(m, "role") in ALARMING}.values())[:3] or metrics[:1]
    said = [say_metric(m) for m in looked]
    calm = f"I see nothing that moved: {'; '.join(s[0].lower() + s[1:] for s in said)}."
    if brief.intent.subjects:
        head = led(headline(main, metrics, None), decided(brief.question.text, main))
    else:
        head = Claim(template=calm, evidence=tuple(m.id for m in looked))
    told = brief.intent.time_hints or VERSION.search(brief.question.text)
    deploys = named_first(of_kind(evidence, "deploy"), brief) if told else []
    return Draft(
        headline=head,
        what_changed=(*map(change_claim, said_changes(brief)), *map(went_out, deploys[:2])),
        metrics=(*metric_lines(main, metrics), *(alert_claim(a) for a in troubles(evidence, brief.question.text))),
        docs=tuple(doc_claim(d) for d in of_kind(evidence, "doc") if is_titled(d, brief))[:1],
        missing=brief.gaps,
    )


def speaks_of_subject(main: Evidence, brief: Brief) -> bool:
    """Whether the metric is of something the question names; any metric is, when it names nothing."""
    return not brief.intent.subjects or any(names_subject(main, s) for s in brief.intent.subjects)


def headline(main: Evidence, metrics: Sequence[Evidence], deploy: Evidence | None) -> Claim:
    """What moved, when, and next to which deploy."""
    k = main.id
    if not has_moved(main):  # what else moved is told in the headline only where it alarms and is of the same place
        alarming = (m for m in metrics[1:] if has_moved(m) and text_of(m, "role") in ALARMING and is_beside(m, main))
        said = [main, *alarming][:2]
        return Claim(template=" ".join(f"{say_metric(m)}." for m in said), evidence=tuple(m.id for m in said))
    return Claim(template=f"{say_onset(main, deploy)}.", evidence=(k, deploy.id) if deploy else (k,))


def led(claim: Claim, lead: str) -> Claim:
    """A claim with words before it."""
    return claim.model_copy(update={"template": f"{lead}{claim.template}"}) if lead else claim


def decided(text: str, main: Evidence) -> str:
    """What stands before the headline of a question for yes or no that asks whether something is slow or fails.

    Only the metric that measures what is asked decides; why, or whether something else did it, no metric does.
    """
    roles = {*roles_in(text)} & ALARMING
    if not asks_yes_no(text) or CAUSAL.search(text) or roles != {text_of(main, "role")}:
        return ""
    if not has_moved(main) or text_of(main, "direction") == "fell":
        return ""  # steady may be steadily slow
    return "Not any more: " if has(main, "recovered_at") and PRESENT.match(text) else "Yes: "


def what_changed(
    changes: Sequence[Evidence], deploy: Evidence | None, main: Evidence, brief: Brief
) -> tuple[Claim, ...]:
    """The commits of the span, the most related first; other deploys near by, and where they stand to the onset."""
    evidence = [e for e in brief.evidence if not e.step.startswith(ALERTS_STEP)]  # deploys around the onset alone
    others = [d for d in of_kind(evidence, "deploy") if (deploy is None or d.id != deploy.id) and not has(d, "brought")]
    shown = list({c.id: c for c in (*said_changes(brief), *telling_changes(changes))}.values())
    return (
        *(change_claim(c) for c in shown[:4]),
        *(beside_onset(d, main) for d in named_first(others, brief)[:2]),
    )


def beside_onset(deploy: Evidence, main: Evidence) -> Claim:
    """A deploy; when the metric had moved by then, so much is said."""
    if has(main, "onset_at") and text_of(main, "onset_at") < text_of(deploy, "at"):
        k = main.id
        said = f"{capital(main.title)} moved {{lag({k}.onset_at,{deploy.id}.at)}} deploy {deploy_name(deploy)}"
        return Claim(template=f"{said}, which went out at {{{deploy.id}.at}}.", evidence=(k, deploy.id))
    return went_out(deploy)


def outside_code(main: Evidence, evidence: Sequence[Evidence], *, weighed: bool) -> tuple[Claim, ...]:
    """Flags that were changed and what the cluster told before the metric moved; the nearest as a hypothesis, unless
    all that may be behind it was weighed."""
    if not has_moved(main) or not has(main, "onset_at"):
        return ()
    onset = datetime.fromisoformat(text_of(main, "onset_at"))
    found: list[tuple[timedelta, Evidence, str, str]] = []
    for item in evidence:
        k, at = item.id, "at" if item.kind == "flag" else "first_at"
        if item.kind not in {"flag", "event"} or not has(item, at) or has(item, "elsewhere") or has(item, "role"):
            continue
        ago = onset - datetime.fromisoformat(text_of(item, at))
        if item.kind == "flag":
            said = f"Flag {{{k}.flag}} {flag_change(item)} at {{{k}.at}}"
        else:
            said = f"{{{k}.reason}} of {{{k}.object}} began at {{{k}.first_at}}"
        if timedelta() <= ago <= (TOLD if item.kind == "flag" else LATELY):
            found.append((ago, item, at, said))
    out: list[Claim] = []
    for ago, item, at, said in sorted(found, key=lambda one: one[0])[:MOST_OUTSIDE]:
        behind = not weighed and not out and ago <= LATELY
        moved = f"{main.title} moved {{lag({main.id}.onset_at,{item.id}.{at})}} that"
        template = f"{said}, which may be behind it: {moved}." if behind else f"{said}; {moved}."
        status: Literal["hypothesis", "supported"] = "hypothesis" if behind else "supported"
        out.append(Claim(template=template, evidence=(item.id, main.id), status=status))
    return tuple(out)


def flag_change(flag: Evidence) -> str:
    """What was done with a flag, as slots."""
    if has(flag, "before", "after"):
        return f"went from {{{flag.id}.before}} to {{{flag.id}.after}}"
    return f"was changed ({{{flag.id}.change}})"


def metric_lines(main: Evidence, metrics: Sequence[Evidence]) -> tuple[Claim, ...]:
    """What moved with the main metric, its peak, and what did not move."""
    out: list[Claim] = []
    k = main.id
    name, owner = text_of(main, "metric_name"), main.title
    others = [m for m in metrics[1:] if not name or text_of(m, "metric_name") != name or is_other_place(m, main)]
    others = list({m.title: m for m in reversed(others) if m.title != owner}.values())[::-1]
    moved = [m for m in others if has_moved(m)]
    if has_moved(main):
        out.extend(metric_claim(m, main) for m in moved)
    else:
        out.extend(Claim(template=f"{say_metric(m)}.", evidence=(m.id,)) for m in moved)
    if has_moved(main) and has(main, "peak", "peak_at"):
        word = "was lowest at" if text_of(main, "direction") == "fell" else "peaked at"
        out.append(Claim(template=f"{main.title} {word} {{{k}.peak}}, at {{{k}.peak_at}}.", evidence=(k,)))
    calm = [m for m in others if not has_moved(m) and has(m, "current")]
    return (*out, *steady_claims(calm, main))


def is_beside(metric: Evidence, main: Evidence) -> bool:
    """Whether two metrics are of one endpoint or service."""
    owners = {m.facts["metric"].entity if has(m, "metric") else m.title for m in (metric, main)}
    return len(owners) == 1


def is_other_place(metric: Evidence, main: Evidence) -> bool:
    """The same metric of another place that the question named: a step of its own asked for it."""
    return metric.step != main.step and re.fullmatch(r"\w+_\d", metric.step) is not None


def code_lines(changes: Sequence[Evidence], code: Sequence[Evidence], docs: Sequence[Evidence]) -> tuple[Claim, ...]:
    """Lines the suspect commit changed, those the runbook speaks of first, each with the code that shows them."""
    words = content_words(" ".join(d.excerpt for d in docs[:1]))
    out: list[Claim] = []
    for change in changes[:1]:
        for name, path, _ in hunks(change, words)[:3]:
            opened = next((c for c in code if text_of(c, "path") == path), None)
            out.append(hunk_claim(change, name, opened))
    return tuple(out) or tuple(code_claim(c) for c in code[:2])


def next_steps(docs: Sequence[Evidence], changes: Sequence[Evidence], code: Sequence[Evidence]) -> tuple[Claim, ...]:
    """The steps of the runbook section that fits, each with the changed lines it speaks of."""
    out: list[Claim] = []
    for doc in docs[:2]:
        out.extend(step_claim(doc, name, changes[:1]) for name in steps_of(doc))
        if len(out) >= 2:
            break
    if not out:
        for change in changes[:1]:
            out.extend(
                Claim(template=f"Read {{{change.id}.{name}}} in {{{change.id}.short}}.", evidence=(change.id,))
                for name, _, _ in hunks(change)[:2]
            )
        out.extend(Claim(template=f"Read {{{c.id}.lines}}.", evidence=(c.id,)) for c in code[:1] if not out)
    return tuple(out[:MAX_STEPS])


def step_claim(doc: Evidence, name: str, changes: Sequence[Evidence]) -> Claim:
    """A runbook step, with the changed lines that share its words; a step that names its own file needs none."""
    text = text_of(doc, name)
    best: tuple[int, str, str] = (1, "", "")
    if not PATH.search(text):
        for change in changes:
            for hunk, path, added in hunks(change):
                shared = len(content_words(text) & code_words(f"{added} {path}"))
                if shared > best[0]:
                    best = (shared, change.id, hunk)
    if not best[1]:
        return Claim(template=f"{{{doc.id}.{name}}}", evidence=(doc.id,))
    return Claim(template=f"{{{doc.id}.{name}}} → {{{best[1]}.{best[2]}}}", evidence=(doc.id, best[1]))


def confidence(
    main: Evidence, deploy: Evidence | None, changes: Sequence[Evidence], weighed: Weighed | None
) -> Literal["high", "medium", "low"]:
    """How much of the chain is evidenced; of causes that were weighed, how sure they are."""
    if weighed is not None and weighed.causes:
        return {"high": "high", "medium": "medium"}.get(text_of(weighed.verdict, "sure"), "low")  # type: ignore[return-value]
    whole = has_moved(main) and deploy is not None and bool(changes)
    return "high" if whole else "medium"
