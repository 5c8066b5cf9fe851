"""Scores by model and task: what can be said of many at once, and added up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from workers.agents.operations.source.reader import only
from workers.agents.operations.source.tables import quality_scores, requests

Key = tuple[str, str]
"""Model and task."""


@dataclass(frozen=True)
class Scores:
    """Scores together. ``lowest_request``: the newest request that has the lowest one, at ``lowest_at``."""

    count: int
    total: float
    low: float
    high: float
    lowest_request: str
    lowest_at: datetime

    @property
    def mean(self) -> float:
        """The plain average."""
        return self.total / self.count

    def __add__(self, other: Scores) -> Scores:
        """Both together."""
        lowest = min(self, other, key=lambda s: (s.low, -s.lowest_at.timestamp(), s.lowest_request))
        return Scores(
            self.count + other.count,
            self.total + other.total,
            lowest.low,
            max(self.high, other.high),
            lowest.lowest_request,
            lowest.lowest_at,
        )


def merge(found: dict[Key, Scores], more: Iterable[tuple[Key, Scores]]) -> dict[Key, Scores]:
    """Add to what there is."""
    for key, scores in more:
        found[key] = found[key] + scores if key in found else scores
    return found


def read_scores(
    connection: Connection, start: datetime, end: datetime, model_id: str = "", task_type: str = ""
) -> dict[Key, Scores]:
    """The scores of the requests of a span, from the rows themselves."""
    r, q = requests.c, quality_scores.c
    query = (
        select(r.model_id, r.task_type, q.score, r.id, r.created_at)
        .join_from(requests, quality_scores, q.request_id == r.id)
        .where(r.created_at >= start, r.created_at < end, *only([(r.model_id, model_id), (r.task_type, task_type)]))
    )
    values: dict[Key, list[tuple[float, datetime, str]]] = {}
    for model, task, score, request_id, at in connection.execute(query):
        values.setdefault((model, task), []).append((score, at, request_id))
    return {key: summed(scores) for key, scores in values.items()}


def summed(scores: list[tuple[float, datetime, str]]) -> Scores:
    """At least one score, its moment and its request."""
    low, at, request_id = min(scores, key=lambda s: (s[0], -s[1].timestamp(), s[2]))
    return Scores(len(scores), sum(s[0] for s in scores), low, max(s[0] for s in scores), request_id, at)
