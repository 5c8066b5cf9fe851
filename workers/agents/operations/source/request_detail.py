"""get_request_detail: everything about one request."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, RowMapping, case, or_, select

from workers.agents.operations.source.active_incidents import incident
from workers.agents.operations.source.reader import Found, NotFound, Reader, number, stamp
from workers.agents.operations.source.recent_requests import plain, request
from workers.agents.operations.source.tables import incidents, quality_scores, requests, users
from workers.errors import ToolArgumentError


def get_request_detail(reader: Reader, request_id: str) -> Found:
    """One request, its newest score, and the incident that it falls into: of its deployment, else its model or backend.

    Returns: ``{request{… as in get_recent_requests, router_version, experiment_id, routing_decision},
    quality_score{score, eval_type, evaluated_at}|null, related_incident{… as in get_active_incidents}|null}``.

    Raises:
        ToolArgumentError: no id is given.
        NotFound: there is no such request.
        StoreUnavailable: the database cannot be read.
    """
    if not request_id.strip():
        raise ToolArgumentError("request_id: it is empty")
    r = requests.c
    query = select(requests, users.c.tier_id.label("user_tier")).join_from(requests, users, users.c.id == r.user_id)
    with reader.connect() as connection:
        row = connection.execute(query.where(r.id == request_id.strip())).mappings().first()
        if row is None:
            raise NotFound(f"there is no request {request_id[:200]!r}", similar(connection, request_id.strip()))
        score = newest_score(connection, row["id"])
        trouble = incident_around(connection, row)
    routed = {name: plain(row[name]) for name in ("router_version", "experiment_id")}
    found = request(row) | routed | {"routing_decision": read_object(row["routing_reason_json"])}
    return Found(
        {
            "request": found,
            "quality_score": score,
            "related_incident": incident(trouble, reader.now) if trouble else None,
        }
    )


def similar(connection: Connection, request_id: str) -> tuple[str, ...]:
    """Ids that begin like one that does not exist."""
    start = request_id[:-2]
    if len(start) < 3:
        return ()
    inside = (requests.c.id >= start) & (requests.c.id < start + "\U0010ffff")
    return tuple(connection.execute(select(requests.c.id).where(inside).order_by(requests.c.id).limit(3)).scalars())


def newest_score(connection: Connection, request_id: str) -> dict[str, Any] | None:
    """The score that was given last."""
    q = quality_scores.c
    query = select(q.score, q.eval_type, q.evaluated_at).where(q.request_id == request_id)
    row = connection.execute(query.order_by(q.evaluated_at.desc(), q.eval_type).limit(1)).first()
    if row is None:
        return None
    return {"score": number(row.score), "eval_type": row.eval_type, "evaluated_at": stamp(row.evaluated_at)}


def incident_around(connection: Connection, row: RowMapping) -> RowMapping | None:
    """The incident that a request falls into."""
    i = incidents.c
    targets = [("deployment", row["deployment_id"]), ("model", row["model_id"]), ("backend", row["backend_id"])]
    its_own = or_(*((i.target_type == kind) & (i.target_id == name) for kind, name in targets))
    lasted = (i.started_at <= row["created_at"]) & or_(i.resolved_at.is_(None), i.resolved_at > row["created_at"])
    nearest = case({kind: rank for rank, (kind, _) in enumerate(targets)}, value=i.target_type)
    query = select(incidents).where(its_own, lasted).order_by(nearest, i.started_at.desc()).limit(1)
    return connection.execute(query).mappings().first()


def read_object(text: str | None) -> dict[str, Any] | None:
    """A JSON object; other text stands under ``text``, as whoever filled the database wrote it."""
    if text is None:
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {"text": text}
    return found if isinstance(found, dict) else {"text": text}
