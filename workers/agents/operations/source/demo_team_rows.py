"""The invented team's few rows: deployments, users, incidents."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

import numpy as np

from workers.agents.operations.source.bulk_insert import Row
from workers.agents.operations.source.demo_team import ACTIVE_MINUTES, DEPLOYED, TROUBLES, USERS, Trouble
from workers.agents.operations.source.row_parsing import stored_time

DAYS = 15


def span(trouble: Trouble) -> tuple[float, float]:
    """From when to when an incident lasts, in seconds before the end; one that still lasts has no end."""
    if trouble.minutes is None:
        return -ACTIVE_MINUTES * 60, np.inf
    start = -DAYS * 86_400 * (1 - trouble.began)
    return start, start + trouble.minutes * 60


def deployment_rows(end: datetime) -> list[Row]:
    """All enabled, made over the last year."""
    return [
        (f"{model}/{backend}", model, backend, True, share, stored_time(end - timedelta(days=300 - 13 * i)))
        for i, (model, backend, share) in enumerate(DEPLOYED)
    ]


def user_rows() -> list[Row]:
    """With preferences."""
    return [
        (name, tier, budget, latency, errors, most, json.dumps({"stream": i % 2 == 0, "fallback": i % 3 != 0}))
        for i, (name, tier, budget, latency, errors, most, _) in enumerate(USERS)
    ]


def incident_rows(end: datetime) -> list[Row]:
    """Eight, the last of them active."""
    rows: list[Row] = []
    for i, trouble in enumerate(TROUBLES, 1):
        start, stop = span(trouble)
        began = stored_time(end + timedelta(seconds=round(start)))
        ended = None if trouble.minutes is None else stored_time(end + timedelta(seconds=round(stop)))
        state = "resolved" if ended else "active"
        rows.append((f"INC-{240 + i}", trouble.kind, trouble.target, trouble.title, state, began, ended))
    return rows
