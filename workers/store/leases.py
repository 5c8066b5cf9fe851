"""Rows that are worked on by one worker at a time, under a lease with a fencing token, as requests are.

Their tables have ``due_at``, ``wait_until``, ``published_at``, ``fence``, ``lease_until`` and ``failures``: moments are
seconds since the epoch by the database's clock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import Field, dataclass, replace
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from sqlalchemy import ColumnElement, RowMapping, Table, and_, or_, select, true, update

from workers.errors import LeaseLost
from workers.store.database import Database
from workers.store.database_clock import now_s

REPUBLISH_S = 10.0
SWEEP_ROWS = 200
Key = Sequence[Any]
EVERY_ROW = true()


class Row(Protocol):
    """What a row says, as a frozen dataclass. ``fence``: of the lease, when one is held."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def fence(self) -> int: ...
    @property
    def failures(self) -> int: ...


Held = TypeVar("Held", bound=Row)


@dataclass(frozen=True)
class Leases(Generic[Held]):
    """The leases of one table.

    ``key``: the columns that name a row; ``read``: a row as what it says; ``what``: what a row is, in messages;
    ``works``: whether a row is to be worked on at all.
    """

    table: Table
    key: tuple[str, ...]
    read: Callable[[RowMapping], Held]
    what: str
    works: ColumnElement[bool] = EVERY_ROW

    def claim(self, database: Database, key: Key, lease_s: float) -> Held | None:
        """Take the lease of a row that is due and free. Raises: StoreUnavailable.

        Returns: it, with its fencing token; None when there is nothing to do, or someone else does it.
        """
        taken = {"fence": self.table.c.fence + 1, "lease_until": now_s() + lease_s}
        statement = update(self.table).where(self.at(key), self.is_due()).values(taken).returning(self.table)
        with database.begin(exclusive=True) as connection:
            row = connection.execute(statement).mappings().first()
        return self.read(row) if row else None

    def write(self, database: Database, held: Held, **values: Any) -> Held:
        """Write under the fencing token. Returns: what the row says then. Raises: LeaseLost, StoreUnavailable."""
        with database.begin(exclusive=True) as connection:
            if connection.execute(update(self.table).where(self.mine(held)).values(**values)).rowcount == 0:
                raise self.lost(held)
        return replace(held, **{key: value for key, value in values.items() if key in held.__dataclass_fields__})

    def renew(self, database: Database, held: Held, lease_s: float) -> None:
        """The heartbeat. Raises: LeaseLost, StoreUnavailable."""
        self.write(database, held, lease_until=now_s() + lease_s)

    def postpone(self, database: Database, held: Held, delay_s: float, *, failed: bool = False) -> None:
        """Give the lease back and try again later, whatever comes until then. Raises: LeaseLost, StoreUnavailable."""
        later = {"due_at": now_s(), "wait_until": now_s() + delay_s, "published_at": 0.0, "lease_until": None}
        self.write(database, held, **later, failures=held.failures + failed)

    def due(self, database: Database) -> tuple[Key, ...]:
        """The keys of rows that are due, free, and of which nobody was told for `REPUBLISH_S`, oldest first.

        Raises: StoreUnavailable.
        """
        untold = self.table.c.published_at < now_s() - REPUBLISH_S
        query = select(*(self.table.c[name] for name in self.key)).where(self.is_due(), untold)
        with database.begin() as connection:  # most of the time there are none: they take no lock
            rows = connection.execute(query.order_by(self.table.c.due_at).limit(SWEEP_ROWS))
            found = tuple(tuple(row) for row in rows)
        if found:
            with database.begin(exclusive=True) as connection:
                for key in found:
                    connection.execute(update(self.table).where(self.at(key)).values(published_at=now_s()))
        return found

    def is_due(self) -> ColumnElement[bool]:
        """Something is to be done about it, and nobody is at it."""
        columns = self.table.c
        free = or_(columns.lease_until.is_(None), columns.lease_until < now_s())
        return and_(columns.due_at <= now_s(), columns.wait_until <= now_s(), self.works, free)

    def mine(self, held: Held) -> ColumnElement[bool]:
        """The row, as long as nobody else has claimed it since."""
        return and_(self.at(self.key_of(held)), self.table.c.fence == held.fence)

    def lost(self, held: Held) -> LeaseLost:
        """Somebody else has claimed it since."""
        return LeaseLost(f"{self.name(self.key_of(held))} is worked on by another worker")

    def name(self, key: Key) -> str:
        """What messages call a row."""
        return " ".join(map(str, (self.what, *key)))

    def key_of(self, held: Held) -> Key:
        """What names a row."""
        return tuple(getattr(held, name) for name in self.key)

    def at(self, key: Key) -> ColumnElement[bool]:
        """The row of a key."""
        return and_(*(self.table.c[name] == part for name, part in zip(self.key, key, strict=True)))
