"""What Slack hears instead of an acknowledgement, and how someone who pressed is told why nothing came of it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from http.client import HTTPException

from slack_bolt import BoltResponse
from slack_sdk.errors import SlackClientError
from slack_sdk.webhook import WebhookClient

from bot.parse import Origin, Received, Window
from workers.delivery import action_ids

CLOSED = "I can't take questions right now: my database does not answer. Please ask again in a minute."
PRESSES = frozenset({"action", "shortcut"})
SAY_S = 2

log = logging.getLogger(__name__)

Later = Callable[[Callable[[], None]], object]


def at_once(say: Callable[[], None]) -> None:
    """Say it before the acknowledgement."""
    say()


def closed(received: Received, later: Later) -> BoltResponse:
    """The database does not answer. Slack repeats events on an error, and nothing that a person does in a window."""
    if received.command:
        return BoltResponse(status=200, body={"response_type": "ephemeral", "text": CLOSED})
    if received.window:
        return window_error(received.window, CLOSED)
    if received.kind in PRESSES and tell_presser(received.origin, CLOSED, later):
        return BoltResponse(status=200)
    return BoltResponse(status=503, body={"error": "store_unavailable"})


def window_error(window: Window, sentence: str) -> BoltResponse:
    """The window stays open, with the sentence below its first field."""
    errors = {window.first_field or action_ids.ASK_WORDS: sentence}
    return BoltResponse(status=200, body={"response_action": "errors", "errors": errors})


def tell_presser(origin: Origin, sentence: str, later: Later) -> bool:
    """Tell someone by the address that came with what they pressed, which needs no token; False when none came."""
    if origin.response_url:
        later(partial(send, origin.response_url, sentence, origin.thread_ts))
    return bool(origin.response_url)


def send(url: str, sentence: str, thread_ts: str) -> None:
    """Say something to one person. What Slack refuses is logged, without the address: whoever has it can speak."""
    message = {"response_type": "ephemeral", "replace_original": False, "text": sentence}
    try:
        answer = WebhookClient(url, timeout=SAY_S).send_dict(message | ({"thread_ts": thread_ts} if thread_ts else {}))
    except (SlackClientError, OSError, HTTPException, ValueError) as error:
        log.warning("a press was not answered: %s", type(error).__name__)
        return
    if answer.status_code != 200:
        log.warning("a press was not answered: Slack says %s", answer.status_code)
