"""How many events each hook took, ignored and refused, and why it did not take the last one that it did not."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import select

from workers.store.database import Database
from workers.store.request_logs import insert, storable
from workers.store.tables import hook_events as table

Outcome = Literal["taken", "ignored", "refused"]
LONGEST_REASON = 300


@dataclass(frozen=True)
class HookEvents:
    """The events of one hook.

    ``hook``: which, such as ``GitHub deploys``; ``reason``, ``reason_at``: why the last that was ignored or refused, in
    whole or in part, was so, and when; empty and None when there was none. Moments are aware.
    """

    hook: str
    taken: int
    ignored: int
    refused: int
    last_at: datetime
    reason: str = ""
    reason_at: datetime | None = None


def count_hook_event(database: Database, hook: str, outcome: Outcome, reason: str, at: datetime) -> None:
    """Count one event.

    Args:
        database: with tables of today's version.
        hook: which.
        outcome: what became of the event.
        reason: why it, or a part of it, was not taken; empty when all of it was.
        at: when, aware.

    Raises:
        StoreUnavailable: the database cannot be reached.
    """
    counts = {name: int(name == outcome) for name in ("taken", "ignored", "refused")}
    why = {"reason": storable(reason)[:LONGEST_REASON], "reason_at": at} if reason else {}
    with database.begin() as connection:
        first = insert(connection, table).values(hook=hook, last_at=at, **counts, **({"reason": ""} | why))
        more = {name: table.c[name] + count for name, count in counts.items()}
        again = first.on_conflict_do_update(index_elements=["hook"], set_={**more, "last_at": at, **why})
        connection.execute(again)


def list_hook_events(database: Database) -> tuple[HookEvents, ...]:
    """The hooks that were told of something, by name. Raises: StoreUnavailable."""
    with database.begin() as connection:
        rows = connection.execute(select(table).order_by(table.c.hook)).mappings().all()
    return tuple(HookEvents(**row) for row in rows)
