"""What people do with an app: commands, buttons, modals, shortcuts; the payloads, and what the app answers."""

from typing import Any

from slack_sandbox.api_objects import message_shape
from slack_sandbox.block_tree import find_element, walk_blocks, walk_elements
from slack_sandbox.block_validation import check_view
from slack_sandbox.errors import Refused
from slack_sandbox.event_deliveries import Reply
from slack_sandbox.messages import message_at, post_as_bot, post_ephemeral, post_notice
from slack_sandbox.sandbox import Sandbox
from slack_sandbox.state import Channel, Json
from slack_sandbox.view_values import CHOSEN, merged
from slack_sandbox.views import close_view, find_view, push_view, update_view

_FAILURES = {"timeout": "operation_timeout", "http_timeout": "operation_timeout", "http_error": "http_service_error"}


async def send_command(sandbox: Sandbox, channel: Channel, user: str, typed: str, *, team_id: str = "") -> Json:
    """Sends `/name text` to the app; its answer, or that it failed, is shown to the user.

    Returns: `{"ok": true}` or `{"ok": false, "error"}`.
    """
    name, _, text = typed.strip().partition(" ")
    if name not in {command.name for command in sandbox.config.commands}:
        return {"ok": False, "error": f"{name} is not a valid command"}
    state, team = sandbox.state, sandbox.grants.team(team_id)
    payload: Json = {
        "token": sandbox.token,
        "team_id": team.id,
        "team_domain": team.domain,
        "channel_id": channel.id,
        "channel_name": "directmessage" if channel.is_im else channel.name,
        "user_id": user,
        "user_name": state.users[user].name,
        "command": name,
        "text": text.strip(),
        "api_app_id": state.app_id,
        "is_enterprise_install": "false",
        "response_url": response_url(sandbox, channel, user),
        "trigger_id": sandbox.triggers.issue_trigger(user, channel.id),
    }
    reply = await sandbox.deliver("slash_commands", payload)
    if not reply.ok:
        error = failure_of(reply)
        post_notice(sandbox, channel, user, f'{name} failed with the error "{error}"')
        return {"ok": False, "error": error}
    body: Any = reply.body
    answer = {"text": body} if isinstance(body, str) else body or {}
    if answer.get("text") or answer.get("blocks"):
        show_answer(sandbox, channel, user, answer)
    return {"ok": True}


def show_answer(sandbox: Sandbox, channel: Channel, user: str, answer: Json, *, thread_ts: str = "") -> None:
    """Shows an app's answer: to the user only, or in the channel with `response_type: in_channel`."""
    fields = {name: answer[name] for name in ("text", "blocks", "attachments") if answer.get(name)}
    fields.setdefault("text", "")
    if answer.get("response_type") == "in_channel":
        post_as_bot(sandbox, channel, fields, thread_ts=thread_ts)
    else:
        post_ephemeral(sandbox, channel, user, fields, thread_ts=thread_ts)


def response_url(sandbox: Sandbox, channel: Channel, user: str, *, message_ts: str = "", thread_ts: str = "") -> str:
    """Returns: an address that answers this interaction."""
    token = sandbox.triggers.issue_response(channel.id, user, message_ts=message_ts, thread_ts=thread_ts)
    return f"{sandbox.config.base_url}/response/{token}"


async def press(sandbox: Sandbox, user: str, body: Json) -> Json:
    """Sends block_actions for an element of a message or of a view.

    Returns: `{"ok": true}` or `{"ok": false, "error"}`.
    Raises:
        Refused: channel_not_found, message_not_found, not_found, action_not_found.
    """
    make = _view_action if body.get("view_id") else _message_action
    payload = make(sandbox, user, body)
    reply = await sandbox.deliver("interactive", payload)
    return {"ok": True} if reply.ok else {"ok": False, "error": failure_of(reply)}


