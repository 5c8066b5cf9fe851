"""What is missing from an answer of research, and the answers of which nothing but that can be said."""

from __future__ import annotations

import re

from workers.agents.research.kind_decision import WHY
from workers.agents.research.relevance import names_subject
from workers.contracts import Claim, Draft, Gap
from workers.grounding.health import text_of
from workers.language.nearest_names import ranked_names
from workers.language.stop_words import content_words
from workers.ports import Brief
from workers.reasoning.claim_phrases import join, say_metric
from workers.reasoning.empty_answer import NOT_CONNECTED
from workers.reasoning.kind_groups import BEHAVIOUR_KINDS, CODE_KINDS, DOC_KINDS
from workers.reasoning.question_features import asks_how_to, names_document

TOPIC = re.compile(
    r"\b(runbooks?|playbooks?|adrs?|design docs?|guides?|postmortems?|docs?|documents?|documentation)\b (?:\w+ ){0,2}?"
    r"(?:for|on|about|of|covers?|covering|explains?|describes?) (?:the |our |an? )?([\w/-]*[\w])",
    re.IGNORECASE,
)


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
