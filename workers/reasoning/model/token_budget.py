"""What the language model was asked for one request, what that used, and what it may still use."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

from workers.contracts import ModelCall, Question, Usage, used_by
from workers.errors import StoreUnavailable
from workers.ports import Errand, ReasoningContext
from workers.settings.schema import Budget
from workers.toolkit.deadlines import TimeBudget

logger = logging.getLogger(__name__)


class SpendingLimit(Protocol):
    """What people may still spend today."""

    def empty(self, question: Question) -> str:
        """Why nothing is left for this question, or nothing."""
        ...

    def spend(self, question: Question, usage: Usage) -> None:
        """Note what was used."""
        ...


class TokenBudget:
    """The calls of one request, written by the threads of its steps, and its budgets.

    Time is that in which at least one call is under way: calls side by side take the same time once. Of the stages
    before, only how long each call took is known.

    Args:
        thinking: for which request.
        budget: of a request.
        spending_limit: what may be spent today.
        monotonic: seconds that only ever go forward.
    """

    def __init__(
        self,
        thinking: ReasoningContext | Errand,
        budget: Budget,
        spending_limit: SpendingLimit,
        monotonic: Callable[[], float],
    ) -> None:
        self.question, self.budget, self.spending_limit = thinking.question, budget, spending_limit
        self.calls = tuple(thinking.calls)
        self.lock = threading.Lock()
        left_ms = 1000 * budget.request_s - sum(call.ms for call in self.calls)
        self.time = TimeBudget(left_ms, lambda: monotonic() * 1000)

    @property
    def seconds_left(self) -> float:
        """Of the time for all calls of the request; never below 0."""
        return self.time.left_ms() / 1000

    def waiting(self) -> AbstractContextManager[None]:
        """The span in which one question is under way, its retries included."""
        return self.time.running()

    def refusal(self, wanted: int) -> str:
        """Why nothing more may be asked, or nothing.

        Args:
            wanted: tokens that the next call may use.
        """
        budget, used = self.budget, used_by(self.calls)
        if self.seconds_left <= 0:
            return f"the {budget.request_s:g} s of thinking for one question are used up"
        if used.uncached + wanted > budget.request_tokens:
            return f"the {budget.request_tokens:,} tokens for one question would not be enough"
        if used.cost_usd >= budget.request_usd:
            return f"the ${budget.request_usd:.2f} for one question are used up"
        try:
            return self.spending_limit.empty(self.question)
        except StoreUnavailable as error:
            logger.warning("what may be spent today cannot be read: %s", error)
            return "what may be spent today cannot be read"

    @property
    def share_used(self) -> float:
        """Of the request's budget that is used most, 0 to 1: time, tokens or money."""
        budget, used = self.budget, used_by(self.calls)
        shares = (
            (budget.request_s - self.seconds_left, budget.request_s),
            (used.uncached, budget.request_tokens),
            (used.cost_usd, budget.request_usd),
        )
        return max(part / most if most else 1.0 for part, most in shares)

    def add(self, call: ModelCall) -> None:
        """It ended: it is recorded and paid for; an answer that was paid for is not lost because noting that fails."""
        with self.lock:
            self.calls = (*self.calls, call)
        if call.usage == Usage():
            return
        try:
            self.spending_limit.spend(self.question, call.usage)
        except StoreUnavailable as error:
            logger.warning("what was spent could not be noted: %s", error)

    def spoil(self, call: ModelCall, reason: str) -> None:
        """Its answer could not be used."""
        bad = call.model_copy(update={"status": "invalid", "reason": reason})
        with self.lock:
            self.calls = tuple(bad if c is call else c for c in self.calls)
