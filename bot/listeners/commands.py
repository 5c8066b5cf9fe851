"""``/oracle``: a question is accepted before; everything else is acknowledged at once and answered to one person."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from slack_bolt import Ack, App, BoltContext, Respond
from slack_sdk import WebClient

from bot.listeners import declared_incidents, followed_channels, subcommands
from bot.listeners.catchup import catchup
from bot.listeners.ephemeral import refused_or, tried
from bot.listeners.mentions import ListenerContext
from bot.listeners.subcommands import Called, called_by
from bot.parse import FAMILY_SUBCOMMANDS, Command, asked, received_in, subcommand
from bot.views.ask import ask_view
from bot.views.help import help_post, manual, mistyped_post
from workers.delivery.rich_text_blocks import several
from workers.errors import StoreUnavailable
from workers.ports import Post

LOOKING = "Looking into it… The answer comes in a thread here, or in a direct message where I may not post."
BUSY = "Slack keeps me waiting, and too much waits already. Please try again in a minute."
SUBCOMMANDS: Mapping[str, Callable[[Called], Post]] = {
    "status": subcommands.status,
    "sources": subcommands.sources,
    "catchup": catchup,
    "pause": followed_channels.pause,
    "resume": followed_channels.resume,
    "feedback": subcommands.feedback,
    "cancel": subcommands.cancel,
    "why": subcommands.why,
    "incident": declared_incidents.incident,
    "resolve": declared_incidents.resolve,
}
"""Those of families are `bot.parse.FAMILY_SUBCOMMANDS`."""

log = logging.getLogger(__name__)


def register(app: App, attention: ListenerContext) -> None:
    """Listen to the app's slash command, whatever its manifest calls it."""

    def listen(ack: Ack, context: BoltContext, client: WebClient, respond: Respond) -> None:
        if (command := received_in(context).command) is None:
            return
        found = subcommand(command.text)
        post = at_once(attention, command, context, found)
        if post is None and (found or not asked(command.text)):
            taken = attention.later(partial(answer, attention, command, client, respond, found))
            post = None if taken else Post(BUSY)
        if post is None:
            ack()
            return
        ack(text=post.text, blocks=list(post.blocks) or None, response_type="ephemeral")
        attention.accepted(context)

    app.command(re.compile(".*"))(listen)


def at_once(
    attention: ListenerContext, command: Command, context: Mapping[str, Any], found: tuple[str, str] | None
) -> Post | None:
    """What the acknowledgement says by itself; None when there is something to look up first."""
    if context.get("request_id"):
        return Post(LOOKING + before_yours(attention, context["request_id"]))
    if context.get("refusal"):
        return Post(str(context["refusal"]))
    if found is not None and found[0] == "mistyped":
        return mistyped_post(command.name, command.text, found[1])
    if found is not None and found[0] == "help":
        return full_help(attention, command.name)
    return None


def before_yours(attention: ListenerContext, request_id: str) -> str:
    """Who is before a question; nothing when nobody is."""
    try:
        ahead = attention.ledger.ahead(request_id)
    except StoreUnavailable:
        return ""
    return f" {several(ahead, 'question is', 'questions are')} before yours." if ahead else ""


def full_help(attention: ListenerContext, command: str) -> Post:
    """Examples of questions, and every subcommand."""
    post = help_post(attention.landscape(), command)
    return Post(text=post.text, blocks=(*post.blocks, manual(command)))


def answer(
    attention: ListenerContext,
    command: Command,
    client: WebClient,
    respond: Respond,
    found: tuple[str, str] | None,
) -> None:
    """Do what a subcommand does, or open a window to ask in; whatever is in its way is one sentence."""
    say = partial(tell, respond)
    if found is None:
        open_window(attention, command, client, respond)
        return
    name, rest = found
    with refused_or(say):
        do: Callable[[Called], Post] = SUBCOMMANDS.get(name) or FAMILY_SUBCOMMANDS[name].load()
        say(do(called_by(command, rest, attention, client)))


def open_window(attention: ListenerContext, command: Command, client: WebClient, respond: Respond) -> None:
    """A window to ask in; help in words where Slack does not open one."""
    trigger, view = command.trigger_id, ask_view(channel=command.channel)
    if tried("the window did not open", lambda: client.views_open(trigger_id=trigger, view=view)):
        tell(respond, full_help(attention, command.name))


def tell(respond: Respond, post: Post) -> None:
    """Say something to one person; what Slack refuses is logged."""

    def say() -> None:
        said = respond(text=post.text, blocks=list(post.blocks) or None, response_type="ephemeral")
        if said.status_code != 200:
            log.warning("a command's answer was refused: %s %s", said.status_code, said.body[:200])

    tried("a command's answer was not delivered", say)
