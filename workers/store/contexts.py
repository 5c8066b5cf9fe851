"""What conversations are about: one context a person and project."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from workers.store.database import Database
from workers.store.tables import oracle_contexts
from workers.store.threads import upsert


@dataclass(frozen=True)
class Exchange:
    """What a person asked and what was answered, or a word that the summary of all before stands for."""

    asked: str
    answered: str


@dataclass(frozen=True)
class Context:
    """A conversation within a budget of tokens: the summary of what is older, the last exchanges and what was decided
    word for word, the names that came up.
    """

    id: str
    user_id: str
    project_id: str
    session_start: datetime
    last_activity: datetime
    last_model: str = ""
    token_budget: int = 16_000
    tokens_used: int = 0
    compressed_summary: str = ""
    recent_exchanges: tuple[Exchange, ...] = ()
    key_decisions: tuple[str, ...] = ()
    mentioned_symbols: tuple[str, ...] = ()
    mentioned_files: tuple[str, ...] = ()
    status: str = "active"
    compression_count: int = 0


def load_context(database: Database, user_id: str, project_id: str) -> Context | None:
    """A person's context of a project; None when there is none. Raises: StoreUnavailable."""
    with database.begin() as connection:
        return read_context(connection, user_id, project_id)


def save_context(database: Database, context: Context, known: Context | None) -> bool:
    """Insert or replace a context, unless it is no longer as it was when it was loaded.

    Returns: whether it was written. Raises: StoreUnavailable.
    """
    row = {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(context).items()}
    row["recent_exchanges"] = [[one.asked, one.answered] for one in context.recent_exchanges]
    with database.begin(exclusive=True) as connection:
        if read_context(connection, context.user_id, context.project_id) != known:
            return False
        upsert(connection, oracle_contexts, [row], ["user_id", "project_id"])
    return True


def read_context(connection: Connection, user_id: str, project_id: str) -> Context | None:
    """A context, which nobody else replaces until the transaction ends where that is one that writes."""
    c = oracle_contexts.c
    query = select(oracle_contexts).where(c.user_id == user_id, c.project_id == project_id)
    row = connection.execute(query.with_for_update()).mappings().first()
    if row is None:
        return None
    values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in row.items()}
    return Context(**{**values, "recent_exchanges": tuple(Exchange(*one) for one in row["recent_exchanges"])})
