"""One tool call through all wrappers: budget, approval, arguments, loading, timeout, cache, the tool, redaction; what
gives orders to its reader is left out."""

from __future__ import annotations

import copy
import math
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future
from concurrent.futures import wait as wait_for
from dataclasses import dataclass, replace
from typing import Any, Literal

import structlog

from workers.contracts import Proposal, Scalar, ToolCall, ToolOutput
from workers.errors import ConfigError, ToolArgumentError
from workers.ports import Limits, ToolContext
from workers.toolkit.arguments import check_arguments, plain_arguments
from workers.toolkit.cache import Cache, cache_key
from workers.toolkit.deadlines import TimeBudget, begin
from workers.toolkit.error_guard import failure, guarded
from workers.toolkit.left_out_orders import leave_out_orders
from workers.toolkit.redaction import Redactor
from workers.toolkit.tool import Tool, ToolArgs
from workers.toolkit.tool_loading import prepare

LOG = structlog.get_logger(__name__)


class CallBudget:
    """The allowlist and the number of calls of one request. Refused calls are not counted."""

    def __init__(self, agent: str, limits: Limits) -> None:
        self.agent = agent
        self.limits = limits
        self.lock = threading.Lock()
        self.used = 0

    def refuse(self, name: str) -> str | None:
        """Count one call.

        Returns: why it is denied, or None. With ``overflow: log`` a call over the limit is logged and let through.
        """
        if name not in self.limits.tools:
            allowed = ", ".join(self.limits.tools) or "none"
            return f"agent {self.agent!r} may not use {name!r}; it may use: {allowed}"
        with self.lock:
            if self.used < self.limits.max_tool_calls:
                self.used += 1
                return None
            if self.limits.overflow == "stop":
                return f"the limit of {self.limits.max_tool_calls} tool calls for one question is reached"
            self.used += 1
            LOG.warning("tool_budget_exceeded", agent=self.agent, tool=name, calls=self.used)
            return None


def refuse_write(tool: Tool) -> str | None:
    """Why a writing tool is denied, or None for one that reads or proposes what it would change."""
    if tool.access == "read" or tool.propose is not None:
        return None
    return f"{tool.name} changes something, so a person has to confirm it first"


SUMMARY_CHARS = 300


@dataclass(frozen=True)
class Wrapped:
    """A tool with its entry's limits. ``timeout_ms`` replaces the agent's; ``cache_ttl_s`` 0 means no cache."""

    tool: Tool
    timeout_ms: int | None = None
    cache_ttl_s: int = 0


@dataclass(frozen=True)
class Outcome:
    """What a tool returned, whether that came from the cache, and when, in milliseconds since the session opened."""

    output: ToolOutput
    cached: bool
    end_ms: float


@dataclass(frozen=True)
class Answer:
    """The outcome of a call.

    Args:
        output: what it returned, or why it returned nothing.
        cached: whether it is an earlier call's.
        began_ms: when the tool was loaded and its time began, since the session opened; None when it was not called.
        running: what still runs, when a time limit ended the call.
    """

    output: ToolOutput
    cached: bool = False
    began_ms: float | None = None
    running: Running | None = None


