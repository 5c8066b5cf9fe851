"""Which of two is larger: "A is faster than B" against the values of both in one field."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workers.grounding.arithmetic import fields
from workers.grounding.evidence_values import Number, stems_of
from workers.grounding.relations.reading import Reading, sentence_around
from workers.language.negation import is_negated

MORE = re.compile(
    r"\b(?:more|higher|larger|bigger|greater|longer|slower|older|heavier|worse)\b(?!\sthan\b)(?=[^.;]{0,60}?\bthan\b)",
    re.IGNORECASE,
)
LESS = re.compile(r"\b(?:less|fewer|lower|smaller|shorter|faster|quicker)\b(?=[^.;]{0,60}?\bthan\b)", re.IGNORECASE)
USUAL = re.compile(r"\s*(?:before|usual|normal|ever|it\b|they\b|its\b|expected|the (?:baseline|usual))", re.IGNORECASE)


def check_comparisons(reading: Reading) -> str:
    """The value of what is named first must lie on the side that is told."""
    for way, pattern in ((1, MORE), (-1, LESS)):
        for match in pattern.finditer(reading.text):
            than = re.compile(r"\bthan\b", re.IGNORECASE).search(reading.text, match.end())
            if (
                than is None
                or any(0 <= m.specific.start - than.end() < 12 for m in reading.values())
                or USUAL.match(reading.text[than.end() :])
                or is_negated(reading.text, max(0, match.start() - 20), match.start())
            ):
                continue
            start, end = sentence_around(reading.text, match.start())
            left, right = stems_of(reading.text[start : than.start()]), stems_of(reading.text[than.end() : end])
            signs = [
                s for numbers in compared(reading, match.group()) if (s := sign(numbers, left - right, right - left))
            ]
            if signs and all(s == -way for s in signs):
                return f"“{match.group()} than” does not agree with the values"
    return ""


def compared(reading: Reading, word: str) -> list[Sequence[Number]]:
    """The fields that the claim's words name; lengths of time for what is faster or slower."""
    found = fields(reading.scope)
    timed = word.lower() in {"faster", "slower", "quicker"}
    named = {k: n for k, n in found.items() if reading.scope.words & stems_of(k[1])}
    return [n for k, n in (named or found).items() if not timed or k[2] == "s"]


def sign(numbers: Sequence[Number], left: frozenset[str], right: frozenset[str]) -> int:
    """Whether what the left words name is larger in a field (1) or smaller (-1); 0 when that cannot be told."""
    shared = frozenset.intersection(*(n.row.words for n in numbers))
    first = [n for n in numbers if (left - shared) & n.row.words and not (right - shared) & n.row.words]
    last = [n for n in numbers if (right - shared) & n.row.words and not (left - shared) & n.row.words]
    if not first or len(first) != len(last):
        return 0
    signs = {(a.value > b.value) - (a.value < b.value) for a, b in zip(first, last, strict=True)}
    return signs.pop() if len(signs) == 1 else 0
