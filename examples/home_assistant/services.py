"""What services do to the small home's states."""

from __future__ import annotations

from typing import Any

from examples.home_assistant.small_home import SCENES

STATES = {
    "open_cover": ("open", {"current_position": 100}),
    "close_cover": ("closed", {"current_position": 0}),
    "lock": ("locked", {}),
    "unlock": ("unlocked", {}),
    "media_play": ("playing", {}),
    "media_pause": ("paused", {}),
}
Change = tuple[str, dict[str, Any]]


def after(domain: str, service: str, data: dict[str, Any], before: dict[str, Any]) -> Change:
    """The state and the attributes that an entity has after a service. Raises: LookupError: no such service."""
    state, known = str(before["state"]), before["attributes"]
    if service in STATES:
        return STATES[service]
    if service == "turn_off":
        gone: dict[str, dict[str, Any]] = {"light": {"brightness": None}, "fan": {"percentage": 0}}
        return "off", gone.get(domain, {})
    if service == "turn_on":
        return turned_on(domain, data, known)
    if (domain, service) == ("climate", "set_temperature"):
        return str(data.get("hvac_mode", state)), {"temperature": float(data["temperature"])}
    if (domain, service) == ("climate", "set_hvac_mode"):
        return str(data["hvac_mode"]), {}
    if (domain, service) == ("cover", "set_cover_position"):
        position = int(data["position"])
        return "open" if position else "closed", {"current_position": position}
    if (domain, service) == ("fan", "set_percentage"):
        return "on" if data["percentage"] else "off", {"percentage": int(data["percentage"])}
    if (domain, service) == ("media_player", "volume_set"):
        return state, {"volume_level": float(data["volume_level"])}
    raise LookupError(f"{domain}.{service}")


def turned_on(domain: str, data: dict[str, Any], known: dict[str, Any]) -> Change:
    """As `after`, of ``turn_on``."""
    if domain == "light":
        share = data.get("brightness_pct")
        own = known.get("brightness") or 255
        brightness = data.get("brightness", own) if share is None else round(float(share) * 2.55)
        return "on", {"brightness": brightness} if "brightness" in known else {}
    if domain == "fan":
        return "on", {"percentage": int(data.get("percentage", 100))}
    return ("heat" if domain == "climate" else "on"), {}


def scene_changes(scene: str) -> dict[str, Change]:
    """What a scene sets."""
    return dict(SCENES.get(scene, {}))
