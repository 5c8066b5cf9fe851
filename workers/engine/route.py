"""An agent as the engine knows it, and which one a route leads to. `workers.engine.policy` makes the routes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from workers.contracts import Question, Route
from workers.ports import AgentModule, Limits


@dataclass(frozen=True)
class Agent:
    """One agent as the engine knows it. ``module``: what is its own. ``lacks``: what has to be connected before it can
    answer; empty when all is. ``sensitivity``: of what it tells and does.
    """

    name: str
    task: str
    description: str
    limits: Limits
    module: AgentModule
    lacks: str = ""
    sensitivity: Literal["low", "medium", "high"] = "low"


def agent_of(question: Question, route: Route | None, agents: Mapping[str, Agent], default: str) -> Agent:
    """The agent that answers: the one that was named, the one of the route, the default."""
    if question.agent and question.agent in agents:
        return agents[question.agent]
    fitting = [a for a in agents.values() if route and a.task == route.task]
    return agents[default] if agents[default] in fitting or not fitting else fitting[0]
