"""Mentions, messages and edits -> questions and replies.

What a message quotes (a forward, a snippet) stands in the question's context: nobody asked that.

Source: Slack's Events API (``event_callback``); ``message_changed`` holds the message as it is now and as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.parse.authors import app_users, asker_team_of, is_persons, is_spoken, team_of
from bot.parse.command_words import is_help, is_thanks
from bot.parse.payload_fields import event_id, request_id
from workers.contracts import Question, Reply
from workers.language.slack_content import MessageContent, read_content
from workers.language.slack_text import mentions, name_at, plain_text, text_at, ts_at, value_at

ABOUT_QUOTE = "What is going on with this?"
"""What someone asks who shows the app something without a word."""


def is_direct(body: Mapping[str, Any]) -> bool:
    """Whether an event happened in the direct messages with the app."""
    return text_at(body, "event", "channel_type") == "im"


def is_mention_with_file(body: Mapping[str, Any]) -> bool:
    """Whether a message with a file mentions the app; Slack may tell it as a mention too."""
    event = value_at(body, "event")
    if text_at(event, "type") != "message" or text_at(event, "subtype") != "file_share" or is_direct(body):
        return False
    return mentions(read_content(event).raw, app_users(body))


def said_to_app(body: Mapping[str, Any], *, mention: bool) -> str | None:
    """What a person just said to the app in an event, as it is read; None when nothing was."""
    if not is_spoken(body) or not (mention or is_direct(body) or is_mention_with_file(body)):
        return None
    content = read_content(value_at(body, "event"))
    said = plain_text(content.raw, app_users(body), leading=mention)
    return said or (ABOUT_QUOTE if content.quotes else "")


def beside(content: MessageContent) -> dict[str, tuple[str, ...]]:
    """What stands in a message beside its words, as fields of a question."""
    return {"context": tuple(map(str, content.quotes)), "unread": content.unread}


def read_message(body: Mapping[str, Any], text: str, now: datetime) -> Question | None:
    """A mention, or a direct message. It is answered in its thread, or in one of its own."""
    team, channel, user = team_of(body), name_at(body, "event", "channel"), name_at(body, "event", "user")
    ts, thread_ts = ts_at(body, "event", "ts"), ts_at(body, "event", "thread_ts")
    if not (channel and user and ts):
        return None
    return Question(
        request_id=request_id(team, channel, ts),
        text=text,
        asker=user,
        team=team,
        asker_team=asker_team_of(body),
        channel=channel,
        thread_ts=thread_ts or ts,
        ts=ts,
        event_id=once(body, channel, ts),
        source="slack",
        received_at=now,
        **beside(read_content(value_at(body, "event"))),
    )


def read_reply(body: Mapping[str, Any], now: datetime) -> Reply | None:
    """A message in a thread that does not mention the app; one that does comes as a mention too."""
    text = overheard_text(body)
    channel, user = name_at(body, "event", "channel"), name_at(body, "event", "user")
    ts, thread_ts = ts_at(body, "event", "ts"), ts_at(body, "event", "thread_ts")
    if not (channel and user and ts and thread_ts and text) or thread_ts == ts:
        return None
    return Reply(
        text=text,
        asker=user,
        team=team_of(body),
        channel=channel,
        thread_ts=thread_ts,
        ts=ts,
        event_id=once(body, channel, ts),
        received_at=now,
    )


def overheard(body: Mapping[str, Any], now: datetime) -> Question | None:
    """A message in a channel that does not mention the app, as the question it would be where a channel wants that."""
    text = overheard_text(body)
    if not text or is_help(text) or is_thanks(text) or text_at(body, "event", "type") != "message" or is_direct(body):
        return None
    return read_message(body, text, now)


def overheard_text(body: Mapping[str, Any]) -> str:
    """What a person just wrote without mentioning the app; empty when that is not so."""
    raw = read_content(value_at(body, "event")).raw
    return "" if not is_spoken(body) or mentions(raw, app_users(body)) else plain_text(raw)


def read_edit(body: Mapping[str, Any], now: datetime) -> Question | None:
    """A message addressed to the app whose words a person changed, or that an edit addresses to it.

    Slack also sends ``message_changed`` when it adds a link's preview or counts a reply: the words are the same then.
    """
    app, message = app_users(body), value_at(body, "event", "message")
    if not is_persons(message, app):
        return None
    content = read_content(message)
    before, raw = read_content(value_at(body, "event", "previous_message")).raw, content.raw
    direct = is_direct(body)
    if raw == before or not (direct or mentions(raw, app)):
        return None
    text = plain_text(raw, app)
    if is_help(text) or is_thanks(text):
        return None
    if text == plain_text(before, app) and (direct or mentions(before, app)):
        return None
    channel, user, ts = name_at(body, "event", "channel"), name_at(message, "user"), ts_at(message, "ts")
    if not (channel and user and ts):
        return None
    team, changed = team_of(body), once(body, channel, text_at(body, "event", "ts"))
    return Question(
        request_id=request_id(team, channel, f"edit:{changed}"),
        text=text,
        asker=user,
        team=team,
        asker_team=asker_team_of(body, message),
        channel=channel,
        thread_ts=ts_at(message, "thread_ts") or ts,
        edits=ts,
        event_id=changed,
        source="slack",
        received_at=now,
        **beside(content),
    )


def once(body: Mapping[str, Any], channel: str, ts: str) -> str:
    """What Slack repeats when it delivers an event again."""
    return event_id(text_at(body, "event_id") or f"message:{channel}:{ts}")


def read_stop(body: Mapping[str, Any]) -> tuple[str, str, str, str] | None:
    """The Stop button of an agent's session: team, channel, thread and person; None when one of them is missing."""
    place = name_at(body, "event", "channel"), ts_at(body, "event", "thread_ts"), name_at(body, "event", "user")
    return (team_of(body), *place) if all(place) else None
