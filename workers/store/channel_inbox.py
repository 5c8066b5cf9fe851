"""What followed channels said, as it came. It is kept at once and cleaned by a worker, one at a time a channel: whoever
writes much there delays that channel alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import and_, delete, exists, func, select
from sqlalchemy import update as update_rows

from workers.contracts import Change, Deleted, Reacted, Written
from workers.store.channel_messages import clean_change, keep
from workers.store.database import Database
from workers.store.database_clock import now_s
from workers.store.followed_channels import mark_dirty
from workers.store.leases import Leases, fresh_lease
from workers.store.request_logs import insert, storable
from workers.store.tables import channel_inbox as inbox
from workers.store.tables import channel_inboxes as table

MOST_CHARS = 40_000
"""As long as Slack lets a message be; what an app attaches beyond is cut."""
BATCH = 20
KINDS = {"written": Written, "deleted": Deleted, "reacted": Reacted}
READ: dict[str, TypeAdapter[Any]] = {name: TypeAdapter(kind) for name, kind in KINDS.items()}


@dataclass(frozen=True)
class ChannelInbox:
    """A channel with something to clean, as its lease holder sees it."""

    team: str
    channel: str
    fence: int
    failures: int
    delays: int


def to_inbox(row: Any) -> ChannelInbox:
    """A row as what it says."""
    return ChannelInbox(**{name: row[name] for name in ChannelInbox.__dataclass_fields__})


INBOXES = Leases(table, ("team", "channel"), to_inbox, "inbox of channel", first_pause_s=5.0, longest_pause_s=300.0)


def put_in_inbox(database: Database, team: str, channel: str, change: Change) -> None:
    """Keep what an event changed, as it came, and make it due for a worker. Raises: StoreUnavailable."""
    row = {"team": team, "channel": channel, "change": written_down(cut(change))}
    with database.begin(exclusive=True) as connection:
        connection.execute(insert(connection, inbox).values(row))
        due = insert(connection, table).values(team=team, channel=channel, **fresh_lease())
        again = {"due_at": func.coalesce(table.c.due_at, now_s()), "published_at": now_s()}
        connection.execute(due.on_conflict_do_update(index_elements=["team", "channel"], set_=again))


def clean_batch(
    database: Database,
    held: ChannelInbox,
    clean: Callable[[str], str],
    check: Callable[[], None],
    *,
    settle_s: float,
    every_s: float,
) -> bool:
    """Move the oldest of a channel's inbox to its messages, without secrets, and note that its summary is due.

    Args:
        database: with tables of today's version.
        held: the channel, under its lease.
        clean: takes secrets out; it may take seconds, and no transaction waits for it.
        check: raises LeaseLost when the lease is another worker's.
        settle_s: as for `workers.store.followed_channels.mark_dirty`.
        every_s: the same.

    Returns: whether there was anything.

    Raises:
        LeaseLost, StoreUnavailable.
    """
    here = and_(inbox.c.team == held.team, inbox.c.channel == held.channel)
    query = select(inbox.c.id, inbox.c.change).where(here).order_by(inbox.c.id).limit(BATCH)
    with database.begin() as connection:
        rows = connection.execute(query).all()
    changes: list[Change] = []
    for row in rows:
        check()
        changes.append(clean_change(read_change(row.change), clean))
    if rows:
        with database.begin(exclusive=True) as connection:
            mine = connection.execute(select(table.c.fence).where(INBOXES.mine(held)).with_for_update()).first()
            if mine is None:
                raise INBOXES.lost(held)
            for change in changes:
                keep(connection, held.team, held.channel, change)
            connection.execute(delete(inbox).where(inbox.c.id.in_([row.id for row in rows])))
            mark_dirty(connection, held.team, held.channel, settle_s, every_s)
    return bool(rows)


def release_inbox(database: Database, held: ChannelInbox, *, again: bool = False) -> None:
    """Give the lease back; what is left, or came meanwhile, is due at once, and with ``again`` it is in any case.

    Raises: LeaseLost, StoreUnavailable.
    """
    with database.begin(exclusive=True) as connection:
        here = and_(inbox.c.team == held.team, inbox.c.channel == held.channel)
        left = connection.execute(select(exists().where(here))).scalar()
        due = {"due_at": now_s() if left or again else None, "published_at": 0.0}
        released = update_rows(table).where(INBOXES.mine(held)).values(**INBOXES.done(), **due)
        if connection.execute(released).rowcount == 0:
            raise INBOXES.lost(held)


def cut(change: Change) -> Change:
    """A change no longer than Slack's longest message; cut between words, so that no half of a secret is left."""
    if not isinstance(change, Written):
        return change
    message = change.message
    name, text = shorten(message.name, 200), shorten(message.text, MOST_CHARS)
    files = tuple(shorten(title, 1_000) for title in message.files[:100])
    return replace(change, message=replace(message, name=name, text=text, files=files))


def shorten(text: str, most: int) -> str:
    """A text of at most so many characters, its last word whole where it has several."""
    text = storable(text)
    return text if len(text) <= most else (text[:most].rsplit(maxsplit=1) or [""])[0]


def written_down(change: Change) -> dict[str, Any]:
    """A change as JSON, with its kind."""
    kind = type(change).__name__.lower()
    told: dict[str, Any] = READ[kind].dump_python(change, mode="json")
    if isinstance(change, Written):
        told["message"].pop("at", None)  # it follows from the message's ts
    return {"kind": kind, **told}


def read_change(told: dict[str, Any]) -> Change:
    """A change from its JSON."""
    change: Change = READ[told["kind"]].validate_python({key: value for key, value in told.items() if key != "kind"})
    return change
