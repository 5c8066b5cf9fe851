"""The deploys that were recorded. Several sources may tell of one: the first that did stays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, RowMapping, delete, select, text, update

from workers.contracts import Deploy
from workers.language.environment_names import spelled
from workers.store.database import Database
from workers.store.kept_answers import forget_all
from workers.store.request_logs import insert, storable
from workers.store.tables import deploys

SAME_WITHIN = timedelta(minutes=10)
"""How far the moments may lie apart at which two sources tell of one deploy."""


def record_deploys(database: Database, new: Iterable[Deploy], environment: str | None = None) -> int:
    """Record deploys; what is told again changes nothing.

    The same telling (service, environment, version, moment) is kept once. Another one is of the same deploy when it is
    of the same commit, or of the same version where one of them names no commit, lies within `SAME_WITHIN`, and the
    service had no other deploy there in between: a version that comes back after another one was deployed again.

    Args:
        database: with tables of today's version.
        new: what was told.
        environment: where all of them went; each deploy's own when None.

    Returns: how many were new.

    Raises:
        StoreUnavailable: the database cannot be reached.
    """
    with database.begin(exclusive=True) as connection:
        lock_deploys(connection)
        recorded = sum(record_deploy(connection, to_row(deploy, environment)) for deploy in new)
        if recorded:
            forget_all(connection)
        return recorded


def lock_deploys(connection: Connection) -> None:
    """Keep two sources from recording one deploy each at the same moment; SQLite's write lock is held already."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("select pg_advisory_xact_lock(hashtextextended('deploys', 0))"))


def record_deploy(connection: Connection, row: dict[str, Any]) -> bool:
    """Record one telling. Returns: whether the deploy is new."""
    first = find_same(connection, row)
    statement = insert(connection, deploys).values(**row, repeats=first is not None).on_conflict_do_nothing()
    told = connection.execute(statement.returning(deploys.c.id)).first()
    if first and (told or first["at"] == row["at"]) and row["commit"] and not first["commit"]:
        connection.execute(update(deploys).where(deploys.c.id == first["id"]).values(commit=row["commit"]))
    return told is not None and first is None


def find_same(connection: Connection, row: dict[str, Any]) -> RowMapping | None:
    """The recorded deploy that a telling is of."""
    at: datetime = row["at"]
    there = (deploys.c.service == row["service"]) & ~deploys.c.repeats
    near = select(deploys).where(there, deploys.c.at.between(at - SAME_WITHIN, at + SAME_WITHIN))
    rows = connection.execute(near.order_by(deploys.c.at, deploys.c.id)).mappings()
    found = [r for r in rows if spelled(r["environment"], row["environment"]) == row["environment"]]
    before = max((r["at"] for r in found if r["at"] <= at), default=None)
    after = min((r["at"] for r in found if r["at"] >= at), default=None)
    return next((r for r in found if r["at"] in {before, after} and is_same(r, row)), None)


def is_same(one: RowMapping, other: dict[str, Any]) -> bool:
    """Whether two tellings are of the same code; a commit may be abbreviated."""
    commits = sorted((one["commit"], other["commit"]), key=len)
    if all(commits):
        return bool(commits[1].startswith(commits[0]))
    return bool(one["version"] == other["version"])


def to_row(deploy: Deploy, environment: str | None) -> dict[str, Any]:
    """A deploy as its row."""
    return {
        "service": storable(deploy.service),
        "version": storable(deploy.version),
        "commit": deploy.commit,
        "at": deploy.at,
        "environment": storable(environment or deploy.environment),
        "source": deploy.source,
    }


def list_deploys(
    database: Database, start: datetime, end: datetime, environment: str | None = None, *, own: str = ""
) -> tuple[Deploy, ...]:
    """Deploys from ``start`` to ``end``, both included, oldest first.

    Args:
        database: with tables of today's version.
        start: first moment.
        end: last moment.
        environment: where they went, in any spelling (``prod`` for production); anywhere when None.
        own: the environment of the deployment. Deploys to it or to ``environment``, however they were recorded, are
            returned as of it.

    Raises: StoreUnavailable.
    """
    inside = deploys.c.at.between(start, end) & ~deploys.c.repeats
    query = select(deploys).where(inside).order_by(deploys.c.at, deploys.c.service, deploys.c.id)
    with database.begin() as connection:
        rows = connection.execute(query).mappings().all()
    each = (Deploy(**{name: row[name] for name in Deploy.model_fields}) for row in rows)
    found = [d.model_copy(update={"environment": spelled(d.environment, environment or own)}) for d in each]
    return tuple(d for d in found if environment is None or d.environment == environment)


def last_range(
    deploys: Sequence[Deploy], service: str, environment: str, now: datetime
) -> tuple[Deploy | None, Deploy] | None:
    """The last deploy of a service to an environment up to a moment, and the one that it replaced. PURE.

    Args:
        deploys: in any order.
        service: in any case; empty = whichever was deployed last.
        environment: in any case, ``prod`` for production; empty = whichever it went to last.
        now: later deploys do not count.

    Returns: the one before, None when none is known, and the last; None when there is no deploy at all. What lies
        between their commits went out with the last one.
    """

    def fits(deploy: Deploy, name: str, place: str) -> bool:
        same = not name or deploy.service.casefold() == name.casefold()
        there = not place or spelled(place, deploy.environment) == deploy.environment
        return same and there and deploy.at <= now

    found = sorted((d for d in deploys if fits(d, service, environment)), key=lambda d: d.at)
    if not found:
        return None
    last = found[-1]
    before = [d for d in found[:-1] if fits(d, last.service, last.environment)]
    return (before[-1] if before else None), last


def forget_deploys(database: Database, environment: str) -> int:
    """Remove the deploys of one environment, such as a demo's. Raises: StoreUnavailable.

    Returns: how many there were.
    """
    ours = deploys.c.environment == environment
    with database.begin(exclusive=True) as connection:
        connection.execute(delete(deploys).where(ours, deploys.c.repeats))
        return connection.execute(delete(deploys).where(ours)).rowcount
