"""One worker at a time tends a followed channel, under a lease with a fencing token, as requests are worked on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, and_, case, or_, select, update

from workers.errors import LeaseLost
from workers.incidents.slack_messages import Page
from workers.store.channel_messages import deleted_unheard, keep, set_unread
from workers.store.clock import now_s
from workers.store.database import Database
from workers.store.following import LISTENING, Followed, is_channel, to_followed
from workers.store.tables import followed_channels as table

REPUBLISH_S = 10.0
SWEEP_ROWS = 200


def is_due() -> ColumnElement[bool]:
    """Something is to be done about it, and nobody is at it."""
    free = or_(table.c.lease_until.is_(None), table.c.lease_until < now_s())
    return and_(table.c.due_at <= now_s(), table.c.wait_until <= now_s(), table.c.state.in_(LISTENING), free)


def claim_channel(database: Database, team: str, channel: str, lease_s: float) -> Followed | None:
    """Take the lease of a channel that is due and free. Raises: StoreUnavailable.

    Returns: the channel with its fencing token; None when there is nothing to do, or someone else does it.
    """
    statement = (
        update(table)
        .where(is_channel(team, channel), is_due())
        .values(fence=table.c.fence + 1, lease_until=now_s() + lease_s)
        .returning(table)
    )
    with database.begin(exclusive=True) as connection:
        row = connection.execute(statement).mappings().first()
    return to_followed(row) if row else None


def write_channel(database: Database, held: Followed, **values: Any) -> Followed:
    """Write under the fencing token. Returns: the channel as it is then. Raises: LeaseLost, StoreUnavailable."""
    mine = and_(is_channel(held.team, held.channel), table.c.fence == held.fence)
    with database.begin(exclusive=True) as connection:
        if connection.execute(update(table).where(mine).values(**values)).rowcount == 0:
            raise LeaseLost(f"channel {held.channel} is tended by another worker")
    return replace(held, **{key: value for key, value in values.items() if key in Followed.__dataclass_fields__})


def renew_channel(database: Database, held: Followed, lease_s: float) -> None:
    """The heartbeat. Raises: LeaseLost, StoreUnavailable."""
    write_channel(database, held, lease_until=now_s() + lease_s)


def release_channel(database: Database, held: Followed, *, again_s: float | None = None) -> None:
    """Give the lease back; what came since the claim keeps its own due time.

    Args:
        database: with tables of today's version.
        held: the channel as it was claimed; its ``dirty`` is what was looked at.
        again_s: there is more to do, in so many seconds.

    Raises: LeaseLost, StoreUnavailable.
    """
    values: dict[str, Any] = {"lease_until": None, "failures": 0, "seen": held.dirty}
    mine = and_(is_channel(held.team, held.channel), table.c.fence == held.fence)
    with database.begin(exclusive=True) as connection:
        dirty = connection.execute(select(table.c.dirty).where(mine).with_for_update()).scalar()
        if dirty is None:
            raise LeaseLost(f"channel {held.channel} is tended by another worker")
        if again_s is not None:
            again = now_s() + again_s
            sooner = case((table.c.due_at < again, table.c.due_at), else_=again)
            values |= {"due_at": again if dirty == held.dirty else sooner, "published_at": 0.0}
        elif dirty == held.dirty:
            values["due_at"] = None
        connection.execute(update(table).where(mine).values(values))


def postpone_channel(database: Database, held: Followed, delay_s: float, *, failed: bool = False) -> None:
    """Give the lease back and try again later, whatever comes until then. Raises: LeaseLost, StoreUnavailable."""
    later = {"due_at": now_s(), "wait_until": now_s() + delay_s, "published_at": 0.0, "lease_until": None}
    write_channel(database, held, **later, failures=held.failures + failed)


def keep_page(
    database: Database,
    held: Followed,
    page: Page,
    clean: Callable[[str], str],
    unread: Mapping[str, str | None],
    *,
    span: tuple[str, str] | None = None,
    thread_ts: str = "",
    **values: Any,
) -> Followed:
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
    count: dict[str, Any] = {"read_count": held.read_count + len(page.changes)}
    mine = and_(is_channel(held.team, held.channel), table.c.fence == held.fence)
    with database.begin(exclusive=True) as connection:
        if connection.execute(update(table).where(mine).values(**count, **values)).rowcount == 0:
            raise LeaseLost(f"channel {held.channel} is tended by another worker")
        gone = deleted_unheard(connection, held.team, held.channel, page, span, thread_ts) if span else ()
        for change in (*page.changes, *gone):
            keep(connection, held.team, held.channel, change, clean)
        for root, after in unread.items():
            set_unread(connection, held.team, held.channel, root, after)
    return replace(held, **count, **values)


def due_channels(database: Database) -> tuple[tuple[str, str], ...]:
    """The channels (team, id) that are due, free, and of which nobody was told for `REPUBLISH_S`, oldest first.

    Raises: StoreUnavailable.
    """
    untold = table.c.published_at < now_s() - REPUBLISH_S
    with database.begin() as connection:  # most of the time there are none: they take no lock
        query = select(table.c.team, table.c.channel).where(is_due(), untold).order_by(table.c.due_at).limit(SWEEP_ROWS)
        found = [(row.team, row.channel) for row in connection.execute(query)]
    if found:
        with database.begin(exclusive=True) as connection:
            for team, channel in found:
                connection.execute(update(table).where(is_channel(team, channel)).values(published_at=now_s()))
    return tuple(found)
