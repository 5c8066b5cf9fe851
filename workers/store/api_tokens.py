"""Tokens for the HTTP API, one or more a person. Only their SHA-256 is kept, so a token is shown once."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import select, update

from workers.store.database import Database
from workers.store.request_logs import storable
from workers.store.tables import api_tokens

PREFIX = "oracle_"
USED_EVERY = timedelta(minutes=5)
"""So often at most it is noted that a token is used."""


@dataclass(frozen=True)
class ApiToken:
    """A token as it is listed."""

    id: str
    user_id: str
    name: str
    created_at: datetime
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None


def create_token(database: Database, user_id: str, name: str = "", *, at: datetime | None = None) -> tuple[str, str]:
    """Make a token for a person. Raises: StoreUnavailable. Returns: the token, which nobody can read again; its id."""
    token, token_id = PREFIX + secrets.token_urlsafe(32), secrets.token_hex(4)
    row = {"id": token_id, "token_hash": hash_of(token), "created_at": at or datetime.now(UTC)}
    row |= {"user_id": storable(user_id), "name": storable(name)[:100]}
    with database.begin(exclusive=True) as connection:
        connection.execute(api_tokens.insert().values(row))
    return token, token_id


def user_of(database: Database, token: str, *, at: datetime | None = None) -> str:
    """Whose token this is; empty for one that does not exist or was revoked. Raises: StoreUnavailable."""
    now, here = at or datetime.now(UTC), api_tokens.c.token_hash == hash_of(token)
    query = select(api_tokens.c.user_id, api_tokens.c.last_used_at).where(here, api_tokens.c.revoked_at.is_(None))
    with database.begin() as connection:
        found = connection.execute(query).first()
    if found is None:
        return ""
    if found.last_used_at is None or now - found.last_used_at > USED_EVERY:
        with database.begin(exclusive=True) as connection:
            connection.execute(update(api_tokens).where(here).values(last_used_at=now))
    return str(found.user_id)


def list_tokens(database: Database, user_id: str = "") -> tuple[ApiToken, ...]:
    """All tokens, or one person's, revoked ones too, oldest first. Raises: StoreUnavailable."""
    columns = [api_tokens.c[name] for name in ApiToken.__dataclass_fields__]
    query = select(*columns).order_by(api_tokens.c.created_at, api_tokens.c.id)
    if user_id:
        query = query.where(api_tokens.c.user_id == user_id)
    with database.begin() as connection:
        return tuple(ApiToken(**row) for row in connection.execute(query).mappings())


def revoke_token(database: Database, token_id: str, *, at: datetime | None = None) -> bool:
    """End a token. Raises: StoreUnavailable. Returns: whether there was a living one with that id."""
    here = (api_tokens.c.id == token_id) & api_tokens.c.revoked_at.is_(None)
    with database.begin(exclusive=True) as connection:
        ended = update(api_tokens).where(here).values(revoked_at=at or datetime.now(UTC))
        return connection.execute(ended).rowcount > 0


def hash_of(token: str) -> str:
    """A token's SHA-256; it is random, so that it needs no salt."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
