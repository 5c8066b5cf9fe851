"""The tools of the toolbox over MCP: those that read, and those whose changes a person confirms."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import anyio.to_thread
from mcp_types import CallToolResult, Tool, ToolAnnotations

from workers.bootstrap import Oracle
from workers.contracts import Proposal, RequestLog, ToolOutput
from workers.engine.engine import Engine
from workers.entrypoints.mcp.asking_back import Person
from workers.entrypoints.mcp.callers import engine_seen, question_of, tool_context
from workers.entrypoints.mcp.results import ToolResult, sent, tool_result
from workers.ports import Limits, ToolSession
from workers.toolkit.tool import Tool as HouseTool
from workers.toolkit.tool_call import Wrapped

STEP = "mcp"
TIMEOUT_MS, TOTAL_MS = 60_000, 90_000
OUTPUT = ToolResult.model_json_schema()
WORLD = frozenset({"web_search", "web_fetch"})
UNASKED = "this changes something, and the client cannot ask a person to confirm it; nothing was done"
DECLINED = "the person did not confirm it; nothing was done"


def served(engine: Engine) -> dict[str, HouseTool]:
    """The tools of an engine by name: those that read or propose, and that some agent has."""
    used = {name for agent in engine.agents.values() for name in agent.limits.tools}
    tools = {name: wrapped.tool for name, wrapped in tools_of(engine).items() if name in used}
    return {name: tool for name, tool in tools.items() if tool.access == "read" or tool.propose is not None}


def tools_of(engine: Engine) -> Mapping[str, Wrapped]:
    """All tools of an engine."""
    found: Mapping[str, Wrapped] = getattr(engine.toolbox, "tools", {})
    return found


def list_served(engine: Engine) -> Iterator[Tool]:
    """As the protocol lists them, in the order of their names; those of servers that were never asked are left out."""
    for name, tool in sorted(served(engine).items()):
        told = tool.told()
        if told is None:
            continue
        reads = tool.access == "read"
        yield Tool(
            name=name,
            title=name.replace("_", " ").capitalize(),
            description=told.description,
            input_schema=dict(told.parameters),
            output_schema=OUTPUT,
            annotations=ToolAnnotations(
                read_only_hint=reads,
                destructive_hint=not reads,
                idempotent_hint=reads,
                open_world_hint=bool(tool.entry) or name in WORLD,
            ),
        )


def open_session(oracle: Oracle, user: str) -> ToolSession:
    """The wrappers for one call: limits of the agent that answers by default, over all tools that are served."""
    engine = engine_seen(oracle, user)
    own = engine.agents[engine.default_agent].limits
    limits: Limits = replace(
        own, tools=tuple(served(engine)), tool_timeout_ms=TIMEOUT_MS, tools_total_ms=TOTAL_MS, overflow="stop"
    )
    return engine.toolbox.open(tool_context(oracle, user), limits)


async def call_served(oracle: Oracle, user: str, name: str, args: Mapping[str, Any], person: Person) -> CallToolResult:
    """Call a tool, and make what it proposes once the person confirmed it.

    Raises:
        AskedBack: the client has to ask the person.
    """
    session = open_session(oracle, user)
    _, output = await anyio.to_thread.run_sync(session.call, STEP, name, dict(args), abandon_on_cancel=True)
    if not output.proposals:
        return answered(output)
    engine = await anyio.to_thread.run_sync(engine_seen, oracle, user)
    log = engine.seen(RequestLog(request_id=STEP, question=question_of(oracle, user, "")))
    told = [
        await anyio.to_thread.run_sync(engine.visibility.check_readers, log, proposal) for proposal in output.proposals
    ]
    if why := next((why for why, _ in told if why), ""):
        return answered(output.model_copy(update={"proposals": ()}), why)
    if not person.can_be_asked:
        return answered(output, UNASKED)
    return await confirmed(session, output, person, "; ".join(dict.fromkeys(filter(None, (who for _, who in told)))))


async def confirmed(session: ToolSession, output: ToolOutput, person: Person, readers: str = "") -> CallToolResult:
    """What came of the changes of a call: all of them, or none. ``readers``: who will read them. Raises: AskedBack."""
    digest = digest_of(output.proposals)
    if person.state.get("changes") != digest:
        person.reply = None  # something changed meanwhile: what was confirmed is not what would be done
    title = "; ".join(proposal.title for proposal in output.proposals)
    preview = "\n\n".join(filter(None, (readers, *(proposal.preview for proposal in output.proposals))))
    if not await person.confirm(title, preview, {"changes": digest}):
        return answered(output, DECLINED)
    outcomes = []
    for proposal in output.proposals:
        _, outcome = await anyio.to_thread.run_sync(session.carry_out, STEP, proposal)
        outcomes.append(outcome)
    failed = next((outcome for outcome in outcomes if outcome.status not in {"ok", "empty"}), None)
    return answered(failed or outcomes[-1])


def digest_of(proposals: tuple[Proposal, ...]) -> str:
    """What tells whether proposals are the same."""
    told = "".join(proposal.model_dump_json(exclude={"key"}) for proposal in proposals)
    return hashlib.sha256(told.encode()).hexdigest()


def answered(output: ToolOutput, refusal: str = "") -> CallToolResult:
    """An output as the result of a call; a refusal takes its place, and shows what would change."""
    if refusal:
        output = output.model_copy(update={"status": "denied", "reason": refusal})
    return sent(tool_result(output), wrong=output.status in {"error", "timeout", "denied"})
