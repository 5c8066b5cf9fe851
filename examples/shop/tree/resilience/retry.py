"""When to try again, and how long to wait first."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class RetryPolicy:
    """Waits grow from ``backoff_seconds`` by doubling, up to ``max_backoff_seconds``."""

    max_attempts: int
    backoff_seconds: float
    max_backoff_seconds: float
    statuses: frozenset[int]
    on_timeout: bool = False

    def overridden(self, values: dict[str, Any]) -> RetryPolicy:
        """This policy with what the configuration says instead."""
        changed = dict(values)
        if "statuses" in changed:
            changed["statuses"] = frozenset(changed["statuses"])
        return replace(self, **changed)

    def again(self, attempt: int, status: int) -> bool:
        return attempt < self.max_attempts and status in self.statuses

    def again_after_timeout(self, attempt: int) -> bool:
        return attempt < self.max_attempts and self.on_timeout

    def delay_seconds(
        self, attempt: int, retry_after: str | None = None, rng: random.Random | None = None
    ) -> float:
        """Full jitter, so that callers that failed together do not come back together.

        A ``Retry-After`` in seconds is obeyed, up to ``max_backoff_seconds``.
        """
        if retry_after and retry_after.isdigit():
            return min(float(retry_after), self.max_backoff_seconds)
        ceiling = min(self.backoff_seconds * 2 ** (attempt - 1), self.max_backoff_seconds)
        return (rng or random).uniform(ceiling / 2, ceiling)
