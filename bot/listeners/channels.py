"""What happens to channels: it was committed before the acknowledgement, but for what newcomers are offered."""

from __future__ import annotations

from functools import partial

from slack_bolt import App, BoltContext
from slack_sdk import WebClient

from bot.listeners.ephemeral import post_ephemeral_in, refused_or
from bot.listeners.mentions import ListenerContext
from bot.parse import ChannelEvent, received_in
from bot.parse.channels import EVENTS
from bot.views.incident import newcomer_post
from workers.store.channels import channel_settings
from workers.store.followed_channels import followed
from workers.store.incidents import active_incident


def register(app: App, attention: ListenerContext) -> None:
    """Listen to what happens to channels and their members, and to reactions."""

    def joined(context: BoltContext, client: WebClient) -> None:
        event = received_in(context).channel
        if event and not event.ours:
            attention.later(partial(offer, attention, event, client))

    app.event("member_joined_channel")(joined)
    for kind in sorted(EVENTS.keys() - {"member_joined_channel", "message"}):
        app.event(kind)(done)


def done() -> None:
    """Everything was done before the acknowledgement."""


def offer(attention: ListenerContext, event: ChannelEvent, client: WebClient) -> None:
    """Offer someone who comes into the channel of an active incident to be brought up to date; they alone see it."""
    team, channel, user = event.team, event.channel, event.user
    database = attention.store.database
    with refused_or(lambda _: None):
        here = followed(database, team, channel)
        incident = active_incident(database, team, channel)
        if here is None or here.state != "following" or incident is None or not incident.ts:
            return
        if channel_settings(database, team, channel).mode != "off":
            post_ephemeral_in(client, channel, user, "", newcomer_post(incident))
