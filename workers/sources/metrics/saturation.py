"""How full things are and what caches answer, from a server's own families of series."""

from __future__ import annotations

from collections.abc import Iterator

from workers.sources.metrics.catalogue import MetricEntry, Unit
from workers.sources.metrics.family_ranking import LEAST, affinity, is_share, saturation_score, state_of
from workers.sources.metrics.inventory import Family
from workers.sources.metrics.label_roles import telling
from workers.sources.metrics.name_words import CACHE, CONFIGURED, FREE, IN_USE, LIMITS, PERCENTS, has
from workers.sources.metrics.promql_template import promql_string
from workers.sources.metrics.quantities import is_bytes, time_factor_of
from workers.sources.metrics.role_queries import RoleQuery, rated, scaled, spoken

MOST_SHARE = 1.5  # what a share reaches beyond that is percent


def saturations(families: list[Family]) -> Iterator[RoleQuery]:
    """How full things are: shares first, then what is used of a limit, queues, processors, memory."""
    limits = [f for f in families if f.kind == "gauge" and (f.steady or has(f.words, LIMITS))]
    limits += [f for f in families if f.kind == "counter" and f.steady]
    for family in families:
        limit = limit_of(family, limits)
        score = saturation_score(family, limited=limit is not None)
        if score < LEAST:
            continue
        name, words = family.name, set(family.words)
        title, worse = spoken(family), "down" if words & FREE and not words & IN_USE else "up"
        level = f"avg_over_time({name}{{{{filter}}}}[{{rate}}])"
        state = state_of(family)
        if family.kind == "counter":
            yield RoleQuery(score, rated(name), f"rate of {title}", "count", name)
        elif state:
            used = f"sum by ({{by}}) (avg_over_time({name}{{{state},{{filter}}}}[{{rate}}]))"
            yield RoleQuery(
                score + 1.5, f"{used} / sum by ({{by}}) ({level})", f"share of {title} in use", "ratio", name
            )
        elif limit and worse == "up":
            text = f"max by ({{by}}) ({level} / avg_over_time({limit}{{{{filter}}}}[{{rate}}]))"
            yield RoleQuery(score + 1.5, text, f"share of {title}", "ratio", name)
        elif is_share(family):
            percent = family.top > (1.0 if words & PERCENTS else MOST_SHARE)
            yield RoleQuery(score, f"max by ({{by}}) ({level})", title, "percent" if percent else "ratio", name, worse)
        else:
            factor = time_factor_of(family)
            if factor is not None and not is_bytes(family):
                yield RoleQuery(score, f"max by ({{by}}) ({scaled(level, factor)})", title, "s", name, worse)
                continue
            unit: Unit = "bytes" if is_bytes(family) else "count"
            yield RoleQuery(score, f"sum by ({{by}}) ({level})", title, unit, name, worse)


def limit_of(family: Family, limits: list[Family]) -> str | None:
    """The gauge of the most that there can be of something: of the same places, akin in words, and, where these do not
    say so, steady at a level that is never exceeded."""
    if family.kind != "gauge" or is_share(family):
        return None
    found = [
        (bool(has(other.words, LIMITS)), len(set(family.words) & set(other.words)), other.name)
        for other in limits
        if other is not family
        and other.labels == family.labels
        and (named_limit(family, other) or bounds(family, other))
    ]
    return max(found)[-1] if found else None


def named_limit(family: Family, limit: Family) -> bool:
    """Whether a gauge's name says that it is the limit of another one."""
    own, words = set(family.words), set(limit.words)
    if not own & IN_USE and not has(own, frozenset({"connection", "thread", "worker", "slot", "size"})):
        return False
    if not words & LIMITS - own or not words - LIMITS <= own:
        return False
    common = words - LIMITS
    return bool(common) and own - IN_USE - common <= {"count", "total", "number"}


def bounds(family: Family, limit: Family) -> bool:
    """Whether a gauge stands still above another one, and they are about the same: its other words say a limit or what
    was configured, or it differs from one that moves in a single word."""
    own, words = set(family.words), set(limit.words)
    if not limit.steady or not 0 < family.top <= limit.top:
        return False
    if ("byte" in own) != ("byte" in words) or len(own & words) < 2:
        return False
    if words - own and words - own <= LIMITS | CONFIGURED:
        return not family.steady or bool(own & IN_USE)
    return not family.steady and len(words - own) == 1 and len(family.words) == len(limit.words)


def caches(families: list[Family], base: MetricEntry) -> Iterator[RoleQuery]:
    """Which share of look-ups a cache answers."""
    counters = [f for f in families if f.kind == "counter" and has(f.words, CACHE)]
    for family in counters:
        label = next((x for x, values in family.labels.items() if telling(x, values)), None)
        if label:
            hit = next(v for v in family.labels[label] if v.lower() == "hit")
            text = f"{rated(family.name, f'{label}={promql_string(hit)},')} / {rated(family.name)}"
            yield RoleQuery(4 + affinity(family), text, base.title, "ratio", family.name, "down")
        if "hit" in family.words:
            for other in counters:
                if "miss" in other.words and set(other.words) - {"miss"} == set(family.words) - {"hit"}:
                    text = f"{rated(family.name)} / ({rated(family.name)} + {rated(other.name)})"
                    yield RoleQuery(4 + affinity(family), text, base.title, "ratio", family.name, "down")
    for family in families:
        if family.kind == "gauge" and has(family.words, CACHE) and "hit" in family.words and is_share(family):
            text = f"avg by ({{by}}) (avg_over_time({family.name}{{{{filter}}}}[{{rate}}]))"
            yield RoleQuery(3 + affinity(family), text, base.title, "ratio", family.name, "down")
