"""What a scene or script may change that people are asked about first."""

from __future__ import annotations

from workers.agents.home.source.actions import GUARDED
from workers.agents.home.source.model import Home, State, domain_of

NESTED = frozenset({"script", "automation", "scene", "python_script", "shell_command", "rest_command"})
"""What a routine starts in its turn, of which nobody can tell what it changes."""
PLAIN = frozenset(
    "light switch fan media_player climate humidifier input_boolean input_number input_select input_text "
    "input_datetime number select timer counter notify tts persistent_notification logbook sensor binary_sensor person "
    "zone sun weather device_tracker calendar".split()
)
"""Kinds of things and services that a routine may change, or only tell of, without being asked about first."""
SWITCHES = frozenset({"homeassistant.turn_on", "homeassistant.turn_off", "homeassistant.toggle"})
"""Which change the things that they are called for, and nothing else."""
NOT_KNOWN = "?"


def guarded_in(home: Home, routine: str) -> tuple[str, ...]:
    """What in a routine is more than plain things and services: what is guarded, and what nobody knows.

    `NOT_KNOWN` when nobody can tell what it touches.

    Empty: it may run without a confirmation.
    """
    touched = home.touches.get(routine)
    if touched is None:
        return (NOT_KNOWN,)
    return tuple(sorted(t for t in touched if t != routine and domain_of(t) not in PLAIN and t not in SWITCHES))


def not_allowed_in(scene: State, allowed: tuple[str, ...]) -> tuple[str, ...]:
    """The guarded things of a scene that may not be changed.

    `NOT_KNOWN` when it does not say what it changes: scripts never do, and the scenes of some hubs do not.
    """
    members = scene.attributes.get("entity_id")
    if domain_of(scene.entity) != "scene" or not isinstance(members, list | tuple):
        return (NOT_KNOWN,)
    return tuple(m for m in map(str, members) if domain_of(m) in GUARDED | NESTED and domain_of(m) not in allowed)
