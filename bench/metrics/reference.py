"""What a person who knows the dialect would ask the server: it shows that what was planted is there to be found."""

from __future__ import annotations

import statistics
from typing import Any

import httpx

from bench.metrics.dialects import Dialect
from bench.metrics.stage import Ask, Stage

SPAN_S = 900


def promql(dialect: Dialect, ask: Ask, by: str = "") -> str:
    """The right query for a question, grouped by a label of the server or not."""
    match = matcher(dialect, ask)
    group = f" by ({by})" if by else ""
    latency, errors, traffic = dialect.latency, dialect.errors, dialect.traffic
    counted = traffic.name or latency.name + latency.parts[1]
    rate = f"sum{group} ({counted}{{{match}}})" if traffic.gauge else f"sum{group} (rate({counted}{{{match}}}[3m]))"
    if ask.metric == "traffic":
        return rate
    if ask.metric == "latency":
        return latency_promql(dialect, match, by)
    if ask.metric == "errors":
        if errors.kind == "ratio":
            return f"avg{group} ({errors.name}{{{match}}})"
        if errors.kind == "pace":
            return f"sum{group} ({errors.name}{{{match}}}) / {rate}"
        if errors.kind == "counter":
            return f"sum{group} (rate({errors.name}{{{match}}}[3m])) / {rate}"
        bad = f'{match},{errors.label}=~"{"|".join(errors.bad)}"'
        return f"sum{group} (rate({counted}{{{bad}}}[3m])) / {rate}"
    fullness = dialect.saturation
    full = f"avg{group} ({fullness.name}{{{match}}})"
    return f"{full} / avg{group} ({fullness.size}{{{match}}})" if fullness.size else full


def matcher(dialect: Dialect, ask: Ask) -> str:
    """The labels of what a question is about, with their values."""
    labels, other = dialect.labels, dialect.saturation.service
    if ask.metric == "saturation" and other:
        return f'{other}="{ask.filters["service"]}"'
    told = {"service": (labels.service, labels.spelled), "endpoint": (labels.endpoint, "{}")}
    return ",".join(f'{told[k][0]}="{told[k][1].format(v)}"' for k, v in ask.filters.items())


def latency_promql(dialect: Dialect, match: str, by: str) -> str:
    """The p95 or the mean, by what the server has."""
    latency, group = dialect.latency, f" by ({by})" if by else ""
    if latency.kind == "histogram":
        le = f"le,{by}" if by else "le"
        return f"histogram_quantile(0.95, sum by ({le}) (rate({latency.name}_bucket{{{match}}}[3m])))"
    if latency.kind == "mean":
        spent, count = (f"sum{group} (rate({latency.name}{part}{{{match}}}[3m]))" for part in latency.parts)
        return f"{spent} / {count}"
    if latency.kind in {"gauge", "average"}:
        return f"avg{group} ({latency.name}{{{match}}})"
    rank = next(r for r in latency.ranks if "95" in r)
    return f'avg{group} ({latency.name}{{{match},{latency.rank}="{rank}"}})'


def samples(address: str, query: str, start: float, end: float) -> dict[str, list[float]]:
    """Values of each series, a minute apart, keyed by their one label."""
    ask = {"query": query, "start": f"{start:.0f}", "end": f"{end:.0f}", "step": "60"}
    body = httpx.get(f"{address}/api/v1/query_range", params=ask, timeout=60).json()
    if body["status"] != "success":
        raise RuntimeError(f"{query}: {body}")
    found: list[dict[str, Any]] = body["data"]["result"]
    return {next(iter(r["metric"].values()), ""): [float(v) for _, v in r["values"] if v != "NaN"] for r in found}


def complaints(stage: Stage, ask: Ask, address: str) -> list[str]:
    """What the server does not show although it was planted, or shows although nothing was."""
    query, truth = promql(stage.dialect, ask), ask.truth
    if truth.missing == "ended":
        return [f"{query}: has samples"] if samples(address, query, stage.now - 300, stage.now) else []
    if truth.ramp:
        before, after = (level(address, query, t) for t in (truth.ramp[0], min(truth.ramp[1] + SPAN_S, stage.now)))
    elif truth.onset is None:
        return [] if samples(address, query, stage.now - SPAN_S, stage.now) else [f"{query}: nothing"]
    else:
        before, after = level(address, query, truth.onset), level(address, query, truth.onset + 180 + 420, 420)
    out = []
    if before is None or after is None:
        return [f"{query}: {before} before, {after} after"]
    if not (after > 1.25 * before if truth.direction == "rose" else after < 0.8 * before):
        out.append(f"{query}: {before:.4g} before, {after:.4g} after, {truth.direction}")
    if truth.culprit and truth.onset is not None:
        out.extend(wrong_culprit(stage, ask, address))
    return out


def level(address: str, query: str, end: float, span: float = SPAN_S) -> float | None:
    """The median of the minutes before a moment."""
    found = [v for values in samples(address, query, end - span, end).values() for v in values]
    return statistics.median(found) if found else None


def wrong_culprit(stage: Stage, ask: Ask, address: str) -> list[str]:
    """Whether the planted value does not change more than all others of its label."""
    labels, onset = stage.dialect.labels, ask.truth.onset or 0.0
    for label in (labels.endpoint, labels.pod, labels.version, labels.region):
        query = promql(stage.dialect, ask, label)
        after = samples(address, query, onset + 180, onset + 600)
        if ask.truth.culprit & set(after):
            before = samples(address, query, onset - SPAN_S, onset)
            grown = {
                k: statistics.median(v) - (statistics.median(before[k]) if before.get(k) else 0.0)
                for k, v in after.items()
                if v
            }
            worst = max(grown, key=lambda k: grown[k])
            return [] if worst in ask.truth.culprit else [f"{query}: {worst} changed most"]
    return [f"{query}: no series of {sorted(ask.truth.culprit)}"]
