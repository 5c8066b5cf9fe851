"""The messages of followed channels. Whatever order news of a message come in, and however often, it ends the same:
its words are those of the newest version, a deleted one stays so, and the newest word on a reaction counts.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import Connection, Executable, RowMapping, and_, or_, select

from workers.contracts import Change, ChannelMessage, Deleted, Page, Reacted, Written
from workers.language.people_names import with_names
from workers.store.database import Database
from workers.store.database_clock import now_s
from workers.store.request_logs import insert, insert_into, storable
from workers.store.tables import channel_messages as messages
from workers.store.tables import channel_reactions as reactions
from workers.store.tables import slack_names

C = TypeVar("C", bound=Change)
MICRO = 1e-6
NAMED_S = 7 * 86_400.0
UNNAMED_S = 3_600.0
NOTHING: Mapping[str, Any] = {
    **dict.fromkeys(("thread_ts", "user", "name", "text"), ""),
    **dict.fromkeys(("bot", "said", "edited"), False),
    "deleted": True,
    "files": [],
}
"""The columns of a message of which nothing is kept."""
SETTLED_S = 60.0
"""What was said so lately may be missing from a page that was asked for before."""


def clean_change(change: C, clean: Callable[[str], str]) -> C:
    """A change without secrets. It takes time: never do it while others wait for the database."""
    if not isinstance(change, Written):
        return change
    message = change.message
    files = tuple(map(clean, message.files))
    cleaned = replace(message, name=clean(message.name), text=clean(message.text), files=files)
    return replace(change, message=cleaned)


def keep(connection: Connection, team: str, channel: str, change: Change) -> None:
    """Write one change, which holds no secret any more."""
    place = {"team": team, "channel": channel}
    match change:
        case Written():
            keep_message(connection, place, change)
        case Deleted():
            keep_deletion(connection, place, change)
        case Reacted():
            keep_reaction(connection, place, change)


def keep_message(connection: Connection, place: Mapping[str, str], change: Written) -> None:
    """A message as it stands, unless something newer is known; its reactions are the oldest word on them."""
    message = change.message
    row = {
        **place,
        **{key: getattr(message, key) for key in ("ts", "thread_ts", "user", "bot", "said")},
        "edited": message.edited_at is not None,
        "name": storable(message.name),
        "text": storable(message.text),
        "files": [storable(title) for title in message.files],
        "deleted": False,
        "version": change.version,
    }
    connection.execute(keep_newest(connection.dialect.name), row)
    shown = [(name, user) for name, users in message.reactions.items() for user in users]
    for number, (name, user) in enumerate(shown):
        first = {**place, "ts": message.ts, "name": name, "user": user, "added": True, "at": number * MICRO}
        connection.execute(insert(connection, reactions).values(first).on_conflict_do_nothing())


@cache
def keep_newest(dialect: str) -> Executable:
    """The statement that writes a message unless something newer is known; made once, for a past holds thousands."""
    statement = insert_into(dialect, messages)
    newer = and_(statement.excluded.version >= messages.c.version, ~messages.c.deleted)
    keys = ["team", "channel", "ts"]
    others = (column.name for column in messages.c if column.name not in {*keys, "replies_after"})
    fresh = {name: statement.excluded[name] for name in others}
    return statement.on_conflict_do_update(index_elements=keys, set_=fresh, where=newer)


def keep_deletion(connection: Connection, place: Mapping[str, str], change: Deleted) -> None:
    """All that is left of a message is that it was deleted."""
    row = {**place, "ts": change.ts, "version": float(change.ts), **NOTHING}
    statement = insert(connection, messages).values(row)
    connection.execute(statement.on_conflict_do_update(index_elements=["team", "channel", "ts"], set_=NOTHING))


def keep_reaction(connection: Connection, place: Mapping[str, str], change: Reacted) -> None:
    """The newest word on a reaction, also of a message that is not known yet."""
    row = {**place, "ts": change.ts, "name": change.name, "user": change.user, "added": change.added, "at": change.at}
    statement = insert(connection, reactions).values(row)
    keys = ["team", "channel", "ts", "name", "user"]
    fresh = {"added": statement.excluded.added, "at": statement.excluded.at}
    newer = statement.excluded.at >= reactions.c.at
    connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=fresh, where=newer))


def deleted_unheard(
    connection: Connection, team: str, channel: str, page: Page, span: tuple[str, str], thread_ts: str
) -> tuple[Deleted, ...]:
    """What is known within the span of a page, of the channel or of a thread, but not in it."""
    present = {change.ts if isinstance(change, Deleted) else change.message.ts for change in page.changes}
    first, last = span[0], min(span[1] or "9", f"{time.time() - SETTLED_S:.6f}")
    here = and_(messages.c.team == team, messages.c.channel == channel, messages.c.thread_ts == thread_ts)
    between = and_(here, ~messages.c.deleted, messages.c.ts > first, messages.c.ts < last)
    return tuple(
        Deleted(ts) for ts in connection.execute(select(messages.c.ts).where(between)).scalars() if ts not in present
    )


# --- what is read back --------------------------------------------------------------------------------------------


def load_messages(database: Database, team: str, channel: str, since_ts: str = "") -> tuple[ChannelMessage, ...]:
    """The messages of a channel since one, with names and reactions, oldest first; deleted ones left out.

    Raises: StoreUnavailable.
    """
    here = and_(messages.c.team == team, messages.c.channel == channel, ~messages.c.deleted, messages.c.ts >= since_ts)
    added = and_(reactions.c.team == team, reactions.c.channel == channel, reactions.c.added)
    with database.begin() as connection:
        marks = connection.execute(select(reactions).where(added).order_by(reactions.c.at, reactions.c.user)).mappings()
        given: dict[str, dict[str, list[str]]] = defaultdict(dict)
        for mark in marks:
            given[mark["ts"]].setdefault(mark["name"], []).append(mark["user"])
        people = read_names(connection, team)
        shown = {user: name for user, (name, _) in people.items()}
        zones = {user: zone for user, (_, zone) in people.items()}
        rows = connection.execute(select(messages).where(here).order_by(messages.c.ts)).mappings()
        return tuple(with_names(to_message(row, given.get(row["ts"], {}), zones), shown) for row in rows)


def to_message(row: RowMapping, given: Mapping[str, Sequence[str]], zones: Mapping[str, str]) -> ChannelMessage:
    """A row and its reactions as a message."""
    shared = {key: row[key] for key in ("ts", "thread_ts", "user", "name", "text", "bot", "said")}
    reactions = {name: tuple(users) for name, users in given.items()}
    edited_at = datetime.fromtimestamp(row["version"], UTC) if row["edited"] else None
    zone, files = zones.get(row["user"], ""), tuple(row["files"])
    return ChannelMessage(**shared, edited_at=edited_at, zone=zone, files=files, reactions=reactions)


def threads_of(database: Database, team: str, channel: str) -> dict[str, str]:
    """The ts of every reply that is kept, and of the message it replies to. Raises: StoreUnavailable."""
    here = and_(messages.c.team == team, messages.c.channel == channel, messages.c.thread_ts != "")
    with database.begin() as connection:
        return {
            row.ts: row.thread_ts for row in connection.execute(select(messages.c.ts, messages.c.thread_ts).where(here))
        }


# --- threads that are not read yet --------------------------------------------------------------------------------


def unread_thread(database: Database, team: str, channel: str) -> tuple[str, str] | None:
    """A thread whose replies are not all read: its root, and the last reply that was. Raises: StoreUnavailable."""
    here = and_(messages.c.team == team, messages.c.channel == channel, messages.c.replies_after.is_not(None))
    query = select(messages.c.ts, messages.c.replies_after).where(here).order_by(messages.c.ts.desc()).limit(1)
    with database.begin() as connection:
        row = connection.execute(query).first()
    return (row.ts, row.replies_after) if row else None


def set_unread(connection: Connection, team: str, channel: str, root: str, after: str | None) -> None:
    """How far the replies of a thread are read; None: all of them are. Of a root of our own nothing else is kept."""
    row = {"team": team, "channel": channel, "ts": root, "version": float(root), "replies_after": after, **NOTHING}
    statement = insert(connection, messages).values(row)
    fresh = {"replies_after": after}
    connection.execute(statement.on_conflict_do_update(index_elements=["team", "channel", "ts"], set_=fresh))


# --- names --------------------------------------------------------------------------------------------------------


def read_names(connection: Connection, team: str) -> dict[str, tuple[str, str]]:
    """What people and apps of a workspace are called, and their zones, as far as is known."""
    query = select(slack_names).where(slack_names.c.team == team, slack_names.c.name != "")
    return {row.user: (row.name, row.zone) for row in connection.execute(query)}


def known_names(database: Database, team: str) -> dict[str, str]:
    """What people and apps of a workspace are called, as far as is known. Raises: StoreUnavailable."""
    with database.begin() as connection:
        return {user: name for user, (name, _) in read_names(connection, team).items()}


def unknown_names(database: Database, team: str, users: Iterable[str]) -> tuple[str, ...]:
    """Of some people and apps those whose names are not known, or not lately. Raises: StoreUnavailable."""
    wanted = tuple(dict.fromkeys(users))
    named = and_(slack_names.c.name != "", slack_names.c.known_at > now_s() - NAMED_S)
    tried = slack_names.c.known_at > now_s() - UNNAMED_S
    query = select(slack_names.c.user).where(slack_names.c.team == team, or_(named, tried))
    with database.begin() as connection:
        known = set(connection.execute(query).scalars())
    return tuple(user for user in wanted if user not in known)


def save_name(database: Database, team: str, user: str, name: str, zone: str = "") -> None:
    """What someone is called, and their IANA zone; empty: Slack could not say. Raises: StoreUnavailable."""
    given = {"name": storable(name)[:200], "zone": storable(zone)[:64]}
    row = {"team": team, "user": user, **given, "known_at": now_s()}
    with database.begin(exclusive=True) as connection:
        statement = insert(connection, slack_names).values(row)
        fresh = {**{key: statement.excluded[key] for key in given}, "known_at": now_s()}
        connection.execute(statement.on_conflict_do_update(index_elements=["team", "user"], set_=fresh))
