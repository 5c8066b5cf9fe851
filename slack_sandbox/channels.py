"""Channels: made, renamed, archived, described, joined and left; what the app is told, and what pages see."""

import time
from collections.abc import Iterable

from slack_sandbox.api_objects import channel_shape
from slack_sandbox.errors import Refused
from slack_sandbox.messages import post_note
from slack_sandbox.sandbox import Sandbox
from slack_sandbox.state import SLACKBOT, Channel, Json, new_id

_TOPIC = 250


def client_channel(sandbox: Sandbox, channel: Channel, user: str) -> Json:
    """Returns: a channel as the page lists it for a user."""
    name = sandbox.state.users[sandbox.state.bot_user].real_name if channel.is_im else channel.name
    return {
        "id": channel.id,
        "name": name,
        "is_im": channel.is_im,
        "is_member": sandbox.state.bot_user in channel.members,
        "is_private": channel.is_private,
        "is_archived": channel.is_archived,
        "topic": {"value": channel.topic},
        "purpose": {"value": channel.purpose},
        "bookmarks": list(channel.bookmarks.values()),
        "unread": channel.unread.get(user, 0),
    }


def show_channel(sandbox: Sandbox, channel: Channel) -> None:
    """Tells the pages of a channel's members how it is listed now."""
    for member in channel.members:
        sandbox.page.send("channel", [member], channel=client_channel(sandbox, channel, member))


def add_member(sandbox: Sandbox, channel: Channel, user: str, *, inviter: str = "") -> bool:
    """Adds a user and tells the app where it is a member.

    Returns: False when the user was one already.
    Raises:
        Refused: method_not_supported_for_channel_type.
    """
    _check_channel(channel)
    if user in channel.members:
        return False
    channel.members.append(user)
    if sandbox.state.bot_user in channel.members:
        event: Json = {"type": "member_joined_channel", "user": user, "channel": channel.id}
        event |= {"channel_type": "G" if channel.is_private else "C", "team": sandbox.state.team_id}
        _tell(sandbox, event | ({"inviter": inviter} if inviter else {}))
    show_channel(sandbox, channel)
    return True


def remove_member(sandbox: Sandbox, channel: Channel, user: str, *, by: str) -> None:
    """Takes a user out of a channel; the app is told of others where it is a member, and of itself.

    Raises:
        Refused: not_in_channel, cant_leave_general.
    """
    if user not in channel.members:
        raise Refused("not_in_channel")
    if channel.name == "general":
        raise Refused("cant_leave_general")
    channel.members.remove(user)
    place: Json = {"channel": channel.id}
    if user == sandbox.state.bot_user:
        _tell(sandbox, place | {"type": "group_left" if channel.is_private else "channel_left", "actor_id": by})
    elif sandbox.state.bot_user in channel.members:
        left = {"type": "member_left_channel", "user": user, "team": sandbox.state.team_id}
        _tell(sandbox, place | left | {"channel_type": "G" if channel.is_private else "C"})
    sandbox.page.send("channel_left", [user], channel=channel.id)
    show_channel(sandbox, channel)


def create_channel(
    sandbox: Sandbox, name: str, creator: str, *, is_private: bool = False, guests: Iterable[str] = ()
) -> Channel:
    """Makes a channel: a public one of all people, a private one of its creator; `guests` join afterwards.

    Raises:
        Refused: name_taken, invalid_name.
    """
    _check_name(sandbox, name)
    state = sandbox.state
    people = [] if is_private else [user.id for user in state.users.values() if not user.is_bot and user.id != SLACKBOT]
    channel = Channel(
        id=new_id("C"),
        name=name,
        members=list(dict.fromkeys([creator, *people])),
        created=int(time.time()),
        creator=creator,
        is_private=is_private,
    )
    state.channels[channel.id] = channel
    if not is_private:
        shape = channel_shape(state, channel)
        fields = {key: shape[key] for key in ("id", "name", "name_normalized", "created", "creator", "is_channel")}
        fields |= {"is_shared": False, "is_org_shared": False, "context_team_id": state.team_id}
        _tell(sandbox, {"type": "channel_created", "channel": fields})
    show_channel(sandbox, channel)
    for guest in guests:
        add_member(sandbox, channel, guest, inviter=creator)
    return channel


def rename_channel(sandbox: Sandbox, channel: Channel, name: str) -> None:
    """Gives a channel another name.

    Raises:
        Refused: name_taken, invalid_name.
    """
    _check_name(sandbox, name)
    channel.name = name
    fields = {"id": channel.id, "name": name, "name_normalized": name, "created": channel.created}
    if not channel.is_private:
        _tell(sandbox, {"type": "channel_rename", "channel": fields | {"is_channel": True}})
    elif sandbox.state.bot_user in channel.members:
        _tell(sandbox, {"type": "group_rename", "channel": fields | {"is_group": True}})
    show_channel(sandbox, channel)


def archive_channel(sandbox: Sandbox, channel: Channel, *, by: str) -> None:
    """Closes a channel: nothing can be posted there.

    Raises:
        Refused: already_archived, cant_archive_general, method_not_supported_for_channel_type.
    """
    _check_channel(channel)
    if channel.is_archived:
        raise Refused("already_archived")
    if channel.name == "general":
        raise Refused("cant_archive_general")
    _set_archived(sandbox, channel, by, is_archived=True)


def unarchive_channel(sandbox: Sandbox, channel: Channel, *, by: str) -> None:
    """Opens an archived channel again.

    Raises:
        Refused: not_archived, method_not_supported_for_channel_type.
    """
    _check_channel(channel)
    if not channel.is_archived:
        raise Refused("not_archived")
    _set_archived(sandbox, channel, by, is_archived=False)


def describe_channel(sandbox: Sandbox, channel: Channel, what: str, words: str, *, by: str) -> None:
    """Sets a channel's `topic` or `purpose`, with the message that says so.

    Raises:
        Refused: is_archived, too_long, method_not_supported_for_channel_type.
    """
    _check_channel(channel)
    if channel.is_archived:
        raise Refused("is_archived")
    if len(words) > _TOPIC:
        raise Refused("too_long")
    setattr(channel, what, words)
    shown = "topic" if what == "topic" else "description"
    note = f"set the channel {shown}: {words}" if words else f"cleared the channel {shown}"
    post_note(sandbox, channel, by, note, {"subtype": f"channel_{what}", what: words})
    show_channel(sandbox, channel)


def _set_archived(sandbox: Sandbox, channel: Channel, by: str, *, is_archived: bool) -> None:
    channel.is_archived = is_archived
    if not channel.is_private or sandbox.state.bot_user in channel.members:
        kind = f"{'group' if channel.is_private else 'channel'}_{'' if is_archived else 'un'}archive"
        _tell(sandbox, {"type": kind, "channel": channel.id, "user": by})
    show_channel(sandbox, channel)


def _tell(sandbox: Sandbox, event: Json) -> None:
    sandbox.deliveries.emit(event | {"event_ts": sandbox.state.next_ts()})


def _check_channel(channel: Channel) -> None:
    if channel.is_im:
        raise Refused("method_not_supported_for_channel_type")


def _check_name(sandbox: Sandbox, name: str) -> None:
    plain = name.replace("-", "").replace("_", "")
    if not plain.isalnum() or name != name.lower() or len(name) > 80:
        raise Refused("invalid_name")
    if sandbox.state.channel_named(name):
        raise Refused("name_taken")
