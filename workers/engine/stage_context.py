"""What every stage of a request works with: the agent that answers, its tools, what was used so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import cache, partial

from workers.contracts import Intent, Question, RequestLog, Window, used_by
from workers.engine.clarify import shut_out
from workers.engine.engine import Engine, no_progress
from workers.engine.route import agent_of
from workers.ports import ALL_TEAMS, Asked, Reasoner, ReasoningContext, ToolContext, ToolSession


def as_seen(engine: Engine, log: RequestLog, work: Callable[[Engine, RequestLog], RequestLog]) -> RequestLog:
    """What a stage makes of a request with the engine as its asker may see it; a refusal where that shows nothing."""
    engine = engine.view(engine, log.question)
    if not engine.agents:
        return engine.seen(log.model_copy(update={"answer": shut_out()}))
    return engine.seen(work(engine, log))


def timed(log: RequestLog, stage: str, spent_ms: float) -> RequestLog:
    """Note how long a stage took."""
    return log.model_copy(update={"timings_ms": {**log.timings_ms, stage: round(spent_ms, 2)}})


def thinking_of(engine: Engine, log: RequestLog) -> ReasoningContext:
    """What one stage works with: the agent that answers, what exists for it, what earlier stages used."""
    agent = agent_of(log.question, log.route, engine.agents, engine.default_agent)
    return ReasoningContext(
        question=log.question,
        agent=agent.name,
        limits=agent.limits,
        toolbox=engine.toolbox,
        landscape=engine.toolbox.landscape(context_of(engine, log.question, agent.name)),
        module=agent.module,
        calls=log.model_calls,
        check=engine.check,
        tone=engine.tones.get(log.question.channel, ""),
        everywhere=cache(partial(engine.toolbox.landscape, context_of(engine, log.question, ""))),
    )


def context_of(engine: Engine, question: Question, agent: str) -> ToolContext:
    """For whom the tools run. What a tool delegates is answered by the same engine; its progress is not this one's."""
    return ToolContext(
        request_id=question.request_id,
        agent=agent,
        now=engine.clock.now(),
        timezone=question.timezone,
        team=ALL_TEAMS if question.source == "cli" else question.team,
        user=question.user,
        space=question.space,
        apart=engine.visibility.apart,
        ask=replace(engine, progress=no_progress).ask,
    )


def open_tools(engine: Engine, thinking: ReasoningContext) -> ToolSession:
    """The agent's tools, within its limits."""
    return engine.toolbox.open(context_of(engine, thinking.question, thinking.agent), thinking.limits)


def thought(log: RequestLog, reasoner: Reasoner) -> RequestLog:
    """With what a stage asked of a language model."""
    return log.model_copy(update={"model_calls": reasoner.calls, "usage": used_by(reasoner.calls)})


def intent_of(log: RequestLog) -> Intent:
    """What was read in the question."""
    if log.intent is None:
        raise ValueError("an intent comes before what is done about it")
    return log.intent


def last_day(engine: Engine) -> Window:
    """No time was named."""
    now = engine.clock.now()
    return Window(start=now - timedelta(hours=24), end=now, why="no time was named; last 24 h")


def tools_used(log: RequestLog) -> tuple[str, ...]:
    """``NAME ×2``: each tool, and how often it was called."""
    counts: dict[str, int] = {}
    for call in log.tool_calls:
        counts[call.name] = counts.get(call.name, 0) + 1
    return tuple(f"{name} ×{n}" for name, n in counts.items())


def asked_of(log: RequestLog, intent: Intent, thinking: ReasoningContext) -> Asked:
    """What a plan has to serve."""
    return thinking.asked(log.question.text, intent)
