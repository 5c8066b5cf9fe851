"""PURE. Checks every claim against the evidence it cites, after writing and before anything is shown.

Slots are filled from facts, so what they say is right by construction. A specific outside a slot passes only when a
fact of the cited evidence matches it, with its owner, metric, role and time. Words of direction and order are held
against the values, causal words need both ends, behaviour needs metric evidence. What fails is struck.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workers.contracts import Answer, Claim, Draft, Evidence, Gap, Verdict
from workers.engine.binding import label
from workers.engine.causes import check_cause, says_cause
from workers.engine.compare import check_changes, check_comparisons
from workers.engine.directions import check_directions
from workers.engine.events import check_times
from workers.engine.lexicon import BEHAVIOUR
from workers.engine.lines import check_lines, check_rows, check_steps
from workers.engine.literals import Specific, find_specifics, with_unit_of
from workers.engine.match import Mention, match_specific
from workers.engine.order import check_order, said_orders
from workers.engine.owners import check_identities, check_owners, check_services
from workers.engine.reading import Reading
from workers.engine.roles import check_roles
from workers.engine.scope import check_counts, check_scope, check_states, coverage, shown_text
from workers.engine.slots import SLOT, Piece, SlotError, fill
from workers.engine.style import Voice

RULES = (
    check_services, check_owners, check_identities, check_roles, check_directions, check_times, check_order,
    check_lines, check_rows, check_steps, check_counts, check_states, check_comparisons, check_changes,
)  # fmt: skip
LEADING = ("metrics", "code", "docs")  # what may take the place of a struck headline
SECTIONS = ("what_changed", "metrics", "code", "docs", "next_steps")
BLANK = "\0"
MOST = 40  # specifics in one claim
LONGEST = 2_000  # characters of a template; a claim is a sentence or two
MEASURED = frozenset({"metric", "alert", "row", "incident", "message"})
TELLING = frozenset({"quantity", "factor", "time", "lines", "commit", "version"})


@dataclass(frozen=True)
class Checked:
    """A claim's verdict with its filled text."""

    claim: Claim
    verdict: Verdict


def check_claim(claim: Claim, evidence: Mapping[str, Evidence], voice: Voice, name: str = "") -> Checked:
    """Fill and check one claim."""
    if len(claim.template) > LONGEST:
        return strike(claim, name, "is too long to check", claim.template)
    try:
        pieces = fill(claim.template, evidence, voice)
    except SlotError as error:
        return strike(claim, name, str(error), claim.template)
    text = "".join(p.text for p in pieces)
    ids = tuple(dict.fromkeys((*claim.evidence, *(r.evidence for p in pieces for r in p.refs))))
    unknown = [i for i in ids if i not in evidence]
    if unknown:
        return strike(claim, name, f"cites {', '.join(unknown)}, which no tool returned", text)
    cited = [evidence[i] for i in ids]
    mentions = read_mentions(pieces, cited, voice)
    if len(mentions) > MOST:
        return strike(claim, name, "says too much for one claim", text)
    missing = next((m for m in mentions if not m.refs), None)
    if missing:
        return strike(claim, name, f"“{missing.specific.text}” is in no cited evidence", text)
    reading = Reading(text, mentions, cited, label(text, mentions, cited))
    for rule in (*RULES, *(() if claim.status == "hypothesis" else (check_scope,))):
        if reason := rule(reading):
            return strike(claim, name, reason, text)
    status, reason = settle_status(claim, reading)
    if status == "struck":
        return strike(claim, name, reason, text)
    done = claim.model_copy(update={"text": text, "evidence": ids, "status": status})
    return Checked(done, Verdict(id=name, verdict=done.status, reason=reason))


def strike(claim: Claim, name: str, reason: str, text: str) -> Checked:
    """A claim that may not be shown."""
    return Checked(claim.model_copy(update={"text": text}), Verdict(id=name, verdict="struck", reason=reason))


