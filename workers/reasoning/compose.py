"""Findings -> an answer: the likeliest leads, the rest stand in their sections; below the threshold, what lies nearest.

An answer says that nothing was found only when there is no finding at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from workers.contracts import Claim, Draft, Gap
from workers.language.stems import stem
from workers.language.stop_words import content_words
from workers.ports import Brief
from workers.reasoning.claim_phrases import join
from workers.reasoning.empty_answer import (
    GENERAL,
    as_nearest,
    lost_tools,
    name_meant,
    name_unused,
    unanswered,
    write_nothing,
)
from workers.reasoning.finding_rank import ANSWERED, rank
from workers.reasoning.findings import BY_FORM, Finding, Reading
from workers.reasoning.kind_groups import BEHAVIOUR_KINDS, CODE_KINDS, DOC_KINDS
from workers.reasoning.question_features import asks_aside
from workers.reasoning.relevance import shown_text
from workers.reasoning.request_identifiers import identifiers
from workers.reasoning.wish import LOOK_UPS, WORDED, Wish, read_wish

SECTIONS: Mapping[str, str] = {
    "metric": "metrics",
    "alert": "metrics",
    "deploy": "what_changed",
    "commit": "what_changed",
    "place": "code",
    "setting": "code",
    "passage": "docs",
    "definition": "docs",
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
SURE, MEANT_SO = 0.8, 0.6
"""From these chances on an answer is sure, and a passage that holds none of the question's words is told."""
TEXTUAL = frozenset("commit place setting passage definition decision cell owner authors procedure note".split())
"""Kinds that are found by words: one that holds none of the question's is no finding."""
REMARK = re.compile(r"remark_\d+")
"""Facts that say what is to be known of measured values."""
OF_STATE = frozenset({"metric", "alert", "status", "incident"})
SHOWN = ("what_changed", "metrics", "code", "docs")


def compose(reading: Reading, findings: Iterable[Finding]) -> Draft:
    """The answer that the findings give."""
    brief = reading.brief
    wish = read_wish(brief, reading.said)
    ranked = by_meaning(rank((f for f in findings if f.kind not in TEXTUAL or speaks(f, wish)), wish))
    ranked = [(p, f) for p, f in ranked if p >= NEARBY or wish.subjects & f.entities or is_asked(f, wish)]
    if unknown := unknown_ids(brief, wish):
        return without_ids(
            unknown, [f for p, f in ranked if wish.subjects & f.entities or (p >= BESIDE and is_own(f, wish))], brief
        )
    if not ranked:
        nothing, ours = write_nothing(brief, nothing_about(brief)), named_of_ours(brief)
        is_general = wish.likeliest in WORDED and not ours and not brief.without_model
        return nothing.model_copy(update={"missing": (*nothing.missing, GENERAL)}) if is_general else nothing
    best, leading = first_of(ranked, wish, aside=asks_aside(brief.question.text))
    least = BESIDE if best >= ANSWERED else NEARBY
    beside = [
        f for chance, f in ranked if f is not leading and chance >= least and (f.kind in TEXTUAL or is_own(f, wish))
    ]
    draft = with_remarks(with_beside(leading.draft, beside), brief)
    foreign = is_of_another(leading, wish)
    if foreign:  # what helps against the trouble of something else is no help
        draft = draft.model_copy(update={"next_steps": ()})
    gaps = (*draft.missing, *not_used(leading, wish, brief), *lost_sources(brief), *empty_sources(brief))
    if (best < ANSWERED and leading.cited) or foreign:
        return as_nearest(draft.model_copy(update={"missing": gaps}), brief.without_model)
    confidence = draft.confidence if leading.made_of > 1 else "high" if best >= SURE else "medium"
    return draft.model_copy(update={"missing": tuple(dict.fromkeys(gaps)), "confidence": confidence})


def by_meaning(ranked: Sequence[tuple[float, Finding]]) -> list[tuple[float, Finding]]:
    """With the chance of passages by what they mean, unless something that is measured answers already."""
    if any(p >= ANSWERED and f.kind in OF_STATE for p, f in ranked):
        return list(ranked)
    return sorted(((max(p, f.meaning), f) for p, f in ranked), key=lambda pair: -pair[0])


