"""The files of invented alerts: what fired, what their metrics did afterwards, and what stands around them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

BEGIN = datetime(2026, 5, 6, 22, tzinfo=UTC)
CALM = {"pattern_id": "calm", "signature": "cache swept", "delta_vs_baseline_pct": 2, "sentiment": "neutral"}
TROUBLE = {
    "pattern_id": "trouble",
    "signature": "write to ledger refused on disk-7",
    "delta_vs_baseline_pct": 800,
    "sentiment": "negative",
}


def at(minute: float) -> str:
    """A moment of the night, as files write it."""
    return (BEGIN + timedelta(minutes=minute)).isoformat().replace("+00:00", "Z")


def fired(name: str, minute: float = 60, value: float = 0.2, **more: Any) -> dict[str, Any]:
    """An alert on the share of errors of a service of its own, beyond 0.05."""
    return {
        "id": name,
        "service": f"svc-{name.lower()}",
        "metric": "error_rate",
        "severity": "SEV3",
        "fired_at": at(minute),
        "value": value,
        "threshold": 0.05,
        "fired_count_last_1h": 1,
        "auto_resolved_after_s": None,
    } | more


def write_alerts(
    folder: Path,
    alerts: Sequence[dict[str, Any]],
    readings: dict[tuple[str, str], Sequence[tuple[float, float]]] | None = None,
    **files: Any,
) -> Path:
    """Write alerts and what stands around them; ``readings``: minutes and values by service and metric; ``files``:
    contents by the name of a file."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = ["timestamp,service,metric,value"]
    for (service, metric), samples in (readings or {}).items():
        rows += [f"{at(minute)},{service},{metric},{value}" for minute, value in samples]
    (folder / "metrics.csv").write_text("\n".join(rows), encoding="utf-8")
    for name, content in ({"alerts": list(alerts), "patterns": [CALM, TROUBLE]} | files).items():
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    return folder
