"""Checks every claim against the evidence it cites, after writing and before anything is shown.

Slots are filled from facts, so what they say is right by construction. A specific outside a slot passes only when a
fact of the cited evidence matches it, with its owner, metric, role and time. Words of direction and order are held
against the values, causal words need both ends, behaviour needs metric evidence. What fails is struck.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workers.contracts import SECTIONS, Answer, Claim, Draft, Evidence, Verdict
from workers.grounding.checks.assurance import check_assurance
from workers.grounding.checks.causes import check_cause, check_pushes, says_cause
from workers.grounding.checks.comparisons import check_changes, check_comparisons
from workers.grounding.checks.denials import check_denials
from workers.grounding.checks.directions import check_directions, said_ways
from workers.grounding.checks.implied_values import check_unsaid
from workers.grounding.checks.lines import check_lines, check_rows, check_steps
from workers.grounding.checks.locations import check_sources
from workers.grounding.checks.ownership import check_identities, check_owners, check_services
from workers.grounding.checks.passages import check_passages
from workers.grounding.checks.scope import check_counts, check_scope, check_states, coverage, shown_text, state_words
from workers.grounding.checks.slot_words import check_slots
from workers.grounding.checks.time_order import check_order, said_orders
from workers.grounding.checks.value_roles import check_roles
from workers.grounding.checks.wording import check_words, stems_of, texts
from workers.grounding.claim_specifics import MOST, read_mentions
from workers.grounding.event_times import check_times
from workers.grounding.evidence_binding import label
from workers.grounding.fact_extraction import sound
from workers.grounding.lexicon import BEHAVIOUR, HEDGE
from workers.grounding.neutral_words import KNOWN
from workers.grounding.parsed_claim import Doubt, Reading, words_of
from workers.grounding.template_slots import REF, SLOT, Piece, SlotError, fill
from workers.grounding.uncited_text import against_gap, against_uncited, is_knowledge, list_gap, list_struck, with_tools
from workers.grounding.value_format import Voice
from workers.language.normalization import normalise
from workers.language.stems import stem

RULES = (
    check_services, check_owners, check_identities, check_roles, check_directions, check_times, check_order,
    check_lines, check_rows, check_steps, check_counts, check_states, check_comparisons, check_changes,
    check_slots, check_sources, check_assurance, check_unsaid, check_passages, check_pushes,
    check_scope, check_denials, check_words,
)  # fmt: skip
LEADING = ("metrics", "code", "docs")  # what may take the place of a struck headline
ALERT_RULE = re.compile(r"\balert(?:name)?:|\bexpr:|\bseverity:")
CONDITION = re.compile(r"\b(?:when|if|once|whenever|in case|should)\b[^.;]{0,60}$", re.IGNORECASE)
LONGEST = 2_000  # characters of a template and of its filled text; a claim is a sentence or two
MEASURED = frozenset({"metric", "alert", "row", "incident", "message"})
TELLING = frozenset({"quantity", "factor", "time", "lines", "commit", "version"})


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
    claim: Claim, evidence: Mapping[str, Evidence], voice: Voice, name: str = "", *, knowledge: bool = False
) -> Checked:
    """Fill and check one claim; with ``knowledge``, a general one may stand as a hypothesis without a source."""
    if len(claim.template) > LONGEST:
        return strike(claim, name, "is too long to check", claim.template[:LONGEST])
    claim = claim.model_copy(update={"template": normalise(claim.template)})
    everything = tuple(evidence.values())
    evidence = {key: sound(evidence[key]) for key in named_in(claim) if key in evidence}
    if knowledge and is_knowledge(claim):
        done = claim.model_copy(update={"text": claim.template, "status": "hypothesis"})
        return Checked(done, Verdict(id=name, verdict="hypothesis", reason="general knowledge, no source"))
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
    cited = [evidence[i] for i in ids]
    mentions = read_mentions(pieces, cited, voice)
    if reason := against_size(text, len(mentions)):
        return strike(claim, name, reason, text)
    if missing := next((m for m in mentions if not m.refs), None):
        return strike(claim, name, f"“{missing.specific.text}” is in no cited evidence", text)
    reading = Reading(text, mentions, cited, label(text, mentions, cited), everything)
    reasons = [reason for rule in RULES if (reason := rule(reading))]
    if against := next((r for r in reasons if not isinstance(r, Doubt)), ""):
        return strike(claim, name, against, text)
    status, reason = settle_status(claim, reading)
    if status == "struck" and not isinstance(reason, Doubt):
        return strike(claim, name, reason, text)
    if status == "supported" and hedged(reading):
        status, reason = "hypothesis", "said as a supposition"
    if status == "supported" and reasons:
        status, reason = "hypothesis", reasons[0]
    done = claim.model_copy(update={"text": text, "evidence": ids, "status": status})
    return Checked(done, Verdict(id=name, verdict=done.status, reason=reason))


def named_in(claim: Claim) -> set[str]:
    """What a claim cites, and what its slots name."""
    return {*claim.evidence, *(key for key, _ in REF.findall(claim.template))}


def fill_whole(template: str, evidence: Mapping[str, Evidence], voice: Voice) -> tuple[Piece, ...]:
    """Fill every slot, and leave none unread. Raises: SlotError."""
    pieces = fill(template, evidence, voice)
    if braces(pieces):
        raise SlotError("has a slot that cannot be read")
    return pieces


def against_size(text: str, specifics: int) -> str:
    """Why a filled claim is too much to check."""
    if len(text) > LONGEST:
        return "is too long to check"
    return "says too much for one claim" if specifics > MOST else ""


def braces(pieces: Sequence[Piece]) -> bool:
    """Whether braces are left outside slots, code and paths: ``{E1.peak}{.``."""
    rest = re.sub(r"`[^`]*`|/[\w{}:./-]*", " ", "".join(" " if p.refs else p.text for p in pieces))
    return bool(re.search(r"\{[A-Za-z]\w*[.(]", rest)) or rest.count("{") != rest.count("}")


def hedged(reading: Reading) -> bool:
    """Whether a claim is put as a supposition, rather than retelling a text that supposes."""
    return bool(HEDGE.search(reading.unquoted())) and not all(e.kind in {"doc", "code"} for e in reading.cited)


def strike(claim: Claim, name: str, reason: str, text: str) -> Checked:
    """A claim that may not be shown."""
    return Checked(claim.model_copy(update={"text": text}), Verdict(id=name, verdict="struck", reason=reason))


def settle_status(claim: Claim, reading: Reading) -> tuple[str, str]:
    """supported, hypothesis or struck, for a claim whose specifics all hold."""
    prose = reading.prose()
    if not reading.cited:
        return "struck", "cites no evidence"
    if claim.status == "hypothesis" and unrelated(reading):
        return "struck", "has nothing to do with the evidence it cites"
    if says_cause(reading):
        status, reason = check_cause(reading)
        if status != "supported" or claim.status == "hypothesis":
            return (status if status == "struck" else "hypothesis"), reason
    if claim.status == "hypothesis":
        return "hypothesis", ""
    if BEHAVIOUR.search(prose) and not any(e.kind in MEASURED for e in reading.cited):
        shown = shown_text(reading.cited).replace(" ", "")
        told = [m for m in BEHAVIOUR.finditer(prose) if not CONDITION.search(prose[: m.start()])]
        if not all(m.group().lower().replace(" ", "") in shown for m in told):
            rule = any(ALERT_RULE.search(e.excerpt) for e in reading.cited)
            return "hypothesis" if rule else "struck", "speaks of behaviour without metric evidence"
    telling = any(m.slot or m.specific.kind in TELLING for m in reading.mentions) or any(said_orders(reading))
    telling = telling or bool(reading.labels and (state_words(reading) or any(said_ways(reading))))
    if not telling and coverage(prose, reading) < 0.34:
        return "hypothesis", "the cited evidence does not say this"
    return "supported", ""


def unrelated(reading: Reading) -> bool:
    """Whether a claim names nothing of what it cites, and shares hardly a word with it."""
    if reading.mentions or any(x.ids for x in reading.labels) or coverage(reading.prose(), reading) >= 0.34:
        return False
    said = {stem(w) for w in words_of(reading.prose())} - KNOWN
    return not said & frozenset().union(*(stems_of(texts(e)) for e in reading.cited))


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
    checked = {s: check_section(s, getattr(draft, s), by_id, voice, knowledge=knowledge) for s in SECTIONS}
    head = check_headline(draft, by_id, voice, known and named, asked, knowledge=knowledge)
    sections = {s: tuple(done.claim for _, done in pairs if not done.struck) for s, pairs in checked.items()}
    struck = [(claim, done.verdict) for pairs in checked.values() for claim, done in pairs if done.struck]
    lost = (list_struck(claim, verdict, by_id, voice, named, asked) for claim, verdict in struck)
    gaps = draft.missing
    if known:
        gaps = tuple(list_gap(g, named, asked) for g in gaps if not against_gap(g, named))
    answer = Answer(
        headline=first_of(sections) if head.struck else head.claim,
        **sections,
        missing=tuple(dict.fromkeys((*gaps, *lost))),
        banner=draft.banner,
        tools_used=tuple(tools_used),
        confidence=draft.confidence,
    )
    return answer, tuple(verdict for _, verdict in struck) + ((head.verdict,) if head.struck else ())


def check_section(
    section: str, claims: Sequence[Claim], evidence: Mapping[str, Evidence], voice: Voice, *, knowledge: bool
) -> list[tuple[Claim, Checked]]:
    """Each claim of a section as it was written, and as checked; a next step never stands without a source."""
    general = knowledge and section != "next_steps"
    return [(c, check_claim(c, evidence, voice, f"{section}.{i}", knowledge=general)) for i, c in enumerate(claims)]


def check_headline(
    draft: Draft, evidence: Mapping[str, Evidence], voice: Voice, known: str, asked: str, *, knowledge: bool
) -> Checked:
    """A headline without evidence may only speak of what was not found, or of what is general knowledge."""
    head = draft.headline
    if head.evidence or SLOT.search(head.template):
        return check_claim(head, evidence, voice, "headline")
    if knowledge and is_knowledge(head):
        return check_claim(head, evidence, voice, "headline", knowledge=True)
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
