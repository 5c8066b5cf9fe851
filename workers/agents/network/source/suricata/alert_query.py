"""Alerts and other events: which there are, and how many of each signature, host, category, day … ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from ipaddress import IPv4Network, IPv6Network
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Connection, and_, case, cast, desc, distinct, func, or_, select

from workers.agents.network.source.chosen_parts import chosen_and_left, parts_of
from workers.agents.network.source.suricata.addresses import bounds, unpack
from workers.agents.network.source.suricata.event import RULES
from workers.agents.network.tables import ids_alerts, ids_connections, ids_logs, ids_sensors

Network = IPv4Network | IPv6Network


@dataclass(frozen=True)
class Span:
    """From ``start``, included, to ``end``, not included; seconds since the epoch."""

    start: float
    end: float


@dataclass(frozen=True)
class Ends:
    """Where events come from or go to: one end of them lies in one of ``networks``, and in none of ``without``."""

    networks: tuple[Network, ...] = ()
    without: tuple[Network, ...] = ()


ANY_END = Ends()
DAY_S, HOUR_S = 86_400, 3_600


@dataclass(frozen=True)
class AlertFilter:
    """Which events. Empty parts let all through. ``networks``: either end lies in one of them, and neither in
    ``without``; ``worst``: severities from 1 to this one, ``severity`` just this one; ``signature``: words of the
    rule's text, with a ``!`` those that do not stand in it (``!a+b``: not both), or its sid.
    ``kind``: ``alert``, or a type of other events;
    ``reason``: why it was dropped, ``rules``,
    ``other`` or any; ``name``: a host that was asked for, or a domain above. ``hours``: from and to on the clock,
    which is ``zone_s`` ahead of UTC; the first being the later, over midnight. ``least``, ``targets``: so many events
    and so many destinations a group has at least; ``most``: so many events at most.
    """

    span: Span
    networks: tuple[Network, ...] = ()
    signature: str = ""
    severity: int = 0
    worst: int = 0
    sensor: str = ""
    name: str = ""
    without: tuple[Network, ...] = ()
    source: Ends = ANY_END
    target: Ends = ANY_END
    vlan: int = 0
    action: str = ""
    kind: str = "alert"
    reason: str = ""
    hours: tuple[int, int] | None = None
    zone_s: int = 0
    least: int = 0
    most: int = 0
    targets: int = 0

    @property
    def table(self) -> Any:
        """Where these events are kept."""
        return ids_alerts if self.kind == "alert" else ids_connections


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
    return or_(*(lies(column, networks) for column in (table.c.src, table.c.dest)))


def lies(column: Any, networks: Sequence[Network]) -> ColumnElement[bool]:
    """Whether an address lies in one of some prefixes."""
    return or_(*(column.between(low, high) for low, high in (bounds(n) for n in networks)))


def at_end(column: Any, ends: Ends) -> list[ColumnElement[bool]]:
    """The conditions on one end of a row."""
    chosen = [lies(column, ends.networks)] if ends.networks else []
    return [*chosen, *([~lies(column, ends.without)] if ends.without else [])]


def moment_of(table: Any, connection: Connection) -> Any:
    """When an event was: its stamp, less what the clock of its sensor is ahead."""
    sensors = ids_sensors.c
    ahead = connection.execute(select(sensors.name, sensors.ahead_s).where(sensors.ahead_s != 0)).all()
    if not ahead:
        return table.c.at
    return table.c.at - case(*((table.c.sensor == name, seconds) for name, seconds in ahead), else_=0.0)


def local(at: Any, wanted: AlertFilter) -> Any:
    """Whole seconds of a moment on the asker's clock."""
    return cast(at, BigInteger) + wanted.zone_s


def conditions(wanted: AlertFilter, connection: Connection) -> ColumnElement[bool]:
    """A filter as a condition."""
    table, alerts = wanted.table, wanted.table.c
    at = moment_of(table, connection)
    parts: list[ColumnElement[bool]] = [at >= wanted.span.start, at < wanted.span.end]
    if wanted.networks:
        parts.append(within(table, wanted.networks))
    if wanted.without:
        parts.append(~within(table, wanted.without))
    parts += [*at_end(alerts.src, wanted.source), *at_end(alerts.dest, wanted.target)]
    if wanted.vlan:
        parts.append(alerts.vlans.contains(f",{wanted.vlan},"))
    if wanted.hours:
        first, last = (hour * HOUR_S for hour in wanted.hours)
        clock = local(at, wanted) % DAY_S
        inside = (clock >= first, clock < last)
        parts.append(and_(*inside) if first < last else or_(*inside))
    if wanted.sensor:
        chosen, left = chosen_and_left(parts_of(wanted.sensor))
        parts += [alerts.sensor.in_(chosen)] if chosen else []
        parts += [alerts.sensor.not_in(left)] if left else []
    if wanted.name:
        name = wanted.name.lower().lstrip(".*")
        parts.append((alerts.name == name) | alerts.name.endswith(f".{name}", autoescape=True))
    return and_(*parts, *(of_rule(wanted) if wanted.kind == "alert" else of_kind(wanted)))


