"""What is said when nothing was found: so much, what was tried, and the nearest names that exist."""

from __future__ import annotations

import re

from workers.contracts import Claim, Draft, Gap
from workers.engine.validate import BEHAVIOUR_KINDS, CODE_KINDS, DOC_KINDS
from workers.grounding.health import text_of
from workers.language.nearest_names import ranked_names
from workers.language.stop_words import content_words
from workers.ports import Brief
from workers.reasoning.phrases import join, say_metric
from workers.reasoning.relevance import names_subject
from workers.reasoning.said import asks_how_to, names_document
from workers.reasoning.settle_kind import WHY

MOST_NEAR = 5
WENT_WRONG = {"timeout": "did not answer in time", "error": "failed", "denied": "was not run"}
LATE = re.compile(r"\bdid not answer within\b")
HOLDS_NONE = re.compile(r"\b(?:is|are) connected\b|\bno metric is named\b|\bno commit \S+ ")
"""Answers that are told as errors."""
NOT_CONNECTED = re.compile(r"\b(?:is|are) connected\b")
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
    if (lost := unanswered(brief)) and not HOLDS_NONE.search(text):
        answered = len({c.name for c in brief.calls}) > len(lost_tools(brief))
        text = f"{lost}, so I can't tell{'; the other sources hold nothing about it' if answered else ''}."
    if near := nearest_names(brief):
        gaps = (*gaps, Gap(text=near))
    idle = {g.tool for g in gaps if NOT_CONNECTED.search(g.text)}
    heard = {c.name for c in brief.calls if c.status != "error"} - idle
    if gaps and not heard and all(NOT_CONNECTED.search(g.text) for g in gaps):
        text = (
            "No source is connected that could answer this: name one with --repo, --docs or --prometheus, or in config."
        )
    return Draft(headline=Claim(template=text), missing=(*gaps, *summary))


def without_idle(draft: Draft, brief: Brief) -> Draft:
    """Sources that are not connected are named where nothing was found, or where the question needs them."""
    if not draft.headline.evidence:
        return draft
    kind, text = brief.intent.question_type, brief.question.text
    needed = {
        "doc_search": names_document(text) or asks_how_to(text) or WHY.search(text) is not None or kind in DOC_KINDS,
        "metrics_query": kind in BEHAVIOUR_KINDS,
        "repo_search": kind in CODE_KINDS,
    }
    kept = tuple(g for g in draft.missing if needed.get(g.tool, True) or not NOT_CONNECTED.search(g.text))
    return draft.model_copy(update={"missing": kept})


def lost_tools(brief: Brief) -> dict[str, str]:
    """Tools of which a call came to no result, with how: what they would have said is not known, not missing."""
    last = {(c.name, c.step): c for c in brief.calls}
    lost = [c for c in last.values() if c.status in WENT_WRONG and not HOLDS_NONE.search(c.summary)]
    late = [c.name for c in lost if c.status == "timeout" or LATE.search(c.summary)]
    return {c.name: WENT_WRONG["timeout" if c.name in late else c.status] for c in lost}


def unanswered(brief: Brief, *tools: str) -> str:
    """“metrics_query did not answer in time”, of some tools or of any; empty when all of them answered."""
    lost = {name: how for name, how in lost_tools(brief).items() if name in tools or not tools}
    groups = {how: [name for name in lost if lost[name] == how] for how in dict.fromkeys(lost.values())}
    return join([f"{join(names)} {how}" for how, names in groups.items()]) if groups else ""


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
    near = ranked_names(asked, known, MOST_NEAR)
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
        wanted = content_words(topic.replace("_", " ").replace("-", " "))
        titles = [content_words(f"{text_of(d, 'title')} {text_of(d, 'heading')} {text_of(d, 'path')}") for d in docs]
        if wanted and not any(wanted <= title for title in titles):
            known = ranked_names(topic, brief.landscape.documents, 3)
            near = f" (nearest: {join(known)})" if known else ""
            out.append(Gap(text=f"No {what.lower().rstrip('s')} about {topic} was found{near}.", tool="doc_search"))
    return tuple(out)
