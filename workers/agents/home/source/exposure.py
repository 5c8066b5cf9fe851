"""Which entities Assist may see: what people decided in Home Assistant, else what Assist shows by default.

The defaults are those of Home Assistant (homeassistant/components/homeassistant/exposed_entities.py): locks, alarms,
scripts, buttons and most sensors are hidden until somebody shows them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ASSISTANT = "conversation"
DOMAINS = frozenset("climate cover fan humidifier light media_player scene switch todo vacuum water_heater".split())
BINARY_SENSORS = frozenset("door garage_door lock motion opening presence window".split())
SENSORS = frozenset(
    "aqi carbon_monoxide carbon_dioxide humidity pm10 pm25 temperature volatile_organic_compounds".split()
)


def is_exposed(
    entity: str, device_class: str, registered: Mapping[str, Any] | None, listed: Mapping[str, Any], *, by_default: bool
) -> bool:
    """Whether Assist may see an entity.

    Args:
        entity: its id.
        device_class: as its state says it.
        registered: its entry in the entity registry; None when it has none.
        listed: ``homeassistant/expose_entity/list``: entity id -> {assistant: whether it may}.
        by_default: whether new entities are exposed by Assist's defaults.
    """
    told = mapping_of(listed.get(entity))
    if ASSISTANT in told:
        return bool(told[ASSISTANT])
    options = mapping_of((registered or {}).get("options"))
    decided = mapping_of(options.get(ASSISTANT)).get("should_expose")
    if decided is not None:
        return bool(decided)
    if registered is None and entity in listed:
        return False
    return by_default and shown_by_default(entity, device_class, registered or {})


def shown_by_default(entity: str, device_class: str, registered: Mapping[str, Any]) -> bool:
    """Whether Assist sees it when nobody decided."""
    if registered.get("entity_category") or registered.get("hidden_by"):
        return False
    domain = entity.partition(".")[0]
    if domain == "binary_sensor":
        return device_class in BINARY_SENSORS
    return domain in DOMAINS or (domain == "sensor" and device_class in SENSORS)


def mapping_of(value: object) -> Mapping[str, Any]:
    """An object; an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}
