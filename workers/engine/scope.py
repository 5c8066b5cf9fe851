"""PURE. Rules for how much is claimed: "all", "only", counts of things, states of alerts, and what evidence covers."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workers.contracts import Evidence, Scalar
from workers.engine.binding import named
from workers.engine.lexicon import BEFORE_ALL, NOT_SCOPE, SCOPE
from workers.engine.match import squeeze
from workers.engine.quantities import NUMBER_WORDS
from workers.engine.reading import Reading, clause_around, words_of

COUNTED = re.compile(rf"\b({'|'.join(NUMBER_WORDS)}|\d+) (?:\w+ )?([a-z]{{3,}}s)\b", re.IGNORECASE)
OVER = re.compile(
    r"\b(?:resolved|cleared|inactive|no longer (?:firing|active)|stopped firing|went silent|silenced)\b", re.IGNORECASE
)
PENDING = re.compile(r"\bpending\b", re.IGNORECASE)
SEVERITY = re.compile(
    r"\b(page|paging|warning|critical|info|ticket)[- ]severity\b|\bseverity (?:is |of )?[`“\"]?(\w+)", re.IGNORECASE
)
OF_ALL = re.compile(r"\b(\d{1,9}) of (?:the |its |all )?(\d{1,9})\b(?![:.]\d)")
PLAIN = frozenset("the and for with that this from has have was were are its not".split())


def shown_text(evidence: Iterable[Evidence]) -> str:
    """Everything that evidence says, in lower case."""
    return " ".join(
        squeeze(f"{e.title} {e.excerpt} {' '.join(str(f.value) for f in e.facts.values())}").lower() for e in evidence
    )


def check_scope(reading: Reading) -> str:
    """ "all", "only", "no errors": the very phrase must stand in the evidence, or a count must show it."""
    prose = reading.prose()
    shown = shown_text(reading.cited)
    counts = {
        int(f.value) for e in reading.cited for f in e.facts.values() if f.unit == "count" and isinstance(f.value, int)
    }
    for match in SCOPE.finditer(prose):
        word = match.group().lower()
        if any(m.specific.start <= match.start() < m.specific.end for m in reading.of_kind("quote")):
            continue
        if word == "never" and at_peak(match.end(), reading):
            continue
        rest = prose[match.start() : match.start() + 40]
        if NOT_SCOPE.match(rest) or BEFORE_ALL.search(prose[: match.start()]) or sums_up(word, match.start(), reading):
            continue
        phrase = " ".join(squeeze(rest).lower().split()[:2]).strip('.,;:"”“')
        if (" " in phrase and phrase in shown) or (word.startswith(("no", "none", "never")) and 0 in counts):
            continue
        if re.match(r"each\b|none\b|no\s", word) and all(e.kind in {"code", "doc"} for e in reading.cited):
            continue
        if word in {"only", "sole"} and 1 in counts:
            continue
        return f"“{phrase}” is more than the evidence shows"
    return ""


def at_peak(at: int, reading: Reading) -> bool:
    """``never exceeded`` the peak."""
    near = [m for m in reading.values() if 0 <= m.specific.start - at < 24]
    exceeds = re.match(r"\s(?:exceeded|(?:rose|went|got|was) (?:above|over|higher than))\b", reading.text[at:])
    return bool(exceeds and near and any("peak" in r.name for refs in near[0].refs for r in refs))


def sums_up(word: str, at: int, reading: Reading) -> bool:
    """``p95, p50 and errors all rose``: "all" of what the sentence has just listed, each of it cited."""
    before = reading.text[:at]
    return word == "all" and bool(re.search(r",.{1,60}\band\b[^,.;]{1,40}$", before)) and not before.endswith("on ")


def check_counts(reading: Reading) -> str:
    """``three files``: a count that the evidence named in the clause holds under that noun."""
    prose = reading.prose()
    for match in OF_ALL.finditer(prose):
        if int(match[1]) > int(match[2]):
            return f"“{match.group()}” cannot be"
    for match in COUNTED.finditer(prose):
        noun = match[2].lower()
        said = NUMBER_WORDS.get(match[1].lower(), int(match[1]) if match[1].isdigit() else -1)
        holders = steps_of(reading) if noun == "steps" else counts_of(noun, reading)
        if not holders:
            continue
        meant = named(reading, match.start(), frozenset(holders), clause_around(reading.text, match.start()))
        if meant and said not in {holders[i] for i in meant}:
            return f"“{match.group()}” is not the count in the evidence"
    return ""


def steps_of(reading: Reading) -> dict[str, Scalar]:
    """How many steps each cited document has."""
    docs = (e for e in reading.cited if "step_1" in e.facts)
    return {e.id: sum(bool(re.fullmatch(r"step_\d+", n)) for n in e.facts) for e in docs}


def counts_of(noun: str, reading: Reading) -> dict[str, Scalar]:
    """The counts that cited evidence holds under a noun."""
    return {
        e.id: e.facts[n].value
        for e in reading.cited
        for n in (noun, f"{noun}_count")
        if n in e.facts and e.facts[n].unit == "count"
    }


def check_states(reading: Reading) -> str:
    """An alert must be in the state, and of the severity, that the claim gives it."""
    prose = reading.prose()
    alerts = [e for e in reading.cited if e.kind == "alert"]
    for match in SEVERITY.finditer(prose):
        said = (match[1] or match[2]).lower().replace("paging", "page")
        known = {str(e.facts["severity"].value).lower() for e in alerts if "severity" in e.facts}
        if known and said not in known | {"of", "is", "and", "the"}:
            return f"“{match.group()}” is not the severity in the evidence"
    states = {str(e.facts["state"].value).lower() for e in alerts if "state" in e.facts}
    if states == {"firing"} and any(
        re.search(r"alert|fir(?:ing|ed)", prose, re.IGNORECASE) or e.title in prose for e in alerts
    ):
        for pattern in (OVER, PENDING):
            if match_over := pattern.search(prose):
                return f"“{match_over.group()}” is not the state in the evidence"
    return ""


def coverage(prose: str, reading: Reading) -> float:
    """Share of the content words that the cited evidence holds, or that belong to checked specifics."""
    words = {w[:6] for w in words_of(prose) if len(w) > 2} - PLAIN
    shown = " ".join(
        f"{e.title} {e.excerpt} {e.locator} {e.kind} {' '.join(e.facts)} "
        f"{' '.join(f'{f.value} {f.entity}' for f in e.facts.values())}"
        for e in reading.cited
    )
    known = {w[:6] for w in words_of(f"{shown} {re.sub(r'(?<=[a-z])(?=[A-Z])', ' ', shown)}")}
    return len(words & known) / len(words) if words else 0.0
