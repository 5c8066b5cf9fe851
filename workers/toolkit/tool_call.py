"""One tool call through all wrappers: budget, approval, arguments, cache, timeout, the tool, redaction."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from workers.contracts import Scalar, ToolCall, ToolOutput
from workers.errors import ToolArgumentError
from workers.ports import Limits, ToolContext
from workers.toolkit.approval import refuse_write
from workers.toolkit.arguments import check_arguments
from workers.toolkit.cache import Cache, cache_key
from workers.toolkit.call_budget import CallBudget
from workers.toolkit.deadlines import TimeBudget, run_within
from workers.toolkit.error_guard import failure, guarded
from workers.toolkit.redaction import Redactor
from workers.toolkit.tool import Tool, ToolArgs

SUMMARY_CHARS = 300


@dataclass(frozen=True)
class Wrapped:
    """A tool with its entry's limits. ``timeout_ms`` replaces the agent's; ``cache_ttl_s`` 0 means no cache."""

    tool: Tool
    timeout_ms: int | None = None
    cache_ttl_s: int = 0


class CallSession:
    """The tools of one request. Opened when the request starts: the times of its records count from there."""

    def __init__(
        self,
        tools: Mapping[str, Wrapped],
        context: ToolContext,
        limits: Limits,
        *,
        cache: Cache[ToolOutput],
        redactor: Redactor,
        monotonic_ms: Callable[[], float],
    ) -> None:
        self.tools = tools
        self.context = context
        self.limits = limits
        self.cache = cache
        self.redactor = redactor
        self.monotonic_ms = monotonic_ms
        self.opened_ms = monotonic_ms()
        self.budget = CallBudget(context.agent, limits)
        self.time = TimeBudget(limits.tools_total_ms, monotonic_ms)

    def call(self, step: str, name: str, args: Mapping[str, Scalar], attempt: int = 1) -> tuple[ToolCall, ToolOutput]:
        """Run one tool. Never raises: whatever goes wrong is a status with a reason."""
        start_ms = self.monotonic_ms() - self.opened_ms
        output, cached = self.answer(name, args)
        record = ToolCall(
            name=name,
            args={k: self.redactor.text(v) if isinstance(v, str) else v for k, v in args.items()},
            start_ms=round(start_ms, 3),
            end_ms=round(self.monotonic_ms() - self.opened_ms, 3),
            status=output.status,
            attempt=attempt,
            cached=cached,
            summary=shorten(output.summary or output.reason),
            step=step,
        )
        return record, output

    def answer(self, name: str, args: Mapping[str, Scalar]) -> tuple[ToolOutput, bool]:
        """The wrappers in their order.

        Returns: the output and whether it came from the cache.
        """
        wrapped = self.tools.get(name)
        if wrapped is None:
            return ToolOutput(status="error", reason=f"no tool named {name!r}", nearest=tuple(self.tools)), False
        refusal = self.budget.refuse(name) or refuse_write(wrapped.tool)
        if refusal:
            return failed("denied", refusal)
        try:
            checked = check_arguments(wrapped.tool, args)
        except ToolArgumentError as error:
            data = wrapped.tool.refuse(str(error)) if wrapped.tool.refuse else {}
            return self.redactor.output(failure(error).model_copy(update={"data": data})), False
        timeout_ms = self.timeout_ms(wrapped)
        if timeout_ms <= 0:
            return failed("timeout", f"the {self.limits.tools_total_ms} ms for all tools are used up")
        try:
            with self.time.running():
                return self.cached_or_run(wrapped, checked, timeout_ms)
        except TimeoutError:
            return failed("timeout", f"{name} did not answer within {timeout_ms:.0f} ms")

    def timeout_ms(self, wrapped: Wrapped) -> float:
        """What this call may take: its own limit or what is left of all tools' time, whichever is less."""
        own = wrapped.timeout_ms or self.limits.tool_timeout_ms
        return min(own, math.floor(self.time.left_ms()))

    def cached_or_run(self, wrapped: Wrapped, args: ToolArgs, timeout_ms: float) -> tuple[ToolOutput, bool]:
        """Raises: TimeoutError."""
        if wrapped.cache_ttl_s == 0:
            return self.run(wrapped.tool, args, timeout_ms), False
        key = cache_key(wrapped.tool.name, args, self.context, wrapped.cache_ttl_s)
        output, cached = self.cache.fetch(
            key, wrapped.cache_ttl_s, lambda: self.run(wrapped.tool, args, timeout_ms), timeout_ms
        )
        # What one reader does to the data must not reach the next.
        return output.model_copy(update={"data": copy.deepcopy(output.data)}), cached

    def run(self, tool: Tool, args: ToolArgs, timeout_ms: float) -> ToolOutput:
        """The tool under its deadline, redacted. Raises: TimeoutError."""
        output = run_within(
            lambda: guarded(tool.name, lambda: ToolOutput.model_validate(tool.run(args, self.context))), timeout_ms
        )
        return self.redactor.output(output)


def failed(status: Literal["denied", "timeout"], reason: str) -> tuple[ToolOutput, bool]:
    """A call that did not run, or not to its end."""
    return ToolOutput(status=status, reason=reason), False


def worth_keeping(output: ToolOutput) -> bool:
    """Results are cached, empty ones included; failures are not."""
    return output.status in {"ok", "empty"}


def shorten(text: str) -> str:
    """One line of at most `SUMMARY_CHARS` characters."""
    line = " ".join(text.split())
    return line if len(line) <= SUMMARY_CHARS else f"{line[: SUMMARY_CHARS - 1]}…"
