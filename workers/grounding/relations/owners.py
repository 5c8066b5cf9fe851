"""Whose value it is: a value must not stand in another row than the one that the claim's words name; and R0.8."""

from __future__ import annotations

import re

from workers.grounding.arithmetic import work_out
from workers.grounding.evidence_values import Number, stems_of
from workers.grounding.lexicon import BEHAVIOUR, DOWN, UP, words
from workers.grounding.mentions import Mention
from workers.grounding.number_match import interval
from workers.grounding.relations.reading import CLAUSE, SENTENCE, Reading, numbers_of, span_around

PROSE_WORDS = 2
"""How many words must single out a line or sentence; one does for an object, a row of a table, a metric."""
STANDS = words(
    r"(?:is|are|has been|have been|was|were) (?:now |currently |still )?(?:high|low|slow|elevated|failing|up|down)"
)
OF_WHOLE = re.compile(r"\bof (?:the |its |all )?(?:\w+[’']s )?[$€£]?$", re.IGNORECASE)
"""What makes a value the whole that something is a part of, not that thing's own."""
UNMEASURED = frozenset({"code", "change", "deploy", "flag"})


def check_owners(reading: Reading) -> str:
    """A value of another row: the clause names a row that has its own value in the field, and not the value's row."""
    for mention in reading.values():
        held, one = numbers_of(mention), mention.specific
        if not held or one.kind == "factor" or (one.dimension == "plain" and not one.text[:1].isdigit()):
            continue
        for pattern in (CLAUSE, SENTENCE):
            start, end = span_around(pattern, reading.text, one.start)
            said = stems_of(reading.text[start:end]) & reading.scope.words
            rival = owner_named(mention, held, said, reading)
            if (
                rival
                and not OF_WHOLE.search(reading.text[: one.start])
                and not (one.dimension in {"ratio", "points"} and work_out(one, reading.mentions, reading.scope))
            ):
                return f"“{one.text}” is not the value of “{rival}”"
            if said:
                break
    return ""


def owner_named(mention: Mention, held: list[Number], said: frozenset[str], reading: Reading) -> str:
    """What the words name instead: they fit another row, and nothing in them is of the value's rows alone."""
    low, high = interval(mention.specific)
    kinds = {i.id: i.kind for i in reading.scope.indexes}
    mine = frozenset().union(*(n.row.words for n in held))
    fields, tables, rows = ({(n.field, n.dimension) for n in held}, {n.row.table for n in held}, {n.row for n in held})
    for rival in (n for i in reading.scope.indexes for n in i.sequence):
        if kinds.get(rival.row.evidence) in UNMEASURED:
            continue  # a line of code that holds a number does not own it
        if rival.row in rows or (rival.field, rival.dimension) not in fields or rival.row.table not in tables:
            continue
        theirs = said & (rival.row.words - mine)
        enough = len(theirs) >= (PROSE_WORDS if rival.row.table == "lines" else 1)
        differs = mention.slot or not low <= rival.value <= high
        if enough and differs and not any(said & (n.row.words - rival.row.words) for n in held):
            line = next((part for part in rival.row.text.splitlines() if theirs & stems_of(part)), rival.row.text)
            return line.strip()[:60]
    return ""


def check_behaviour(reading: Reading) -> str:
    """A claim that tells how something behaves and cites nothing measured, unless it retells a text's words."""
    if not all(i.kind in UNMEASURED for i in reading.scope.indexes):
        return ""
    text = reading.unquoted()
    shown = "\n".join(i.text for i in reading.scope.indexes).lower()
    for match in BEHAVIOUR.finditer(text):
        start, end = span_around(SENTENCE, text, match.start())
        moved = any(p.search(text, start, end) for p in (UP, DOWN, STANDS))
        if moved and match.group().lower() not in shown:
            return f"speaks of “{match.group()}” without having measured it"
    return ""