@dataclass(frozen=True)
class Running:
    """A call that runs on after its time limit."""

    outcome: Future[Outcome]
    timeout_ms: float


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
        self.lock = threading.Lock()
        self.running: list[tuple[ToolCall, Running]] = []
        self.unloaded: dict[str, str] = {}

    def call(self, step: str, name: str, args: Mapping[str, Any], attempt: int = 1) -> tuple[ToolCall, ToolOutput]:
        """Run one tool. Never raises: whatever goes wrong is a status with a reason.

        Returns: the record of the call, whose times are without those of loading the tool, and its output.
        """
        plain = plain_arguments(args)
        shown = {k: self.redactor.text(v) if isinstance(v, str) else v for k, v in plain.items()}
        return self.recorded(step, name, shown, attempt, lambda: self.answer(name, args))

    def carry_out(self, step: str, proposal: Proposal) -> tuple[ToolCall, ToolOutput]:
        """Make a change that a person confirmed, once. As `call`; what a time limit ended may still be done."""
        shown: dict[str, Scalar] = {"change": self.redactor.text(proposal.title)}
        return self.recorded(
            step, proposal.tool, shown, 1, lambda: self.answer(proposal.tool, proposal.args, confirmed=True)
        )

    def recorded(
        self, step: str, name: str, shown: dict[str, Scalar], attempt: int, call: Callable[[], Answer]
    ) -> tuple[ToolCall, ToolOutput]:
        """A call with its record."""
        asked_ms = self.passed_ms()
        answer = call()
        record = ToolCall(
            name=name,
            args=shown,
            start_ms=asked_ms if answer.began_ms is None else answer.began_ms,
            end_ms=self.passed_ms(),
            status=answer.output.status,
            attempt=attempt,
            cached=answer.cached,
            summary=shorten(answer.output.summary or answer.output.reason),
            step=step,
        )
        if answer.running is not None:
            with self.lock:
                self.running.append((record, answer.running))
        return record, answer.output

    def late(self, *, wait: bool = False) -> tuple[tuple[ToolCall, ToolOutput], ...]:
        """Calls that a time limit ended and that have come to a result since, each told once.

        Args:
            wait: wait for the first of them, as long as the time for all tools lasts.

        Returns: the record of each call, with its status and its end as they are now, and its output.
        """
        with self.lock:
            running = list(self.running)
        if wait and running:
            left_ms = self.time.left_ms()
            with self.time.running():
                wait_for([call.outcome for _, call in running], left_ms / 1000, FIRST_COMPLETED)
        ended = [(record, call) for record, call in running if call.outcome.done()]
        with self.lock:
            told = {id(record) for record, _ in ended}
            self.running = [one for one in self.running if id(one[0]) not in told]
        came = [(record, call.timeout_ms, call.outcome.result()) for record, call in ended]
        return tuple(
            (late_record(record, limit_ms, outcome), outcome.output)
            for record, limit_ms, outcome in came
            if outcome.output.status != "timeout"
        )

    def passed_ms(self) -> float:
        """Milliseconds since the session was opened."""
        return round(self.monotonic_ms() - self.opened_ms, 3)

    def answer(self, name: str, args: Mapping[str, Any], *, confirmed: bool = False) -> Answer:
        """The wrappers in their order. The time limits count from when the tool is loaded."""
        try:
            wrapped = self.tools.get(name)
        except ConfigError as error:  # one that is built now, and lacks a package or an address
            return Answer(ToolOutput(status="error", reason=str(error)))
        if wrapped is None:
            return Answer(ToolOutput(status="error", reason=f"no tool named {name!r}", nearest=tuple(self.tools)))
        refusal = "" if confirmed else self.budget.refuse(name) or refuse_write(wrapped.tool)
        if refusal:
            return failed("denied", refusal)
        try:
            checked = check_arguments(wrapped.tool, args)
        except ToolArgumentError as error:
            data = wrapped.tool.refuse(str(error)) if wrapped.tool.refuse else {}
            return Answer(self.redactor.output(failure(error).model_copy(update={"data": data})))
        if why := self.load(wrapped.tool):
            return failed("timeout", why)
        began_ms, timeout_ms = self.passed_ms(), self.timeout_ms(wrapped)
        if timeout_ms <= 0:
            used_up = failed("timeout", f"the {say_ms(self.limits.tools_total_ms)} for all tools are used up")
            return replace(used_up, began_ms=began_ms)
        with self.time.running():
            run = self.change if confirmed else self.cached_or_run
            return replace(self.within(wrapped, checked, timeout_ms, run), began_ms=began_ms)

    def load(self, tool: Tool) -> str:
        """Why a tool cannot be called; empty when it can. What was not loaded in time is not waited for again."""
        why = self.unloaded.get(tool.name) or prepare(tool, self.monotonic_ms)
        if why:
            self.unloaded[tool.name] = why
        return why

    def timeout_ms(self, wrapped: Wrapped) -> float:
        """What this call may take: its own limit or what is left of all tools' time, whichever is less."""
        own = wrapped.timeout_ms or self.limits.tool_timeout_ms
        return min(own, math.floor(self.time.left_ms()))

    def within(
        self, wrapped: Wrapped, args: ToolArgs, timeout_ms: float, run: Callable[[Wrapped, ToolArgs, float], Outcome]
    ) -> Answer:
        """Run the call under its limit; one that the limit ends runs on, and `late` tells what came of it."""
        running = None
        try:
            running = begin(lambda: run(wrapped, args, timeout_ms), timeout_ms)
            outcome = running.result(timeout=timeout_ms / 1000)
        except TimeoutError:
            why = f"{wrapped.tool.name} did not answer within {say_ms(timeout_ms)}"
            runs_on = Running(running, timeout_ms) if running else None
            return Answer(ToolOutput(status="timeout", reason=why), running=runs_on)
        return Answer(outcome.output, outcome.cached)

    def cached_or_run(self, wrapped: Wrapped, args: ToolArgs, timeout_ms: float) -> Outcome:
        """The kept result of an equal call, else the tool's; of an equal call that is under way, when it ends."""
        if wrapped.cache_ttl_s == 0 or wrapped.tool.access == "write":
            return Outcome(self.run(wrapped.tool, args), cached=False, end_ms=self.passed_ms())
        context = self.context if wrapped.tool.personal else replace(self.context, user="", space="")
        key = cache_key(wrapped.tool.name, args, context, wrapped.cache_ttl_s)
        try:
            output, cached = self.cache.fetch(
                key, wrapped.cache_ttl_s, lambda: self.run(wrapped.tool, args), timeout_ms
            )
        except TimeoutError:
            why = f"an equal call of {wrapped.tool.name} did not end within {say_ms(timeout_ms)}"
            return Outcome(ToolOutput(status="timeout", reason=why), cached=False, end_ms=self.passed_ms())
        # What one reader does to the data must not reach the next.
        return Outcome(output.model_copy(update={"data": copy.deepcopy(output.data)}), cached, self.passed_ms())

    def change(self, wrapped: Wrapped, args: ToolArgs, timeout_ms: float) -> Outcome:
        """What a person confirmed is done."""
        del timeout_ms
        return Outcome(self.run(wrapped.tool, args, confirmed=True), cached=False, end_ms=self.passed_ms())

    def run(self, tool: Tool, args: ToolArgs, *, confirmed: bool = False) -> ToolOutput:
        """The tool's output, redacted and without orders to its reader.

        Of one that changes something it is what it would change, until it is confirmed.
        """
        run = tool.run if confirmed or tool.propose is None else tool.propose
        output = guarded(tool.name, lambda: ToolOutput.model_validate(run(args, self.context)))
        return leave_out_orders(self.redactor.output(output))


