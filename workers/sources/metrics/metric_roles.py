"""The metrics of a role on a server that no catalogue describes: its families of series, ranked, as PromQL
templates of the same kind as the catalogue's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from workers.sources.metrics.catalogue import Known, MetricEntry, Unit
from workers.sources.metrics.family_ranking import is_duration, is_share
from workers.sources.metrics.inventory import Family
from workers.sources.metrics.name_words import CACHE, DEPENDENCY, SATURATION, tokens
from workers.sources.metrics.promql_template import read_template
from workers.sources.metrics.quantities import is_bytes, is_percent, time_factor_of
from workers.sources.metrics.request_metrics import Bounds, dependencies, errors, is_time, latencies, timed, traffics
from workers.sources.metrics.role_queries import RoleQuery, rated, scaled
from workers.sources.metrics.saturation import caches, saturations

MOST = 8
VAGUE = frozenset("use used usage active busy load saturation utilization full resident available size third".split())
BUILT_IN: Mapping[str, MetricEntry] = {
    "latency": MetricEntry(title="p95 latency", unit="s", role="latency", quantile=0.95, floor=0.002),
    "errors": MetricEntry(title="error ratio", unit="ratio", role="errors", floor=0.001),
    "traffic": MetricEntry(title="requests per second", unit="/s", role="traffic", floor=0.05),
    "saturation": MetricEntry(title="saturation", unit="ratio", role="saturation"),
    "cache": MetricEntry(title="cache hit ratio", unit="ratio", role="cache", worse="down", floor=0.02),
    "dependency": MetricEntry(title="p95 latency of calls", unit="s", role="dependency", quantile=0.95, floor=0.002),
}


def discover(base: MetricEntry, name: str, inventory: Mapping[str, Family], bounds: Bounds) -> tuple[Known, ...]:
    """The ways in which a server has a role, best first.

    Args:
        base: the role, quantile, title and floor that are asked for.
        name: what the metric is called.
        inventory: the server's families.
        bounds: the bounds of a histogram's buckets, by the name of its buckets.
    """
    families = list(inventory.values())
    kinds: dict[str, Callable[[], Iterator[RoleQuery]]] = {
        "latency": partial(latencies, families, base, bounds),
        "errors": partial(errors, families, base),
        "traffic": partial(traffics, families, base),
        "saturation": partial(saturations, families),
        "cache": partial(caches, families, base),
        "dependency": partial(dependencies, families, base, bounds),
    }
    if base.role not in kinds:
        return ()
    found = sorted(kinds["dependency" if base.quantile and base.role != "latency" else base.role](), key=order)
    return tuple(known_of(play, base, name) for play in found[:MOST])


def order(play: RoleQuery) -> tuple[float, str]:
    """Best first."""
    return -play.score, play.text


def akin(base: MetricEntry, name: str, inventory: Mapping[str, Family]) -> dict[str, Family]:
    """The families that a metric of the catalogue may be found in: those of requests for latency, errors and traffic,
    else those whose names share a telling word with the metric."""
    if base.role in {"latency", "errors", "traffic"} or name == base.role:
        return dict(inventory)
    if base.role == "dependency" and base.quantile is None:
        return {}
    said = {w for text in (name, base.title, *base.aliases) for w in tokens(text)}
    telling_words = said & (SATURATION | CACHE | DEPENDENCY) - VAGUE
    return {n: f for n, f in inventory.items() if telling_words.intersection(f.words)}


def known_of(play: RoleQuery, base: MetricEntry, name: str) -> Known:
    """A way to read a role as the catalogue would have it."""
    entry = MetricEntry(
        title=play.title,
        unit=play.unit,
        role=base.role,
        worse=play.worse,
        promql=(play.text,),
        floor=base.floor if play.floor is None else play.floor,
    )
    return Known(play.name or name, entry, (read_template(play.text, ()),), raw=True)


def raw_of(family: Family, bounds: Bounds) -> Known:
    """A family read by itself: a counter as its rate, durations as their p95, other histograms as theirs, a gauge as
    its mean. What its unit is, nothing tells but itself; one that is not known is told without."""
    name = family.name
    if family.kind == "counter":
        play = RoleQuery(0, rated(name), f"rate of {name}", "/s")
    elif family.kind == "gauge":
        unit, factor = gauge_unit(family)
        text = f"avg by ({{by}}) (avg_over_time({name}{{{{filter}}}}[{{rate}}]))"
        play = RoleQuery(0, scaled(text, factor), f"mean of {name}", unit)
    else:
        play = timed(family, BUILT_IN["latency"], bounds, 0)
        unit = "s"
        if not (is_duration(family) and is_time(family, bounds)):
            unit = "bytes" if is_bytes(family) else "count"
            plain = re.sub(r"^\((.*)\) / 1000$|^(.*) / 1000$", lambda m: m[1] or m[2], play.text)
            play = RoleQuery(0, plain, play.title, unit)
        play = RoleQuery(0, play.text, f"{play.title.removesuffix('latency').strip() or 'mean'} of {name}", unit)
    return known_of(play, MetricEntry(title="raw", unit="count"), name)


def gauge_unit(family: Family) -> tuple[Unit, float]:
    """The unit of a gauge, and the factor that brings its values into it."""
    factor = time_factor_of(family)
    if is_share(family):
        return ("percent" if is_percent(family) else "ratio"), 1.0
    if is_bytes(family):
        return "bytes", 1.0
    return ("s", factor) if factor is not None else ("count", 1.0)
