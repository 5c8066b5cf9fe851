"""Everything that events of a cluster are read from."""

from __future__ import annotations

from datetime import datetime

from workers.errors import NotConnected, ToolUnavailable
from workers.language.environment_names import environment_of, is_elsewhere, spelled
from workers.settings.load import Settings
from workers.sources.cluster.event import ClusterEvent
from workers.sources.cluster.files import ClusterFiles
from workers.sources.cluster.reading import ClusterReading, ClusterSource
from workers.sources.cluster.server import ClusterServer

UNCONNECTED = (
    "no cluster is connected: set cluster.url or cluster.files in oracle.yaml (KUBERNETES_URL, ORACLE_CLUSTER_EVENTS)"
)


class ClusterSources:
    """The sources that are connected."""

    def __init__(self, settings: Settings) -> None:
        core = settings.core
        self.environment, self.own = core.environment, core.cluster.environment
        self.sources: list[ClusterSource] = []
        if core.cluster.url:
            self.sources.append(ClusterServer(core.cluster))
        if core.cluster.files:
            self.sources.append(ClusterFiles(core.cluster))

    def connected(self) -> list[ClusterSource]:
        """The sources. Raises: ToolUnavailable: there is none."""
        if not self.sources:
            raise NotConnected(UNCONNECTED)
        return self.sources

    def ping(self) -> str:
        """One line on all of them. Raises: ToolUnavailable: one does not answer."""
        return "; ".join(source.ping() for source in self.connected())

    def read(self, since: datetime, until: datetime) -> ClusterReading:
        """The events of all sources. One that cannot be read is told. Raises: ToolUnavailable: none can."""
        readings: list[ClusterReading] = []
        errors: list[str] = []
        for source in self.sources:
            try:
                readings.append(source.read(since, until))
            except ToolUnavailable as error:
                errors.append(str(error))
        if not readings:
            raise ToolUnavailable("; ".join(errors))
        events = {event.key: event for reading in reversed(readings) for event in reading.events}
        notes = dict.fromkeys((*errors, *(note for reading in readings for note in reading.notes)))
        return ClusterReading(tuple(events.values()), tuple(notes))

    def place(self, event: ClusterEvent) -> str:
        """The environment that an event is of: the cluster's own, else as its namespace is named."""
        if self.own:
            return spelled(self.own, self.environment)
        return environment_of({"namespace": event.namespace}, self.environment)

    def is_elsewhere(self, event: ClusterEvent) -> bool:
        """Whether it is of another environment than questions are about."""
        return is_elsewhere(self.place(event), self.environment)
