"""Lines of a log as rows, and their way into the database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles
from typing import Any

from sqlalchemy import Connection, Table, case, insert, update
from sqlalchemy.dialects import sqlite

from workers.agents.network.source.suricata.addresses import ANYWHERE, unpack
from workers.agents.network.source.suricata.event import AlertPart, BrokenLine, Heartbeat, Sighting, read_line
from workers.agents.network.tables import ids_alerts, ids_connections, ids_first_seen, ids_sensors

Row = dict[str, Any]


@dataclass
class Batch:
    """Rows of each table. ``seen``: (kind, value, host) -> label, first and last moment, count; ``sensors``: name ->
    first and last moment, count; ``reasons``: why lines were broken; ``clocks``: how far a sensor's clock is ahead.
    """

    alerts: list[Row] = field(default_factory=list)
    connections: list[Row] = field(default_factory=list)
    seen: dict[tuple[str, str, bytes], list[Any]] = field(default_factory=dict)
    sensors: dict[str, list[Any]] = field(default_factory=dict)
    reasons: Counter[str] = field(default_factory=Counter)
    clocks: dict[str, float] = field(default_factory=dict)

    @property
    def broken(self) -> int:
        """Lines that could not be read."""
        return self.reasons.total()


def read_batch(lines: Sequence[bytes], log: str, first: int, sensor: str, kinds: frozenset[str]) -> Batch:
    """Read lines.

    Args:
        lines: as they stand in the log.
        log: its key.
        first: the number of the first line, from 1.
        sensor: who wrote them, where they do not say.
        kinds: types of events that are kept beside alerts.
    """
    batch, told = Batch(), list[tuple[str, float]]()
    for place, line in enumerate(lines, first):
        try:
            event = read_line(line)
        except BrokenLine as error:
            batch.reasons[str(error)] += 1
            continue
        name = event.sensor or sensor
        note(batch.sensors, name, event.logged_at)
        told.append((name, event.logged_at))
        if isinstance(event, Heartbeat) or not (event.alert or event.kind in kinds):
            continue
        row = sighting_row(event, name)
        batch.connections.append(connection_row(event, row))
        if event.alert:
            batch.alerts.append({**row, **alert_columns(event.alert), "log": log, "line": place})
        for kind, value, label in remarkable(event):
            for host in (event.src, ANYWHERE):
                note(batch.seen, (kind, value, host), event.at, label)
    batch.clocks = clocks_ahead(told)
    return batch


NEAR, FEWEST, OFF_S, STEP_S = 3, 20, 900.0, 300.0
"""Lines on each side that tell when one was written; lines of a sensor that its clock is told by; what is an error of
a clock and no delay, and the step it is rounded to.
"""


def clocks_ahead(told: Sequence[tuple[str, float]]) -> dict[str, float]:
    """How far a sensor's clock is ahead of the others', by the order in which lines of several came into one log.

    Only what most lines of a sensor agree on is told. One that is right is told as 0.
    """
    leads: dict[str, list[float]] = {}
    if len({name for name, _ in told}) > 2:  # of two that differ, none is the wrong one
        for place, (name, at) in enumerate(told):
            around = [t for other, t in told[max(place - NEAR, 0) : place + NEAR + 1] if other != name]
            if around:
                leads.setdefault(name, []).append(at - median(around))
    found: dict[str, float] = {}
    for name, some in leads.items():
        if len(some) >= FEWEST:
            low, middle, high = quantiles(some, n=4)
            agree = high - low < abs(middle) / 2
            found[name] = round(middle / STEP_S) * STEP_S if agree and abs(middle) >= OFF_S else 0.0
    return found


def note(seen: dict[Any, list[Any]], key: Any, at: float, label: str = "") -> None:
    """Something was seen once more."""
    known = seen.get(key)
    if known is None:
        seen[key] = [label, at, at, 1]
        return
    known[1], known[2], known[3] = min(known[1], at), max(known[2], at), known[3] + 1


def sighting_row(event: Sighting, sensor: str) -> Row:
    """The columns that alerts and connections share."""
    return {
        "at": event.at,
        "sensor": sensor,
        "flow_id": event.flow_id,
        "src": event.src,
        "src_port": event.src_port,
        "dest": event.dest,
        "dest_port": event.dest_port,
        "proto": event.proto,
        "app_proto": event.app_proto,
        "name": event.name,
        "vlans": event.vlans,
    }


def connection_row(event: Sighting, row: Row) -> Row:
    """A record of a connection."""
    return {
        **row,
        "kind": event.kind,
        "fingerprint": event.fingerprint,
        "bytes_out": event.bytes_out,
        "bytes_in": event.bytes_in,
        "reason": event.reason,
    }


def alert_columns(said: AlertPart) -> Row:
    """What a rule said."""
    return {name: getattr(said, name) for name in said.__slots__}


def remarkable(event: Sighting) -> Iterable[tuple[str, str, str]]:
    """What may be seen for the first time in an event: kind, value and words for people."""
    if event.kind == "drop":
        return
    if event.alert:
        yield "signature", f"{event.alert.gid}:{event.alert.sid}", event.alert.signature
    else:
        yield "destination", unpack(event.dest), event.name
    if event.name:
        yield "domain", event.name, ""
    if event.fingerprint:
        yield "fingerprint", event.fingerprint, event.name


# --- writing --------------------------------------------------------------------------------------------------


def write_batch(connection: Connection, batch: Batch) -> None:
    """Write all rows; what is seen again only moves its last moment and its count."""
    if batch.connections:
        connection.execute(insert(ids_connections), batch.connections)
    if batch.alerts:
        connection.execute(insert(ids_alerts), batch.alerts)
    seen = [
        {"kind": kind, "value": value, "host": host, "label": label, **times(first, last, count)}
        for (kind, value, host), (label, first, last, count) in sorted(batch.seen.items())
    ]
    merge(connection, ids_first_seen, seen)
    merge(
        connection, ids_sensors, [{"name": name, **times(*known[1:])} for name, known in sorted(batch.sensors.items())]
    )
    for name, ahead in sorted(batch.clocks.items()):
        connection.execute(update(ids_sensors).where(ids_sensors.c.name == name).values(ahead_s=ahead))


def times(first: float, last: float, count: int) -> Row:
    """When something was seen."""
    return {"first_at": first, "last_at": last, "events": count}


def insert_for(connection: Connection, table: Table) -> Any:
    """An insertion that can say what happens where there is a row already, in the way of each database."""
    if connection.dialect.name == "sqlite":
        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql  # noqa: PLC0415 - SQLAlchemy imports the dialect that is used

    return postgresql.insert(table)


def merge(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows; where there is one with the same key, its times become those of both.

    In the order of their keys, so that two processes never wait for each other in a circle.
    """
    if rows:
        statement = insert_for(connection, table)
        new, old = statement.excluded, table.c
        times_of_both = {
            "first_at": case((new.first_at < old.first_at, new.first_at), else_=old.first_at),
            "last_at": case((new.last_at > old.last_at, new.last_at), else_=old.last_at),
            "events": old.events + new.events,
        }
        keys = list(table.primary_key.columns)
        connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=times_of_both), list(rows))
