"""When a part of the code came, by whom and with what, and when it was taken out."""

from __future__ import annotations

import re

from workers.agents.research.change_plan import ORIGIN
from workers.agents.research.code_change_question import CodeChange
from workers.agents.research.write_code_changes import step_claim
from workers.contracts import Claim, Draft, Evidence, Gap
from workers.grounding.health import text_of
from workers.ports import Brief
from workers.reasoning.claim_phrases import code_claim, has, join, of_kind
from workers.reasoning.empty_answer import unanswered

REMOVED = re.compile(r"\b(?:removed|deleted|remove|delete|taken out|take out|thrown out)\b", re.IGNORECASE)
OLDER = Gap(text="Git was not done in time: it may be older than that.", tool="repo_search")
STANDS = Gap(text="No commit has taken the name out of the code: it still stands there.", tool="repo_search")


def write_origin(brief: Brief, asked: CodeChange) -> Draft:
    """The commit in the headline; then the one that removed it, and where it stands now."""
    found = [e for e in of_kind(brief.evidence, "change") if e.step == ORIGIN]
    code = of_kind(brief.evidence, "code")
    if not found:
        lost = unanswered(brief, "repo_search")
        late = f"{lost}, so I can't say when {asked.subject} came."
        said = Claim(template=late if lost else f"I found nothing about {asked.subject}.")
        return Draft(headline=said, code=tuple(code_claim(c) for c in code[:1]), missing=brief.gaps)
    came = next((c for c in found if has(c, "origin_name")), None)
    places = tuple(code_claim(c, "Now in ") for c in code[:1])
    if came is None:
        steps = sorted(found, key=lambda s: text_of(s, "at"))
        return Draft(
            headline=step_claim(steps[0]),
            what_changed=tuple(step_claim(s) for s in steps[:0:-1][:3]),
            code=places,
            missing=brief.gaps,
            confidence="medium",
        )
    removed = next((c for c in found if has(c, "removed")), None)
    head, rest = came_claim(came), [removed_claim(removed)] if removed else []
    if removed and REMOVED.search(brief.question.text):
        head, rest = rest[0], [head]
    still = (STANDS,) if REMOVED.search(brief.question.text) and not removed else ()
    older = (OLDER,) if has(came, "origin_late") else ()
    return Draft(
        headline=head,
        what_changed=(*rest, *touched_claim(came)),
        code=places,
        missing=(*still, *older, *brief.gaps),
        confidence="medium" if older else "high",
    )


def came_claim(item: Evidence) -> Claim:
    """```X` came with e2a2d15 “…” by …, … (src/x.py:12: `class X:`), first in v0.5``."""
    k = item.id
    line = f" ({{{k}.origin}}: `{{{k}.origin_text}}`)" if has(item, "origin", "origin_text") else ""
    tag = f"; first in {{{k}.origin_tag}}" if has(item, "origin_tag") else ""
    said = f"`{{{k}.origin_name}}` came with {{{k}.short}} “{{{k}.subject}}” by {{{k}.author}}, {{{k}.at}}{line}{tag}."
    return Claim(template=said, evidence=(k,))


def touched_claim(item: Evidence) -> tuple[Claim, ...]:
    """What else the commit changed."""
    k = item.id
    files = [f"{{{k}.file_{i}}}" for i in (1, 2, 3) if has(item, f"file_{i}")]
    return (Claim(template=f"{{{k}.short}} touched {join(files)}.", evidence=(k,)),) if files else ()


def removed_claim(item: Evidence) -> Claim:
    """```X` was removed in 550fa11 “…” by …``."""
    k = item.id
    said = f"`{{{k}.removed}}` was removed in {{{k}.short}} “{{{k}.subject}}” by {{{k}.author}}, {{{k}.at}}."
    return Claim(template=said, evidence=(k,))
