"""The app was removed from a workspace, or its token was revoked: nothing of that workspace is worked on any more.

This happens before the acknowledgement: while the database does not answer, Slack sends the event again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from typing import Any

from slack_bolt import App, BoltContext, BoltResponse

from bot.listeners.mentions import ListenerContext
from bot.parse import received_in
from workers.delivery.installations import Installations
from workers.errors import StoreUnavailable
from workers.requests.ledger import Ledger
from workers.store.channels import forget_channels

log = logging.getLogger(__name__)


def register(app: App, attention: ListenerContext) -> None:
    """Listen to ``app_uninstalled`` and ``tokens_revoked``."""

    def end(context: BoltContext, next_: Callable[[], Any]) -> BoltResponse | None:
        team = (context.enterprise_id if context.is_enterprise_install else context.team_id) or ""
        until = received_in(context).removed_at
        if team and until:
            try:
                end_team(attention.ledger, attention.installations, team, until)
            except StoreUnavailable as error:
                log.error("the end of an installation was not recorded: %s", error)  # noqa: TRY400 - it says it all
                return BoltResponse(status=503, body={"error": "store_unavailable"})
        next_()
        return None

    for event in ("app_uninstalled", "tokens_revoked"):
        app.event(event, middleware=[end])(done)


def done() -> None:
    """Everything was done before the acknowledgement."""


def end_team(ledger: Ledger, installations: Installations | None, team: str, until: datetime) -> None:
    """Forget a workspace, unless it installed the app again since. May run twice. Raises: StoreUnavailable."""
    if installations is not None and not installations.delete(team, until):
        return
    forget_channels(ledger.database, team)
    ended = ledger.end_team(team)
    log.warning("the app is no longer installed in %s; open requests ended: %s", team, ended)
