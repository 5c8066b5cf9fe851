"""The log of Web API calls, for tests and for the curious."""

import time
from collections import deque
from dataclasses import asdict, dataclass, field

from slack_sandbox.state import Json

_KEPT = 20_000


@dataclass(frozen=True)
class Call:
    """One call: `at` epoch seconds, `ms` from its arrival to its end, `error` empty when it was ok."""

    method: str
    arguments: Json
    status: int
    error: str
    fault: str
    at: float
    ms: float


@dataclass
class CallLog:
    """The newest 20,000 calls."""

    calls: "deque[Call]" = field(default_factory=lambda: deque(maxlen=_KEPT))

    def note(
        self, method: str, arguments: Json, *, status: int, error: str, fault: str, at: float, started: float
    ) -> None:
        """Adds a call that has just ended; `started` by `time.perf_counter`."""
        elapsed = round((time.perf_counter() - started) * 1000, 3)
        self.calls.append(Call(method, arguments, status, error, fault, at, elapsed))

    def since(self, method: str = "", at: float = 0.0) -> list[Json]:
        """Returns: calls of a method (any when empty) that arrived after `at`, oldest first."""
        return [asdict(call) for call in self.calls if call.at > at and method in {"", call.method}]
