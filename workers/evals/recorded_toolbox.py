"""A toolbox that answers from recorded results."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workers.contracts import Landscape, Proposal, Scalar, ToolCall, ToolOutput
from workers.evals.cases import Recorded
from workers.ports import Limits, Toolbox, ToolContext, ToolSpec

NOTHING = ToolOutput(status="empty", reason="nothing is recorded for these arguments")


@dataclass(frozen=True)
class RecordedToolbox:
    """Implements `workers.ports.Toolbox`. What the tools are, and what their arguments may be, ``real`` says."""

    recorded: Mapping[str, Sequence[Recorded]]
    names: Landscape
    real: Toolbox

    def open(self, context: ToolContext, limits: Limits) -> RecordedSession:  # noqa: ARG002
        """Start the tools of one request."""
        return RecordedSession(self.recorded, limits)

    def landscape(self, context: ToolContext) -> Landscape:
        """The recorded names, without deploys of the future."""
        past = tuple(d for d in self.names.deploys if d.at <= context.now)
        return self.names.model_copy(update={"deploys": past})

    def specs(self, limits: Limits) -> tuple[ToolSpec, ...]:
        """The agent's tools."""
        return self.real.specs(limits)

    def mistakes(self, name: str, args: Mapping[str, Scalar]) -> str:
        """What is wrong with a tool's arguments."""
        return self.real.mistakes(name, args)


@dataclass(frozen=True)
class RecordedSession:
    """Implements `workers.ports.ToolSession`."""

    recorded: Mapping[str, Sequence[Recorded]]
    limits: Limits

    def call(self, step: str, name: str, args: Mapping[str, Scalar], attempt: int = 1) -> tuple[ToolCall, ToolOutput]:
        """The first recorded result whose conditions hold."""
        output = self.find(name, args)
        call = ToolCall(
            name=name,
            args=dict(args),
            start_ms=0.0,
            end_ms=0.0,
            status=output.status,
            attempt=attempt,
            summary=output.summary or output.reason,
            step=step,
        )
        return call, output

    def carry_out(self, step: str, proposal: Proposal) -> tuple[ToolCall, ToolOutput]:
        """Nothing is changed in a replay."""
        del proposal
        output = ToolOutput(status="denied", reason="nothing is changed while recorded results are replayed")
        return ToolCall(name="", args={}, start_ms=0.0, end_ms=0.0, status="denied", step=step), output

    def late(self, *, wait: bool = False) -> tuple[tuple[ToolCall, ToolOutput], ...]:
        """Nothing recorded takes time."""
        del wait
        return ()

    def find(self, name: str, args: Mapping[str, Scalar]) -> ToolOutput:
        """What is recorded for a call."""
        if name not in self.limits.tools:
            return ToolOutput(status="denied", reason=f"{name} is not a tool of this agent")
        return next((r.output for r in self.recorded.get(name, ()) if fits(r.when, args)), NOTHING)


def fits(when: Mapping[str, str], args: Mapping[str, Scalar]) -> bool:
    """Whether every regular expression is found in its argument; one that was not given is empty."""
    return all(re.search(pattern, str(args.get(name, ""))) for name, pattern in when.items())