async def submit_view(sandbox: Sandbox, user: str, body: Json) -> Json:
    """Submits or closes a modal, and does what the app answers.

    Returns: `{"ok": true, "response_action"?, "errors"?}` or `{"ok": false, "error"}`.
    Raises:
        Refused: not_found for a view that is not open.
    """
    record = find_view(sandbox, str(body.get("view_id")))
    _enter(record, body)
    if body.get("close"):
        return await _close(sandbox, user, record, body, everything=record["clear_on_close"])
    missing = _missing_inputs(record)
    if missing:
        return {"ok": False, "response_action": "errors", "errors": missing}
    payload = base_payload(sandbox, user, "view_submission", body) | {
        "view": record,
        "response_urls": _response_urls(sandbox, user, record),
    }
    reply = await sandbox.deliver("interactive", payload)
    if not reply.ok:
        return {"ok": False, "error": failure_of(reply)}
    return await _act_on(sandbox, user, record, reply.body if isinstance(reply.body, dict) else {}, body)


async def send_shortcut(sandbox: Sandbox, user: str, callback_id: str, place: Json) -> Json:
    """Sends a global shortcut, or with `channel` and `message_ts` a message shortcut."""
    here = sandbox.channel(str(place["channel"])) if place.get("channel") else None
    payload = base_payload(sandbox, user, "shortcut", place, here.id if here else "")
    payload |= {"callback_id": callback_id, "action_ts": sandbox.state.next_ts()}
    if here and place.get("message_ts"):
        message = message_at(here, str(place["message_ts"]))
        url = response_url(sandbox, here, user, thread_ts=message.get("thread_ts", ""))
        payload |= {"type": "message_action", "message_ts": message["ts"], "message": message_shape(message)}
        payload |= {"channel": _channel(here), "response_url": url}
    reply = await sandbox.deliver("interactive", payload)
    return {"ok": True} if reply.ok else {"ok": False, "error": failure_of(reply)}


def failure_of(reply: Reply) -> str:
    """Returns: how Slack names what went wrong with an interaction."""
    return _FAILURES.get(reply.result, "dispatch_failed")


def base_payload(sandbox: Sandbox, user: str, kind: str, body: Json, channel: str = "") -> Json:
    """Returns: what every interaction of a user carries; `channel` is where the user is."""
    state, team = sandbox.state, sandbox.grants.team(str(body.get("team") or ""))
    name = state.users[user].name
    return {
        "type": kind,
        "user": {"id": user, "username": name, "name": name, "team_id": team.id},
        "team": {"id": team.id, "domain": team.domain},
        "api_app_id": state.app_id,
        "token": sandbox.token,
        "trigger_id": sandbox.triggers.issue_trigger(user, channel),
        "enterprise": None,
        "is_enterprise_install": False,
    }


def _channel(channel: Channel) -> Json:
    return {"id": channel.id, "name": "directmessage" if channel.is_im else channel.name}


def _message_action(sandbox: Sandbox, user: str, body: Json) -> Json:
    channel = sandbox.channel(str(body.get("channel")))
    ts = str(body.get("message_ts"))
    ephemeral = channel.ephemerals.get(ts)
    message = ephemeral.message if ephemeral else message_at(channel, ts)
    values = sandbox.state.inputs.setdefault(ts, {})
    action, attachment = _action(message, body, values, sandbox.state.next_ts())
    container: Json = {"type": "message", "message_ts": ts, "channel_id": channel.id, "is_ephemeral": bool(ephemeral)}
    if attachment:
        container |= {"type": "message_attachment", "attachment_id": attachment, "is_app_unfurl": False}
    thread_ts = str(message.get("thread_ts", ""))
    if thread_ts:
        container["thread_ts"] = thread_ts
    url = response_url(sandbox, channel, user, message_ts=ts, thread_ts=thread_ts)
    payload = base_payload(sandbox, user, "block_actions", body, channel.id) | {
        "container": container,
        "channel": _channel(channel),
        "state": {"values": values},
        "response_url": url,
        "actions": [action],
    }
    return payload if ephemeral else payload | {"message": message_shape(message)}


