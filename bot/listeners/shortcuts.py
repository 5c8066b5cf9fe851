"""Ways to open the window in which a question is asked: a message's menu, the shortcuts' menu, the Home tab."""

from __future__ import annotations

from functools import partial
from typing import Any

from slack_bolt import Ack, App, BoltContext
from slack_sdk import WebClient

from bot.listeners.ephemeral import post_ephemeral, refused_or
from bot.listeners.mentions import ListenerContext
from bot.parse import Origin, received_in
from bot.views.ask import ask_view
from workers.delivery import action_ids


def register(app: App, attention: ListenerContext) -> None:
    """Listen to both shortcuts, and to the Home tab's button."""

    def ask_about(ack: Ack, context: BoltContext, client: WebClient) -> None:
        ack()
        origin, message = received_in(context).origin, received_in(context).message
        thread_ts = message.thread_ts or message.ts
        view = ask_view(channel=origin.channel, thread_ts=thread_ts, quoted=message.content.quotation)
        attention.later(partial(open_view, client, origin, view))

    def ask_anything(ack: Ack, context: BoltContext, client: WebClient) -> None:
        ack()
        attention.later(partial(open_view, client, received_in(context).origin, ask_view()))

    app.message_shortcut(action_ids.ASK_ABOUT)(ask_about)
    app.global_shortcut(action_ids.ASK_ANYTHING)(ask_anything)
    app.action(action_ids.HOME_ASK)(ask_anything)


def open_view(client: WebClient, origin: Origin, view: dict[str, Any]) -> None:
    """Open a window for whoever pressed; Slack takes the trigger for three seconds."""
    with refused_or(partial(post_ephemeral, client, origin)):
        client.views_open(trigger_id=origin.trigger_id, view=view)
