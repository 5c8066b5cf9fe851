"""How well a family of series fits a role: evidence from its structure, its words, its labels and its life."""

from __future__ import annotations

import math
import re

from workers.sources.metrics.inventory import Family
from workers.sources.metrics.label_roles import NOT_OURS, failing
from workers.sources.metrics.name_words import (
    CACHE,
    DEPENDENCY,
    ERRORS,
    FREE,
    IN_USE,
    LATENCY,
    LIMITS,
    MONITORING,
    SATURATION,
    SHARES,
    SIZES,
    TIME_UNITS,
    TRAFFIC,
    has,
    pace,
    singular,
    time_factor,
    tokens,
)
from workers.sources.metrics.promql_template import promql_string
from workers.sources.metrics.quantities import counts_things, time_factor_of

LEAST = 1.0  # what scores less does not play a role
COUNTED = {"histogram", "native", "summary", "pair", "counter"}
SHAPE = {"histogram": 4.0, "native": 4.0, "summary": 3.0, "pair": 1.5, "gauge": 0.0, "counter": -9.0}
QUANTILE = re.compile(r"(?<![a-z0-9])(?:p|q|pct|quantile_?|percentile_?)_?0?[._]?(\d{2,3})(?![a-z0-9])", re.IGNORECASE)
VAGUE_TIMES = frozenset("time timer timing processing handling lag runtime".split())
MOST_TAKEN_S = 3_600.0  # what is beyond that is a moment, an age or something else
WAITING = frozenset("pool queue lock gc wait".split())


def affinity(family: Family) -> float:
    """How much a family looks like what serves requests, rather than like what is called or what watches."""
    words, parts = family.words, set(family.parts.values())
    out = (
        2.0 * ("endpoint" in parts)
        + 1.5 * ("endpoint" not in parts and is_finer(family))
        + 1.0 * ("service" in parts)
        + 0.5 * ("verb" in parts)
    )
    out += 0.2 * min(math.log2(1 + family.alive), 6.0) - 2.0 * (family.alive == 0) - 0.5 * family.recorded
    return out - 5.0 * bool(has(words, MONITORING)) - aside(family)


def by_operation(family: Family) -> bool:
    """Whether a family is told of single operations."""
    return "endpoint" in family.parts.values() or is_finer(family)


def is_finer(family: Family) -> bool:
    """Whether an instance has several series, beyond those of its outcomes: a label then tells what was asked."""
    sizes = {x: len(values) for x, values in family.labels.items()}
    instances = max((n for x, n in sizes.items() if family.parts[x] == "instance"), default=0)
    apart = math.prod(n for x, n in sizes.items() if family.parts[x] in {"status", "verb", "within"})
    others = (n for x, n in sizes.items() if family.parts[x] not in {"status", "verb", "within"})
    return family.alive / apart > 1.2 * (instances or max(others, default=1))


def aside(family: Family) -> float:
    """How much a family is about a cache or something that is called."""
    named = {w for x, p in family.parts.items() if p not in {"endpoint", "service", "status"} for w in tokens(x)}
    return 3.0 * bool(has(family.words, CACHE)) + 3.0 * is_dependency(family) + 1.5 * bool(has(named, DEPENDENCY))


def is_dependency(family: Family) -> bool:
    """Whether a family's name speaks of something that is called."""
    return bool(has(family.words, DEPENDENCY))


def is_duration(family: Family, *, called: bool = False) -> bool:
    """Whether a family tells how long something takes.

    Args:
        family: a family of series.
        called: something that is called, where a gauge that says its unit of time is told, whatever it belongs to.
    """
    words, factor = family.words, time_factor_of(family)
    named = bool(has(words, LATENCY))
    if family.kind == "counter" or (factor is None and has(words, SIZES)):
        return False
    if family.kind != "gauge":
        return bool(factor or named or has(words, TRAFFIC) or (SHAPE[family.kind] > 2 and by_operation(family)))
    strong = bool(has(words, LATENCY - VAGUE_TIMES)) and not counts_things(family)
    seen = factor is not None and (named or by_operation(family) or stated_quantile(family) is not None)
    if called and factor is not None and not has(words, SIZES | LIMITS):
        strong = True
    elif has(words, SATURATION - {"pending"}):  # how long something has been busy or free, not how long it takes
        return False
    return (strong or seen) and pace_of(family) is None and family.level * (factor or 1e-3) <= MOST_TAKEN_S


def latency_score(family: Family) -> float:
    """How well a family tells how long requests take."""
    return duration_score(family) if is_duration(family) else 0.0


def duration_score(family: Family) -> float:
    """The same of a family that tells durations, of requests or of something else."""
    words = family.words
    timed, named = time_factor_of(family) is not None, bool(has(words, LATENCY))
    out = SHAPE[family.kind] + 2.0 * timed + 2.0 * named + affinity(family) - 2.5 * bool(has(words, WAITING))
    return out + 1.0 * bool(has(words, TRAFFIC)) - 2.0 * bool(has(words, ERRORS))


