"""GET /api/recommendations: products for one customer.

Customers see what the recommender said last, at once; it is asked again in the background when that is
older than ``recommender.keep_seconds``. A customer it has not been asked about sees best sellers.
"""

from __future__ import annotations

import contextvars
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
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
        self._asking: set[int] = set()
        self._lock = threading.Lock()
        self._background = ThreadPoolExecutor(max_workers=4, thread_name_prefix="recommend")

    def handle(self, request: Request) -> Response:
        user_id = request.number("user", 0, 1, 10**9)
        products, source = self.products(user_id)
        return Response({"products": products, "source": source})

    def products(self, user_id: int) -> tuple[list[dict[str, Any]], str]:
        """Products to show, and whether they are ``personal`` or ``popular``."""
        kept = self._kept.get(user_id)
        if kept is None or self._clock() - kept[0] > self._keep_seconds:
            self.ask_later(user_id)
        if kept is None or not kept[1]:
            return self._catalog.popular("", SHOWN), "popular"
        return self._catalog.many(kept[1][:SHOWN]), "personal"

    def ask_later(self, user_id: int) -> None:
        with self._lock:
            if user_id in self._asking:
                return
            self._asking.add(user_id)
        run = contextvars.copy_context().run  # keeps the endpoint's label
        self._background.submit(run, self.ask, user_id)

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
        finally:
            with self._lock:
                self._asking.discard(user_id)

    def close(self) -> None:
        self._background.shutdown(cancel_futures=True)
