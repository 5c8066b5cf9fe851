"""The deploys that are known, and which of them and of the alerts may be seen.

Known are those that were recorded, and for services of which nobody records any, those that metrics or the tags of
their repository show.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from workers.contracts import AlertEvent, Deploy
from workers.errors import ToolError
from workers.settings.load import Settings
from workers.sources.connections.open_sources import REPOSITORY, code_sources
from workers.sources.git import open_repository, tags
from workers.sources.metrics.version_deploys import VersionDeploys
from workers.store.database import Database
from workers.store.deploys import list_deploys

MONTH = timedelta(days=30)


@dataclass(frozen=True)
class KnownDeploys:
    """``database``: where deploys are recorded; ``shown``: those that metrics show."""

    settings: Settings
    database: Database
    shown: VersionDeploys

    def own(self, start: datetime, end: datetime) -> tuple[Deploy, ...]:
        """Those to the deployment's own environment, oldest first. Raises: StoreUnavailable."""
        return self.find(start, end, self.settings.core.environment)

    def anywhere(self, start: datetime, end: datetime) -> tuple[Deploy, ...]:
        """Those to any environment, oldest first. Raises: StoreUnavailable."""
        return self.find(start, end, None)

    def find(self, start: datetime, end: datetime, environment: str | None) -> tuple[Deploy, ...]:
        """Deploys of the table to an environment, to any when None; those that metrics show of a service of which the
        deployment's own environment has none in the last month, else the tags of its repository.
        """
        own, since = self.settings.core.environment, end - MONTH
        recorded = self.recorded(min(start, since), end, environment)
        told = {d.service for d in recorded if d.at >= since and d.environment == own}
        shown = self.shown.deploys(since, end)
        seen = [d for d in shown if d.service not in told and environment in {None, d.environment}]
        told |= {d.service for d in seen if d.environment == own}
        tagged = tagged_deploys(self.settings, told) if environment in {None, own} else ()
        found = (*self.without_hidden((*recorded, *seen)), *tagged)
        return tuple(sorted((d for d in found if start <= d.at <= end), key=lambda d: d.at))

    def recorded(self, start: datetime, end: datetime, environment: str | None) -> tuple[Deploy, ...]:
        """Deploys of the table, where they may be seen."""
        if not self.settings.shows("deploys:told"):
            return ()
        own = self.settings.core.environment
        return list_deploys(self.database, start, end, environment, own=own)

    def without_hidden(self, deploys: Iterable[Deploy]) -> tuple[Deploy, ...]:
        """Those of services that are not called like a repository which may not be seen."""
        hidden = {name.casefold() for name in hidden_repositories(self.settings)}
        return tuple(deploy for deploy in deploys if deploy.service.casefold() not in hidden)


def alerts_seen(settings: Settings, alerts: Iterable[AlertEvent]) -> tuple[AlertEvent, ...]:
    """The alerts that hold no name of a repository which may not be seen among their labels."""
    hidden = {name.casefold() for name in hidden_repositories(settings)}
    return tuple(a for a in alerts if not hidden & {value.casefold() for value in a.labels.values()})


def hidden_repositories(settings: Settings) -> tuple[str, ...]:
    """Names of repositories that are connected, and may not be seen."""
    if settings.shown is None:
        return ()
    everything = code_sources(replace(settings, shown=None))
    return tuple(one.name for one in everything if not settings.shows(f"{REPOSITORY}:{one.name}"))


def tagged_deploys(settings: Settings, told: Collection[str]) -> tuple[Deploy, ...]:
    """One deploy a tag, for services that nobody told of; a repository that cannot be read has none."""
    found: list[Deploy] = []
    for source in code_sources(settings):
        if source.name in told:
            continue
        try:
            found.extend(
                Deploy(
                    service=source.name,
                    version=tag.name,
                    commit=tag.commit,
                    at=tag.at,
                    source="git tag",
                    environment=settings.core.environment,
                )
                for tag in tags(open_repository(source.path))
            )
        except ToolError:
            continue
    return tuple(found)
