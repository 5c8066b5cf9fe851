"""What a person can do, by name: one door for the page (`/client/*`) and for tests (`/control/*`)."""

from collections.abc import Awaitable, Callable

import slack_limits as limits
from slack_sandbox.api_objects import message_shape
from slack_sandbox.block_tree import find_element
from slack_sandbox.channel_actions import CHANNEL_ACTS
from slack_sandbox.channel_import import PAST_ACTS
from slack_sandbox.errors import Refused
from slack_sandbox.interactions import base_payload, failure_of, press, send_command, send_shortcut, submit_view
from slack_sandbox.messages import delete_message, edit_message, message_at, post_as_user
from slack_sandbox.methods_agent_sessions import stop_session
from slack_sandbox.methods_auth import uninstall
from slack_sandbox.methods_reactions_and_pins import react, unreact
from slack_sandbox.sandbox import Sandbox
from slack_sandbox.state import Json
from slack_sandbox.typed_text import encode_typed, rich_text_of
from slack_sandbox.views import find_view

_Act = Callable[[Sandbox, str, Json], Awaitable[Json]]


async def act(sandbox: Sandbox, verb: str, user: str, body: Json) -> Json:
    """Does what `user` asks for.

    Returns: `{"ok": true, …}`, or `{"ok": false, "error"}` when it can't be done.
    """
    handler = _ACTS.get(verb)
    if handler is None:
        return {"ok": False, "error": "unknown_verb"}
    try:
        return await handler(sandbox, user, body)
    except Refused as refusal:
        return {"ok": False, "error": refusal.code, **refusal.extra}


async def say(sandbox: Sandbox, user: str, body: Json) -> Json:
    """Posts what was typed; `deliveries` sends its events more than once, `team` names the person's workspace.

    Returns: `{ok, ts, event_ids}`.
    """
    channel = sandbox.channel(str(body.get("channel", "")))
    author = sandbox.person(body.get("user"), user)
    text = encode_typed(sandbox.state, str(body.get("text", "")))
    if channel.is_archived:
        raise Refused("is_archived")
    if not text.strip():
        raise Refused("no_text")
    if len(text) > limits.MESSAGE_TEXT_CHARS:
        raise Refused("msg_too_long")
    thread_ts, deliveries = str(body.get("thread_ts") or ""), int(body.get("deliveries") or 1)
    team_id = sandbox.grants.team(str(body.get("team") or "")).id
    ts, event_ids = post_as_user(
        sandbox, channel, author, text, thread_ts=thread_ts, deliveries=deliveries, team_id=team_id
    )
    return {"ok": True, "ts": ts, "channel": channel.id, "event_ids": event_ids}


async def _command(sandbox: Sandbox, user: str, body: Json) -> Json:
    channel = sandbox.channel(str(body.get("channel", "")))
    by = sandbox.person(body.get("user"), user)
    return await send_command(sandbox, channel, by, str(body.get("text", "")), team_id=str(body.get("team") or ""))


async def _edit(sandbox: Sandbox, user: str, body: Json) -> Json:
    channel = sandbox.channel(str(body.get("channel", "")))
    message = message_at(channel, str(body.get("ts", "")))
    by = sandbox.person(body.get("user"), user)
    if message["user"] != by:
        raise Refused("cant_update_message")
    text = encode_typed(sandbox.state, str(body.get("text", "")))
    if not text.strip():
        raise Refused("no_text")
    if text != message["text"]:
        edit_message(sandbox, channel, message, {"text": text, "blocks": rich_text_of(text)}, by=by)
    return {"ok": True}


async def _delete(sandbox: Sandbox, user: str, body: Json) -> Json:
    channel = sandbox.channel(str(body.get("channel", "")))
    ts = str(body.get("ts", ""))
    by = sandbox.person(body.get("user"), user)
    if ts in channel.ephemerals and channel.ephemerals[ts].user == by:
        del channel.ephemerals[ts]
        sandbox.page.send("deleted", [by], channel=channel.id, ts=ts, thread_ts="")
        return {"ok": True}
    message = message_at(channel, ts)
    if message["user"] != by:
        raise Refused("cant_delete_message")
    delete_message(sandbox, channel, message)
    return {"ok": True}


