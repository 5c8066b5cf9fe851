"""``/oracle``: a question is accepted before; everything else is acknowledged at once and answered to one person."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from typing import Any

from slack_bolt import Ack, App, BoltContext, Respond
from slack_sdk import WebClient

from bot.listeners import incidents, subcommands
from bot.listeners.called import Called, called_by
from bot.listeners.directory import NOT_REACHED, Directory, refusal
from bot.listeners.heard import Attention
from bot.parse import addressed_text, asked, subcommand, text_at
from bot.views.ask import ask_view
from bot.views.help import help_post
from bot.views.manual import manual
from bot.views.rich import several
from workers.errors import StoreUnavailable
from workers.ports import Post

LOOKING = "Looking into it… The answer comes in a thread here, or in a direct message where I may not post."
NO_DATABASE = "I can't tell right now: my database does not answer. Please try again in a minute."
SUBCOMMANDS: Mapping[str, Callable[[Called], Post]] = {
    "status": subcommands.status,
    "sources": subcommands.sources,
    "catchup": subcommands.catchup,
    "feedback": subcommands.feedback,
    "cancel": subcommands.cancel,
    "why": subcommands.why,
    "incident": incidents.incident,
    "resolve": incidents.resolve,
}

log = logging.getLogger(__name__)


def register(app: App, attention: Attention) -> None:
    """Listen to the app's slash command, whatever its manifest calls it."""
    directory = Directory()

    def listen(ack: Ack, body: dict[str, Any], context: BoltContext, client: WebClient, respond: Respond) -> None:
        text = addressed_text(body) or ""
        found = subcommand(text)
        post = at_once(attention, body, context, found)
        if post is not None:
            ack(text=post.text, blocks=list(post.blocks) or None, response_type="ephemeral")
            attention.accepted(context)
            return
        ack()
        if found is not None:
            name, rest = found
            tell(respond, answer(SUBCOMMANDS[name], called_by(body, rest, attention, directory, client)))
        elif not asked(text):
            open_window(client, body, respond, attention)

    app.command(re.compile(".*"))(listen)


def at_once(
    attention: Attention, body: Mapping[str, Any], context: Mapping[str, Any], found: tuple[str, str] | None
) -> Post | None:
    """What the acknowledgement says by itself; None when there is something to look up first."""
    if context.get("request_id"):
        return Post(LOOKING + before_yours(attention, context["request_id"]))
    if context.get("refusal"):
        return Post(str(context["refusal"]))
    if found is not None and found[0] == "help":
        return full_help(attention, text_at(body, "command"))
    return None


def before_yours(attention: Attention, request_id: str) -> str:
    """Who is before a question; nothing when nobody is."""
    try:
        ahead = attention.inbox.ahead(request_id)
    except StoreUnavailable:
        return ""
    return f" {several(ahead, 'question is', 'questions are')} before yours." if ahead else ""


def full_help(attention: Attention, command: str) -> Post:
    """Examples of questions, and every subcommand."""
    post = help_post(attention.landscape(), command)
    return Post(text=post.text, blocks=(*post.blocks, manual(command)))


def answer(does: Callable[[Called], Post], called: Called) -> Post:
    """Do what a subcommand does; whatever is in its way is one sentence."""
    try:
        return does(called)
    except StoreUnavailable as error:
        log.error("a command was not answered: %s", error)  # noqa: TRY400 - the sentence says it all
        return Post(NO_DATABASE)
    except NOT_REACHED as error:
        log.warning("a command was not answered: %s", refusal(error))
        return Post(f"Slack did not let me do that ({refusal(error)}).")


def open_window(client: WebClient, body: Mapping[str, Any], respond: Respond, attention: Attention) -> None:
    """A window to ask in; help in words where Slack does not open one."""
    try:
        client.views_open(trigger_id=text_at(body, "trigger_id"), view=ask_view(channel=text_at(body, "channel_id")))
    except NOT_REACHED as error:
        log.warning("the window did not open: %s", refusal(error))
        tell(respond, full_help(attention, text_at(body, "command")))


def tell(respond: Respond, post: Post) -> None:
    """Say something to one person; what Slack refuses is logged."""
    try:
        response = respond(text=post.text, blocks=list(post.blocks) or None, response_type="ephemeral")
    except NOT_REACHED as error:
        log.warning("a command's answer was not delivered: %s", refusal(error))
        return
    if response.status_code != 200:
        log.warning("a command's answer was refused: %s %s", response.status_code, response.body[:200])
