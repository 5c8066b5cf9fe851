"""Incidents, deployments, requests and users as evidence; `evidence` lists the facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np

from workers.agents.operations.source.latency_trends import percentile
from workers.agents.operations.source.reader import Found
from workers.agents.operations.source.row_facts import MOST, Given, evidence, facts, filtered, place, seconds
from workers.contracts import Evidence, Scalar
from workers.grounding.health import ERRORS_HIGH, FEWEST_SAMPLES, TIMEOUTS_HIGH

Args = Mapping[str, Any]
MOST_ROUTING = 12
FAILURES = frozenset({"error", "timeout"})


def incidents_found(found: Found, now: datetime, args: Args) -> tuple[Evidence, ...]:
    """The number of active incidents, which may be 0, and each of them."""
    listed = found.data["incidents"]
    entity = filtered(args, "target_id", "target_type")
    worst = listed[0] if listed else {}
    summary = facts(
        entity,
        [
            ("count", found.data["count"], "count"),
            ("as_of", now, "time"),
            ("longest", worst.get("duration_minutes", 0) * 60.0 if worst else None, "s"),
            ("worst_incident", worst.get("id"), "text"),
            ("worst_target", worst.get("target_id"), "text"),
            ("target_type", args.get("target_type"), "text"),
            ("target", args.get("target_id"), "text"),
        ],
    )
    count = found.data["count"]
    line = f"{count} active incident{'' if count == 1 else 's'}" + (f" of {entity}" if entity != "all" else "")
    where = place("incidents", args, target_type="", target_id="")
    return (
        evidence("incident", "active incidents", where, summary, line, at=now),
        *(incident_found(row, now) for row in listed[:MOST]),
    )


def incident_found(row: Args, now: datetime) -> Evidence:
    """One incident."""
    given = facts(
        row["target_id"],
        [
            ("incident", row["id"], "text"),
            ("title", row["title"], "text"),
            ("status", row["status"], "text"),
            ("target_type", row["target_type"], "text"),
            ("target", row["target_id"], "text"),
            ("started_at", row["started_at"], "time"),
            ("resolved_at", row["resolved_at"], "time"),
            ("duration", row["duration_minutes"] * 60.0, "s"),
            ("duration_minutes", row["duration_minutes"], "count"),
        ],
    )
    until = f", resolved at {row['resolved_at']}" if row["resolved_at"] else ""
    line = (
        f"{row['id']} {row['title']} ({row['target_type']} {row['target_id']}): {row['status']} "
        f"since {row['started_at']}{until}"
    )
    return evidence("incident", f"incident {row['id']}: {row['title']}", f"incidents/{row['id']}", given, line, at=now)


def deployments_found(found: Found, now: datetime, args: Args) -> tuple[Evidence, ...]:
    """How many are healthy, and each of them, worst first."""
    listed, counts = found.data["deployments"], found.data["summary"]
    if not listed and not args.get("status"):
        return ()
    worst = listed[0] if listed and listed[0]["status"] != "healthy" else {}
    slowest: Args = max(listed, key=lambda r: r["latency_p95_ms"] or 0.0, default={})
    summary = facts(
        filtered(args, "model_id", "backend_id"),
        [
            *((name, counts[name], "count") for name in ("total", "healthy", "degraded", "down")),
            ("deployments", counts["total"], "count"),
            ("unknown", sum(r["status"] is None for r in listed), "count"),
            ("stale", sum(r["is_stale"] for r in listed), "count"),
            ("disabled", sum(not r["enabled"] for r in listed), "count"),
            ("failing", sum(is_failing(r) for r in listed), "count"),
            ("model", args.get("model_id"), "text"),
            ("backend", args.get("backend_id"), "text"),
            ("status_filter", args.get("status"), "text"),
            ("as_of", now, "time"),
            ("worst_deployment", worst.get("deployment_id"), "text"),
            ("worst_status", (worst["status"] or "unknown") if worst else None, "text"),
            ("highest_p95", slowest.get("latency_p95_ms"), "ms"),
            ("highest_p95_deployment", slowest["deployment_id"] if slowest.get("latency_p95_ms") else None, "text"),
            ("highest_p95_count", slowest.get("sample_count") if slowest.get("latency_p95_ms") else None, "count"),
            ("newest_report", max((r["updated_at"] for r in listed if r["updated_at"]), default=None), "time"),
        ],
    )
    where = place("deployments", args, model_id="", backend_id="", status="")
    line = ", ".join(f"{counts[name]} {name}" for name in ("healthy", "degraded", "down"))
    return (
        evidence("row", "deployment status", where, summary, f"{counts['total']} deployments: {line}", at=now),
        *(deployment_found(row, now) for row in listed[:MOST]),
    )


def is_failing(row: Args) -> bool:
    """Whether many of a deployment's requests fail, of enough to tell."""
    return (row["sample_count"] or 0) >= FEWEST_SAMPLES and (
        (row["error_rate"] or 0.0) >= ERRORS_HIGH or (row["timeout_rate"] or 0.0) >= TIMEOUTS_HIGH
    )


