"""What happens to channels: it was committed before the acknowledgement, but for what newcomers are offered."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from slack_bolt import App
from slack_sdk import WebClient

from bot.listeners.ephemeral import or_say, post_ephemeral_in
from bot.listeners.mentions import Attention
from bot.middleware.channel_messages import CLOSED, CREATED, JOINED, OPENED, RENAMED
from bot.parse import name_at, team_of
from bot.parse.authors import app_users
from bot.views.incident import newcomer_post
from workers.store.channels import channel_settings
from workers.store.followed_channels import followed
from workers.store.incidents import active_incident


def register(app: App, attention: Attention) -> None:
    """Listen to what happens to channels and their members, and to reactions."""

    def joined(body: dict[str, Any], client: WebClient) -> None:
        if name_at(body, "event", "user") not in app_users(body):
            attention.later(partial(offer, attention, body, client))

    app.event(JOINED)(joined)
    for kind in sorted({CREATED, "reaction_added", "reaction_removed"} | CLOSED | OPENED | RENAMED):
        app.event(kind)(done)


def done() -> None:
    """Everything was done before the acknowledgement."""


def offer(attention: Attention, body: Mapping[str, Any], client: WebClient) -> None:
    """Offer someone who comes into the channel of an active incident to be brought up to date; they alone see it."""
    team, channel, user = team_of(body), name_at(body, "event", "channel"), name_at(body, "event", "user")
    database = attention.store.database
    with or_say(lambda _: None):
        here = followed(database, team, channel)
        incident = active_incident(database, team, channel)
        if here is None or here.state != "following" or incident is None or not incident.ts:
            return
        if channel_settings(database, team, channel).mode != "off":
            post_ephemeral_in(client, channel, user, "", newcomer_post(incident))
