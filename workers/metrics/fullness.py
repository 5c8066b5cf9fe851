"""PURE. How full things are and what caches answer, from a server's own families of series."""

from __future__ import annotations

from collections.abc import Iterator

from workers.metrics.catalogue import MetricEntry, Unit
from workers.metrics.inventory import Family
from workers.metrics.parts import telling
from workers.metrics.plays import Play, rated, spoken
from workers.metrics.ranking import LEAST, affinity, is_share, saturation_score, state_of
from workers.metrics.template import promql_string
from workers.metrics.words import CACHE, FREE, IN_USE, LIMITS, PERCENTS, has


def saturations(families: list[Family]) -> Iterator[Play]:
    """How full things are: shares first, then what is used of a limit, queues, processors, memory."""
    gauges = [f for f in families if f.kind == "gauge"]
    for family in families:
        score = saturation_score(family)
        if score < LEAST:
            continue
        name, words = family.name, set(family.words)
        title, worse = spoken(family), "down" if words & FREE and not words & IN_USE else "up"
        level = f"avg_over_time({name}{{{{filter}}}}[{{rate}}])"
        state, limit = state_of(family), limit_of(family, gauges)
        if family.kind == "counter":
            yield Play(score, rated(name), f"rate of {title}", "count", name)
        elif state:
            used = f"sum by ({{by}}) (avg_over_time({name}{{{state},{{filter}}}}[{{rate}}]))"
            yield Play(score + 1.5, f"{used} / sum by ({{by}}) ({level})", f"share of {title} in use", "ratio", name)
        elif limit and worse == "up":
            text = f"max by ({{by}}) ({level} / avg_over_time({limit}{{{{filter}}}}[{{rate}}]))"
            yield Play(score + 1.5, text, f"share of {title}", "ratio", name)
        elif is_share(family):
            percent = bool(words & PERCENTS) and family.top > 1
            yield Play(score, f"max by ({{by}}) ({level})", title, "percent" if percent else "ratio", name, worse)
        else:
            unit: Unit = "bytes" if "byte" in words else "count"
            yield Play(score, f"sum by ({{by}}) ({level})", title, unit, name, worse)


def limit_of(family: Family, gauges: list[Family]) -> str | None:
    """The gauge of the most that there can be of something, by its words and labels."""
    own = set(family.words)
    if not own & IN_USE and not has(own, frozenset({"connection", "thread", "worker", "slot", "size"})):
        return None
    for other in gauges:
        words = set(other.words)
        if other is not family and words & LIMITS - own and words - LIMITS <= own and other.labels == family.labels:
            common = words - LIMITS
            if len(common) >= 1 and own - IN_USE - common <= {"count", "total", "number"}:
                return other.name
    return None


def caches(families: list[Family], base: MetricEntry) -> Iterator[Play]:
    """Which share of look-ups a cache answers."""
    counters = [f for f in families if f.kind == "counter" and has(f.words, CACHE)]
    for family in counters:
        label = next((x for x, values in family.labels.items() if telling(x, values)), None)
        if label:
            hit = next(v for v in family.labels[label] if v.lower() == "hit")
            text = f"{rated(family.name, f'{label}={promql_string(hit)},')} / {rated(family.name)}"
            yield Play(4 + affinity(family), text, base.title, "ratio", family.name, "down")
        if "hit" in family.words:
            for other in counters:
                if "miss" in other.words and set(other.words) - {"miss"} == set(family.words) - {"hit"}:
                    text = f"{rated(family.name)} / ({rated(family.name)} + {rated(other.name)})"
                    yield Play(4 + affinity(family), text, base.title, "ratio", family.name, "down")
    for family in families:
        if family.kind == "gauge" and has(family.words, CACHE) and "hit" in family.words and is_share(family):
            text = f"avg by ({{by}}) (avg_over_time({family.name}{{{{filter}}}}[{{rate}}]))"
            yield Play(3 + affinity(family), text, base.title, "ratio", family.name, "down")
