"""PURE. Checks every claim against the evidence it cites, after writing and before anything is shown.

Slots are filled from facts, so what they say is right by construction. A specific outside a slot passes only when a
fact of the cited evidence matches it, with its owner, metric, role and time. Words of direction and order are held
against the values, causal words need both ends, behaviour needs metric evidence. What fails is struck.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from workers.contracts import Answer, Claim, Draft, Evidence, Gap, Verdict
from workers.engine.lexicon import BEHAVIOUR, CAUSAL, SCOPE
from workers.engine.literals import Specific, find_specifics
from workers.engine.match import Mention, match_specific, same_path, split_lines, squeeze, standing_alone
from workers.engine.slots import SLOT, Piece, SlotError, fill
from workers.engine.style import Voice
from workers.engine.wording import (
    Reading,
    check_directions,
    check_entities,
    check_metric_names,
    check_order,
    check_roles,
    check_times,
    event_class,
    words_of,
)

RULES = (check_entities, check_metric_names, check_roles, check_directions, check_times, check_order)
SECTIONS = ("what_changed", "metrics", "code", "docs", "next_steps")
BLANK = "\0"
MEASURED = frozenset({"metric", "alert", "row", "incident", "message"})


@dataclass(frozen=True)
class Checked:
    """A claim's verdict with its filled text."""

    claim: Claim
    verdict: Verdict


def check_claim(claim: Claim, evidence: Mapping[str, Evidence], voice: Voice, name: str = "") -> Checked:
    """Fill and check one claim."""
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
    missing = next((m for m in mentions if not m.refs), None)
    if missing:
        return strike(claim, name, f"“{missing.specific.text}” is in no cited evidence", text)
    reading = Reading(text, mentions, cited)
    scope = () if claim.status == "hypothesis" else (check_scope,)
    for rule in (*RULES, check_lines, *scope):
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
    out.extend(match_specific(found, cited, voice) for found in written)
    return sorted(out, key=lambda m: m.specific.start)


def settle_status(claim: Claim, reading: Reading) -> tuple[str, str]:
    """supported, hypothesis or struck, for a claim whose specifics all hold."""
    prose = outside_slots(reading)
    if CAUSAL.search(prose):
        status, reason = check_cause(reading)
        if status != "supported" or claim.status == "hypothesis":
            return (status if status == "struck" else "hypothesis"), reason
    if claim.status == "hypothesis":
        return "hypothesis", ""
    if not reading.cited:
        return "struck", "cites no evidence"
    if BEHAVIOUR.search(prose) and not any(e.kind in MEASURED for e in reading.cited):
        shown = " ".join(squeeze(e.excerpt).lower() for e in reading.cited)
        if not all(m.group().lower() in shown for m in BEHAVIOUR.finditer(prose)):
            return "struck", "speaks of behaviour without metric evidence"
    if not any(m.slot for m in reading.mentions) and coverage(prose, reading) < 0.34:
        return "hypothesis", "the cited evidence does not say this"
    return "supported", ""


def outside_slots(reading: Reading) -> str:
    """The text with everything that code filled in blanked out."""
    chars = list(reading.text)
    for mention in reading.mentions:
        if mention.slot:
            chars[mention.specific.start : mention.specific.end] = " " * len(mention.specific.text)
    return "".join(chars)


def check_cause(reading: Reading) -> tuple[str, str]:
    """A cause needs evidence for both ends, the cause first."""
    effects = [e for e in reading.cited if e.kind in {"metric", "alert", "incident"}]
    causes = [e for e in reading.cited if e.kind in {"deploy", "change"}]
    starts = [at for e in effects for at in event_times(e, "onset", "alert")]
    origins = [at for e in causes for at in event_times(e, "deploy", "change")]
    if starts and origins and min(origins) > max(starts):
        return "struck", "the cause comes after the effect"
    if len(effects) > 1 and not causes and len(starts) > 1:
        return "hypothesis", "two things that moved together do not show a cause"
    if not starts or not origins:
        return "hypothesis", "a cause needs evidence for both ends"
    return "supported", ""


def event_times(evidence: Evidence, *kinds: str) -> list[str]:
    """Times of the given kinds of event, as sortable UTC text."""
    return [
        datetime.fromisoformat(str(f.value)).astimezone(UTC).isoformat()
        for n, f in evidence.facts.items()
        if f.unit == "time" and event_class(n, evidence) in kinds
    ]


