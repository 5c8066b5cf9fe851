"""Commits that are asked for themselves: what changed, who did it, what went into a release."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from workers.agents.research.change_plan import ALL
from workers.agents.research.code_change_question import asks_all_changes
from workers.agents.research.write_code_changes import whole_claim
from workers.contracts import Claim, Draft, Evidence, Gap, Window
from workers.grounding.health import text_of
from workers.ports import Brief
from workers.reasoning.claim_phrases import (
    alert_claim,
    change_claim,
    code_words,
    hunk_claim,
    hunks,
    named_alerts,
    of_kind,
    went_out,
)
from workers.reasoning.empty_answer import unanswered
from workers.reasoning.metric_selection import ROLE_WORDS, named_metrics
from workers.reasoning.question_features import AUTHOR, asked_commit, asks_changes

MOST, MOST_LINES = 6, 4
NOTHING_CHANGED = Claim(template="I found no deploy, commit or alert of that time.")
NO_COMMIT = Claim(template="I found no commit of that time.")
SINCE_DEPLOY = re.compile(r"\b(?:deploy\w*|release\w*|roll-?out|version)\b")
DEPLOYER = re.compile(r"\bwho\b.{0,200}\b(?:deployed|released|shipped|rolled|pushed|did|made|cut)\b", re.IGNORECASE)


def is_about_changes(brief: Brief) -> bool:
    """It asks for commits and speaks of no symptom, and there are some."""
    text = brief.question.text
    if any(s.id == ALL for s in brief.plan.steps) and asks_all_changes(text, brief.landscape):
        return True
    symptom = any(words.search(text) for _, words in ROLE_WORDS) or any(named_metrics(text, brief.landscape))
    kind = brief.intent.question_type in {"debug_incident", "operations_status", "other"}
    return kind and asks_changes(text) and not symptom and bool(of_kind(brief.evidence, "change"))


def write_changes(brief: Brief) -> Draft:
    """The commits of the span, those of the person or about the words that are named first."""
    said = brief.question.text.lower()
    changes = of_kind(brief.evidence, "change")
    whole = any(s.id == ALL for s in brief.plan.steps)
    if (brief.intent.time_hints or whole) and brief.intent.window and not SINCE_DEPLOY.search(said):
        return changed_within(brief, brief.intent.window)
    whose = [c for c in changes if any(n in said.split() for n in text_of(c, "author").lower().split())]
    words = code_words(said)
    near = sorted(whose or changes, key=lambda c: -len(words & code_words(f"{c.title} {text_of(c, 'file_1')}")))
    claims = tuple(change_claim(c) for c in near[:MOST])
    deploys = of_kind(brief.evidence, "deploy")[:3]
    return Draft(
        headline=claims[0],
        what_changed=(*claims[1:], *(went_out(d) for d in deploys)),
        missing=tuple(g for g in brief.gaps if g.tool == "repo_search"),
        confidence="medium",
    )


def changed_within(brief: Brief, window: Window) -> Draft:
    """Deploys, commits and alerts of a span alone, the newest deploy first; without any, what was last before."""
    deploys, changes = of_kind(brief.evidence, "deploy"), of_kind(brief.evidence, "change")
    words = code_words(brief.question.text.lower())
    near = sorted(
        newest_first(changes, "at"), key=lambda c: -len(words & code_words(f"{c.title} {text_of(c, 'file_1')}"))
    )
    found = [
        *((d, went_out(d)) for d in newest_first(deploys, "at")),
        *((c, change_claim(c)) for c in near),
        *((a, alert_claim(a)) for a in newest_first(named_alerts(brief.evidence), "since")),
    ]
    moments = {item.id: datetime.fromisoformat(at) for item, _ in found if (at := text_of(item, began(item)))}
    claims = [c for item, c in found if item.id in moments and window.start <= moments[item.id] <= window.end]
    gaps = tuple(g for g in brief.gaps if g.tool in {"repo_search", "metrics_query"})
    if claims:
        told = (*claims[1:MOST], *whole_claim(brief))
        return Draft(headline=claims[0], what_changed=told, missing=gaps, confidence="medium")
    kinds: dict[str, tuple[Evidence, Claim]] = {}
    for item, said in sorted((f for f in found if f[0].id in moments), key=lambda f: moments[f[0].id], reverse=True):
        if moments[item.id] < window.start:
            kinds.setdefault(item.kind, (item, said))
    before = tuple(c.model_copy(update={"template": f"Last before: {c.template}"}) for _, c in kinds.values())
    head = NOTHING_CHANGED if brief.landscape.metrics else NO_COMMIT
    return Draft(headline=head, what_changed=before, missing=gaps, confidence="medium")


def began(item: Evidence) -> str:
    """The fact that tells when something changed."""
    return "since" if item.kind == "alert" else "at"


def newest_first(items: Sequence[Evidence], name: str) -> list[Evidence]:
    """By a fact that is a moment."""
    return sorted(items, key=lambda e: text_of(e, name), reverse=True)


def with_author(head: Claim, deploy: Evidence | None, changes: Sequence[Evidence], text: str) -> Claim:
    """A headline that names a deploy, with the author of the commit it carried when the question asks who."""
    commit = text_of(deploy, "commit") if deploy else ""
    own = [c for c in changes if commit and text_of(c, "commit").startswith(commit) and text_of(c, "author")][:1]
    if not own or not AUTHOR.search(text):
        return head
    template = f"{head.template} The commit deployed, {{{own[0].id}.short}}, is by {{{own[0].id}.author}}."
    return head.model_copy(update={"template": template, "evidence": (*head.evidence, own[0].id)})


def deployer_gaps(text: str) -> tuple[Gap, ...]:
    """Who pressed the button is asked, and nothing tells."""
    return (
        (Gap(text="Who started a deploy is not recorded; the authors of its commits are."),)
        if DEPLOYER.search(text)
        else ()
    )


def write_commit(brief: Brief) -> Draft:
    """One commit that is asked for: its subject, author, files and time, then the lines it changed."""
    wanted = asked_commit(brief.question.text)
    change = next((c for c in of_kind(brief.evidence, "change") if text_of(c, "commit").startswith(wanted)), None)
    if change is None:
        gaps = brief.gaps or (Gap(text=f"No repository here holds a commit {wanted}.", tool="repo_search"),)
        lost = unanswered(brief, "repo_search")
        head = f"{lost}, so I can't say what {wanted} is." if lost else f"I found no commit {wanted}."
        return Draft(headline=Claim(template=head), missing=gaps)
    code = of_kind(brief.evidence, "code")
    lines = []
    for name, path, _ in hunks(change)[:MOST_LINES]:
        lines.append(hunk_claim(change, name, next((c for c in code if text_of(c, "path") == path), None)))
    carried = [d for d in of_kind(brief.evidence, "deploy") if text_of(d, "commit")]
    own = [d for d in carried if text_of(change, "commit").startswith(text_of(d, "commit"))]
    return Draft(
        headline=change_claim(change),
        what_changed=tuple(went_out(d) for d in own[:2]),
        code=tuple(lines),
        missing=brief.gaps,
        confidence="high",
    )
