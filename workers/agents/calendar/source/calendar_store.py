"""Where a calendar lies: what every kind of place can do."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Protocol

from workers.agents.calendar.source.appointments import Resource
from workers.errors import ToolError, ToolUnavailable


class CalendarConflict(ToolError):
    """An appointment is no longer as it was when its change was proposed; nothing was written."""


class AnswerLost(ToolUnavailable):
    """No answer came, or one of a server in between: what was asked for may have been done, or be done yet."""


class CalendarStore(Protocol):
    """One calendar. All functions raise `ToolUnavailable` when it does not answer."""

    writable: bool

    @property
    def ahead(self) -> timedelta | None:
        """How far after it was read it tells what is taken; None: without an end."""
        ...

    @property
    def schedules(self) -> bool:
        """Whether its server tells the others of a change, and changes their copies."""
        ...

    def read(self, known: Mapping[str, Resource]) -> dict[str, Resource]:
        """All resources by their places; those of ``known`` whose version is the same are not fetched again."""
        ...

    def get(self, href: str) -> Resource | None:
        """One resource as it is now; None when it is gone."""
        ...

    def put(self, href: str, text: str, version: str) -> str:
        """Write a resource if it has this version; empty: if there is none yet. Returns: its version now, if known.

        Raises: CalendarConflict.
        """
        ...

    def delete(self, href: str, version: str) -> None:
        """Delete a resource if it has this version. Raises: CalendarConflict."""
        ...
