"""The Bolt app: what was asked is committed before Slack hears that it arrived; everything else comes after.

No request needs a call to Slack: signatures are checked here, and who this app is stands in the payloads.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

from slack_bolt import App, BoltContext, BoltResponse
from slack_bolt.authorization import AuthorizeResult
from slack_sdk import WebClient

from bot.listeners import actions, commands, messages
from bot.listeners.heard import Attention
from bot.parse import kind_of, to_question
from workers.contracts import Landscape, Question
from workers.errors import StoreUnavailable
from workers.inbox import Inbox
from workers.settings import Settings
from workers.telemetry.service import ServiceMetrics

LISTENERS = 16
"""Threads that ring the workers and tell people why not; the latter wait for Slack, at most `NOTICE_S` each."""
NOTICE_S = 5
CLOSED = "I can't take questions right now: my database does not answer. Please ask again in a minute."

log = logging.getLogger(__name__)


def build_app(
    settings: Settings,
    inbox: Inbox,
    ring: Callable[[str], None],
    *,
    metrics: ServiceMetrics | None = None,
    landscape: Callable[[], Landscape] | None = None,
    **options: Any,
) -> App:
    """Build the app; nothing is sent to Slack yet.

    Args:
        settings: the Slack app's token, signing secret and address, and the limit of a question.
        inbox: where questions and replies are committed.
        ring: publishes a request id to the workers; returns at once and never raises.
        metrics: where events are counted.
        landscape: this team's real names for the examples in the help; returns at once and never raises.
        options: further arguments of `slack_bolt.App`.
    """
    bolt_log = logging.getLogger("slack_bolt")
    # Its warnings quote payloads, and say that SLACK_BOT_TOKEN is unused, which is `known_team`'s.
    bolt_log.setLevel(logging.ERROR)
    slack = settings.core.slack
    client = WebClient(base_url=slack.api_url or WebClient.BASE_URL, timeout=NOTICE_S)
    arguments: dict[str, Any] = {
        "name": "slack_bolt.app",
        "logger": bolt_log,
        "client": client,
        "authorize": known_team(slack.bot_token),
        "signing_secret": slack.signing_secret,
        "listener_executor": ThreadPoolExecutor(LISTENERS, thread_name_prefix="slack-listener"),
        "ignoring_self_events_enabled": False,  # it would ask Slack who we are; `parse` reads it from the event
        "attaching_conversation_kwargs_enabled": False,
    }
    app = App(**(arguments | options))
    limit = settings.core.limits.question_chars
    app.middleware(accept_first(inbox, limit, metrics or ServiceMetrics()))
    attention = Attention(ring=ring, limit=limit, landscape=landscape or Landscape)
    for listeners in (messages, commands, actions):
        listeners.register(app, attention)
    app.event(re.compile(".*"))(leave)
    app.error(report)
    return app


def known_team(token: str) -> Callable[[BoltContext], AuthorizeResult]:
    """Events of one workspace, signed for this app: its token is the one in the settings."""

    def authorize(context: BoltContext) -> AuthorizeResult:
        return AuthorizeResult(enterprise_id=context.enterprise_id, team_id=context.team_id, bot_token=token)

    return authorize


def accept_first(inbox: Inbox, limit: int, metrics: ServiceMetrics) -> Callable[..., BoltResponse | None]:
    """A middleware that commits questions and replies; ``request_id`` or ``too_long`` in the context says how it went.

    An error ends in 503 (over Socket Mode: in no acknowledgement), so that Slack sends the event again. It never sends
    a command again, so that one is answered with a sentence.
    """

    def accept(body: dict[str, Any], context: BoltContext, next_: Callable[[], Any]) -> BoltResponse | None:
        kind = kind_of(body)
        metrics.received(kind)
        found = to_question(body, datetime.now(UTC))
        if found is not None:
            try:
                if len(found.text) > limit:
                    if isinstance(found, Question) or inbox.is_awaited(found):
                        metrics.refused("too_long")
                        context["too_long"] = len(found.text)
                    next_()
                    return None
                request_id = inbox.accept(found) if isinstance(found, Question) else inbox.accept_reply(found)
            except StoreUnavailable as error:
                log.error("%s was not accepted: %s", kind, error)  # noqa: TRY400 - the sentence says it all
                metrics.refused("store_unavailable")
                return closed(kind)
            if request_id:
                metrics.accepted(kind)
                context["request_id"] = request_id
            elif isinstance(found, Question):
                metrics.repeated()
        next_()
        return None

    return accept


def closed(kind: str) -> BoltResponse:
    """What Slack hears when the database does not answer."""
    if kind == "command":
        return BoltResponse(status=200, body={"response_type": "ephemeral", "text": CLOSED})
    return BoltResponse(status=503, body={"error": "store_unavailable"})


def leave() -> None:
    """Events that nobody asked for are acknowledged, or Slack would send them again."""


def report(error: Exception) -> None:
    """A listener that failed is heard of in the log; whoever waits gets no traceback."""
    log.error("a Slack listener failed", exc_info=error)
