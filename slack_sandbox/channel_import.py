"""A channel's past, told again: people come to the team, and messages of an export are posted at their own time."""

import re
from collections.abc import Awaitable, Callable

from slack_sandbox.errors import Refused
from slack_sandbox.messages import edit_message, post_as_written, thread_root
from slack_sandbox.sandbox import Sandbox
from slack_sandbox.state import Channel, Json, User, new_id

_TS = re.compile(r"\d{10}\.\d{6}")
_ID = re.compile(r"[UW][A-Z0-9]{2,20}")
_WORDS = ("text", "blocks", "attachments")


async def _person(sandbox: Sandbox, user: str, body: Json) -> Json:  # noqa: ARG001
    """Someone joins the team, and all its public channels: `name`, `real_name`, `tz` (none: Slack tells none), `id`.

    Two people may have the same name, as in Slack.
    """
    state = sandbox.state
    person = User(
        id=str(body.get("id") or new_id("U")),
        name=str(body.get("name", "")),
        real_name=str(body.get("real_name") or body.get("name", "")),
        tz=str(body.get("tz", "")),
    )
    if not person.name or not _ID.fullmatch(person.id):
        raise Refused("invalid_arguments")
    if person.id in state.users:
        raise Refused("id_taken")
    state.users[person.id] = person
    for channel in state.channels.values():
        if not channel.is_im and not channel.is_private:
            channel.members.append(person.id)
    return {"ok": True, "user": person.id}


async def _past(sandbox: Sandbox, user: str, body: Json) -> Json:  # noqa: ARG001
    """Posts `message` as an export has it, or puts it in the place of the one with its ts.

    The clock of all messages stands at `at` from then on, at the message's own ts when none is given.
    """
    channel = sandbox.channel(str(body.get("channel", "")))
    message = body.get("message")
    if not isinstance(message, dict) or not _TS.fullmatch(str(message.get("ts", ""))):
        raise Refused("invalid_arguments")
    ts = str(message["ts"])
    at = str(body.get("at") or ts)
    if not _TS.fullmatch(at):
        raise Refused("invalid_arguments")
    known = channel.messages.get(ts)
    if not known and any(float(other) >= float(ts) for other in channel.messages):
        raise Refused("invalid_ts")
    if known:
        sandbox.state.stand_at(at)
        words = {name: message.get(name) for name in _WORDS}
        edit_message(sandbox, channel, known, words, by=str(known.get("user") or known.get("bot_id", "")))
    else:
        _post_at(sandbox, channel, message, at)
    return {"ok": True, "ts": ts}


async def _pasts(sandbox: Sandbox, user: str, body: Json) -> Json:  # noqa: ARG001
    """Posts `messages` as an export has them, oldest first, each at its own ts; the clock then runs again.

    All of them or, where one is refused, none.
    """
    channel, messages = sandbox.channel(str(body.get("channel", ""))), body.get("messages")
    if not isinstance(messages, list) or not all(isinstance(m, dict) for m in messages):
        raise Refused("invalid_arguments")
    _check_all(channel, messages)
    try:
        for message in messages:
            _post_at(sandbox, channel, message, str(message["ts"]))
    finally:
        sandbox.state.go_on()
    return {"ok": True, "count": len(messages)}


def _check_all(channel: Channel, messages: list[Json]) -> None:
    """Raises: Refused: one is no message, stands before another, or hangs on a message that does not come before it."""
    last, told = max(map(float, channel.messages), default=0.0), set[str]()
    for message in messages:
        ts, root = str(message.get("ts", "")), str(message.get("thread_ts") or "")
        if not _TS.fullmatch(ts) or float(ts) <= last:
            raise Refused("invalid_ts")
        if not isinstance(message.get("text", ""), str) or not all(map(_is_objects, map(message.get, _WORDS[1:]))):
            raise Refused("invalid_arguments")
        if root not in told:
            thread_root(channel, root)
        last = float(ts)
        told.add(ts)


def _is_objects(value: object) -> bool:
    return value is None or (isinstance(value, list) and all(isinstance(one, dict) for one in value))


def _post_at(sandbox: Sandbox, channel: Channel, message: Json, ts: str) -> None:
    sandbox.state.stand_at(ts)
    post_as_written(sandbox, channel, {"text": ""} | message | {"team": sandbox.state.team_id})


PAST_ACTS: dict[str, Callable[[Sandbox, str, Json], Awaitable[Json]]] = {
    "person": _person,
    "past": _past,
    "pasts": _pasts,
}
