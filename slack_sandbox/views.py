"""Modals and home tabs: the stack a person sees, and the record of one view."""

import secrets
from typing import Any

from slack_sandbox.block_tree import with_ids
from slack_sandbox.errors import Refused
from slack_sandbox.sandbox import Sandbox
from slack_sandbox.state import Json, new_id
from slack_sandbox.view_values import initial_values, kept

_DEPTH = 3
_KEPT = ("id", "root_view_id", "previous_view_id", "state")


def open_view(sandbox: Sandbox, user: str, view: Json, channel: str = "") -> Json:
    """Shows a modal in place of all that the user had open; `channel` is where the user is.

    Returns: the view as stored.
    """
    _check_external_id(sandbox, view, "")
    record = _record(sandbox, view, new_id("V"), channel=channel)
    sandbox.state.view_stack[user] = [record["id"]]
    return _keep(sandbox, user, record)


def push_view(sandbox: Sandbox, user: str, view: Json) -> Json:
    """Shows a modal on top of the user's stack.

    Raises:
        Refused: not_found without an open view, push_limit_reached over three.
    """
    stack = sandbox.state.view_stack.get(user)
    if not stack:
        raise Refused("not_found")
    if len(stack) >= _DEPTH:
        raise Refused("push_limit_reached")
    _check_external_id(sandbox, view, "")
    record = _record(sandbox, view, new_id("V"), root=stack[0], previous=stack[-1])
    stack.append(record["id"])
    return _keep(sandbox, user, record)


def update_view(sandbox: Sandbox, record: Json, view: Json, expected_hash: str = "") -> Json:
    """Replaces what an open modal shows; inputs of blocks that stay keep their values.

    Raises:
        Refused: hash_conflict when `expected_hash` is not the view's.
    """
    if expected_hash and expected_hash != record["hash"]:
        raise Refused("hash_conflict")
    _check_external_id(sandbox, view, record["id"])
    fresh = _record(sandbox, view, record["id"]) | {name: record[name] for name in _KEPT}
    values = kept(initial_values(fresh["blocks"]), record["state"]["values"])
    return _keep(sandbox, owner_of(sandbox, record["id"]), fresh | {"state": {"values": values}})


def publish_home(sandbox: Sandbox, user: str, view: Json, expected_hash: str = "") -> Json:
    """Replaces a user's home tab.

    Raises:
        Refused: hash_conflict.
    """
    before = sandbox.state.homes.get(user)
    if expected_hash and before and expected_hash != before["hash"]:
        raise Refused("hash_conflict")
    record = _record(sandbox, view, before["id"] if before else new_id("V"))
    sandbox.state.homes[user] = record
    sandbox.page.send("home", [user], view=record)
    return record


def close_view(sandbox: Sandbox, user: str, view_id: str, *, everything: bool = False) -> list[Json]:
    """Takes a view off the user's stack, or the whole stack.

    Returns: the views closed.
    """
    stack = sandbox.state.view_stack.get(user, [])
    leaving = list(stack) if everything else [view_id]
    closed = [sandbox.state.views.pop(gone) for gone in leaving if gone in sandbox.state.views]
    sandbox.state.view_stack[user] = [view for view in stack if view not in leaving]
    for record in closed:
        sandbox.page.send("view_closed", [user], view_id=record["id"])
    return closed


def find_view(sandbox: Sandbox, view_id: str, external_id: str = "") -> Json:
    """Returns: an open modal or a home tab by its id or external id.

    Raises:
        Refused: not_found.
    """
    for record in [*sandbox.state.views.values(), *sandbox.state.homes.values()]:
        if record["id"] == view_id or (external_id and record["external_id"] == external_id):
            return record
    raise Refused("not_found")


def owner_of(sandbox: Sandbox, view_id: str) -> str:
    """Returns: the user who has this modal open; "" when nobody has."""
    return next((user for user, stack in sandbox.state.view_stack.items() if view_id in stack), "")


def _keep(sandbox: Sandbox, user: str, record: Json) -> Json:
    sandbox.state.views[record["id"]] = record
    sandbox.page.send("view", [user], view=record)
    return record


def _record(
    sandbox: Sandbox, view: Json, view_id: str, *, root: str = "", previous: str | None = None, channel: str = ""
) -> Json:
    state = sandbox.state
    blocks = with_ids(view["blocks"])
    fields: dict[str, Any] = {name: view.get(name) for name in ("title", "submit", "close")}
    return fields | {
        "id": view_id,
        "team_id": state.team_id,
        "type": view["type"],
        "blocks": blocks,
        "private_metadata": view.get("private_metadata") or "",
        "callback_id": view.get("callback_id") or "",
        "external_id": view.get("external_id") or "",
        "clear_on_close": bool(view.get("clear_on_close")),
        "notify_on_close": bool(view.get("notify_on_close")),
        "state": {"values": initial_values(blocks, channel)},
        "hash": f"{state.next_ts()}.{secrets.token_hex(4)}",
        "root_view_id": root or view_id,
        "previous_view_id": previous,
        "app_id": state.app_id,
        "app_installed_team_id": state.team_id,
        "bot_id": state.bot_id,
    }


def _check_external_id(sandbox: Sandbox, view: Json, own_id: str) -> None:
    external_id = view.get("external_id")
    for record in sandbox.state.views.values():
        if external_id and record["external_id"] == external_id and record["id"] != own_id:
            raise Refused("duplicate_external_id")
