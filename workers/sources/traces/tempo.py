"""Grafana Tempo: searches by TraceQL, then each trace whole."""

from __future__ import annotations

import math
from typing import Any
from urllib.parse import quote

import httpx

from workers.settings.schema import TracesSection
from workers.sources.traces.backend import Found, NotFound, Search, TraceServer, each, page_of, read_answers


class Tempo:
    """A Tempo, version 2 or later; one from before has traces under ``/api/traces`` only, which is tried too."""

    def __init__(self, section: TracesSection, transport: httpx.BaseTransport | None = None) -> None:
        self.server = TraceServer(section, "Tempo", transport)
        self.template = section.page
        self.traces = ("/api/v2/traces/", "/api/traces/")

    def trace(self, trace_id: str) -> Found:
        """See `TraceBackend`."""
        try:
            return read_answers([self.fetch(trace_id)])
        except NotFound:
            return Found()

    def fetch(self, trace_id: str) -> Any:
        """A trace as it is sent. Raises: NotFound, ToolUnavailable."""
        newest, oldest = self.traces
        try:
            return self.server.get(f"{newest}{quote(trace_id, safe='')}")
        except NotFound:
            return self.server.get(f"{oldest}{quote(trace_id, safe='')}")

    def search(self, search: Search) -> Found:
        """See `TraceBackend`."""
        asked: dict[str, str | int] = {
            "q": trace_ql(search),
            "start": math.floor(search.since.timestamp()),
            "end": math.ceil(search.until.timestamp()),
            "limit": search.limit,
        }
        traces = self.server.list_of("traces", "/api/search", asked)
        ids = [str(t["traceID"]) for t in traces if isinstance(t, dict) and t.get("traceID")][: search.limit]
        return read_answers(each(self.fetch, ids), more=len(ids) >= search.limit)

    def services(self) -> tuple[str, ...]:
        """See `TraceBackend`."""
        values = self.server.list_of("tagValues", "/api/search/tag/service.name/values")
        return tuple(sorted(value for value in values if isinstance(value, str)))

    def page(self, trace_id: str, span_id: str) -> str | None:
        """See `TraceBackend`: by the template, as Tempo has no pages of its own."""
        return page_of(self.template, trace_id, span_id)

    def ping(self) -> str:
        """See `TraceBackend`."""
        return f"Tempo at {self.server.address}: {len(self.services())} services"


def trace_ql(search: Search) -> str:
    """The search as TraceQL, such as ``{ resource.service.name = "shop" && status = error }``."""
    parts = [
        f"resource.service.name = {quoted(search.service)}" if search.service else "",
        f"name = {quoted(search.operation)}" if search.operation else "",
        f"duration >= {round(search.min_ms * 1000)}us" if search.min_ms else "",
        "status = error" if search.errors_only else "",
    ]
    return f"{{ {' && '.join(filter(None, parts))} }}"


def quoted(text: str) -> str:
    """A text as TraceQL writes it; control characters, which no name has, become spaces."""
    plain = "".join(c if c.isprintable() else " " for c in text)
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'
