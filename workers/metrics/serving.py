"""PURE. How requests are served, from a server's own families of series: how long, how many, which share fails."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from workers.metrics.catalogue import MetricEntry
from workers.metrics.inventory import Family, stem
from workers.metrics.plays import Play, counter_of, rated, scaled, share_of, spoken, worded
from workers.metrics.ranking import (
    LEAST,
    affinity,
    aside,
    error_score,
    latency_score,
    said_factor,
    stated_quantile,
    status_of,
    traffic_score,
)
from workers.metrics.template import promql_string
from workers.metrics.words import (
    CACHE,
    DEPENDENCY,
    ERRORS,
    LATENCY,
    PERCENTS,
    SATURATION,
    SHARES,
    SIZES,
    SUCCESS,
    TIME_UNITS,
    TRAFFIC,
    has,
    tokens,
)

PARTNER = 0.34  # share of words that the two parts of a ratio have in common, at least
COMPANY = 3.0  # what having all labels in common adds to a score
AKIN = 0.6  # share of labels that a counter of failures has in common with the requests, at least
RARE = 0.3  # of requests; what counts more is not what failed
OPERATIONS = frozenset("rate irate rp rps qps persec sum count increase".split())
KNOWN_WORDS = (
    SUCCESS
    | TRAFFIC
    | LATENCY
    | SIZES
    | CACHE
    | DEPENDENCY
    | SATURATION
    | frozenset(TIME_UNITS)
    | frozenset("retry redirect created sum".split())
)
SLOW_S = 30.0  # bounds and levels beyond this are no seconds
MIXED = re.compile(r"[{}]")
Bounds = Callable[[str], tuple[str, ...]]


def latencies(families: list[Family], base: MetricEntry, bounds: Bounds) -> Iterator[Play]:
    """How long requests take."""
    for family in families:
        score = latency_score(family)
        if score >= LEAST:
            yield timed(family, base, bounds, score)


def dependencies(families: list[Family], base: MetricEntry, bounds: Bounds) -> Iterator[Play]:
    """How long the things that are called take."""
    for play, family in ((timed(f, base, bounds, latency_score(f) + 2 * aside(f)), f) for f in families if aside(f)):
        if latency_score(family) + aside(family) >= LEAST:
            title = f"{play.title.removesuffix(' latency')} of {spoken(family)}"
            yield Play(play.score, play.text, title, play.unit, name=family.name)


def timed(family: Family, base: MetricEntry, bounds: Bounds, score: float) -> Play:
    """A family's quantile, or what comes nearest to it."""
    name, q = family.name, base.quantile or 0.95
    title = f"{worded(q)} latency"
    if family.kind == "histogram":
        text = f"histogram_quantile({q:g}, sum by (le,{{by}}) (rate({name}_bucket{{{{filter}}}}[{{rate}}])))"
    elif family.kind == "native":
        text = f"histogram_quantile({q:g}, sum by ({{by}}) (rate({name}{{{{filter}}}}[{{rate}}])))"
    elif family.kind == "summary" and family.labels.get("quantile"):
        best = min(family.labels["quantile"], key=lambda v: abs(float(v) - q))
        fixed = f"quantile={promql_string(best)},"
        text = f"max by ({{by}}) (avg_over_time({name}{{{fixed}{{filter}}}}[{{rate}}]))"
        title = f"{worded(float(best))} latency"
    elif family.kind in {"pair", "summary"}:
        text = f"{rated(f'{name}_sum')} / {rated(f'{name}_count')}"
        title, score = "mean latency", score - 0.5
    else:
        stated = stated_quantile(family)
        text = f"max by ({{by}}) (avg_over_time({name}{{{{filter}}}}[{{rate}}]))"
        title = f"{worded(stated)} latency" if stated else "latency"
        score -= 4 * abs(stated - q) if stated else 0.5
    return Play(score, scaled(text, factor_of(family, bounds)), title, "s")


def factor_of(family: Family, bounds: Bounds) -> float:
    """Seconds in a family's unit: as it says, else by its magnitudes."""
    said = said_factor(family)
    if said is not None:
        return said
    if family.kind == "histogram":
        finite = [float(b) for b in bounds(f"{family.name}_bucket") if re.fullmatch(r"[\d.]+(e[-+]?\d+)?", b)]
        return 1e-3 if finite and max(finite) > 4 * SLOW_S else 1.0
    return 1e-3 if family.kind in {"summary", "gauge"} and family.level > SLOW_S else 1.0


