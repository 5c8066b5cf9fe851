"""What the sensors can speak of at all: who they are, since when, how far they are read, how much was unreadable."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from workers.agents.network.tables import ids_logs, ids_sensors


@dataclass(frozen=True)
class Coverage:
    """``since`` and ``heard``: the first and the last moment that any sensor wrote of; None while nothing was read.
    ``silent``: the sensor heard least recently, with that moment.
    """

    sensors: tuple[str, ...]
    since: float | None
    heard: float | None
    silent: tuple[str, float] | None
    lines: int
    broken: int
    unread: int


def read_coverage(connection: Connection) -> Coverage:
    """As it is now."""
    sensors = connection.execute(
        select(ids_sensors.c.name, ids_sensors.c.first_at, ids_sensors.c.last_at).order_by(ids_sensors.c.last_at)
    ).all()
    logs = ids_logs.c
    plain = ~logs.path.endswith(".gz")
    lines, broken = connection.execute(select(func.sum(logs.lines), func.sum(logs.broken))).one()
    unread = connection.execute(
        select(func.sum(logs.size - logs.offset)).where(plain, logs.size > logs.offset)
    ).scalar()
    return Coverage(
        sensors=tuple(sorted(name for name, _, _ in sensors)),
        since=min((first for _, first, _ in sensors), default=None),
        heard=max((last for _, _, last in sensors), default=None),
        silent=(sensors[0][0], sensors[0][2]) if len(sensors) > 1 else None,
        lines=int(lines or 0),
        broken=int(broken or 0),
        unread=int(unread or 0),
    )
