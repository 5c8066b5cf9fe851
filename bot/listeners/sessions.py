"""The agent's own place: its Stop button, and what to ask when someone opens the direct messages with it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from slack_bolt import App, BoltContext
from slack_sdk import WebClient

from bot.listeners.heard import Attention
from bot.listeners.telling import tried
from bot.parse import name_at
from bot.views.help import examples

TITLE = "Ask about what runs here"


def register(app: App, attention: Attention) -> None:
    """Listen to ``agent_session_stopped``, and to ``app_home_opened`` where messages are written."""

    def stop(context: BoltContext) -> None:
        for request_id in context.get("stopped", ()):
            attention.ring(request_id)

    def suggest(event: dict[str, Any], client: WebClient) -> None:
        channel = name_at(event, "channel")
        questions = examples(attention.landscape())
        prompts = [{"title": text, "message": text} for text in questions]
        # with a thread_ts Slack would leave the call without effect: agents have no such threads
        said = {"channel_id": channel, "title": TITLE, "prompts": prompts}
        suggested = partial(client.api_call, "assistant.threads.setSuggestedPrompts", json=said)
        attention.later(partial(tried, f"no questions were suggested in {channel}", suggested))

    app.event("agent_session_stopped")(stop)
    app.event("app_home_opened", matchers=[shows_messages])(suggest)


def shows_messages(event: Mapping[str, Any]) -> bool:
    """Whether someone opened the tab where messages are written."""
    return event.get("tab") == "messages" and bool(name_at(event, "channel"))
