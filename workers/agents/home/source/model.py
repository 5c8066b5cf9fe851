"""What Home Assistant tells: entities with where they are, their states, and how these were before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from workers.contracts import EntityInfo

UNKNOWN = frozenset({"unavailable", "unknown"})
"""States that say that there is none."""


@dataclass(frozen=True)
class State:
    """The state of an entity. Times are aware, UTC; ``changed``: since when ``value`` is what it is."""

    entity: str
    value: str
    attributes: Mapping[str, Any]
    changed: datetime

    @property
    def unit(self) -> str:
        """The unit of the value, as the home writes it; empty when it has none."""
        return str(self.attributes.get("unit_of_measurement") or "")


@dataclass(frozen=True)
class Home:
    """The entities of a home that are exposed to Assist, by id, and which entities each scene and script touches.

    ``touches``: entity ids; None: Home Assistant does not tell of that one.
    """

    entities: Mapping[str, EntityInfo]
    touches: Mapping[str, frozenset[str] | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Moment:
    """From when on an entity had a value. The first one of a history may have begun before it."""

    value: str
    at: datetime


def domain_of(entity: str) -> str:
    """The part of an entity id before its dot."""
    return entity.partition(".")[0]
