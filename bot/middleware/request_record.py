"""Reads the record of one request for people of the workspace it was asked in."""

from __future__ import annotations

from workers.contracts import RequestLog
from workers.errors import RequestNotFound
from workers.store.request_logs import SqlStore


def load_for(store: SqlStore, request_id: str, team: str) -> RequestLog | None:
    """The log of a request; None when there is none, or another workspace's. Raises: StoreUnavailable."""
    try:
        log = store.load(request_id)
    except RequestNotFound:
        return None
    return log if log.question.team == team else None
