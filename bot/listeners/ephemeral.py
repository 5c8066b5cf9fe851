"""What one person alone is told; and the boundary for what Slack and the database refuse after an acknowledgement."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.client import HTTPException

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError

from bot.parse import Origin
from bot.views.notice import NO_DATABASE
from workers.delivery.block_limits import check_post
from workers.delivery.rich_text import escape, words
from workers.delivery.rich_text_blocks import block, paragraph
from workers.errors import ChatBusy, ChatError, ChatRefused, StoreUnavailable
from workers.ports import Chats, Place, Post

NOT_REACHED = (ChatError, SlackClientError, OSError, HTTPException)
"""What is raised when Slack refuses, or does not answer: by a `Chat`, and by slack_sdk."""
NO_MEMBER = frozenset({"not_in_channel", "channel_not_found"})
INVITE = "I am not a member of the channel where you asked. To have me there, type /invite in it and choose me."
BUSY = "Slack takes no more messages from me here right now. Please try again in a minute."
UNCLEAR = "Slack did not answer me clearly. Please look whether it was done, and try again if it was not."

log = logging.getLogger(__name__)


# --- the boundary ---------------------------------------------------------------------------------------------


@contextmanager
def refused_or(say: Callable[[Post], object]) -> Iterator[None]:
    """Run what comes after an acknowledgement; where the database or Slack is in the way, say so in one sentence."""
    try:
        yield
    except StoreUnavailable as error:
        log.error("%s", error)  # noqa: TRY400 - the sentence says it all
        say(Post(NO_DATABASE))
    except NOT_REACHED as error:
        log.warning("Slack did not do what was asked for: %s", refusal(error))
        say(Post(why_not(error)))


def tried(what: str, call: Callable[[], object]) -> str:
    """Do what Slack may refuse, where nobody needs to hear of it. Returns: its word for why not; empty when done."""
    try:
        call()
    except NOT_REACHED as error:
        log.warning("%s: %s", what, refusal(error))
        return refusal(error)
    return ""


def refusal(error: Exception) -> str:
    """Slack's own word for why it refused, or the kind of failure."""
    if isinstance(error, SlackApiError):
        return str(error.response.get("error") or "refused")
    if isinstance(error, ChatRefused):
        return error.code or "refused"
    return "ratelimited" if isinstance(error, ChatBusy) else type(error).__name__


def why_not(error: Exception) -> str:
    """The same as a sentence."""
    code = refusal(error)
    if code == "ratelimited":
        return BUSY
    refused = isinstance(error, SlackApiError | ChatRefused)
    return f"That did not work: Slack refused it ({escape(code)})." if refused else UNCLEAR


# --- what is said ---------------------------------------------------------------------------------------------


def post_ephemeral(client: WebClient, origin: Origin, post: Post) -> None:
    """Tell someone something where they wrote or pressed, without telling others. What Slack refuses is logged."""
    channel, user, thread_ts = origin.channel, origin.user, origin.thread_ts
    if not channel:
        log.warning("nothing was said to %s: there is no channel to say it in", user)
        return
    post_ephemeral_in(client, channel, user, thread_ts, post)


def post_ephemeral_in(client: WebClient, channel: str, user: str, thread_ts: str, post: Post) -> None:
    """Tell one person something in a channel; where the app is no member, in a direct message that says so.

    What Slack refuses is logged.
    """
    blocks = list(post.blocks) or None

    def say() -> None:
        client.chat_postEphemeral(
            channel=channel, user=user, thread_ts=thread_ts or None, text=post.text, blocks=blocks
        )

    if tried(f"nothing was said to {user}", say) in NO_MEMBER and not channel.startswith("D"):
        tried(f"nothing was said to {user} directly", partial(post_direct, client, user, post))


def post_direct(client: WebClient, user: str, post: Post) -> None:
    """Tell one person something in their direct messages with the app, and how to have it said where they were.

    Raises: what is in `NOT_REACHED`.
    """
    channel = str(client.conversations_open(users=user)["channel"]["id"])
    blocks = [*post.blocks, block(paragraph(words(INVITE, italic=True)))] if post.blocks else None
    client.chat_postMessage(channel=channel, text=f"{post.text}\n{INVITE}", blocks=blocks)


def post_in(chats: Chats, place: Place, post: Post, key: str) -> str:
    """Tell everyone in a channel or thread; as text where Slack would not show the blocks. Never tries twice.

    Returns: the message's ts.

    Raises:
        ChatBusy, ChatRefused, StoreUnavailable: it was not said.
        ChatUnavailable: nobody knows whether it was.
    """
    return chats(place.team).post(place, showable(post, key), key)


def showable(post: Post, key: str) -> Post:
    """The post, without blocks that Slack would refuse."""
    wrong = check_post(post)
    if wrong:
        log.error("%s breaks Slack's limits: %s", key, "; ".join(wrong))
        return Post(post.text)
    return post
