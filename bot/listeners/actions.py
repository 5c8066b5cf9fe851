"""Buttons. An option of a clarifying question goes on with the request; the worker updates the message."""

from __future__ import annotations

import re
from typing import Any

from slack_bolt import Ack, App, BoltContext
from slack_sdk import WebClient

from bot.listeners.heard import Attention, whisper
from bot.parse import CLARIFY
from workers.ports import Post

ANSWERED = Post("This question has been answered already; mention me in the thread to ask something new.")


def register(app: App, attention: Attention) -> None:
    """Listen to the options of a clarifying question, and acknowledge every other button, links included."""

    def choose(ack: Ack, body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
        ack()
        request_id = context.get("request_id")
        if request_id:
            attention.ring(request_id)
        else:
            whisper(client, body, ANSWERED)

    def leave(ack: Ack) -> None:
        ack()

    app.action(re.compile(rf"^{CLARIFY.pattern}$"))(choose)
    app.action(re.compile(".*"))(leave)
