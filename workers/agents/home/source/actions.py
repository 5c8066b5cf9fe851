"""What may be done with an entity: the service that does it, and how the entity is afterwards. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workers.agents.home.language.vocabulary import RUN
from workers.agents.home.source.model import UNKNOWN, State
from workers.agents.home.source.state_words import say_state
from workers.contracts import EntityInfo
from workers.errors import ToolArgumentError

GUARDED = frozenset({"lock", "alarm_control_panel", "cover", "valve", "siren"})
"""Kinds of entities that let people or water in, or wake a street: never changed without a person's confirmation."""


MORE = "by "
"""Before a value that is added to what is there: ``by +2``."""


@dataclass(frozen=True)
class Action:
    """One thing that can be done.

    ``services``: kind of entity -> service. ``state``: the state afterwards; empty: it stays. ``key``: of the service's
    data, under which the value is sent, times ``scale``; ``attribute``: the one that it sets. ``lowest``, ``highest``:
    its range; ``tolerance``: how far the attribute may be from what was sent.
    """

    verb: str
    services: Mapping[str, str]
    state: str = ""
    key: str = ""
    attribute: str = ""
    scale: float = 1.0
    lowest: float = 0.0
    highest: float = 100.0
    unit: str = ""
    tolerance: float = 0.0


SWITCHES = "light switch fan media_player climate humidifier input_boolean water_heater remote siren automation".split()
ACTIONS: Mapping[str, Action] = {
    "turn_on": Action("turn on", {**dict.fromkeys(SWITCHES, "turn_on"), "scene": "turn_on", "script": "turn_on"}, "on"),
    "turn_off": Action("turn off", dict.fromkeys(SWITCHES, "turn_off"), "off"),
    "open": Action("open", {"cover": "open_cover", "valve": "open_valve"}, "open"),
    "close": Action("close", {"cover": "close_cover", "valve": "close_valve"}, "closed"),
    "lock": Action("lock", {"lock": "lock"}, "locked"),
    "unlock": Action("unlock", {"lock": "unlock"}, "unlocked"),
    "set_brightness": Action(
        "set the brightness of", {"light": "turn_on"}, "on", "brightness_pct", "brightness", unit=" %", tolerance=3
    ),
    "set_color": Action("set the color of", {"light": "turn_on"}, "on", "color_name"),
    "set_temperature": Action(
        "set the temperature of",
        {"climate": "set_temperature", "water_heater": "set_temperature"},
        "",
        "temperature",
        "temperature",
        lowest=-50,
        highest=120,
        unit="°",
        tolerance=0.05,
    ),
    "set_position": Action(
        "set the position of",
        {"cover": "set_cover_position", "valve": "set_valve_position"},
        "",
        "position",
        "current_position",
        unit=" %",
        tolerance=1,
    ),
    "set_volume": Action(
        "set the volume of",
        {"media_player": "volume_set"},
        "",
        "volume_level",
        "volume_level",
        0.01,
        unit=" %",
        tolerance=0.011,
    ),
    "set_speed": Action(
        "set the speed of", {"fan": "set_percentage"}, "", "percentage", "percentage", unit=" %", tolerance=1
    ),
    "play": Action("play", {"media_player": "media_play"}, "playing"),
    "pause": Action("pause", {"media_player": "media_pause"}, "paused"),
    "next": Action("skip a track on", {"media_player": "media_next_track"}),
    "previous": Action("go back a track on", {"media_player": "media_previous_track"}),
    "start": Action("start", {"vacuum": "start"}, "cleaning"),
    "dock": Action("dock", {"vacuum": "return_to_base"}),
}


@dataclass(frozen=True)
class Change:
    """One entity's change: the call, what is expected to be found before, and what should be found afterwards.

    ``attribute``: the one that is compared; empty: the state. ``before``, ``after``: as `value_of` writes them;
    ``after`` empty: it cannot be told. ``tolerance``: how far a number may be from ``after``. ``words``: ``on → off``.
    """

    entity: str
    service: str
    data: dict[str, Any]
    attribute: str
    before: str
    after: str
    tolerance: float
    words: str


