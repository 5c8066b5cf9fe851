"""What a runbook says to do about an alert: its steps, word for word."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workers.agents.research.rank_sections import is_general
from workers.contracts import Claim, Evidence
from workers.grounding.health import text_of
from workers.language.stop_words import content_words
from workers.language.tokens import split_names
from workers.ports import Brief
from workers.reasoning.claim_phrases import doc_name, join, of_kind, steps_of
from workers.reasoning.question_features import alert_in
from workers.reasoning.relevance import names_subject

MOST_STEPS, MATCHES = 5, 2


def runbook_steps(brief: Brief) -> tuple[Claim, ...]:
    """What the runbook of the alert begins with, else the steps of the first section that speaks of the subject."""
    if sections := runbook_of(brief):
        fitting = fitting_section(sections, alert_in(brief.intent, brief.landscape))
        return steps_claims(fitting) if fitting else first_look(sections)
    for doc in of_kind(brief.evidence, "doc"):
        named = not brief.intent.subjects or any(names_subject(doc, s) for s in brief.intent.subjects)
        if named and steps_of(doc):
            return steps_claims(doc)
    return ()


def steps_claims(doc: Evidence) -> tuple[Claim, ...]:
    """A section's steps, word for word."""
    return tuple(Claim(template=f"{{{doc.id}.{name}}}", evidence=(doc.id,)) for name in steps_of(doc)[:MOST_STEPS])


def first_look(sections: Sequence[Evidence]) -> tuple[Claim, ...]:
    """The steps that hold for every case, then which sections to choose from; without such steps, the first ones."""
    with_steps = [s for s in sections if steps_of(s)]
    general = [s for s in with_steps if is_general(s)]
    begin = (general or with_steps)[:1]
    rest = [s for s in with_steps if s not in begin][:MOST_STEPS]
    names = join([doc_name(s) for s in rest]) if rest else ""
    choose = Claim(template=f"Read {names}.", evidence=tuple(s.id for s in rest))
    return (*(c for s in begin for c in steps_claims(s)), *((choose,) if begin and rest else ()))


def fitting_section(sections: Sequence[Evidence], alert: str) -> Evidence | None:
    """The case that an alert's name describes, with steps: ``PoolExhausted`` is "Connection pool exhausted"."""
    wanted = content_words(split_names(alert))

    def shared(section: Evidence) -> int:
        return len(wanted & content_words(text_of(section, "heading")))

    cases = [s for s in sections if steps_of(s) and not is_general(s) and shared(s) >= MATCHES]
    return max(cases, key=shared, default=None)


def owner_claims(brief: Brief) -> tuple[Claim, ...]:
    """Who owns what an alert is about, as its runbook says."""
    owned = next((s for s in runbook_of(brief) if text_of(s, "owner")), None)
    if owned is None:
        return ()
    return (Claim(template=f"Owner, by *{{{owned.id}.title}}*: {{{owned.id}.owner}}.", evidence=(owned.id,)),)


def runbook_of(brief: Brief) -> list[Evidence]:
    """The sections of the runbook that names the alert which is asked about, in its order."""
    alert = alert_in(brief.intent, brief.landscape).lower()
    docs = [d for d in of_kind(brief.evidence, "doc") if text_of(d, "doc_kind") == "runbook"]
    home = next((text_of(d, "path") for d in docs if alert and alert in d.excerpt.lower()), "")
    return sorted((d for d in docs if home and text_of(d, "path") == home), key=first_line)


def first_line(doc: Evidence) -> int:
    """Where a section begins."""
    match = re.search(r":(\d+)", text_of(doc, "lines"))
    return int(match[1]) if match else 0
