"""Rules for comparisons: one endpoint against another, and what a change added, removed or replaced."""

from __future__ import annotations

import re

from workers.contracts import Evidence
from workers.grounding.checks.directions import move_of, what
from workers.grounding.checks.lines import weight
from workers.grounding.evidence_binding import named
from workers.grounding.lexicon import words
from workers.grounding.parsed_claim import Doubt, Reading, Span, clause_around, sentence_around
from workers.grounding.quantities import WORD
from workers.language.tokens import stems_in

THAN = re.compile(
    r"\b(?:(?P<more>slower|higher|more|longer|greater|larger|busier|worse)|(?P<less>faster|quicker|lower|less|fewer|shorter|"
    r"smaller))\b[^.;,]{0,40}?\bthan\s(?!\d|about|twice|its\b|it\b|before|usual|normal|" + WORD + r")",
    re.IGNORECASE,
)
ONCE = re.compile(r"\b(?:was|were|once|used to|before|formerly|previously|had been)\b", re.IGNORECASE)
HALF = words(r"(?:by|in|to) half")
ADDS = re.compile(r"\b(?:adds?|added|introduc(?:es|ed)|brings? in)\b", re.IGNORECASE)
REMOVES = re.compile(
    r"\b(?:remov(?:es|ed)|drops|dropped|delet(?:es|ed)|no longer|takes? out|took out)\b", re.IGNORECASE
)
REPLACES = re.compile(
    r"\b(?:replac(?:es|ed)|swaps?|swapped|turn(?:s|ed)|rewr(?:ites|ote)|convert(?:s|ed))\b(?P<old>.{1,80}?)\b"
    r"(?:with|by|into|to|for)\b(?P<new>.{1,80})|"
    r"\bfrom (?P<old2>[^,;]{3,60}?) to (?P<new2>[^,;]{3,60})|"
    r"(?P<new3>[^,;]{3,60}?)\b(?:instead of|rather than|in place of)\b(?P<old3>.{1,60})",
    re.IGNORECASE,
)


def check_comparisons(reading: Reading) -> str:
    """``A is slower than B``: the current values of the same metric must say so."""
    for match in THAN.finditer(reading.text):
        if reading.in_slot(match.start()):
            continue
        start, end = sentence_around(reading.text, match.start())
        metrics = {e.id: e for e in reading.cited if e.kind == "metric" and move_of(e)}
        right = named(reading, match.end(), frozenset(metrics), (match.end(), clause_end(reading, match.end(), end)))
        left = named(reading, match.start(), frozenset(metrics) - right, (start, match.start()))
        if len(left) != 1 or len(right) != 1:
            continue
        a, b = metrics[next(iter(left))], metrics[next(iter(right))]
        if what(a) == what(b) and move_of(a)[0][1] != move_of(b)[0][1]:
            more = move_of(a)[0][1] > move_of(b)[0][1]
            if more is not bool(match["more"]):
                reason = f"“{match.group().strip()}” does not agree with the values"
                return Doubt(reason) if ONCE.search(reading.text[start:end]) else reason
    return unhalved(reading)


def unhalved(reading: Reading) -> str:
    """Why a value did not change ``by half``: it must have halved, and be the only one cited."""
    metrics = [e for e in reading.cited if e.kind == "metric" and move_of(e)]
    if metrics and (found := HALF.search(reading.unquoted())):
        first, last, _ = move_of(metrics[0])[0]
        if len(metrics) > 1 or not first or not 0.4 <= last / first <= 0.6:
            return Doubt(f"“{found.group()}” is not shown by the values")
    return ""


def clause_end(reading: Reading, at: int, end: int) -> int:
    """Where the clause after a place ends, at the latest at the end of the sentence."""
    return min(clause_around(reading.text, at)[1], end)


def check_changes(reading: Reading) -> str:
    """``adds``, ``removes``, ``replaces A with B``: the diff must show it on lines of that side."""
    changes = [e for e in reading.cited if e.kind == "change"]
    if not changes:
        return ""
    for pattern, sign in ((ADDS, "+"), (REMOVES, "-")):
        for match in pattern.finditer(reading.text):
            if quoted(match.start(), reading):
                continue
            start, end = clause_around(reading.text, match.start())
            span = (start, end) if match.group().lower() == "no longer" else (match.end(), end)
            if reason := other_side(span, sign, match.start(), changes, reading):
                return reason
    for match in REPLACES.finditer(reading.text):
        if quoted(match.start(), reading):
            continue
        for part, sign in ((n, "-" if n[0] == "o" else "+") for n in match.groupdict() if match[n]):
            if reason := other_side(match.span(part), sign, match.start(), changes, reading):
                return reason
    return ""


def quoted(at: int, reading: Reading) -> bool:
    """Whether a word stands in what code filled in or what the claim quotes, such as a commit's subject."""
    return any(
        (m.slot or m.specific.kind == "quote") and m.specific.start <= at < m.specific.end for m in reading.mentions
    )


def other_side(span: Span, sign: str, at: int, changes: list[Evidence], reading: Reading) -> str:
    """Why some words cannot be what a diff added or removed: they stand on the other side of it."""
    meant = named(reading, at, frozenset(e.id for e in changes))
    said = stems_in(reading.text[slice(*span)])
    rows = [r for e in changes if e.id in meant for r in e.excerpt.splitlines()]
    own, other = (
        max((weight(r[1:], said, []) for r in rows if r.startswith(s)), default=0.0)
        for s in (sign, "-+".replace(sign, ""))
    )
    if other > own:
        return f"“{reading.text[slice(*span)].strip(' .')}” stands on the other side of the diff"
    return ""
