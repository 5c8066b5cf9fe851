"""Jaeger's query service, and what speaks its API."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import httpx

from workers.settings.schema import TracesSection
from workers.sources.traces.backend import Found, NotFound, Search, TraceServer, each, page_of, read_answers
from workers.sources.traces.span import newest

MOST_SERVICES = 20
"""So many services are searched when none is named: Jaeger searches one at a time."""


class Jaeger:
    """A Jaeger."""

    def __init__(self, section: TracesSection, transport: httpx.BaseTransport | None = None) -> None:
        self.server = TraceServer(section, "Jaeger", transport)
        self.template = section.page or f"{self.server.address}/trace/{{trace_id}}?uiFind={{span_id}}"

    def trace(self, trace_id: str) -> Found:
        """See `TraceBackend`."""
        try:
            return read_answers([self.server.list_of("data", f"/api/traces/{quote(trace_id, safe='')}")])
        except NotFound:
            return Found()

    def search(self, search: Search) -> Found:
        """See `TraceBackend`. Without a service the first `MOST_SERVICES` are searched."""
        services = (search.service,) if search.service else self.services()

        def of_service(service: str) -> Any:
            asked: dict[str, str | int] = {
                "service": service,
                "start": round(search.since.timestamp() * 1e6),
                "end": round(search.until.timestamp() * 1e6),
                "limit": search.limit,
            }
            asked |= {"operation": search.operation} if search.operation else {}
            asked |= {"minDuration": f"{round(search.min_ms * 1000)}us"} if search.min_ms else {}
            asked |= {"tags": json.dumps({"error": "true"})} if search.errors_only else {}
            return self.server.list_of("data", "/api/traces", asked)

        found = read_answers(once(each(of_service, services[:MOST_SERVICES])))
        spans, dropped = newest(found.spans, search.limit)
        at_limit = len({s.trace_id for s in spans}) >= search.limit
        return Found(spans, found.skipped, dropped or at_limit or len(services) > MOST_SERVICES, found.unanswered)

    def services(self) -> tuple[str, ...]:
        """See `TraceBackend`."""
        return tuple(sorted(name for name in self.server.list_of("data", "/api/services") if isinstance(name, str)))

    def page(self, trace_id: str, span_id: str) -> str | None:
        """See `TraceBackend`: Jaeger's own page, or by the template."""
        return page_of(self.template, trace_id, span_id)

    def ping(self) -> str:
        """See `TraceBackend`."""
        return f"Jaeger at {self.server.address}: {len(self.services())} services"


def once(answers: list[Any]) -> list[Any]:
    """Each trace once, as it is found by each of its services; errors as they are."""
    traces = [trace for answer in answers if isinstance(answer, list) for trace in answer]
    known = {
        str(trace.get("traceID")) if isinstance(trace, dict) else place: trace for place, trace in enumerate(traces)
    }
    return [*known.values(), *(answer for answer in answers if not isinstance(answer, list))]
