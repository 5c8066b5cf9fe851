"""What is said without evidence: what was struck, what is missing, an answer's first line when nothing was found.

Such text may name only what is known: what people named, what exists, what was tried. Everything else is veiled.
"""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from workers.contracts import Claim, Evidence, Gap, Verdict
from workers.grounding.checks.assurance import ALL_WELL, orders
from workers.grounding.checks.scope import STATES
from workers.grounding.checks.wording import stems_of, texts
from workers.grounding.fact_match import match_specific
from workers.grounding.known_names import VEIL, unknown, unknown_specifics, veil
from workers.grounding.lexicon import (
    BACK,
    BACKWARD_CAUSE,
    BEHAVIOUR,
    BETTER,
    DOWN,
    FASTER,
    FLAT,
    FORWARD_CAUSE,
    HEALTH,
    OURS,
    SLOWER,
    STRONG,
    UP,
    WORSE,
)
from workers.grounding.literals import find_specifics
from workers.grounding.neutral_words import DEGREE, FUNCTION, KNOWN
from workers.grounding.template_slots import SLOT
from workers.grounding.value_format import Voice
from workers.language.injected_instructions import instructs_reader
from workers.language.negation import LACKING
from workers.language.normalization import normalise
from workers.language.stems import stem

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
MOVING = (BACKWARD_CAUSE, FORWARD_CAUSE, UP, DOWN, SLOWER, FASTER, WORSE, BETTER, BACK, FLAT, STRONG)
LACKS = re.compile(LACKING, re.IGNORECASE)
LEFT_OPEN = re.compile(
    rf"{LACKING}[^.;:!?]{{0,200}}?\b(?:whether|if|why|how|what|explains?|about|for)\b([^.;:!?]*)", re.IGNORECASE
)
NO_MEASURE = re.compile(
    r"(?:\b(?:no|without(?: an?y?)?) (?:\w+ )?(?:metrics?|data|series|numbers?|measurements?|evidence|source)|\b(?:found|have|know|saw) (?:no|nothing)|"
    r"\bcannot|\bunable|n[’']t)\b[^.;:!?]*",
    re.IGNORECASE,
)
MEASURE = re.compile(r"(?:latenc\w+|p\d\d|error rate|throughput|explains?(?: why)?)$", re.IGNORECASE)
NOT_FIRING = re.compile(
    r"\S+ is not among the alerts that fire\."
)  # the rules' own first line: the alerts were counted
PLAIN_STEMS = frozenset(stem(w) for w in (*FUNCTION, *DEGREE))
FEW = 4  # words of a claim that need not be shared
LEAST_WORDS, MOST_CHARS = 3, 400


def list_struck(
    claim: Claim, verdict: Verdict, evidence: Mapping[str, Evidence], voice: Voice, known: str, asked: str | None = None
) -> Gap:
    """A struck claim without the specifics that nothing it cites holds; only its section when it is about nothing cited."""
    cited = [evidence[i] for i in claim.evidence if i in evidence]
    section = verdict.id.partition(".")[0]
    template = normalise(claim.template)
    text = hide(SLOT.sub(VEIL, template), cited, voice, known, asked)
    if (
        not is_about(template, text, cited)
        or len(text) > MOST_CHARS
        or len(re.findall(r"[^\W\d_]{2,}", text)) < LEAST_WORDS
    ):
        text = f"a claim about {ABOUT.get(section, section or 'the answer')}"
    return Gap(text=f"Could not verify: {text} ({reason_of(verdict, cited, voice, known, asked)})")


def is_about(template: str, text: str, cited: Sequence[Evidence]) -> bool:
    """Whether what may be shown of a struck claim shares its words with what it cites, and neither reassures nor orders."""
    if (
        not cited
        or any(p.search(template) for p in (HEALTH, ALL_WELL))
        or orders(template)
        or instructs_reader(template)
    ):
        return False
    said = {stem(w) for w in re.findall(r"[a-z]{3,}", text.lower())} - PLAIN_STEMS
    shared = said & frozenset().union(*(stems_of(texts(e)) for e in cited))
    odd = said - shared - KNOWN
    return len(odd) * 2 <= len(said) and (len(said) <= FEW or len(shared) * 3 >= len(said))


