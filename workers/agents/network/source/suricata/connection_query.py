"""Connections: who speaks to whom, how much, since when."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Row, and_, desc, select

from workers.agents.network.source.suricata.addresses import bounds
from workers.agents.network.source.suricata.alert_query import Network, Span, within, written
from workers.agents.network.tables import ids_connections

Side = Literal["any", "source", "target"]


@dataclass(frozen=True)
class Talk:
    """What one host said to another on one port. ``flows``: connections; ``name``: a host that was asked for."""

    src: str
    dest: str
    dest_port: int
    app_proto: str
    name: str
    flows: int
    bytes_out: int
    bytes_in: int
    first: float
    last: float


@dataclass(frozen=True)
class TalkFilter:
    """Which connections. ``side``: on which side ``networks`` stand; ``name``: a host asked for, or a domain above."""

    span: Span
    networks: tuple[Network, ...] = ()
    side: Side = "any"
    name: str = ""


def conditions(wanted: TalkFilter) -> ColumnElement[bool]:
    """A filter as a condition."""
    seen = ids_connections.c
    parts: list[ColumnElement[bool]] = [seen.at >= wanted.span.start, seen.at < wanted.span.end]
    if wanted.networks and wanted.side == "any":
        parts.append(within(ids_connections, wanted.networks))
    elif wanted.networks:
        column = seen.src if wanted.side == "source" else seen.dest
        low_high = [bounds(n) for n in wanted.networks]
        parts.append(or_of([column.between(low, high) for low, high in low_high]))
    if wanted.name:  # the record with the name is not the one with the bytes, which is of the same flow
        below = seen.name.endswith(f".{wanted.name.lower()}", autoescape=True)
        same = select(seen.flow_id).where(*parts, (seen.name == wanted.name.lower()) | below)
        parts.append(seen.flow_id.in_(same))
    return and_(*parts)


def or_of(parts: list[ColumnElement[bool]]) -> ColumnElement[bool]:
    """One of several."""
    first, *rest = parts
    for part in rest:
        first = first | part
    return first


MOST_RECORDS = 30_000
"""Records that one question is answered from, the newest: as many as are read within the time of a tool."""


@dataclass(frozen=True)
class Records:
    """Records of connections, newest first. ``span``: what they are all of, shorter than what was asked for when there
    are too many (``narrowed``).
    """

    rows: Sequence[Row[Any]]
    span: Span
    narrowed: bool

    @property
    def flows(self) -> int:
        """How many connections there are: several records may be of one."""
        return len({row.flow_id for row in self.rows})

    def pairs(self) -> dict[tuple[bytes, bytes, int], list[Row[Any]]]:
        """Source, destination and port -> records."""
        found: dict[tuple[bytes, bytes, int], list[Row[Any]]] = {}
        for row in self.rows:
            found.setdefault((row.src, row.dest, row.dest_port), []).append(row)
        return found


def read_records(connection: Connection, wanted: TalkFilter) -> Records:
    """The newest records that pass a filter."""
    seen = ids_connections.c
    names = ("src", "dest", "dest_port", "app_proto", "name", "flow_id", "bytes_out", "bytes_in", "at")
    statement = select(*(seen[name] for name in names)).where(conditions(wanted))
    rows = connection.execute(statement.order_by(desc(seen.at)).limit(MOST_RECORDS)).all()
    if len(rows) < MOST_RECORDS:
        return Records(rows, wanted.span, narrowed=False)
    return Records(rows, Span(rows[-1].at, wanted.span.end), narrowed=True)


def only(values: Iterable[str]) -> str:
    """The value that all have which have one; empty where they have several."""
    found = {value for value in values if value}
    return found.pop() if len(found) == 1 else ""


def list_talks(records: Records, most: int) -> tuple[Talk, ...]:
    """The pairs with the most connections, then the most bytes."""
    found = [
        Talk(
            src=written(src),
            dest=written(dest),
            dest_port=port,
            app_proto=max(row.app_proto for row in rows),
            name=only(row.name for row in rows),
            flows=len({row.flow_id for row in rows}),
            bytes_out=sum(row.bytes_out for row in rows),
            bytes_in=sum(row.bytes_in for row in rows),
            first=rows[-1].at,
            last=rows[0].at,
        )
        for (src, dest, port), rows in records.pairs().items()
    ]
    return tuple(sorted(found, key=lambda t: (-t.flows, -t.bytes_out - t.bytes_in, t.src, t.dest))[:most])
