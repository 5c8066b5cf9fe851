"""The source of metrics that is configured, opened when it is first needed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from workers.errors import ToolUnavailable
from workers.settings.load import Settings
from workers.sources.metrics.backend import Backend
from workers.sources.metrics.embedded_backend import EmbeddedBackend

NONE = "no metrics source is connected: set prometheus.url or PROMETHEUS_URL"
T = TypeVar("T")


def once(make: Callable[[], T]) -> Callable[[], T]:
    """Make something at its first use; a failure is not kept."""
    lock = threading.Lock()
    made: list[T] = []

    def get() -> T:
        with lock:
            if not made:
                made.append(make())
            return made[0]

    return get


def open_backend(settings: Settings) -> Backend:
    """The Prometheus that is configured, else the embedded samples.

    Raises:
        ToolUnavailable: neither is configured, or the address is not one.
    """
    core = settings.core
    if core.prometheus.url:
        from workers.sources.metrics.prometheus_backend import PrometheusBackend  # noqa: PLC0415 - samples on disk need no HTTP client

        source = core.prometheus
        return PrometheusBackend(source.url, source.headers, source.timeout_ms, access=source)
    if core.samples:
        return EmbeddedBackend(Path(core.samples).expanduser())
    raise ToolUnavailable(NONE)
