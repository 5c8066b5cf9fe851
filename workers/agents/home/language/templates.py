"""Home Assistant's own sentence templates, in many languages: the library home-assistant-intents, matched by hassil."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from workers.agents.home.language.request import HomeRequest, Target
from workers.contracts import EntityInfo

if TYPE_CHECKING:  # the library takes long to load, and most questions are of no home
    from hassil import Intents, RecognizeResult, SlotList

OPENING, LOCKING = frozenset({"cover", "valve"}), frozenset({"lock"})
ACTIONS: Mapping[str, tuple[str, str]] = {
    "HassLightSet": ("set_brightness", "brightness"),
    "HassClimateSetTemperature": ("set_temperature", "temperature"),
    "HassSetPosition": ("set_position", "position"),
    "HassSetVolume": ("set_volume", "volume_level"),
    "HassFanSetSpeed": ("set_speed", "percentage"),
    "HassMediaPause": ("pause", ""),
    "HassMediaUnpause": ("play", ""),
    "HassMediaNext": ("next", ""),
    "HassMediaPrevious": ("previous", ""),
    "HassVacuumStart": ("start", ""),
    "HassVacuumReturnToBase": ("dock", ""),
}
"""Intents -> what is done, and the slot with the value."""
SUPPORTED = frozenset({"HassTurnOn", "HassTurnOff", "HassGetState", "HassClimateGetTemperature", *ACTIONS})
LANGUAGE = "en"


@lru_cache(maxsize=4)
def intents_of(language: str) -> Intents | None:
    """The templates of a language, of the intents that are known here; None when there are none."""
    from hassil import Intents  # noqa: PLC0415 - see above
    from home_assistant_intents import get_intents  # noqa: PLC0415 - as above

    found: dict[str, Any] | None = get_intents(language)
    if not found:
        return None
    kept = {name: intent for name, intent in found["intents"].items() if name in SUPPORTED}
    return Intents.from_dict({**found, "intents": kept})


@lru_cache(maxsize=8)
def slots_of(entities: tuple[EntityInfo, ...]) -> dict[str, SlotList]:
    """The names of a home as the library takes them."""
    from hassil import TextSlotList  # noqa: PLC0415 - as above

    names = {
        (name.lower(), e.domain, e.device_class): (
            name,
            name,
            {"domain": e.domain, **({"device_class": e.device_class} if e.device_class else {})},
        )
        for e in entities
        for name in (e.name, *e.aliases)
    }
    areas = {(name, e.area) for e in entities for name in (e.area, *e.area_aliases) if name}
    floors = {(name, e.floor) for e in entities for name in (e.floor, *e.floor_aliases) if name}
    return {
        "name": TextSlotList.from_tuples(names.values(), allow_template=False, name="name"),
        "area": TextSlotList.from_tuples(((n, v, {}) for n, v in sorted(areas)), allow_template=False, name="area"),
        "floor": TextSlotList.from_tuples(((n, v, {}) for n, v in sorted(floors)), allow_template=False, name="floor"),
    }


def read_template(
    text: str, entities: tuple[EntityInfo, ...], language: str = LANGUAGE, area: str = ""
) -> HomeRequest | None:
    """What a sentence asks by the templates; None when none fits.

    Args:
        text: the sentence.
        entities: of the home.
        language: its code, as Home Assistant has it.
        area: where the speaker is; empty when that is not known, as in Slack.
    """
    from hassil import recognize_best  # noqa: PLC0415 - as above

    intents = intents_of(language)
    if intents is None:
        return None
    result = recognize_best(
        text,
        intents,
        slot_lists=slots_of(entities),
        intent_context={"area": area} if area else None,
        language=language,
        best_slot_name="name",
    )
    return None if result is None else to_request(result, entities, area)


def to_request(result: RecognizeResult, entities: tuple[EntityInfo, ...], area: str) -> HomeRequest:
    """The library's result in our words."""
    slots = {name: entity.value for name, entity in result.entities.items()}
    name, domains, classes = str(slots.get("name", "")), listed(slots.get("domain")), listed(slots.get("device_class"))
    context = listed(result.context.get("domain")) if name else []
    kinds = listed(result.context.get("device_class")) if name else []
    ids = frozenset(
        e.id
        for e in entities
        if name.lower() in {n.lower() for n in (e.name, *e.aliases)}
        and (not context or e.domain in context)
        and (not kinds or e.device_class in kinds)
    )
    place = str(slots.get("area", "")) or (area if not name and "floor" not in slots else "")
    intent = result.intent.name
    action, value = action_of(intent, slots, frozenset((*domains, *context)))
    target = Target(
        names=((name, ids),) if name else (),
        areas=(place,) if place else (),
        floors=(str(slots["floor"]),) if "floor" in slots else (),
        nouns=tuple(nouns_of(intent, domains, classes)) if not name else (),
        whole=not name,
    )
    if action:
        return HomeRequest("change", action, value, targets=(target,))
    return HomeRequest("state", state=str(slots.get("state", "")), targets=(target,))


def action_of(intent: str, slots: Mapping[str, Any], domains: frozenset[str]) -> tuple[str, str]:
    """What is to be done, and the value; both empty for a question."""
    if intent in {"HassTurnOn", "HassTurnOff"}:
        on = intent == "HassTurnOn"
        if domains & OPENING:
            return ("open" if on else "close"), ""
        if domains & LOCKING:
            return ("lock" if on else "unlock"), ""
        return ("turn_on" if on else "turn_off"), ""
    if intent not in ACTIONS:
        return "", ""
    action, slot = ACTIONS[intent]
    if intent == "HassLightSet" and "brightness" not in slots:
        return "set_color", str(slots.get("color") or slots.get("temperature") or "")
    value = slots.get(slot, "")
    return action, f"{value:g}" if isinstance(value, float | int) else str(value)


def nouns_of(intent: str, domains: list[str], classes: list[str]) -> list[str]:
    """Kinds of things: a device class says more than a domain."""
    if classes:
        return [f"{domain}.{kind}" for domain in domains or ["*"] for kind in classes]
    if intent == "HassClimateGetTemperature":
        return ["temperature"]
    return domains


def listed(value: object) -> list[str]:
    """A value or several as texts."""
    if value is None or value == "":
        return []
    return [str(v) for v in value] if isinstance(value, list | tuple | set | frozenset) else [str(value)]
