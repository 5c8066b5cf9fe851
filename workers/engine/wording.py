"""PURE. Rules for words that say something about facts: whose value, which way, in what order, because of what.

Each rule takes a `Reading` of one claim and returns the reason it fails, or "".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from workers.contracts import Evidence
from workers.engine.lexicon import (
    AFTER_ROLE,
    BEFORE_ROLE,
    CLAUSE,
    DOWN,
    EVENTS,
    FACTORS,
    FLAT,
    LEAD_NOW,
    LEAD_PEAK,
    ORDER,
    PEAK_ROLE,
    UP,
)
from workers.engine.match import Mention, base_value, dimension
from workers.engine.slots import Ref
from workers.engine.style import steady


@dataclass(frozen=True)
class Reading:
    """One claim as read: its full text, the mentions in it, and the evidence it cites."""

    text: str
    mentions: Sequence[Mention]
    cited: Sequence[Evidence]

    def by_id(self, key: str) -> Evidence | None:
        """Cited evidence by id."""
        return next((e for e in self.cited if e.id == key), None)


def clause_around(text: str, at: int) -> tuple[int, int]:
    """The span of the clause that holds a position."""
    start, end = 0, len(text)
    for match in CLAUSE.finditer(text):
        if match.end() <= at:
            start = match.end()
        elif match.start() >= at:
            end = match.start()
            break
    return start, end


def words_of(text: str) -> set[str]:
    """Lower-case words and numbers, for overlap."""
    return {w for w in re.findall(r"[a-z]+\d*|\d+", text.lower().replace("_", " ")) if len(w) > 1}


# --- whose value ----------------------------------------------------------------------------------------------


def entity_positions(reading: Reading) -> list[tuple[int, str]]:
    """Where the claim names an entity that a cited metric, alert, row or deploy is about."""
    names = {
        f.entity for e in reading.cited if e.kind not in {"code", "doc"} for f in e.facts.values() if len(f.entity) > 2
    }
    names |= {m.specific.text for m in reading.mentions if m.specific.kind == "endpoint"}
    out: list[tuple[int, str]] = []
    for name in sorted(names, key=len, reverse=True):
        for match in re.finditer(rf"(?<![\w/]){re.escape(name)}(?![\w/])", reading.text):
            if not any(at <= match.start() < at + len(other) for at, other in out):
                out.append((match.start(), name))
    return sorted(out)


def entity_for(at: int, reading: Reading, named: list[tuple[int, str]]) -> str:
    """The entity a value at this position belongs to: in its clause, else the closest before it."""
    if not named:
        return ""
    if len({n for _, n in named}) == 1:
        return named[0][1]
    start, end = clause_around(reading.text, at)
    inside = [(abs(p - at), n) for p, n in named if start <= p < end]
    if inside:
        return min(inside)[1]
    before = [n for p, n in named if p < at]
    return before[-1] if before else named[0][1]


def check_entities(reading: Reading) -> str:
    """A value must belong to the endpoint or service that the claim gives it to."""
    named = entity_positions(reading)
    for mention in values(reading):
        wanted = entity_for(mention.specific.start, reading, named)
        if not wanted or mention.slot:
            continue
        owners = {owner for refs in mention.refs for owner in owners_of(refs, reading)}
        if owners and "" not in owners and wanted not in owners:
            return f"{mention.specific.text} belongs to {' or '.join(sorted(owners))}, not to {wanted}"
    return ""


def owners_of(refs: Sequence[Ref], reading: Reading) -> Iterator[str]:
    """The entities of a reading's facts; "" where a fact is about everything, or stands in prose."""
    for ref in refs:
        evidence = reading.by_id(ref.evidence)
        if evidence is None or ref.name == "excerpt" or ref.fact.unit == "time" or evidence.kind in {"code", "doc"}:
            yield ""
        else:
            yield "" if ref.fact.entity in {"", "all"} else ref.fact.entity


def values(reading: Reading) -> Iterator[Mention]:
    """Mentions that carry a value."""
    return (m for m in reading.mentions if m.specific.kind in {"quantity", "factor"})


# --- which metric ---------------------------------------------------------------------------------------------


def check_metric_names(reading: Reading) -> str:
    """A value must be that of the metric the claim names beside it."""
    metrics = [e for e in reading.cited if e.kind == "metric"]
    for mention in values(reading):
        if mention.slot or not mention.refs:
            continue
        start, _ = clause_around(reading.text, mention.specific.start)
        near = words_of(reading.text[start : mention.specific.start]) or words_of(reading.text)
        own = {r.evidence for refs in mention.refs for r in refs}
        sources = [e for e in metrics if e.id in own]
        if not sources or any(r.name == "excerpt" for refs in mention.refs for r in refs):
            continue
        best = max(title_overlap(e, near) for e in sources)
        rival = max((title_overlap(e, near) for e in metrics if e.id not in own), default=0.0)
        if rival > best or best < 0:
            return f"{mention.specific.text} is a value of {sources[0].title}"
    return ""