async def _reaction(sandbox: Sandbox, user: str, body: Json) -> Json:
    """Adds the reaction, or takes it away when this user has made it already, as a click does."""
    channel = sandbox.channel(str(body.get("channel", "")))
    message = message_at(channel, str(body.get("ts", "")))
    by, name = sandbox.person(body.get("user"), user), str(body.get("name", "")).strip(":")
    mine = any(item["name"] == name and by in item["users"] for item in message.get("reactions", []))
    (unreact if mine else react)(sandbox, channel, message, name, by)
    return {"ok": True}


async def _action(sandbox: Sandbox, user: str, body: Json) -> Json:
    return await press(sandbox, sandbox.person(body.get("user"), user), body)


async def _suggest(sandbox: Sandbox, user: str, body: Json) -> Json:
    return await suggest(sandbox, sandbox.person(body.get("user"), user), body)


async def _view(sandbox: Sandbox, user: str, body: Json) -> Json:
    return await submit_view(sandbox, sandbox.person(body.get("user"), user), body)


async def _shortcut(sandbox: Sandbox, user: str, body: Json) -> Json:
    by = sandbox.person(body.get("user"), user)
    return await send_shortcut(sandbox, by, str(body.get("callback_id", "")), body)


async def _stop(sandbox: Sandbox, user: str, body: Json) -> Json:
    channel = sandbox.channel(str(body.get("channel", "")))
    return stop_session(sandbox, channel, str(body.get("thread_ts", "")), sandbox.person(body.get("user"), user))


async def _open(sandbox: Sandbox, user: str, body: Json) -> Json:
    """Opens the app's messages or its home tab: the app is told, and may publish or suggest something."""
    tab, by = str(body.get("tab") or "messages"), sandbox.person(body.get("user"), user)
    if tab not in {"messages", "home"}:
        raise Refused("invalid_tab")
    event: Json = {"type": "app_home_opened", "user": by, "channel": sandbox.state.im_with(by).id, "tab": tab}
    view = sandbox.state.homes.get(by)
    if tab == "home" and view:
        event["view"] = view
    event_id = sandbox.deliveries.emit(event | {"event_ts": sandbox.state.next_ts()})
    return {"ok": True, "event_id": event_id, "view": view}


async def _uninstall(sandbox: Sandbox, user: str, body: Json) -> Json:  # noqa: ARG001
    team = sandbox.grants.team(str(body.get("team") or ""))
    return {"ok": True, "event_ids": uninstall(sandbox, team.id)}


_ACTS: dict[str, _Act] = {
    "message": say,
    "command": _command,
    "edit": _edit,
    "delete": _delete,
    "reaction": _reaction,
    "action": _action,
    "suggest": _suggest,
    "view": _view,
    "shortcut": _shortcut,
    "stop": _stop,
    "open": _open,
    "uninstall": _uninstall,
    **CHANNEL_ACTS,
    **PAST_ACTS,
}


async def suggest(sandbox: Sandbox, user: str, body: Json) -> Json:
    """Sends block_suggestion for the element of a message or a view, with what was typed (`value`).

    Returns: `{"ok": true, "options"?, "option_groups"?}` or `{"ok": false, "error"}`.
    Raises:
        Refused: channel_not_found, message_not_found, not_found, action_not_found.
    """
    ids = {name: str(body.get(name, "")) for name in ("block_id", "action_id")}
    payload = base_payload(sandbox, user, "block_suggestion", body) | ids | {"value": str(body.get("value", ""))}
    del payload["trigger_id"]  # nothing can be opened from here
    if body.get("view_id"):
        holder = find_view(sandbox, str(body["view_id"]))
        payload |= {"view": holder, "container": {"type": "view", "view_id": holder["id"]}}
    else:
        channel = sandbox.channel(str(body.get("channel")))
        holder = message_at(channel, str(body.get("message_ts")))
        payload |= {"message": message_shape(holder), "channel": {"id": channel.id, "name": channel.name}}
        payload["container"] = {"type": "message", "message_ts": holder["ts"], "channel_id": channel.id}
    if find_element(holder, **ids) is None:
        raise Refused("action_not_found")
    reply = await sandbox.deliver("interactive", payload)
    if not reply.ok or not isinstance(reply.body, dict):
        return {"ok": False, "error": failure_of(reply)}
    return {"ok": True} | {name: reply.body[name] for name in ("options", "option_groups") if name in reply.body}
