"""Connections: who speaks to whom, how much, since when."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Row, and_, desc, select

from workers.agents.network.source.suricata.addresses import ANYWHERE
from workers.agents.network.source.suricata.alert_query import (
    ANY_END,
    Ends,
    Network,
    Span,
    at_end,
    lies,
    moment_of,
    within,
    written,
)
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
    source: Ends = ANY_END
    target: Ends = ANY_END


def conditions(wanted: TalkFilter, at: Any) -> ColumnElement[bool]:
    """A filter as a condition. ``at``: when a record was. What was dropped is no connection."""
    seen = ids_connections.c
    parts: list[ColumnElement[bool]] = [at >= wanted.span.start, at < wanted.span.end, seen.kind != "drop"]
    if wanted.networks and wanted.side == "any":
        parts.append(within(ids_connections, wanted.networks))
    elif wanted.networks:
        column = seen.src if wanted.side == "source" else seen.dest
        parts.append(lies(column, wanted.networks))
    parts += [part for ends in ((seen.src, wanted.source), (seen.dest, wanted.target)) for part in at_end(*ends)]
    name = wanted.name.lower().lstrip(".*")
    if name:  # the record with the name is not the one with the bytes, which is of the same flow
        below = seen.name.endswith(f".{name}", autoescape=True)
        same = select(seen.flow_id).where(*parts, (seen.name == name) | below)
        parts.append(seen.flow_id.in_(same))
    return and_(*parts)


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

    def pairs(self, by: str = "") -> dict[tuple[bytes, bytes, int], list[Row[Any]]]:
        """Source, destination and port -> records; one of the ends is empty where the records are told ``by`` host."""
        found: dict[tuple[bytes, bytes, int], list[Row[Any]]] = {}
        for row in self.rows:
            src, dest = (ANYWHERE if by == "target" else row.src), (ANYWHERE if by == "source" else row.dest)
            found.setdefault((src, dest, 0 if by else row.dest_port), []).append(row)
        return found


def read_records(connection: Connection, wanted: TalkFilter) -> Records:
    """The newest records that pass a filter."""
    seen = ids_connections.c
    names = ("src", "dest", "dest_port", "app_proto", "name", "flow_id", "bytes_out", "bytes_in")
    at = moment_of(ids_connections, connection)
    statement = select(*(seen[name] for name in names), at.label("at")).where(conditions(wanted, at))
    rows: Any = connection.execute(statement.order_by(desc(at)).limit(MOST_RECORDS)).all()
    if len(rows) < MOST_RECORDS:
        return Records(rows, wanted.span, narrowed=False)
    return Records(rows, Span(rows[-1].at, wanted.span.end), narrowed=True)


def only(values: Iterable[str]) -> str:
    """The value that all have which have one; empty where they have several."""
    found = {value for value in values if value}
    return found.pop() if len(found) == 1 else ""


def list_talks(records: Records, most: int, by: str = "") -> tuple[Talk, ...]:
    """The pairs with the most connections, then the most bytes; ``by``: source or target, hosts with the most bytes."""
    found = [
        Talk(
            src=written(src) if src else "",
            dest=written(dest) if dest else "",
            dest_port=port,
            app_proto=max(row.app_proto for row in rows),
            name=only(row.name for row in rows),
            flows=len({row.flow_id for row in rows}),
            bytes_out=sum(row.bytes_out for row in rows),
            bytes_in=sum(row.bytes_in for row in rows),
            first=rows[-1].at,
            last=rows[0].at,
        )
        for (src, dest, port), rows in records.pairs(by).items()
    ]

    def rank(talk: Talk) -> tuple[Any, ...]:
        size = -talk.bytes_out - talk.bytes_in
        return (*((size, -talk.flows) if by else (-talk.flows, size)), talk.src, talk.dest)

    return tuple(sorted(found, key=rank)[:most])
