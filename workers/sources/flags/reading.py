"""What is wanted of flags, what a source gave, and the protocol of what changes are read from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from workers.contracts import FlagChange
from workers.language.flag_events import FlagEventError, FlagEvents, read_flag_event


@dataclass(frozen=True)
class FlagReading:
    """Changes of a span in any order; ``notes``: one sentence for each thing that was not as it should be."""

    changes: tuple[FlagChange, ...] = ()
    notes: tuple[str, ...] = ()


class FlagSource(Protocol):
    """What changes are read from."""

    name: str

    def read(self, since: datetime, until: datetime) -> FlagReading:
        """The changes from ``since`` to ``until``, aware. Raises: ToolUnavailable: nothing can be read at all."""
        ...

    def ping(self) -> str:
        """One line on what is there. Raises: ToolUnavailable."""
        ...


def read_events(events: Iterable[Any], environment: str, site: str) -> Iterator[FlagEvents | None]:
    """Each event read; None for one that is not what it should be."""
    for event in events:
        try:
            yield read_flag_event(event, environment, site)
        except FlagEventError:
            yield None


def make_reading(
    name: str, events: Iterable[Any], environment: str, site: str, span: tuple[datetime, datetime], notes: list[str]
) -> FlagReading:
    """The changes of a span that events tell of; how many could not be read is a note."""
    read = list(read_events(events, environment, site))
    unread = sum(one is None for one in read)
    if unread:
        notes = [*notes, f"{unread} events of {name} cannot be read"]
    found = (change for one in read if one is not None for change in one.changes)
    return FlagReading(tuple(c for c in found if span[0] <= c.at <= span[1]), tuple(notes))
