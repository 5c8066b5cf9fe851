"""conversations.*, as far as they change a channel."""

from slack_sandbox.api_objects import channel_shape
from slack_sandbox.arguments import Arguments
from slack_sandbox.channels import (
    add_member,
    archive_channel,
    create_channel,
    describe_channel,
    remove_member,
    rename_channel,
    unarchive_channel,
)
from slack_sandbox.errors import Refused
from slack_sandbox.sandbox import Sandbox
from slack_sandbox.state import Channel, Json


async def join(sandbox: Sandbox, args: Arguments) -> Json:
    """conversations.join."""
    channel = sandbox.app_channel(args.text("channel"))
    if channel.is_im or channel.is_private:
        raise Refused("method_not_supported_for_channel_type")
    if channel.is_archived:
        raise Refused("is_archived")
    already = not add_member(sandbox, channel, sandbox.state.bot_user)
    answer = _channel(sandbox, channel)
    if already:
        answer |= {"warning": "already_in_channel", "response_metadata": {"warnings": ["already_in_channel"]}}
    return answer


async def create(sandbox: Sandbox, args: Arguments) -> Json:
    """conversations.create: the app's; all people are members of a public one, nobody else of a private one."""
    name = args.text("name")
    if not name:
        raise Refused("invalid_name_required")
    if len(name) > 80:
        raise Refused("invalid_name_maxlength")
    channel = create_channel(sandbox, name, sandbox.state.bot_user, is_private=args.flag("is_private"))
    return _channel(sandbox, channel)


async def invite(sandbox: Sandbox, args: Arguments) -> Json:
    """conversations.invite: up to 100 users, all or none."""
    channel = sandbox.joined_channel(args.text("channel"))
    names = args.values.get("users")
    users = [str(name) for name in names] if isinstance(names, list) else args.text("users").replace(" ", "").split(",")
    if not all(users):
        raise Refused("no_user")
    if any(user not in sandbox.state.users for user in users):
        raise Refused("user_not_found")
    if sandbox.state.bot_user in users:
        raise Refused("cant_invite_self")
    if any(user in channel.members for user in users):
        raise Refused("already_in_channel")
    for user in users:
        add_member(sandbox, channel, user, inviter=sandbox.state.bot_user)
    return _channel(sandbox, channel)


async def kick(sandbox: Sandbox, args: Arguments) -> Json:
    """conversations.kick."""
    channel = sandbox.joined_channel(args.text("channel"))
    user = args.text("user")
    if user == sandbox.state.bot_user:
        raise Refused("cant_kick_self")
    if user not in sandbox.state.users:
        raise Refused("user_not_found")
    if channel.name == "general":
        raise Refused("cant_kick_from_general")
    remove_member(sandbox, channel, user, by=sandbox.state.bot_user)
    return {"errors": {}}


async def leave(sandbox: Sandbox, args: Arguments) -> Json:
    """conversations.leave."""
    channel = sandbox.app_channel(args.text("channel"))
    if channel.is_im:
        raise Refused("method_not_supported_for_channel_type")
    if channel.is_archived:
        raise Refused("is_archived")
    if sandbox.state.bot_user not in channel.members:
        return {"not_in_channel": True}
    remove_member(sandbox, channel, sandbox.state.bot_user, by=sandbox.state.bot_user)
    return {}


async def rename(sandbox: Sandbox, args: Arguments) -> Json:
    """conversations.rename: of channels that the app has made."""
    channel = sandbox.joined_channel(args.text("channel"))
    if channel.creator != sandbox.state.bot_user:
        raise Refused("not_authorized")
    rename_channel(sandbox, channel, args.text("name"))
    return _channel(sandbox, channel)


async def archive(sandbox: Sandbox, args: Arguments) -> Json:
    """conversations.archive."""
    archive_channel(sandbox, sandbox.member_channel(args.text("channel")), by=sandbox.state.bot_user)
    return {}


async def unarchive(sandbox: Sandbox, args: Arguments) -> Json:
    """conversations.unarchive."""
    unarchive_channel(sandbox, sandbox.member_channel(args.text("channel")), by=sandbox.state.bot_user)
    return {}


async def set_topic(sandbox: Sandbox, args: Arguments) -> Json:
    """conversations.setTopic."""
    channel = sandbox.member_channel(args.text("channel"))
    describe_channel(sandbox, channel, "topic", args.text("topic"), by=sandbox.state.bot_user)
    return _channel(sandbox, channel) | {"topic": channel.topic}


async def set_purpose(sandbox: Sandbox, args: Arguments) -> Json:
    """conversations.setPurpose."""
    channel = sandbox.member_channel(args.text("channel"))
    describe_channel(sandbox, channel, "purpose", args.text("purpose"), by=sandbox.state.bot_user)
    return _channel(sandbox, channel) | {"purpose": channel.purpose}


def _channel(sandbox: Sandbox, channel: Channel) -> Json:
    return {"channel": channel_shape(sandbox.state, channel)}


METHODS = {
    "conversations.archive": archive,
    "conversations.create": create,
    "conversations.invite": invite,
    "conversations.join": join,
    "conversations.kick": kick,
    "conversations.leave": leave,
    "conversations.rename": rename,
    "conversations.setPurpose": set_purpose,
    "conversations.setTopic": set_topic,
    "conversations.unarchive": unarchive,
}