def read_mentions(pieces: Sequence[Piece], cited: Sequence[Evidence], voice: Voice) -> list[Mention]:
    """Slots are mentions with known facts; literals, found in the text with its slots blanked out, are matched."""
    out: list[Mention] = []
    for piece in pieces:
        if piece.refs:
            span = Specific("quantity", piece.text, piece.start, piece.start + len(piece.text))
            out.append(Mention(span, (piece.refs,), piece.function, slot=True))
    blanked = "".join(BLANK * len(p.text) if p.refs else p.text for p in pieces)
    written = [s for s in find_specifics(blanked) if re.search(r"\w", s.text.replace(BLANK, ""))]
    for found in written:
        mention = match_specific(found, cited, voice)
        others = written if not mention.refs and found.dimension == "plain" else []
        lent = (
            match_specific(with_unit_of(other, found), cited, voice) for other in others if other.kind == "quantity"
        )
        out.append(next((m for m in lent if m.refs and m.specific.dimension != "plain"), mention))
    return sorted(out, key=lambda m: m.specific.start)


def settle_status(claim: Claim, reading: Reading) -> tuple[str, str]:
    """supported, hypothesis or struck, for a claim whose specifics all hold."""
    prose = reading.prose()
    if says_cause(prose):
        status, reason = check_cause(reading)
        if status != "supported" or claim.status == "hypothesis":
            return (status if status == "struck" else "hypothesis"), reason
    if claim.status == "hypothesis":
        return "hypothesis", ""
    if not reading.cited:
        return "struck", "cites no evidence"
    if BEHAVIOUR.search(prose) and not any(e.kind in MEASURED for e in reading.cited):
        shown = shown_text(reading.cited).replace(" ", "")
        if not all(m.group().lower().replace(" ", "") in shown for m in BEHAVIOUR.finditer(prose)):
            return "struck", "speaks of behaviour without metric evidence"
    telling = any(m.slot or m.specific.kind in TELLING for m in reading.mentions) or any(said_orders(reading))
    if not telling and coverage(prose, reading) < 0.34:
        return "hypothesis", "the cited evidence does not say this"
    return "supported", ""


# --- the whole answer -----------------------------------------------------------------------------------------


def check_grounding(
    draft: Draft,
    evidence: Sequence[Evidence],
    voice: Voice,
    tools_used: Sequence[str],
    *,
    known: str = "",
    knowledge: bool = False,
) -> tuple[Answer, tuple[Verdict, ...]]:
    """Turn a draft into an answer: fill and check each claim; what fails is struck and listed.

    Returns:
        The answer, and the verdicts of the claims that were struck.
    """
    del known, knowledge
    by_id = {e.id: e for e in evidence}
    struck: list[Verdict] = []
    missing = list(draft.missing)

    def keep(claims: Sequence[Claim], section: str) -> tuple[Claim, ...]:
        out = []
        for i, claim in enumerate(claims):
            checked = check_claim(claim, by_id, voice, f"{section}.{i}")
            if checked.verdict.verdict == "struck":
                struck.append(checked.verdict)
                missing.append(
                    Gap(text=f"Could not verify: {SLOT.sub('…', claim.template)} ({checked.verdict.reason})")
                )
            else:
                out.append(checked.claim)
        return tuple(out)

    sections = {s: keep(getattr(draft, s), s) for s in SECTIONS}
    headline = check_headline(draft, by_id, voice, struck, sections)
    answer = Answer(
        headline=headline,
        **sections,
        missing=tuple(dict.fromkeys(missing)),
        banner=draft.banner,
        tools_used=tuple(tools_used),
        confidence=draft.confidence,
    )
    return answer, tuple(struck)


def check_headline(
    draft: Draft,
    known: Mapping[str, Evidence],
    voice: Voice,
    struck: list[Verdict],
    sections: Mapping[str, tuple[Claim, ...]],
) -> Claim:
    """A headline without evidence may only speak of what was not found; a struck one gives way to the first claim."""
    if not draft.headline.evidence and not SLOT.search(draft.headline.template):
        return draft.headline.model_copy(update={"text": draft.headline.template})
    checked = check_claim(draft.headline, known, voice, "headline")
    if checked.verdict.verdict != "struck":
        return checked.claim
    struck.append(checked.verdict)
    first = next((c for s in LEADING for c in sections[s] if c.status == "supported"), None)
    text = "I could not verify an answer; what was found stands below."
    return first or Claim(template=text, text=text)
