"""The machine's clock, or one that stands at a given moment."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True)
class SystemClock:
    """Implements `ports.Clock`. With ``as_of`` questions are answered as of that moment; durations are always real."""

    as_of: datetime | None = None

    def now(self) -> datetime:
        """Aware, UTC."""
        return (self.as_of or datetime.now(UTC)).astimezone(UTC)

    @staticmethod
    def monotonic_ms() -> float:
        """Milliseconds that only go forward."""
        return time.monotonic() * 1000
