"""The door to Anthropic, and to any server of its Messages API: a call is streamed. Nothing else imports ``anthropic``.

The SDK's own retries are off: they know no deadline of ours.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from typing import Any

import anthropic
import httpx2

from workers.reasoning.model.door import (
    CONNECT_S,
    ENDLESS,
    LATE,
    LEFT,
    NONSENSE,
    UNREACHABLE,
    judge_code,
    retry_after,
)
from workers.reasoning.model.model_call import MOST_CHARS, Attempt, Failure, Reply, outcome_of
from workers.settings.schema import Endpoint

logger = logging.getLogger(__name__)
CODES: Mapping[str, int] = {
    "authentication_error": 401,
    "billing_error": 402,
    "invalid_request_error": 400,
    "not_found_error": 404,
    "overloaded_error": 529,
    "permission_error": 403,
    "rate_limit_error": 429,
    "request_too_large": 413,
    "timeout_error": 504,
}
"""The status of each kind of error: in the middle of a stream only the kind is told."""
FOREIGN = (
    anthropic.AnthropicError,
    httpx2.HTTPError,
    httpx2.StreamError,
    httpx2.InvalidURL,
    *NONSENSE,
)
"""All that the SDK lets through: its own errors, the transport's, and what its parser raises on nonsense."""


class AnthropicDoor:
    """Keeps connections by endpoint, made on first use: those made before a fork would be shared by children."""

    def __init__(self) -> None:
        self.clients: dict[Endpoint, anthropic.Anthropic] = {}
        self.lock = threading.Lock()

    def send(self, endpoint: Endpoint, request: Mapping[str, Any], seconds: float, state: Attempt) -> Reply | Failure:
        """Stream an answer to its end."""
        timeout = httpx2.Timeout(max(seconds, 0.1), connect=min(CONNECT_S, max(seconds, 0.1)))
        try:
            return receive(self.client(endpoint), {**with_schema(request), "timeout": timeout}, state)
        except FOREIGN as error:
            return judge(error)

    def ping(self, endpoint: Endpoint, model: str) -> Failure | None:
        """Count the tokens of a word."""
        said = {"role": "user", "content": "ping"}
        try:
            self.client(endpoint).messages.count_tokens(model=model, messages=[said], timeout=CONNECT_S)  # type: ignore[list-item]
        except FOREIGN as error:
            return judge(error)
        return None

    def client(self, endpoint: Endpoint) -> anthropic.Anthropic:
        """The connections to an endpoint."""
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


open_door = AnthropicDoor


def with_schema(request: Mapping[str, Any]) -> dict[str, Any]:
    """A request whose schema is of the part of JSON Schema that the API takes."""
    output = dict(request.get("output_config", {}))
    if "format" not in output:
        return dict(request)
    schema = anthropic.transform_schema(output["format"]["schema"])
    return {**request, "output_config": {**output, "format": {**output["format"], "schema": schema}}}


def receive(client: anthropic.Anthropic, request: Mapping[str, Any], state: Attempt) -> Reply | Failure:
    """Read a stream to its end; one that nobody waits for any more is left."""
    with client.messages.stream(**request) as stream:
        for event in stream:
            state.message = stream.current_message_snapshot
            if state.left.is_set():
                return LEFT
            if event.type == "content_block_delta":
                state.written += sum(
                    len(getattr(event.delta, name, "")) for name in ("text", "partial_json", "thinking")
                )
            if state.written > MOST_CHARS:
                return ENDLESS
    return outcome_of(state.message)


def judge(error: Exception) -> Failure:
    """What an error of the SDK, or of what lies below it, means."""
    if isinstance(error, anthropic.APIStatusError):
        code = CODES.get(error.type or "", error.status_code)
        return judge_code(code, retry_after(error.response.headers))
    if isinstance(error, anthropic.APITimeoutError | httpx2.TimeoutException | TimeoutError):
        return LATE
    if isinstance(error, anthropic.APIConnectionError | httpx2.TransportError | OSError):
        return UNREACHABLE
    logger.info("a language model's answer could not be read: %s: %.300s", type(error).__name__, error)
    return Failure("error", "it answered something that is not the Messages API")
