"""The agent's own place: its Stop button, and what to ask when someone opens the direct messages with it."""

from __future__ import annotations

from functools import partial

from slack_bolt import App, BoltContext
from slack_sdk import WebClient

from bot.listeners.ephemeral import tried
from bot.listeners.mentions import ListenerContext
from bot.parse import read_stop, received_in
from bot.views.help import examples
from workers.ports import Place

TITLE = "Ask about what runs here"


def register(app: App, attention: ListenerContext) -> None:
    """Listen to ``agent_session_stopped``, and to ``app_home_opened`` where messages are written."""

    def stop(context: BoltContext) -> None:
        stopped = context.get("stopped", ())
        for request_id in stopped:
            attention.ring(request_id)
        place = read_stop(received_in(context))
        if place and not stopped:  # Slack shows its Stop button until it is told that nothing runs
            team, channel, thread_ts, _ = place
            attention.later(partial(tried, "a session was left", partial(rest, attention, team, channel, thread_ts)))

    def suggest(context: BoltContext, client: WebClient) -> None:
        channel = received_in(context).origin.channel
        questions = examples(attention.landscape())
        prompts = [{"title": text, "message": text} for text in questions]
        # with a thread_ts Slack would leave the call without effect: agents have no such threads
        said = {"channel_id": channel, "title": TITLE, "prompts": prompts}
        suggested = partial(client.api_call, "assistant.threads.setSuggestedPrompts", json=said)
        attention.later(partial(tried, f"no questions were suggested in {channel}", suggested))

    app.event("agent_session_stopped")(stop)
    app.event("app_home_opened", matchers=[shows_messages])(suggest)


def rest(attention: ListenerContext, team: str, channel: str, thread_ts: str) -> None:
    """Nothing is worked on in a thread. Raises: ChatError."""
    attention.chats(team).set_session(Place(channel, thread_ts, team), "active")


def shows_messages(context: BoltContext) -> bool:
    """Whether someone opened the tab where messages are written."""
    received = received_in(context)
    return received.tab == "messages" and bool(received.origin.channel)
