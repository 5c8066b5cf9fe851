"""Checks every claim against the evidence it cites, after writing and before anything is shown.

Two layers. Specifics: slots are filled from facts, so what they say is right by construction; any other specific must
stand in the cited evidence or follow from it by a step or two. Relations: direction, size, order in time, whose value
it is, where that can be decided. What fails is struck; only a supposition or a cause without both ends is a hypothesis.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workers.contracts import SECTIONS, Answer, Claim, Draft, Evidence, Verdict
from workers.grounding.claim_specifics import MOST, read_mentions, scope_of
from workers.grounding.evidence_index import index_of
from workers.grounding.evidence_values import stems_of
from workers.grounding.lexicon import HEDGE
from workers.grounding.literals import Specific
from workers.grounding.mentions import Scope
from workers.grounding.relations.orders import cause_status
from workers.grounding.relations.reading import Reading
from workers.grounding.relations.rules import first_fault
from workers.grounding.specific_match import match_specific
from workers.grounding.template_slots import NAMES, REF, Piece, SlotError, fill, slots_in
from workers.grounding.uncited_text import (
    against_gap,
    against_uncited,
    is_advice,
    is_knowledge,
    list_struck,
    with_tools,
)
from workers.grounding.value_format import Voice
from workers.language.normalization import normalise

LEADING = ("metrics", "code", "docs")  # what may take the place of a struck headline
MEASURED = frozenset({"metric", "alert", "row"})
REACHED = frozenset({"url", "domain", "address", "mention"})
FOUND_ELSEWHERE = frozenset({"name", "quote", "path", "lines", "endpoint", "commit"})
LONGEST = 2_000  # characters of a template and of its filled text; a claim is a sentence or two


@dataclass(frozen=True)
class Checked:
    """A claim's verdict with its filled text."""

    claim: Claim
    verdict: Verdict

    @property
    def struck(self) -> bool:
        """Whether it may not be shown."""
        return self.verdict.verdict == "struck"


def check_claim(
    claim: Claim,
    evidence: Mapping[str, Evidence],
    voice: Voice,
    name: str = "",
    *,
    knowledge: bool = False,
    asked: str = "",
) -> Checked:
    """Fill and check one claim; with ``knowledge``, a general one may stand without a source."""
    if len(claim.template) > LONGEST:
        return strike(claim, name, "is too long to check", claim.template[:LONGEST])
    claim = claim.model_copy(update={"template": normalise(claim.template)})
    named = {*claim.evidence, *(key for key, _ in REF.findall(claim.template))}
    request = evidence
    evidence = {key: index_of(evidence[key]).evidence for key in named if key in evidence}
    if knowledge and is_knowledge(claim, asked):
        done = claim.model_copy(update={"text": claim.template})
        return Checked(done, Verdict(id=name, verdict=claim.status, reason="general knowledge, no source"))
    try:
        pieces = fill_whole(claim.template, evidence, voice)
    except SlotError as error:
        return strike(claim, name, str(error), claim.template)
    text = "".join(p.text for p in pieces)
    if reason := against_size(text, sum(1 for p in pieces if p.refs)):
        return strike(claim, name, reason, text[:LONGEST])
    ids = tuple(dict.fromkeys((*claim.evidence, *(r.evidence for p in pieces for r in p.refs))))
    unknown = [i for i in ids if i not in evidence]
    if unknown:
        return strike(claim, name, f"cites {', '.join(unknown)}, which no tool returned", text)
    if not ids:
        return strike(claim, name, "cites no evidence", text)
    cited = [evidence[i] for i in ids]
    scope = scope_of(text, cited, voice)
    mentions = read_mentions(pieces, scope)
    if reason := against_size(text, len(mentions)):
        return strike(claim, name, reason, text)
    missing = [m.specific for m in mentions if not m.supports and not is_asked(m.specific, asked, scope)]
    more = {one: holder_of(one, request, ids, text, voice) for one in missing}
    if lost := next((one for one, holder in more.items() if not holder), None):
        return strike(claim, name, f"“{lost.text}” is in no cited evidence", text)
    ids = tuple(dict.fromkeys((*ids, *more.values())))
    reading = Reading(text, [m for m in mentions if m.supports], cited, scope)
    if not mentions and not any(stems_of(i.text) & scope.words for i in scope.indexes):
        return strike(claim, name, "has nothing to do with the evidence it cites", text)
    if fault := first_fault(reading):
        return strike(claim, name, fault, text)
    status, reason = settle_status(claim, reading)
    if status == "struck":
        return strike(claim, name, reason, text)
    steps = tuple(dict.fromkeys(m.supports[0].step for m in mentions if m.supports and m.supports[0].step))
    done = claim.model_copy(update={"text": text, "evidence": ids, "status": status, "arithmetic": steps})
    return Checked(done, Verdict(id=name, verdict=done.status, reason=reason))


