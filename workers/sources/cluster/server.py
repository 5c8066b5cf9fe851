"""The API of a cluster: ``GET /api/v1/events``, or that of each namespace, page by page. Nothing is written."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from urllib.parse import quote

from workers.errors import ToolUnavailable
from workers.settings.schema import ClusterSection
from workers.sources.cluster.reading import ClusterReading, make_reading
from workers.sources.server_connection import ServerConnection


class ClusterServer:
    """A connection. Threads may share it."""

    name = "Kubernetes"

    def __init__(self, section: ClusterSection) -> None:
        self.section = section
        self.connection = ServerConnection(self.name, "cluster", section, {}, "Bearer")

    @property
    def paths(self) -> list[str]:
        """Where events are listed."""
        named = [f"/api/v1/namespaces/{quote(name, safe='')}/events" for name in self.section.namespaces]
        return named or ["/api/v1/events"]

    def ping(self) -> str:
        """Its version, and that its events may be read. Raises: ToolUnavailable."""
        version = self.connection.get("/version").get("gitVersion", "")
        for path in self.paths:
            items_of(self.connection.get(path, {"limit": 1}))
        return f"Kubernetes {version} at {self.connection.address}"

    def read(self, since: datetime, until: datetime) -> ClusterReading:
        """See `ClusterSource`. The API chooses by no time, so that all events that it keeps are read."""
        items: list[Any] = []
        notes: list[str] = []
        for path in self.paths:
            more = ""
            while True:
                asked: dict[str, str | int] = {"limit": self.section.page, **({"continue": more} if more else {})}
                answer = self.connection.get(path, asked)
                items += items_of(answer)
                metadata = answer.get("metadata")
                token = metadata.get("continue") if isinstance(metadata, dict) else ""
                again, more = more, token if isinstance(token, str) else ""
                if not more or more == again:
                    break
                if len(items) >= self.section.most:
                    notes.append(f"of Kubernetes only {len(items)} events were read")
                    break
        return make_reading(self.name, items, since, until, notes)


def items_of(answer: dict[str, Any]) -> list[Any]:
    """The events of an answer. Raises: ToolUnavailable: it is no list."""
    items = answer.get("items")
    if not isinstance(items, list) and not (items is None and str(answer.get("kind", "")).endswith("List")):
        raise ToolUnavailable("what answers in place of Kubernetes is something else")
    return items or []
