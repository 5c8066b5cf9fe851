"""The one client to language models: a call of the Messages API, streamed, within its deadline. A failure is a status.

Nothing else imports ``anthropic``. Its own retries are off: they know no deadline of ours.
"""

from __future__ import annotations

import logging
import math
import random
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any

import anthropic
import httpx2

from workers.contracts import ModelCall, Role
from workers.errors import ModelFailed
from workers.reasoning.model.circuit_breaker import CircuitBreaker
from workers.reasoning.model.model_call import CACHED, MOST_CHARS, Ask, Attempt, Failure, Reply, outcome_of, usage_of
from workers.settings.schema import Endpoint, Models, Price, RoleEntry

logger = logging.getLogger(__name__)
LOOK_S, CONNECT_S, BACKOFF_S = 0.2, 5.0, 0.5
ATTEMPTS, WORTH_S = 3, 1.0
"""Calls of one question at most, and the time that must be left for another one to be worth it."""
BUSY = frozenset({"rate_limit_error", "overloaded_error"})
LASTING = frozenset(
    {
        "authentication_error",
        "billing_error",
        "invalid_request_error",
        "not_found_error",
        "permission_error",
        "request_too_large",
    }
)
FOREIGN = (
    anthropic.AnthropicError,
    httpx2.HTTPError,
    httpx2.StreamError,
    httpx2.InvalidURL,
    OSError,
    ValueError,
    RuntimeError,
    TypeError,
    LookupError,
    AttributeError,
    AssertionError,
    Warning,
)
"""All that the SDK lets through: its own errors, the transport's, and what its parser raises on nonsense; a warning is
raised where warnings are errors."""


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
        self.clients: dict[Endpoint, anthropic.Anthropic] = {}
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
        """
        entry = self.models.roles[role]
        endpoint = self.models.endpoint_of(entry)
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

        def read() -> None:
            try:
                result.set_result(receive(self.client(endpoint), self.request(entry, ask, seconds), state))
            except FOREIGN as error:
                result.set_result(judge(error))

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

    def request(self, entry: RoleEntry, ask: Ask, seconds: float) -> dict[str, Any]:
        """The arguments of `messages.stream`, without secrets."""
        system: list[dict[str, Any]] = [{"type": "text", "text": text} for text in ask.system]
        if system:
            system[-1]["cache_control"] = CACHED
        request: dict[str, Any] = {
            "model": entry.model,
            "max_tokens": entry.max_tokens,
            "system": self.clean(system),
            "messages": self.clean(list(ask.messages)),
            "timeout": httpx2.Timeout(max(seconds, 0.1), connect=min(CONNECT_S, max(seconds, 0.1))),
        }
        output: dict[str, Any] = {"effort": entry.effort} if entry.effort else {}
        if ask.schema is not None:
            schema = anthropic.transform_schema(dict(ask.schema))
            output["format"] = {"type": "json_schema", "schema": schema}
        if output:
            request["output_config"] = output
        if entry.thinking_tokens:
            request["thinking"] = {"type": "enabled", "budget_tokens": min(entry.thinking_tokens, entry.max_tokens - 1)}
        if ask.tools:
            request["tools"] = [
                {"name": t.name, "description": t.description, "input_schema": dict(t.parameters)} for t in ask.tools
            ]
        return request

    def client(self, endpoint: Endpoint) -> anthropic.Anthropic:
        """The connections to an endpoint, made on first use: those made before a fork would be shared by children."""
        with self.lock:
            if endpoint not in self.clients:
                self.clients[endpoint] = anthropic.Anthropic(
                    base_url=endpoint.base_url or "https://api.anthropic.com",
                    api_key=endpoint.api_key or None,
                    auth_token=endpoint.auth_token or (None if endpoint.api_key else "none"),
                    max_retries=0,
                )
            return self.clients[endpoint]

    def close(self) -> None:
        """Close all connections."""
        with self.lock:
            for client in self.clients.values():
                client.close()
            self.clients.clear()

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
        """One line on a role's model, by counting the tokens of a word.

        Raises:
            ModelFailed: it cannot be used; the sentence says why.
        """
        entry = self.models.roles[role]
        endpoint = self.models.endpoint_of(entry)
        try:
            self.client(endpoint).messages.count_tokens(
                model=entry.model, messages=[{"role": "user", "content": "ping"}], timeout=CONNECT_S
            )
        except FOREIGN as error:
            raise ModelFailed(judge(error).reason) from error
        return f"{entry.model} at {endpoint.base_url or 'api.anthropic.com'}"


def receive(client: anthropic.Anthropic, request: Mapping[str, Any], state: Attempt) -> Reply | Failure:
    """Read a stream to its end; one that nobody waits for any more is left."""
    with client.messages.stream(**request) as stream:
        for event in stream:
            state.message = stream.current_message_snapshot
            if state.left.is_set():
                return Failure("timeout", "nobody waits for it any more")
            if event.type == "content_block_delta":
                state.written += sum(
                    len(getattr(event.delta, name, "")) for name in ("text", "partial_json", "thinking")
                )
            if state.written > MOST_CHARS:
                return Failure("error", "it does not stop writing", lasting=True)
    return outcome_of(state.message)


def judge(error: Exception) -> Failure:
    """What an error of the SDK, or of what lies below it, means."""
    if isinstance(error, anthropic.APIStatusError):
        return judge_status(error)
    if isinstance(error, anthropic.APITimeoutError | httpx2.TimeoutException | TimeoutError):
        return Failure("timeout", "it did not answer in time")
    if isinstance(error, anthropic.APIConnectionError | httpx2.TransportError | OSError):
        return Failure("error", "it cannot be reached")
    logger.info("a language model's answer could not be read: %s: %.300s", type(error).__name__, error)
    return Failure("error", "it answered something that is not the Messages API")


def judge_status(error: anthropic.APIStatusError) -> Failure:
    """An answer of the server that is an error, at once or in the middle of a stream."""
    code, kind = error.status_code, error.type or ""
    if code in {429, 529, 503} or kind in BUSY:
        reason = "overloaded" if code in {529, 503} or kind == "overloaded_error" else "too many requests"
        return Failure("busy", reason, retry_after_s=retry_after(error.response))
    if code in {408, 504} or kind == "timeout_error":
        return Failure("timeout", "it did not answer in time")
    lasting = kind in LASTING or 400 <= code < 500
    known = {401: "its key was refused", 403: "its key may not use the model", 404: "it has no such model"}
    said = f"it failed with {code}" if code >= 400 else "it failed in the middle of its answer"
    return Failure("error", known.get(code, said), lasting=lasting, blames=code not in {400, 413, 422})


def retry_after(response: httpx2.Response) -> float | None:
    """Seconds that the server asks to wait."""
    for name, scale in (("retry-after-ms", 1_000.0), ("retry-after", 1.0)):
        try:
            asked = float(response.headers[name]) / scale
        except (KeyError, ValueError):
            continue
        if math.isfinite(asked):
            return max(asked, 0.0)
    return None
