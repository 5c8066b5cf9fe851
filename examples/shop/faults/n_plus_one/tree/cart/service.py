"""A customer's cart."""

from __future__ import annotations

from typing import Any

from catalog.products import Catalog
from db.database import Database
from web.request import HTTPError, Request, Response

MAX_QUANTITY = 99

LINES_SQL = "SELECT product_id, quantity FROM cart_lines WHERE user_id = ? ORDER BY product_id"
PRODUCT_SQL = "SELECT name, price_cents FROM products WHERE id = ?"
LOW_STOCK = 5


class CartService:
    def __init__(self, shop: Database, catalog: Catalog) -> None:
        self._shop, self._catalog = shop, catalog

    def handle_get(self, request: Request) -> Response:
        return Response(self.cart(request.number("user", 0, 1, 10**9)))

    def handle_put(self, request: Request) -> Response:
        body = request.json()
        try:
            user, product, quantity = (int(body[k]) for k in ("user", "product", "quantity"))
        except (KeyError, TypeError, ValueError) as error:
            raise HTTPError(400, "user, product and quantity must be numbers") from error
        self.put(user, product, quantity)
        return Response(self.cart(user))

    def cart(self, user_id: int) -> dict[str, Any]:
        """The lines of a cart with current prices and stock, and the total."""
        lines = self.lines(user_id)
        total = sum(line["quantity"] * line["price_cents"] for line in lines)
        return {"lines": lines, "total_cents": total}

    def lines(self, user_id: int) -> list[dict[str, Any]]:
        rows = self._shop.rows(LINES_SQL, (user_id,), table="cart_lines")
        return [self.line(**row) for row in rows]

    def line(self, product_id: int, quantity: int) -> dict[str, Any]:
        """One line as the page shows it, with the price and stock of this moment."""
        product = self._shop.one(PRODUCT_SQL, (product_id,), table="products") or {}
        available = self._catalog.available(product_id)
        return {
            "product_id": product_id,
            "quantity": quantity,
            **product,
            "in_stock": available >= quantity,
            "few_left": available if available <= LOW_STOCK else None,
        }

    def put(self, user_id: int, product_id: int, quantity: int) -> None:
        """Set a line's quantity; 0 removes it."""
        if not 0 <= quantity <= MAX_QUANTITY:
            raise HTTPError(400, f"quantity must be from 0 to {MAX_QUANTITY}")
        self._catalog.product(product_id)
        if quantity == 0:
            sql = "DELETE FROM cart_lines WHERE user_id = ? AND product_id = ?"
            self._shop.rows(sql, (user_id, product_id), table="cart_lines")
            return
        self._shop.rows(
            "INSERT INTO cart_lines VALUES (?, ?, ?)"
            " ON CONFLICT (user_id, product_id) DO UPDATE SET quantity = excluded.quantity",
            (user_id, product_id, quantity),
            table="cart_lines",
        )

    def empty(self, user_id: int) -> None:
        sql = "DELETE FROM cart_lines WHERE user_id = ?"
        self._shop.rows(sql, (user_id,), table="cart_lines")
