"""PURE. What is said when nothing was found: so much, what was tried, and the nearest names that exist."""

from __future__ import annotations

import re

from rapidfuzz import fuzz, process

from workers.contracts import Claim, Draft, Gap
from workers.engine.assemble import stems
from workers.ports import Brief
from workers.reasoning.phrases import join, say_metric
from workers.reasoning.relevance import names_subject, value_of

MOST_NEAR = 5
TOPIC = re.compile(
    r"\b(runbooks?|playbooks?|adrs?|design docs?|guides?|postmortems?|docs?|documents?|documentation)\b (?:\w+ ){0,2}?"
    r"(?:for|on|about|of|covers?|covering|explains?|describes?) (?:the |our |an? )?([\w/-]*[\w])",
    re.IGNORECASE,
)


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
    if near := nearest_names(brief):
        gaps = (*gaps, Gap(text=near))
    if gaps and all(re.search(r"\b(?:is|are) connected\b", g.text) for g in gaps):
        text = (
            "No source is connected that could answer this: name one with --repo, --docs or --prometheus, or in config."
        )
    return Draft(headline=Claim(template=text), missing=(*gaps, *summary))


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


def nearest_names(brief: Brief) -> str:
    """For an endpoint that is not known: those that are, the nearest first."""
    asked = next((s for s in brief.intent.subjects if s.startswith("/")), "")
    known = brief.landscape.labels.get("endpoint", ())
    if not asked or asked in known or not known:
        return ""
    near = [name for name, _, _ in process.extract(asked, known, scorer=fuzz.ratio, limit=MOST_NEAR)]
    return f"Endpoints with metrics here: {join(near)}."


def about_nothing(brief: Brief) -> bool:
    """The first subject is an endpoint that no evidence holds."""
    subjects = [s for s in brief.intent.subjects if s.startswith("/")]
    return bool(subjects) and not any(names_subject(e, subjects[0]) for e in brief.evidence if e.kind != "deploy")


def no_document_gaps(brief: Brief) -> tuple[Gap, ...]:
    """A runbook, decision or guide that is asked for by its topic, and that no document found is about."""
    docs = [e for e in brief.evidence if e.kind == "doc"]
    out = []
    for what, topic in TOPIC.findall(brief.question.text):
        wanted = stems(topic.replace("_", " ").replace("-", " "))
        titles = [stems(f"{value_of(d, 'title')} {value_of(d, 'heading')} {value_of(d, 'path')}") for d in docs]
        if wanted and not any(wanted <= title for title in titles):
            known = process.extract(topic, brief.landscape.documents, scorer=fuzz.token_set_ratio, limit=3)
            near = f" (nearest: {join([name for name, _, _ in known])})" if known else ""
            out.append(Gap(text=f"No {what.lower().rstrip('s')} about {topic} was found{near}.", tool="doc_search"))
    return tuple(out)