def _view_action(sandbox: Sandbox, user: str, body: Json) -> Json:
    record = find_view(sandbox, str(body["view_id"]))
    _enter(record, body)
    action, _ = _action(record, body, record["state"]["values"], sandbox.state.next_ts())
    return base_payload(sandbox, user, "block_actions", body) | {
        "container": {"type": "view", "view_id": record["id"]},
        "view": record,
        "actions": [action],
    }


def _enter(record: Json, body: Json) -> None:
    """Keeps what the user entered; inputs that were not named stay as they were."""
    values = (body.get("state") or {}).get("values")
    if isinstance(values, dict):
        record["state"] = {"values": merged(record["state"]["values"], values)}


def _action(holder: Json, body: Json, values: Json, action_ts: str) -> tuple[Json, int]:
    block_id, action_id = str(body.get("block_id", "")), str(body.get("action_id", ""))
    found = find_element(holder, block_id, action_id)
    if found is None:
        raise Refused("action_not_found")
    part, attachment = found
    chosen: Json = {name: body[name] for name in CHOSEN if body.get(name) is not None}
    if part["type"] == "button":
        chosen = {name: part[name] for name in ("value", "url", "style") if part.get(name) is not None}
    else:
        values.setdefault(block_id, {})[action_id] = {"type": part["type"], **chosen}
    shown: Json = {name: part[name] for name in ("text", "placeholder") if name in part}
    ids = {"action_id": action_id, "block_id": block_id, "type": part["type"], "action_ts": action_ts}
    return {**ids, **shown, **chosen}, attachment


def _response_urls(sandbox: Sandbox, user: str, record: Json) -> list[Json]:
    """One for every conversation chosen in an element with `response_url_enabled`."""
    urls: list[Json] = []
    for block, element in walk_elements(record["blocks"]):
        if not element.get("response_url_enabled"):
            continue
        ids = {"block_id": block["block_id"], "action_id": element["action_id"]}
        chosen = record["state"]["values"].get(ids["block_id"], {}).get(ids["action_id"], {})
        channel = chosen.get("selected_conversation") or chosen.get("selected_channel")
        if channel:
            url = response_url(sandbox, sandbox.channel(str(channel)), user)
            urls.append(ids | {"channel_id": channel, "response_url": url})
    return urls


def _missing_inputs(record: Json) -> dict[str, str]:
    values = record["state"]["values"]
    missing: dict[str, str] = {}
    for block, _ in walk_blocks(record["blocks"]):
        if block["type"] != "input" or block.get("optional"):
            continue
        entered = values.get(block["block_id"], {}).values()
        if not any(value.get(name) for value in entered for name in CHOSEN):
            missing[block["block_id"]] = "Please complete this required field."
    return missing


async def _close(sandbox: Sandbox, user: str, record: Json, body: Json, *, everything: bool) -> Json:
    """Takes a view away, or the whole stack, and tells the app of those that ask for it."""
    result: Json = {"ok": True}
    for closed in close_view(sandbox, user, record["id"], everything=everything):
        if closed["notify_on_close"]:
            payload = base_payload(sandbox, user, "view_closed", body) | {"view": closed, "is_cleared": everything}
            reply = await sandbox.deliver("interactive", payload)
            if not reply.ok:
                result = {"ok": False, "error": failure_of(reply)}
    return result


async def _act_on(sandbox: Sandbox, user: str, record: Json, answer: Json, body: Json) -> Json:
    action = answer.get("response_action")
    result: Json = {"ok": True, "response_action": action} if action else {"ok": True}
    if action == "errors":
        return result | {"errors": answer.get("errors", {})}
    if action in {"update", "push"}:
        view = check_view(sandbox.state, answer.get("view"), kind="modal")
        if action == "update":
            update_view(sandbox, record, view)
        else:
            push_view(sandbox, user, view)
    elif action == "clear":
        await _close(sandbox, user, record, body, everything=True)
    else:
        close_view(sandbox, user, record["id"])
    return result
