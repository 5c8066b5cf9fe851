"""What a person can do, by name: one door for the page (`/client/*`) and for tests (`/control/*`)."""

from collections.abc import Awaitable, Callable

from bot.sandbox.errors import Refused
from bot.sandbox.interactions import press, send_command, send_shortcut, submit_view
from bot.sandbox.membership import add_member, create_channel, rename_channel
from bot.sandbox.messages import delete_message, edit_message, message_at, post_as_user
from bot.sandbox.methods_marks import react, unreact
from bot.sandbox.sandbox import Sandbox
from bot.sandbox.state import Json
from bot.sandbox.typed_text import encode_typed

_Act = Callable[[Sandbox, str, Json], Awaitable[Json]]
_LONGEST = 40_000


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
    """Posts what was typed; `deliveries` sends its events more than once.

    Returns: `{ok, ts, event_ids}`.
    """
    channel = sandbox.channel(str(body.get("channel", "")))
    author = _user(sandbox, body.get("user"), user)
    text = encode_typed(sandbox.state, str(body.get("text", "")))
    if not text.strip():
        raise Refused("no_text")
    if len(text) > _LONGEST:
        raise Refused("msg_too_long")
    thread_ts, deliveries = str(body.get("thread_ts") or ""), int(body.get("deliveries") or 1)
    ts, event_ids = post_as_user(sandbox, channel, author, text, thread_ts=thread_ts, deliveries=deliveries)
    return {"ok": True, "ts": ts, "channel": channel.id, "event_ids": event_ids}


async def _command(sandbox: Sandbox, user: str, body: Json) -> Json:
    channel = sandbox.channel(str(body.get("channel", "")))
    return await send_command(sandbox, channel, _user(sandbox, body.get("user"), user), str(body.get("text", "")))


async def _edit(sandbox: Sandbox, user: str, body: Json) -> Json:
    channel = sandbox.channel(str(body.get("channel", "")))
    message = message_at(channel, str(body.get("ts", "")))
    by = _user(sandbox, body.get("user"), user)
    if message["user"] != by:
        raise Refused("cant_update_message")
    edit_message(sandbox, channel, message, {"text": encode_typed(sandbox.state, str(body.get("text", "")))}, by=by)
    return {"ok": True}


async def _delete(sandbox: Sandbox, user: str, body: Json) -> Json:
    channel = sandbox.channel(str(body.get("channel", "")))
    ts = str(body.get("ts", ""))
    by = _user(sandbox, body.get("user"), user)
    if ts in channel.ephemerals and channel.ephemerals[ts].user == by:
        del channel.ephemerals[ts]
        sandbox.page.send("deleted", channel=channel.id, ts=ts, thread_ts="")
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
    by, name = _user(sandbox, body.get("user"), user), str(body.get("name", "")).strip(":")
    mine = any(item["name"] == name and by in item["users"] for item in message.get("reactions", []))
    (unreact if mine else react)(sandbox, channel, message, name, by)
    return {"ok": True}


async def _action(sandbox: Sandbox, user: str, body: Json) -> Json:
    return await press(sandbox, _user(sandbox, body.get("user"), user), body)


async def _view(sandbox: Sandbox, user: str, body: Json) -> Json:
    return await submit_view(sandbox, _user(sandbox, body.get("user"), user), body)


async def _shortcut(sandbox: Sandbox, user: str, body: Json) -> Json:
    by = _user(sandbox, body.get("user"), user)
    return await send_shortcut(sandbox, by, str(body.get("callback_id", "")), body)


async def _create(sandbox: Sandbox, user: str, body: Json) -> Json:
    channel = create_channel(sandbox, str(body.get("name", "")), _user(sandbox, body.get("user"), user))
    return {"ok": True, "channel": channel.id}


async def _rename(sandbox: Sandbox, user: str, body: Json) -> Json:  # noqa: ARG001
    rename_channel(sandbox, sandbox.channel(str(body.get("channel", ""))), str(body.get("name", "")))
    return {"ok": True}


async def _invite(sandbox: Sandbox, user: str, body: Json) -> Json:
    channel = sandbox.channel(str(body.get("channel", "")))
    guest = sandbox.state.user_named(str(body.get("user", "")))
    if guest is None:
        raise Refused("user_not_found")
    if not add_member(sandbox, channel, guest.id, inviter=user):
        raise Refused("already_in_channel")
    return {"ok": True}


def _user(sandbox: Sandbox, name: object, default: str) -> str:
    if not name:
        return default
    user = sandbox.state.user_named(str(name))
    if user is None:
        raise Refused("user_not_found")
    return user.id


_ACTS: dict[str, _Act] = {
    "message": say,
    "command": _command,
    "edit": _edit,
    "delete": _delete,
    "reaction": _reaction,
    "action": _action,
    "view": _view,
    "shortcut": _shortcut,
    "channel": _create,
    "rename": _rename,
    "invite": _invite,
}
