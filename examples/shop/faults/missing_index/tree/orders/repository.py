"""Orders in the database."""

from __future__ import annotations

import sqlite3
import time
from typing import Any

from db.database import Database
from payments.client import Charge
from web.request import HTTPError, Request, Response

STATUSES = ("paid", "shipped", "cancelled", "refunded")
COLUMNS = "id, customer_id, status, total_cents, currency, charge_id, placed_at"
CURRENCY = "EUR"


class Orders:
    def __init__(self, shop: Database) -> None:
        self._shop = shop

    def handle_list(self, request: Request) -> Response:
        customer_id = request.number("user", 0, 1, 10**9)
        limit = request.number("limit", 20, 1, 100)
        status = request.query.get("status", "")
        if status and status not in STATUSES:
            raise HTTPError(400, f"status must be one of {', '.join(STATUSES)}")
        return Response({"orders": self.of_customer(customer_id, status, limit)})

    def handle_one(self, request: Request) -> Response:
        if not request.params["id"].isdigit():
            raise HTTPError(400, "an order's id is a number")
        return Response(self.order(int(request.params["id"])))

    def of_customer(self, customer_id: int, status: str, limit: int) -> list[dict[str, Any]]:
        """A customer's orders, newest first."""
        return self._shop.rows(
            f"SELECT {COLUMNS} FROM orders WHERE customer_id = ? AND (? = '' OR status = ?)"
            " ORDER BY placed_at DESC LIMIT ?",
            (customer_id, status, status, limit),
            table="orders",
        )

    def order(self, order_id: int) -> dict[str, Any]:
        sql = f"SELECT {COLUMNS} FROM orders WHERE id = ?"
        found = self._shop.one(sql, (order_id,), table="orders")
        if found is None:
            raise HTTPError(404, f"no order {order_id}")
        lines = self._shop.rows(
            "SELECT product_id, quantity, price_cents FROM order_lines WHERE order_id = ?",
            (order_id,),
            table="order_lines",
        )
        return {**found, "lines": lines}

    def add(
        self,
        connection: sqlite3.Connection,
        customer_id: int,
        lines: list[dict[str, Any]],
        charge: Charge,
    ) -> int:
        """Write a paid order within the caller's transaction and return its id."""
        cursor = connection.execute(
            "INSERT INTO orders (customer_id, status, total_cents, currency, charge_id, placed_at)"
            " VALUES (?, 'paid', ?, ?, ?, ?)",
            (customer_id, charge.amount_cents, CURRENCY, charge.id, time.time()),
        )
        order_id = int(cursor.lastrowid or 0)
        connection.executemany(
            "INSERT INTO order_lines VALUES (?, ?, ?, ?)",
            [(order_id, ln["product_id"], ln["quantity"], ln["price_cents"]) for ln in lines],
        )
        return order_id

    def set_status(self, order_id: int, status: str) -> None:
        sql = "UPDATE orders SET status = ? WHERE id = ?"
        self._shop.rows(sql, (status, order_id), table="orders")
