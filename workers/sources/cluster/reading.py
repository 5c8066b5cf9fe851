"""What was read of a cluster, and the protocol of what its events are read from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from workers.sources.cluster.event import ClusterEvent, read_events


@dataclass(frozen=True)
class ClusterReading:
    """Events in any order; ``notes``: one sentence for each thing that was not as it should be."""

    events: tuple[ClusterEvent, ...] = ()
    notes: tuple[str, ...] = ()


class ClusterSource(Protocol):
    """What events are read from."""

    name: str

    def read(self, since: datetime, until: datetime) -> ClusterReading:
        """The events that happened from ``since`` to ``until``, at least once. Raises: ToolUnavailable."""
        ...

    def ping(self) -> str:
        """One line on what is there. Raises: ToolUnavailable."""
        ...


def make_reading(
    name: str, values: Iterable[Any], since: datetime, until: datetime, notes: Iterable[str] = ()
) -> ClusterReading:
    """The events of a span that values hold, each once as it was told last; how many cannot be read is a note."""
    found: dict[tuple[str, str, str, str, str], ClusterEvent] = {}
    unread = 0
    for event in read_events(list(values)):
        if event is None:
            unread += 1
        elif event.first_at <= until and event.last_at >= since:
            known = found.get(event.key)
            if known is None or (known.last_at, known.count) <= (event.last_at, event.count):
                found[event.key] = event
    told = (*notes, f"{unread} events of {name} cannot be read") if unread else tuple(notes)
    return ClusterReading(tuple(found.values()), told)