def of_kind(wanted: AlertFilter) -> list[ColumnElement[bool]]:
    """The conditions on events that are no alerts."""
    seen = ids_connections.c
    by_rule = seen.reason == RULES
    return [seen.kind == wanted.kind, *([by_rule if wanted.reason == RULES else ~by_rule] if wanted.reason else [])]


def of_rule(wanted: AlertFilter) -> list[ColumnElement[bool]]:
    """The conditions on what a rule said."""
    alerts, parts = ids_alerts.c, list[ColumnElement[bool]]()
    if wanted.action:
        parts.append(alerts.action == wanted.action)
    if wanted.severity:
        parts.append(alerts.severity == wanted.severity)
    if wanted.worst:
        parts.append(alerts.severity <= wanted.worst)
    if wanted.signature.isdecimal():
        return [*parts, alerts.sid == int(wanted.signature)]
    for word in wanted.signature.split():
        holds = and_(*(alerts.signature.icontains(w, autoescape=True) for w in word.lstrip("!").split("+")))
        parts.append(~holds if word[0] == "!" else holds)
    return parts


def count_alerts(connection: Connection, wanted: AlertFilter) -> dict[str, int]:
    """How many there are, by severity as well: ``{"count", "1", "2", …}``."""
    passed = conditions(wanted, connection)
    if wanted.kind != "alert":
        return {"count": connection.execute(select(func.count()).select_from(wanted.table).where(passed)).scalar_one()}
    severity = ids_alerts.c.severity
    rows = connection.execute(select(severity, func.count()).where(passed).group_by(severity).order_by(severity)).all()
    return {"count": sum(n for _, n in rows), **{str(s): n for s, n in rows}}


def newest_alert(connection: Connection, wanted: AlertFilter) -> float | None:
    """When the last of some events was."""
    at = func.max(moment_of(wanted.table, connection))
    found: float | None = connection.execute(select(at).where(conditions(wanted, connection))).scalar()
    return found


def list_alerts(connection: Connection, wanted: AlertFilter, most: int) -> tuple[Alert, ...]:
    """The newest, most severe first."""
    alerts = ids_alerts.c
    named = [c for c in alerts if c.name not in {"id", "log", "at", "vlans"}]
    at = moment_of(ids_alerts, connection)
    rows = connection.execute(
        select(*named, at.label("at"), ids_logs.c.path)
        .join(ids_logs, ids_logs.c.key == alerts.log, isouter=True)
        .where(conditions(wanted, connection))
        .order_by(alerts.severity, desc(at))
        .limit(most)
    ).mappings()
    return tuple(
        Alert(**{**row, "src": unpack(row["src"]), "dest": unpack(row["dest"]), "path": row["path"] or ""})
        for row in rows
    )


GROUPS = {
    "signature": ("sid", "signature"),
    "source": ("src", "src"),
    "target": ("dest", "dest"),
    "category": ("category", "category"),
    "severity": ("severity", "severity"),
    "sensor": ("sensor", "sensor"),
    "name": ("name", "name"),
    "action": ("action", "action"),
    "reason": ("reason", "reason"),
}
"""What events can be counted by, beside days -> the column of the value, and of its words for people."""


def group_alerts(connection: Connection, wanted: AlertFilter, by: str, most: int) -> tuple[AlertGroup, ...]:
    """The values with the most events; days in their order. ``by``: one of `GROUPS`, or ``day``."""
    table = wanted.table
    at = moment_of(table, connection)
    clock = local(at, wanted)
    day = (clock - clock % DAY_S) / DAY_S
    value, label = (cast(day, BigInteger),) * 2 if by == "day" else (table.c[name] for name in GROUPS[by])
    count, targets = func.count(), func.count(distinct(table.c.dest))
    rows = connection.execute(
        select(
            value,
            value if label is value else func.max(label),
            count,
            func.min(table.c.severity if wanted.kind == "alert" else 0),
            func.count(distinct(table.c.src)),
            targets,
            func.min(at),
            func.max(at),
        )
        .where(conditions(wanted, connection))
        .group_by(value)
        .having(count >= wanted.least, targets >= wanted.targets, *([count <= wanted.most] if wanted.most else []))
        .order_by(value if by == "day" else desc(count), value)
        .limit(most)
    ).all()
    named = day_named if by == "day" else written
    return tuple(AlertGroup(named(row[0]), named(row[1]), *row[2:]) for row in rows)


def day_named(number: Any) -> str:
    """A day as people call it: ``Wednesday, 2026-05-20``. ``number``: days since the epoch."""
    return f"{date.fromordinal(EPOCH + int(number)):%A, %Y-%m-%d}"


EPOCH = date(1970, 1, 1).toordinal()


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
        select(func.max(moment_of(ids_alerts, connection))).where(within(ids_alerts, networks))
    ).scalar()
    return found


def last_connection(connection: Connection, networks: tuple[Network, ...]) -> float | None:
    """When a sensor saw one of some addresses last."""
    found: float | None = connection.execute(
        select(func.max(moment_of(ids_connections, connection))).where(within(ids_connections, networks))
    ).scalar()
    return found
