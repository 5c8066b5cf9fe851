"""The kept events of all sensors, brought up to date before they are asked."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection

from workers.agents.network.sections import SuricataSection
from workers.agents.network.source.suricata.coverage import Coverage, read_coverage
from workers.agents.network.source.suricata.evidence import when
from workers.agents.network.source.suricata.ingestion import Progress, catch_up, report
from workers.errors import NotConnected, StoreUnavailable, ToolUnavailable
from workers.settings.load import Settings
from workers.store.database import Database, open_database

UNCONNECTED = "no sensor's log is connected: name it in suricata.eve of oracle.yaml (SURICATA_EVE)"
CATCH_UP_S, PAUSE_S, REFRESH_S = 1.0, 2.0, 20.0


class SensorLogs:
    """One a process: its tools share it."""

    def __init__(self, settings: Settings) -> None:
        self.section = settings.section(SuricataSection)
        self.database: Database = open_database(settings.database_url)
        self.lock = threading.Lock()
        self.looked_at = 0.0

    def prepare(self) -> None:
        """Read what is new, as far as a second allows; the task that follows the logs reads the rest."""
        if self.section.eve and time.monotonic() - self.looked_at > PAUSE_S:
            self.catch_up(CATCH_UP_S)

    def catch_up(self, within_s: float) -> Progress:
        """Read what is new. Raises: StoreUnavailable."""
        with self.lock:
            progress = catch_up(self.database, self.section, within_s)
            self.looked_at = time.monotonic()
            return progress

    def refresh(self) -> Iterator[tuple[str, bool]]:
        """Read what is new, and say how that went."""
        if self.section.eve:
            yield from report(self.catch_up(REFRESH_S))

    def ping(self) -> str:
        """What is known of the sensors. Raises: ToolUnavailable."""
        with self.connect() as (connection, known):
            del connection
        heard = f"last heard {when(known.heard)}" if known.heard else "not heard yet"
        broken = f", {known.broken:,} broken" if known.broken else ""
        count = "one sensor" if len(known.sensors) == 1 else f"{len(known.sensors)} sensors"
        return f"{count}, {heard}; {known.lines:,} lines read{broken}"

    @contextmanager
    def connect(self) -> Iterator[tuple[Connection, Coverage]]:
        """The database, and what it can speak of. Raises: ToolUnavailable: nothing is connected, or it fails."""
        if not self.section.eve:
            raise NotConnected(UNCONNECTED)
        try:
            with self.database.begin() as connection:
                yield connection, read_coverage(connection)
        except StoreUnavailable as error:
            raise ToolUnavailable(str(error)) from error
