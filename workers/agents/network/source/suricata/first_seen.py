"""What was seen for the first time: signatures, destinations, domains, fingerprints; on a host, or anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, and_, desc, func, or_, select

from workers.agents.network.source.suricata.addresses import ANYWHERE, bounds, unpack
from workers.agents.network.source.suricata.alert_query import Network, Span
from workers.agents.network.tables import ids_first_seen

KINDS = ("signature", "domain", "destination", "fingerprint")


@dataclass(frozen=True)
class FirstSight:
    """Something new. ``host``: on which it was new; empty when it was new anywhere."""

    kind: str
    value: str
    label: str
    host: str
    first: float
    last: float
    events: int


def conditions(span: Span, kinds: Sequence[str], networks: Sequence[Network]) -> ColumnElement[bool]:
    """What began in a span, on hosts of some prefixes, or anywhere when none are given."""
    seen = ids_first_seen.c
    where: ColumnElement[bool] = seen.host == ANYWHERE
    if networks:
        where = or_(*(seen.host.between(*bounds(n)) for n in networks))
    return and_(seen.first_at >= span.start, seen.first_at < span.end, seen.kind.in_(kinds), where)


def count_new(
    connection: Connection, span: Span, kinds: Sequence[str], networks: Sequence[Network] = ()
) -> dict[str, int]:
    """How many of each kind are new."""
    seen = ids_first_seen.c
    rows = connection.execute(
        select(seen.kind, func.count()).where(conditions(span, kinds, networks)).group_by(seen.kind)
    )
    found = {kind: int(n) for kind, n in rows}
    return {kind: found.get(kind, 0) for kind in KINDS if kind in kinds}


def list_new(
    connection: Connection, span: Span, kinds: Sequence[str], networks: Sequence[Network], most: int
) -> tuple[FirstSight, ...]:
    """The new ones of each kind that were seen most often since, at most so many a kind."""
    seen = ids_first_seen.c
    found: list[FirstSight] = []
    for kind in kinds:
        rows = connection.execute(
            select(ids_first_seen)
            .where(conditions(span, (kind,), networks))
            .order_by(desc(seen.events), seen.first_at, seen.value)
            .limit(most)
        )
        found += [
            FirstSight(r.kind, r.value, r.label, unpack(r.host) if r.host else "", r.first_at, r.last_at, r.events)
            for r in rows
        ]
    return tuple(found)
