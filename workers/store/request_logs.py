"""The log of every request: what ``oracle show`` prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from sqlalchemy import Connection, Table, select
from sqlalchemy.dialects import sqlite

from workers.contracts import RequestLog
from workers.errors import RequestNotFound, StoreUnavailable
from workers.store.database import Database, open_database
from workers.store.migrate import migrate
from workers.store.tables import requests

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql

PREFIX_CHARS = 6


@dataclass(frozen=True)
class StoredRequest:
    """One line of the list of requests."""

    request_id: str
    created_at: datetime
    updated_at: datetime
    state: str
    question_type: str
    grounded: bool
    question: str


class SqlStore:
    """Implements `workers.ports.Store`.

    Args:
        database: with tables of today's version.
        clean: applied to a log's JSON before it is written, so that no secret is.
    """

    def __init__(self, database: Database, clean: Callable[[Any], Any]) -> None:
        self.database = database
        self.clean = clean

    def save(self, log: RequestLog) -> None:
        """Insert or replace the log of one request. Raises: StoreUnavailable."""
        row = to_row(log, self.clean(log.model_dump(mode="json")))
        with self.database.begin() as connection:
            statement = insert(connection, requests).values(row)
            fresh = {k: statement.excluded[k] for k in row if k not in {"request_id", "created_at"}}
            connection.execute(statement.on_conflict_do_update(index_elements=["request_id"], set_=fresh))

    def load(self, request_id: str) -> RequestLog:
        """The log of one request.

        Args:
            request_id: all of it, or at least the first `PREFIX_CHARS` characters when only one request has them.

        Raises:
            RequestNotFound: none has that id, or several begin with it.
            StoreUnavailable: the database cannot be reached, or another version of Oracle wrote the log.
        """
        with self.database.begin() as connection:
            log = find_log(connection, request_id)
        try:
            return RequestLog.model_validate(log)
        except ValidationError as error:
            message = f"the log of request {request_id!r} was written by another version of Oracle"
            raise StoreUnavailable(message) from error

    def recent(self, n: int = 20) -> tuple[StoredRequest, ...]:
        """The newest ``n`` requests, newest first. Raises: StoreUnavailable."""
        columns = [requests.c[name] for name in StoredRequest.__dataclass_fields__]
        query = select(*columns).order_by(requests.c.created_at.desc(), requests.c.request_id).limit(n)
        with self.database.begin() as connection:
            return tuple(StoredRequest(**row) for row in connection.execute(query).mappings())


def open_store(address: str, clean: Callable[[Any], Any]) -> SqlStore:
    """Open the database and bring its tables up to date.

    Raises:
        ConfigError: the address is wrong.
        StoreUnavailable: the database cannot be reached, or its tables are of a newer version.
    """
    database = open_database(address)
    migrate(database)
    return SqlStore(database, clean)


def find_log(connection: Connection, request_id: str) -> Any:
    """The stored JSON. Raises: RequestNotFound."""
    log = connection.execute(select(requests.c.log).where(requests.c.request_id == request_id)).scalar()
    if log is not None:
        return log
    if len(request_id) < PREFIX_CHARS:
        raise RequestNotFound(f"no request {request_id!r}; a prefix needs at least {PREFIX_CHARS} characters")
    alike = requests.c.request_id.startswith(request_id, autoescape=True)
    found = connection.execute(select(requests.c.request_id, requests.c.log).where(alike).limit(4)).all()
    if not found:
        raise RequestNotFound(f"no request {request_id!r}")
    if len(found) > 1:
        ids = ", ".join(sorted(row.request_id for row in found)[:3])
        raise RequestNotFound(f"several requests begin with {request_id!r} ({ids}{', …' if len(found) > 3 else ''})")
    return found[0].log


def to_row(log: RequestLog, shown: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of one request. ``shown``: its JSON as it is written."""
    kinds = {"answer": "answered", "clarify": "clarifying", "refusal": "refused"}
    return {
        "request_id": log.request_id,
        "created_at": log.question.received_at,
        "updated_at": datetime.now(UTC),
        "state": kinds[log.answer.kind] if log.answer else "open",
        "question_type": log.intent.question_type if log.intent else "",
        "grounded": log.grounded,
        "question": storable(shown["question"]["text"]),
        "log": shown,
    }


def storable(text: str) -> str:
    """Without what PostgreSQL refuses in a text: NUL, and halves of surrogate pairs."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def insert(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    """An insert that knows ``on conflict``, for either database."""
    return insert_into(connection.dialect.name, table)


def insert_into(dialect: str, table: Table) -> sqlite.Insert | postgresql.Insert:
    """The same, for a database of a kind."""
    if dialect == "sqlite":
        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql  # noqa: PLC0415 - SQLAlchemy imports the dialect that is used

    return postgresql.insert(table)
