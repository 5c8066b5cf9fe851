"""LaunchDarkly's audit log: ``GET /api/v2/auditlog``, page by page from the newest back. Nothing is written."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from workers.errors import ToolUnavailable
from workers.settings.schema import LaunchDarklyServer
from workers.sources.flags.reading import FlagReading, make_reading
from workers.sources.server_connection import ServerConnection

PATH = "/api/v2/auditlog"
PAGE = 20
"""So many entries the API gives at most in one answer."""


class LaunchDarkly:
    """A connection. Threads may share it. ``environment``: the configured one."""

    name = "LaunchDarkly"

    def __init__(self, server: LaunchDarklyServer, environment: str, most: int) -> None:
        self.environment, self.most = environment, most
        self.spec = f"proj/{server.project or '*'}:env/*:flag/*"
        self.connection = ServerConnection(self.name, "flags.launchdarkly", server, {}, "")

    def ping(self) -> str:
        """That it answers. Raises: ToolUnavailable."""
        items_of(self.connection.get(PATH, {"limit": 1}))
        return f"LaunchDarkly at {self.connection.address}"

    def read(self, since: datetime, until: datetime) -> FlagReading:
        """See `FlagSource`."""
        entries: dict[str, Any] = {}
        after, before = (int(moment.timestamp() * 1_000) for moment in (since, until))
        notes: list[str] = []
        before += 1  # the API leaves the moment itself out
        while True:
            asked: dict[str, str | int] = {"after": after - 1, "before": before, "limit": PAGE, "spec": self.spec}
            items = items_of(self.connection.get(PATH, asked))
            known = len(entries)
            entries |= {str(item.get("_id", f"{before}.{n}")): item for n, item in enumerate(items)}
            dates = [d for item in items if isinstance(d := item.get("date"), int) and not isinstance(d, bool)]
            if len(items) < PAGE or not dates or len(entries) == known:
                break
            if len(entries) >= self.most:
                notes.append(f"of LaunchDarkly only the last {len(entries)} changes of the span were read")
                break
            before = min(dates) + 1
        address = self.connection.address
        return make_reading(self.name, entries.values(), self.environment, address, (since, until), notes)


def items_of(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """The entries of an answer. Raises: ToolUnavailable: it is no audit log."""
    items = answer.get("items")
    if not isinstance(items, list):
        raise ToolUnavailable("what answers in place of LaunchDarkly is something else")
    return [item for item in items if isinstance(item, dict)]
