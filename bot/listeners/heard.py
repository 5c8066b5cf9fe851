"""After the acknowledgement: ring the workers, or tell who wrote or pressed something, and nobody else, why not."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError

from bot.accept import GONE
from bot.parse import name_at, ts_at, value_at, wants_help
from bot.views.help import escape, help_post
from workers.contracts import Landscape, Question
from workers.errors import RequestNotFound, StoreUnavailable
from workers.inbox import Inbox
from workers.ports import Post
from workers.settings import Settings
from workers.store.requests import SqlStore

CLOSED = Post("I can't do that right now: my database does not answer. Please try again in a minute.")

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Attention:
    """What listeners need.

    ``ring`` publishes a request id to the workers; ``queued`` shows in a thread (team, channel, thread) how many
    questions are before one: both never raise. ``landscape``: this team's real names, as far as they are known.
    """

    ring: Callable[[str], None]
    settings: Settings
    inbox: Inbox
    store: SqlStore
    landscape: Callable[[], Landscape]
    queued: Callable[[str, str, str, int], None]

    def accepted(self, context: Mapping[str, Any]) -> bool:
        """Call a worker for what was accepted; whether anything was."""
        request_id, question = context.get("request_id"), context.get("question")
        if not request_id:
            return False
        self.ring(request_id)
        if isinstance(question, Question) and question.thread_ts:
            self.tell_queue(request_id, question)
        return True

    def tell_queue(self, request_id: str, question: Question) -> None:
        """While every worker is busy, say how many are before a question; nothing depends on it."""
        try:
            ahead = self.inbox.ahead(request_id)
        except StoreUnavailable as error:
            log.warning("the queue is not known: %s", error)
            return
        if ahead >= self.settings.core.worker.concurrency:
            self.queued(question.team, question.channel, question.thread_ts, ahead)

    def hear(self, body: dict[str, Any], context: Mapping[str, Any], client: WebClient) -> None:
        """A message: a mention, a direct message, a reply in a thread, or an edit."""
        if self.accepted(context):
            return
        if context.get("refusal"):
            whisper(client, body, Post(context["refusal"]))
        elif wants_help(body):
            whisper(client, body, help_post(self.landscape(), self.settings.core.slack.command))


def whisper(client: WebClient, body: Mapping[str, Any], post: Post) -> None:
    """Tell someone something where they wrote or pressed, without telling others. What Slack refuses is logged."""
    channel, user, thread_ts = place_of(body)
    if not channel:
        log.warning("nothing was said to %s: there is no channel to say it in", user)
        return
    whisper_in(client, channel, user, thread_ts, post)


def whisper_in(client: WebClient, channel: str, user: str, thread_ts: str, post: Post) -> None:
    """Tell one person something in a channel. What Slack refuses is logged."""
    try:
        client.chat_postEphemeral(
            channel=channel,
            user=user,
            thread_ts=thread_ts or None,
            text=post.text,
            blocks=list(post.blocks) or None,
        )
    except (SlackClientError, OSError, HTTPException) as error:
        log.warning("nothing was said to %s: %s", user, error)


def place_of(body: Mapping[str, Any]) -> tuple[str, str, str]:
    """Where someone wrote or pressed: channel, person, and thread when it was in one."""
    event = value_at(body, "event")
    place = event or value_at(body, "container") or body
    channel = name_at(place, "channel") or name_at(place, "channel_id") or name_at(body, "channel", "id")
    edited = value_at(event, "message")
    user = name_at(event, "user") or name_at(edited, "user") or name_at(body, "user", "id") or name_at(body, "user_id")
    thread_ts = ts_at(place, "thread_ts") or ts_at(edited, "thread_ts") or ts_at(body, "message", "thread_ts")
    return channel, user, thread_ts


@contextmanager
def or_say(client: WebClient, body: Mapping[str, Any]) -> Iterator[None]:
    """Run what comes after an acknowledgement; where it fails, the person is told so in one sentence."""
    try:
        yield
    except StoreUnavailable as error:
        log.warning("%s", error)
        whisper(client, body, CLOSED)
    except RequestNotFound:
        whisper(client, body, Post(GONE))
    except SlackApiError as error:
        code = escape(str(error.response.get("error")))
        log.warning("Slack refused what was asked for: %s", code)
        whisper(client, body, Post(f"That did not work: Slack refused it ({code})."))
    except (SlackClientError, OSError, HTTPException) as error:
        log.warning("Slack did not answer: %s", error)
