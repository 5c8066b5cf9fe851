"""What a channel's history holds -> the events that its messages would have been.

Source: conversations.history and conversations.replies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.parse.received import Received, read_payload
from workers.language.mrkdwn import mentions
from workers.slack_messages.fields import Fields

LATER = frozenset({"edited", "reactions"})
"""What happened to a message after it was written."""


@dataclass(frozen=True)
class PastMessage:
    """A message object as it came, with its ts and that of the last reply to it, each empty when there is none."""

    given: Mapping[str, Any]
    ts: str
    last_reply: str


def read_past(given: Any) -> PastMessage | None:
    """One message object; None when it is none."""
    fields = Fields(given)
    ts = fields.ts("ts")
    return PastMessage(given, ts, fields.ts("latest_reply")) if ts and isinstance(given, Mapping) else None


def read_missed(message: PastMessage, team: str, channel: str, ours: str, at: datetime, *, direct: bool) -> Received:
    """A message as the event that it would have been. ``ours``: the app's user id; ``at``: aware, when it is read."""
    return read_payload(as_event(message, team, channel, ours, direct=direct), at)


def as_event(message: PastMessage, team: str, channel: str, ours: str, *, direct: bool) -> Mapping[str, Any]:
    """The payload that Slack sends of a message. Its words are those that it has by now."""
    fields = Fields(message.given)
    spoken = not (direct or fields.text("subtype")) and mentions(fields.text("text"), frozenset({ours}))
    place = {"channel": channel, "channel_type": "im" if direct else "channel"}
    kept = {key: value for key, value in message.given.items() if key not in LATER}
    return {
        "type": "event_callback",
        "team_id": team,
        "event_id": f"missed:{channel}:{message.ts}",
        "authorizations": [{"team_id": team, "user_id": ours, "is_bot": True}],
        "event": {**kept, **place, "type": "app_mention" if spoken else "message", "event_ts": message.ts},
    }
