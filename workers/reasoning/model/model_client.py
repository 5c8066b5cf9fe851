"""The one client to language models: asks by role, in time, again when that may help. A failure is a status.

How a provider is spoken to is a door's business.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from workers.contracts import ModelCall, Role
from workers.errors import ModelFailed
from workers.reasoning.model.circuit_breaker import CircuitBreaker
from workers.reasoning.model.door import Door, open_door
from workers.reasoning.model.model_call import CACHED, Ask, Attempt, Failure, Reply, usage_of
from workers.settings.schema import ANTHROPIC, Endpoint, Models, Price, RoleEntry

LOOK_S, BACKOFF_S = 0.2, 0.5
ATTEMPTS, WORTH_S = 3, 1.0
"""Calls of one question at most, and the time that must be left for another one to be worth it."""


def unheard(call: ModelCall) -> None:
    """Nobody keeps account."""
    del call


class ModelClient:
    """Calls models by role. One a process: it keeps connections, and remembers which endpoints fail.

    Args:
        models: roles, endpoints and prices.
        clean: takes secrets out of whatever leaves.
        monotonic: seconds that only ever go forward.
        sleep: waits so many seconds.
    """

    def __init__(
        self,
        models: Models,
        clean: Callable[[Any], Any],
        *,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.models, self.clean, self.monotonic, self.sleep = models, clean, monotonic, sleep
        self.doors: dict[bool, Door] = {}
        self.rests = CircuitBreaker(monotonic)
        self.lock = threading.Lock()

    def ask(
        self,
        role: Role,
        ask: Ask,
        seconds: float,
        check: Callable[[], None],
        prompt: str = "",
        note: Callable[[ModelCall], None] = unheard,
    ) -> tuple[tuple[ModelCall, ...], Reply | None]:
        """Ask until there is a reply, it is no use, or the time is up.

        Args:
            role: whose model and limits.
            ask: what.
            seconds: for all attempts together; the role's deadline when that is less.
            check: called several times a second; what it raises ends the call.
            prompt: name and version of the prompt, for the record.
            note: told of each attempt as it ends, of one that ``check`` ended too.

        Returns: one record an attempt, and the reply, if there is one.

        Raises:
            ModelFailed: there is no door to the provider.
        """
        entry = self.models.roles[role]
        endpoint = self.models.endpoint_of(entry)
        self.door(endpoint)
        end = self.monotonic() + min(seconds, entry.deadline_s)
        calls: list[ModelCall] = []
        while True:
            began, state = self.monotonic(), Attempt()
            reply: Reply | None = None
            failure: Failure | None = Failure("error", "it was stopped")
            try:
                reply, failure = self.attempt(entry, endpoint, ask, end - began, check, state)
            finally:
                call = ModelCall(
                    role=role,
                    model=entry.model,
                    status=failure.status if failure else "ok",
                    ms=round((self.monotonic() - began) * 1000, 1),
                    usage=usage_of(state, self.price(entry)),
                    prompt=prompt,
                    reason=failure.reason if failure else "",
                )
                note(call)
            calls.append(call)
            if failure is None or failure.status in {"refused", "invalid"}:
                self.rests.forgive(endpoint)
                return tuple(calls), reply
            wait_s = self.pause(failure, len(calls))
            if failure.lasting or len(calls) == ATTEMPTS or self.monotonic() + wait_s + WORTH_S > end:
                self.rests.note(endpoint, failure)
                return tuple(calls), None
            self.wait(wait_s, check)

    def attempt(
        self,
        entry: RoleEntry,
        endpoint: Endpoint,
        ask: Ask,
        seconds: float,
        check: Callable[[], None],
        state: Attempt,
    ) -> tuple[Reply | None, Failure | None]:
        """One request, read in a thread of its own: a server that says nothing for long cannot hold the caller."""
        if resting := self.rests.failure(endpoint):
            return None, resting
        result = Future[Reply | Failure]()
        door, request = self.door(endpoint), self.request(entry, ask)

        def read() -> None:
            result.set_result(door.send(endpoint, request, seconds, state))

        threading.Thread(target=read, name=f"model-{entry.model}", daemon=True).start()
        came = self.wait_for(result, state, seconds, check)
        return (None, came) if isinstance(came, Failure) else (came, None)

    def wait_for(
        self, result: Future[Reply | Failure], state: Attempt, seconds: float, check: Callable[[], None]
    ) -> Reply | Failure:
        """Wait for a reply; whoever waits looks up from time to time."""
        end = self.monotonic() + seconds
        try:
            while True:
                try:
                    return result.result(timeout=max(min(LOOK_S, end - self.monotonic()), 0.001))
                except TimeoutError:
                    check()
                    if self.monotonic() >= end:
                        return Failure("timeout", f"no answer within {seconds:.1f} s")
        finally:
            state.left.set()

    def request(self, entry: RoleEntry, ask: Ask) -> dict[str, Any]:
        """What is asked in the shape of the Messages API, without secrets."""
        system: list[dict[str, Any]] = [{"type": "text", "text": text} for text in ask.system]
        if system:
            system[-1]["cache_control"] = CACHED
        request: dict[str, Any] = {
            "model": entry.model,
            "max_tokens": entry.max_tokens,
            "system": self.clean(system),
            "messages": self.clean(list(ask.messages)),
        }
        output: dict[str, Any] = {"effort": entry.effort} if entry.effort else {}
        if ask.schema is not None:
            output["format"] = {"type": "json_schema", "schema": dict(ask.schema)}
        if output:
            request["output_config"] = output
        if entry.thinking_tokens and not ask.forced:  # the Messages API takes no forced tool beside thinking
            request["thinking"] = {"type": "enabled", "budget_tokens": min(entry.thinking_tokens, entry.max_tokens - 1)}
        if ask.tools:
            request["tools"] = [
                {"name": t.name, "description": t.description, "input_schema": dict(t.parameters)} for t in ask.tools
            ]
        if ask.forced:
            request["tool_choice"] = {"type": "tool", "name": ask.forced}
        return request

    def door(self, endpoint: Endpoint) -> Door:
        """The door to an endpoint's provider. Raises: ModelFailed: its library cannot be loaded."""
        native = endpoint.provider == ANTHROPIC
        with self.lock:
            if native not in self.doors:
                self.doors[native] = open_door(endpoint.provider)
            return self.doors[native]

    def close(self) -> None:
        """Close all connections."""
        with self.lock:
            for door in self.doors.values():
                door.close()
            self.doors.clear()

    def price(self, entry: RoleEntry) -> Price:
        """What a role's tokens cost; nothing for a model without a price."""
        return entry.price or self.models.prices.get(entry.model, Price())

    def pause(self, failure: Failure, attempts: int) -> float:
        """Before the next attempt: what the server asked for, else a little longer each time."""
        if failure.retry_after_s is not None:
            return failure.retry_after_s
        return BACKOFF_S * 2.0 ** (attempts - 1) * random.uniform(0.75, 1.25)  # noqa: S311 - no secret

    def wait(self, seconds: float, check: Callable[[], None]) -> None:
        """Sleep, looking up from time to time."""
        end = self.monotonic() + seconds
        while (left := end - self.monotonic()) > 0:
            self.sleep(min(LOOK_S, left))
            check()

    def ping(self, role: Role) -> str:
        """One line on a role's model.

        Raises:
            ModelFailed: it cannot be used; the sentence says why.
        """
        entry = self.models.roles[role]
        endpoint = self.models.endpoint_of(entry)
        if failure := self.door(endpoint).ping(endpoint, entry.model):
            raise ModelFailed(failure.reason)
        where = "api.anthropic.com" if endpoint.provider == ANTHROPIC else endpoint.provider
        return f"{entry.model} at {endpoint.base_url or where}"