def deployment_found(row: Args, now: datetime) -> Evidence:
    """One deployment."""
    name = row["deployment_id"]
    updated = datetime.fromisoformat(row["updated_at"]) if row["updated_at"] else None
    given = facts(
        name,
        [
            ("deployment", name, "text"),
            ("model", row["model_id"], "text"),
            ("backend", row["backend_id"], "text"),
            ("status", row["status"] or "unknown", "text"),
            ("enabled", row["enabled"], "text"),
            ("stale", row["is_stale"], "text"),
            ("updated_at", row["updated_at"], "time"),
            ("age", (now - updated).total_seconds() if updated else None, "s"),
            ("window", row["window_sec"], "s"),
            ("sample_count", row["sample_count"], "count"),
            *((f"{what}_{p}", row[f"{what}_{p}_ms"], "ms") for what in ("latency", "ttft") for p in ("p50", "p95")),
            *((rate, row[rate], "ratio") for rate in ("error_rate", "timeout_rate")),
            *((size, row[size], "count") for size in ("queue_depth", "rate_limit_remaining")),
            *((f"decode_rate_{p}", row[f"decode_toks_per_sec_{p}"], "/s") for p in ("p50", "p95")),
        ],
    )
    stale = ", stale" if row["is_stale"] else ""
    line = (
        f"{name}: {row['status'] or 'never reported'}{stale}, p95 {seconds(row['latency_p95_ms'])}, "
        f"error rate {row['error_rate'] if row['error_rate'] is not None else 'unknown'}"
    )
    return evidence("row", f"deployment {name}", f"deployments/{name}", given, line, at=updated)


def requests_found(found: Found, now: datetime, args: Args) -> tuple[Evidence, ...]:
    """The requests of a list together, and single ones, those that failed first and then the slowest.

    That none of the requests that there were failed is told too.
    """
    listed, outcomes = found.data["requests"], found.more["outcomes"]
    if not listed and not (args.get("status") in FAILURES and sum(outcomes.values())):
        return ()
    summary = facts(
        filtered(args, "user_id", "deployment_id", "model_id", "backend_id", "user_tier", "status"),
        [
            *(listed_facts(listed) if listed else ()),
            *counted_facts(found, listed),
            ("status_filter", args.get("status"), "text"),
            ("tier", args.get("user_tier"), "text"),
            *((name, args.get(f"{name}_id"), "text") for name in ("user", "deployment", "model", "backend")),
        ],
    )
    failed = outcomes["error"] + outcomes["timeout"]
    more = " (there are more)" if found.data["has_more"] else ""
    line = f"{sum(outcomes.values()):,} requests, {failed:,} failed; the newest {len(listed)}{more} are listed"
    ids = dict.fromkeys(("user_id", "user_tier", "deployment_id", "model_id", "backend_id", "status", "until"), "")
    where = place("requests", args, **ids, since="24 hours ago", limit="50")
    worst = sorted(listed, key=lambda r: (r["status"] == "success", -(r["latency_ms"] or 0.0), r["id"]))
    return (
        evidence("row", "recent requests", where, summary, line, at=now),
        *(one_request(row, request_facts(row)) for row in worst[:MOST]),
    )


def counted_facts(found: Found, listed: Sequence[Args]) -> Iterator[tuple[str, Any, str]]:
    """What is said of the window as a whole, and how much of it is listed."""
    start, end = found.more["window"]
    outcomes = found.more["outcomes"]
    total = sum(outcomes.values())
    shown = Counter(r["status"] for r in listed)
    yield "count", len(listed), "count"
    yield "newest_count", len(listed), "count"
    yield "has_more", found.data["has_more"], "text"
    yield "limit", found.more["limit"], "count"
    yield "success_count", shown["success"], "count"
    yield "error_count", shown["error"], "count"
    yield "timeout_count", shown["timeout"], "count"
    yield "request_count", total, "count"
    yield "all_error_count", outcomes["error"], "count"
    yield "all_timeout_count", outcomes["timeout"], "count"
    yield "error_rate", outcomes["error"] / total if total else None, "ratio"
    yield "timeout_rate", outcomes["timeout"] / total if total else None, "ratio"
    yield "window_start", start, "time"
    yield "window_end", end, "time"


