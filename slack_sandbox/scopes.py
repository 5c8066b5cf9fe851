"""Which scope of a bot token each method needs.

Source: docs.slack.dev/reference/methods, "Scopes" of each method; /reference/scopes.
"""

from slack_sandbox.arguments import Arguments
from slack_sandbox.state import State

_Kinds = dict[str, tuple[str, ...]]

# Scopes of which one is enough, by the kind of conversation.
_READ: _Kinds = {"channels": ("channels:read",), "groups": ("groups:read",), "im": ("im:read",)}
_HISTORY: _Kinds = {"channels": ("channels:history",), "groups": ("groups:history",), "im": ("im:history",)}
_MANAGE: _Kinds = {"channels": ("channels:manage",), "groups": ("groups:write",), "im": ("im:write",)}
_INVITE: _Kinds = {
    "channels": ("channels:manage", "channels:write.invites"),
    "groups": ("groups:write", "groups:write.invites"),
    "im": ("im:write",),
}
_TOPIC: _Kinds = {
    "channels": ("channels:manage", "channels:write.topic"),
    "groups": ("groups:write", "groups:write.topic"),
    "im": ("im:write", "im:write.topic"),
}
_BY_KIND: dict[str, _Kinds] = {
    "conversations.history": _HISTORY,
    "conversations.replies": _HISTORY,
    "conversations.info": _READ,
    "conversations.list": _READ,
    "users.conversations": _READ,
    "conversations.members": _READ,
    "conversations.open": _MANAGE,
    "conversations.create": _MANAGE,
    "conversations.archive": _MANAGE,
    "conversations.unarchive": _MANAGE,
    "conversations.leave": _MANAGE,
    "conversations.kick": _MANAGE,
    "conversations.rename": _MANAGE,
    "conversations.invite": _INVITE,
    "conversations.setTopic": _TOPIC,
    "conversations.setPurpose": _TOPIC,
}
_ALWAYS = {
    "agents.sessions.rename": "chat:write",
    "agents.sessions.setStatus": "chat:write",
    "assistant.threads.setStatus": "chat:write",
    "assistant.threads.setSuggestedPrompts": "assistant:write",
    "assistant.threads.setTitle": "assistant:write",
    "bookmarks.add": "bookmarks:write",
    "bookmarks.edit": "bookmarks:write",
    "bookmarks.list": "bookmarks:read",
    "bookmarks.remove": "bookmarks:write",
    "bots.info": "users:read",
    "chat.appendStream": "chat:write",
    "chat.delete": "chat:write",
    "chat.postEphemeral": "chat:write",
    "chat.postMessage": "chat:write",
    "chat.startStream": "chat:write",
    "chat.stopStream": "chat:write",
    "chat.update": "chat:write",
    "conversations.join": "channels:join",
    "files.completeUploadExternal": "files:write",
    "files.delete": "files:write",
    "files.getUploadURLExternal": "files:write",
    "files.info": "files:read",
    "pins.add": "pins:write",
    "pins.list": "pins:read",
    "pins.remove": "pins:write",
    "reactions.add": "reactions:write",
    "reactions.get": "reactions:read",
    "reactions.remove": "reactions:write",
    "team.info": "team:read",
    "usergroups.list": "usergroups:read",
    "users.info": "users:read",
    "users.list": "users:read",
    "users.lookupByEmail": "users:read.email",
}
_KIND = {"im": "im", "group": "groups", "channel": "channels"}
_KIND_OF_TYPE = {"public_channel": "channels", "private_channel": "groups", "im": "im"}
# What only events and commands need.
_NO_METHOD = ("app_mentions:read", "commands")

EVERY_SCOPE = tuple(
    sorted(
        {*_ALWAYS.values(), *_NO_METHOD}
        | {scope for kinds in _BY_KIND.values() for alternatives in kinds.values() for scope in alternatives}
    )
)


def missing_scopes(state: State, method: str, args: Arguments, granted: tuple[str, ...]) -> tuple[str, ...]:
    """Returns: scopes of which one more is needed for this call; () when the granted ones are enough."""
    for alternatives in _needed(state, method, args):
        if not set(alternatives) & set(granted):
            return alternatives
    return ()


def _needed(state: State, method: str, args: Arguments) -> list[tuple[str, ...]]:
    if method in _ALWAYS:
        return [(_ALWAYS[method],)]
    if method in _BY_KIND:
        return [_BY_KIND[method][kind] for kind in _kinds(state, method, args)]
    return []


def _kinds(state: State, method: str, args: Arguments) -> list[str]:
    """The kinds of conversation that a call is about; a public channel when that is not known."""
    if method in {"conversations.list", "users.conversations"}:
        types = args.text("types", "public_channel").replace(" ", "").split(",")
        return [_KIND_OF_TYPE[kind] for kind in types if kind in _KIND_OF_TYPE]
    if method == "conversations.create":
        return ["groups" if args.flag("is_private") else "channels"]
    if method == "conversations.open" and not args.text("channel"):
        return ["im"]
    channel = state.channel_named(args.text("channel"))
    return [_KIND[channel.kind] if channel else "channels"]
