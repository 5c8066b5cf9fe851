"""What a channel's summary is made of beside its messages: the same for the pinned message and for one person."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from workers.contracts import Evidence
from workers.incidents.model import ChannelMessage, Why
from workers.incidents.scribe import Inputs
from workers.incidents.told import alert_told, told_of
from workers.metrics.evidence import deploy_evidence
from workers.sections import Core
from workers.store.alerts import list_alerts
from workers.store.corrections import corrections_of
from workers.store.database import Database
from workers.store.deploys import list_deploys
from workers.store.incidents import Incident

BEFORE = timedelta(hours=2)
"""So long before the first message something may have gone out that it is about."""
AFTER = timedelta(minutes=15)
"""So long after its end something may still be of an incident."""


def inputs_of(
    database: Database, core: Core, incident: Incident | None, why: Why, messages: tuple[ChannelMessage, ...]
) -> Inputs:
    """What is known of a channel's incident, for `sum_up`.

    Args:
        database: with tables of today's version.
        core: the settings.
        incident: of the channel; None while there is none.
        why: what says, besides its messages, that the channel holds one.
        messages: of the channel, oldest first.

    Raises:
        StoreUnavailable: the database cannot be reached.
    """
    return Inputs(
        title=incident.title if incident else "",
        why="declared" if incident and incident.opened_by else why,
        corrections=corrections_of(database, incident.id) if incident else (),
        told=told_in(database, core, incident, messages),
        reactions=core.incidents.reactions,
    )


def told_in(
    database: Database, core: Core, incident: Incident | None, messages: tuple[ChannelMessage, ...]
) -> tuple[Evidence, ...]:
    """Deploys and alerts of what a channel speaks of, from before its first message until a while after its end."""
    said = [message for message in messages if message.said]
    if not said:
        return ()
    start, now = said[0].at - BEFORE, datetime.now(UTC)
    end = min(incident.resolved_at + AFTER, now) if incident and incident.resolved_at else now
    deploys = map(deploy_evidence, list_deploys(database, start, end, core.environment))
    return told_of([*deploys, *map(alert_told, list_alerts(database, start, end))], messages)
