"""``/oracle QUESTION``, ``/oracle`` and ``/oracle help``: answered in the acknowledgement, to one person."""

from __future__ import annotations

import re
from typing import Any

from slack_bolt import Ack, App, BoltContext

from bot.listeners.heard import Attention
from bot.parse import text_at, wants_help
from bot.views.help import help_post
from workers.ports import Post

LOOKING = "Looking into it… The answer comes in a thread here, or in a direct message where I may not post."


def register(app: App, attention: Attention) -> None:
    """Listen to the app's slash command, whatever its manifest calls it."""

    def ask(ack: Ack, body: dict[str, Any], context: BoltContext) -> None:
        request_id = context.get("request_id")
        if request_id:
            whisper_back(ack, Post(LOOKING))
            attention.ring(request_id)
        elif context.get("too_long"):
            whisper_back(ack, attention.too_long(context["too_long"]))
        elif wants_help(body):
            whisper_back(ack, help_post(attention.landscape(), text_at(body, "command")))
        else:
            ack()

    app.command(re.compile(".*"))(ask)


def whisper_back(ack: Ack, post: Post) -> None:
    """Acknowledge with words that only the asker sees."""
    ack(text=post.text, blocks=list(post.blocks) or None, response_type="ephemeral")
