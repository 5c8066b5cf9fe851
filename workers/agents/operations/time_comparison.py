"""Times that a question holds against each other: "today vs yesterday", "higher than usual"."""

from __future__ import annotations

import re
from datetime import timedelta

from workers.agents.operations.question_words import NOW
from workers.agents.operations.sql_text import quoted, stored
from workers.contracts import rfc3339
from workers.grounding.lexicon import words
from workers.language.phrase_to_window import phrases_in, read_hints
from workers.language.reference_moment import Moment

COMPARES = words(
    r"vs|versus|compared?|comparing|comparison|against|than|difference|as (?:many|much|slow|fast|bad|good) as"
)
JOINT = re.compile(r"\W*(?:with|to|and|or|vs\.?|versus|against)\W*", re.IGNORECASE)
USUAL = re.compile(
    r"\b(?:than|as|vs\.?|from|to|with) (?:the )?(?:usual|normal|typical|average|ever)(?:ly)?\b", re.IGNORECASE
)
BEFORE = timedelta(days=7)
Spans = tuple[tuple[str, str, str], ...]


def compares_times(text: str, *, usual: bool = True) -> bool:
    """Whether two times are named to be held against each other, or, as far as that counts, what is usual."""
    return len(compared(text)) > 1 or (usual and bool(USUAL.search(text)))


def compared(text: str) -> list[str]:
    """The times that are held against each other, as they are said."""
    phrases = [p for p in phrases_in(text) if not NOW.fullmatch(p)]
    if len(phrases) < 2:
        return []
    between = text[text.find(phrases[0]) + len(phrases[0]) : text.find(phrases[1])]
    return phrases[:2] if COMPARES.search(text) or JOINT.fullmatch(between) else []


def spans_in(text: str, at: Moment) -> Spans:
    """Name, start and end (RFC 3339) of each time that is compared; none when there are not two."""
    found = [(p, window) for p in compared(text) if (window := read_hints(p, at)[1])]
    if len(found) > 1 and found[0][1] != found[1][1]:
        return tuple((said, rfc3339(window.start), rfc3339(window.end)) for said, window in found)
    if not USUAL.search(text):
        return ()
    hints, window = read_hints(text, at)
    plain = window is None or all(NOW.fullmatch(hint) for hint in hints)
    start, end = (at.now - timedelta(days=1), at.now) if plain or window is None else (window.start, window.end)
    said = "the last 24 hours" if plain else hints[0]
    return ((said, rfc3339(start), rfc3339(end)), ("the 7 days before", rfc3339(start - BEFORE), rfc3339(start)))


def joined_spans(spans: Spans, column: str) -> str:
    """Each row of a table once for every time that it falls into."""
    rows = " union all ".join(
        f"select {i} as turn, {quoted(said)} as period, {quoted(start)} as starts, {quoted(end)} as ends"
        for i, (said, start, end) in enumerate(spans)
    )
    within = " or ".join(
        f"(spans.turn = {i} and {column} >= {stored(start)} and {column} < {stored(end)})"
        for i, (_, start, end) in enumerate(spans)
    )
    return f"join ({rows}) as spans on {within}"


PERIOD = (("spans.period", "period"), ("spans.starts", "window_start"), ("spans.ends", "window_end"))
"""The columns of `joined_spans` that tell which time a row is of."""