def title_overlap(evidence: Evidence, near: set[str]) -> float:
    """Distinct words of a metric's title beside a value; another percentile than the title's counts against it."""
    title = words_of(evidence.title)
    percentile = {w for w in near if re.fullmatch(r"p\d\d+", w)}
    own = {w for w in words_of(f"{evidence.title} {' '.join(evidence.facts)}") if re.fullmatch(r"p\d\d+", w)}
    if percentile and own and not percentile & own:
        return -1.0
    return float(len(title & near))


# --- which way ------------------------------------------------------------------------------------------------


def check_roles(reading: Reading) -> str:
    """``from A to B``: A is a value from before, B one from after; ``peaked at`` is the peak."""
    text = reading.text
    for mention in values(reading):
        if mention.slot or mention.derived or not mention.refs or any(len(r) > 1 for r in mention.refs):
            continue
        lead = text[max(0, mention.specific.start - 30) : mention.specific.start].lower()
        names = {r.name for refs in mention.refs for r in refs}
        if reason := role_mismatch(lead, text[mention.specific.end :], names, reading):
            return f"{mention.specific.text} {reason}"
    return ""


def role_mismatch(lead: str, tail: str, names: set[str], reading: Reading) -> str:
    """Why values with these fact names cannot stand after these words."""
    has_before = any(BEFORE_ROLE.search(n) for n in fact_names(reading))
    if not has_before:
        return ""
    if re.search(
        r"\b(from|was|normally|usually|baseline(?: of| is| was)?|before:?|used to be|instead of|than)\s*$", lead
    ):
        return "" if any(not AFTER_ROLE.search(n) for n in names) else "is not the value from before"
    if LEAD_PEAK.search(lead):
        return "" if any(PEAK_ROLE.search(n) or n == "excerpt" for n in names) else "is not the peak"
    if LEAD_NOW.search(lead):
        return "" if any(not BEFORE_ROLE.search(n) for n in names) else "is the value from before"
    if re.search(r"(\bto|→|->)\s*$", lead):
        return "" if any(not BEFORE_ROLE.search(n) for n in names) else "is the value from before"
    if re.match(r"\s*(→|->)", tail):
        return "" if any(not AFTER_ROLE.search(n) for n in names) else "is not the value from before"
    return ""


def fact_names(reading: Reading) -> Iterator[str]:
    """All fact names of the cited evidence."""
    return (name for e in reading.cited for name in e.facts)


def check_directions(reading: Reading) -> str:
    """Words such as "rose", "halved", "unchanged" must agree with the values."""
    for pattern, sign in ((UP, 1), (DOWN, -1), (FLAT, 0)):
        for match in pattern.finditer(reading.text):
            if inside_slot(match.start(), reading):
                continue
            metrics = metrics_near(match.start(), reading)
            moves = [pair for m in metrics for pair in move_of(m)]
            calm = sign == 0 and any("direction" in m.facts and m.facts["direction"].value == "steady" for m in metrics)
            if moves and not calm and not any(agrees(match.group().lower(), sign, a, b) for a, b in moves):
                return f"“{match.group()}” does not agree with the values"
    return ""


def inside_slot(at: int, reading: Reading) -> bool:
    """Whether a position lies in text that code wrote from facts."""
    return any(m.slot and m.specific.start <= at < m.specific.end for m in reading.mentions)


def agrees(word: str, sign: int, first: float, last: float) -> bool:
    """One word against one pair of values."""
    for stem, (low, high) in FACTORS.items():
        if word.startswith(stem):
            return first != 0 and low <= last / first <= high
    if sign == 0:
        return steady(first, last)
    return (last - first) * sign > 0


def metrics_near(at: int, reading: Reading) -> list[Evidence]:
    """The metrics that a word of direction speaks of: those with a value in its clause, else those named closest."""
    start, end = clause_around(reading.text, at)
    near = words_of(reading.text[start:end])
    used = {r.evidence for m in values(reading) if start <= m.specific.start < end for refs in m.refs for r in refs}
    metrics = [e for e in reading.cited if e.kind in {"metric", "row"} and move_of(e)]
    chosen = [e for e in metrics if e.id in used]
    if chosen or not metrics:
        return chosen
    scores = {e.id: title_overlap(e, near) for e in metrics}
    return [e for e in metrics if scores[e.id] == max(scores.values())]


