"""Mentions, messages and edits -> questions and replies.

What a message quotes (a forward, a snippet) stands in the question's context: nobody asked that.

Source: Slack's Events API (``event_callback``); ``message_changed`` holds the message as it is now and as it was.
"""

from __future__ import annotations

from typing import Any

from bot.parse.command_words import is_help, is_thanks
from bot.parse.payload_fields import request_id
from bot.parse.received import Received
from workers.contracts import Question, Reply
from workers.language.mrkdwn import mentions, plain_text
from workers.slack_messages.message import SlackMessage

SPOKEN = frozenset({"", "file_share", "thread_broadcast"})
"""Subtypes of messages that a person wrote just now."""
SLACKBOT = "USLACKBOT"
ABOUT_QUOTE = "What is going on with this?"
"""What someone asks who shows the app something without a word."""


def is_mention_with_file(received: Received) -> bool:
    """Whether a message with a file mentions the app; Slack may tell it as a mention too."""
    message, with_file = received.message, received.message.subtype == "file_share"
    return received.kind == "message" and with_file and not received.direct and mentions_app(message, received.app)


def said_to_app(received: Received) -> str | None:
    """What a person just said to the app in an event, as it is read; None when nothing was."""
    mention = received.kind == "mention"
    if not is_spoken(received) or not (mention or received.direct or is_mention_with_file(received)):
        return None
    content = received.message.content
    said = plain_text(content.raw, received.app, leading=mention)
    return said or (ABOUT_QUOTE if content.quotes else "")


def read_question(received: Received, text: str) -> Question | None:
    """A mention, or a direct message. It is answered in its thread, or in one of its own."""
    message, channel = received.message, received.origin.channel
    if not (channel and message.user and message.ts):
        return None
    return Question(
        request_id=request_id(received.team, channel, message.ts),
        text=text,
        ts=message.ts,
        **shared_fields(received),
    )


def shared_fields(received: Received) -> dict[str, Any]:
    """What a new question and a changed one have of their message."""
    message = received.message
    return {
        "asker": message.user,
        "team": received.team,
        "asker_team": received.asker_team,
        "channel": received.origin.channel,
        "thread_ts": message.thread_ts or message.ts,
        "event_id": received.event_id,
        "source": "slack",
        "received_at": received.at,
        "late": received.late,
        "context": tuple(map(str, message.content.quotes)),
        "unread": message.content.unread,
    }


def read_reply(received: Received) -> Reply | None:
    """A message in a thread that does not mention the app; one that does comes as a mention too."""
    text, message, channel = overheard_text(received), received.message, received.origin.channel
    if not (channel and message.user and message.ts and message.thread_ts and text) or message.thread_ts == message.ts:
        return None
    return Reply(
        text=text,
        asker=message.user,
        team=received.team,
        channel=channel,
        thread_ts=message.thread_ts,
        ts=message.ts,
        event_id=received.event_id,
        received_at=received.at,
    )


def overheard(received: Received) -> Question | None:
    """A message in a channel that does not mention the app, as the question it would be where a channel wants that."""
    text = overheard_text(received)
    if not text or is_help(text) or is_thanks(text) or received.direct:
        return None
    return read_question(received, text)


def overheard_text(received: Received) -> str:
    """What a person just wrote without mentioning the app; empty when that is not so."""
    message = received.message
    if received.kind != "message" or not is_spoken(received) or mentions_app(message, received.app):
        return ""
    return message.content.text


def read_edit(received: Received) -> Question | None:
    """A message addressed to the app whose words a person changed, or that an edit addresses to it.

    Slack also sends ``message_changed`` when it adds a link's preview or counts a reply: the words are the same then.
    """
    app, message, direct = received.app, received.message, received.direct
    before, raw, channel = received.before.content.raw, message.content.raw, received.origin.channel
    if not is_persons(message, app) or raw == before or not (direct or mentions_app(message, app)):
        return None
    text = plain_text(raw, app)
    unchanged = text == plain_text(before, app) and (direct or mentions_app(received.before, app))
    if is_help(text) or is_thanks(text) or unchanged or not (channel and message.user and message.ts):
        return None
    return Question(
        request_id=request_id(received.team, channel, f"edit:{received.event_id}"),
        text=text,
        edits=message.ts,
        **shared_fields(received),
    )


def mentions_app(message: SlackMessage, app: frozenset[str]) -> bool:
    """Whether a message mentions the app."""
    return mentions(message.content.raw, app)


def is_spoken(received: Received) -> bool:
    """Written by a person, just now: no bot, not this app itself, not hidden, edited or deleted."""
    message = received.message
    return is_persons(message, received.app) and not (message.hidden or message.edited)


def is_persons(message: SlackMessage, app: frozenset[str]) -> bool:
    """A message that a person wrote: not this app, no bot, no workflow, no notice of Slack's."""
    return message.user not in {*app, SLACKBOT} and not message.content.app and message.subtype in SPOKEN


def read_stop(received: Received) -> tuple[str, str, str, str] | None:
    """The Stop button of an agent's session: team, channel, thread and person; None when one of them is missing."""
    place = received.origin.channel, received.origin.thread_ts, received.origin.user
    return (received.team, *place) if received.kind == "stop" and all(place) else None
