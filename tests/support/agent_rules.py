"""Agents as they are configured, for tests of one of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from workers.agents.registry import build_agents, playbook_of
from workers.contracts import Landscape
from workers.ports import Playbook
from workers.reasoning.rules import RulesReasoner
from workers.settings.load import Settings


def playbook(settings: Settings, agent: str) -> Playbook:
    """The known plans of an agent, with all tools."""
    return replace(playbook_of(settings, agent, build_agents(settings)[agent].limits), tools=None)


def rules(settings: Settings, agent: str, names: Callable[[], Landscape] = Landscape) -> RulesReasoner:
    """The rules that think as an agent."""
    modules = {name: built.module for name, built in build_agents(settings).items()}
    return RulesReasoner(agent, modules, playbook(settings, agent), names)
