"""A channel that got another id, as one does that is shared with another company: all that is kept of it follows."""

from __future__ import annotations

from sqlalchemy import Connection, Table, and_, delete, exists, select, tuple_, update

from workers.store.channel_inbox import INBOXES
from workers.store.channels import remembered as remembered_settings
from workers.store.database import Database
from workers.store.database_clock import now_s
from workers.store.followed_channels import LISTENING, at_once, forget_known
from workers.store.request_jobs import REQUESTS, unanswered
from workers.store.tables import (
    alert_groups,
    channel_inbox,
    channel_inboxes,
    channel_looks,
    channel_messages,
    channel_reactions,
    channel_settings,
    events,
    followed_channels,
    incident_channels,
    jobs,
    thread_entries,
    thread_sequences,
    thread_sync_status,
    threads,
    unasked,
)

ONE_A_CHANNEL = (channel_settings, followed_channels, channel_inboxes, unasked)
KEYS: dict[Table, tuple[str, ...]] = {
    events: ("ts",),
    channel_messages: ("ts",),
    channel_reactions: ("ts", "name", "user"),
    channel_looks: ("user",),
}
"""Tables with several rows a channel, and what each of them is once."""
OF_SPACES = (thread_sequences, threads, thread_entries, thread_sync_status)


def change_channel_id(database: Database, team: str, old: str, new: str) -> None:
    """Give a channel its new id wherever it is kept; once done, nothing changes again.

    Who works on the channel, or on a request in it, loses the lease: the next worker posts to the new one.

    Raises:
        StoreUnavailable: the database cannot be reached.
    """
    with database.begin(exclusive=True) as connection:
        for one in ONE_A_CHANNEL:
            move_row(connection, one, team, old, new)
        for several, keys in KEYS.items():
            move_rows(connection, several, keys, team, old, new)
        for free in (alert_groups, incident_channels, channel_inbox):
            there = and_(free.c.team == team, free.c.channel == old)
            connection.execute(update(free).where(there).values(channel=new))
        move_requests(connection, team, old, new)
        move_space(connection, f"{team}/{old}", f"{team}/{new}")
    remembered_settings(database).forget()
    forget_known(database, team, old)


def move_row(connection: Connection, table: Table, team: str, old: str, new: str) -> None:
    """The one row of a channel; it takes the place of what was begun under the new id."""
    before, after = (and_(table.c.team == team, table.c.channel == channel) for channel in (old, new))
    if connection.execute(select(table.c.channel).where(before)).first():
        connection.execute(delete(table).where(after))
        connection.execute(update(table).where(before).values(channel=new))
        if table is followed_channels:
            again = {"fence": table.c.fence + 1, "lease_until": None, "dirty": table.c.dirty + 1, "dirty_at": now_s()}
            listening = and_(after, table.c.state.in_(LISTENING))
            connection.execute(update(table).where(listening).values({**at_once(), **again}))
        if table is channel_inboxes:  # something may have come under the new id already
            connection.execute(update(table).where(after).values(INBOXES.released()))


def move_rows(connection: Connection, table: Table, keys: tuple[str, ...], team: str, old: str, new: str) -> None:
    """The rows of a channel; of what stands under the new id already, that counts."""
    before = and_(table.c.team == team, table.c.channel == old)
    columns = [table.c[key] for key in keys]
    known = select(*columns).where(table.c.team == team, table.c.channel == new)
    connection.execute(delete(table).where(before, tuple_(*columns).in_(known)))
    connection.execute(update(table).where(before).values(channel=new))


def move_requests(connection: Connection, team: str, old: str, new: str) -> None:
    """All requests of a channel; one that is not answered yet is answered in the new one."""
    here = and_(jobs.c.team == team, jobs.c.channel == old)
    columns = (jobs.c.request_id, jobs.c.open, jobs.c.question)
    for request_id, is_open, question in connection.execute(select(*columns).where(here, unanswered())).all():
        values = (REQUESTS.released() if is_open else {}) | {"question": {**question, "channel": new}}
        connection.execute(update(jobs).where(jobs.c.request_id == request_id).values(values))
    connection.execute(update(jobs).where(here).values(channel=new))


def is_asked_in(database: Database, request_id: str, team: str, channel: str) -> bool:
    """Whether a request is of a channel by the id that this has now. Raises: StoreUnavailable."""
    here = and_(jobs.c.request_id == request_id, jobs.c.team == team, jobs.c.channel == channel)
    with database.begin() as connection:
        return bool(connection.execute(select(exists().where(here))).scalar())


def move_space(connection: Connection, old: str, new: str) -> None:
    """The threads that are kept for a channel, unless some are kept under the new id already."""
    if not connection.execute(select(exists().where(thread_sequences.c.user_id == new))).scalar():
        for table in OF_SPACES:
            connection.execute(update(table).where(table.c.user_id == old).values(user_id=new))