def traffics(families: list[Family], base: MetricEntry) -> Iterator[Play]:
    """How much is asked."""
    for family, score in counting(families):
        if score >= LEAST and family.kind == "gauge":
            text = f"sum by ({{by}}) (avg_over_time({family.name}{{{{filter}}}}[{{rate}}]))"
            yield Play(score, text, base.title, "/s")
        elif score >= LEAST:
            yield Play(score, rated(*counter_of(family)), base.title, "/s")


def counting(families: list[Family]) -> list[tuple[Family, float]]:
    """How well each family counts requests; what is told of the same places as the latency counts most."""
    best = max(families, key=latency_score, default=None)
    best = best if best and latency_score(best) >= LEAST else None
    scores = ((f, traffic_score(f) or rated_beside(f, best)) for f in families)
    return [(f, score + company(f, best) if score >= LEAST else score) for f, score in scores]


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


def errors(families: list[Family], base: MetricEntry) -> Iterator[Play]:
    """Which share of what is asked fails: by a status label, else by a counter of its own beside the traffic's."""
    counted = [(f, score) for f, score in counting(families) if f.kind != "gauge"]
    for family, score in counted:
        status = status_of(family)
        if status and score >= LEAST and not MIXED.search(status[1]):
            name, fixed = counter_of(family)
            bad = rated(name, f"{fixed}{status[0]}=~{promql_string(status[1])},")
            yield Play(score + 2, share_of(bad, rated(name, fixed)), base.title, "ratio")
    yield from shortfalls(families, counted, base)
    yield from unnamed(families, counted)
    for family in families:
        score = error_score(family)
        if score < LEAST:
            continue
        if family.kind == "gauge":
            percent = bool(has(family.words, PERCENTS))
            text = f"avg by ({{by}}) (avg_over_time({family.name}{{{{filter}}}}[{{rate}}]))"
            yield Play(score, scaled(text, 0.01) if percent else text, base.title, "ratio")
            continue
        whole = partner(family, [(f, s) for f, s in counted if s >= LEAST])
        bad = rated(family.name)
        if whole is None:
            yield Play(score - 2, bad, "errors per second", "/s", floor=0.0)
        else:
            yield Play(score + 1, share_of(bad, rated(*counter_of(whole))), base.title, "ratio")


def shortfalls(families: list[Family], counted: list[tuple[Family, float]], base: MetricEntry) -> Iterator[Play]:
    """What is left when successes are counted beside everything."""
    for family in families:
        if family.kind == "counter" and has(family.words, SUCCESS) and not has(family.words, ERRORS):
            whole = partner(family, [(f, s) for f, s in counted if s >= LEAST and not has(f.words, SUCCESS)])
            if whole and affinity(family) + 1 >= LEAST:
                text = f"clamp_min(1 - {rated(family.name)} / {rated(*counter_of(whole))}, 0)"
                yield Play(affinity(family) + 1, text, base.title, "ratio")


def unnamed(families: list[Family], counted: list[tuple[Family, float]]) -> Iterator[Play]:
    """A counter whose name says nothing known, of the same places and stem as the requests and far rarer: the last
    resort, and called by its own name."""
    for family in families:
        near = [
            other
            for other, score in counted
            if other is not family
            and score >= LEAST
            and stem(other.name) == stem(family.name)
            and company(family, other) >= COMPANY * AKIN
        ]
        of = max(near, key=lambda other: other.level, default=None)
        if of is None or family.kind != "counter" or family.level >= RARE * of.level:
            continue
        own = set(family.words) - set(of.words)
        if own and not has(own, KNOWN_WORDS):
            text = share_of(rated(family.name), rated(*counter_of(of)))
            yield Play(LEAST, text, f"share of {spoken(family)}", "ratio")


def partner(family: Family, counted: list[tuple[Family, float]]) -> Family | None:
    """The counter of everything that a counter of failures belongs to: akin in words, with its labels."""
    own = set(family.words) - ERRORS - SUCCESS - {"total"}
    needed = {x for x, p in family.parts.items() if p in {"endpoint", "service", "instance"}}
    ranked = []
    for other, score in counted:
        if other is family or not needed <= set(other.labels):
            continue
        theirs = set(other.words) - {"total"}
        common = len(own & theirs) / max(len(own), 1)
        if common >= PARTNER or set(other.labels) == set(family.labels):
            ranked.append((common + 0.02 * score, other.name, other))
    return max(ranked, key=lambda r: r[:2])[2] if ranked else None
