"""What all listeners share; and messages: mentions, direct messages, replies in threads, edits."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from slack_bolt import App, BoltContext
from slack_sdk import WebClient

from bot.listeners.background import BackgroundThreads
from bot.listeners.directory import Directory
from bot.listeners.ephemeral import post_ephemeral
from bot.parse import misspelt, received_in, wants_help
from bot.views.help import help_post, mistyped_post
from workers.access.doors import Doors
from workers.access.views import Access
from workers.contracts import Landscape, Question
from workers.delivery.installations import Installations
from workers.errors import StoreUnavailable
from workers.ports import Chats, Post
from workers.requests.ledger import Ledger
from workers.settings.load import Settings
from workers.store.request_logs import SqlStore

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ListenerContext:
    """What listeners need.

    ``ring`` publishes a request id to the workers; ``queued`` shows in a thread (team, channel, thread) how many
    questions are before one; ``wake_channel`` calls a worker to a followed channel (team, channel): they never raise.
    ``landscape``: this team's real names, as far as they are known.
    ``access``: who may see what.
    ``chats``: the doors through which everyone in a channel is told something. ``later``: runs what talks to Slack.
    """

    ring: Callable[[str], None]
    settings: Settings
    ledger: Ledger
    store: SqlStore
    landscape: Callable[[], Landscape]
    queued: Callable[[str, str, str, int], None]
    chats: Chats
    installations: Installations | None = None
    wake_channel: Callable[[str, str], None] = lambda _team, _channel: None
    access: Access = field(kw_only=True)
    directory: Directory = field(default_factory=Directory)
    later: BackgroundThreads = field(default_factory=BackgroundThreads)

    @property
    def doors(self) -> Doors:
        """The policy, as buttons and commands ask for it."""
        return Doors(self.access, self.chats)

    def accepted(self, context: Mapping[str, Any]) -> bool:
        """Call a worker for what was accepted; whether anything was."""
        request_id, question = context.get("request_id"), context.get("question")
        if not request_id:
            return False
        self.ring(request_id)
        if isinstance(question, Question) and question.thread_ts:
            self.later(partial(self.tell_queue, request_id, question))
        return True

    def tell_queue(self, request_id: str, question: Question) -> None:
        """While every worker is busy, say how many are before a question; nothing depends on it."""
        try:
            ahead = self.ledger.ahead(request_id)
        except StoreUnavailable as error:
            log.warning("the queue is not known: %s", error)
            return
        if ahead is not None:
            self.queued(question.team, question.channel, question.thread_ts, ahead)


def register(app: App, attention: ListenerContext) -> None:
    """Listen to ``app_mention``, and to ``message`` of any subtype; most messages are not for the app."""

    def hear(context: BoltContext, client: WebClient) -> None:
        if attention.accepted(context):
            return
        received, command = received_in(context), attention.settings.core.slack.command
        say = partial(post_ephemeral, client, received.origin)
        if context.get("refusal"):
            attention.later(partial(say, Post(context["refusal"])))
        elif wants_help(received):
            attention.later(partial(say, help_post(attention.landscape(), command)))
        elif slip := misspelt(received):
            attention.later(partial(say, mistyped_post(command, *slip)))

    app.event("app_mention")(hear)
    app.event("message")(hear)
