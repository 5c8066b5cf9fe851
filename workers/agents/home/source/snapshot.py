"""Registries and states -> the home as people name it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from workers.agents.home.source.exposure import is_exposed, mapping_of
from workers.agents.home.source.model import Home
from workers.agents.home.source.registries import Registries
from workers.contracts import EntityInfo

SERVICE = re.compile(r"[a-z0-9_]+\.[a-z0-9_]+")


def read_home(lists: Registries) -> Home:
    """All entities that Assist may see and that have a state, with their names, areas and floors."""
    registered = by_id(lists.entities, "entity_id")
    devices, areas = by_id(lists.devices, "id"), by_id(lists.areas, "area_id")
    floors = by_id(lists.floors, "floor_id")
    entities = {}
    for state in lists.states:
        id_, attributes = str(state.get("entity_id", "")), mapping_of(state.get("attributes"))
        entry = registered.get(id_)
        device_class = str(attributes.get("device_class") or "")
        if (entry or {}).get("disabled_by"):
            continue
        if is_exposed(id_, device_class, entry, lists.exposed, by_default=lists.by_default):
            named = lists.named.get(id_, entry or {})
            area = areas.get(area_of(entry or {}, devices), {})
            floor = floors.get(str(area.get("floor_id") or ""), {})
            entities[id_] = EntityInfo(
                id=id_,
                name=str(attributes.get("friendly_name") or named.get("name") or named.get("original_name") or id_),
                aliases=texts(named.get("aliases")),
                area=str(area.get("name") or ""),
                area_aliases=texts(area.get("aliases")),
                floor=str(floor.get("name") or ""),
                floor_aliases=texts(floor.get("aliases")),
                device_class=device_class or climate_class(id_, attributes),
            )
    touches = {routine: touched_by(answer, lists, devices) for routine, answer in lists.related.items()}
    scenes = {str(s.get("entity_id")): mapping_of(s.get("attributes")).get("entity_id") for s in lists.states}
    for routine, known in touches.items():
        members = scenes.get(routine)
        if routine.startswith("scene.") and isinstance(members, list | tuple):  # exact, where search adds their rooms
            touches[routine] = frozenset(map(str, members))
        if routine.startswith("script."):
            body = lists.scripts.get(routine)
            touches[routine] = None if body is None or known is None else known | services_in(body)
    return Home(entities, touches)


def climate_class(id_: str, attributes: Mapping[str, Any]) -> str:
    """``heating`` or ``cooling`` for a thermostat that does only one of them; empty for anything else."""
    modes = set(texts(attributes.get("hvac_modes"))) if id_.startswith("climate.") else set()
    heats, cools = modes & {"heat", "heat_cool", "auto"}, modes & {"cool", "heat_cool", "auto", "dry"}
    return "heating" if heats and not cools else "cooling" if cools and not heats else ""


def area_of(entry: Mapping[str, Any], devices: Mapping[str, Mapping[str, Any]]) -> str:
    """The area of an entity: its own, else its device's."""
    return str(entry.get("area_id") or devices.get(str(entry.get("device_id") or ""), {}).get("area_id") or "")


def touched_by(
    answer: Mapping[str, list[str]] | None, lists: Registries, devices: Mapping[str, Mapping[str, Any]]
) -> frozenset[str] | None:
    """Every entity that a scene or script may change: those it names, and all in areas and devices that it names."""
    if answer is None:
        return None
    found, areas, own = (set(texts(answer.get(kind))) for kind in ("entity", "area", "device"))
    for entry in lists.entities:
        if str(entry.get("device_id")) in own or area_of(entry, devices) in areas:
            found.add(str(entry.get("entity_id")))
    return frozenset(found)


def services_in(body: object) -> frozenset[str]:
    """What a script does, at whatever depth, as services; what is not written plainly is an unknown script.

    Shorthands are spelled out: a scene that is turned on, an event that is fired, an action of a device.
    """
    if isinstance(body, list):
        return frozenset().union(*map(services_in, body))
    if not isinstance(body, dict):
        return frozenset()
    called = [body[key] for key in ("service", "action") if isinstance(body.get(key), str)]
    called += [body["scene"]] if isinstance(body.get("scene"), str) else []
    called += ["event.fire"] if "event" in body else []
    called += [f"{body.get('domain')}.{body['type']}"] if "device_id" in body and "type" in body else []
    own = frozenset(name if SERVICE.fullmatch(name) else "script.?" for name in called)
    return own.union(*map(services_in, body.values()))


def by_id(rows: Iterable[Mapping[str, Any]], key: str) -> dict[str, Mapping[str, Any]]:
    """Objects by one of their fields."""
    return {str(row[key]): row for row in rows if row.get(key)}


def texts(value: object) -> tuple[str, ...]:
    """The texts of a list that are not empty."""
    return tuple(v for v in value if isinstance(v, str) and v) if isinstance(value, list | tuple) else ()
