"""What is said without evidence: what was struck, what is missing, an answer's first line when nothing was found.

Such text may name only what is known: what people named, what exists, what was tried. Everything else is veiled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from workers.contracts import Claim, Evidence, Gap, Verdict
from workers.grounding.claim_specifics import scope_of
from workers.grounding.evidence_values import stems_of
from workers.grounding.known_names import VEIL, unknown, unknown_specifics
from workers.grounding.lexicon import BEHAVIOUR, DOWN, HEALTH, OURS, STATE, UP
from workers.grounding.literals import find_specifics
from workers.grounding.specific_match import match_specific
from workers.grounding.template_slots import SLOT
from workers.grounding.value_format import Voice
from workers.language.action_words import ACT, NOUN, WEAK
from workers.language.durations import NUMBER_WORDS
from workers.language.injected_instructions import instructs_reader
from workers.language.negation import LACKING
from workers.language.normalization import normalise

ABOUT = {
    "headline": "the answer itself", "what_changed": "what changed", "metrics": "the metrics", "code": "the code",
    "docs": "the documents", "next_steps": "what to do next",
}  # fmt: skip
ORDERS = re.compile(
    r"(?:^\W*|[.!?;:,–—-]\s+|\b(?:please|then|and|so|now|just|you (?:should|must|can|need to)|should|must)\s+)"
    rf"(?:{ACT}|{WEAK}|turn|ignore|skip|click|open|visit|go to|call|download|paste|use|copy|bypass){NOUN}\b(?=\s+\S)",
    re.IGNORECASE,
)
CHANGES = re.compile(rf"\b{ACT}{NOUN}\b", re.IGNORECASE)
"""What changes something: only what was found may speak for it."""
NOWADAYS = re.compile(r"\b(?:now|currently|today|yesterday|tonight|since|at the moment)\b", re.IGNORECASE)
"""What tells how something stands, rather than how such things are."""
LACKS = re.compile(LACKING, re.IGNORECASE)
LEAST_WORDS, MOST_CHARS = 3, 400


def list_struck(
    claim: Claim, verdict: Verdict, evidence: Mapping[str, Evidence], voice: Voice, known: str, asked: str | None = None
) -> Gap:
    """A struck claim without the specifics that nothing it cites holds; only its section when it is not about that."""
    cited = [evidence[i] for i in claim.evidence if i in evidence]
    section = verdict.id.partition(".")[0]
    template = normalise(claim.template)
    text = hide(SLOT.sub(VEIL, template), cited, voice, known, asked)
    wordy = len(text) <= MOST_CHARS and len(re.findall(r"[^\W\d_]{2,}", text)) >= LEAST_WORDS
    said, shown = stems_of(template), stems_of("\n".join(i.text for i in scope_of(template, cited, voice).indexes))
    if not wordy or not cited or HEALTH.search(template) or orders(template) or len(said & shown) * 3 < len(said):
        text = f"a claim about {ABOUT.get(section, section or 'the answer')}"
    reason = re.sub(r"“[^”]*”", lambda m: f"“{VEIL}”" if HEALTH.search(m[0]) else m[0], verdict.reason)
    return Gap(text=f"Could not verify: {text} ({hide(reason, cited, voice, known, asked)})")


def orders(text: str) -> bool:
    """Whether a text tells its reader what to do."""
    return bool(ORDERS.search(text)) or instructs_reader(text)


def hide(text: str, cited: Sequence[Evidence], voice: Voice, known: str, asked: str | None = None) -> str:
    """A text with every specific veiled that neither the cited evidence holds nor the caller knows."""
    if len(text) > 4 * MOST_CHARS:
        return VEIL
    odd = {(s.start, s.end) for s in unknown(text, known, asked=asked)}
    scope = scope_of(text, cited, voice)
    for found in sorted(find_specifics(text), key=lambda s: -s.start):
        if (found.start, found.end) in odd and not match_specific(found, scope):
            text = text[: found.start] + VEIL + text[found.end :]
    return text


def with_tools(known: str, tools_used: Sequence[str]) -> str:
    """What is known, with the tools that were used and how often: ``NAME ×4``."""
    counts = (name.partition(" ×") for name in tools_used)
    return "\n".join((known, *(f"{name} {n} times" for name, _, n in counts)))


def against_gap(gap: Gap, known: str, asked: str | None = None) -> bool:
    """Whether a writer's gap names something that nobody named; what code wrote of a tool's failure stays."""
    said = "\n".join((gap.text, *gap.tried))
    return not gap.tool and (bool(unknown_specifics(said, known, asked=asked)) or instructs_reader(said))


def against_uncited(claim: Claim, known: str, asked: str | None = None) -> str:
    """Why a sentence without evidence cannot open an answer; "" when it can."""
    text = normalise(claim.template)
    if known and (odd := unknown_specifics(text, known, asked=asked)):
        return f"“{odd[0]}” is in no cited evidence"
    if HEALTH.search(text):
        return "says that all is well without evidence"
    if orders(text):
        return "tells what to do without evidence"
    behaves = BEHAVIOUR.search(text) and (not LACKS.search(text) or any(p.search(text) for p in (UP, DOWN, STATE)))
    return "says how something behaves without evidence" if behaves else ""


def is_knowledge(claim: Claim, asked: str = "") -> bool:
    """Whether an uncited claim is general: nothing of this team's systems, and nothing specific but what was asked for.

    A percentile that was asked for may be told in percent: "p95 is the value below which 95 % of requests fall".
    """
    text = normalise(claim.template)
    percents = [n for m in re.findall(r"\bp(\d\d)\b", f"{asked} {text}") for n in (int(m), 100 - int(m))]
    one_in = {round(100 / n) for n in percents}
    spelt = [word for word, number in NUMBER_WORDS.items() if number in one_in]
    known = f"{asked} {' '.join(f'{n} % {n}% {n} percent {n}' for n in percents)}"
    known += "".join(f" one in {n}" for n in (*one_in, *spelt))
    plain = not claim.evidence and bool(text.strip()) and not SLOT.search(text) and not unknown_specifics(text, known)
    supposed = re.sub(r"\b(?:can|could|may|might) (?:\w+ )?\w+", " ", text)
    told = NOWADAYS.search(text) or (BEHAVIOUR.search(supposed) and not percents)  # a percentile is told by behaviour
    dated = STATE.search(supposed) and told
    return plain and not dated and not any(p.search(supposed) for p in (OURS, HEALTH)) and not orders(text)


def is_advice(claim: Claim, asked: str = "") -> bool:
    """Whether an uncited next step is general: it only looks or asks, names nothing but what was asked for, and says of
    nothing how it stands."""
    text = normalise(claim.template)
    plain = not claim.evidence and bool(text.strip()) and not SLOT.search(text) and not unknown_specifics(text, asked)
    tells = HEALTH.search(text) or instructs_reader(text) or CHANGES.search(text)
    return plain and not tells and not (BEHAVIOUR.search(text) and NOWADAYS.search(text))
