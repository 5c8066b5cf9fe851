"""The messages that an incident's story is told from, where its channel held another one before."""

from __future__ import annotations

from datetime import datetime, timedelta

from workers.incidents.model import OVER, ChannelMessage
from workers.incidents.summarize import summarize
from workers.store.channel_messages import load_messages
from workers.store.database import Database
from workers.store.following import Followed
from workers.store.incidents import Incident, incident_before

LOOK_BACK = timedelta(hours=1)
"""What was said so shortly before people declared an incident belongs to it."""
TALKED_OF = timedelta(days=1)
"""So long after its end an incident may still be called over in its channel."""


def story_of(database: Database, held: Followed, incident: Incident | None) -> tuple[ChannelMessage, ...]:
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
    return tuple(message for message in messages if message.ts > status.ts[0])
