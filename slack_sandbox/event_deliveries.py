"""Events on their way to the app: their envelope, attempts, acknowledgements and retries.

Source: docs.slack.dev/apis/events-api (three retries: nearly at once, after 1 minute, after 5 minutes).
"""

import asyncio
import time
from collections import deque
from dataclasses import asdict, dataclass, field
from typing import Protocol

from slack_sandbox.state import Json, State, new_id

_KEPT = 50_000
_LAST_WORDS = {"app_uninstalled", "tokens_revoked"}


@dataclass(frozen=True)
class Reply:
    """What came back for one attempt; `result` is `acknowledged` or what went wrong, `body` the app's answer."""

    result: str
    body: Json | str | None = None

    @property
    def ok(self) -> bool:
        """Whether the app acknowledged."""
        return self.result == "acknowledged"


class Door(Protocol):
    """A way to the app: Socket Mode or HTTP."""

    async def deliver(self, kind: str, payload: Json, *, attempt: int = 0, reason: str = "") -> Reply:
        """Sends one payload (`events_api`, `slash_commands` or `interactive`) and waits for the acknowledgement."""
        ...


@dataclass
class Attempt:
    """One sending of an event; `ack_ms` from sending to acknowledgement, None without one."""

    number: int
    reason: str
    sent_at: float
    result: str = "under way"
    ack_ms: float | None = None


@dataclass
class Delivery:
    """One event and every attempt to deliver it."""

    event_id: str
    type: str
    payload: Json
    attempts: list[Attempt] = field(default_factory=list)

    def shape(self, *, with_payload: bool) -> Json:
        """Returns: the record as the control API gives it."""
        shape: Json = {
            "event_id": self.event_id,
            "type": self.type,
            "attempts": [asdict(attempt) for attempt in self.attempts],
            "acknowledged": any(attempt.ack_ms is not None for attempt in self.attempts),
        }
        return shape | {"payload": self.payload} if with_payload else shape


@dataclass
class Deliveries:
    """Sends events through a door and remembers what became of them, the newest 50,000.

    Workspaces in `silent` have no app any more.
    """

    state: State
    door: Door
    token: str
    retry_delays_s: tuple[float, ...]
    silent: set[str] = field(default_factory=set)
    records: dict[str, Delivery] = field(default_factory=dict)
    _order: "deque[str]" = field(default_factory=deque)
    _tasks: "set[asyncio.Task[None]]" = field(default_factory=set)

    def emit(self, event: Json, *, deliveries: int = 1, team_id: str = "") -> str:
        """Sends an inner event of a workspace (the sandbox's own when none is named), `deliveries` times in any case.

        Returns: its event id; "" when the app is not in the workspace any more.
        """
        kind, team_id = str(event.get("type", "")), team_id or self.state.team_id
        if team_id in self.silent and kind not in _LAST_WORDS:
            return ""
        record = Delivery(new_id("Ev"), kind, self._envelope(event, team_id))
        record.payload["event_id"] = record.event_id
        self.records[record.event_id] = record
        self._order.append(record.event_id)
        if len(self._order) > _KEPT:
            self.records.pop(self._order.popleft(), None)
        self._start(record, 0, deliveries)
        return record.event_id

    def repeat(self, event_id: str) -> bool:
        """Delivers an event once more, as a retry; False when there is none with this id."""
        record = self.records.get(event_id)
        if record:
            self._start(record, len(record.attempts), 1)
        return record is not None

    async def stop(self) -> None:
        """Ends what is still under way."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _envelope(self, event: Json, team_id: str) -> Json:
        state = self.state
        context = {"team_id": team_id, "enterprise_id": None}
        return {
            "token": self.token,
            **context,
            "context_team_id": team_id,
            "context_enterprise_id": None,
            "api_app_id": state.app_id,
            "event": event,
            "type": "event_callback",
            "event_id": "",
            "event_time": int(time.time()),
            "authorizations": [
                context | {"user_id": state.bot_user, "is_bot": True, "is_enterprise_install": False},
            ],
            "is_ext_shared_channel": False,
            "event_context": new_id("4-", 24),
        }

    def _start(self, record: Delivery, first: int, deliveries: int) -> None:
        task = asyncio.get_running_loop().create_task(self._deliver(record, first, deliveries))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _deliver(self, record: Delivery, first: int, deliveries: int) -> None:
        numbers = range(first, first + deliveries)
        done = await asyncio.gather(*(self._attempt(record, number) for number in numbers))
        for number, delay in enumerate(self.retry_delays_s, start=1):
            if any(done):
                return
            if number >= first + deliveries:
                await asyncio.sleep(delay)
                done = [await self._attempt(record, number)]

    async def _attempt(self, record: Delivery, number: int) -> bool:
        reason = "" if number == 0 else _retry_reason(record)
        attempt = Attempt(number, reason, time.time())
        record.attempts.append(attempt)
        start = time.perf_counter()
        reply = await self.door.deliver("events_api", record.payload, attempt=number, reason=reason)
        attempt.result = reply.result
        if reply.ok:
            attempt.ack_ms = round((time.perf_counter() - start) * 1000, 3)
        return reply.ok


def _retry_reason(record: Delivery) -> str:
    finished = [attempt.result for attempt in record.attempts if attempt.result != "under way"]
    return finished[-1] if finished and finished[-1] != "acknowledged" else "timeout"
