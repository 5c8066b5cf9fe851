"""GET /api/users/<id>: a customer's profile and addresses.

Accounts are in a database of their own with a pool of their own, so that nothing the shop does can keep
customers from signing in (ADR 0005).
"""

from __future__ import annotations

from typing import Any

from db.database import Database
from web.request import HTTPError, Request, Response

USER_SQL = "SELECT id, email, name, version FROM users WHERE id = ?"
ADDRESSES_SQL = "SELECT line, city, country FROM addresses WHERE user_id = ? ORDER BY id"
RENAME_SQL = "UPDATE users SET name = ?, version = version + 1 WHERE id = ?"


class Accounts:
    def __init__(self, accounts: Database) -> None:
        self._accounts = accounts

    def handle_get(self, request: Request) -> Response:
        return Response(self.profile(user_id_of(request)))

    def handle_put(self, request: Request) -> Response:
        user_id, name = user_id_of(request), str(request.json().get("name", "")).strip()
        if not 1 <= len(name) <= 100:
            raise HTTPError(400, "name must have 1 to 100 characters")
        self.profile(user_id)
        self._accounts.rows(RENAME_SQL, (name, user_id), table="users")
        return Response(self.profile(user_id))

    def profile(self, user_id: int) -> dict[str, Any]:
        """Profile and addresses, read on one connection."""
        with self._accounts.pool.connection() as connection:
            found = self._accounts.run(connection, USER_SQL, (user_id,), table="users")
            if not found:
                raise HTTPError(404, f"no user {user_id}")
            addresses = self._accounts.run(connection, ADDRESSES_SQL, (user_id,), table="addresses")
        return {**found[0], "addresses": addresses}


def user_id_of(request: Request) -> int:
    raw = request.params["id"]
    if not raw.isdigit():
        raise HTTPError(400, "a user's id is a number")
    return int(raw)
