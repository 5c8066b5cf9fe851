"""What an external select offers: the app is asked while a person types."""

from slack_sandbox.api_objects import message_shape
from slack_sandbox.block_tree import find_element
from slack_sandbox.errors import Refused
from slack_sandbox.interactions import base_payload, failure_of
from slack_sandbox.messages import message_at
from slack_sandbox.sandbox import Sandbox
from slack_sandbox.state import Json
from slack_sandbox.views import find_view


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
