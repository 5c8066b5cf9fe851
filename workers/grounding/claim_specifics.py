"""Every specific of a claim with the facts it can stand for: slots by what they were filled from, literals by
what the cited evidence holds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from workers.contracts import Evidence
from workers.grounding.fact_match import Mention, match_specific
from workers.grounding.literals import Kind, Specific, find_specifics, with_unit_of
from workers.grounding.template_slots import MEASURES, Piece, Ref
from workers.grounding.value_format import Voice
from workers.grounding.value_match import base_value, close, dimension, facts_of

MOST = 40  # specifics in one claim
BLANK = "\0"
KINDS: dict[str, Kind] = {"time": "time", "path": "path", "lines": "lines", "commit": "commit", "url": "url"}
NAMED: dict[str, Kind] = {"author": "person", "version": "version", "subject": "quote"}


def read_mentions(pieces: Sequence[Piece], cited: Sequence[Evidence], voice: Voice) -> list[Mention]:
    """Slots and literals, left to right; literals are found in the text with its slots blanked out."""
    out = [slot_mention(p, cited, voice) for p in pieces if p.refs]
    blanked = "".join(BLANK * len(p.text) if p.refs else p.text for p in pieces)
    written = [s for s in find_specifics(blanked) if re.search(r"\w", s.text.replace(BLANK, ""))][: MOST + 1]
    for found in written:
        mention = match_specific(found, cited, voice)
        others = written if not mention.refs and found.dimension == "plain" else []
        lent = (
            match_specific(with_unit_of(other, found), cited, voice) for other in others if other.kind == "quantity"
        )
        out.append(next((m for m in lent if m.refs and m.specific.dimension != "plain"), mention))
    return [m if m.refs else worked_out(m, out) for m in sorted(out, key=lambda m: m.specific.start)]


def worked_out(mention: Mention, others: Sequence[Mention]) -> Mention:
    """A value that follows from two others of the same claim: their ratio, their difference, a count over a rate."""
    said = mention.specific
    if said.kind not in {"quantity", "factor"}:
        return mention
    values = [(m, first_value(m)) for m in others if m.refs and m.specific.kind == "quantity"]
    for a, x in values:
        for b, y in values:
            if a is not b and x is not None and y and follows(said, x, y, a.specific.dimension, b.specific.dimension):
                return Mention(said, ((a.refs[0][0], b.refs[0][0]),), "worked")
    return mention


def first_value(mention: Mention) -> float | None:
    """The value that a mention stands for, in the base unit of its dimension."""
    ref = mention.refs[0][0]
    if len(mention.refs[0]) == 1 and isinstance(ref.fact.value, int | float) and not isinstance(ref.fact.value, bool):
        return base_value(ref.fact)
    return None if mention.slot else mention.specific.value


def follows(said: Specific, x: float, y: float, one: str, two: str) -> bool:
    """Whether a value is x in relation to y."""
    loose = replace(said, bound=said.bound or ("" if said.kind == "factor" else "about"))
    if said.kind == "factor":
        loose = replace(loose, tolerance=min(said.tolerance, 0.06 * said.value))
    if one == two and said.dimension in {"ratio", "factor"}:
        return close(loose, x / y) or (said.dimension == "ratio" and close(loose, abs(x - y) / abs(y)))
    if one == two == said.dimension:
        return close(loose, abs(x - y)) or close(loose, x + y)
    return said.dimension == "s" and one == "plain" and two == "/s" and close(loose, x / y)


def slot_mention(piece: Piece, cited: Sequence[Evidence], voice: Voice) -> Mention:
    """A slot as the specific that it writes: a value stands for its own fact alone, a name for whatever has it."""
    kind, said, dim, value = read_slot(piece)
    span = Specific(kind, said, piece.start, piece.start + len(said), value=value, dimension=dim)
    refs: tuple[tuple[Ref, ...], ...] = (piece.refs,)
    if kind not in {"quantity", "factor", "time"}:
        refs = (*refs, *namesakes(piece.refs[0], span, cited, voice))
    return Mention(span, refs, piece.function, slot=True)


def namesakes(ref: Ref, span: Specific, cited: Sequence[Evidence], voice: Voice) -> Iterator[tuple[Ref, ...]]:
    """Other evidence that a name in a slot names as well: all that has the same commit, or the same metric."""
    if ref.name in {"metric", "metric_name"}:
        yield from ((r,) for r in facts_of(cited) if r.name == ref.name and r.fact.value == ref.fact.value)
    elif span.kind in {"commit", "path", "name", "version"}:
        yield from match_specific(span, cited, voice).refs


def read_slot(piece: Piece) -> tuple[Kind, str, str, float]:
    """Kind, written text, dimension and value of what a slot says."""
    first, text = piece.refs[0], piece.text
    if piece.function == "clock":
        return "time", text, "", 0.0
    if piece.function in {"lag", "span"}:
        said = re.match(r"[\d.]+ \w+", text)  # the order word after it stays a word of the sentence
        return "quantity", said.group() if said else "", "s", gap(piece.refs)
    if piece.function in MEASURES:
        factor = text.startswith("×")
        dim = "factor" if factor else "ratio" if piece.function == "change" else dimension(first.fact)
        return ("factor" if factor else "quantity"), text, dim, 0.0
    return plain_slot(first, text)


def plain_slot(ref: Ref, text: str) -> tuple[Kind, str, str, float]:
    """The same for a slot of one fact."""
    value, unit = ref.fact.value, ref.fact.unit
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "quantity", text, dimension(ref.fact), base_value(ref.fact)
    return KINDS.get(unit) or NAMED.get(ref.name) or "name", text, "", 0.0


def gap(refs: Sequence[Ref]) -> float:
    """Seconds between two times."""
    a, b = (datetime.fromisoformat(str(r.fact.value)) for r in refs)
    return abs((a - b).total_seconds())
