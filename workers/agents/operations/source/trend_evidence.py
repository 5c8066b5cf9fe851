"""Latency, quality and volume as evidence; `workers.agents.operations.source.evidence` lists the facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from statistics import median
from typing import Any

from workers.agents.operations.source.latency_trends import Line, Point
from workers.agents.operations.source.period_hours import Period
from workers.agents.operations.source.reader import Found
from workers.agents.operations.source.row_facts import (
    MOST,
    Given,
    changes,
    evidence,
    facts,
    filtered,
    place,
    said,
    seconds,
)
from workers.contracts import Evidence

Args = Mapping[str, Any]
MOST_SAMPLES = 240
FEWEST, FEW = 10, 21
"""Requests of a period from which its p95 is told, and from which one slow request cannot move it by itself."""
ODD = 1.5


def trends_found(found: Found, now: datetime, args: Args) -> tuple[Evidence, ...]:
    """All deployments together, and each of them, that whose p95 rose most first."""
    lines: dict[str, Line] = found.more["lines"]
    if not lines:
        return ()
    moved = {name: telling(line) for name, line in lines.items()}
    order = sorted(lines, key=lambda name: (-rise(moved[name]), name))
    worst = order[0] if len(order) > 1 and moved[order[0]].get("direction") == "rose" else ""
    averages = found.data["summary"]
    start, end = found.more["window"]
    extra = [
        ("avg_latency_p50", averages["avg_latency_p50_ms"], "ms"),
        ("avg_latency_p95", averages["avg_latency_p95_ms"], "ms"),
        ("granularity", found.more["granularity"], "text"),
        ("window_start", start, "time"),
        ("window_end", end, "time"),
        *((name, args.get(f"{name}_id"), "text") for name in ("deployment", "model", "backend")),
        ("worst_deployment", worst, "text"),
        ("worst_change_pct", moved[worst]["change_pct"] if worst else None, "percent"),
    ]
    entity = filtered(args, "deployment_id", "model_id", "backend_id")
    ids = dict.fromkeys(("deployment_id", "model_id", "backend_id"), "")
    times = {"since": "24 hours ago", "until": "", "granularity": "hour"}
    where = place("trends/latency", args, **ids, **times)
    overall = trend_found("latency trends", where, entity, found.more["overall"], extra, now)
    window = extra[2:5]
    return (
        overall,
        *(
            trend_found(
                f"latency of deployment {name}",
                place(f"trends/latency/{name}", args, **times),
                name,
                lines[name],
                [("deployment", name, "text"), *window],
                now,
            )
            for name in order[:MOST]
        ),
    )


def telling(line: Line) -> dict[str, Any]:
    """How the p95 changed, in milliseconds, over the periods with enough requests to tell."""
    enough = [p for p in line.points if p.p95 is not None and p.p50 is not None and p.count >= FEWEST]
    usual = (median(p.p50 or 0.0 for p in enough), median(p.p95 or 0.0 for p in enough)) if enough else (0.0, 0.0)
    return changes(
        [(p.period.name, p.p95, p.period.whole) for p in enough if p.p95 is not None and not is_one_slow(p, *usual)]
    )


def is_one_slow(point: Point, p50: float, p95: float) -> bool:
    """Whether a period of few requests stands out by its p95 alone: that is one slow request, and no move.

    Args:
        point: the period.
        p50: the usual one, in milliseconds.
        p95: the usual one, in milliseconds.
    """
    if point.count >= FEW or point.p95 is None or point.p50 is None:
        return False
    return point.p95 > ODD * p95 and point.p50 < ODD * p50


def rise(moved: Args) -> float:
    """By how much a p95 rose, in percent."""
    return float(moved.get("change_pct") or 0.0)


def trend_found(title: str, where: str, entity: str, line: Line, extra: Given, now: datetime) -> Evidence:
    """One line over time."""
    moved, whole = telling(line), line.whole
    counts: dict[Any, int] = {p.period.name: p.count for p in line.points}
    failing = changes([(p.period.name, p.error_rate, p.period.whole) for p in line.points if p.count >= FEWEST])
    given = facts(
        entity,
        [
            ("request_count", whole.count if whole else 0, "count"),
            ("latency_p50", whole and whole.p50, "ms"),
            ("latency_p95", whole and whole.p95, "ms"),
            ("error_rate", whole and whole.error_rate, "ratio"),
            ("timeout_rate", whole and whole.timeout_rate, "ratio"),
            *((name, moved.get(name), "ms") for name in ("baseline", "current", "peak")),
            ("window_last", moved.get("current_at"), "time"),
            ("peak_at", moved.get("peak_at"), "time"),
            ("current_count", counts.get(moved.get("current_at")), "count"),
            ("peak_count", counts.get(moved.get("peak_at")), "count"),
            ("change_pct", moved.get("change_pct"), "percent"),
            ("direction", moved.get("direction"), "text"),
            ("error_rate_baseline", failing.get("baseline"), "ratio"),
            ("error_rate_current", failing.get("current"), "ratio"),
            *extra,
        ],
    )
    p95 = f"p95 {seconds(moved.get('baseline'))} → {seconds(moved.get('current'))}"
    change = f" ({moved['change_pct']:+.0f} %)" if "change_pct" in moved else ""
    errors = f", error rate {said(whole.error_rate if whole else None)}"
    samples = [(p.period.name.timestamp(), p.p95 / 1000) for p in line.points if p.p95 is not None]
    return evidence("metric", title, where, given, f"{title}: {p95}{change}{errors}", at=now, series=thinned(samples))


def thinned(samples: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """At most `MOST_SAMPLES`: the highest of each run of neighbours."""
    step = -(-len(samples) // MOST_SAMPLES) or 1
    return [max(samples[i : i + step], key=lambda s: s[1]) for i in range(0, len(samples), step)]


def quality_found(found: Found, now: datetime, args: Args) -> tuple[Evidence, ...]:
    """All scores together, and those of each model and task, lowest average first."""
    rows, scores = found.data["data"], found.more["scores"]
    if not rows:
        return ()
    start, end = found.more["window"]
    whole = None
    for one in scores.values():
        whole = one if whole is None else whole + one
    summary = facts(
        filtered(args, "model_id", "task_type"),
        [
            ("sample_count", whole and whole.count, "count"),
            ("avg_score", whole and whole.mean, "ratio"),
            ("min_score", whole and whole.low, "ratio"),
            ("max_score", whole and whole.high, "ratio"),
            ("lowest_model", rows[0]["model_id"], "text"),
            ("lowest_task", rows[0]["task_type"], "text"),
            ("lowest_avg_score", rows[0]["avg_score"], "ratio"),
            ("lowest_sample_count", rows[0]["sample_count"], "count"),
            ("model", args.get("model_id"), "text"),
            ("task_type", args.get("task_type"), "text"),
            ("lowest_request", whole and whole.lowest_request, "text"),
            ("lowest_request_score", whole and whole.low, "ratio"),
            ("lowest_request_at", whole and whole.lowest_at, "time"),
            ("window_start", start, "time"),
            ("window_end", end, "time"),
        ],
    )
    line = f"average score {said(whole and whole.mean)} of {whole.count if whole else 0:,} scored requests"
    times = {"task_type": "", "since": "7 days ago", "until": ""}
    return (
        evidence("row", "quality summary", place("quality", args, model_id="", **times), summary, line, at=now),
        *(quality_row(row, scores[row["model_id"], row["task_type"]].lowest_request, now, args) for row in rows[:MOST]),
    )


def quality_row(row: Args, lowest: str, now: datetime, args: Args) -> Evidence:
    """The scores of a model on a task."""
    model, task = row["model_id"], row["task_type"]
    given = facts(
        model,
        [
            ("model", model, "text"),
            ("task_type", task, "text"),
            *((name, row[name], "ratio") for name in ("avg_score", "min_score", "max_score")),
            ("sample_count", row["sample_count"], "count"),
            ("lowest_request", lowest, "text"),
        ],
    )
    line = f"{model} on {task}: average score {said(row['avg_score'])} of {row['sample_count']:,} scored requests"
    where = place(f"quality/{model}/{task}", args, since="7 days ago", until="")
    return evidence("row", f"quality of {model} on {task}", where, given, line, at=now)


def volume_found(found: Found, now: datetime, args: Args) -> tuple[Evidence, ...]:
    """All requests together, and those of each group, the busiest first."""
    if not found.data["data"]:
        return ()
    cut, sums = found.more["periods"], found.more["sums"]
    counts: dict[str, int] = {}
    for period in sums:
        for name, (count, _) in period.items():
            counts[name] = counts.get(name, 0) + count
    total = found.data["totals"]["request_count"]
    order = sorted(counts, key=lambda name: (-counts[name], name))
    start, end = found.more["window"]
    window = [
        ("granularity", found.more["granularity"], "text"),
        ("group_by", found.more["group_by"], "text"),
        ("window_start", start, "time"),
        ("window_end", end, "time"),
    ]
    busiest = [
        ("busiest_group", order[0], "text"),
        ("busiest_count", counts[order[0]], "count"),
        ("busiest_share", counts[order[0]] / total, "ratio"),
        ("groups", len(order), "count"),
    ]
    everything = [(sum(c for c, _ in p.values()), sum(cost for _, cost in p.values())) for p in sums]
    times = {"since": "7 days ago", "until": "", "granularity": "day"}
    where = place("volume", args, group_by="tier", **times)
    overall = volume_line("request volume", where, "all", cut, everything, [*busiest, *window], now)
    return (
        overall,
        *(
            volume_line(
                f"request volume of {name}",
                place(f"volume/{found.more['group_by']}/{name}", args, **times),
                name,
                cut,
                [p.get(name, (0, 0.0)) for p in sums],
                [("group", name, "text"), ("share", counts[name] / total, "ratio"), *window],
                now,
            )
            for name in order[:MOST]
        ),
    )


def volume_line(
    title: str,
    where: str,
    entity: str,
    cut: Sequence[Period],
    sums: Sequence[tuple[int, float]],
    extra: Given,
    now: datetime,
) -> Evidence:
    """The requests of all, or of a group, over time."""
    values = [(p.name, float(count), p.whole) for p, (count, _) in zip(cut, sums, strict=True)]
    moved = changes(values)
    count, cost = sum(c for c, _ in sums), sum(cost for _, cost in sums)
    given = facts(
        entity,
        [
            ("request_count", count, "count"),
            ("total_cost_usd", cost, "count"),
            *((name, moved.get(name), "count") for name in ("baseline", "current", "peak")),
            ("window_last", moved.get("current_at"), "time"),
            ("peak_at", moved.get("peak_at"), "time"),
            ("change_pct", moved.get("change_pct"), "percent"),
            ("direction", moved.get("direction"), "text"),
            *extra,
        ],
    )
    samples = [(at.timestamp(), value) for at, value, _ in values]
    line = f"{title}: {count:,} requests, {cost:,.2f} USD"
    return evidence("metric", title, where, given, line, at=now, series=thinned(samples))
