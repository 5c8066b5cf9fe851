"""get_active_incidents: what is wrong right now."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import RowMapping, select

from workers.agents.operations.source.reader import Found, Reader, choose, known, number, only, stamp
from workers.agents.operations.source.tables import TARGETS, backends, deployments, incidents, models
from workers.errors import ToolArgumentError

TABLES = {"deployment": deployments, "model": models, "backend": backends}


def get_active_incidents(reader: Reader, target_type: str = "", target_id: str = "") -> Found:
    """Incidents that are active, longest first.

    Returns: ``{incidents[{id, target_type, target_id, title, status, started_at, resolved_at, duration_minutes}],
    count}``.

    Raises:
        ToolArgumentError: a target that does not exist.
        StoreUnavailable: the database cannot be read.
    """
    kind = choose("target_type", target_type, TARGETS)
    i = incidents.c
    with reader.connect() as connection:
        if target_id and kind:
            known(connection, "target_id", target_id, TABLES[kind].c.id)
        elif target_id and not any(
            connection.execute(select(table.c.id).where(table.c.id == target_id)).first() for table in TABLES.values()
        ):
            raise ToolArgumentError(f"target_id: there is no deployment, model or backend {target_id!r}")
        wanted = only([(i.status, "active"), (i.target_type, kind), (i.target_id, target_id)])
        rows = connection.execute(select(incidents).where(*wanted).order_by(i.started_at, i.id)).mappings().all()
    listed = [incident(row, reader.now) for row in rows]
    return Found({"incidents": listed, "count": len(listed)})


def incident(row: RowMapping, now: datetime) -> dict[str, Any]:
    """One incident; its duration is up to its end, or up to now."""
    seconds = ((row["resolved_at"] or now) - row["started_at"]).total_seconds()
    return {
        "id": row["id"],
        "target_type": row["target_type"],
        "target_id": row["target_id"],
        "title": row["title"],
        "status": row["status"],
        "started_at": stamp(row["started_at"]),
        "resolved_at": stamp(row["resolved_at"]),
        "duration_minutes": number(max(seconds, 0.0) / 60),
    }
