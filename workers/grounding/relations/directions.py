"""Which way something went, and by how much: "rose", "fell", "doubled" against the values of the evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from workers.grounding.evidence_values import Index, Number, stems_of
from workers.grounding.lexicon import DOWN, FLAT, UP, words
from workers.grounding.relations.reading import PHRASE, SENTENCE, Reading, numbers_of, span_around
from workers.grounding.relations.roles import role_of

SIZES = {"doubl": (1.7, 2.5), "tripl": (2.6, 3.5), "quadrupl": (3.5, 4.6), "halv": (0.4, 0.6)}
SIZED = words(r"doubl\w+|tripl\w+|quadrupl\w+|halv\w+")
SLIGHTLY = words(r"slight(?:ly)?|marginal(?:ly)?|somewhat")
SHARPLY = words(
    r"sharply|massive(?:ly)?|dramatic(?:ally)?|skyrocket\w*|explod\w+|plummet\w*|plung\w+|soar\w+|collaps\w+"
)
LOOSE = re.compile(r"\b(?:more than|over|nearly|almost|less than|not quite|at least)\s*$", re.IGNORECASE)
FEW = 3
"""So many metrics may be told apart by their titles."""
STEADY = frozenset({"steady", "unchanged", "flat", "stable"})
FROM = re.compile(r"\bfrom\b[^,;]{0,12}$", re.IGNORECASE)
BETWEEN = re.compile(
    r"\s{0,3}(?:\([^)]{0,200}\)\s{0,3})?(?:to|→|->|down to|up to|and now)\s*"
    r"(?:about |around |roughly |some |just |only |nearly )*"
)
EXTREME = re.compile(r"\b(?:peak\w*|worst|lowest|highest|maximum|minimum|dip|trough|recover\w*|back)\b", re.IGNORECASE)


def said_ways(text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Every word of direction, and which way it says."""
    flat = [m.span() for m in FLAT.finditer(text)]
    for way, pattern in (("flat", FLAT), ("up", UP), ("down", DOWN)):
        for match in pattern.finditer(text):
            if way == "flat" or not any(a <= match.start() < b for a, b in flat):
                yield match, way


def check_swapped(reading: Reading) -> str:
    """ "from A to B": the evidence must not have them the other way round."""
    text, values = reading.text, reading.values()
    for mention in (m for m in values if m.function in {"move", "change", "ratio", "diff"}):
        if [role_of(v) for v in mention.supports[0].values if isinstance(v, Number)] == ["now", "before"]:
            return f"“{mention.specific.text}” tells now and before the other way round"
    for a, b in pairwise(values):
        between = text[a.specific.end : b.specific.start]
        led = FROM.search(text[max(0, a.specific.start - 24) : a.specific.start]) and BETWEEN.fullmatch(between)
        roles = [{role_of(n) for n in numbers_of(m)} for m in (a, b)]
        if roles == [{"now"}, {"before"}] and (led or re.fullmatch(r"\s*(?:→|->)\s*", between)):
            return f"“{a.specific.text}” is not the value from before"
    return ""


def moves(index: Index) -> tuple[float, float, bool] | None:
    """A metric's value from before and of now, and whether it is called steady; None when they are not known."""
    facts = [n for n in index.facts.values() if isinstance(n, Number)]
    before = next((n for n in facts if role_of(n) == "before"), None)
    now = next((n for n in facts if before and role_of(n) == "now" and n.dimension == before.dimension), None)
    if before is None or now is None:
        return None
    steady = before.row.cells.get("direction", "") in STEADY
    return before.value, now.value, steady or abs(now.value - before.value) <= 0.1 * abs(before.value)


def subject(match: re.Match[str], reading: Reading) -> Index | None:
    """The one cited metric that the words around a word of direction speak of; None when there may be several."""
    metrics = [i for i in reading.scope.indexes if moves(i)]
    if len(metrics) == 1:
        others = [i for i in reading.scope.indexes if i.kind == "metric" and i is not metrics[0]]
        words = stems_of(reading.text)
        named = words & metrics[0].title if not others else words >= metrics[0].title
        return metrics[0] if len(reading.scope.indexes) == 1 or named else None
    start, end = span_around(SENTENCE, reading.text, match.start())
    lonely = sum(1 for _ in said_ways(reading.text[start:end])) == 1
    for pattern in (PHRASE, SENTENCE) if lonely else (PHRASE,):
        start, end = span_around(pattern, reading.text, match.start())
        said = stems_of(reading.text[start:end])
        near = {n.row for m in reading.values() if start <= m.specific.start < end for n in numbers_of(m)}
        scores = [(len(i.title & said) - 0.5 * len(i.title - said), i) for i in metrics]
        best = [i for score, i in scores if score == max(s for s, _ in scores)]
        owned = [i for i in metrics if any(n.row in near for n in i.facts.values())]
        if len(owned) == 1 and (len(best) > 1 or owned == best):
            return owned[0]
        if len(best) == 1 and best[0].title & said and len({i.title for i in metrics}) == len(metrics) <= FEW:
            return best[0]
    return None


def moved(match: re.Match[str], reading: Reading) -> tuple[float, float, bool] | None:
    """How the metric that a word speaks of moved; None when it is denied, tells an extreme or stands in a slot."""
    start, end = span_around(SENTENCE, reading.text, match.start())
    slots = (m.specific for m in reading.mentions if m.function == "move")
    if reading.negated(match.start()) or EXTREME.search(reading.unquoted()[start:end]):
        return None
    index = subject(match, reading) if not any(s.start <= match.start() < s.end for s in slots) else None
    return moves(index) if index else None


def check_directions(reading: Reading) -> str:
    """A word of direction against the metric that it speaks of."""
    text = reading.unquoted()
    for match, way in said_ways(text):
        found = None if re.match(r"\s*(?:than|as)\b", text[match.end() :]) else moved(match, reading)
        if found is None:
            continue
        first, last, steady = found
        wrong = (way == "up" and last <= first) or (way == "down" and last >= first) or (way == "flat" and not steady)
        if wrong or (way != "flat" and steady and abs(last - first) < 0.03 * abs(first)):
            return f"“{match.group()}” does not agree with the values"
    return ""


def check_sizes(reading: Reading) -> str:
    """ "doubled" and "slightly" against the values beside them, or the metric they speak of."""
    text = reading.unquoted()
    for pattern in (SIZED, SLIGHTLY, SHARPLY):
        for match in pattern.finditer(text):
            found = moved(match, reading)
            if found is None or not found[0]:
                continue
            factor = found[1] / found[0]
            low, high = next((v for k, v in SIZES.items() if match.group().lower().startswith(k)), (0.6, 1.6))
            if pattern is SIZED and LOOSE.search(text[: match.start()]):
                low, high = low * 0.75, high * 1.4
            if (low <= factor <= high) is (pattern is SHARPLY):
                return f"“{match.group()}” is not what the values say"
    return ""
