"""Which way something went, and by how much: "rose", "fell", "doubled", "slightly" against the values of the evidence."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from collections.abc import Iterator

from workers.grounding.evidence_values import Index, Number, stems_of
from workers.grounding.lexicon import DOWN, FLAT, LOWERED, RAISED, UP, words
from workers.grounding.relations.reading import Reading, phrase_around, sentence_around
from workers.grounding.relations.roles import role_of
from workers.grounding.specific_match import Mention
from workers.language.negation import is_negated

SIZES = {"doubl": (1.7, 2.5), "tripl": (2.6, 3.5), "quadrupl": (3.5, 4.6), "halv": (0.4, 0.6)}
SIZED = words(r"doubl\w+|tripl\w+|quadrupl\w+|halv\w+")
SLIGHTLY = words(r"slight(?:ly)?|marginal(?:ly)?|somewhat")
SHARPLY = words(
    r"sharply|massive(?:ly)?|dramatic(?:ally)?|skyrocket\w*|explod\w+|plummet\w*|plung\w+|soar\w+|collaps\w+"
)
LOOSE = re.compile(r"\b(?:more than|over|nearly|almost|less than|not quite|at least)\s*$", re.IGNORECASE)
RELATIVE = re.compile(r"\b(?:than|as)\b", re.IGNORECASE)
STEADY = frozenset({"steady", "unchanged", "flat", "stable"})
FROM_TO = re.compile(r"\b(?:from|→|->)", re.IGNORECASE)
BETWEEN = re.compile(
    r"\s*(?:\([^)]*\)\s*)?(?:to|→|->|down to|up to|and now)\s*(?:about |around |roughly |some |just |only |nearly )*"
)
EXTREME = re.compile(r"\b(?:peak\w*|worst|lowest|highest|maximum|minimum|dip|trough|recover\w*|back)\b", re.IGNORECASE)


def said_ways(text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Every word of direction, and which way it says."""
    flat = [m.span() for m in FLAT.finditer(text)]
    for way, pattern in (("flat", FLAT), ("up", UP), ("down", DOWN)):
        for match in pattern.finditer(text):
            if way == "flat" or not any(a <= match.start() < b for a, b in flat):
                yield match, way


def check_own_values(reading: Reading) -> str:
    """ "rose from A to B": B must be the larger one, and A the one from before."""
    acts = [(m, w) for w, p in (("up", RAISED), ("down", LOWERED)) for m in p.finditer(reading.text)]
    for match, way in (*said_ways(reading.text), *acts):
        pair = pair_after(match, reading)
        if pair and way in {"up", "down"}:
            first, last = (m.supports[0].exact if m.supports[0].exact is not None else m.specific.value for m in pair)
            if first != last and ((last > first) is (way == "up")) is negated(match, reading):
                return f"“{match.group()}” does not agree with its own values"
    return ""


def pair_after(match: re.Match[str], reading: Reading) -> tuple[Mention, Mention] | None:
    """The two values that follow a word of direction: ``from A to B``."""
    end = sentence_around(reading.text, match.start())[1]
    near = [m for m in reading.values() if match.end() <= m.specific.start < min(end, match.end() + 90)][:2]
    if len(near) < 2 or near[0].specific.dimension != near[1].specific.dimension:
        return None
    lead, between = (
        reading.text[match.end() : near[0].specific.start],
        reading.text[near[0].specific.end : near[1].specific.start],
    )
    return (near[0], near[1]) if re.search(r"\bfrom\b[^,;]{0,12}$", lead) and BETWEEN.fullmatch(between) else None


def check_swapped(reading: Reading) -> str:
    """ "from A to B": the evidence must not have them the other way round."""
    values = reading.values()
    for mention in (m for m in values if m.function in {"move", "change", "ratio", "diff"}):
        first, last = mention.supports[0].values
        if isinstance(first, Number) and isinstance(last, Number) and (role(first), role(last)) == ("now", "before"):
            return f"“{mention.specific.text}” tells now and before the other way round"
    for a, b in zip(values, values[1:], strict=False):
        between = reading.text[a.specific.end : b.specific.start]
        lead = reading.text[max(0, a.specific.start - 24) : a.specific.start]
        arrow = re.fullmatch(r"\s*(?:→|->)\s*", between)
        if not arrow and not (re.search(r"\bfrom\b[^,;]{0,12}$", lead) and BETWEEN.fullmatch(between)):
            continue
        first, last = {role(s) for s in numbers(a)}, {role(s) for s in numbers(b)}
        if first == {"now"} and last == {"before"}:
            return f"{a.specific.text} is not the value from before"
    return ""


