"""Answers that are given again to the same question, until something changes that answers may rest on."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import Connection, delete, select

from workers.contracts import RequestLog
from workers.errors import RequestNotFound
from workers.store.database import Database
from workers.store.request_logs import SqlStore, insert
from workers.store.tables import kept_answers

FORGOTTEN = ""
"""The key of the row that tells when all of them were forgotten."""


def keep_answer(database: Database, key: str, log: RequestLog) -> None:
    """Keep the answer of a finished request, unless answers were forgotten since it was asked.

    Raises: StoreUnavailable.
    """
    with database.begin() as connection:
        forgotten = connection.execute(select(kept_answers.c.at).where(kept_answers.c.key == FORGOTTEN)).scalar()
        if forgotten is None or forgotten < log.question.received_at:
            put(connection, key, log.request_id, log.question.received_at)


def find_kept(store: SqlStore, key: str, since: datetime) -> RequestLog | None:
    """The request with the answer, when it was asked after a moment (aware) and is still there.

    Raises: StoreUnavailable.
    """
    kept = select(kept_answers.c.request_id).where(kept_answers.c.key == key, kept_answers.c.at >= since)
    with store.database.begin() as connection:
        request_id = connection.execute(kept).scalar()
    try:
        return store.load(request_id) if request_id else None
    except RequestNotFound:
        return None


def forget_kept(database: Database) -> None:
    """Forget all of them. Raises: StoreUnavailable."""
    with database.begin() as connection:
        forget_all(connection)


def forget_all(connection: Connection) -> None:
    """The same within a transaction."""
    connection.execute(delete(kept_answers))
    put(connection, FORGOTTEN, "", datetime.now(UTC))


def put(connection: Connection, key: str, request_id: str, at: datetime) -> None:
    """Insert or replace a row."""
    statement = insert(connection, kept_answers).values(key=key, request_id=request_id, at=at)
    fresh = {name: statement.excluded[name] for name in ("request_id", "at")}
    connection.execute(statement.on_conflict_do_update(index_elements=["key"], set_=fresh))
