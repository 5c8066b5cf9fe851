"""Who is in which channel, and new and renamed channels."""

import time

from bot.sandbox.errors import Refused
from bot.sandbox.sandbox import Sandbox
from bot.sandbox.shapes import channel_shape
from bot.sandbox.state import Channel, Json, new_id


def client_channel(sandbox: Sandbox, channel: Channel) -> Json:
    """Returns: a channel as the page lists it."""
    name = sandbox.state.users[sandbox.state.bot_user].real_name if channel.is_im else channel.name
    return {
        "id": channel.id,
        "name": name,
        "is_im": channel.is_im,
        "is_member": sandbox.state.bot_user in channel.members,
        "unread": channel.unread,
    }


def add_member(sandbox: Sandbox, channel: Channel, user: str, *, inviter: str = "") -> bool:
    """Adds a user and tells the app where it is a member.

    Returns: False when the user was one already.
    """
    if user in channel.members:
        return False
    channel.members.append(user)
    if sandbox.state.bot_user in channel.members:
        event: Json = {
            "type": "member_joined_channel",
            "user": user,
            "channel": channel.id,
            "channel_type": "C",
            "team": sandbox.state.team_id,
            "event_ts": sandbox.state.next_ts(),
        }
        sandbox.deliveries.emit(event | ({"inviter": inviter} if inviter else {}))
    sandbox.page.send("channel", channel=client_channel(sandbox, channel))
    return True


def create_channel(sandbox: Sandbox, name: str, creator: str) -> Channel:
    """Makes a public channel of all people, without the bot.

    Raises:
        Refused: name_taken, invalid_name.
    """
    _check_name(sandbox, name)
    state = sandbox.state
    people = [user.id for user in state.users.values() if not user.is_bot]
    channel = Channel(id=new_id("C"), name=name, members=people, created=int(time.time()), creator=creator)
    state.channels[channel.id] = channel
    shape = channel_shape(state, channel)
    fields = {key: shape[key] for key in ("id", "name", "name_normalized", "created", "creator", "is_channel")}
    fields |= {"is_shared": False, "is_org_shared": False, "context_team_id": state.team_id}
    sandbox.deliveries.emit({"type": "channel_created", "channel": fields, "event_ts": state.next_ts()})
    sandbox.page.send("channel", channel=client_channel(sandbox, channel))
    return channel


def rename_channel(sandbox: Sandbox, channel: Channel, name: str) -> None:
    """Gives a channel another name.

    Raises:
        Refused: name_taken, invalid_name.
    """
    _check_name(sandbox, name)
    channel.name = name
    fields = {"id": channel.id, "name": name, "name_normalized": name, "created": channel.created, "is_channel": True}
    sandbox.deliveries.emit({"type": "channel_rename", "channel": fields, "event_ts": sandbox.state.next_ts()})
    sandbox.page.send("channel", channel=client_channel(sandbox, channel))


def _check_name(sandbox: Sandbox, name: str) -> None:
    plain = name.replace("-", "").replace("_", "")
    if not plain.isalnum() or name != name.lower() or len(name) > 80:
        raise Refused("invalid_name")
    if sandbox.state.channel_named(name):
        raise Refused("name_taken")
