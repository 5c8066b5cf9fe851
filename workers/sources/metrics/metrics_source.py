"""The source of metrics that is configured, opened when it is first needed."""

from __future__ import annotations

from pathlib import Path

from workers.errors import NotConnected
from workers.settings.load import Settings
from workers.sources.metrics.backend import Backend
from workers.sources.metrics.catalogue import Catalogue, MetricsOptions, read_options
from workers.sources.metrics.embedded_backend import EmbeddedBackend
from workers.sources.metrics.metric_resolution import Server

NONE = "no metrics source is connected: set prometheus.url or PROMETHEUS_URL"
CATALOGUE = "metrics_query"
"""The entry of ``config/tools.yaml`` whose options are the catalogue of metrics."""


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
    raise NotConnected(NONE)


def catalogue_options(settings: Settings) -> MetricsOptions:
    """The catalogue of metrics. Raises: pydantic.ValidationError: it is wrong; names each key."""
    named = settings.tree.tools.get(CATALOGUE)
    return read_options(named.options) if named else MetricsOptions()


def open_server(settings: Settings) -> Server:
    """The source of metrics read through the catalogue. Raises: ToolUnavailable: see `open_backend`."""
    return Server(open_backend(settings), Catalogue(catalogue_options(settings)), environment=settings.core.environment)
