"""What is sent to Slack and what it answers: bodies, and marks of messages.

The reader of what Slack's Web API answers with; `bot.parse` is that of events. Both read a message by
`workers.slack_messages`.

Source: Slack's Web API, "Message metadata".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from workers.contracts import order_of
from workers.errors import ChatUnavailable
from workers.language.mrkdwn import plain_text
from workers.ports import Chunk, Place, Post, Recipient, ThreadMessage
from workers.slack_messages.fields import Fields
from workers.slack_messages.message import SlackMessage, is_own, read_message

EVENT_TYPE = "oracle_reply"
SPOKEN = frozenset({"", "bot_message", "file_share", "me_message", "thread_broadcast"})
"""Subtypes of messages that a person or an app wrote."""
PART = re.compile(r"[0-9]+(?:\.[0-9]+)+")
"""The part of a reply that is an answer or a question; the parts of progress, apologies and the rest hold letters."""
TITLE_CHARS = 200


# --- what is sent ---------------------------------------------------------------------------------------------


def content(channel: str, post: Post, key: str) -> dict[str, Any]:
    """What a message says. Names and addresses in the fallback text are left as they are written."""
    body: dict[str, Any] = {"channel": channel, "text": post.text, "parse": "none", "link_names": False}
    if post.blocks:
        body["blocks"] = list(post.blocks)
    if key:
        body["metadata"] = mark(key)
    return body


def mark(key: str) -> dict[str, Any]:
    """The metadata of a message with this key."""
    return {"event_type": EVENT_TYPE, "event_payload": {"key": key}}


def stream_start(place: Place, recipient: Recipient, chunks: Sequence[Chunk]) -> dict[str, Any]:
    """The beginning of a streamed plan."""
    return {
        "channel": place.channel,
        "thread_ts": place.thread_ts,
        "recipient_user_id": recipient.user,
        "recipient_team_id": recipient.team,
        "task_display_mode": "plan",
        "chunks": list(chunks),
    }


def session(place: Place, status: str, title: str, initiator: str) -> dict[str, Any]:
    """Where an agent session stands; title and initiator count when it begins."""
    body = {"channel_id": place.channel, "thread_ts": place.thread_ts, "status": status}
    if title.strip():
        body["title"] = title.strip()[:TITLE_CHARS]
    if initiator:
        body["initiator_user_id"] = initiator
    return body


# --- what comes back ------------------------------------------------------------------------------------------


def key_of(message: Fields) -> str | None:
    """The key a message is marked with; None for none. A stream carries it in the ids of its tasks until it ends."""
    metadata = message.inner("metadata")
    if metadata.text("event_type") == EVENT_TYPE:
        return metadata.text("event_payload", "key") or None
    plans = [block for block in message.objects("blocks") if block.text("type") == "plan"]
    tasks = plans[0].objects("tasks") if plans else []
    key, slash, _ = tasks[0].text("task_id").rpartition("/") if tasks else ("", "", "")
    return key if slash else None


def is_answer(message: Fields) -> bool:
    """Whether a message of ours answers or asks back."""
    return bool(PART.fullmatch((key_of(message) or "").rpartition(":")[2]))


def said_in(messages: Iterable[Fields], ours: tuple[str, str], before_ts: str) -> dict[str, ThreadMessage]:
    """What was said before a message, by ts in the order it came; of our own, the answers and questions alone."""
    out: dict[str, ThreadMessage] = {}
    for message in messages:
        ts = message.ts("ts")
        if not ts or (before_ts and order_of(ts) >= order_of(before_ts)):
            continue
        if is_own(message, ours):
            found = own_answer(message, ours)
        else:
            found = said_by_others(read_message(message)) if message.text("subtype") in SPOKEN else None
        if found and (found.text or found.quoted or found.unread):
            out[ts] = found
    return out


def own_answer(message: Fields, ours: tuple[str, str]) -> ThreadMessage | None:
    """An answer or a question of ours; its text holds all that its blocks say."""
    if not is_answer(message):
        return None
    text = plain_text(message.text("text"))
    return ThreadMessage(message.name("user") or ours[1], text, message.ts("ts"), ours=True)


def said_by_others(message: SlackMessage) -> ThreadMessage:
    """A person's message, or an app's: all of that is quoted."""
    content = message.content
    if content.app:
        user = message.bot or message.user
        return ThreadMessage(user, "", message.ts, quoted=content.quotation, app=True, unread=content.unread)
    quoted = "\n".join(map(str, content.quotes))
    return ThreadMessage(message.user, content.text, message.ts, quoted=quoted, unread=content.unread)


def messages_in(answer: Fields, method: str) -> list[Fields]:
    """The messages of a page. Raises: ChatUnavailable: it has none."""
    if not isinstance(answer.value("messages"), list):
        raise ChatUnavailable(f"{method}: Slack's answer holds no messages")
    return answer.objects("messages")


def needed_text(answer: Fields, name: str, method: str) -> str:
    """A text that must be there. Raises: ChatUnavailable."""
    value = answer.text(name)
    if not value:
        raise ChatUnavailable(f"{method}: Slack's answer holds no {name}")
    return value


def is_read(file: Fields) -> bool:
    """Whether Slack knows by now what kind of file it is."""
    return bool(file.value("mimetype"))


def is_shared(file: Fields) -> bool:
    """Whether a file stands in some conversation by now."""
    return any(bool(places) for _, places in file.pairs("shares"))
