"""The Bolt app: what was asked is committed before Slack hears that it arrived; everything else comes after.

No request needs a call to Slack: signatures are checked here, and who this app is stands in the payloads.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from slack_bolt import Ack, App
from slack_bolt.middleware import RequestVerification
from slack_sdk import WebClient

from bot.listeners import (
    actions,
    agent_sessions,
    channels,
    commands,
    followed_channels,
    home,
    mentions,
    modals,
    proposals,
    shortcuts,
    timeline,
    uninstalls,
)
from bot.listeners.mentions import ListenerContext
from bot.middleware.accept import Entrance, TurnAway
from bot.middleware.channel_messages import Watch
from bot.middleware.losses import Losses
from bot.transport.arrivals import ArrivalClock
from bot.transport.oauth import REMOVED, build_authorize
from workers.access.views import access_of
from workers.contracts import Landscape
from workers.delivery.installations import Installations, open_chats
from workers.ports import Chats
from workers.requests.ledger import Ledger
from workers.settings.load import Settings
from workers.store.request_logs import SqlStore
from workers.telemetry.service_metrics import ServiceMetrics

LISTENERS = 16
"""Threads that acknowledge and ring the workers; what waits for Slack has threads of its own (`later`)."""
NOTICE_S = 5
"""What is said to one person is not waited for longer."""
KINDS = (
    mentions,
    channels,
    followed_channels,
    timeline,
    agent_sessions,
    shortcuts,
    actions,
    proposals,
    modals,
    commands,
    home,
    uninstalls,
)
ANYTHING = re.compile(".*", re.DOTALL)

log = logging.getLogger(__name__)


def build_app(
    settings: Settings,
    ledger: Ledger,
    store: SqlStore,
    ring: Callable[[str], None],
    *,
    metrics: ServiceMetrics | None = None,
    landscape: Callable[[], Landscape] | None = None,
    queued: Callable[[str, str, str, int], None] | None = None,
    installations: Installations | None = None,
    chats: Chats | None = None,
    wake_channel: Callable[[str, str], None] | None = None,
    losses: Losses | None = None,
    **options: Any,
) -> App:
    """Build the app; nothing is sent to Slack yet.

    Raises:
        ConfigError: no ``chats`` are given, and the settings hold nothing to open them with.

    Args:
        settings: the Slack app's token, signing secret and address, and the limit of a question.
        ledger: where questions and replies are committed.
        store: where the logs of requests are read; its database holds the settings of channels, and feedback.
        ring: publishes a request id to the workers; returns at once and never raises.
        metrics: where events are counted.
        landscape: this team's real names for the examples in the help; returns at once and never raises.
        queued: shows in a thread (team, channel, thread) how many questions are before one; never raises.
        installations: the workspaces' tokens; None: there is one workspace, and its token is in the settings.
        chats: the doors through which everyone in a channel is told something; None: opened here, without a pace.
        wake_channel: calls a worker to a followed channel (team, channel); returns at once and never raises.
        losses: notes since when nothing can be kept, and tells people.
        options: further arguments of `slack_bolt.App`.
    """
    bolt_log = logging.getLogger("slack_bolt")
    # Its warnings quote payloads, and say that SLACK_BOT_TOKEN is unused, which is the settings'.
    bolt_log.setLevel(logging.ERROR)
    slack = settings.core.slack
    # The SDK alone would repeat a post whose connection was cut, and it would stand twice.
    client = WebClient(base_url=slack.api_url or WebClient.BASE_URL, timeout=NOTICE_S, retry_handlers=[])
    arguments: dict[str, Any] = {
        "name": "slack_bolt.app",
        "logger": bolt_log,
        "client": client,
        "before_authorize": TurnAway(),
        "authorize": build_authorize(settings, installations),
        "user_facing_authorize_error_message": REMOVED,
        "signing_secret": slack.signing_secret,
        "listener_executor": ThreadPoolExecutor(LISTENERS, thread_name_prefix="slack-listener"),
        "ignoring_self_events_enabled": False,  # it would ask Slack who we are; `parse` reads it from the event
        "attaching_conversation_kwargs_enabled": False,
    }
    app = App(**(arguments | options))
    for one in app._middleware_list:  # Bolt takes no clock for its verifier
        if isinstance(one, RequestVerification) and slack.signing_secret:  # without one Bolt has nothing to check with
            one.verifier.clock = ArrivalClock()
    attention = ListenerContext(
        ring,
        settings,
        ledger,
        store,
        landscape or Landscape,
        queued or show_nothing,
        chats or open_chats(settings, store.database),
        installations,
        wake_channel=wake_channel or show_nothing,
        access=access_of(settings),
    )
    watch = Watch(store.database, settings.core.incidents, attention.wake_channel)
    losses = losses or Losses()
    losses.later = attention.later
    entrance = build_entrance(settings, ledger, store, metrics or ServiceMetrics(), installations)
    app.middleware(replace(entrance, later=attention.later, watch=watch, losses=losses).accept)
    for kind in KINDS:
        kind.register(app, attention)
    app.event(ANYTHING)(leave)
    for listen in (app.action, app.shortcut, app.view, app.view_closed, app.options):
        listen(ANYTHING)(take_note)
    app.error(report)
    return app


def build_entrance(
    settings: Settings,
    ledger: Ledger,
    store: SqlStore,
    metrics: ServiceMetrics,
    installations: Installations | None = None,
) -> Entrance:
    """What commits questions and replies, as configured."""
    agents = {entry.task: name for name, entry in reversed(settings.tree.agents.items())}
    core = settings.core
    return Entrance(
        ledger, store, core.limits.question_chars, metrics, core.slack, installations=installations, agents=agents
    )


def leave() -> None:
    """Events that nobody asked for are acknowledged, or Slack would send them again."""


def take_note(ack: Ack) -> None:
    """So are presses that need no answer, such as links: Slack would show a warning otherwise."""
    ack()


def show_nothing(*_: str | int) -> None:
    """Nobody shows what waits."""


def report(error: Exception) -> None:
    """A listener that failed is heard of in the log; whoever waits gets no traceback."""
    log.error("a Slack listener failed", exc_info=error)
