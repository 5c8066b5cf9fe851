"""Client of the recommender, which another team runs."""

from __future__ import annotations

from metrics import Instruments
from resilience.circuit_breaker import CircuitBreaker, CircuitOpen
from resilience.outbound import Target, TargetUnavailable
from settings import Settings


class RecommenderUnavailable(Exception):
    """No recommendations to be had now."""


class RecommenderClient:
    """A product list without its recommendations is still a product list: one try, a short time limit."""

    def __init__(self, target: Target, breaker: CircuitBreaker) -> None:
        self._target, self._breaker = target, breaker

    def product_ids(self, user_id: int) -> list[int]:
        """Products for a customer, best first.

        Raises:
            RecommenderUnavailable: slow, down, or its breaker is open.
        """
        try:
            with self._breaker.guard(TargetUnavailable):
                reply = self._target.call("GET", f"/v2/users/{user_id}/products")
        except (CircuitOpen, TargetUnavailable) as error:
            raise RecommenderUnavailable(str(error)) from error
        if reply.status != 200:
            raise RecommenderUnavailable(f"the recommender answered {reply.status}")
        return [int(product_id) for product_id in reply.payload.get("products", [])]


def open_recommender(settings: Settings, instruments: Instruments) -> RecommenderClient:
    """The client that the configuration describes."""
    target = Target(
        "recommender",
        settings.get("recommender.base_url"),
        settings.get("recommender.timeout_seconds"),
        instruments,
    )
    breaker = CircuitBreaker(
        "recommender",
        instruments,
        failures=settings.get("breaker.failures"),
        window_seconds=settings.get("breaker.window_seconds"),
        open_seconds=settings.get("breaker.open_seconds"),
    )
    return RecommenderClient(target, breaker)
