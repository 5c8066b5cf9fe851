"""Findings -> an answer: the likeliest leads, the rest stand in their sections; below the threshold, what lies nearest.

An answer says that nothing was found only when there is no finding at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from workers.contracts import Claim, Draft, Gap
from workers.language.stems import stem
from workers.ports import Brief
from workers.reasoning.claim_phrases import join
from workers.reasoning.empty_answer import as_nearest, lost_tools, name_unused, unanswered, write_nothing
from workers.reasoning.finding_rank import ANSWERED, rank
from workers.reasoning.findings import Finding, Reading
from workers.reasoning.kind_groups import BEHAVIOUR_KINDS, CODE_KINDS, DOC_KINDS
from workers.reasoning.wish import Wish, read_wish

SECTIONS: Mapping[str, str] = {
    "metric": "metrics",
    "alert": "metrics",
    "deploy": "what_changed",
    "commit": "what_changed",
    "place": "code",
    "setting": "code",
    "passage": "docs",
    "decision": "docs",
    "cell": "docs",
    "owner": "docs",
    "authors": "what_changed",
    "procedure": "docs",
    "note": "docs",
}
"""In which section a finding stands that does not lead; those made of several only lead."""
NEEDED = {"doc_search": DOC_KINDS, "repo_search": CODE_KINDS, "metrics_query": BEHAVIOUR_KINDS}
"""What kinds of question are answered from, by tool."""
MOST_BESIDE, MOST_BESIDE_WHOLE, MOST_OF_SECTION = 6, 2, 3
"""So many findings stand beside one that says a single thing, beside one with a section of its own, and in a section;
none beside one with several sections."""
BESIDE, NEARBY = 0.25, 0.05
"""So likely a finding has to be to stand beside an answer, and beside what lies nearest."""
SURE = 0.8
WHOLE = frozenset({"status", "incident"})
TEXTUAL = frozenset("commit place setting passage decision cell owner authors procedure note".split())
"""Kinds that are found by words: one that holds none of the question's is no finding."""
SHOWN = ("what_changed", "metrics", "code", "docs")


def compose(reading: Reading, findings: Iterable[Finding]) -> Draft:
    """The answer that the findings give."""
    brief = reading.brief
    wish = read_wish(brief, reading.said)
    ranked = rank((f for f in findings if f.kind not in TEXTUAL or speaks(f, wish)), wish)
    ranked = [(p, f) for p, f in ranked if p >= NEARBY or wish.subjects & f.entities]  # of what is named all is told
    if not ranked:
        return write_nothing(brief, nothing_about(brief))
    best, leading = first_of(ranked, wish)
    least = BESIDE if best >= ANSWERED else NEARBY
    beside = [
        f for chance, f in ranked if f is not leading and chance >= least and (f.kind in TEXTUAL or is_own(f, wish))
    ]
    draft = with_beside(leading.draft, beside)
    if best < ANSWERED:
        missing = (*draft.missing, *lost_sources(brief), *empty_sources(brief))
        return as_nearest(draft.model_copy(update={"missing": missing}), brief.without_model)
    gaps = (*draft.missing, *not_used(leading, wish, brief), *lost_sources(brief), *empty_sources(brief))
    confidence = draft.confidence if leading.made_of > 1 else "high" if best >= SURE else "medium"
    return draft.model_copy(update={"missing": tuple(dict.fromkeys(gaps)), "confidence": confidence})


def first_of(ranked: Sequence[tuple[float, Finding]], wish: Wish) -> tuple[float, Finding]:
    """The likeliest finding. Where nothing measured is named, a single reading does not lead before the whole state."""
    whole = any(finding.kind in WHOLE for _, finding in ranked)
    if wish.measures or not whole:
        return ranked[0]
    return next((chance, finding) for chance, finding in ranked if finding.kind not in {"metric", "alert"})


def speaks(finding: Finding, wish: Wish) -> bool:
    """Whether a finding holds a word of the question, or is of what it names."""
    named = bool(wish.subjects & finding.entities)
    if wish.who and finding.kind == "owner" and not named:  # the owner of something else is no owner of this
        return wish.is_of_owned(finding.words)
    return not wish.words or named or bool(wish.words & finding.words)


def is_own(finding: Finding, wish: Wish) -> bool:
    """Whether what is measured is of something that the question names; of anything, where it names nothing."""
    return not wish.subjects or bool(wish.subjects & finding.entities)


def with_beside(draft: Draft, findings: Sequence[Finding]) -> Draft:
    """A draft with further findings in their sections, each piece of evidence once."""
    told = {key for claim in draft.claims for key in claim.evidence}
    more: dict[str, list[Claim]] = {name: list(getattr(draft, name)) for name in SHOWN}
    filled = {name for name in SHOWN if more[name]}
    room = 0 if len(filled) > 1 else MOST_BESIDE_WHOLE if filled else MOST_BESIDE
    for finding in findings:
        section = SECTIONS.get(finding.kind)
        if section is None or section in filled or told & set(finding.cited) or not room:
            continue
        if len(more[section]) >= MOST_OF_SECTION:
            continue
        more[section].append(finding.draft.headline)
        told |= set(finding.cited)
        room -= 1
    return draft.model_copy(update={name: tuple(claims) for name, claims in more.items()})


def nothing_about(brief: Brief) -> str:
    """Nothing was found: of what is named, else of this."""
    named = [s for s in brief.intent.subjects if s.startswith("/") or s in brief.landscape.names]
    return f"I found nothing about {join(named[:3])}." if named else "I found nothing that speaks of this."


def not_used(finding: Finding, wish: Wish, brief: Brief) -> tuple[Gap, ...]:
    """The words of the question that stand nowhere in what leads and name nothing that it is about."""
    if finding.kind in {"incident", "status", "metric", "alert", "deploys", "deploy"}:
        return ()
    written = {stem(word.lower()): word for word in re.findall(r"[A-Za-z0-9]{3,}", brief.question.text)}
    return name_unused([written[s] for s in sorted(wish.words - finding.words) if s in written])


def empty_sources(brief: Brief) -> tuple[Gap, ...]:
    """Of what such a question is answered from, what is not connected or found nothing."""
    kind = brief.intent.question_type
    asked = {tool for tool, kinds in NEEDED.items() if kind in kinds}
    return tuple(gap for gap in brief.gaps if gap.tool in asked)


def lost_sources(brief: Brief) -> tuple[Gap, ...]:
    """Sources that did not answer, and why; what is merely not connected is told where nothing was found."""
    late = lost_tools(brief)
    told = tuple(gap for gap in brief.gaps if gap.tool in late)
    return told or ((Gap(text=f"{unanswered(brief)}."),) if late else ())
