"""What happens in channels and to them.

Source: Slack's Events API (``message`` and its subtypes, ``reaction_*``, ``channel_*``, ``group_*``,
``member_joined_channel``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from bot.parse.authors import app_users, team_of
from workers.contracts import Change, Deleted, Reacted, Written
from workers.language.payload_values import encodable
from workers.slack_messages.fields import Fields
from workers.slack_messages.message import EMOJI, SlackMessage, version_of

Happened = Literal["said", "closed", "opened", "renamed", "created", "joined", "moved"]
EVENTS: Mapping[str, Happened] = {
    "message": "said",
    "reaction_added": "said",
    "reaction_removed": "said",
    "channel_unarchive": "opened",
    "group_unarchive": "opened",
    "channel_archive": "closed",
    "channel_deleted": "closed",
    "channel_left": "closed",
    "group_archive": "closed",
    "group_deleted": "closed",
    "group_left": "closed",
    "channel_rename": "renamed",
    "group_rename": "renamed",
    "channel_created": "created",
    "member_joined_channel": "joined",
    "channel_id_changed": "moved",
}
DESCRIBED = {"channel_topic": "topic", "channel_purpose": "purpose", "group_topic": "topic", "group_purpose": "purpose"}


@dataclass(frozen=True)
class ChannelEvent:
    """Something that happened in a channel or to it.

    ``user``: who wrote, reacted or joined, and ``ours``, whether that is the app itself; ``name``: what the channel is
    called now; ``described``: its new topic or purpose; ``change``: what changes about its messages; ``new_channel``:
    the id that it has from now on.
    """

    happened: Happened
    team: str
    channel: str
    user: str
    ours: bool
    name: str = ""
    described: str = ""
    change: Change | None = None
    new_channel: str = ""


def read_channel_event(body: Fields, message: SlackMessage) -> ChannelEvent | None:
    """An event of a channel; None for any other payload. ``message``: what it says, in an edit as it is now."""
    event, team = body.inner("event"), team_of(body)
    happened = EVENTS.get(event.text("type"))
    if body.text("type") != "event_callback" or not team or happened is None:
        return None
    if happened in {"renamed", "created"}:
        named = event.text("channel", "name")
        return ChannelEvent(happened, team, event.name("channel", "id"), "", ours=False, name=named)
    if happened == "moved":
        old, new = event.name("old_channel_id"), event.name("new_channel_id")
        return ChannelEvent(happened, team, old, "", ours=False, new_channel=new)
    if happened != "said":
        user = event.name("user")
        return ChannelEvent(happened, team, event.name("channel"), user, ours=user in app_users(body))
    user, part = author_of(event), DESCRIBED.get(event.text("subtype"), "")
    return ChannelEvent(
        happened,
        team,
        event.name("channel") or event.name("item", "channel"),
        user,
        ours=user in app_users(body),
        described=event.text(part) if part else "",
        change=read_change(event, message),
    )


def author_of(event: Fields) -> str:
    """Who wrote the message that an event is about, or reacted; empty when nobody is named."""
    changed = event.inner("message") or event.inner("previous_message")
    return changed.name("user") or event.name("user")


def read_change(event: Fields, message: SlackMessage) -> Change | None:
    """What an event changes about a channel's messages; None when that is nothing."""
    kind = event.text("type")
    if kind in {"reaction_added", "reaction_removed"}:
        return read_reaction(event, added=kind == "reaction_added")
    if kind != "message":
        return None
    match event.text("subtype"):
        case "message_deleted":
            ts = event.ts("deleted_ts") or event.ts("previous_message", "ts")
            return Deleted(ts) if ts else None
        case "message_changed":
            found = version_of(message)
            changed = event.ts("event_ts") or event.ts("ts")
            if isinstance(found, Written) and changed:
                return Written(found.message, max(found.version, float(changed)))
            return found
        case "message_replied":
            return None
        case _:
            return version_of(message)


def read_reaction(event: Fields, *, added: bool) -> Reacted | None:
    """A reaction to a message."""
    user, name = event.name("user"), event.text("reaction")
    ts, at = event.ts("item", "ts"), event.ts("event_ts")
    if event.text("item", "type") != "message" or not (ts and at and user and EMOJI.fullmatch(name)):
        return None
    return Reacted(ts, encodable(name), user, added, float(at))
