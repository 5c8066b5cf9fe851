"""Leaves an endpoint alone that fails question after question, so that an outage does not make every answer slow."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from workers.reasoning.model.model_call import Failure
from workers.settings.schema import Endpoint

logger = logging.getLogger(__name__)
PATIENCE, REST_S, LONGEST_REST_S = 3, 30.0, 120.0
"""An endpoint that failed so many questions in a row is left alone for a while."""


@dataclass(frozen=True)
class OpenCircuit:
    """Until when an endpoint is left alone, and what it failed with."""

    until: float
    reason: str


class CircuitBreaker:
    """Which endpoints fail. One a process.

    Args:
        monotonic: seconds that only ever go forward.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self.monotonic = monotonic
        self.failures: dict[Endpoint, int] = {}
        self.resting: dict[Endpoint, OpenCircuit] = {}

    def failure(self, endpoint: Endpoint) -> Failure | None:
        """Why an endpoint is not asked now, or None."""
        rest = self.resting.get(endpoint)
        if rest is None or rest.until <= self.monotonic():
            return None
        return Failure("resting", f"it failed a moment ago: {rest.reason}", lasting=True)

    def forgive(self, endpoint: Endpoint) -> None:
        """It answered."""
        self.failures.pop(endpoint, None)

    def note(self, endpoint: Endpoint, failure: Failure) -> None:
        """A question failed for good; one that fails again and again rests, and one that asked for a pause."""
        if failure.status == "resting" or not failure.blames:
            return
        count = self.failures[endpoint] = self.failures.get(endpoint, 0) + 1
        rest_s = min(failure.retry_after_s or 0.0, LONGEST_REST_S)
        if count >= PATIENCE:
            rest_s = max(rest_s, REST_S)
            self.failures.pop(endpoint, None)
        if rest_s:
            logger.warning("the language model rests for %.0f s: %s", rest_s, failure.reason)
            self.resting[endpoint] = OpenCircuit(self.monotonic() + rest_s, failure.reason)
