"""How long the messages of followed channels are kept, and what goes when a workspace does."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, and_, delete, or_, select

from workers.store.followed_channels import LISTENING
from workers.store.tables import (
    absences,
    alert_groups,
    api_tokens,
    channel_inbox,
    channel_inboxes,
    channel_looks,
    channel_messages,
    channel_reactions,
    followed_channels,
    incident_channels,
    incident_corrections,
    memories,
    oracle_contexts,
    slack_names,
    thread_entries,
    thread_sequences,
    thread_sync_status,
    threads,
    unasked,
)

OF_PEOPLE = (
    threads,
    thread_entries,
    thread_sequences,
    thread_sync_status,
    oracle_contexts,
    memories,
    api_tokens,
)
OF_TEAMS = (
    alert_groups,
    followed_channels,
    channel_inbox,
    channel_inboxes,
    channel_messages,
    channel_reactions,
    channel_looks,
    slack_names,
    unasked,
)


def forget_followed(connection: Connection, end: datetime) -> None:
    """Remove what was said before a moment (aware), and the corrections of incidents that are gone."""
    end_s = end.timestamp()
    connection.execute(delete(channel_messages).where(channel_messages.c.version < end_s))
    kept = and_(
        channel_messages.c.team == channel_reactions.c.team,
        channel_messages.c.channel == channel_reactions.c.channel,
        channel_messages.c.ts == channel_reactions.c.ts,
    )
    alone = ~select(channel_messages.c.ts).where(kept).exists()
    connection.execute(delete(channel_reactions).where(channel_reactions.c.at < end_s, alone))
    connection.execute(delete(channel_looks).where(channel_looks.c.at < end))
    connection.execute(delete(slack_names).where(slack_names.c.known_at < end_s))
    old = or_(followed_channels.c.dirty_at.is_(None), followed_channels.c.dirty_at < end_s)
    connection.execute(delete(followed_channels).where(~followed_channels.c.state.in_(LISTENING), old))
    connection.execute(
        delete(unasked).where(~unasked.c.paused, or_(unasked.c.spoke_at.is_(None), unasked.c.spoke_at < end_s))
    )
    known = select(incident_channels.c.id)
    connection.execute(delete(incident_corrections).where(~incident_corrections.c.incident_id.in_(known)))


def forget_conversations(connection: Connection, said: datetime, active: datetime) -> None:
    """Remove what was said in threads before a moment, threads of which nothing is left, conversations that rested
    since another one, absences and forgotten memories. What people had remembered stays: they forget it.
    """
    old = and_(thread_entries.c.timestamp < said, thread_entries.c.edited_at < said)
    connection.execute(delete(thread_entries).where(old))
    of = and_(thread_entries.c.user_id == threads.c.user_id, thread_entries.c.thread_id == threads.c.thread_id)
    alone = ~select(thread_entries.c.id).where(of).exists()
    connection.execute(delete(threads).where(threads.c.updated_at < said, threads.c.edited_at < said, alone))
    connection.execute(delete(oracle_contexts).where(oracle_contexts.c.last_activity < active))
    connection.execute(delete(memories).where(memories.c.forgotten_at < active))
    connection.execute(delete(absences).where(absences.c.until < active.timestamp(), absences.c.due_at.is_(None)))


def forget_team(connection: Connection, team: str) -> None:
    """The app was removed from a workspace: what is kept of it and of its people goes.

    The corrections go with their incidents, which are removed before.
    """
    for table in OF_TEAMS:
        connection.execute(delete(table).where(table.c.team == team))
    for table in OF_PEOPLE:
        connection.execute(delete(table).where(table.c.user_id.startswith(f"{team}/", autoescape=True)))
    known = select(incident_channels.c.id)
    connection.execute(delete(incident_corrections).where(~incident_corrections.c.incident_id.in_(known)))
