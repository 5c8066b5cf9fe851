"""What was found is told: a model's answer does not say that nothing was found while its own evidence answers.

The rules' answer over the same evidence decides. Where it answers and the model's does not, it comes first; of what the
model denies, only that stays which is really missing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from workers.contracts import NEAREST, SECTIONS, Answer, Claim, Draft, Evidence, Gap
from workers.grounding.health import text_of
from workers.grounding.literals import find_specifics
from workers.grounding.uncited_text import LACKS, is_knowledge
from workers.language.stop_words import content_words
from workers.ports import Brief
from workers.reasoning.empty_answer import list_checked
from workers.reasoning.finding_rank import ANSWERED, rank
from workers.reasoning.findings import Finding, Reading, single_findings
from workers.reasoning.metric_selection import ROLE_WORDS
from workers.reasoning.relevance import names_subject
from workers.reasoning.wish import Wish, read_wish

OF_KNOWING = content_words(
    "find found look looked see seen tell know known unknown unclear determine determined check checked say said "
    "answer answered identify identified verify verified confirm confirmed retrieve retrieved data information "
    "evidence result results available unavailable unable missing lack lacks nothing none record recorded exist exists "
    "return returned"
)
"""Words of looking and knowing: what is denied with these alone is that anything was found."""
SECTION_OF = {"metric": "metrics", "alert": "metrics", "row": "metrics", "change": "what_changed"} | {
    "deploy": "what_changed", "code": "code"
}  # fmt: skip
"""Where a claim stands that cites such evidence; any other stands among the documents."""
MEASURED = frozenset({"metric", "alert", "row"})


@dataclass(frozen=True)
class Found:
    """What the evidence answers. ``draft``: the rules' answer. ``cited``: what its headline rests on.

    ``words``: the stems of all that it rests on; ``roles``: what that measures.
    """

    draft: Draft
    cited: tuple[Evidence, ...]
    words: frozenset[str]
    roles: frozenset[str]
    wish: Wish


def tell_found(draft: Draft, answer: Answer, brief: Brief, own: Draft, *, knowledge: bool) -> Draft:
    """A model's draft that tells first what its evidence answers; the same one where it does not withhold that.

    Args:
        draft: what the model wrote.
        answer: what of it holds.
        brief: the question, with the evidence of the model's own calls.
        own: what the rules write of that.
        knowledge: whether general knowledge may answer.
    """
    head = answer.headline
    general = knowledge and is_knowledge(head, brief.question.text) and not LACKS.search(head.text)
    found = read_found(own, brief)
    if found is None:
        nothing = not head.evidence and not general
        return with_gaps(draft, list_checked(brief)) if nothing else draft
    kept = {name: tuple(c for c in getattr(draft, name) if not denies(c.template, found)) for name in SECTIONS}
    missing = tuple(gap for gap in draft.missing if gap.tool or not denies(gap.text, found))
    draft = draft.model_copy(update={**kept, "missing": missing})
    if general or not withholds(head, found, brief):
        return draft
    return put_first(draft, head, found, brief)


def read_found(own: Draft, brief: Brief) -> Found | None:
    """What the evidence answers of what is asked: the rules' answer, else the likeliest finding; else None."""
    reading = Reading(brief)
    wish = read_wish(brief, reading.said)
    ranked = rank(single_findings(reading), wish)
    drafts = (own, *(finding.draft for chance, finding in ranked if chance >= ANSWERED or fits(finding, wish)))
    return next((found for draft in drafts if (found := read_draft(draft, reading, wish))), None)


def fits(finding: Finding, wish: Wish) -> bool:
    """Whether it measures what is asked, of what is named."""
    return finding.measure in wish.measures and bool(wish.subjects & finding.entities)


def read_draft(draft: Draft, reading: Reading, wish: Wish) -> Found | None:
    """A draft of our own, when its headline answers what is asked of what is named; None when it does not."""
    known = {e.id: e for e in reading.brief.evidence}
    cited = tuple(known[key] for key in dict.fromkeys(draft.headline.evidence) if key in known)
    if not cited or draft.menus or draft.headline.template.startswith(NEAREST):
        return None
    subjects = reading.brief.intent.subjects
    measured = wish.measures and all(e.kind == "metric" for e in cited)
    if measured and not wish.measures & roles_of(cited):
        return None
    if subjects and not any(names_subject(e, subject) for e in cited for subject in subjects):
        return None
    used = [known[key] for key in dict.fromkeys(k for c in draft.claims for k in c.evidence) if key in known]
    words = frozenset(word for e in used for word in reading.words_of(e))
    return Found(draft, cited, words, roles_of(used), wish)


def roles_of(items: Iterable[Evidence]) -> frozenset[str]:
    """What metrics measure."""
    return frozenset(text_of(e, "role") for e in items if e.kind == "metric")


def withholds(head: Claim, found: Found, brief: Brief) -> bool:
    """Whether a headline leaves out what was found: it rests on nothing, denies it, or, where a measure is asked for,
    gives no value of anything that measures it."""
    if not head.evidence or denies(head.text, found):
        return True
    measured = bool(found.wish.measures) and all(e.kind in MEASURED for e in found.cited)
    apart = {e.id for e in found.cited}.isdisjoint(head.evidence)
    return measured and apart and not list(new_specifics(head.text, brief.question.text))


def denies(text: str, found: Found) -> bool:
    """Whether a text says no more than that what was found was not."""
    said = content_words(text)
    about = found.words | found.wish.words
    return bool(LACKS.search(text) and said & about and said <= about | OF_KNOWING and said & OF_KNOWING)


def new_specifics(text: str, known: str) -> Iterable[str]:
    """What a text names or counts that stands not in another one."""
    return (s.text for s in find_specifics(text) if s.text.lower() not in known.lower())


def put_first(draft: Draft, head: Claim, found: Found, brief: Brief) -> Draft:
    """The rules' headline first, their sections where the model has none, and what more the model's headline says."""
    own = found.draft
    sections = {name: getattr(draft, name) or getattr(own, name) for name in SECTIONS}
    gaps: tuple[Gap, ...] = ()
    if head.evidence and not denies(head.text, found):
        kinds = {e.id: e.kind for e in brief.evidence}
        name = SECTION_OF.get(kinds.get(head.evidence[0], ""), "docs")
        sections[name] = tuple(dict.fromkeys((draft.headline, *getattr(draft, name))))
    elif is_missing(draft.headline.template, found, brief):
        gaps = (Gap(text=draft.headline.template),)
    told = draft.model_copy(update={**sections, "headline": own.headline, "confidence": own.confidence})
    return with_gaps(told, gaps)


def is_missing(text: str, found: Found, brief: Brief) -> bool:
    """Whether a denial names something that was asked for and that nothing found speaks of: a measure, a name, a word,
    or why."""
    roles = {role for role, words in ROLE_WORDS if words.search(text)}
    shown = "\n".join((brief.question.text, *(f"{e.title}\n{e.excerpt}" for e in found.cited)))
    asked = content_words(text) & found.wish.words
    unexplained = found.wish.why and not found.draft.what_changed
    return bool(roles - found.roles or asked - found.words or list(new_specifics(text, shown)) or unexplained)


def with_gaps(draft: Draft, gaps: tuple[Gap, ...]) -> Draft:
    """A draft with further gaps, each once."""
    return draft.model_copy(update={"missing": tuple(dict.fromkeys((*draft.missing, *gaps)))})
