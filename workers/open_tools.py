"""Settings -> the toolbox of a deployment and what its tools read. One call of a tool needs no engine and no agents."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from workers.contracts import AlertEvent, RequestLog
from workers.settings.load import Settings
from workers.sources.connections.known_deploys import KnownDeploys, alerts_seen
from workers.sources.metrics.metrics_source import open_server
from workers.sources.metrics.version_deploys import VersionDeploys
from workers.store.alerts import list_alerts
from workers.store.database import Database
from workers.store.request_logs import SqlStore, open_store
from workers.telemetry.json_logs import configure_logs
from workers.toolkit.redaction import Redactor
from workers.toolkit.tool import Opened, Resources, untold
from workers.toolkit.toolbox import WrappedToolbox, build_toolbox


@dataclass(frozen=True)
class OpenTools:
    """The tools of a deployment, and its database."""

    store: SqlStore
    toolbox: WrappedToolbox


def open_log(settings: Settings, redactor: Redactor) -> Callable[[], None]:
    """Write JSON lines from now on. Returns: what ends that. Raises: ConfigError: the file cannot be written."""
    return configure_logs(redact=redactor.value, file=log_file(settings))


def open_tools(settings: Settings, redactor: Redactor, unmet: Collection[str] = ()) -> OpenTools:
    """Open the database and build every tool that is configured. ``unmet``: needs, as `build_tools` takes them.

    Raises:
        ConfigError: configuration that cannot work, with file and key.
        StoreUnavailable: the database cannot be reached.
    """
    store = open_store(settings.database_url, redactor.value)
    return OpenTools(store, open_toolbox(settings, redactor, store, store.load, unmet))


def open_toolbox(
    settings: Settings,
    redactor: Redactor,
    store: SqlStore,
    load: Callable[[str], RequestLog],
    unmet: Collection[str] = (),
) -> WrappedToolbox:
    """Build every tool that is configured, on an open database. ``load``: the log of an earlier request.

    Raises:
        ConfigError: configuration that cannot work, with file and key.
    """
    opened = Opened()
    shown = VersionDeploys(lambda: opened.open(open_server, settings).backend, settings.core.environment)
    deploys = KnownDeploys(settings, store.database, shown)
    resources = Resources(
        settings=settings,
        deploys=deploys.own,
        alerts=told_alerts(settings, store.database) if settings.shows("alerts:told") else untold,
        deploys_anywhere=deploys.anywhere,
        database=store.database,
        load=load,
        opened=opened,
    )
    return build_toolbox(resources, redactor, unmet)


def told_alerts(settings: Settings, database: Database) -> Callable[[datetime, datetime], tuple[AlertEvent, ...]]:
    """The alerts that hooks told of, where they may be seen."""
    return lambda start, end: alerts_seen(settings, list_alerts(database, start, end))


def log_file(settings: Settings) -> Path:
    """Where the JSON lines go."""
    return Path(settings.core.log_file) if settings.core.log_file else settings.home / "oracle.jsonl"
