"""Which channels are followed for the incident in them: what the bot and people say of that.

A channel that may hold an incident is ``found``; a worker looks at it, and then it is ``following``, or ``left`` alone.
Messages are kept in the states of `LISTENING`; in a channel that is ``off`` people want nothing.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from time import monotonic
from typing import Any, Literal, cast
from weakref import WeakKeyDictionary

from sqlalchemy import ColumnElement, Connection, RowMapping, and_, case, delete, or_, select, update

from workers.contracts import Why
from workers.store.database import Database
from workers.store.database_clock import now_s
from workers.store.leases import fresh_lease
from workers.store.request_logs import insert, storable
from workers.store.tables import channel_messages, channel_reactions
from workers.store.tables import followed_channels as table
from workers.store.unprompted_posts import paused_in, set_paused

State = Literal["found", "following", "left", "off"]
LISTENING: frozenset[State] = frozenset({"found", "following"})
KEPT_S = 20.0
"""How long a process may go on keeping messages of a channel that another one stopped following."""
KEPT_MOST = 2_000


@dataclass(frozen=True)
class FollowedChannel:
    """One channel. ``summary``: the one that is shown, as JSON; ``fence``: of the lease, when one is held."""

    team: str
    channel: str
    name: str
    why: Why
    state: State
    since_ts: str
    before_ts: str
    read_count: int
    read_done: bool
    dirty: int
    seen: int
    fence: int
    failures: int
    delays: int
    incident_id: int
    pinned: bool
    summary: str


def followed(database: Database, team: str, channel: str) -> FollowedChannel | None:
    """What is known of a channel; None for one that nobody looked at. Raises: StoreUnavailable."""
    with database.begin() as connection:
        row = connection.execute(select(table).where(is_channel(team, channel))).mappings().first()
    return to_followed(row) if row else None


class Known:
    """The channels of one database that were listened to a moment ago."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.until: dict[tuple[str, str], float] = {}


known_lock = threading.Lock()
known: WeakKeyDictionary[Database, Known] = WeakKeyDictionary()


def is_listening(database: Database, team: str, channel: str) -> bool:
    """Whether a channel's messages are kept.

    That they are is remembered for `KEPT_S`. That they are not never is: what is said right after would be lost.

    Raises:
        StoreUnavailable: the database cannot be reached.
    """
    memory = remembered(database)
    with memory.lock:
        if monotonic() < memory.until.get((team, channel), 0.0):
            return True
    here = and_(is_channel(team, channel), table.c.state.in_(LISTENING))
    with database.begin() as connection:
        found = connection.execute(select(table.c.channel).where(here)).first() is not None
    with memory.lock:
        if found:
            while len(memory.until) >= KEPT_MOST:
                del memory.until[next(iter(memory.until))]
            memory.until[team, channel] = monotonic() + KEPT_S
    return found


def remembered(database: Database) -> Known:
    """What this process remembers of a database."""
    with known_lock:
        return known.setdefault(database, Known())


def forget_known(database: Database, team: str, channel: str) -> None:
    """Something else holds now."""
    memory = remembered(database)
    with memory.lock:
        memory.until.pop((team, channel), None)


# --- what is found, and what people want ------------------------------------------------------------------------


def note_channel(database: Database, team: str, channel: str, name: str = "") -> None:
    """A channel that may hold an incident: a worker shall look, and its messages are kept from now on.

    Nothing changes where it is followed already, but its name. Raises: StoreUnavailable.
    """
    named = {"name": storable(name)[:200]} if name else {}
    with database.begin(exclusive=True) as connection:
        if begin(connection, team, channel, {**named, "state": "found", "why": "", "since_ts": ""}):
            return
        if named:
            connection.execute(update(table).where(is_channel(team, channel)).values(named))


def follow_declared(database: Database, team: str, channel: str, since_ts: str) -> None:
    """People declared an incident in a channel: it is followed, whatever it is called. Raises: StoreUnavailable.

    A pause ends: they want to see it.
    """
    with database.begin(exclusive=True) as connection:
        set_paused(connection, team, channel, paused=False)
        declared = {"state": "following", "why": "declared", "since_ts": since_ts}
        if not begin(connection, team, channel, declared):
            found = case((table.c.state == "found", "declared"), else_=table.c.why)
            again = {"state": "following", "why": found, "due_at": now_s(), "published_at": 0.0, "wait_until": 0.0}
            connection.execute(update(table).where(is_channel(team, channel)).values(again))
    forget_known(database, team, channel)


