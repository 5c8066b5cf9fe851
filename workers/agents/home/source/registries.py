"""The registries over the WebSocket API: entities, devices, areas, floors, what is exposed, what scenes touch."""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from workers.agents.home.sections import HomeAssistantSection
from workers.agents.home.source.rest_client import TooSlow
from workers.errors import ToolDenied, ToolUnavailable

MOST_BYTES = 64 * 2**20
CLOSE_S = 0.2


@dataclass(frozen=True)
class Registries:
    """Lists as Home Assistant gives them; empty where its version has none (floors came with 2024.4).

    ``exposed``: entity id -> {assistant: true}; ``by_default``: whether new entities are exposed by Assist's defaults;
    ``related``: scene or script -> what ``search/related`` says; ``scripts``: script -> its configuration; None when
    that is not known.
    """

    states: Sequence[dict[str, Any]] = ()
    entities: Sequence[dict[str, Any]] = ()
    named: dict[str, dict[str, Any]] = field(default_factory=dict)
    devices: Sequence[dict[str, Any]] = ()
    areas: Sequence[dict[str, Any]] = ()
    floors: Sequence[dict[str, Any]] = ()
    exposed: dict[str, dict[str, Any]] = field(default_factory=dict)
    by_default: bool = True
    related: dict[str, dict[str, list[str]] | None] = field(default_factory=dict)
    scripts: dict[str, Any] = field(default_factory=dict)


COMMANDS = {
    "states": "get_states",
    "entities": "config/entity_registry/list",
    "devices": "config/device_registry/list",
    "areas": "config/area_registry/list",
    "floors": "config/floor_registry/list",
}


def read_registries(access: HomeAssistantSection, routines: Sequence[str] = ()) -> Registries:
    """All of them, over one connection.

    Args:
        access: where Home Assistant is.
        routines: ids of the scenes and scripts of which it is asked what they touch.

    Raises:
        ToolUnavailable: no answer, none in time, or one in another shape.
        ToolDenied: the token is refused.
    """
    try:
        with open_connection(access) as connection:
            return ask_registries(Conversation(connection, access.timeout_ms / 1000), routines)
    except TimeoutError as error:
        raise TooSlow("Home Assistant did not answer in time") from error
    except (OSError, WebSocketException, ValueError) as error:
        raise ToolUnavailable(f"Home Assistant does not answer: {str(error)[:200] or type(error).__name__}") from error


@contextmanager
def open_connection(access: HomeAssistantSection) -> Iterator[ClientConnection]:
    """A connection that has signed in. Raises: ToolDenied, OSError, WebSocketException, ValueError."""
    address = access.url.rstrip("/").replace("http", "ws", 1) + "/api/websocket"
    context = None
    if address.startswith("wss"):
        context = ssl.create_default_context(cafile=access.ca_file or None)
        if access.insecure_skip_verify:
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    within_s = access.timeout_ms / 1000
    with connect(
        address, ssl=context, open_timeout=within_s, close_timeout=CLOSE_S, max_size=MOST_BYTES, proxy=None
    ) as connection:
        connection.recv(within_s)  # auth_required
        connection.send(json.dumps({"type": "auth", "access_token": access.token}))
        answer = json.loads(connection.recv(within_s))
        if not isinstance(answer, dict) or answer.get("type") != "auth_ok":
            raise ToolDenied("Home Assistant refuses the token of home_assistant.token")
        yield connection


class Conversation:
    """Commands and their results, matched by id; all results of some commands come within ``within_s``."""

    def __init__(self, connection: ClientConnection, within_s: float) -> None:
        self.connection, self.within_s, self.last = connection, within_s, 0

    def ask(self, commands: Sequence[dict[str, Any]]) -> list[Any]:
        """The result of each command, sent at once; None for one that this version does not know or that failed."""
        first = self.last + 1
        for command in commands:
            self.last += 1
            self.connection.send(json.dumps({**command, "id": self.last}))
        found: dict[int, Any] = {}
        wanted, end = range(first, self.last + 1), time.monotonic() + self.within_s
        while len(found) < len(commands):
            said = json.loads(self.connection.recv(max(end - time.monotonic(), 0)))
            for one in said if isinstance(said, list) else [said]:
                if isinstance(one, dict) and one.get("type") == "result" and one.get("id") in wanted:
                    found[one["id"]] = one.get("result") if one.get("success") else None
        return [found[first + place] for place in range(len(commands))]


def ask_registries(talk: Conversation, routines: Sequence[str]) -> Registries:
    """All lists; the names of entities come by a second command, as the list leaves aliases out."""
    kinds = [*COMMANDS]
    *lists, exposed, new = talk.ask(
        [
            *({"type": COMMANDS[kind]} for kind in kinds),
            {"type": "homeassistant/expose_entity/list"},
            {"type": "homeassistant/expose_new_entities/get", "assistant": "conversation"},
        ]
    )
    found = {kind: rows_of(answer) for kind, answer in zip(kinds, lists, strict=True)}
    ids = [row["entity_id"] for row in found["entities"] if isinstance(row.get("entity_id"), str)]
    searches = [{"type": "search/related", "item_type": r.partition(".")[0], "item_id": r} for r in routines]
    scripts = [r for r in routines if r.startswith("script.")]
    configs = [{"type": "script/config", "entity_id": script} for script in scripts]
    answers = talk.ask([{"type": "config/entity_registry/get_entries", "entity_ids": ids}, *searches, *configs])
    named, related, bodies = answers[0], answers[1 : 1 + len(routines)], answers[1 + len(routines) :]
    listed = exposed.get("exposed_entities") if isinstance(exposed, dict) else None
    return Registries(
        **found,
        named={k: v for k, v in named.items() if isinstance(v, dict)} if isinstance(named, dict) else {},
        exposed=listed if isinstance(listed, dict) else {},
        by_default=bool(new.get("expose_new", True)) if isinstance(new, dict) else True,
        related={r: answer if isinstance(answer, dict) else None for r, answer in zip(routines, related, strict=True)},
        scripts=dict(zip(scripts, bodies, strict=True)),
    )


def rows_of(answer: object) -> list[dict[str, Any]]:
    """The objects of a list; none of anything else."""
    return [row for row in answer if isinstance(row, dict)] if isinstance(answer, list) else []