def numbers(mention: Mention) -> list[Number]:
    """The numbers that a value can stand for by itself."""
    return [v for s in mention.supports if len(s.values) == 1 for v in s.values if isinstance(v, Number)]


def role(number: Number) -> str:
    """Its role in the evidence."""
    return role_of(number)


def negated(match: re.Match[str], reading: Reading) -> bool:
    """Whether a word of direction is denied."""
    return is_negated(reading.text, max(0, match.start() - 24), match.start())


def moves(index: Index) -> tuple[float, float, bool] | None:
    """A metric's value from before and of now, and whether it is called steady; None when they are not known."""
    facts = [n for n in index.facts.values() if isinstance(n, Number) and n.dimension]
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
        return metrics[0] if len(reading.scope.indexes) == 1 or stems_of(reading.text) & metrics[0].title else None
    start, end = sentence_around(reading.text, match.start())
    lonely = sum(1 for _ in said_ways(reading.text[start:end])) == 1
    for span in (phrase_around, sentence_around) if lonely else (phrase_around,):
        start, end = span(reading.text, match.start())
        said = stems_of(reading.text[start:end])
        near = {id(n.row) for m in reading.values() if start <= m.specific.start < end for n in numbers(m)}
        scores = [
            (len(i.title & said) - 0.5 * len(i.title - said), any(id(n.row) in near for n in i.facts.values()), i)
            for i in metrics
        ]
        best = [i for score, own, i in scores if score == max(s for s, _, _ in scores)]
        owned = [i for _, own, i in scores if own]
        if len(owned) == 1 and (len(best) > 1 or owned == best):
            return owned[0]
        if len(best) == 1 and best[0].title & said:
            return best[0]
    return None


def check_directions(reading: Reading) -> str:
    """A word of direction against the metric that it speaks of."""
    text = reading.unquoted()
    for match, way in said_ways(text):
        start, end = sentence_around(text, match.start())
        if negated(match, reading) or RELATIVE.match(text[match.end() :].lstrip()) or in_slot(match.start(), reading):
            continue
        index = subject(match, reading)
        found = moves(index) if index else None
        if not found or EXTREME.search(text[start:end]):
            continue
        first, last, steady = found
        wrong = (way == "up" and last <= first) or (way == "down" and last >= first) or (way == "flat" and not steady)
        if wrong or (way != "flat" and steady and abs(last - first) < 0.03 * abs(first)):
            return f"“{match.group()}” does not agree with the values"
    return ""


def check_sizes(reading: Reading) -> str:
    """ "doubled" and "slightly" against the metric they speak of, or the values beside them."""
    text = reading.unquoted()
    for pattern, low, high in ((SIZED, 0.0, 0.0), (SLIGHTLY, 0.6, 1.6), (SHARPLY, 0.0, 0.0)):
        for match in pattern.finditer(text):
            factor = factor_beside(match, reading)
            start, end = sentence_around(text, match.start())
            if (
                factor is None
                or EXTREME.search(text[start:end])
                or negated(match, reading)
                or in_slot(match.start(), reading)
            ):
                continue
            if pattern is SIZED:
                low, high = next(v for k, v in SIZES.items() if match.group().lower().startswith(k))
                if LOOSE.search(text[: match.start()]):
                    low, high = low * 0.75, high * 1.4
                if not low <= factor <= high:
                    return f"“{match.group()}” is not what the values say"
            elif (pattern is SLIGHTLY) is not (0.6 <= factor <= 1.6):
                return f"“{match.group()}” is not what the values say"
    return ""


def factor_beside(match: re.Match[str], reading: Reading) -> float | None:
    """How many times the value from before that of now is: of two values beside a word, else of its metric."""
    pair = pair_after(match, reading)
    if pair:
        first, last = (m.supports[0].exact or m.specific.value for m in pair)
    else:
        index = subject(match, reading)
        found = moves(index) if index else None
        if not found:
            return None
        first, last = found[:2]
    return last / first if first else None


def in_slot(at: int, reading: Reading) -> bool:
    """Whether a position lies in words that code wrote from two values."""
    return any(m.function == "move" and m.specific.start <= at < m.specific.end for m in reading.mentions)