def failed(status: Literal["denied", "timeout"], reason: str) -> Answer:
    """A call that did not run, or not to its end."""
    return Answer(ToolOutput(status=status, reason=reason))


def late_record(record: ToolCall, limit_ms: float, outcome: Outcome) -> ToolCall:
    """The record of a call that came to a result after its limit; its summary says so."""
    output = outcome.output
    took = say_ms(outcome.end_ms - record.start_ms)
    summary = shorten(output.summary or output.reason, f" (took {took}, more than its limit of {say_ms(limit_ms)})")
    now = {"status": output.status, "cached": outcome.cached, "end_ms": outcome.end_ms, "summary": summary}
    return record.model_copy(update=now)


def say_ms(ms: float) -> str:
    """``800 ms``, ``15 s``, ``1.5 s``."""
    return f"{ms:.0f} ms" if ms < 1_000 else f"{ms / 1_000:.1f}".removesuffix(".0") + " s"


def worth_keeping(output: ToolOutput) -> bool:
    """Results are cached, empty ones included; failures are not."""
    return output.status in {"ok", "empty"}


def shorten(text: str, end: str = "") -> str:
    """One line of at most `SUMMARY_CHARS` characters, with ``end``, which stays whole."""
    line, most = " ".join(text.split()), SUMMARY_CHARS - len(end)
    return (line if len(line) <= most else f"{line[: most - 1]}…") + end
