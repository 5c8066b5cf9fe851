"""Products, their prices and stock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cache import TTLCache
from db.database import Database
from metrics import Instruments
from settings import Settings
from web.request import HTTPError, Request, Response

COLUMNS = "id, name, category, price_cents, popularity"
MAX_IDS_PER_QUERY = 200


class Catalog:
    def __init__(self, shop: Database, settings: Settings, instruments: Instruments) -> None:
        self._shop = shop
        self._products: TTLCache[dict[str, Any] | None] = TTLCache(
            settings.get("cache.products_seconds"), settings.get("cache.max_entries"), instruments
        )

    def handle_list(self, request: Request) -> Response:
        category = request.query.get("category", "")
        limit = request.number("limit", 20, 1, 100)
        return Response({"products": self.popular(category, limit)})

    def handle_one(self, request: Request) -> Response:
        product = self.product(request.params["id"])
        return Response({**product, "available": self.available(product["id"])})

    def product(self, product_id: str | int) -> dict[str, Any]:
        if not str(product_id).isdigit():
            raise HTTPError(400, "a product's id is a number")
        key = int(product_id)
        found = self._products.get_or_load(
            key,
            lambda: self._shop.one(
                f"SELECT {COLUMNS} FROM products WHERE id = ?", (key,), table="products"
            ),
        )
        if found is None:
            raise HTTPError(404, f"no product {key}")
        return found

    def many(self, ids: Sequence[int]) -> list[dict[str, Any]]:
        """These products in this order, read in few queries however many there are."""
        found: dict[int, dict[str, Any]] = {}
        for first in range(0, len(ids), MAX_IDS_PER_QUERY):
            part = ids[first : first + MAX_IDS_PER_QUERY]
            marks = ",".join("?" * len(part))
            sql = f"SELECT {COLUMNS} FROM products WHERE id IN ({marks})"
            found.update((row["id"], row) for row in self._shop.rows(sql, part, table="products"))
        return [found[id_] for id_ in ids if id_ in found]

    def popular(self, category: str, limit: int) -> list[dict[str, Any]]:
        where, params = ("WHERE category = ?", [category]) if category else ("", [])
        sql = f"SELECT {COLUMNS} FROM products {where} ORDER BY popularity DESC, id LIMIT ?"
        return self._shop.rows(sql, [*params, limit], table="products")

    def available(self, product_id: int) -> int:
        """Pieces in stock now; never cached, as it decides whether a product can be sold."""
        row = self._shop.one(
            "SELECT available FROM stock WHERE product_id = ?", (product_id,), table="stock"
        )
        return int(row["available"]) if row else 0