def plan_change(action: str, value: str, entity: EntityInfo, state: State) -> Change | None:
    """What an action changes of an entity; None when it is so already.

    Raises:
        ToolArgumentError: no such action, not with such an entity, a value that cannot be, a state that is not known.
    """
    known = ACTIONS.get(action)
    if known is None:
        raise ToolArgumentError(f"there is no action {action!r}", tuple(ACTIONS))
    service = known.services.get(entity.domain)
    if service is None:
        raise ToolArgumentError(f"{entity.name} is a {entity.domain.replace('_', ' ')}: one cannot {known.verb} it")
    if state.value in UNKNOWN and entity.domain not in RUN:
        raise ToolArgumentError(f"{entity.name} is {state.value}, so nothing can be said of what would change")
    number = read_number(known, value, entity, state) if known.key and known.key != "color_name" else None
    if known.key == "color_name" and not value:
        raise ToolArgumentError("value is the name of a color, such as red")
    data: dict[str, Any] = {}
    after, attribute = known.state if entity.domain not in RUN else "", known.attribute
    if number is not None:
        sent = number * known.scale if known.key == "volume_level" else number
        data = {known.key: round(sent, 2) if sent % 1 else int(sent)}
        after = f"{round(number * 2.55) if attribute == 'brightness' else sent:g}"
    elif known.key:
        data, after = {known.key: value.lower()}, ""
    if after and same(value_of(state, attribute), after, known.tolerance) and known.state in {"", state.value}:
        return None
    to = f"{number:g}{known.unit}" if number is not None else value.lower() if known.key else known.state or known.verb
    if entity.domain in RUN:
        to = "run"
    words = f"{say_state(state, entity.device_class)} → {to}" if entity.domain not in RUN else to
    service = f"{entity.domain}.{service}"
    return Change(entity.id, service, data, attribute, value_of(state, attribute), after, known.tolerance, words)


def read_number(known: Action, value: str, entity: EntityInfo, state: State) -> float:
    """The value that is set; ``by -2`` is two less than now.

    Raises:
        ToolArgumentError: it is no number, or out of the range of the thing.
    """
    try:
        number = float(value.removeprefix(MORE)) + (held_by(known, entity, state) if value.startswith(MORE) else 0)
    except ValueError as error:
        raise ToolArgumentError(f"value {value!r} is no number") from error
    lowest, highest = known.lowest, known.highest
    if known.attribute == "temperature":
        lowest = float(state.attributes.get("min_temp") or lowest)
        highest = float(state.attributes.get("max_temp") or highest)
    if not lowest <= number <= highest:
        unit = known.unit
        raise ToolArgumentError(f"{entity.name} takes {lowest:g}{unit} to {highest:g}{unit}, not {number:g}{unit}")
    return number


def held_by(known: Action, entity: EntityInfo, state: State) -> float:
    """The value that an action would set, as it is now, in its unit. Raises: ToolArgumentError: there is none."""
    held = state.attributes.get(known.attribute)
    if not isinstance(held, int | float):
        raise ToolArgumentError(f"{entity.name} has no {known.attribute.replace('_', ' ')} that could go up or down")
    share = 2.55 if known.attribute == "brightness" else known.scale
    return round(held / share, 1)


def value_of(state: State, attribute: str = "") -> str:
    """The state or one of its attributes, as text that two equal values share: numbers without needless zeros."""
    value = state.attributes.get(attribute) if attribute else state.value
    if isinstance(value, float | int) and not isinstance(value, bool):
        return f"{value:g}"
    return "" if value is None else str(value)


def same(found: str, wanted: str, tolerance: float = 0.0) -> bool:
    """Whether two values are the same, numbers within a tolerance."""
    try:
        return abs(float(found) - float(wanted)) <= tolerance
    except ValueError:
        return found == wanted
