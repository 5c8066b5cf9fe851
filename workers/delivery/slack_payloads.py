"""What is sent to Slack and what it answers: bodies, and marks of messages.

Source: Slack's Web API, "Message metadata".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from workers.contracts import order_of
from workers.errors import ChatUnavailable
from workers.language.slack_text import plain_text
from workers.ports import Chunk, Place, Post, Recipient, ThreadMessage

EVENT_TYPE = "oracle_reply"
SPOKEN = frozenset({"", "file_share", "me_message", "thread_broadcast"})
"""Subtypes of messages that a person wrote."""
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
    """What people said before a message, and what we answered, by ts in the order it came; other apps are left out."""
    out: dict[str, ThreadMessage] = {}
    for message in messages:
        ts, text = str(message.get("ts") or ""), plain_text(str(message.get("text") or ""))
        if not ts or not text or (before_ts and order_of(ts) >= order_of(before_ts)):
            continue
        own = is_own(message, ours)
        if own and is_answer(message):
            out[ts] = ThreadMessage(str(message.get("user") or ours[1]), text, ts, ours=True)
        elif not own and not message.get("bot_id") and str(message.get("subtype") or "") in SPOKEN:
            out[ts] = ThreadMessage(str(message.get("user") or ""), text, ts)
    return out


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
