"""PURE. Commits that are asked for themselves: what changed, who did it, what went into a release."""

from __future__ import annotations

from workers.contracts import Claim, Draft, Evidence
from workers.ports import Brief
from workers.reasoning.phrases import change_claim, code_words, deploy_name, of_kind, text_of
from workers.reasoning.pick_metrics import ROLE_WORDS, named_metrics
from workers.reasoning.said import asks_changes

MOST = 6


def is_about_changes(brief: Brief) -> bool:
    """It asks for commits and speaks of no symptom, and there are some."""
    text = brief.question.text
    symptom = any(words.search(text) for _, words in ROLE_WORDS) or any(named_metrics(text, brief.landscape))
    kind = brief.intent.question_type in {"debug_incident", "operations_status", "other"}
    return kind and asks_changes(text) and not symptom and bool(of_kind(brief.evidence, "change"))


def write_changes(brief: Brief) -> Draft:
    """The commits of the span, those of the person or about the words that are named first."""
    said = brief.question.text.lower()
    changes = of_kind(brief.evidence, "change")
    whose = [c for c in changes if any(n in said.split() for n in text_of(c, "author").lower().split())]
    words = code_words(said)
    near = sorted(whose or changes, key=lambda c: -len(words & code_words(f"{c.title} {text_of(c, 'file_1')}")))
    claims = tuple(change_claim(c) for c in near[:MOST])
    deploys = of_kind(brief.evidence, "deploy")[:3]
    return Draft(
        headline=claims[0],
        what_changed=(*claims[1:], *(deployed(d) for d in deploys)),
        missing=tuple(g for g in brief.gaps if g.tool == "repo_search"),
        confidence="medium",
    )


def deployed(deploy: Evidence) -> Claim:
    """One deploy."""
    return Claim(template=f"Deploy {deploy_name(deploy)} went out at {{{deploy.id}.at}}.", evidence=(deploy.id,))
