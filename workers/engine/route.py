"""PURE. Which agent answers. Deterministic: unsafe or out of scope is refused, everything else maps to one agent."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from workers.contracts import Question, Route
from workers.ports import Limits

ACTION = re.compile(
    r"^\W*(?:@?oracle[,:]?\s+)?(?:(?:please|pls|can you|could you|would you|go|just|now)\s+)*"
    r"(?:delete|drop|restart|reboot|kill|scale|roll ?back|deploy|merge|push|run|execute|revert|wipe|purge|truncate|"
    r"shut ?down|stop|start|disable|enable|turn (?:on|off)|create|send|book|order|schedule)\b(?!.*\?\s*$)",
    re.IGNORECASE,
)
SECRETS = re.compile(
    r"\b(?:show|print|give|tell|list|reveal|dump|what(?:'s| is| are))\b.{0,40}\b(?:passwords?|api keys?|private keys?|"
    r"secrets?|credentials?|access tokens?|system prompt|\.env)\b(?! (?:rotation|policy|handling|storage|manager))",
    re.IGNORECASE,
)
URGENT = re.compile(r"\b(?:urgent|asap|outage|down|sev-?[01]|p0|on fire|incident)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Agent:
    """One agent as the engine knows it."""

    name: str
    task: str
    description: str
    limits: Limits


def choose_route(question: Question, agents: Mapping[str, Agent], default: str) -> Route:
    """Map a question to exactly one agent; ``task="none"`` with a note is a refusal."""
    text = question.text.strip()
    if SECRETS.search(text):
        return Route(task="none", confidence=0.9, sensitivity="high", notes="I don't look up secrets.")
    if ACTION.search(text):
        note = "I only read: I can't change, start or stop anything. Ask me what is known about it instead."
        return Route(task="none", confidence=0.8, sensitivity="high", notes=note)
    agent = agents.get(question.agent or default)
    if agent is None:
        return Route(task="none", confidence=1.0, notes=f"There is no agent named {question.agent!r}.")
    return Route(
        task=agent.task,
        confidence=1.0 if question.agent else 0.7,
        tools_allowed=agent.limits.tools,
        priority="urgent" if URGENT.search(text) else "normal",
        notes="named by the asker" if question.agent else "the default agent",
    )
