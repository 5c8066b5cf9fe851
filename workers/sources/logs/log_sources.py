"""The sources of log lines that are configured."""

from __future__ import annotations

from workers.settings.load import Settings
from workers.sources.logs.elasticsearch import Elasticsearch
from workers.sources.logs.files import LogFiles
from workers.sources.logs.loki import Loki
from workers.sources.logs.record import LogSource


def open_log_sources(settings: Settings) -> list[LogSource]:
    """Files, Loki and Elasticsearch, as far as they are configured; nothing is read yet."""
    section = settings.core.logs
    sources: list[LogSource] = []
    if section.paths:
        sources.append(LogFiles(section.paths, section.timezone))
    if section.loki.url:
        sources.append(Loki(section.loki))
    if section.elasticsearch.url:
        sources.append(Elasticsearch(section.elasticsearch))
    return sources
