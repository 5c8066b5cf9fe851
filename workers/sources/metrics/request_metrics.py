"""How requests are served, from a server's own families of series: how long, how many, which share fails."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from workers.sources.metrics.catalogue import MetricEntry
from workers.sources.metrics.family_ranking import (
    LEAST,
    affinity,
    aside,
    by_operation,
    duration_score,
    error_score,
    is_duration,
    is_share,
    latency_score,
    only_failures,
    pace_of,
    stated_quantile,
    status_of,
)
from workers.sources.metrics.inventory import Family, stem
from workers.sources.metrics.label_roles import quantile_said
from workers.sources.metrics.name_words import (
    CACHE,
    DEPENDENCY,
    ERRORS,
    LATENCY,
    PACES,
    PERCENTS,
    SATURATION,
    SHARES,
    SIZES,
    SUCCESS,
    TIME_UNITS,
    TRAFFIC,
    has,
)
from workers.sources.metrics.promql_template import promql_string
from workers.sources.metrics.quantities import bounds_in_seconds, is_percent, time_factor_of
from workers.sources.metrics.request_counters import (
    COMPANY,
    COUNTED_BY,
    RARE,
    company,
    counting,
    flow,
    means,
)
from workers.sources.metrics.role_queries import RoleQuery, counter_of, rated, scaled, share_of, spoken, worded

PARTNER = 0.34  # share of words that the two parts of a ratio have in common, at least
MOST_SHARE = 1.5  # what a share reaches beyond that is percent
AKIN = 0.6  # share of labels that a counter of failures has in common with the requests, at least
CLOSE = 3.0  # to the best, in score: may be what is meant too
MEANS = frozenset("avg mean average".split())
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
UNKNOWN = 6.0  # what tells no unit comes after all that does
SLOW_S = 30.0  # bounds and levels beyond this are no seconds
MIXED = re.compile(r"[{}]")
Bounds = Callable[[str], tuple[str, ...]]


def latencies(families: list[Family], base: MetricEntry, bounds: Bounds) -> Iterator[RoleQuery]:
    """How long requests take."""
    for family in families:
        score = latency_score(family)
        if score >= LEAST:
            known = is_time(family, bounds)
            yield timed(family, base, bounds, score) if known else unitless(family, base, bounds, score - UNKNOWN)
    for total, count, fit in means(families):
        factor = time_factor_of(total) or (1e-3 if total.level > SLOW_S * count.level else 1.0)
        text = scaled(f"{flow(total)} / {flow(count)}", factor)
        yield RoleQuery(fit - 0.5, text, "mean latency", "s")


def dependencies(families: list[Family], base: MetricEntry, bounds: Bounds) -> Iterator[RoleQuery]:
    """How long the things that are called take."""
    for family in families:
        score = called_score(family)
        if score >= LEAST and is_time(family, bounds):
            play = timed(family, base, bounds, score + aside(family))
            title = f"{play.title.removesuffix(' latency')} of {spoken(family)}"
            yield RoleQuery(play.score, play.text, title, play.unit, name=family.name)


def called_score(family: Family) -> float:
    """How well a family tells how long something that is called takes; 0 for what is not called or tells no time."""
    return duration_score(family) + aside(family) if aside(family) and is_duration(family, called=True) else 0.0


def is_time(family: Family, bounds: Bounds) -> bool:
    """Whether a family of durations says that it is one: its unit, a word for durations, or buckets of fractions."""
    if time_factor_of(family) is not None or has(family.words, LATENCY):
        return True
    return family.kind == "histogram" and bounds_in_seconds(bounds(f"{family.name}_bucket"))


def unitless(family: Family, base: MetricEntry, bounds: Bounds, score: float) -> RoleQuery:
    """A family of which is not known what it measures: read as it is, without a unit."""
    play = timed(family, base, bounds, score)
    text = play.text.removesuffix(" / 1000")
    title = f"{play.title.removesuffix('latency').strip() or 'value'} of {spoken(family)}"
    return RoleQuery(score, text, title, "count", family.name, floor=0.0)


def timed(family: Family, base: MetricEntry, bounds: Bounds, score: float) -> RoleQuery:
    """A family's quantile, or what comes nearest to it."""
    name, q = family.name, base.quantile or 0.95
    title = f"{worded(q)} latency"
    if family.kind == "histogram":
        text = f"histogram_quantile({q:g}, sum by (le,{{by}}) (rate({name}_bucket{{{{filter}}}}[{{rate}}])))"
    elif family.kind == "native":
        text = f"histogram_quantile({q:g}, sum by ({{by}}) (rate({name}{{{{filter}}}}[{{rate}}])))"
    elif family.kind == "summary" and (ranks := ranks_of(family)):
        label, best, rank = min(ranks, key=lambda r: abs(r[2] - q))
        fixed = f"{label}={promql_string(best)},"
        text = f"max by ({{by}}) (avg_over_time({name}{{{fixed}{{filter}}}}[{{rate}}]))"
        title = f"{worded(rank)} latency"
    elif family.kind in {"pair", "summary"} and family.counted:
        text = f"{rated(f'{name}_sum')} / {rated(f'{name}_count')}"
        title, score = "mean latency", score - 0.5
    else:
        stated = stated_quantile(family)
        text = f"max by ({{by}}) (avg_over_time({name}{{{{filter}}}}[{{rate}}]))"
        mean = "mean latency" if has(family.words, MEANS) else "latency"
        title = f"{worded(stated)} latency" if stated else mean
        score -= 4 * abs(stated - q) if stated else 0.5
    return RoleQuery(score, scaled(text, factor_of(family, bounds)), title, "s")


