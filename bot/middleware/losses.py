"""What came in while nothing could be kept: since when, so that it is read again, and who was told so at once."""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from functools import partial
from http.client import HTTPException

from slack_bolt import BoltContext
from slack_sdk import WebClient
from slack_sdk.errors import SlackClientError

from bot.middleware.refusal_replies import Later, at_once
from bot.parse import Received, addressed_text
from workers.errors import StoreUnavailable

FULL = "I have read this, but I cannot keep it: my disk is full. I answer here as soon as there is room again."
LOST = "I have read this, but I cannot keep it: my database does not answer. I answer here as soon as it does."
FULL_SIGNS = ("is full", "no space left", "could not extend file", "disk quota")
"""What SQLite, PostgreSQL and the kernel say of a full disk."""
REMEMBERED = 10_000

log = logging.getLogger(__name__)


class Losses:
    """Since when events could not be kept, in seconds since the epoch (``since_s``, None when all were), and who knows.

    Args:
        later: calls what talks to Slack without keeping anyone waiting.
    """

    def __init__(self, later: Later = at_once) -> None:
        self.later = later
        self.since_s: float | None = None
        self.told: OrderedDict[tuple[str, str], None] = OrderedDict()

    def note(self, received: Received, context: BoltContext, error: StoreUnavailable) -> None:
        """An event could not be kept. Whoever spoke to the app is told so in the thread, once for each message."""
        if self.since_s is None:
            self.since_s = time.time()
        channel, ts = received.origin.channel, received.message.ts
        if received.kind not in {"mention", "message"} or not ts or addressed_text(received) is None:
            return
        client = context.get("client")
        if (channel, ts) in self.told or not isinstance(client, WebClient) or not client.token:
            return
        self.told[channel, ts] = None
        while len(self.told) > REMEMBERED:
            self.told.popitem(last=False)
        self.later(partial(say, client, channel, received.message.thread_ts or ts, words_of(error)))

    def made_good(self, since_s: float | None) -> None:
        """What was lost since a moment is known to be read again."""
        if self.since_s == since_s:
            self.since_s = None


def words_of(error: StoreUnavailable) -> str:
    """What someone is told whose words could not be kept."""
    return FULL if is_full(error) else LOST


def is_full(error: StoreUnavailable) -> bool:
    """Whether there is no room any more."""
    return any(sign in str(error).lower() for sign in FULL_SIGNS)


def say(client: WebClient, channel: str, thread_ts: str, sentence: str) -> None:
    """Say it in the thread, without the database: it knows the pace of a channel."""
    try:
        client.chat_postMessage(channel=channel, thread_ts=thread_ts, text=sentence, unfurl_links=False)
    except (SlackClientError, OSError, HTTPException, ValueError) as error:
        log.warning("nobody is told that nothing can be kept: %s", type(error).__name__)
