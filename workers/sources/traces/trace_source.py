"""The source of traces that is configured."""

from __future__ import annotations

from workers.settings.schema import TracesSection
from workers.sources.traces.backend import TraceBackend
from workers.sources.traces.files import TraceFiles
from workers.sources.traces.jaeger import Jaeger
from workers.sources.traces.tempo import Tempo


def connect(section: TracesSection) -> TraceBackend | None:
    """What is configured; None when nothing is."""
    if section.files:
        return TraceFiles(section)
    if not section.url:
        return None
    return Jaeger(section) if section.backend == "jaeger" else Tempo(section)
