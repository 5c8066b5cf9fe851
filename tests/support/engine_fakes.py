"""Hand-written ports: a toolbox that answers from a table, a clock that stands, a store in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from workers.contracts import Landscape, Proposal, RequestLog, Scalar, ToolCall, ToolOutput
from workers.errors import RequestNotFound
from workers.ports import Limits, ToolContext, ToolSpec

SCHEMA = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
NOW = datetime(2026, 11, 21, 11, 0, tzinfo=UTC)
PURPOSES = {"metrics_query": "look at the metrics", "repo_search": "search the code"}
Answering = Callable[[Mapping[str, Scalar]], ToolOutput]


class FakeClock:
    """Stands at `NOW`; durations tick by one millisecond a look."""

    def __init__(self) -> None:
        self.ticks = 0.0

    def now(self) -> datetime:
        return NOW

    def monotonic_ms(self) -> float:
        self.ticks += 1.0
        return self.ticks


class FakeSession:
    """Answers each tool by a function, and remembers the calls in order."""

    def __init__(self, tools: Mapping[str, Answering], made: list[ToolCall]) -> None:
        self.tools, self.made = tools, made

    def call(self, step: str, name: str, args: Mapping[str, Scalar], attempt: int = 1) -> tuple[ToolCall, ToolOutput]:
        output = self.tools.get(name, nothing)(args)
        record = ToolCall(
            name=name, args=dict(args), start_ms=0, end_ms=1, status=output.status, attempt=attempt, step=step
        )
        self.made.append(record)
        return record, output

    def carry_out(self, step: str, proposal: Proposal) -> tuple[ToolCall, ToolOutput]:
        return self.call(step, proposal.tool, proposal.args)

    def late(self, *, wait: bool = False) -> tuple[tuple[ToolCall, ToolOutput], ...]:
        return ()


class FakeToolbox:
    """Implements `ports.Toolbox`."""

    def __init__(self, names: Landscape, **tools: Answering) -> None:
        self.names, self.tools = names, tools
        self.made: list[ToolCall] = []
        self.opened: list[Limits] = []

    def open(self, context: ToolContext, limits: Limits) -> FakeSession:
        self.opened.append(limits)
        return FakeSession(self.tools, self.made)

    def landscape(self, context: ToolContext) -> Landscape:
        return self.names

    def specs(self, limits: Limits) -> tuple[ToolSpec, ...]:
        return tuple(
            ToolSpec(name, f"The tool {name}.", SCHEMA, PURPOSES.get(name, ToolSpec.purpose)) for name in self.tools
        )

    def mistakes(self, name: str, args: Mapping[str, Scalar]) -> str:
        return "" if name in self.tools else f"there is no tool {name!r}"


class FakeStore:
    """Implements `ports.Store`."""

    def __init__(self) -> None:
        self.logs: dict[str, RequestLog] = {}

    def save(self, log: RequestLog) -> None:
        self.logs[log.request_id] = log

    def load(self, request_id: str) -> RequestLog:
        if request_id not in self.logs:
            raise RequestNotFound(request_id)
        return self.logs[request_id]


def nothing(args: Mapping[str, Scalar]) -> ToolOutput:
    """An empty result with its reason."""
    return ToolOutput(status="empty", reason=f"nothing for {args.get('query', '')}")
