"""What an agent may use, and how much of it, from its entry in ``config/agents.yaml``."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields

from workers.ports import Limits
from workers.settings.load import Settings
from workers.settings.schema import AgentEntry


def given_to(settings: Settings, agent: str) -> tuple[str, ...]:
    """The entries of tools that name an agent themselves."""
    return tuple(name for name, entry in settings.tree.tools.items() if agent in entry.agents)


def limits_of(entry: AgentEntry, tools: tuple[str, ...], dry: Collection[str] = ()) -> Limits:
    """An agent's limits, without tools that have no data (``dry``); an agent that needs data itself keeps them."""
    given = {f.name: getattr(entry, f.name) for f in fields(Limits)}
    return Limits(**given | {"tools": tools if entry.needs else tuple(t for t in tools if t not in dry)})
