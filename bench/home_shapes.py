"""The small home's answers beside those of a real Home Assistant: which keys and types differ."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
from websockets.sync.client import connect

COMMANDS = (
    "get_states",
    "config/entity_registry/list",
    "config/device_registry/list",
    "config/area_registry/list",
    "config/floor_registry/list",
    "homeassistant/expose_entity/list",
    "homeassistant/expose_new_entities/get",
    "config/entity_registry/get_entries",
    "search/related",
    "nonsense",
)


def compare_shapes(small: str, real: str, token: str) -> str:
    """One line an answer: whether all that the small home says has the key and the type that the real one's has."""
    lines = ["shapes: small home beside the real one"]
    ours, theirs = answers(small, token), answers(real, token)
    for name in ours:
        wrong = sorted(differences(ours[name], theirs.get(name)))
        lines.append(f"{'ok   ' if not wrong else 'DIFF '} {name:44} {'; '.join(wrong)[:200]}")
    return "\n".join(lines)


def answers(url: str, token: str) -> dict[str, Any]:
    """Every answer that Oracle reads, by what was asked."""
    client = httpx.Client(base_url=url, headers={"authorization": f"Bearer {token}"})
    light = next(s["entity_id"] for s in client.get("/api/states").json() if s["entity_id"].startswith("light."))
    start = (datetime.now(UTC) - timedelta(hours=3)).isoformat()
    params = {"filter_entity_id": light, "minimal_response": "", "no_attributes": "", "significant_changes_only": "0"}
    refused = httpx.get(f"{url}/api/states", headers={"authorization": "Bearer wrong"})
    found: dict[str, Any] = {
        "GET /api/config": client.get("/api/config").json(),
        "GET /api/states": client.get("/api/states").json(),
        "POST /api/services/light/turn_off": client.post(
            "/api/services/light/turn_off", json={"entity_id": light}
        ).json(),
        "GET /api/history/period": client.get(f"/api/history/period/{start}", params=params).json(),
        "a wrong token: status": refused.status_code,
        "an unknown service: status": client.post("/api/services/light/fly", json={"entity_id": light}).status_code,
    }
    client.close()
    with connect(url.replace("http", "ws", 1) + "/api/websocket", max_size=2**26, proxy=None) as socket:
        found["auth_required"] = json.loads(socket.recv())
        socket.send(json.dumps({"type": "auth", "access_token": token}))
        found["auth_ok"] = json.loads(socket.recv())
        more: dict[str, dict[str, Any]] = {
            "homeassistant/expose_new_entities/get": {"assistant": "conversation"},
            "config/entity_registry/get_entries": {"entity_ids": [light]},
            "search/related": {"item_type": "entity", "item_id": light},
        }
        for number, command in enumerate(COMMANDS, 1):
            socket.send(json.dumps({"id": number, "type": command, **more.get(command, {})}))
            found[command] = json.loads(socket.recv())
    return found


def differences(ours: Any, theirs: Any, path: str = "") -> Iterator[str]:
    """Where our answer has a key or a type that theirs has not. Of lists the first object is looked at."""
    if theirs is None or ours is None:
        return
    if isinstance(ours, dict) and isinstance(theirs, dict):
        yield from differing_keys(ours, theirs, path)
    elif isinstance(ours, list) and isinstance(theirs, list):
        if ours and theirs:
            merged = {k: v for row in reversed(theirs) if isinstance(row, dict) for k, v in row.items()}
            yield from differences(ours[0], merged or theirs[0], f"{path}[]")
    elif type(ours) is not type(theirs) and not {type(ours), type(theirs)} <= {int, float}:
        yield f"{path}: {type(ours).__name__}, theirs {type(theirs).__name__}"
    elif isinstance(ours, int) and not path and ours != theirs:
        yield f"{ours}, theirs {theirs}"


def differing_keys(ours: dict[str, Any], theirs: dict[str, Any], path: str) -> Iterator[str]:
    """As `differences`, of two objects; of objects by entity ids one value is looked at."""
    if path.endswith(".exposed_entities") or (path.endswith(".result") and not set(ours) & set(theirs)):
        yield from differences(next(iter(ours.values()), None), next(iter(theirs.values()), None), f"{path}.*")
        return
    for key, value in ours.items():
        if key in theirs:
            yield from differences(value, theirs[key], f"{path}.{key}")
        elif not path.endswith("attributes"):
            yield f"{path}.{key}: theirs has none"
