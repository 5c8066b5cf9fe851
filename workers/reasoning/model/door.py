"""The ways to language models: what a door does, which one a provider has, and what statuses mean to all of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Protocol

from workers.errors import ModelFailed
from workers.reasoning.model.model_call import Attempt, Failure, Reply
from workers.settings.schema import ANTHROPIC, Endpoint

CONNECT_S = 5.0
LATE = Failure("timeout", "it did not answer in time")
UNREACHABLE = Failure("error", "it cannot be reached")
LEFT = Failure("timeout", "nobody waits for it any more")
ENDLESS = Failure("error", "it does not stop writing", lasting=True)
NONSENSE = (OSError, ValueError, RuntimeError, TypeError, LookupError, AttributeError, AssertionError, Warning)
"""What a library raises besides errors of its own, where an answer is nonsense; a warning where warnings are errors."""
REASONS: Mapping[int, str] = {
    401: "its key was refused",
    403: "its key may not use the model",
    404: "it has no such model",
}


class Door(Protocol):
    """Speaks to the models of some providers. Thread-safe; it fails with a `Failure` and never raises."""

    def send(self, endpoint: Endpoint, request: Mapping[str, Any], seconds: float, state: Attempt) -> Reply | Failure:
        """Send a request once and read its answer; one that nobody waits for any more is dropped.

        Args:
            endpoint: where to.
            request: in the shape of the Messages API: model, max_tokens, system, messages, tools, thinking, effort and
                schema of the output.
            seconds: within which it has to be answered.
            state: told of what came so far.
        """

    def ping(self, endpoint: Endpoint, model: str) -> Failure | None:
        """Why a model cannot be used, or None."""

    def close(self) -> None:
        """Close all connections; the next request opens them again."""


def open_door(provider: str) -> Door:
    """The door to a provider. Raises: ModelFailed: its library cannot be loaded."""
    try:  # either library takes a second or more to load, and one is not always installed
        name = "anthropic_door" if provider == ANTHROPIC else "litellm_door"
        door: Door = import_module(f"workers.reasoning.model.{name}").open_door()
    except ImportError as error:
        raise ModelFailed(f"its library cannot be loaded ({error.name})", lasting=True) from error
    return door


def judge_code(code: int, retry_after_s: float | None = None) -> Failure:
    """What a status that is an error means; below 400 it came in the middle of an answer that had begun well."""
    if code in {429, 529, 503}:
        reason = "too many requests" if code == 429 else "overloaded"
        return Failure("busy", reason, retry_after_s=retry_after_s)
    if code in {408, 504}:
        return LATE
    said = f"it failed with {code}" if code >= 400 else "it failed in the middle of its answer"
    lasting, blames = 400 <= code < 500, code not in {400, 413, 422}
    return Failure("error", REASONS.get(code, said), lasting=lasting, blames=blames)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait."""
    for name, scale in (("retry-after-ms", 1_000.0), ("retry-after", 1.0)):
        try:
            asked = float(headers[name]) / scale
        except (KeyError, ValueError):
            continue
        if math.isfinite(asked):
            return max(asked, 0.0)
    return None
