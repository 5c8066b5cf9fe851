"""Rows that one worker at a time works on, under a lease with a fencing token: requests, channels, groups of alerts.

Their tables have `workers.store.tables.lease_columns`; moments are seconds since the epoch by the database's clock. A
worker that lost its lease can write nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import Field, dataclass, replace
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from sqlalchemy import ColumnElement, RowMapping, Table, and_, case, or_, select, true, tuple_, update

from workers.errors import LeaseLost
from workers.store.database import Database
from workers.store.database_clock import now_s

REPUBLISH_S = 10.0
SWEEP_ROWS = 200
LONGEST_BACKOFF_S = 30.0
Key = Sequence[Any]
EVERY_ROW = true()


class Row(Protocol):
    """What a row says, as a frozen dataclass. ``fence``: of the lease, when one is held."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def fence(self) -> int: ...
    @property
    def failures(self) -> int: ...
    @property
    def delays(self) -> int: ...


Held = TypeVar("Held", bound=Row)


@dataclass(frozen=True)
class Leases(Generic[Held]):
    """The leases of one table. Every method raises StoreUnavailable; those that write under a lease raise LeaseLost.

    ``key``: the columns that name a row; ``read``: a row, and ``clock_s``, the moment it was read, as what it says;
    ``what``: what a row is, in messages; ``works``: whether a row is to be worked on at all; ``first_pause_s`` and
    ``longest_pause_s``: how long a row rests after its first failure, and after many.
    """

    table: Table
    key: tuple[str, ...]
    read: Callable[[RowMapping], Held]
    what: str
    works: ColumnElement[bool] = EVERY_ROW
    first_pause_s: float = 1.0
    longest_pause_s: float = LONGEST_BACKOFF_S

    # --- under a lease ----------------------------------------------------------------------------------------------

    def claim(self, database: Database, key: Key, lease_s: float) -> Held | None:
        """Take the lease of a row that is due and free; one that ended counts as lost.

        Returns: it, with its fencing token; None when there is nothing to do, or someone else does it.
        """
        columns = self.table.c
        taken = {
            "fence": columns.fence + 1,
            "lease_until": now_s() + lease_s,
            "lost_leases": columns.lost_leases + case((columns.lease_until.is_(None), 0), else_=1),
        }
        statement = update(self.table).where(self.at(key), self.is_due(), self.is_free()).values(taken)
        with database.begin(exclusive=True) as connection:
            row = connection.execute(statement.returning(self.table, now_s().label("clock_s"))).mappings().first()
        return self.read(row) if row else None

    def current(self, database: Database, held: Held) -> Held:
        """What the row says by now."""
        query = select(self.table, now_s().label("clock_s")).where(self.mine(held))
        with database.begin() as connection:
            row = connection.execute(query).mappings().first()
        if row is None:
            raise self.lost(held)
        return self.read(row)

    def write(self, database: Database, held: Held, **values: Any) -> Held:
        """Write under the fencing token. Returns: what the row says then, as far as ``values`` tell."""
        with database.begin(exclusive=True) as connection:
            if connection.execute(update(self.table).where(self.mine(held)).values(**values)).rowcount == 0:
                raise self.lost(held)
        return replace(held, **{key: value for key, value in values.items() if key in held.__dataclass_fields__})

    def renew(self, database: Database, held: Held, lease_s: float) -> None:
        """The heartbeat: this worker still lives."""
        self.write(database, held, lease_until=now_s() + lease_s)

    def postpone(self, database: Database, held: Held, delay_s: float, error: str = "") -> None:
        """Give the lease back and try again later, whatever comes until then; nobody's fault."""
        self.write(database, held, **self.released(delay_s, error), delays=self.table.c.delays + 1)

    def fail(self, database: Database, held: Held, error: str) -> None:
        """Count a failure, give the lease back and try again later."""
        pause_s = min(self.first_pause_s * 2.0 ** min(held.failures, 10), self.longest_pause_s)
        self.write(database, held, **self.released(pause_s, error), failures=self.table.c.failures + 1)

    # --- all rows ---------------------------------------------------------------------------------------------------

    def sweep(self, database: Database) -> tuple[Key, ...]:
        """Free the leases of workers that died, later each time, and find what must be published again.

        Returns: the keys of rows that are due and that nobody was told of for `REPUBLISH_S`, oldest first.
        """
        columns = self.table.c
        expired = and_(self.works, columns.lease_until < now_s())
        untold = and_(self.is_due(), columns.lease_until.is_(None), columns.published_at < now_s() - REPUBLISH_S)
        names = [columns[name] for name in self.key]
        with database.begin() as connection:  # most of the time there are none: they take no lock
            if connection.execute(select(*names).where(or_(expired, untold)).limit(1)).first() is None:
                return ()
        due = select(*names).where(untold).order_by(columns.due_at).limit(SWEEP_ROWS)
        mine = due.with_for_update(skip_locked=True).cte("due")  # another sweeper tells of what it has locked
        freed = {"lost_leases": columns.lost_leases + 1, "wait_until": now_s() + self.lost_pause()}
        told = update(self.table).where(tuple_(*names).in_(select(mine))).values(published_at=now_s())
        with database.begin(exclusive=True) as connection:
            connection.execute(update(self.table).where(expired).values(**freed, lease_until=None, published_at=0.0))
            rows = connection.execute(told.returning(columns.due_at, *names)).all()
        return tuple(tuple(row[1:]) for row in sorted(rows, key=lambda row: float(row[0])))

    def lost_pause(self) -> ColumnElement[float]:
        """Seconds to wait after a lost lease, in SQL: none after the first two, then 2, 4, 8 … 30."""
        lost = self.table.c.lost_leases
        return case((lost < 2, 0.0), *((lost == n, backoff(n)) for n in range(2, 6)), else_=LONGEST_BACKOFF_S)

    # --- conditions and values --------------------------------------------------------------------------------------

    def released(self, delay_s: float = 0.0, error: str = "") -> dict[str, Any]:
        """A lease given back. The token moves on: a heartbeat that is still under way can take nothing again."""
        later = {"due_at": now_s(), "wait_until": now_s() + delay_s, "published_at": 0.0}
        return {"fence": self.table.c.fence + 1, "lease_until": None, "error": error, **later}

    def done(self) -> dict[str, Any]:
        """A lease given back after all went well: what went wrong before counts no more."""
        counts = {"failures": 0, "delays": 0, "lost_leases": 0}
        return {"fence": self.table.c.fence + 1, "lease_until": None, "error": "", **counts}

    def is_due(self) -> ColumnElement[bool]:
        """Something is to be done about it, now."""
        return and_(self.table.c.due_at <= now_s(), self.table.c.wait_until <= now_s(), self.works)

    def is_free(self) -> ColumnElement[bool]:
        """Nobody is at it."""
        return or_(self.table.c.lease_until.is_(None), self.table.c.lease_until < now_s())

    def mine(self, held: Held) -> ColumnElement[bool]:
        """The row, as long as nobody else has claimed it since."""
        return and_(self.at(self.key_of(held)), self.table.c.fence == held.fence, self.works)

    def lost(self, held: Held) -> LeaseLost:
        """Somebody else has claimed it since."""
        return LeaseLost(f"{self.name(self.key_of(held))} is held by another worker")

    def name(self, key: Key) -> str:
        """What messages call a row."""
        return " ".join(map(str, (self.what, *key)))

    def key_of(self, held: Held) -> Key:
        """What names a row."""
        return tuple(getattr(held, name) for name in self.key)

    def at(self, key: Key) -> ColumnElement[bool]:
        """The row of a key."""
        return and_(*(self.table.c[name] == part for name, part in zip(self.key, key, strict=True)))


def fresh_lease() -> dict[str, Any]:
    """The columns of a row that is due and that nobody has worked on; whoever writes it tells a worker."""
    counts = dict.fromkeys(("fence", "failures", "delays", "lost_leases"), 0)
    return {**counts, "due_at": now_s(), "wait_until": 0.0, "published_at": now_s(), "lease_until": None, "error": ""}


def backoff(tries: int) -> float:
    """Seconds to wait after the n-th try in a row: 1, 2, 4 … 30."""
    return min(2.0 ** (tries - 1), LONGEST_BACKOFF_S)
