"""Unleash's events: ``GET /api/admin/search/events``, of older servers ``/api/admin/events``. Nothing is written."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from workers.errors import ToolUnavailable
from workers.settings.schema import ReadServer
from workers.sources.flags.reading import FlagReading, make_reading
from workers.sources.server_connection import ServerConnection

SEARCH, LIST = "/api/admin/search/events", "/api/admin/events"
PAGE = 200


class Unleash:
    """A connection. Threads may share it. ``environment``: the configured one."""

    name = "Unleash"

    def __init__(self, server: ReadServer, environment: str, most: int) -> None:
        self.environment, self.most = environment, most
        self.connection = ServerConnection(self.name, "flags.unleash", server, {}, "")

    def ping(self) -> str:
        """That it answers. Raises: ToolUnavailable."""
        self.page({"limit": 1})
        return f"Unleash at {self.connection.address}"

    def read(self, since: datetime, until: datetime) -> FlagReading:
        """See `FlagSource`. Days are searched, for the API knows no hours."""
        days = {"from": f"IS:{since:%Y-%m-%d}", "to": f"IS:{until + timedelta(days=1):%Y-%m-%d}"}
        events: list[Any] = []
        notes: list[str] = []
        while True:
            found, whole = self.page({**days, "limit": PAGE, "offset": len(events)})
            events += found
            if whole or len(found) < PAGE:
                break
            if len(events) >= self.most:
                notes.append(f"of Unleash only {len(events)} events of those days were read")
                break
        address = self.connection.address
        return make_reading(self.name, events, self.environment, address, (since, until), notes)

    def page(self, asked: dict[str, str | int]) -> tuple[list[Any], bool]:
        """Events, and whether these are all that the server gives. Raises: ToolUnavailable."""
        answer = self.connection.find(SEARCH, asked)
        old = answer is None
        if answer is None:
            answer = self.connection.get(LIST)
        events = answer.get("events")
        if not isinstance(events, list):
            raise ToolUnavailable("what answers in place of Unleash is something else")
        return events, old
