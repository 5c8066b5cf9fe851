"""get_deployment_status: how every deployment does by its last report."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import RowMapping, select

from workers.agents.operations.source.reader import Found, Reader, choose, known, number, only, stamp
from workers.agents.operations.source.tables import HEALTH, backends, deployment_state_current, deployments, models

FRESH_S = 60
FEWEST = 10
WORST_FIRST = {"down": 0, "degraded": 1, None: 2, "healthy": 3}
MEASURED = (
    "latency_p50_ms",
    "latency_p95_ms",
    "error_rate",
    "timeout_rate",
    "queue_depth",
    "rate_limit_remaining",
    "ttft_p50_ms",
    "ttft_p95_ms",
    "decode_toks_per_sec_p50",
    "decode_toks_per_sec_p95",
)


def get_deployment_status(reader: Reader, model_id: str = "", backend_id: str = "", status: str = "") -> Found:
    """Deployments, worst first. One that never reported has no status, and no numbers.

    Returns: ``{deployments[{deployment_id, model_id, backend_id, enabled, weight, status, window_sec, sample_count,
    updated_at, …, is_stale}], summary{total, healthy, degraded, down}}``; stale: the report is older than 60 s, or of
    fewer than 10 requests.

    Raises:
        ToolArgumentError: a model, backend or status that does not exist.
        StoreUnavailable: the database cannot be read.
    """
    choose("status", status, HEALTH)
    d, s = deployments.c, deployment_state_current.c
    with reader.connect() as connection:
        known(connection, "model_id", model_id, models.c.id)
        known(connection, "backend_id", backend_id, backends.c.id)
        wanted = only([(d.model_id, model_id), (d.backend_id, backend_id), (s.status, status)])
        query = (
            select(d.id, d.model_id, d.backend_id, d.enabled, d.weight, deployment_state_current)
            .outerjoin_from(deployments, deployment_state_current, s.deployment_id == d.id)
            .where(*wanted)
        )
        rows = connection.execute(query).mappings().all()
    listed = sorted((deployment(row, reader.now) for row in rows), key=badness)
    summary = {"total": len(listed)} | {word: sum(r["status"] == word for r in listed) for word in HEALTH}
    return Found({"deployments": listed, "summary": summary})


def deployment(row: RowMapping, now: datetime) -> dict[str, Any]:
    """One deployment."""
    updated = row["updated_at"]
    old = updated is None or (now - updated).total_seconds() > FRESH_S
    return {
        "deployment_id": row["id"],
        "model_id": row["model_id"],
        "backend_id": row["backend_id"],
        "enabled": bool(row["enabled"]),
        "weight": number(row["weight"]),
        "status": row["status"],
        "window_sec": row["window_sec"],
        "sample_count": row["sample_count"],
        "updated_at": stamp(updated),
        **{name: number(row[name]) if isinstance(row[name], float) else row[name] for name in MEASURED},
        "is_stale": old or row["sample_count"] < FEWEST,
    }


def badness(row: dict[str, Any]) -> tuple[int, float, str]:
    """The order: by status, the slowest first."""
    return WORST_FIRST[row["status"]], -(row["latency_p95_ms"] or 0.0), row["deployment_id"]
