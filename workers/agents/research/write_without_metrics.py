"""Debug_incident without metrics of the subject: what code and documents say; for an alert its runbook's steps
and who owns it, since the alert itself tells that something is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

from workers.agents.research.rank_changes import telling_changes
from workers.agents.research.rank_sections import is_general
from workers.agents.research.relevance import covers
from workers.agents.research.write_alerting import first_look, named_alert, runbook_of, steps_claims
from workers.contracts import Claim, Draft, Evidence, Gap
from workers.grounding.health import text_of
from workers.language.stop_words import content_words
from workers.language.tokens import split_names
from workers.ports import Brief
from workers.reasoning.claim_phrases import change_claim, code_claim, doc_claim, of_kind, steps_of
from workers.reasoning.empty_answer import unanswered, write_nothing

MATCHES = 2
"""So many words of its own must an alert's name share with a section's heading."""


def without_metrics(brief: Brief, changes: Sequence[Evidence]) -> Draft:
    """No metric of the subject: what the code and the documents say of it, and no guess at how it behaved."""
    subject = brief.intent.subjects[0] if brief.intent.subjects else "this"
    sections = runbook_of(brief)
    fitting = fitting_section(sections, named_alert(brief))
    steps = steps_claims(fitting) if fitting else first_look(sections)
    told = {key for claim in steps[:1] for key in claim.evidence}  # its words stand among the steps
    docs = [d for d in of_kind(brief.evidence, "doc") if covers(d, brief) and d.id not in told]
    docs = [*([fitting] if fitting else []), *docs]
    code = [c for c in of_kind(brief.evidence, "code") if covers(c, brief)]
    why = unanswered(brief, "metrics_query") or f"I have no metrics for {subject}"
    of_it = "it" if subject in why else subject
    draft = Draft(
        headline=Claim(template=f"{why}, so I can't say how {of_it} behaved."),
        what_changed=tuple(change_claim(c) for c in telling_changes(changes)) if brief.intent.time_hints else (),
        code=tuple(code_claim(c) for c in code[:2]),
        docs=(*(doc_claim(d) for d in docs[:2]), *owner_claims(sections)),
        next_steps=steps,
        missing=(*(brief.gaps or (Gap(text=f"No metric of {subject}.", tool="metrics_query"),)), *no_owner(sections)),
    )
    found = draft.what_changed or draft.code or draft.docs or draft.next_steps
    return draft if found else write_nothing(brief, f"I found nothing about {subject}.")


def fitting_section(sections: Sequence[Evidence], alert: str) -> Evidence | None:
    """The section of an alert's runbook that its name describes, with steps; None when it holds for any of them.

    ``AccountsPoolExhausted`` is the case "Connection pool exhausted".
    """
    wanted = content_words(split_names(alert))

    def shared(section: Evidence) -> int:
        return len(wanted & content_words(text_of(section, "heading")))

    cases = [s for s in sections if steps_of(s) and not is_general(s) and shared(s) >= MATCHES]
    return max(cases, key=shared, default=None)


def owner_claims(sections: Sequence[Evidence]) -> tuple[Claim, ...]:
    """Who owns what an alert is about, as its runbook says."""
    owned = next((s for s in sections if text_of(s, "owner")), None)
    if owned is None:
        return ()
    return (Claim(template=f"Owner, by *{{{owned.id}.title}}*: {{{owned.id}.owner}}.", evidence=(owned.id,)),)


def no_owner(sections: Sequence[Evidence]) -> tuple[Gap, ...]:
    """An alert's runbook that names no owner where it was read."""
    if not sections or any(text_of(s, "owner") for s in sections):
        return ()
    return (Gap(text="Who owns it: the sections of its runbook that were read do not say.", tool="doc_search"),)
