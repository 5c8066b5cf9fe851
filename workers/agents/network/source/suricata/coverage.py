"""What the sensors can speak of at all: who they are, since when, how far they are read, how much was unreadable."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from workers.agents.network.tables import ids_logs, ids_sensors


@dataclass(frozen=True)
class Coverage:
    """``since`` and ``heard``: the first and the last moment that any sensor wrote of; None while nothing was read.
    ``silent``: the sensor heard least recently, with that moment; ``why_broken``: the reasons of the last broken lines;
    ``ahead``: sensors whose clock is ahead, in seconds, which is taken off; ``heard`` and the like have none of it.
    """

    sensors: tuple[str, ...]
    since: float | None
    heard: float | None
    silent: tuple[str, float] | None
    lines: int
    broken: int
    unread: int
    why_broken: str = ""
    ahead: tuple[tuple[str, float], ...] = ()


def read_coverage(connection: Connection) -> Coverage:
    """As it is now."""
    sensors = connection.execute(
        select(
            ids_sensors.c.name,
            ids_sensors.c.first_at - ids_sensors.c.ahead_s,
            ids_sensors.c.last_at - ids_sensors.c.ahead_s,
            ids_sensors.c.ahead_s,
        ).order_by(ids_sensors.c.last_at - ids_sensors.c.ahead_s)
    ).all()
    why = connection.execute(select(ids_logs.c.error).where(ids_logs.c.error != "").limit(3)).scalars().all()
    logs = ids_logs.c
    plain = ~logs.path.endswith(".gz")
    lines, broken = connection.execute(select(func.sum(logs.lines), func.sum(logs.broken))).one()
    unread = connection.execute(
        select(func.sum(logs.size - logs.offset)).where(plain, logs.size > logs.offset)
    ).scalar()
    return Coverage(
        sensors=tuple(sorted(name for name, *_ in sensors)),
        since=min((first for _, first, *_ in sensors), default=None),
        heard=max((last for _, _, last, _ in sensors), default=None),
        silent=(sensors[0][0], sensors[0][2]) if len(sensors) > 1 else None,
        lines=int(lines or 0),
        broken=int(broken or 0),
        unread=int(unread or 0),
        why_broken="; ".join(why),
        ahead=tuple((name, ahead) for name, _, _, ahead in sensors if ahead),
    )
