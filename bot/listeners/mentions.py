"""Someone mentions the app in a channel."""

from __future__ import annotations

from slack_bolt import App

from bot.listeners.heard import Attention


def register(app: App, attention: Attention) -> None:
    """Listen to ``app_mention``."""
    app.event("app_mention")(attention.hear)
