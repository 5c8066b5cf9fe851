"""Connections: who speaks to whom, how much, since when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sqlalchemy import ColumnElement, Connection, and_, case, desc, distinct, func, select

from workers.sources.suricata.addresses import bounds
from workers.sources.suricata.alert_query import Network, Span, within, written
from workers.store.tables import ids_connections

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


def only_name() -> ColumnElement[str]:
    """The host that all connections of a group asked for; none where they asked for several."""
    name = func.nullif(ids_connections.c.name, "")
    return case((func.min(name) == func.max(name), func.max(name)), else_="")


def count_flows(connection: Connection, wanted: TalkFilter) -> int:
    """How many connections there are."""
    found = connection.execute(select(func.count(distinct(ids_connections.c.flow_id))).where(conditions(wanted)))
    return int(found.scalar() or 0)


def list_talks(connection: Connection, wanted: TalkFilter, most: int) -> tuple[Talk, ...]:
    """The pairs with the most connections."""
    seen = ids_connections.c
    flows = func.count(distinct(seen.flow_id))
    rows = connection.execute(
        select(
            seen.src,
            seen.dest,
            seen.dest_port,
            func.max(seen.app_proto),
            only_name(),
            flows,
            func.sum(seen.bytes_out),
            func.sum(seen.bytes_in),
            func.min(seen.at),
            func.max(seen.at),
        )
        .where(conditions(wanted))
        .group_by(seen.src, seen.dest, seen.dest_port)
        .order_by(desc(flows), desc(func.sum(seen.bytes_out + seen.bytes_in)), seen.src, seen.dest)
        .limit(most)
    ).all()
    return tuple(
        Talk(written(r[0]), written(r[1]), r[2], r[3], r[4] or "", r[5], int(r[6] or 0), int(r[7] or 0), r[8], r[9])
        for r in rows
    )
