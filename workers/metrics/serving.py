"""PURE. How requests are served, from a server's own families of series: how long, how many, which share fails."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from workers.metrics.catalogue import MetricEntry
from workers.metrics.inventory import Family
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
from workers.metrics.words import ERRORS, PERCENTS, SUCCESS, has

PARTNER = 0.34  # share of words that the two parts of a ratio have in common, at least
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
    for family in families:
        score = traffic_score(family)
        if score >= LEAST and family.kind == "gauge":
            text = f"sum by ({{by}}) (avg_over_time({family.name}{{{{filter}}}}[{{rate}}]))"
            yield Play(score, text, base.title, "/s")
        elif score >= LEAST:
            yield Play(score, rated(*counter_of(family)), base.title, "/s")


def errors(families: list[Family], base: MetricEntry) -> Iterator[Play]:
    """Which share of what is asked fails: by a status label, else by a counter of its own beside the traffic's."""
    counted = [(f, traffic_score(f)) for f in families if f.kind != "gauge"]
    for family, score in counted:
        status = status_of(family)
        if status and score >= LEAST and not MIXED.search(status[1]):
            name, fixed = counter_of(family)
            bad = rated(name, f"{fixed}{status[0]}=~{promql_string(status[1])},")
            yield Play(score + 2, share_of(bad, rated(name, fixed)), base.title, "ratio")
    yield from shortfalls(families, counted, base)
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
