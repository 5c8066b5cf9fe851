"""Before the acknowledgement: what is said in followed channels is committed, and channels that may hold an incident
are noted. Slack is asked nothing here; a worker looks closer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.parse import name_at, team_of, text_at, value_at
from bot.parse.authors import app_users
from workers.incidents.summary.incident_detection import has_marker, is_incident_name
from workers.language.slack_messages import author_of, channel_of, read_event
from workers.settings.schema import IncidentSection
from workers.store.channel_messages import record_change
from workers.store.channels import channel_settings
from workers.store.database import Database
from workers.store.followed_channels import is_listening, note_channel, stop_following

OPENED = frozenset({"channel_unarchive", "group_unarchive"})
CLOSED = frozenset(
    {"channel_archive", "channel_deleted", "channel_left", "group_archive", "group_deleted", "group_left"}
)
RENAMED = frozenset({"channel_rename", "group_rename"})
SAID = frozenset({"message", "reaction_added", "reaction_removed"})
JOINED, CREATED = "member_joined_channel", "channel_created"
DESCRIBED = {"channel_topic": "topic", "channel_purpose": "purpose", "group_topic": "topic", "group_purpose": "purpose"}


@dataclass(frozen=True)
class Watch:
    """What is kept of channels.

    ``clean`` takes secrets out of what people write; ``tend`` calls a worker to a channel (team, channel): it returns
    at once and never raises.
    """

    database: Database
    rules: IncidentSection
    clean: Callable[[str], str]
    tend: Callable[[str, str], None]

    def take(self, body: Mapping[str, Any]) -> None:
        """Commit what an event says. Raises: StoreUnavailable."""
        event = value_at(body, "event")
        kind, team = text_at(event, "type"), team_of(body)
        if text_at(body, "type") != "event_callback" or not team:
            return
        if kind in SAID:
            self.hear(team, event, app_users(body))
        elif kind in CLOSED:
            self.leave(team, name_at(event, "channel"))
        elif kind in OPENED or (kind == JOINED and name_at(event, "user") in app_users(body)):
            self.note(team, name_at(event, "channel"))
        elif kind in RENAMED or (kind == CREATED and self.rules.join):
            name = text_at(event, "channel", "name")
            if is_incident_name(name, self.rules.channels):
                self.note(team, name_at(event, "channel", "id"), name)

    def hear(self, team: str, event: Mapping[str, Any], ours: frozenset[str]) -> None:
        """A message, an edit, a deletion or a reaction, unless the app itself did it."""
        channel = channel_of(event)
        described = DESCRIBED.get(text_at(event, "subtype"), "")
        if described and has_marker(text_at(event, described), self.rules.markers):
            self.note(team, channel)
        if not channel or author_of(event) in ours or not is_listening(self.database, team, channel):
            return
        change = read_event(event)
        if change is None or self.is_off(team, channel):
            return
        pace = {"settle_s": self.rules.settle_s, "every_s": self.rules.every_min * 60}
        if record_change(self.database, team, channel, change, self.clean, **pace):
            self.tend(team, channel)

    def note(self, team: str, channel: str, name: str = "") -> None:
        """A channel that may hold an incident, unless its people want nothing there."""
        if channel and not self.is_off(team, channel):
            note_channel(self.database, team, channel, name)
            self.tend(team, channel)

    def leave(self, team: str, channel: str) -> None:
        """Nothing more can be read there."""
        if channel:
            stop_following(self.database, team, channel, "left")

    def is_off(self, team: str, channel: str) -> bool:
        """Whether administrators turned the app off there."""
        return channel_settings(self.database, team, channel).mode == "off"
