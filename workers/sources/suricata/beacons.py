"""Beaconing: connections of one pair at regular intervals. Numbers that suggest it, never proof of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection, desc, distinct, func, select

from workers.sources.suricata.alert_query import written
from workers.sources.suricata.connection_query import TalkFilter, conditions, only_name
from workers.store.tables import ids_connections

FEWEST = 8
"""Connections of a pair that a rhythm is seen in."""
MOST_PAIRS, MOST_TIMES = 400, 20_000
SHORTEST_S = 5.0
"""Connections closer than this are one: a page loads many things at once."""
MOST_JITTER = 0.25
LEAST_REGULAR = 0.6
SIGMA = 1.4826
"""The median absolute deviation times this is the standard deviation, where deviations are normal."""


@dataclass(frozen=True)
class Rhythm:
    """How regular moments are. ``interval_s``: their median distance; ``jitter``: how far distances stray from it,
    median absolute deviation times `SIGMA`, as a share of it; ``regular``: the share of distances within a quarter of
    the median or of twice or three times it, as when one was missed; ``count``: moments that were told apart.
    """

    count: int
    interval_s: float
    jitter: float
    regular: float
    span_s: float


@dataclass(frozen=True)
class Beacon:
    """A pair whose connections have a rhythm."""

    src: str
    dest: str
    dest_port: int
    name: str
    app_proto: str
    rhythm: Rhythm
    first: float
    last: float
    bytes_out: int


def find_rhythm(moments: Sequence[float]) -> Rhythm | None:
    """The rhythm of some moments, in any order; None: there is none, or there are too few of them."""
    times = np.unique(np.asarray(moments, dtype=np.float64))
    if len(times) < FEWEST:
        return None
    starts = np.concatenate(([True], np.diff(times) >= SHORTEST_S))
    times = times[starts]
    if len(times) < FEWEST:
        return None
    distances = np.diff(times)
    interval = float(np.median(distances))
    jitter = float(SIGMA * np.median(np.abs(distances - interval)) / interval)
    beats = np.clip(np.round(distances / interval), 1, 3)
    regular = float(np.mean(np.abs(distances - beats * interval) <= interval / 4))
    if jitter > MOST_JITTER or regular < LEAST_REGULAR:
        return None
    return Rhythm(len(times), interval, jitter, regular, float(times[-1] - times[0]))


def find_beacons(connection: Connection, wanted: TalkFilter, most: int) -> tuple[tuple[Beacon, ...], int]:
    """The pairs with the most regular connections, and how many pairs were looked at.

    Of a busy network those are looked at whose connections are few enough for a rhythm of `SHORTEST_S` or longer,
    the most of them first.
    """
    seen = ids_connections.c
    flows = func.count(distinct(seen.flow_id))
    fastest = int((wanted.span.end - wanted.span.start) / SHORTEST_S)
    pairs = connection.execute(
        select(
            seen.src,
            seen.dest,
            seen.dest_port,
            only_name(),
            func.max(seen.app_proto),
            func.min(seen.at),
            func.max(seen.at),
            func.sum(seen.bytes_out),
        )
        .where(conditions(wanted))
        .group_by(seen.src, seen.dest, seen.dest_port)
        .having(flows.between(FEWEST, max(FEWEST, min(MOST_TIMES, fastest))))
        .order_by(desc(flows))
        .limit(MOST_PAIRS)
    ).all()
    found = []
    for src, dest, port, name, proto, first, last, out in pairs:
        same = (seen.src == src, seen.dest == dest, seen.dest_port == port)
        span = (seen.at >= wanted.span.start, seen.at < wanted.span.end)
        starts = select(func.min(seen.at)).where(*same, *span).group_by(seen.flow_id).limit(MOST_TIMES)
        if rhythm := find_rhythm(connection.execute(starts).scalars().all()):
            found.append(
                Beacon(written(src), written(dest), port, name or "", proto, rhythm, first, last, int(out or 0))
            )
    found.sort(key=lambda b: (round(b.rhythm.jitter, 2), -b.rhythm.count))
    return tuple(found[:most]), len(pairs)
