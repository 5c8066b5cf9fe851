"""After a message was acknowledged: ring the workers, or tell its author, and nobody else, why not."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any

from slack_sdk import WebClient
from slack_sdk.errors import SlackClientError

from bot.parse import name_at, ts_at, wants_help
from bot.views.help import help_post
from workers.contracts import Landscape
from workers.ports import Post

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Attention:
    """What listeners need. ``limit``: the longest question, in characters."""

    ring: Callable[[str], None]
    limit: int
    landscape: Callable[[], Landscape]

    def hear(self, body: dict[str, Any], context: Mapping[str, Any], client: WebClient) -> None:
        """A message: a mention, a direct message, or a reply in a thread."""
        request_id = context.get("request_id")
        if request_id:
            self.ring(request_id)
        elif wants_help(body):
            whisper(client, body, help_post(self.landscape()))
        elif context.get("too_long"):
            whisper(client, body, self.too_long(context["too_long"]))

    def too_long(self, chars: int) -> Post:
        """Why a question was not taken."""
        return Post(
            f"Your question has {chars:,} characters, and I read at most {self.limit:,}. "
            "Please ask it shorter, with only the lines that matter."
        )


def whisper(client: WebClient, body: dict[str, Any], post: Post) -> None:
    """Tell someone something where they wrote or pressed, without telling others. What Slack refuses is logged."""
    place: Mapping[str, Any] = body.get("event") or body["container"]
    user = name_at(place, "user") or name_at(body, "user", "id")
    try:
        client.chat_postEphemeral(
            channel=name_at(place, "channel") or name_at(place, "channel_id"),
            user=user,
            thread_ts=ts_at(place, "thread_ts") or None,
            text=post.text,
            blocks=list(post.blocks) or None,
        )
    except (SlackClientError, OSError, HTTPException) as error:
        log.warning("nothing was said to %s: %s", user, error)
