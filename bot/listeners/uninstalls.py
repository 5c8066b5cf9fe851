"""The app was removed from a workspace, or its token was revoked: nothing of that workspace is worked on any more.

This happens before the acknowledgement: while the database does not answer, Slack sends the event again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from slack_bolt import App, BoltContext, BoltResponse

from bot.listeners.mentions import Attention
from workers.delivery.installations import Installations
from workers.errors import StoreUnavailable
from workers.requests.ledger import Inbox
from workers.store.channels import forget_channels

log = logging.getLogger(__name__)


def register(app: App, attention: Attention) -> None:
    """Listen to ``app_uninstalled`` and ``tokens_revoked``."""

    def end(body: dict[str, Any], context: BoltContext, next_: Callable[[], Any]) -> BoltResponse | None:
        team = (context.enterprise_id if context.is_enterprise_install else context.team_id) or ""
        if team and lost_bot(body["event"]):
            try:
                end_team(attention.inbox, attention.installations, team, moment_of(body))
            except StoreUnavailable as error:
                log.error("the end of an installation was not recorded: %s", error)  # noqa: TRY400 - it says it all
                return BoltResponse(status=503, body={"error": "store_unavailable"})
        next_()
        return None

    for event in ("app_uninstalled", "tokens_revoked"):
        app.event(event, middleware=[end])(done)


def done() -> None:
    """Everything was done before the acknowledgement."""


def end_team(inbox: Inbox, installations: Installations | None, team: str, until: datetime) -> None:
    """Forget a workspace, unless it installed the app again since. May run twice. Raises: StoreUnavailable."""
    if installations is not None and not installations.delete(team, until):
        return
    forget_channels(inbox.database, team)
    ended = inbox.end_team(team)
    log.warning("the app is no longer installed in %s; open requests ended: %s", team, ended)


def lost_bot(event: dict[str, Any]) -> bool:
    """Whether the bot's own access ended; people's tokens are none of ours."""
    tokens = event.get("tokens")
    return event.get("type") != "tokens_revoked" or bool(isinstance(tokens, dict) and tokens.get("bot"))


def moment_of(body: dict[str, Any]) -> datetime:
    """The end of the second in which it happened: a later installation is not meant."""
    at = body.get("event_time")
    if isinstance(at, int) and 0 < at < 1 << 33:
        return datetime.fromtimestamp(at, UTC) + timedelta(seconds=1)
    return datetime.now(UTC)
