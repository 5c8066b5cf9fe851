"""reactions.* and pins.*"""

import re
import time

from slack_sandbox.api_objects import message_shape
from slack_sandbox.arguments import Arguments
from slack_sandbox.errors import Refused
from slack_sandbox.messages import message_at, show_change
from slack_sandbox.sandbox import Sandbox
from slack_sandbox.state import Channel, Json

_NAME = re.compile(r"[\w+'-]{1,100}(::skin-tone-[2-6])?")
_DISTINCT = 23
_PINS = 100


def react(sandbox: Sandbox, channel: Channel, message: Json, name: str, user: str) -> None:
    """Adds a user's reaction.

    Raises:
        Refused: invalid_name, already_reacted, too_many_emoji.
    """
    if not _NAME.fullmatch(name):
        raise Refused("invalid_name")
    reactions = message.setdefault("reactions", [])
    reaction = next((item for item in reactions if item["name"] == name), None)
    if reaction is None:
        if len(reactions) >= _DISTINCT:
            raise Refused("too_many_emoji")
        reaction = {"name": name, "users": [], "count": 0}
        reactions.append(reaction)
    if user in reaction["users"]:
        raise Refused("already_reacted")
    reaction["users"].append(user)
    reaction["count"] = len(reaction["users"])
    _tell(sandbox, channel, message, "reaction_added", name, user)


def unreact(sandbox: Sandbox, channel: Channel, message: Json, name: str, user: str) -> None:
    """Takes a user's reaction away.

    Raises:
        Refused: no_reaction.
    """
    reaction = next((item for item in message.get("reactions", []) if item["name"] == name), None)
    if reaction is None or user not in reaction["users"]:
        raise Refused("no_reaction")
    reaction["users"].remove(user)
    reaction["count"] = len(reaction["users"])
    if not reaction["users"]:
        message["reactions"].remove(reaction)
    if not message["reactions"]:
        del message["reactions"]
    _tell(sandbox, channel, message, "reaction_removed", name, user)


async def add_reaction(sandbox: Sandbox, args: Arguments) -> Json:
    """reactions.add."""
    channel, message = _place(sandbox, args)
    react(sandbox, channel, message, args.text("name").strip(":"), sandbox.state.bot_user)
    return {}


async def remove_reaction(sandbox: Sandbox, args: Arguments) -> Json:
    """reactions.remove."""
    channel, message = _place(sandbox, args)
    unreact(sandbox, channel, message, args.text("name").strip(":"), sandbox.state.bot_user)
    return {}


async def get_reactions(sandbox: Sandbox, args: Arguments) -> Json:
    """reactions.get."""
    channel, message = _place(sandbox, args)
    return {"type": "message", "channel": channel.id, "message": message_shape(message)}


async def add_pin(sandbox: Sandbox, args: Arguments) -> Json:
    """pins.add."""
    channel, message = _place(sandbox, args)
    if message["ts"] in channel.pins:
        raise Refused("already_pinned")
    if len(channel.pins) >= _PINS:
        raise Refused("too_many_pins")
    bot = sandbox.state.bot_user
    channel.pins[message["ts"]] = {"type": "message", "created": int(time.time()), "created_by": bot}
    message["pinned_to"] = [channel.id]
    _tell_pin(sandbox, channel, message, "pin_added")
    return {}


async def remove_pin(sandbox: Sandbox, args: Arguments) -> Json:
    """pins.remove."""
    channel, message = _place(sandbox, args)
    if channel.pins.pop(message["ts"], None) is None:
        raise Refused("no_pin")
    message.pop("pinned_to", None)
    _tell_pin(sandbox, channel, message, "pin_removed")
    return {}


async def list_pins(sandbox: Sandbox, args: Arguments) -> Json:
    """pins.list: newest first."""
    channel = sandbox.app_channel(args.text("channel"))
    return {"items": list_items(channel)}


def list_items(channel: Channel) -> list[Json]:
    """Returns: a channel's pins as `pins.list` gives them, newest first."""
    return [
        pin | {"channel": channel.id, "message": message_shape(channel.messages[ts])}
        for ts, pin in reversed(channel.pins.items())
    ]


def _place(sandbox: Sandbox, args: Arguments) -> tuple[Channel, Json]:
    if not args.text("channel") or not args.text("timestamp"):
        raise Refused("no_item_specified")
    channel = sandbox.joined_channel(args.text("channel"))
    if not re.fullmatch(r"\d+\.\d+", args.text("timestamp")):
        raise Refused("bad_timestamp")
    return channel, message_at(channel, args.text("timestamp"))


def _tell(sandbox: Sandbox, channel: Channel, message: Json, kind: str, name: str, user: str) -> None:
    show_change(sandbox, channel, message)
    if sandbox.state.bot_user in channel.members:
        item = {"type": "message", "channel": channel.id, "ts": message["ts"]}
        event = {"type": kind, "user": user, "reaction": name, "item": item, "item_user": message.get("user", "")}
        sandbox.deliveries.emit(event | {"event_ts": sandbox.state.next_ts()})


def _tell_pin(sandbox: Sandbox, channel: Channel, message: Json, kind: str) -> None:
    show_change(sandbox, channel, message)
    event: Json = {"type": kind, "user": sandbox.state.bot_user, "channel_id": channel.id}
    event["item"] = {"type": "message", "channel": channel.id, "message": message_shape(message)}
    sandbox.deliveries.emit(event | {"event_ts": sandbox.state.next_ts()})


METHODS = {
    "reactions.add": add_reaction,
    "reactions.remove": remove_reaction,
    "reactions.get": get_reactions,
    "pins.add": add_pin,
    "pins.remove": remove_pin,
    "pins.list": list_pins,
}
