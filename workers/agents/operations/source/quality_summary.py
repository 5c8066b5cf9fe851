"""get_quality_summary: scores by model and task."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, func, select

from workers.agents.operations.source.hourly_sums import quality_hours
from workers.agents.operations.source.period_hours import Cover, whole_window
from workers.agents.operations.source.quality_scores import Key, Scores, merge, read_scores
from workers.agents.operations.source.reader import LISTED, Found, Reader, known, number, only
from workers.agents.operations.source.tables import models, requests
from workers.errors import ToolArgumentError
from workers.language.nearest_names import nearest_names

NEWEST = 2_000


def get_quality_summary(
    reader: Reader, model_id: str = "", task_type: str = "", since: str = "7 days ago", until: str = ""
) -> Found:
    """Scores of the requests of a window by model and task, lowest average first.

    Returns: ``{data[{model_id, task_type, avg_score, min_score, max_score, sample_count}]}``. A score belongs to the
    moment of its request, not to that of its evaluation.

    Raises:
        ToolArgumentError: a parameter is wrong.
        StoreUnavailable: the database cannot be read.
    """
    start, end = reader.window(since, until)
    with reader.connect() as connection:
        known(connection, "model_id", model_id, models.c.id)
        found = read_summary(connection, whole_window(connection, start, end), model_id, task_type)
        if task_type and not found:
            check_task(connection, task_type)
    order = sorted(found, key=lambda key: (found[key].mean, key))
    data = [
        {
            "model_id": model,
            "task_type": task,
            "avg_score": number(found[model, task].mean),
            "min_score": number(found[model, task].low),
            "max_score": number(found[model, task].high),
            "sample_count": found[model, task].count,
        }
        for model, task in order
    ]
    return Found({"data": data}, {"window": (start, end), "scores": found})


def read_summary(connection: Connection, plan: Cover, model_id: str, task_type: str) -> dict[Key, Scores]:
    """Scores of a window by model and task: summed hours, and raw rows for the rest."""
    found: dict[Key, Scores] = {}
    for start, end in plan.spans:
        rows = connection.execute(added_up(start, end, model_id, task_type))
        merge(found, (((model, task), Scores(*values)) for model, task, *values in rows))
    for start, end in plan.raw:
        merge(found, read_scores(connection, start, end, model_id, task_type).items())
    return found


def added_up(start: datetime, end: datetime, model_id: str, task_type: str) -> Select[Any]:
    """Summed hours as one row for each model and task: that with the lowest score, and sums over all of them."""
    q = quality_hours.c
    same = [q.model_id, q.task_type]
    lowest = func.row_number().over(partition_by=same, order_by=[q.score_min, q.lowest_at.desc(), q.lowest_request_id])
    hours_of = (
        select(
            *same,
            func.sum(q.sample_count).over(partition_by=same).label("count"),
            func.sum(q.score_sum).over(partition_by=same).label("total"),
            q.score_min.label("low"),
            func.max(q.score_max).over(partition_by=same).label("high"),
            q.lowest_request_id,
            q.lowest_at,
            lowest.label("place"),
        )
        .where(q.hour >= start, q.hour < end, *only([(q.model_id, model_id), (q.task_type, task_type)]))
        .subquery()
    )
    columns = [column for column in hours_of.c if column.name != "place"]
    return select(*columns).where(hours_of.c.place == 1)


def check_task(connection: Connection, task_type: str) -> None:
    """Raises: ToolArgumentError: none of the newest requests is of this type."""
    newest = select(requests.c.task_type).order_by(requests.c.created_at.desc()).limit(NEWEST).subquery()
    known_tasks = sorted(connection.execute(select(newest.c.task_type).distinct()).scalars())
    if task_type not in known_tasks:
        near = nearest_names([task_type], known_tasks) or tuple(known_tasks[:LISTED])
        raise ToolArgumentError(
            f"task_type: no scored request is of type {task_type!r}; there is {', '.join(near)}", near
        )
