"""What counts requests on a server: which families do, which of them counts all, how often each second."""

from __future__ import annotations

from collections.abc import Iterator

from workers.sources.metrics.family_ranking import (
    COUNTED,
    LEAST,
    affinity,
    latency_score,
    pace_of,
    spent_score,
    traffic_score,
)
from workers.sources.metrics.inventory import Family
from workers.sources.metrics.name_words import (
    ERRORS,
    LATENCY,
    SATURATION,
    SHARES,
    SIZES,
    TRAFFIC,
    has,
    tokens,
)
from workers.sources.metrics.quantities import time_factor_of
from workers.sources.metrics.role_queries import counter_of, rated

PARTLY = 5.0
COMPANY = 3.0  # what having all labels in common adds to a score
OPERATIONS = frozenset("rate irate rp rps qps persec sum count increase".split())
COUNTED_BY = frozenset("total count cnt num number sum".split())
LEAST_MEAN_S, MOST_MEAN_S = 1e-5, 600.0
RARE = 0.3  # of requests; what counts more is not what failed
Sort = tuple[frozenset[tuple[str, tuple[str, ...]]], float | None] | None
Whole = tuple[frozenset[str], float]  # words of a name, and how much was counted


def means(families: list[Family]) -> Iterator[tuple[Family, Family, float]]:
    """Counters of the time that was spent, each with the counter of what it was spent on: of the same places, akin in
    words, and with a mean that something served can take."""
    counters = [f for f in families if f.kind == "counter"]
    for total in counters:
        score = spent_score(total)
        if score < LEAST:
            continue
        factor, own, here = time_factor_of(total) or 1.0, set(total.words), places(total)
        found = [
            (len(own & set(count.words)), traffic_score(count), count.name, count)
            for count in counters
            if count is not total
            and set(count.words) - TRAFFIC - COUNTED_BY <= own
            and places(count) == here
            and traffic_score(count) > 0
            and LEAST_MEAN_S <= total.level * factor / max(count.level, 1.0) <= MOST_MEAN_S
        ]
        if found:
            yield total, max(found)[-1], score


def places(family: Family) -> dict[str, tuple[str, ...]]:
    """The labels that say where something was counted, with their values."""
    return {x: values for x, values in family.labels.items() if family.parts[x] not in {"status", "within"}}


def flow(family: Family, fixed: str = "") -> str:
    """How often each second what a family counts happens."""
    if family.kind != "gauge":
        name, own = counter_of(family)
        return rated(name, own + fixed)
    text = f"sum by ({{by}}) (avg_over_time({family.name}{{{fixed}{{filter}}}}[{{rate}}]))"
    seconds = pace_of(family) or 1.0
    return text if seconds == 1 else f"({text} / {seconds:g})"


def counting(families: list[Family]) -> list[tuple[Family, float]]:
    """How well each family counts requests; what is told of the same places as the latency counts most."""
    best = max(families, key=latency_score, default=None)
    known = latency_score(best) if best else 0.0
    spent = max(means(families), key=lambda m: m[2], default=None)
    best = spent[1] if spent and spent[2] > known else best if known >= LEAST else None
    scores = [(f, traffic_score(f) or rated_beside(f, best)) for f in families]
    if best and best.kind in COUNTED and best.counted:  # what is timed is counted
        scores = [(f, max(score, 2.0 + affinity(f)) if f is best else score) for f, score in scores]
    known_wholes = wholes(families, best)
    scores = [(f, score - PARTLY * is_part(f, known_wholes.get(sort_of(f), []))) for f, score in scores]
    return [(f, score + company(f, best) if score >= LEAST else score) for f, score in scores]


def wholes(families: list[Family], best: Family | None) -> dict[Sort, list[Whole]]:
    """How much is counted by each family that may count requests, of each sort; what is timed is a whole to all."""
    out: dict[Sort, list[Whole]] = {}
    for family in families:
        if traffic_score(family) > 0 and not is_spent(family):
            words = frozenset() if family is best else frozenset(family.words) - COUNTED_BY
            out.setdefault(sort_of(family), []).append((words, family.whole))
    return out


def is_part(family: Family, known: list[Whole]) -> bool:
    """Whether another one counts far more, and a family's name says all that the other one's says, and more."""
    own = frozenset(family.words)
    return sort_of(family) is not None and any(words <= own and RARE * whole > family.whole for words, whole in known)


def sort_of(family: Family) -> Sort:
    """What makes the counts of two families comparable: the same places and the same span; None for no counts."""
    paced = pace_of(family)
    if not (family.kind in COUNTED and family.counted) and paced is None:
        return None
    return frozenset(places(family).items()), paced


def is_spent(family: Family) -> bool:
    """Whether a counter sums up time."""
    return family.kind == "counter" and time_factor_of(family) is not None


def company(family: Family, other: Family | None) -> float:
    """How much of what it is about a family has in common with another one."""
    if other is None:
        return 0.0
    ours, theirs = ({x for x in f.labels if f.parts[x] not in {"within", "status"}} for f in (family, other))
    return COMPANY * len(ours & theirs) / max(len(ours | theirs), 1)


def rated_beside(family: Family, other: Family | None) -> float:
    """How well a recorded series counts requests whose name does not say so: a rate at the level of the latency's."""
    levels, operation = family.name.split(":"), tokens(family.name.rpartition(":")[2])
    if other is None or not (family.recorded and family.kind == "gauge" and len(levels) == 3):
        return 0.0
    if levels[0] != other.name.split(":")[0] or not set(operation) & OPERATIONS:
        return 0.0
    bad = has(family.words, ERRORS | SIZES | SHARES | LATENCY | SATURATION)
    return 0.0 if bad else 2.0 + affinity(family)
