"""PURE: what people said of the impact, held against what was measured: a difference is told, not settled."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from workers.contracts import Claim, Evidence
from workers.engine.anomaly import has_moved
from workers.incidents import cues
from workers.incidents.measured import worst_of
from workers.incidents.model import Line

SHARE = re.compile(r"(?<![\w.,])(\d+(?:[.,]\d+)?)\s*(?:%|percent\b)")
SETTING = r"(?:timeouts?|limits?|budgets?|deadlines?|ttls?|intervals?|windows?)"
SECONDS = re.compile(
    r"(?<![\w.,])(?<!timeout )(?<!timeout of )(\d+(?:[.,]\d+)?)\s*(ms|milliseconds?|s|secs?|seconds?)\b"
    rf"(?![ -]{SETTING}\b)"
)
"""A time that something takes; one that somebody set is none."""
FAILS = re.compile(r"\b(?:error|fail|5\d\d\b|5xx|time(?:d)? ?out|timing out|reject|declin|drop)", re.IGNORECASE)
SLOW = re.compile(r"\b(?:p9[05]|latency|slow|respon[ds]\w*|takes?|took|taking|load)\b", re.IGNORECASE)
OTHER_QUANTILE = re.compile(r"\b(?:p50|p99|p999|median|average|avg|mean)\b", re.IGNORECASE)
ABOVE, BELOW = 1.25, 0.5
"""More than a quarter above the highest that was measured, or less than half of it, is another figure."""


def contradictions(lines: Iterable[Line], evidence: Sequence[Evidence]) -> Iterator[tuple[Line, Claim]]:
    """What people said that was measured otherwise.

    Args:
        lines: what people said of the impact.
        evidence: what was measured, numbered.

    Yields: what was said, and what was measured instead, as a claim to be checked.
    """
    for line in lines:
        low = line.text.lower()
        for role, said in (("errors", shares(line.text)), ("latency", seconds(line.text))):
            item = measured_of(line, evidence, role)
            if item is None:
                continue
            peak = float(item.facts["peak"].value)
            none_felt = bool(role == "errors" and cues.NO_IMPACT.search(low) and has_moved(item))
            if none_felt or (said and not any(BELOW * peak <= one <= ABOVE * peak for one in said)):
                k = item.id
                at = f", at {{{k}.peak_at}}" if "peak_at" in item.facts else ""
                yield line, Claim(template=f"The highest {item.title} measured was {{{k}.peak}}{at}.", evidence=(k,))
                break


def shares(text: str) -> list[float]:
    """The shares that a text says something fails by, as ratios."""
    return [number(match[1]) / 100 for match in SHARE.finditer(text)] if FAILS.search(text) else []


def seconds(text: str) -> list[float]:
    """The times that a text says something takes, as far as they compare with a p95."""
    if not SLOW.search(text) or OTHER_QUANTILE.search(text):
        return []
    return [number(m[1]) / (1000 if m[2].startswith("m") else 1) for m in SECONDS.finditer(text)]


def number(text: str) -> float:
    """``4.8`` and ``4,8``."""
    return float(text.replace(",", "."))


def measured_of(line: Line, evidence: Sequence[Evidence], role: str) -> Evidence | None:
    """The metric of a role that a line speaks of: of what it names, else the one with the highest peak."""
    unit = {"errors": "ratio", "latency": "s"}[role]
    known = [e for e in evidence if e.kind == "metric" and "peak" in e.facts and e.facts["peak"].unit == unit]
    named = [e for e in known if e.facts["peak"].entity.lower() in line.text.lower()]
    return worst_of(named, role) or worst_of(known, role)
