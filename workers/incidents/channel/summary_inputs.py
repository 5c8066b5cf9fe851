"""What a channel's summary is made of, messages and the rest: the same for the pinned message and one person."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from workers.contracts import AlertEvent, ChannelMessage, Evidence, Why, order_of
from workers.incidents.summary.external_events import alert_events, read_external_events
from workers.incidents.summary.rules_summary import summarize
from workers.incidents.summary.summarizer import SummaryInputs
from workers.incidents.summary.summary_types import OVER
from workers.settings.schema import Core
from workers.sources.metrics.metric_evidence import deploy_evidence
from workers.store.alerts import list_alerts
from workers.store.channel_messages import load_messages
from workers.store.database import Database
from workers.store.deploys import list_deploys
from workers.store.followed_channels import FollowedChannel
from workers.store.incidents import Incident, incident_before
from workers.store.timeline_corrections import corrections_of

BEFORE = timedelta(hours=2)
"""So long before the first message something may have gone out that it is about."""
AFTER = timedelta(minutes=15)
"""So long after its end something may still be of an incident."""
LOOK_BACK = timedelta(hours=1)
"""What was said so shortly before people declared an incident belongs to it."""
TALKED_OF = timedelta(days=1)
"""So long after its end an incident may still be called over in its channel."""


def messages_of(database: Database, held: FollowedChannel, incident: Incident | None) -> tuple[ChannelMessage, ...]:
    """The messages of a followed channel that are of one incident, oldest first. Raises: StoreUnavailable.

    What was said until the one before it ended is of that one; so is what called that over until the next was declared.
    """
    before = incident_before(database, incident) if incident else None
    if incident is None or before is None or before.resolved_at is None:
        return load_messages(database, held.team, held.channel, held.since_ts)
    declared_at = incident.opened_at if incident.opened_by else None
    since = max(before.resolved_at, declared_at - LOOK_BACK) if declared_at else before.resolved_at
    messages = load_messages(database, held.team, held.channel, max(held.since_ts, f"{since.timestamp():.6f}"))
    lately = declared_at is not None and declared_at - before.resolved_at < TALKED_OF
    return after_end(messages, incident.opened_at) if lately else messages


def after_end(messages: tuple[ChannelMessage, ...], until: datetime) -> tuple[ChannelMessage, ...]:
    """The messages after the one that called something over before a moment; all of them where none did."""
    status = summarize([message for message in messages if message.at < until], why="declared").status
    if status.state not in OVER:
        return messages
    said = order_of(status.ts[0])
    return tuple(message for message in messages if order_of(message.ts) > said)


def inputs_of(
    database: Database,
    core: Core,
    incident: Incident | None,
    why: Why,
    messages: tuple[ChannelMessage, ...],
    shows: Callable[[str, str], bool],
) -> SummaryInputs:
    """What is known of a channel's incident, for `summarize_channel`.

    Args:
        database: with tables of today's version.
        core: the settings.
        incident: of the channel; None while there is none.
        why: what says, besides its messages, that the channel holds one.
        messages: of the channel, oldest first.
        shows: whether what hooks told of (``deploys:told``, ``alerts:told``) of a service may stand in the channel.

    Raises:
        StoreUnavailable: the database cannot be reached.
    """
    return SummaryInputs(
        title=incident.title if incident else "",
        why="declared" if incident and incident.opened_by else why,
        corrections=corrections_of(database, incident.id) if incident else (),
        told=told_in(database, core, incident, messages, shows),
        reactions=core.incidents.reactions,
    )


def told_in(
    database: Database,
    core: Core,
    incident: Incident | None,
    messages: tuple[ChannelMessage, ...],
    shows: Callable[[str, str], bool],
) -> tuple[Evidence, ...]:
    """Deploys and alerts of what a channel speaks of, from before its first message until a while after its end."""
    said = [message for message in messages if message.said]
    if not said:
        return ()
    start, now = said[0].at - BEFORE, datetime.now(UTC)
    end = min(incident.resolved_at + AFTER, now) if incident and incident.resolved_at else now
    known = list_deploys(database, start, end, core.environment)
    deploys = (deploy_evidence(one) for one in known if shows("deploys:told", one.service))
    fired = (a for a in list_alerts(database, start, end) if may_show(a, shows))
    alerts = alert_events(tuple(fired), core.environment)
    return read_external_events([*deploys, *alerts], messages)


def may_show(alert: AlertEvent, shows: Callable[[str, str], bool]) -> bool:
    """Whether an alert may be shown, with all that its labels name."""
    return shows("alerts:told", "") and all(shows("alerts:told", value) for value in alert.labels.values())