def begin(connection: Connection, team: str, channel: str, values: dict[str, Any]) -> bool:
    """Start to listen to a channel that was not listened to; what is kept of it has gaps by now, and is read anew.

    Returns: False when it is listened to already.
    """
    state = connection.execute(select(table.c.state).where(is_channel(team, channel)).with_for_update()).scalar()
    if state in LISTENING:
        return False
    for kept in (channel_messages, channel_reactions):
        connection.execute(delete(kept).where(kept.c.team == team, kept.c.channel == channel))
    fresh = {**new_row(team, channel), **values}
    statement = insert(connection, table).values(fresh)
    lasting = {"team", "channel", "fence", "name", "incident_id", "pinned"} - values.keys()
    again = {key: statement.excluded[key] for key in fresh if key not in lasting}
    taken = {**again, "fence": table.c.fence + 1}
    connection.execute(statement.on_conflict_do_update(index_elements=["team", "channel"], set_=taken))
    return True


def stop_following(database: Database, team: str, channel: str, state: Literal["left", "off"]) -> bool:
    """Listen to a channel no more: the app is no member, or its people want nothing there.

    Returns: whether it was listened to.

    Raises:
        StoreUnavailable: the database cannot be reached.
    """
    here = and_(is_channel(team, channel), table.c.state.in_(LISTENING))
    ended = {"state": state, "due_at": None, "lease_until": None, "fence": table.c.fence + 1}
    with database.begin(exclusive=True) as connection:
        stopped = connection.execute(update(table).where(here).values(ended)).rowcount > 0
    forget_known(database, team, channel)
    return stopped


def pause_channel(database: Database, team: str, channel: str, *, paused: bool) -> bool:
    """Show nothing new in a channel until further notice, or go on; a followed one says so. Raises: StoreUnavailable.

    Returns: whether that is new.
    """
    here = and_(is_channel(team, channel), table.c.state == "following")
    with database.begin(exclusive=True) as connection:
        new = set_paused(connection, team, channel, paused=paused)
        if new:
            connection.execute(update(table).where(here).values(at_once()))
    return new


def make_due(database: Database, team: str, channel: str) -> bool:
    """Someone wants the summary now. Raises: StoreUnavailable. Returns: whether the channel is followed, not paused."""
    here = and_(is_channel(team, channel), table.c.state == "following", ~paused_in(team, channel))
    with database.begin(exclusive=True) as connection:
        changed = update(table).where(here).values(**at_once(), dirty=table.c.dirty + 1, dirty_at=now_s())
        return connection.execute(changed).rowcount > 0


def mark_dirty(connection: Connection, team: str, channel: str, settle_s: float, every_s: float) -> bool:
    """Something changed in a channel: its summary is due when nothing more came for ``settle_s``, or after ``every_s``
    at the latest; at once while there is none. Returns: whether it is due now.
    """
    first = case((table.c.dirty == table.c.seen, now_s()), else_=table.c.dirty_at)
    quiet, latest = now_s() + settle_s, first + every_s
    soon = case((latest < quiet, latest), else_=quiet)
    now = or_(table.c.shown_at.is_(None), ~table.c.read_done)
    values = {"dirty": table.c.dirty + 1, "dirty_at": first, "due_at": case((now, now_s()), else_=soon)}
    here = and_(is_channel(team, channel), table.c.state.in_(LISTENING))
    wait_s = connection.execute(update(table).where(here).values(values).returning(table.c.due_at - now_s())).scalar()
    return wait_s is not None and wait_s <= 0


# --- rows -------------------------------------------------------------------------------------------------------


def at_once() -> dict[str, Any]:
    """What makes a channel due now, whatever it waited for."""
    return {"due_at": now_s(), "published_at": 0.0, "wait_until": 0.0}


def new_row(team: str, channel: str) -> dict[str, Any]:
    """A channel of which nothing is read, and which is due."""
    counts = dict.fromkeys(("read_count", "dirty", "seen", "incident_id"), 0)
    empty = dict.fromkeys(("name", "why", "since_ts", "before_ts", "summary"), "")
    moments = dict.fromkeys(("dirty_at", "shown_at"))
    row = {"team": team, "channel": channel, "read_done": False, "pinned": False, **counts, **empty, **moments}
    return {**row, **fresh_lease(), **at_once()}


def is_channel(team: str, channel: str) -> ColumnElement[bool]:
    """The row of a channel."""
    return and_(table.c.team == team, table.c.channel == channel)


def to_followed(row: RowMapping) -> FollowedChannel:
    """A row as what it says."""
    given = {name: row[name] for name in FollowedChannel.__dataclass_fields__}
    return FollowedChannel(**given | {"why": cast("Why", row["why"]), "state": cast("State", row["state"])})