def coverage(prose: str, reading: Reading) -> float:
    """Share of the content words that the cited evidence holds, or that belong to checked specifics."""
    plain = {"the", "and", "for", "with", "that", "this", "from", "has", "have", "was", "were", "are", "its", "not"}
    words = {w[:6] for w in words_of(prose) if len(w) > 2} - plain
    shown = " ".join(
        f"{e.title} {e.excerpt} {e.locator} {e.kind} {' '.join(e.facts)} "
        f"{' '.join(f'{f.value} {f.entity}' for f in e.facts.values())}"
        for e in reading.cited
    )
    known = {w[:6] for w in words_of(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", shown))}
    return len(words & known) / len(words) if words else 1.0


def check_scope(reading: Reading) -> str:
    """ "all", "only", "no errors": the very phrase must stand in the evidence, or a count must show it."""
    prose = outside_slots(reading)
    shown = " ".join(
        squeeze(f"{e.title} {e.excerpt} {' '.join(str(f.value) for f in e.facts.values())}").lower()
        for e in reading.cited
    )
    counts = {
        int(f.value) for e in reading.cited for f in e.facts.values() if f.unit == "count" and isinstance(f.value, int)
    }
    for match in SCOPE.finditer(prose):
        word = match.group().lower()
        following = squeeze(prose[match.start() : match.start() + 40]).lower().split()
        phrase = " ".join(following[:2]).strip(".,;:")
        if phrase in shown or (word.startswith(("no", "none", "never")) and 0 in counts):
            continue
        if word in {"only", "sole"} and 1 in counts:
            continue
        return f"“{phrase}” is more than the evidence shows"
    return ""


def check_lines(reading: Reading) -> str:
    """A cited line must hold what the claim says stands there; the whole cited range needs no second look."""
    for mention in reading.mentions:
        if mention.specific.kind != "lines" or mention.slot:
            continue
        path, start, end = split_lines(mention.specific.text)
        exact = any(
            r.fact.unit == "lines" and split_lines(str(r.fact.value))[1:] == (start, end)
            for refs in mention.refs
            for r in refs
        )
        if exact:
            continue
        lines = shown_lines(path, start, end, reading.cited)
        if lines is None:
            continue
        if not says(lines, mention, reading):
            return f"{mention.specific.text} does not hold what is said of it"
    return ""


def shown_lines(path: str, start: int, end: int, cited: Sequence[Evidence]) -> str | None:
    """The text of some lines, from an excerpt whose range is known; None when no excerpt shows them."""
    for evidence in cited:
        for fact in evidence.facts.values():
            if fact.unit != "lines":
                continue
            known, first, last = split_lines(str(fact.value))
            rows = evidence.excerpt.splitlines()
            if same_path(path, known) and first <= start and end <= last and len(rows) >= last - first + 1:
                return "\n".join(rows[start - first : end - first + 1])
    return None


def says(lines: str, mention: Mention, reading: Reading) -> bool:
    """Names and numbers of the claim that stand in the cited excerpt must stand in these very lines."""
    whole = "\n".join(e.excerpt for e in reading.cited if e.kind == "code")
    tokens = [
        m.specific.text
        for m in reading.mentions
        if not m.slot
        and m is not mention
        and m.specific.kind in {"name", "quantity", "quote"}
        and standing_alone(m.specific.text).search(squeeze(whole))
    ]
    if tokens:
        return any(standing_alone(t).search(squeeze(lines)) for t in tokens)
    said = {w[:5] for w in words_of(outside_slots(reading)) if len(w) > 2}
    rows = [r for r in whole.splitlines() if r.strip()]
    overlap = len({w[:5] for w in words_of(lines)} & said)
    best = max((len({w[:5] for w in words_of(r)} & said) for r in rows), default=0)
    return overlap > 0 and overlap >= best


# --- the whole answer -----------------------------------------------------------------------------------------


def check_grounding(
    draft: Draft, evidence: Sequence[Evidence], voice: Voice, tools_used: Sequence[str]
) -> tuple[Answer, tuple[Verdict, ...]]:
    """Turn a draft into an answer: fill and check each claim; what fails is struck and listed.

    Returns:
        The answer, and the verdicts of the claims that were struck.
    """
    known = {e.id: e for e in evidence}
    struck: list[Verdict] = []
    missing = list(draft.missing)

    def keep(claims: Sequence[Claim], section: str) -> tuple[Claim, ...]:
        out = []
        for i, claim in enumerate(claims):
            checked = check_claim(claim, known, voice, f"{section}.{i}")
            if checked.verdict.verdict == "struck":
                struck.append(checked.verdict)
                missing.append(
                    Gap(text=f"Could not verify: {SLOT.sub('…', claim.template)} ({checked.verdict.reason})")
                )
            else:
                out.append(checked.claim)
        return tuple(out)

    sections = {s: keep(getattr(draft, s), s) for s in SECTIONS}
    headline = check_headline(draft, known, voice, struck, sections)
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
    first = next((c for s in SECTIONS for c in sections[s] if c.status == "supported"), None)
    text = "I could not verify an answer; what was found stands below."
    return first or Claim(template=text, text=text)