def move_of(evidence: Evidence) -> list[tuple[float, float]]:
    """Pairs of a value from before and one from after, of one unit."""
    numeric = {
        n: f
        for n, f in evidence.facts.items()
        if isinstance(f.value, int | float) and not isinstance(f.value, bool) and f.unit not in {"line", "percent"}
    }
    befores = [f for n, f in numeric.items() if BEFORE_ROLE.search(n)]
    afters = [f for n, f in numeric.items() if AFTER_ROLE.search(n)]
    return [(base_value(a), base_value(b)) for a in befores for b in afters if dimension(a) == dimension(b)]


# --- in what order --------------------------------------------------------------------------------------------


def event_class(name: str, evidence: Evidence) -> str:
    """What kind of event a time fact is."""
    if name.startswith(("window", "newest", "observed")):
        return "window"
    for key in ("peak", "recovered", "onset"):
        if key in name:
            return key
    if evidence.kind in {"deploy", "alert", "change"}:
        return evidence.kind
    return next((key for key in ("deploy", "alert") if key in name), "other")


def check_times(reading: Reading) -> str:
    """A written time must be that of the event named beside it."""
    for mention in reading.mentions:
        if mention.specific.kind != "time" or mention.slot or not mention.refs:
            continue
        found = {
            event_class(r.name, e)
            for refs in mention.refs
            for r in refs
            if r.name != "excerpt" and (e := reading.by_id(r.evidence))
        }
        start, end = clause_around(reading.text, mention.specific.start)
        wanted = nearest_event(reading.text[start:end], mention.specific.start - start)
        if found and wanted and wanted not in found and not found & {"other"}:
            return f"{mention.specific.text} is the time of the {'/'.join(sorted(found))}, not of the {wanted}"
    return ""


def nearest_event(clause: str, at: int) -> str:
    """The event word closest to a position, those before it first."""
    best: tuple[int, str] | None = None
    for name, pattern in EVENTS:
        for match in pattern.finditer(clause):
            gap = at - match.end() if match.end() <= at else (match.start() - at) + 15
            if best is None or gap < best[0]:
                best = (gap, name)
    return best[1] if best else ""


def check_order(reading: Reading) -> str:
    """``X two minutes after Y``: events with times in the cited evidence, in that order and so far apart."""
    for match in ORDER.finditer(reading.text):
        if inside_slot(match.start(), reading):
            continue
        word = match.group().lower()
        left = reading.text[: match.start()]
        right = re.split(CLAUSE, reading.text[match.end() :], maxsplit=1)[0]
        first, second = event_time(left, reading, last=True), event_time(right, reading, last=False)
        if first is None or second is None or first == second:
            continue
        earlier = word in {"before", "prior to", "until", "ahead of"} or word.startswith("preced")
        gap = (second - first).total_seconds()
        if (earlier and gap < -30) or (not earlier and gap > 30):
            return f"“{word}” does not agree with the times"
        said = distance_before(match.start(), reading)
        if said and abs(abs(gap) - said.specific.value) > max(said.specific.tolerance, 45):
            return f"{said.specific.text} is not the time between them"
    return ""


def distance_before(at: int, reading: Reading) -> Mention | None:
    """The duration written right before a word of order."""
    for mention in reading.mentions:
        if mention.specific.dimension == "s" and not mention.slot and 0 <= at - mention.specific.end <= 2:
            return mention
    return None


def event_time(phrase: str, reading: Reading, *, last: bool) -> datetime | None:
    """The time of the event a phrase names: by its kind of event and the words of its evidence's title."""
    window = phrase[-90:] if last else phrase[:90]
    found = [(m.start(), name) for name, pattern in EVENTS for m in pattern.finditer(window)]
    if not found and not words_of(window):
        return None
    wanted = (max(found) if last else min(found))[1] if found else ""
    near = words_of(window)
    best: tuple[float, datetime] | None = None
    for evidence in reading.cited:
        for name, fact in evidence.facts.items():
            if fact.unit != "time" or event_class(name, evidence) in {"window", "other"}:
                continue
            kind = event_class(name, evidence)
            overlap = len(words_of(f"{evidence.title} {fact.entity}") & near)
            score = overlap + (2.0 if kind == wanted else 0.0) - (1.0 if wanted and kind != wanted else 0.0)
            score -= 0.5 if kind in {"peak", "recovered"} and kind != wanted else 0.0
            if score > 0.5 and (best is None or score > best[0]):
                best = (score, datetime.fromisoformat(str(fact.value)))
    return best[1] if best else None
