"""What is sent to Slack and what it answers: bodies, and marks of messages.

Source: Slack's Web API, "Message metadata".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from workers.contracts import order_of
from workers.errors import ChatUnavailable
from workers.language.slack_content import is_apps, quote_message, read_content
from workers.ports import Chunk, Place, Post, Recipient, ThreadMessage

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


def key_of(message: Mapping[str, Any]) -> object:
    """The key a message is marked with; None for none. A stream carries it in the ids of its tasks until it ends."""
    metadata = message.get("metadata")
    if isinstance(metadata, dict) and metadata.get("event_type") == EVENT_TYPE:
        payload = metadata.get("event_payload")
        return payload.get("key") if isinstance(payload, dict) else None
    blocks = message.get("blocks")
    plans = [b for b in blocks if isinstance(b, dict) and b.get("type") == "plan"] if isinstance(blocks, list) else []
    tasks = plans[0].get("tasks") if plans else None
    first = tasks[0] if isinstance(tasks, list) and tasks and isinstance(tasks[0], dict) else {}
    key, slash, _ = str(first.get("task_id", "")).rpartition("/")
    return key if slash else None


def is_answer(message: Mapping[str, Any]) -> bool:
    """Whether a message of ours answers or asks back."""
    _, _, part = str(key_of(message) or "").rpartition(":")
    return bool(PART.fullmatch(part))


def said_in(messages: Iterable[Mapping[str, Any]], ours: tuple[str, str], before_ts: str) -> dict[str, ThreadMessage]:
    """What was said before a message, by ts in the order it came; of our own, the answers and questions alone."""
    out: dict[str, ThreadMessage] = {}
    for message in messages:
        ts = str(message.get("ts") or "")
        if not ts or (before_ts and order_of(ts) >= order_of(before_ts)):
            continue
        if is_own(message, ours):
            found = own_answer(message, ours)
        else:
            found = said_by_others(message) if str(message.get("subtype") or "") in SPOKEN else None
        if found and (found.text or found.quoted or found.unread):
            out[ts] = found
    return out


def own_answer(message: Mapping[str, Any], ours: tuple[str, str]) -> ThreadMessage | None:
    """An answer or a question of ours; its text holds all that its blocks say."""
    if not is_answer(message):
        return None
    text = read_content({"text": message.get("text")}).text
    return ThreadMessage(str(message.get("user") or ours[1]), text, str(message["ts"]), ours=True) if text else None


def said_by_others(message: Mapping[str, Any]) -> ThreadMessage:
    """A person's message, or an app's: all of that is quoted."""
    ts, content = str(message["ts"]), read_content(message)
    if is_apps(message):
        user = str(message.get("bot_id") or message.get("user") or "")
        return ThreadMessage(user, "", ts, quoted=quote_message(message), app=True, unread=content.unread)
    quoted = "\n".join(map(str, content.quotes))
    return ThreadMessage(str(message.get("user") or ""), content.text, ts, quoted=quoted, unread=content.unread)


def is_own(message: Mapping[str, Any], ours: tuple[str, str]) -> bool:
    """Whether this app, by its bot id and user id, wrote a message."""
    bot, user = ours
    return bool((bot and message.get("bot_id") == bot) or (user and message.get("user") == user))


def text_at(data: Mapping[str, Any], name: str, method: str) -> str:
    """A text that must be there. Raises: ChatUnavailable."""
    value = data.get(name)
    if not isinstance(value, str) or not value:
        raise ChatUnavailable(f"{method}: Slack's answer holds no {name}")
    return value


def is_read(file: object) -> bool:
    """Whether Slack knows by now what kind of file it is."""
    return isinstance(file, dict) and bool(file.get("mimetype"))


def is_shared(file: object) -> bool:
    """Whether a file stands in some conversation by now."""
    shares = file.get("shares") if isinstance(file, dict) else None
    kinds = shares.values() if isinstance(shares, dict) else ()
    return any(bool(places) for places in kinds)