def reason_of(verdict: Verdict, cited: Sequence[Evidence], voice: Voice, known: str, asked: str | None) -> str:
    """Why a claim was struck, without a word of it that reassures."""
    reason = hide(verdict.reason, cited, voice, known, asked)
    return re.sub(r"“[^”]*”", lambda m: f"“{VEIL}”" if HEALTH.search(m[0]) or ALL_WELL.search(m[0]) else m[0], reason)


def hide(text: str, cited: Sequence[Evidence], voice: Voice, known: str, asked: str | None = None) -> str:
    """A text with every specific veiled that neither the cited evidence holds nor the caller knows."""
    if len(text) > 4 * MOST_CHARS:
        return VEIL
    odd = {(s.start, s.end) for s in unknown(text, known, asked=asked)}
    for found in sorted(find_specifics(text), key=lambda s: -s.start):
        if (found.start, found.end) in odd and not match_specific(found, cited, voice).refs:
            text = text[: found.start] + VEIL + text[found.end :]
    return text


def list_gap(gap: Gap, known: str, asked: str | None = None) -> Gap:
    """A gap that names only what is known; what code wrote of a tool's failure stays."""
    if gap.tool:
        return gap
    return gap.model_copy(
        update={"text": veil(gap.text, known, asked), "tried": tuple(veil(t, known, asked) for t in gap.tried)}
    )


def with_tools(known: str, tools_used: Sequence[str]) -> str:
    """What is known, with the tools that were used and how often: ``NAME ×4``."""
    counts = (name.partition(" ×") for name in tools_used)
    return "\n".join((known, *(f"{name} {n} times" for name, _, n in counts)))


def against_uncited(claim: Claim, known: str, asked: str | None = None) -> str:
    """Why a sentence without evidence cannot open an answer; "" when it can, because it says that something is lacking."""
    text = normalise(claim.template)
    if known and (odd := unknown_specifics(text, known, asked=asked)):
        return f"“{odd[0]}” is in no cited evidence"
    if NOT_FIRING.fullmatch(text):
        return ""
    if reason := against_saying(text, known, (*MOVING, BEHAVIOUR, STATES, STATE_OF)):
        return reason
    return "" if LACKS.search(text) else "says something without evidence"


def against_gap(gap: Gap, known: str) -> str:
    """Why what a writer calls missing says more than that; "" for what a tool told, and for what only says so."""
    return "" if gap.tool else against_saying(normalise(gap.text), known, MOVING)


def against_saying(text: str, known: str, patterns: Sequence[re.Pattern[str]]) -> str:
    """Why a text without evidence may not be shown: it reassures, orders, or tells what happened.

    What it leaves open may be told in words that are known: "I can't say why checkout is slow".
    """
    if HEALTH.search(text) or ALL_WELL.search(text):
        return "says that all is well without evidence"
    if orders(text) or instructs_reader(text):
        return "tells what to do without evidence"
    words = {*re.findall(r"\w+", known.lower()), *FUNCTION}
    left_open = [m.span(1) for m in LEFT_OPEN.finditer(text)]
    unmeasured = [m.span() for m in NO_MEASURE.finditer(text)]
    for found in (m for pattern in patterns for m in pattern.finditer(text)):
        asked = words.issuperset(re.findall(r"\w+", found.group().lower())) and any(
            a <= found.start() < b for a, b in left_open
        )
        if not asked and not (MEASURE.match(found.group()) and any(a <= found.start() < b for a, b in unmeasured)):
            return f"says “{found.group()}” without evidence"
    return ""


def is_knowledge(claim: Claim) -> bool:
    """Whether an uncited claim is general: nothing specific in it, and nothing about this team's systems."""
    text = normalise(claim.template)
    plain = not claim.evidence and not SLOT.search(text) and not find_specifics(text)
    told = any(p.search(text) for p in (OURS, HEALTH, ALL_WELL, STATE_OF)) or orders(text) or instructs_reader(text)
    return plain and bool(text.strip()) and not told