def spent_score(family: Family) -> float:
    """How well a counter sums up the time that requests took."""
    words = family.words
    timed, named = time_factor_of(family) is not None, bool(has(words, LATENCY - TRAFFIC))
    if family.kind != "counter" or not (timed or named) or "per" in words or has(words, SATURATION | SIZES | ERRORS):
        return 0.0
    return SHAPE["pair"] + 2.0 * timed + 2.0 * named + affinity(family) - 2.5 * bool(has(words, WAITING))


def traffic_score(family: Family) -> float:
    """How well a family counts requests."""
    words = family.words
    if pace_of(family) is not None and not has(words, ERRORS):
        vague = "rate" in words and not has(words, TRAFFIC)  # of what, or a share
        return 2.0 - 1.5 * vague + min(has(words, TRAFFIC), 2) + affinity(family)
    if family.kind not in COUNTED or not family.counted or has(words, SIZES):
        return 0.0
    timed = family.kind == "counter" and "per" not in words and time_factor(words[-2:]) is not None
    said = min(has(words, TRAFFIC), 2)
    if not said and not has(words, LATENCY) and not by_operation(family):
        return 0.0
    out = 2.0 * said + 1.0 * (family.kind == "counter") + affinity(family) - 5.0 * bool(has(words, ERRORS))
    out -= 5.0 * bool(only_failures(family))
    return out + 1.5 * bool(status_of(family)) - 5.0 * timed - 2.0 * bool(has(words, WAITING))


def pace_of(family: Family) -> float | None:
    """The seconds in which a gauge tells how often something happens; None when it tells something else."""
    if family.kind != "gauge" or has(family.words, SHARES | SIZES | (LATENCY - TRAFFIC)):
        return None
    return pace(family.words)


def status_of(family: Family) -> tuple[str, str] | None:
    """The label that tells success from failure, with a regular expression for failure; None without one."""
    found = []
    for label, part in family.parts.items():
        bad = failing(label, family.labels[label]) if part == "status" else None
        if bad:
            seen = any(re.fullmatch(bad, v) for v in family.labels[label])
            found.append((not seen, len(family.labels[label]), label, bad))
    return min(found)[2:] if found else None


def only_failures(family: Family) -> tuple[str, str] | None:
    """The label of outcomes none of which is fine, with a regular expression for those that are not the caller's
    mistake: what has it on every series counts failures alone."""
    for label, part in family.parts.items():
        values = family.labels[label]
        bad = failing(label, values) if part == "status" and label not in family.partial else None
        if bad and all(re.fullmatch(bad, v) or NOT_OURS.search(v) for v in values):
            return label, bad
    return None


def error_score(family: Family) -> float:
    """How well a family counts what failed and nothing else."""
    words = family.words
    said = has(words, ERRORS) or (family.kind == "counter" and only_failures(family))
    if not said or has(words, SIZES) or family.kind not in {"counter", "gauge"}:
        return 0.0
    if family.kind == "gauge" and not is_share(family) and pace_of(family) is None:
        return 0.0
    return 2.0 + affinity(family) + 0.5 * bool(has(words, TRAFFIC))


def is_share(family: Family) -> bool:
    """Whether a gauge is a share of a whole."""
    return bool(has(family.words, SHARES)) or (family.recorded and 0 <= family.top <= 1 and pace_of(family) is None)


def saturation_score(family: Family, *, limited: bool = False) -> float:
    """How well a family tells how full something is; ``limited``: the most that there can be is known."""
    words = set(family.words)
    if has(words, ERRORS) or has(words, MONITORING) > 1:
        return 0.0
    if family.kind == "counter":
        return 3.0 * ({"cpu"} <= words) * bool(words & set(TIME_UNITS)) + 0.0
    said = has(words, SATURATION) + 2 * bool(state_of(family)) + limited
    if family.kind != "gauge" or not said or (words & LIMITS and not words & IN_USE and not is_share(family)):
        return 0.0
    parts = set(family.parts.values())
    out = (
        1.0 + 1.5 * is_share(family) + min(said, 3) * 0.7 - 1.0 * bool(words & {"byte", "memory", "mem", "heap", "rss"})
    )
    out += 0.2 * min(math.log2(1 + family.alive), 4.0) - 1.5 * family.steady - 2.0 * (family.alive == 0)
    return out + 0.5 * bool(parts & {"service", "instance"}) - bool(has(words, MONITORING))


def state_of(family: Family) -> str | None:
    """The matcher of what is in use, where a label tells used from free."""
    for label, values in family.labels.items():
        used = [v for v in values if singular(v.lower()).replace("-", "").replace("_", "") in IN_USE | {"inuse"}]
        free = [v for v in values if v.lower() in FREE]
        if used and free and len(values) <= 4:
            return f"{label}={promql_string(used[0])}"
    return None


def stated_quantile(family: Family) -> float | None:
    """The quantile that stands in a name."""
    found = QUANTILE.search(family.name)
    if found:
        return float(f"0.{found[1]}")
    return 0.5 if "median" in family.words else None
