"""What workers do by the clock: they follow the logs of sensors, and forget what is old."""

from __future__ import annotations

import time
from collections.abc import Iterator

from workers.agents.network.sections import SuricataSection
from workers.agents.network.source.suricata.ingestion import catch_up, report
from workers.agents.network.source.suricata.retention import forget_all, forget_old
from workers.ports import BackgroundTask
from workers.settings.load import Settings
from workers.store.database import Database

TURN, MOST_TURN_S = 0.8, 20.0
"""The share of the time between two looks at the logs that one may last: a long log is read in many turns."""


def logs_every_s(settings: Settings) -> float | None:
    """Seconds between two looks; None: no log is named."""
    section = settings.section(SuricataSection)
    return section.every_s if section.eve else None


def read_logs(database: Database, settings: Settings) -> Iterator[tuple[str, bool]]:
    """Read what sensors wrote since the last look, as far as a turn allows. Raises: StoreUnavailable."""
    section = settings.section(SuricataSection)
    yield from report(catch_up(database, section, min(TURN * section.every_s, MOST_TURN_S)))


def forget_events(database: Database, settings: Settings) -> Iterator[tuple[str, bool]]:
    """Remove what is older than configured. Raises: StoreUnavailable."""
    rows = forget_old(database, settings.section(SuricataSection), time.time())
    yield f"{rows} old events forgotten", True


def forget_logs(database: Database, settings: Settings) -> Iterator[tuple[str, bool]]:
    """Remove all that was read, so that the logs are read from their beginning. Raises: StoreUnavailable."""
    del settings
    forget_all(database)
    yield "all logs are read anew", True


SENSOR_LOGS = BackgroundTask(every_s=logs_every_s, run=read_logs, forget=forget_events, reset=forget_logs)
