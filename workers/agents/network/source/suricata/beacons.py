"""Beaconing: connections of one pair at regular intervals. Numbers that suggest it, never proof of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workers.agents.network.source.suricata.alert_query import written
from workers.agents.network.source.suricata.connection_query import Records, only

FEWEST = 12
"""Connections of a pair that a rhythm is seen in."""
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


def find_beacons(records: Records, most: int) -> tuple[tuple[Beacon, ...], int]:
    """The pairs with the most regular connections, and how many pairs had enough of them to be looked at."""
    found, looked_at = [], 0
    for (src, dest, port), rows in records.pairs().items():
        starts: dict[int, float] = {row.flow_id: row.at for row in rows}  # newest first: the oldest one stays
        if len(starts) < FEWEST:
            continue
        looked_at += 1
        if rhythm := find_rhythm(list(starts.values())):
            name, proto = only(row.name for row in rows), max(row.app_proto for row in rows)
            out = sum(row.bytes_out for row in rows)
            pair = written(src), written(dest), port
            found.append(Beacon(*pair, name, proto, rhythm, rows[-1].at, rows[0].at, out))
    found.sort(key=lambda b: (round(b.rhythm.jitter, 2), -b.rhythm.count))
    return tuple(found[:most]), looked_at
