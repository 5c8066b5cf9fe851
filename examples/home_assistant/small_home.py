"""The small home: two floors, four rooms, and what stands in them; how it stands and stood, relative to a moment."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from workers.contracts import EntityInfo

FLOORS = {"upstairs": ("Upstairs", ["first floor"]), "downstairs": ("Downstairs", ["ground floor"])}
AREAS = {
    "lab": ("Lab", "upstairs", ["laboratory"]),
    "office": ("Office", "upstairs", []),
    "kitchen": ("Kitchen", "downstairs", []),
    "garage": ("Garage", "downstairs", []),
}
DIMMABLE = {"supported_color_modes": ["brightness"], "supported_features": 0}


def heats(now: float, wanted: float) -> dict[str, Any]:
    """The attributes of a thermostat, temperatures in °C."""
    return {**HEATS, "current_temperature": now, "temperature": wanted}


HEATS = {
    "hvac_modes": ["heat", "off"],
    "min_temp": 7,
    "max_temp": 35,
    "target_temp_step": 0.5,
    "supported_features": 1,
}
CELSIUS = {"device_class": "temperature", "unit_of_measurement": "°C", "state_class": "measurement"}
HUMIDITY = {"device_class": "humidity", "unit_of_measurement": "%", "state_class": "measurement"}
PLAYS = {"volume_level": 0.3, "supported_features": 20925}
SCENES: dict[str, dict[str, tuple[str, dict[str, Any]]]] = {
    "scene.good_night": {
        "light.lab_ceiling": ("off", {"brightness": None}),
        "light.desk_lamp": ("off", {"brightness": None}),
        "light.lab_floor_lamp": ("off", {"brightness": None}),
        "light.kitchen_ceiling": ("off", {"brightness": None}),
        "media_player.kitchen_radio": ("off", {}),
    },
    "scene.leaving": {
        "light.kitchen_ceiling": ("off", {"brightness": None}),
        "lock.front_door": ("locked", {}),
        "cover.garage_door": ("closed", {"current_position": 0}),
    },
}
Row = tuple[str, str, str, str, dict[str, Any], list[str]]
ENTITIES: tuple[Row, ...] = (  # id, name, area, state, attributes, aliases
    ("light.lab_ceiling", "Lab ceiling light", "lab", "on", {**DIMMABLE, "brightness": 255}, []),
    ("light.desk_lamp", "Desk lamp", "lab", "on", {**DIMMABLE, "brightness": 204}, ["workbench lamp"]),
    ("light.lab_floor_lamp", "Floor lamp", "lab", "on", {**DIMMABLE, "brightness": 128}, []),
    ("light.office_ceiling", "Office ceiling light", "office", "off", {**DIMMABLE, "brightness": None}, []),
    ("light.office_floor_lamp", "Floor lamp", "office", "off", {**DIMMABLE, "brightness": None}, []),
    ("light.kitchen_ceiling", "Kitchen ceiling light", "kitchen", "on", {**DIMMABLE, "brightness": 255}, []),
    ("light.kitchen_counter", "Counter light", "kitchen", "off", {**DIMMABLE, "brightness": None}, ["worktop light"]),
    ("light.garage", "Garage light", "garage", "off", {"supported_color_modes": ["onoff"]}, []),
    ("switch.fridge", "Fridge", "kitchen", "on", {"device_class": "outlet"}, ["refrigerator"]),
    ("switch.coffee_machine", "Coffee machine", "kitchen", "on", {"device_class": "outlet"}, []),
    ("switch.soldering_iron", "Soldering iron", "lab", "off", {"device_class": "outlet"}, []),
    ("fan.lab", "Lab fan", "lab", "off", {"percentage": 0, "percentage_step": 1.0, "supported_features": 1}, []),
    ("climate.lab", "Lab thermostat", "lab", "heat", heats(22.4, 22.0), []),
    ("climate.office", "Office thermostat", "office", "heat", heats(20.9, 21.0), []),
    ("media_player.kitchen_radio", "Kitchen radio", "kitchen", "playing", PLAYS, []),
    ("cover.garage_door", "Garage door", "garage", "open", {"device_class": "garage", "current_position": 100}, []),
    ("lock.front_door", "Front door", "", "locked", {"supported_features": 0}, []),
    ("lock.server_rack", "Server rack", "lab", "locked", {"supported_features": 0}, []),
    ("binary_sensor.kitchen_window", "Kitchen window", "kitchen", "off", {"device_class": "window"}, []),
    ("binary_sensor.garage_motion", "Garage motion", "garage", "off", {"device_class": "motion"}, []),
    ("sensor.lab_temperature", "Lab temperature", "lab", "22.4", CELSIUS, []),
    ("sensor.lab_humidity", "Lab humidity", "lab", "41", HUMIDITY, []),
    ("sensor.freezer_temperature", "Freezer temperature", "kitchen", "unavailable", CELSIUS, []),
    ("scene.good_night", "Good night", "", "unknown", {"entity_id": [*SCENES["scene.good_night"]]}, []),
    ("scene.leaving", "Leaving", "", "unknown", {"entity_id": [*SCENES["scene.leaving"]]}, []),
    ("script.welcome_guests", "Welcome guests", "", "off", {"current": 0}, []),
)  # fmt: skip
SHOWN = ("lock.front_door",)
"""Exposed to Assist by their people, beside what Assist shows by default; ``lock.server_rack`` stays hidden."""
PAST: dict[str, tuple[tuple[float, str], ...]] = {  # hours before the moment, and the state from then on
    "cover.garage_door": ((30.0, "closed"), (26.2, "open"), (25.9, "closed"), (2.1667, "open")),
    "light.lab_ceiling": ((30.0, "off"), (9.5, "on")),
    "light.desk_lamp": ((30.0, "off"), (3.25, "on")),
    "lock.front_door": ((30.0, "unlocked"), (14.0, "locked")),
    "binary_sensor.kitchen_window": ((30.0, "off"), (8.0, "on"), (7.5, "off")),
    "media_player.kitchen_radio": ((30.0, "off"), (1.5, "playing")),
    "sensor.lab_temperature": ((30.0, "19.8"), (9.0, "21.5"), (0.5, "22.4")),
}


def first_state(now: datetime) -> dict[str, Any]:
    """The file that holds the home: states by entity id, and the history.

    Returns: ``{"states": {id: {state, attributes, last_changed, last_updated}}, "history": [{entity_id, state,
    last_changed}], "faults": {}}``, times RFC 3339.
    """
    states: dict[str, Any] = {}
    history: list[dict[str, str]] = []
    for entity, name, _, state, attributes, _ in ENTITIES:
        past = PAST.get(entity, ((30.0, state),))
        moments = [((now - timedelta(hours=hours)).isoformat(), value) for hours, value in past]
        history += [{"entity_id": entity, "state": value, "last_changed": at} for at, value in moments]
        states[entity] = {
            "state": state,
            "attributes": {**attributes, "friendly_name": name},
            "last_changed": moments[-1][0],
            "last_updated": moments[-1][0],
        }
    return {"states": states, "history": history, "faults": {}}


def registry() -> dict[str, Any]:
    """What the WebSocket commands return, by their types."""
    entries = [
        {
            "entity_id": entity,
            "name": None,
            "original_name": name,
            "area_id": area or None,
            "device_id": None,
            "disabled_by": None,
            "hidden_by": None,
            "entity_category": None,
            "platform": "small_home",
            "unique_id": entity,
            "options": {"conversation": {"should_expose": True}} if entity in SHOWN else {},
        }
        for entity, name, area, _, _, _ in ENTITIES
    ]
    return {
        "config/entity_registry/list": entries,
        "config/device_registry/list": [],
        "config/area_registry/list": [
            {"area_id": key, "name": name, "floor_id": floor, "aliases": aliases, "icon": None, "picture": None}
            for key, (name, floor, aliases) in AREAS.items()
        ],
        "config/floor_registry/list": [
            {"floor_id": key, "name": name, "aliases": aliases, "level": None, "icon": None}
            for key, (name, aliases) in FLOORS.items()
        ],
        "homeassistant/expose_entity/list": {
            "exposed_entities": {e[0]: {"conversation": True} if e[0] in SHOWN else {} for e in ENTITIES}
        },
        "homeassistant/expose_new_entities/get": {"expose_new": True},
    }


def named_entries() -> dict[str, Any]:
    """``config/entity_registry/get_entries``: the entries with what the list leaves out."""
    aliases = {entity: names for entity, _, _, _, _, names in ENTITIES}
    return {
        entry["entity_id"]: {**entry, "aliases": aliases[entry["entity_id"]], "device_class": None}
        for entry in registry()["config/entity_registry/list"]
    }


def entity_infos() -> tuple[EntityInfo, ...]:
    """The things of the home that Assist may see, as a question may name them."""
    found = []
    for entity, name, area, _, attributes, aliases in ENTITIES:
        if entity.startswith("script.") or entity == "lock.server_rack":
            continue
        room, floor, area_aliases = AREAS.get(area, ("", "", []))
        level, floor_aliases = FLOORS.get(floor, ("", []))
        info = EntityInfo(
            id=entity,
            name=name,
            aliases=tuple(aliases),
            area=room,
            area_aliases=tuple(area_aliases),
            floor=level,
            floor_aliases=tuple(floor_aliases),
            device_class=attributes.get("device_class", ""),
        )
        found.append(info)
    return tuple(found)