def listed_facts(listed: Sequence[Args]) -> Iterator[tuple[str, Any, str]]:
    """What is said of a list of requests, newest first."""
    ordered = np.sort(np.array([r["latency_ms"] for r in listed if r["latency_ms"] is not None], float))
    slowest = max(listed, key=lambda r: r["latency_ms"] or 0.0)
    failed = [r for r in listed if r["status"] != "success"]
    codes = Counter(r["error_code"] for r in failed if r["error_code"]).most_common(1)
    places = Counter(r["deployment_id"] for r in failed).most_common(1)
    yield "latency_p50", percentile(ordered, 0.5), "ms"
    yield "latency_p95", percentile(ordered, 0.95), "ms"
    yield "latency_max", float(ordered[-1]) if len(ordered) else None, "ms"
    yield "slowest_request", slowest["id"] if len(ordered) else None, "text"
    yield "newest_at", listed[0]["created_at"], "time"
    yield "oldest_at", listed[-1]["created_at"], "time"
    for row in failed[:1]:
        yield "failed_request", row["id"], "text"
        yield "failed_at", row["created_at"], "time"
    for code, count in codes:
        yield "top_error_code", code, "text"
        yield "top_error_count", count, "count"
    for name, count in places:
        yield "top_failing_deployment", name, "text"
        yield "top_failing_count", count, "count"


def request_facts(row: Args) -> Given:
    """What is said of one request."""
    return [
        ("request", row["id"], "text"),
        ("user", row["user_id"], "text"),
        ("tier", row["user_tier"], "text"),
        ("deployment", row["deployment_id"], "text"),
        ("model", row["model_id"], "text"),
        ("backend", row["backend_id"], "text"),
        ("task_type", row["task_type"], "text"),
        ("status", row["status"], "text"),
        ("error_code", row["error_code"], "text"),
        ("created_at", row["created_at"], "time"),
        ("latency", row["latency_ms"], "ms"),
        ("ttft", row["ttft_ms"], "ms"),
        ("decode_rate", row["decode_toks_per_sec"], "/s"),
        ("input_tokens", row["input_tokens"], "count"),
        ("output_tokens", row["output_tokens"], "count"),
        ("cost_usd", row["cost_usd"], "count"),
    ]


def one_request(row: Args, given: Given) -> Evidence:
    """One request."""
    why = f" ({row['error_code']})" if row["error_code"] else ""
    line = (
        f"{row['id']} at {row['created_at']}: {row['status']}{why} in {seconds(row['latency_ms'])} "
        f"on {row['deployment_id']} for {row['user_id']}, {row['task_type']}"
    )
    at = datetime.fromisoformat(row["created_at"])
    return evidence("row", f"request {row['id']}", f"requests/{row['id']}", facts(row["id"], given), line, at=at)


def request_found(found: Found, now: datetime, args: Args) -> tuple[Evidence, ...]:  # noqa: ARG001 - as the others
    """A request with its score and its routing, and the incident it falls into."""
    row, score, trouble = found.data["request"], found.data["quality_score"], found.data["related_incident"]
    more: list[tuple[str, Any, str]] = [
        ("router_version", row["router_version"], "text"),
        ("experiment", row["experiment_id"], "text"),
        ("quality_score", score and score["score"], "ratio"),
        ("eval_type", score and score["eval_type"], "text"),
        ("evaluated_at", score and score["evaluated_at"], "time"),
        ("incident", trouble and trouble["id"], "text"),
        *routing_facts(row["routing_decision"] or {}),
    ]
    listed = one_request(row, [*request_facts(row), *more])
    alone = listed.model_copy(update={"locator": f"{listed.locator}#detail"})
    return (alone, incident_found(trouble, now)) if trouble else (alone,)


def routing_facts(decision: Args) -> Given:
    """The plain values of a routing decision."""
    plain = [(key, value) for key, value in decision.items() if isinstance(value, Scalar)]
    return [
        (f"routing_{key}", value, "text" if isinstance(value, str | bool) else "count")
        for key, value in plain[:MOST_ROUTING]
    ]


def user_found(found: Found, now: datetime, args: Args) -> tuple[Evidence, ...]:  # noqa: ARG001 - as the others
    """A user."""
    user = found.data["user"]
    budget, used = user["daily_budget_usd"], user["daily_budget_used_usd"]
    given = facts(
        user["id"],
        [
            ("user", user["id"], "text"),
            ("tier", user["tier"], "text"),
            ("latency_sla", user["latency_sla_ms"], "ms"),
            ("daily_budget_usd", budget, "count"),
            ("daily_budget_used_usd", used, "count"),
            ("daily_budget_remaining_usd", user["daily_budget_remaining_usd"], "count"),
            ("budget_used", used / budget if budget else None, "ratio"),
            ("requests_today", user["requests_today"], "count"),
            ("day_start", found.more["day_start"], "time"),
        ],
    )
    line = (
        f"{user['id']}: tier {user['tier']}, p95 promised {seconds(user['latency_sla_ms'])}, "
        f"{user['requests_today']:,} requests today, {used:.2f} of {budget:.2f} USD used"
    )
    return (evidence("row", f"user {user['id']}", f"users/{user['id']}", given, line, at=now),)
