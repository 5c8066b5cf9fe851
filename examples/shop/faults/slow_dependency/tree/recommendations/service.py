"""GET /api/recommendations: products for one customer.

Customers see what the recommender says about them, from the first visit on. Its answer is kept for
``recommender.keep_seconds``. When it does not answer they see best sellers.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from catalog.products import Catalog
from recommendations.client import RecommenderClient, RecommenderUnavailable
from settings import Settings
from web.request import Request, Response

log = logging.getLogger("shop.recommendations")
SHOWN = 12
MAX_KEPT = 50_000


class Recommendations:
    def __init__(
        self,
        catalog: Catalog,
        client: RecommenderClient,
        settings: Settings,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._catalog, self._client, self._clock = catalog, client, clock
        self._keep_seconds = settings.get("recommender.keep_seconds")
        self._kept: dict[int, tuple[float, list[int]]] = {}
        self._lock = threading.Lock()

    def handle(self, request: Request) -> Response:
        user_id = request.number("user", 0, 1, 10**9)
        products, source = self.products(user_id)
        return Response({"products": products, "source": source})

    def products(self, user_id: int) -> tuple[list[dict[str, Any]], str]:
        """Products to show, and whether they are ``personal`` or ``popular``."""
        kept = self._kept.get(user_id)
        if kept is None or self._clock() - kept[0] > self._keep_seconds:
            self.ask(user_id)
            kept = self._kept.get(user_id)
        if kept is None or not kept[1]:
            return self._catalog.popular("", SHOWN), "popular"
        return self._catalog.many(kept[1][:SHOWN]), "personal"

    def ask(self, user_id: int) -> None:
        try:
            product_ids = self._client.product_ids(user_id)
        except RecommenderUnavailable as error:
            log.info("recommender: %s", error)
        else:
            with self._lock:
                if len(self._kept) >= MAX_KEPT:
                    self._kept.pop(next(iter(self._kept)))
                self._kept[user_id] = (self._clock(), product_ids)