def is_asked(specific: Specific, asked: str, scope: Scope) -> bool:
    """Whether a specific only takes up words of the question, of something that the claim cites no measure of."""
    measured = specific.dimension and any(i.kind in MEASURED for i in scope.indexes)
    return specific.text.lower() in asked.lower() and specific.kind not in REACHED and not measured


def holder_of(
    specific: Specific, request: Mapping[str, Evidence], cited: Sequence[str], text: str, voice: Voice
) -> str:
    """Other evidence of the request that shows a name, a place in code or a quotation; numbers and times are not found
    so: they stand in what the claim itself cites. Empty when there is none."""
    if specific.kind not in FOUND_ELSEWHERE:
        return ""
    others = (e for key, e in request.items() if key not in cited)
    return next((e.id for e in others if match_specific(specific, scope_of(text, (e,), voice))), "")


def fill_whole(template: str, evidence: Mapping[str, Evidence], voice: Voice) -> tuple[Piece, ...]:
    """Fill every slot, and leave none unread outside code and paths: ``{E1.peak}{.``. Raises: SlotError."""
    pieces = fill(template, evidence, voice)
    rest = NAMES.sub(" ", "".join(" " if p.refs else p.text for p in pieces))
    if re.search(r"\{[A-Za-z]\w*[.(]", rest) or rest.count("{") != rest.count("}"):
        raise SlotError("has a slot that cannot be read")
    return pieces


def against_size(text: str, specifics: int) -> str:
    """Why a filled claim is too much to check."""
    return "is too long to check" if len(text) > LONGEST else "says too much for one claim" if specifics > MOST else ""


def strike(claim: Claim, name: str, reason: str, text: str) -> Checked:
    """A claim that may not be shown."""
    return Checked(claim.model_copy(update={"text": text}), Verdict(id=name, verdict="struck", reason=reason))


def settle_status(claim: Claim, reading: Reading) -> tuple[str, str]:
    """supported, hypothesis or struck, with the reason, for a claim whose specifics and relations hold."""
    status, reason = cause_status(reading)
    if status != "supported":
        return status, reason
    if claim.status == "hypothesis":
        return "hypothesis", ""
    if HEDGE.search(reading.unquoted()) and not all(e.kind in {"doc", "code", "web"} for e in reading.cited):
        return "hypothesis", "said as a supposition"
    return "supported", ""


# --- the whole answer -----------------------------------------------------------------------------------------


