"""Alerts: which there are, and how many of each signature, host, category … ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, and_, desc, distinct, func, or_, select

from workers.agents.network.source.suricata.addresses import bounds, unpack
from workers.agents.network.tables import ids_alerts, ids_connections, ids_logs

Network = IPv4Network | IPv6Network


@dataclass(frozen=True)
class Span:
    """From ``start``, included, to ``end``, not included; seconds since the epoch."""

    start: float
    end: float


@dataclass(frozen=True)
class AlertFilter:
    """Which alerts. Empty parts let all through. ``networks``: either end lies in one of them; ``worst``: severities
    from 1 to this one, ``severity`` just this one; ``signature``: words of the rule's text, or its sid.
    """

    span: Span
    networks: tuple[Network, ...] = ()
    signature: str = ""
    severity: int = 0
    worst: int = 0
    sensor: str = ""
    name: str = ""


@dataclass(frozen=True)
class Alert:
    """One alert with the place it stands at: ``path`` and ``line`` of the log."""

    at: float
    sensor: str
    flow_id: int
    src: str
    src_port: int
    dest: str
    dest_port: int
    proto: str
    app_proto: str
    name: str
    gid: int
    sid: int
    rev: int
    signature: str
    category: str
    severity: int
    action: str
    mitre: str
    path: str
    line: int


@dataclass(frozen=True)
class AlertGroup:
    """Alerts that share a value. ``hosts``: how many addresses they come from."""

    value: str
    label: str
    count: int
    worst: int
    sources: int
    targets: int
    first: float
    last: float


def within(table: Any, networks: Sequence[Network]) -> ColumnElement[bool]:
    """Whether either end of a row lies in one of some prefixes."""
    ends = (bounds(n) for n in networks)
    return or_(*(column.between(low, high) for low, high in ends for column in (table.c.src, table.c.dest)))


def conditions(wanted: AlertFilter) -> ColumnElement[bool]:
    """A filter as a condition."""
    alerts = ids_alerts.c
    parts: list[ColumnElement[bool]] = [alerts.at >= wanted.span.start, alerts.at < wanted.span.end]
    if wanted.networks:
        parts.append(within(ids_alerts, wanted.networks))
    if wanted.signature.isdecimal():
        parts.append(alerts.sid == int(wanted.signature))
    elif wanted.signature:
        parts += [alerts.signature.icontains(word, autoescape=True) for word in wanted.signature.split()]
    if wanted.severity:
        parts.append(alerts.severity == wanted.severity)
    if wanted.worst:
        parts.append(alerts.severity <= wanted.worst)
    if wanted.sensor:
        parts.append(alerts.sensor == wanted.sensor)
    if wanted.name:
        parts.append(alerts.name == wanted.name.lower())
    return and_(*parts)


def count_alerts(connection: Connection, wanted: AlertFilter) -> dict[str, int]:
    """How many there are, by severity as well: ``{"count", "1", "2", …}``, and the kinds of ``sids``."""
    severity = ids_alerts.c.severity
    rows = connection.execute(
        select(severity, func.count()).where(conditions(wanted)).group_by(severity).order_by(severity)
    ).all()
    return {"count": sum(n for _, n in rows), **{str(s): n for s, n in rows}}


def list_alerts(connection: Connection, wanted: AlertFilter, most: int) -> tuple[Alert, ...]:
    """The newest, most severe first."""
    alerts = ids_alerts.c
    named = [c for c in alerts if c.name not in {"id", "log"}]
    rows = connection.execute(
        select(*named, ids_logs.c.path)
        .join(ids_logs, ids_logs.c.key == alerts.log, isouter=True)
        .where(conditions(wanted))
        .order_by(alerts.severity, desc(alerts.at))
        .limit(most)
    ).mappings()
    return tuple(
        Alert(**{**row, "src": unpack(row["src"]), "dest": unpack(row["dest"]), "path": row["path"] or ""})
        for row in rows
    )


GROUPS: dict[str, tuple[Column[Any], Column[Any]]] = {
    "signature": (ids_alerts.c.sid, ids_alerts.c.signature),
    "source": (ids_alerts.c.src, ids_alerts.c.src),
    "target": (ids_alerts.c.dest, ids_alerts.c.dest),
    "category": (ids_alerts.c.category, ids_alerts.c.category),
    "severity": (ids_alerts.c.severity, ids_alerts.c.severity),
    "sensor": (ids_alerts.c.sensor, ids_alerts.c.sensor),
    "name": (ids_alerts.c.name, ids_alerts.c.name),
}
"""What alerts can be counted by -> the value, and its words for people."""


def group_alerts(connection: Connection, wanted: AlertFilter, by: str, most: int) -> tuple[AlertGroup, ...]:
    """The values with the most alerts. ``by``: one of `GROUPS`."""
    value, label = GROUPS[by]
    alerts = ids_alerts.c
    count = func.count()
    rows = connection.execute(
        select(
            value,
            value if label is value else func.max(label),
            count,
            func.min(alerts.severity),
            func.count(distinct(alerts.src)),
            func.count(distinct(alerts.dest)),
            func.min(alerts.at),
            func.max(alerts.at),
        )
        .where(conditions(wanted))
        .group_by(value)
        .order_by(desc(count), value)
        .limit(most)
    ).all()
    return tuple(AlertGroup(written(row[0]), written(row[1]), *row[2:]) for row in rows)


def written(value: object) -> str:
    """A value as text; addresses as they are written."""
    return unpack(bytes(value)) if isinstance(value, bytes | memoryview) else str(value)


def known_signatures(connection: Connection, most: int) -> tuple[str, ...]:
    """The texts of rules that alerted, those with the most alerts first."""
    signature = ids_alerts.c.signature
    rows = connection.execute(select(signature).group_by(signature).order_by(desc(func.count())).limit(most))
    return tuple(rows.scalars())


def last_alert(connection: Connection, networks: tuple[Network, ...]) -> float | None:
    """When either end of some prefixes was in an alert last, however long ago; None: never, as far as is kept."""
    found: float | None = connection.execute(
        select(func.max(ids_alerts.c.at)).where(within(ids_alerts, networks))
    ).scalar()
    return found


def last_connection(connection: Connection, networks: tuple[Network, ...]) -> float | None:
    """When a sensor saw one of some addresses last."""
    found: float | None = connection.execute(
        select(func.max(ids_connections.c.at)).where(within(ids_connections, networks))
    ).scalar()
    return found
