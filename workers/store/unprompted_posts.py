"""What is said in a channel that nobody asked for: nothing while its people want nothing, and not often.

A pause holds for whatever comes unasked, in a channel with an incident or without one. The turn to say something goes
to one request at a time, of whichever incident or group of alerts; one that says nothing after all gives it back.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, and_, exists, or_, select, update

from workers.store.channels import channel_settings
from workers.store.database import Database
from workers.store.database_clock import now_s
from workers.store.request_logs import insert
from workers.store.tables import unasked as table


def wants_nothing(database: Database, team: str, channel: str) -> bool:
    """Whether the people of a channel want nothing there, or nothing for now. Raises: StoreUnavailable."""
    return channel_settings(database, team, channel).mode == "off" or is_paused(database, team, channel)


def is_paused(database: Database, team: str, channel: str) -> bool:
    """Whether people want nothing new in a channel until one of them resumes. Raises: StoreUnavailable."""
    with database.begin() as connection:
        return bool(connection.execute(select(paused_in(team, channel))).scalar())


def paused_in(team: str, channel: str) -> ColumnElement[bool]:
    """Whether a channel is paused, as part of a query."""
    return exists().where(in_channel(team, channel), table.c.paused)


def set_paused(connection: Connection, team: str, channel: str, *, paused: bool) -> bool:
    """Pause a channel or let it go on. Returns: whether that is new."""
    if not paused:
        here = and_(in_channel(team, channel), table.c.paused)
        return connection.execute(update(table).where(here).values(paused=False)).rowcount > 0
    first = insert(connection, table).values(team=team, channel=channel, paused=True, request_id="")
    changed = first.on_conflict_do_update(
        index_elements=["team", "channel"], set_={"paused": True}, where=~table.c.paused
    )
    return connection.execute(changed.returning(table.c.team)).first() is not None


def take_turn(database: Database, team: str, channel: str, per_hour: float, request_id: str) -> bool:
    """Ask to say something in a channel that nobody asked for; True at most so often an hour, and not in a pause.

    Whoever has the turn gets it again, from now on, as long as nobody took it since.

    Raises: StoreUnavailable.
    """
    if per_hour <= 0:
        return False
    free = or_(table.c.spoke_at.is_(None), table.c.spoke_at <= now_s() - 3_600.0 / per_hour)
    turn = {"spoke_at": now_s(), "request_id": request_id}
    with database.begin(exclusive=True) as connection:
        first = insert(connection, table).values(team=team, channel=channel, paused=False, **turn)
        taken = first.on_conflict_do_update(
            index_elements=["team", "channel"],
            set_=turn,
            where=and_(~table.c.paused, or_(free, table.c.request_id == request_id)),
        )
        return connection.execute(taken.returning(table.c.team)).first() is not None


def turn_in_s(database: Database, team: str, channel: str, per_hour: float) -> float | None:
    """Seconds until the turn of a channel is free; None: never. Raises: StoreUnavailable."""
    if per_hour <= 0:
        return None
    with database.begin() as connection:
        since = connection.execute(select(now_s() - table.c.spoke_at).where(in_channel(team, channel))).scalar()
    return 0.0 if since is None else max(3_600.0 / per_hour - since, 0.0)


def give_back(database: Database, team: str, channel: str, request_id: str) -> None:
    """Let others have the turn of a request that says nothing. Raises: StoreUnavailable."""
    mine = and_(in_channel(team, channel), table.c.request_id == request_id)
    with database.begin(exclusive=True) as connection:
        connection.execute(update(table).where(mine).values(spoke_at=None))


def in_channel(team: str, channel: str) -> ColumnElement[bool]:
    """The row of a channel."""
    return and_(table.c.team == team, table.c.channel == channel)