def check_grounding(
    draft: Draft,
    evidence: Sequence[Evidence],
    voice: Voice,
    tools_used: Sequence[str],
    *,
    known: str = "",
    asked: str = "",
    knowledge: bool = False,
) -> tuple[Answer, tuple[Verdict, ...]]:
    """Turn a draft into an answer: fill and check each claim; what fails is struck and listed.

    Args:
        draft: what was written.
        evidence: what the tools returned.
        voice: the asker's clock.
        tools_used: ``NAME ×2``, each tool and how often it was called.
        known: what may be named without evidence, as one text: the question, its context, names that exist, what was
            tried and why it failed. When empty, gaps and an uncited headline are taken as the engine's own words.
        asked: the question's own text: of what is known, only it makes a URL, a domain or an address known.
        knowledge: the question is a general one, so that a claim without source and specifics may stand as such.

    Returns:
        The answer, and the verdicts of the claims that were struck.
    """
    by_id = {e.id: e for e in evidence}
    named = with_tools(known, tools_used)
    checked = {s: check_section(s, getattr(draft, s), by_id, voice, asked, knowledge=knowledge) for s in SECTIONS}
    head = check_headline(draft, by_id, voice, known and named, asked, knowledge=knowledge)
    sections = {s: tuple(done.claim for _, done in pairs if not done.struck) for s, pairs in checked.items()}
    struck = [(claim, done.verdict) for pairs in checked.values() for claim, done in pairs if done.struck]
    heads = [(draft.headline, head.verdict)] if head.struck else []
    lost = [list_struck(claim, verdict, by_id, voice, named, asked) for claim, verdict in (*heads, *struck)]
    odd = [g for g in draft.missing if against_gap(g, named, asked)] if known else []
    if odd:  # all evidence is read only where a name is not known without it
        shown = "\n".join(index_of(e).text for e in evidence)
        odd = [g for g in odd if against_gap(g, f"{named}\n{shown}", asked)]
    gaps = tuple(g for g in draft.missing if g not in odd)
    answer = Answer(
        headline=first_of(sections) if head.struck else head.claim,
        **sections,
        missing=tuple(dict.fromkeys((*gaps, *lost))),
        menus=draft.menus,
        banner=draft.banner,
        tools_used=tuple(tools_used),
        confidence=draft.confidence,
    )
    return answer, tuple(verdict for _, verdict in struck) + ((head.verdict,) if head.struck else ())


def check_section(
    section: str,
    claims: Sequence[Claim],
    evidence: Mapping[str, Evidence],
    voice: Voice,
    asked: str,
    *,
    knowledge: bool,
) -> list[tuple[Claim, Checked]]:
    """Each claim of a section as it was written, and as checked; a next step without a source is marked as advice."""
    steps = section == "next_steps"
    names = ((c, f"{section}.{i}") for i, c in enumerate(claims))
    return [
        (c, mark_advice(c, n))
        if steps and is_advice(c, asked)
        else (c, check_claim(c, evidence, voice, n, knowledge=knowledge and not steps, asked=asked))
        for c, n in names
    ]


def mark_advice(claim: Claim, name: str) -> Checked:
    """A step that rests on nothing that was found, marked as such."""
    text = normalise(claim.template)
    done = claim.model_copy(update={"template": text, "text": text, "note": "advice"})
    return Checked(done, Verdict(id=name, verdict=done.status, reason="general advice, no source"))


def check_headline(
    draft: Draft, evidence: Mapping[str, Evidence], voice: Voice, known: str, asked: str, *, knowledge: bool
) -> Checked:
    """A headline without evidence may only speak of what was not found, or of what is general knowledge."""
    head = draft.headline
    if head.evidence or any(slots_in(head.template, evidence)):
        return check_claim(head, evidence, voice, "headline", asked=asked)
    if knowledge and is_knowledge(head, asked):
        return check_claim(head, evidence, voice, "headline", knowledge=True, asked=asked)
    if reason := against_uncited(head, known, asked):
        return strike(head, "headline", reason, head.template)
    text = normalise(head.template)
    done = head.model_copy(update={"template": text, "text": text})
    return Checked(done, Verdict(id="headline", verdict=head.status))


def first_of(sections: Mapping[str, tuple[Claim, ...]]) -> Claim:
    """What takes the place of a struck headline: the first claim that holds."""
    text = "I could not verify an answer; what was found stands below."
    first = next((c for s in LEADING for c in sections[s] if c.status == "supported"), None)
    return first or Claim(template=text, text=text)
