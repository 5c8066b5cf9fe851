"""Product search: words of the query are looked up one by one and their products are joined.

Finished pages are kept for a moment, so that paging back and forth costs nothing.

The design and what we tried before is in docs/design/search.md.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cache import TTL_SECONDS, TTLCache
from catalog.products import Catalog
from db.database import Database
from metrics import Instruments
from settings import Settings
from web.request import HTTPError, Request, Response

SEARCH_SQL = (Path(__file__).parent / "db" / "search.sql").read_text(encoding="utf-8")
MAX_PRODUCTS_PER_TERM = 500
MAX_TERMS = 6
SLOW_SECONDS = 0.5

log = logging.getLogger("shop.search")


@dataclass(frozen=True)
class SearchRequest:
    """One search. ``received_at`` is for the slow-search log."""

    text: str
    category: str
    page: int
    page_size: int
    received_at: float


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def cache_key(request: SearchRequest) -> str:
    """The key of a request's page. Built from every field, so that a new one cannot be forgotten."""
    fields = json.dumps(asdict(request), sort_keys=True)
    return hashlib.sha256(fields.encode()).hexdigest()


class SearchService:
    def __init__(
        self, shop: Database, catalog: Catalog, settings: Settings, instruments: Instruments
    ) -> None:
        self._shop, self._catalog = shop, catalog
        self._results: TTLCache[dict[str, Any]] = TTLCache(
            TTL_SECONDS, settings.get("cache.max_entries"), instruments
        )

    def handle(self, request: Request) -> Response:
        text = request.query.get("q", "").strip()
        if not text:
            raise HTTPError(400, "q is required")
        search = SearchRequest(
            text=text,
            category=request.query.get("category", ""),
            page=request.number("page", 1, 1, 100),
            page_size=request.number("page_size", 20, 1, 100),
            received_at=time.time(),
        )
        return Response(self.search(search))

    def search(self, request: SearchRequest) -> dict[str, Any]:
        """One page of products that hold every word, best first."""
        return self._results.get_or_load(cache_key(request), lambda: self.find(request))

    def find(self, request: SearchRequest) -> dict[str, Any]:
        scores = self.scores(words(request.text)[:MAX_TERMS], request.category)
        best = sorted(scores, key=lambda product_id: (-scores[product_id], product_id))
        first = (request.page - 1) * request.page_size
        products = self._catalog.many(best[first : first + request.page_size])
        seconds = time.time() - request.received_at
        if seconds > SLOW_SECONDS:
            log.warning("slow search: %.3f s, %d words", seconds, len(words(request.text)))
        return {"total": len(best), "products": products}

    def scores(self, terms: Iterable[str], category: str) -> dict[int, float]:
        """Products that hold all terms, with their summed weights."""
        found: dict[int, float] | None = None
        for term in dict.fromkeys(terms):
            weights = self.look_up(term, category)
            if found is None:
                found = dict(weights)
            else:
                found = {id_: w + weights[id_] for id_, w in found.items() if id_ in weights}
        return found or {}

    def look_up(self, term: str, category: str) -> dict[int, float]:
        """Products that hold one term."""
        params = (term, category, category, MAX_PRODUCTS_PER_TERM)
        rows = self._shop.rows(SEARCH_SQL, params, table="product_terms")
        return {row["product_id"]: row["weight"] for row in rows}
