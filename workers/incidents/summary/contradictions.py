"""What people said of the impact, held against what was measured: a difference is told, not settled."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from workers.contracts import Claim, Evidence
from workers.incidents.summary.external_events import names
from workers.incidents.summary.metric_impact import worst_of
from workers.incidents.summary.summary_types import Line

SHARE = re.compile(r"(?<![\w.,])(?<!\bby )(\d+(?:[.,]\d+)?)\s*(?:%|percent\b)", re.IGNORECASE)
"""A share; "by 40%" is a change."""
CLAUSE = re.compile(r"[;:()]|[.,](?!\d)|\b(?:and|but|while|whereas|because|so|since|und|y)\b", re.IGNORECASE)
GOES_ON = frozenset(
    """a about all almost are around at back by calls customers down from had has have high is it just now of on only or
    orders over peaked reached requests roughly still than then to today under up users was went were ~ ≈""".split()
)
"""Words of a clause that tells no more than another share of the same: "and went to 11%"."""
SECONDS = re.compile(
    r"(?<![\w.,])(?<!timeout )(?<!timeout of )(\d+(?:[.,]\d+)?)\s*(ms|milliseconds?|s|secs?|seconds?)\b(?![ -]([a-z]+))"
)
SETTINGS = frozenset("timeout limit budget deadline ttl interval window".split())
"""What somebody sets: a time of it is none that something takes."""
FAILS = re.compile(r"\b(?:error|fail|5\d\d\b|5xx|time(?:d)? ?out|timing out|reject|declin|drop)", re.IGNORECASE)
PARTS = frozenset(
    """bandwidth budget cache canary capacity cpu disk full heap host load mem memory node partition pod pool quota ram
    replica rollout sampling shard storage usage used utilisation utilization""".split()
)
"""Parts of a system, without a plural's ending. A share of one is none of requests: "95% of the heap", "CPU at 95%"."""
FILLERS = frozenset("of the all our its".split())
AROUND = 6
"""So many words before a share may tell what it is of."""
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
        for role, said in (("errors", shares(line.text)), ("latency", seconds(line.text))):
            item = measured_of(line, evidence, role)
            if item is None:
                continue
            peak = float(item.facts["peak"].value)
            if said and not any(BELOW * peak <= one <= ABOVE * peak for one in said):
                k = item.id
                at = f", at {{{k}.peak_at}}" if "peak_at" in item.facts else ""
                yield line, Claim(template=f"The highest {item.title} measured was {{{k}.peak}}{at}.", evidence=(k,))
                break


def shares(text: str) -> list[float]:
    """The shares of requests that a text says fail, as ratios."""
    found: list[float] = []
    fails = False
    for clause in CLAUSE.split(text):
        if not GOES_ON.issuperset(SHARE.sub(" ", clause.lower()).split()):
            fails = bool(FAILS.search(clause))
        if fails:
            found += [number(m[1]) / 100 for m in SHARE.finditer(clause) if not is_of_part(clause, m)]
    return found


def is_of_part(clause: str, share: re.Match[str]) -> bool:
    """Whether a share is of a part of a system rather than of requests."""
    behind = [word for word in words_in(clause[share.end() :]) if word not in FILLERS]
    if any(is_part(behind, place) for place in range(len(behind[:2]))):
        return True
    before = words_in(clause[: share.start()])
    for place in range(len(before) - 1, max(len(before) - AROUND, 0) - 1, -1):
        if FAILS.search(before[place]):
            return False
        if is_part(before, place):
            return True
    return False


def is_part(words: Sequence[str], place: int) -> bool:
    """Whether a word is a part of a system: "load", and not that of a "load balancer"."""
    return words[place].removesuffix("s") in PARTS and not "".join(words[place + 1 : place + 2]).startswith("balanc")


def words_in(text: str) -> list[str]:
    """The words of a text in lower case."""
    return re.findall(r"[\w-]+", text.lower())


def seconds(text: str) -> list[float]:
    """The times that a text says something takes, as far as they compare with a p95."""
    if not SLOW.search(text) or OTHER_QUANTILE.search(text):
        return []
    taken = (m for m in SECONDS.finditer(text) if (m[3] or "").removesuffix("s") not in SETTINGS)
    return [number(m[1]) / (1000 if m[2].startswith("m") else 1) for m in taken]


def number(text: str) -> float:
    """``4.8`` and ``4,8``."""
    return float(text.replace(",", "."))


def measured_of(line: Line, evidence: Sequence[Evidence], role: str) -> Evidence | None:
    """The metric of a role that a line speaks of: of what it names, else the one with the highest peak."""
    unit = {"errors": "ratio", "latency": "s"}[role]
    known = [e for e in evidence if e.kind == "metric" and "peak" in e.facts and e.facts["peak"].unit == unit]
    named = [e for e in known if names(line.text.lower(), e.facts["peak"].entity)]
    return worst_of(named, role) or worst_of(known, role)
