"""Which agent answers. Deterministic: unsafe or out of scope is refused, everything else maps to one agent."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from workers.contracts import Question, Route
from workers.engine.small_talk import reply_to
from workers.language.unsafe_requests import ACTION, SECRETS
from workers.ports import AgentModule, Limits

SURE = 0.5
URGENT = re.compile(r"\b(?:urgent|asap|outage|down|sev-?[01]|p0|on fire|incident)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Agent:
    """One agent as the engine knows it. ``module``: what is its own. ``lacks``: what has to be connected before it can
    answer; empty when all is. ``writes``: it proposes changes, which a person confirms.
    """

    name: str
    task: str
    description: str
    limits: Limits
    module: AgentModule
    lacks: str = ""
    writes: bool = False


Choose = Callable[[Question, Mapping[str, str]], tuple[str, float]]
"""Which of several agents (name -> description) answers, and how sure that is."""


def choose_route(question: Question, agents: Mapping[str, Agent], default: str, choose: Choose) -> Route:
    """Map a question to exactly one agent; ``task="none"`` with a note is a refusal.

    What is unsafe or out of scope is refused before anything is chosen, and what asks for nothing (thanks, a greeting)
    is replied to; a choice that is not sure gives way to the default agent. An agent that lacks its data is never
    chosen.
    """
    text = question.text.strip()
    if reply := reply_to(text, (agent.description for agent in agents.values() if not agent.lacks)):
        return Route(task="none", confidence=1.0, notes=reply)
    if SECRETS.search(text):
        return Route(task="none", confidence=0.9, sensitivity="high", notes="I don't look up secrets.")
    named = agents.get(question.agent or "")
    if ACTION.search(text) and not (named and named.writes):
        return route_order(question, agents, choose)
    agent = agents.get(question.agent or default)
    if agent is None:
        return Route(task="none", confidence=1.0, notes=f"There is no agent named {question.agent!r}.")
    if agent.lacks:
        return Route(task="none", confidence=1.0, notes=agent.lacks)
    confidence, notes = 1.0, "named by the asker"
    if not question.agent:
        confidence, notes = 0.7, "the default agent"
        ready = {n: a.description for n, a in agents.items() if not a.lacks}
        if len(ready) > 1:
            name, confidence = choose(question, ready)
            sure = name in ready and confidence >= SURE
            agent, notes = (agents[name], "chosen") if sure else (agent, f"not sure, so {default}")
    return route_to(agent, text, confidence, notes)


def route_order(question: Question, agents: Mapping[str, Agent], choose: Choose) -> Route:
    """An order to change something: to the agent that may propose such a change and is sure of it, else refused."""
    writers = {n: a.description for n, a in agents.items() if a.writes and not a.lacks}
    name, confidence = choose(question, writers) if writers and not question.agent else ("", 0.0)
    if name in writers and confidence >= SURE:
        return route_to(agents[name], question.text, confidence, "chosen")
    note = "I can't change, start or stop this. Ask me what is known about it instead."
    return Route(task="none", confidence=0.8, sensitivity="high", notes=note)


def route_to(agent: Agent, text: str, confidence: float, notes: str) -> Route:
    """The route to one agent."""
    return Route(
        task=agent.task,
        confidence=confidence,
        tools_allowed=agent.limits.tools,
        priority="urgent" if URGENT.search(text) else "normal",
        notes=notes,
    )


def agent_of(question: Question, route: Route | None, agents: Mapping[str, Agent], default: str) -> Agent:
    """The agent that answers: the one that was named, the one of the route, the default."""
    if question.agent and question.agent in agents:
        return agents[question.agent]
    fitting = [a for a in agents.values() if route and a.task == route.task]
    return agents[default] if agents[default] in fitting or not fitting else fitting[0]
