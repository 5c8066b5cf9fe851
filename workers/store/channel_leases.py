"""One worker at a time tends a followed channel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import case, select, update

from workers.contracts import Page
from workers.store.channel_messages import clean_change, deleted_unheard, keep, set_unread
from workers.store.database import Database
from workers.store.database_clock import now_s
from workers.store.followed_channels import LISTENING, FollowedChannel, to_followed
from workers.store.leases import Leases
from workers.store.tables import followed_channels as table

CHANNELS = Leases(
    table,
    ("team", "channel"),
    to_followed,
    "channel",
    table.c.state.in_(LISTENING),
    first_pause_s=30.0,
    longest_pause_s=1_800.0,
)
write_channel = CHANNELS.write


def release_channel(database: Database, held: FollowedChannel, *, again_s: float | None = None) -> None:
    """Give the lease back; what came since the claim keeps its own due time.

    Args:
        database: with tables of today's version.
        held: the channel as it was claimed; its ``dirty`` is what was looked at.
        again_s: there is more to do, in so many seconds.

    Raises: LeaseLost, StoreUnavailable.
    """
    values: dict[str, Any] = {**CHANNELS.done(), "seen": held.dirty}
    mine = CHANNELS.mine(held)
    with database.begin(exclusive=True) as connection:
        dirty = connection.execute(select(table.c.dirty).where(mine).with_for_update()).scalar()
        if dirty is None:
            raise CHANNELS.lost(held)
        if again_s is not None:
            again = now_s() + again_s
            sooner = case((table.c.due_at < again, table.c.due_at), else_=again)
            values |= {"due_at": again if dirty == held.dirty else sooner, "published_at": 0.0}
        elif dirty == held.dirty:
            values["due_at"] = None
        connection.execute(update(table).where(mine).values(values))


def keep_page(
    database: Database,
    held: FollowedChannel,
    page: Page,
    clean: Callable[[str], str],
    unread: Mapping[str, str | None],
    *,
    span: tuple[str, str] | None = None,
    thread_ts: str = "",
    **values: Any,
) -> FollowedChannel:
    """Keep a page of earlier messages together with how far they are read, so that a page counts once.

    What is known within its span and stands in it no more was deleted while nobody heard it.

    Args:
        database: with tables of today's version.
        held: the channel, under its lease.
        page: of the channel, or of a thread.
        clean: takes secrets out of what is kept.
        unread: root of a thread -> the last of its replies that is read; None: all of them are.
        span: the ts after and before which it holds all there is, the second empty for now; None: not known.
        thread_ts: the thread that it is a page of.
        values: columns of the channel.

    Returns: the channel with what was written.

    Raises: LeaseLost, StoreUnavailable.
    """
    changes = [clean_change(change, clean) for change in page.changes]
    count: dict[str, Any] = {"read_count": held.read_count + len(page.changes)}
    mine = CHANNELS.mine(held)
    with database.begin(exclusive=True) as connection:
        if connection.execute(update(table).where(mine).values(**count, **values)).rowcount == 0:
            raise CHANNELS.lost(held)
        gone = deleted_unheard(connection, held.team, held.channel, page, span, thread_ts) if span else ()
        for change in (*changes, *gone):
            keep(connection, held.team, held.channel, change)
        for root, after in unread.items():
            set_unread(connection, held.team, held.channel, root, after)
    return replace(held, **count, **values)
