"""What a scene or script may change that people are asked about first."""

from __future__ import annotations

from workers.sources.home_assistant.actions import GUARDED
from workers.sources.home_assistant.model import Home, State, domain_of

NESTED = frozenset({"script", "automation", "scene", "python_script", "shell_command", "rest_command"})
"""What a routine starts in its turn, of which nobody can tell what it changes."""
NOT_KNOWN = "?"


def guarded_in(home: Home, routine: str) -> tuple[str, ...]:
    """The guarded entities and services in a routine, and what it starts itself; `NOT_KNOWN` when nobody can tell.

    Empty: it may run without a confirmation.
    """
    touched = home.touches.get(routine)
    if touched is None:
        return (NOT_KNOWN,)
    return tuple(sorted(t for t in touched if t != routine and domain_of(t) in GUARDED | NESTED))


def not_allowed_in(scene: State, allowed: tuple[str, ...]) -> tuple[str, ...]:
    """The guarded things of a scene that may not be changed.

    `NOT_KNOWN` when it does not say what it changes: scripts never do, and the scenes of some hubs do not.
    """
    members = scene.attributes.get("entity_id")
    if domain_of(scene.entity) != "scene" or not isinstance(members, list | tuple):
        return (NOT_KNOWN,)
    return tuple(m for m in map(str, members) if domain_of(m) in GUARDED | NESTED and domain_of(m) not in allowed)
