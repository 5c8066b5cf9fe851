"""What happens in channels and to them, and to the app's place in a workspace; each event is read once.

Source: Slack's Events API (``message``, ``reaction_*``, ``channel_*``, ``group_*``, ``member_joined_channel``,
``app_home_opened``, ``app_uninstalled``, ``tokens_revoked``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from bot.parse.authors import app_users, team_of
from workers.language.slack_messages import Change, author_of, channel_of, read_event
from workers.language.slack_text import name_at, text_at, value_at

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


def read_channel_event(body: Mapping[str, Any]) -> ChannelEvent | None:
    """An event of a channel; None for any other payload."""
    event, team = value_at(body, "event"), team_of(body)
    happened = EVENTS.get(text_at(event, "type"))
    if text_at(body, "type") != "event_callback" or not team or happened is None:
        return None
    if happened in {"renamed", "created"}:
        named = text_at(event, "channel", "name")
        return ChannelEvent(happened, team, name_at(event, "channel", "id"), "", ours=False, name=named)
    if happened == "moved":
        old, new = name_at(event, "old_channel_id"), name_at(event, "new_channel_id")
        return ChannelEvent(happened, team, old, "", ours=False, new_channel=new)
    if happened != "said":
        user = name_at(event, "user")
        return ChannelEvent(happened, team, name_at(event, "channel"), user, ours=user in app_users(body))
    user, part = author_of(event), DESCRIBED.get(text_at(event, "subtype"), "")
    return ChannelEvent(
        happened,
        team,
        channel_of(event),
        user,
        ours=user in app_users(body),
        described=text_at(event, part) if part else "",
        change=read_event(event),
    )


@dataclass(frozen=True)
class Opened:
    """Someone opened the app's own place. ``tab``: ``home`` or ``messages``; ``channel``: the direct messages."""

    team: str
    user: str
    channel: str
    tab: str


def read_opened(body: Mapping[str, Any]) -> Opened:
    """An ``app_home_opened``; what is missing is empty."""
    event = value_at(body, "event")
    return Opened(team_of(body), name_at(event, "user"), name_at(event, "channel"), text_at(event, "tab"))


def read_removal(body: Mapping[str, Any], now: datetime) -> datetime | None:
    """The end of the second in which the app's own access ended: a later installation is not meant.

    Returns: None when only people's tokens were revoked, which are none of ours.
    """
    event, at = value_at(body, "event"), value_at(body, "event_time")
    if text_at(event, "type") == "tokens_revoked" and not value_at(event, "tokens", "bot"):
        return None
    known = isinstance(at, int) and 0 < at < 1 << 33
    return datetime.fromtimestamp(at, UTC) + timedelta(seconds=1) if known else now
