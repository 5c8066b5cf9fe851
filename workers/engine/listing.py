"""PURE. What is said without evidence: what was struck, what is missing, an answer's first line when nothing was found.

Such text may name only what is known: what people named, what exists, what was tried. Everything else is veiled.
"""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from workers.contracts import Claim, Evidence, Gap, Verdict
from workers.engine.known import VEIL, unknown, unknown_specifics, veil
from workers.engine.lexicon import BEHAVIOUR, HEALTH, OURS
from workers.engine.literals import find_specifics
from workers.engine.match import match_specific
from workers.engine.normal import normalise
from workers.engine.slots import SLOT
from workers.engine.style import Voice

ABOUT = {
    "headline": "the answer itself",
    "what_changed": "what changed",
    "metrics": "the metrics",
    "code": "the code",
    "docs": "the documents",
    "next_steps": "what to do next",
}
STATE_OF = re.compile(
    rf"\b(?:is|are|was|were|has|have|had) (?:been |currently |now |still )*(?:down|up|slow\w*|failing|broken|firing|rising|falling|"
    rf"degraded|deployed|{BEHAVIOUR.pattern})\b",
    re.IGNORECASE,
)
LEAST_WORDS, MOST_CHARS = 3, 400


def list_struck(claim: Claim, verdict: Verdict, evidence: Mapping[str, Evidence], voice: Voice, known: str) -> Gap:
    """A struck claim without the specifics that nothing it cites holds."""
    cited = [evidence[i] for i in claim.evidence if i in evidence]
    section = verdict.id.partition(".")[0]
    text = hide(SLOT.sub(VEIL, normalise(claim.template)), cited, voice, known)
    if len(text) > MOST_CHARS or len(re.findall(r"[^\W\d_]{2,}", text)) < LEAST_WORDS:
        text = f"a claim about {ABOUT.get(section, section or 'the answer')}"
    return Gap(text=f"Could not verify: {text} ({hide(verdict.reason, cited, voice, known)})")


def hide(text: str, cited: Sequence[Evidence], voice: Voice, known: str) -> str:
    """A text with every specific veiled that neither the cited evidence holds nor the caller knows."""
    if len(text) > 4 * MOST_CHARS:
        return VEIL
    odd = {(s.start, s.end) for s in unknown(text, known)}
    for found in sorted(find_specifics(text), key=lambda s: -s.start):
        if (found.start, found.end) in odd and not match_specific(found, cited, voice).refs:
            text = text[: found.start] + VEIL + text[found.end :]
    return text


def list_gap(gap: Gap, known: str) -> Gap:
    """A gap that names only what is known."""
    return gap.model_copy(update={"text": veil(gap.text, known), "tried": tuple(veil(t, known) for t in gap.tried)})


def with_tools(known: str, tools_used: Sequence[str]) -> str:
    """What is known, with the tools that were used and how often: ``metrics_query ×4``."""
    counts = (name.partition(" ×") for name in tools_used)
    return "\n".join((known, *(f"{name} {n} times" for name, _, n in counts)))


def against_uncited(claim: Claim, known: str) -> str:
    """Why a sentence without evidence cannot open an answer; "" when it can."""
    text = normalise(claim.template)
    if known and (odd := unknown_specifics(text, known)):
        return f"“{odd[0]}” is in no cited evidence"
    return "says that all is well without evidence" if HEALTH.search(text) else ""


def is_knowledge(claim: Claim) -> bool:
    """Whether an uncited claim is general: nothing specific in it, and nothing about this team's systems."""
    text = normalise(claim.template)
    plain = not claim.evidence and not SLOT.search(text) and not find_specifics(text)
    return plain and bool(text.strip()) and not any(p.search(text) for p in (OURS, HEALTH, STATE_OF))
