"""Before the acknowledgement: what is said in followed channels is committed, and channels that may hold an incident
are noted. Slack is asked nothing here; a worker looks closer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.parse import ChannelEvent
from workers.contracts import Deleted
from workers.incidents.summary.incident_detection import has_marker, is_incident_name
from workers.settings.schema import IncidentSection
from workers.store.channel_ids import change_channel_id
from workers.store.channel_inbox import put_in_inbox
from workers.store.channels import channel_settings
from workers.store.database import Database
from workers.store.deleted_messages import forget_message
from workers.store.followed_channels import is_listening, note_channel, stop_following


@dataclass(frozen=True)
class Watch:
    """What is kept of channels.

    What people write is kept as it came; a worker takes secrets out of it. ``wake_channel`` calls one to a channel
    (team, channel): it returns at once and never raises.
    """

    database: Database
    rules: IncidentSection
    wake_channel: Callable[[str, str], None]

    def take(self, event: ChannelEvent) -> None:
        """Commit what an event says. Raises: StoreUnavailable."""
        if event.happened == "said":
            self.hear(event)
        elif event.happened == "moved":
            self.move(event)
        elif event.happened == "closed":
            self.leave(event.team, event.channel)
        elif event.happened == "opened" or (event.happened == "joined" and event.ours):
            self.note(event.team, event.channel)
        elif event.happened == "renamed" or (event.happened == "created" and self.rules.join):
            self.note_named(event)

    def hear(self, event: ChannelEvent) -> None:
        """A message, an edit, a deletion or a reaction, unless the app itself did it."""
        team, channel = event.team, event.channel
        if event.described and has_marker(event.described, self.rules.markers):
            self.note(team, channel)
        if channel and isinstance(event.change, Deleted):
            forget_message(self.database, team, channel, event.change.ts)
        if not channel or event.ours or not is_listening(self.database, team, channel):
            return
        if event.change is None or self.is_off(team, channel):
            return
        put_in_inbox(self.database, team, channel, event.change)
        self.wake_channel(team, channel)

    def note_named(self, event: ChannelEvent) -> None:
        """A channel that may hold an incident by its name."""
        if is_incident_name(event.name, self.rules.channels):
            self.note(event.team, event.channel, event.name)

    def note(self, team: str, channel: str, name: str = "") -> None:
        """A channel that may hold an incident, unless its people want nothing there."""
        if channel and not self.is_off(team, channel):
            note_channel(self.database, team, channel, name)
            self.wake_channel(team, channel)

    def move(self, event: ChannelEvent) -> None:
        """A channel has another id from now on."""
        if event.channel and event.new_channel and event.channel != event.new_channel:
            change_channel_id(self.database, event.team, event.channel, event.new_channel)
            self.wake_channel(event.team, event.new_channel)

    def leave(self, team: str, channel: str) -> None:
        """Nothing more can be read there."""
        if channel:
            stop_following(self.database, team, channel, "left")

    def is_off(self, team: str, channel: str) -> bool:
        """Whether administrators turned the app off there."""
        return channel_settings(self.database, team, channel).mode == "off"
