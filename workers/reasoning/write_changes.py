"""PURE. Commits that are asked for themselves: what changed, who did it, what went into a release."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workers.contracts import Claim, Draft, Evidence, Gap
from workers.ports import Brief
from workers.reasoning.phrases import change_claim, code_words, deploy_name, hunk_claim, hunks, of_kind, text_of
from workers.reasoning.pick_metrics import ROLE_WORDS, named_metrics
from workers.reasoning.said import AUTHOR, asked_commit, asks_changes
from workers.reasoning.write_nothing import unanswered

MOST, MOST_LINES = 6, 4
DEPLOYER = re.compile(r"\bwho\b.*\b(?:deployed|released|shipped|rolled|pushed|did|made|cut)\b", re.IGNORECASE)


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
        what_changed=tuple(deployed(d) for d in own[:2]),
        code=tuple(lines),
        missing=brief.gaps,
        confidence="high",
    )
