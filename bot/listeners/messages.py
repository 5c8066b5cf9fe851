"""Mentions, direct messages, replies in threads, edits. Most messages are not for the app, and nothing happens then."""

from __future__ import annotations

from slack_bolt import App

from bot.listeners.heard import Attention


def register(app: App, attention: Attention) -> None:
    """Listen to ``app_mention``, and to ``message`` of any subtype."""
    app.event("app_mention")(attention.hear)
    app.event("message")(attention.hear)