def unknown_ids(brief: Brief, wish: Wish) -> tuple[str, ...]:
    """The ids of single requests or users that are to be looked up and stand in no evidence."""
    if wish.likeliest not in LOOK_UPS:
        return ()
    said = " ".join(shown_text(item).lower() for item in brief.evidence)
    return tuple(name for name in identifiers(brief.question.text) if name.lower() not in said)


def without_ids(ids: Sequence[str], beside: Sequence[Finding], brief: Brief) -> Draft:
    """That nothing holds these ids; with what was found of the other things that the question names."""
    draft = write_nothing(brief, f"I found nothing about {join(list(ids))}.")
    measured = next((f.draft for f in beside if f.kind in OF_STATE), None)
    if measured:
        draft = draft.model_copy(update={"metrics": (measured.headline, *measured.metrics)})
    return with_beside(draft, beside)


def first_of(ranked: Sequence[tuple[float, Finding]], wish: Wish, *, aside: bool = False) -> tuple[float, Finding]:
    """The likeliest finding, but what the question asks for by its form before all that only speaks of it.

    Of places that hold as much of the question none in a document, test or example leads, unless ``aside``: it is
    asked for.
    """
    owner = ranked[0][1].kind == "owner" and ranked[0][0] >= ANSWERED
    if not owner and (asked := next(((p, f) for p, f in ranked if is_asked(f, wish)), None)):
        return max(asked[0], SURE), asked[1]
    first = ranked[0][1]
    if first.kind != "place" or first.file not in {"test", "doc"} or aside:
        return ranked[0]
    own = (pair for pair in ranked if pair[1].kind == "place" and pair[1].file in {"code", "config"})
    return next((pair for pair in own if wish.share(pair[1].words) >= wish.share(first.words)), ranked[0])


def is_of_another(finding: Finding, wish: Wish) -> bool:
    """Whether what is measured is of something else than the question, which names what nothing measured holds."""
    if finding.kind not in OF_STATE or wish.subjects & finding.entities:
        return False
    return not (wish.words | content_words(" ".join(wish.subjects))) <= finding.words


def is_asked(finding: Finding, wish: Wish) -> bool:
    """Whether it is what the question asks for by its form."""
    if finding.kind == "frame":
        return not wish.amount
    if finding.kind == "definition":
        return wish.what_is and wish.words <= finding.term
    if wish.who:
        return finding.kind == "author" and wish.likeliest != "alerting"  # who is paged is no author
    return finding.kind == "change" and wish.changed


def speaks(finding: Finding, wish: Wish) -> bool:
    """Whether a finding holds a word of the question, or is of what it names."""
    named = bool(wish.subjects & finding.entities)
    if wish.who and finding.kind == "owner" and not named:  # the owner of something else is no owner of this
        return wish.is_of_owned(finding.words)
    said = wish.words or wish.usual
    return named or not said or bool(said & finding.words) or finding.meaning >= MEANT_SO


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


def with_remarks(draft: Draft, brief: Brief) -> Draft:
    """A draft with what is to be known of the measured values that its headline tells, each remark once."""
    head = draft.headline
    measured = [e for e in brief.evidence if e.id in head.evidence and e.kind == "metric"]
    found = {str(e.facts[n].value): f"{{{e.id}.{n}}}." for e in measured for n in filter(REMARK.fullmatch, e.facts)}
    said = " ".join((head.template, *found.values()))
    return draft.model_copy(update={"headline": head.model_copy(update={"template": said})})


def nothing_about(brief: Brief) -> str:
    """Nothing was found: of what is named, else of this."""
    named = named_of_ours(brief)
    return f"I found nothing about {join(named[:3])}." if named else "I found nothing that speaks of this."


def named_of_ours(brief: Brief) -> list[str]:
    """What the question names that is an endpoint, or that a source knows by name."""
    return [s for s in brief.intent.subjects if s.startswith("/") or s in brief.landscape.names]


def not_used(finding: Finding, wish: Wish, brief: Brief) -> tuple[Gap, ...]:
    """The words of the question that stand nowhere in what leads and name nothing that it is about."""
    if finding.kind in BY_FORM:
        return ()
    written = {stem(word.lower()): word for word in re.findall(r"[^\W_]{3,}", brief.question.text)}
    asked = wish.owned if finding.kind in {"owner", "authors"} else wish.words
    unused = [written[s] for s in sorted(asked - finding.words) if s in written]
    return name_meant(unused) if finding.meaning >= ANSWERED else name_unused(unused)


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
