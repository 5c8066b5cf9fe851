"""Every specific of a claim with what it rests on: slots by what they were filled from, literals by what the cited
evidence holds, or what follows from it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import datetime

from workers.contracts import Evidence
from workers.grounding.arithmetic import work_out
from workers.grounding.counting import count_items
from workers.grounding.evidence_index import index_of
from workers.grounding.evidence_values import stems_of
from workers.grounding.literals import Kind, Specific, find_specifics, with_unit_of
from workers.grounding.mentions import Mention, Scope, Support
from workers.grounding.quantities import UNITS
from workers.grounding.specific_match import match_specific
from workers.grounding.template_slots import Piece
from workers.grounding.value_format import Voice
from workers.language.durations import NUMBER_WORDS

ARTICLE = re.compile(r"an? (?:second|minute|hour|day|week)", re.IGNORECASE)
APART = re.compile(r"\s(?:before|after|earlier|later|ago|apart)\b")
"""What makes "an hour" a distance between two events; else it is a way of speaking."""
MOST = 40  # specifics in one claim
BLANK = "\0"
KINDS: dict[str, Kind] = {"time": "time", "path": "path", "lines": "lines", "commit": "commit", "url": "url"}
NAMED: dict[str, Kind] = {"author": "person", "version": "version", "subject": "quote"}
DIMENSIONS = {"s": "s", "ratio": "ratio", "percent": "ratio", "/s": "/s", "bytes": "bytes"}
NO_WORDS = stems_of(" ".join((*UNITS, *NUMBER_WORDS)))


def scope_of(text: str, cited: Sequence[Evidence], voice: Voice) -> Scope:
    """What a claim's specifics are looked up in."""
    said = stems_of(text) | (stems_of("p50") if re.search(r"\bmedian\b", text, re.IGNORECASE) else frozenset())
    return Scope(tuple(index_of(e) for e in cited), said - NO_WORDS, text, voice)


def read_mentions(pieces: Sequence[Piece], scope: Scope) -> list[Mention]:
    """Slots and literals, left to right; literals are found in the text with its slots blanked out."""
    out = [slot_mention(p, scope) for p in pieces if p.refs]
    blanked = "".join(BLANK * len(p.text) if p.refs else p.text for p in pieces)
    written = [s for s in find_specifics(blanked) if re.search(r"\w", s.text.replace(BLANK, ""))][: MOST + 1]
    out.extend(literal_mention(s, written, scope) for s in written)
    out.sort(key=lambda m: m.specific.start)
    worked = out
    for _ in range(2):  # what was worked out may be reckoned with
        worked = [m if m.supports else Mention(m.specific, work_out(m.specific, worked, scope)) for m in worked]
    idle = [m for m in worked if ARTICLE.fullmatch(m.specific.text) and not APART.match(scope.text, m.specific.end)]
    return [m for m in worked if m.supports or m not in idle]


def literal_mention(said: Specific, others: Sequence[Specific], scope: Scope) -> Mention:
    """A written specific with what it stands for; a bare number may have the unit of another one of the claim."""
    found = () if math.isnan(said.value) else match_specific(said, scope) or tuple(count_items(said, scope))
    for other in others if said.dimension == "plain" and not found else ():
        lent = with_unit_of(other, said) if other.kind == "quantity" and other.dimension != "plain" else said
        if lent.dimension != "plain" and (supports := match_specific(lent, scope)):
            return Mention(lent, supports)
    return Mention(said, found)


def slot_mention(piece: Piece, scope: Scope) -> Mention:
    """A slot as the specific that it writes, resting on the facts it was filled from."""
    kind, said, dimension, value = read_slot(piece)
    span = Specific(kind, said, piece.start, piece.start + len(said), value=value, dimension=dimension)
    indexes = {i.id: i for i in scope.indexes}
    values = tuple(v for r in piece.refs if (v := indexes[r.evidence].facts.get(r.name)))
    rows = tuple(v.row for v in values) or tuple(indexes[r.evidence].tables["head"][0] for r in piece.refs)
    return Mention(span, (Support(values, rows, "", value),), slot=True, function=piece.function)


def read_slot(piece: Piece) -> tuple[Kind, str, str, float]:
    """Kind, written text, dimension and value of what a slot says."""
    first, text = piece.refs[0], piece.text
    value, unit = first.fact.value, first.fact.unit
    if piece.function == "clock":
        return "time", text, "", 0.0
    if piece.function in {"lag", "span"}:
        said = re.match(r"[\d.]+ \w+", text)  # the order word after it stays a word of the sentence
        a, b = (datetime.fromisoformat(str(r.fact.value)) for r in piece.refs)
        return "quantity", said.group() if said else "", "s", abs((a - b).total_seconds())
    if piece.function and text.startswith("×"):
        return "factor", text, "factor", 0.0
    if piece.function:
        return "quantity", text, "ratio" if piece.function == "change" else DIMENSIONS.get(unit, "plain"), 0.0
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "quantity", text, DIMENSIONS.get(unit, "plain"), float(value) / (100 if unit == "percent" else 1)
    return KINDS.get(unit) or NAMED.get(first.name) or "name", text, "", 0.0