def ranks_of(family: Family) -> list[tuple[str, str, float]]:
    """The quantiles that a label of a family tells apart: the label, its value, the quantile."""
    told = ((label, v, quantile_said(v)) for label, values in family.labels.items() for v in values)
    return [(label, v, q) for label, v, q in told if q is not None and family.parts[label] == "within"]


def factor_of(family: Family, bounds: Bounds) -> float:
    """Seconds in a family's unit: as it says, else by its magnitudes."""
    said = time_factor_of(family)
    if said is not None:
        return said
    if family.kind == "histogram":
        finite = [float(b) for b in bounds(f"{family.name}_bucket") if re.fullmatch(r"[\d.]+(e[-+]?\d+)?", b)]
        return 1e-3 if finite and max(finite) > 4 * SLOW_S else 1.0
    return 1e-3 if family.kind in {"summary", "gauge"} and family.level > SLOW_S else 1.0


def traffics(families: list[Family], base: MetricEntry) -> Iterator[RoleQuery]:
    """How much is asked."""
    for family, score in counting(families):
        if score >= LEAST:
            yield RoleQuery(score, flow(family), base.title, "/s")


def errors(families: list[Family], base: MetricEntry) -> Iterator[RoleQuery]:
    """Which share of what is asked fails: by a status label, else by a counter of its own beside the traffic's."""
    everything = counting(families)
    counted = [(f, score) for f, score in everything if f.kind != "gauge"]
    for family, score in everything:
        status = status_of(family)
        if status and score >= LEAST and not MIXED.search(status[1]) and not only_failures(family):
            bad = flow(family, f"{status[0]}=~{promql_string(status[1])},")
            yield RoleQuery(score + 2, share_of(bad, flow(family)), base.title, "ratio")
    yield from shortfalls(families, counted, base)
    yield from unnamed(families, everything)
    for family in families:
        score = error_score(family)
        if score >= LEAST:
            yield failures(family, [(f, s) for f, s in everything if s >= LEAST], base, score)


def failures(family: Family, counted: list[tuple[Family, float]], base: MetricEntry, score: float) -> RoleQuery:
    """What a family of failures alone tells: a share, or a share of what it belongs to."""
    paced, only = pace_of(family), only_failures(family)
    whole = None if family.kind == "gauge" and paced is None else partner(family, counted)
    if whole and "rate" in family.words and (whole.kind != "gauge" or "rate" not in whole.words):
        whole = None  # an error rate is a share, unless there is a rate of everything
    bad = flow(family, f"{only[0]}=~{promql_string(only[1])}," if only else "")
    if whole:
        return RoleQuery(score + 1, share_of(bad, flow(whole)), base.title, "ratio")
    if family.kind == "gauge" and (paced is None or "rate" in family.words):
        return given_share(family, score, base.title)
    return RoleQuery(score - 2, bad, "errors per second", "/s", floor=0.0)


def given_share(family: Family, score: float, title: str) -> RoleQuery:
    """A share that the server has already."""
    percent = is_percent(family)
    text = f"avg by ({{by}}) (avg_over_time({family.name}{{{{filter}}}}[{{rate}}]))"
    return RoleQuery(score, scaled(text, 0.01) if percent else text, title, "ratio")


def shortfalls(families: list[Family], counted: list[tuple[Family, float]], base: MetricEntry) -> Iterator[RoleQuery]:
    """What is left when successes are counted beside everything."""
    for family in families:
        if family.kind == "counter" and has(family.words, SUCCESS) and not has(family.words, ERRORS):
            whole = partner(family, [(f, s) for f, s in counted if s >= LEAST and not has(f.words, SUCCESS)])
            if whole and affinity(family) + 1 >= LEAST:
                text = f"clamp_min(1 - {rated(family.name)} / {rated(*counter_of(whole))}, 0)"
                yield RoleQuery(affinity(family) + 1, text, base.title, "ratio")


def unnamed(families: list[Family], counted: list[tuple[Family, float]]) -> Iterator[RoleQuery]:
    """A count, or a share, whose name says nothing known, of the same places as the requests, about the same and far
    rarer: the last resort, and called by its own name."""
    least = max([LEAST, *(score - CLOSE for _, score in counted)])
    for family in families:
        near = [(score, other.name, other) for other, score in counted if score >= least and may_fail(family, other)]
        if not near or error_score(family) >= LEAST:  # one whose name says it is read as such
            continue
        score, _, of = max(near)
        if not by_operation(family) and by_operation(of):
            continue
        title, sure = f"share of {spoken(family)}", LEAST + 0.01 * score
        if is_share(family):
            yield given_share(family, sure, title)
        else:
            yield RoleQuery(sure, share_of(flow(family), flow(of)), title, "ratio")


def may_fail(family: Family, of: Family) -> bool:
    """Whether a family, of whose name one word alone is its own and unknown, counts a small part of what another one
    counts."""
    if family is of or family.kind not in {"counter", "gauge"} or company(family, of) < COMPANY * AKIN:
        return False
    own = set(family.words) - set(of.words) - SHARES - COUNTED_BY - set(PACES)
    alike = stem(family.name) == stem(of.name) or (len(own) == 1 and by_operation(of))
    if not own or has(own, KNOWN_WORDS) or not alike:
        return False
    if is_share(family):
        return family.level < RARE * (100.0 if family.top > MOST_SHARE or has(family.words, PERCENTS) else 1.0)
    if family.kind == "gauge":
        return pace_of(family) is not None and pace_of(family) == pace_of(of) and family.level < RARE * of.level
    return of.kind != "gauge" and family.level < RARE * of.level


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
