"""How a state is said and compared: ``open`` for a window's ``on``, numbers with their unit, what counts as on."""

from __future__ import annotations

from workers.agents.home.language.vocabulary import BINARY_STATES
from workers.agents.home.source.model import UNKNOWN, State, domain_of

RESTING = {
    "media_player": frozenset({"off", "standby", "idle", "paused"}),
    "vacuum": frozenset({"docked", "idle", "off"}),
}
"""States besides ``off`` in which something is not on."""
MODES = {"heat": "heating", "cool": "cooling", "heat_cool": "heating or cooling", "dry": "drying"}
"""Modes of a thermostat as people say them."""


def spoken(entity: str, device_class: str, value: str) -> str:
    """A state in the words that people use for it."""
    words = BINARY_STATES.get(device_class) if domain_of(entity) == "binary_sensor" else None
    if words and value in {"on", "off"}:
        return words[value == "off"]
    if domain_of(entity) == "climate" and value in MODES:
        return MODES[value]
    return value.replace("_", " ")


def say_state(state: State, device_class: str) -> str:
    """The state with its unit, and the value that goes with it: ``on, 80 %``, ``heat, 22 °C wanted``."""
    said = spoken(state.entity, device_class, state.value)
    if state.value in UNKNOWN:
        return said
    if state.unit:
        return f"{said} {state.unit}"
    more = detail(state)
    return f"{said}, {more}" if more else said


SHARES = {"light": "", "cover": "", "fan": "", "media_player": "volume ", "vacuum": "battery "}
"""Kinds of things of which a share is told, and what it is of."""


def detail(state: State) -> str:
    """What an attribute adds to a state; empty when nothing does."""
    held, domain, found = state.attributes, domain_of(state.entity), number_of(state)
    if domain == "climate" and number(held.get("temperature")) is not None:
        return f"{held['temperature']:g}° wanted" + (f", {found[0]:g}° now" if found else "")
    if domain not in SHARES or found is None or state.value in {"off", "closed", "opening", "closing"}:
        return ""
    return "" if (domain, found[0]) == ("cover", 100) else f"{SHARES[domain]}{found[0]:.0f} %"


def number_of(state: State) -> tuple[float, str] | None:
    """The number that people compare: of a sensor its value, of a light its brightness; with its unit."""
    held, domain = state.attributes, domain_of(state.entity)
    if state.value in UNKNOWN:
        return None
    if state.unit or domain == "sensor":
        try:
            return float(state.value), state.unit
        except ValueError:
            return None
    if domain == "light" and state.value == "on" and (bright := number(held.get("brightness"))) is not None:
        return round(bright / 2.55, 1), "%"
    if domain == "media_player" and (volume := number(held.get("volume_level"))) is not None:
        return round(volume * 100, 1), "%"
    key, unit = NUMBERS.get(domain, ("", ""))
    found = number(held.get(key))
    return None if found is None else (found, unit)


NUMBERS = {
    "climate": ("current_temperature", "°"),
    "cover": ("current_position", "%"),
    "fan": ("percentage", "%"),
    "vacuum": ("battery_level", "%"),
}
"""Kind of thing -> the attribute that is compared, and its unit."""


def number(value: object) -> float | None:
    """A number; None for anything else."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def is_so(state: State, device_class: str, wanted: str) -> bool | None:
    """Whether something is as asked; None when its state is not known.

    Args:
        state: as it is now.
        device_class: of the entity.
        wanted: ``on``, ``off``, ``open``, ``locked`` …, or a state in people's or in Home Assistant's own words.
    """
    if wanted in UNKNOWN:
        return state.value in UNKNOWN
    if state.value in UNKNOWN:
        return None
    domain, said = domain_of(state.entity), spoken(state.entity, device_class, state.value)
    if wanted in {"on", "off"} and domain != "binary_sensor":
        on = state.value != "off" and state.value not in RESTING.get(domain, frozenset())
        return on == (wanted == "on")
    if wanted == "open" and domain in {"cover", "valve"}:
        return state.value in {"open", "opening", "closing"}
    return wanted.lower() in {said.lower(), state.value.lower()}
