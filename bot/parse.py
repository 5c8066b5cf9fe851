"""PURE: what Slack sends -> a question, a reply to a clarifying question, or nothing.

Bodies are decoded payloads as Bolt gives them. Nothing about their shape is trusted: what is missing or of another type
reads as absent, and identifiers that are none make the payload nobody's.

Source: Slack's Events API (``event_callback``), slash commands, ``block_actions``, "Formatting message text".
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from workers.contracts import Question, Reply

Kind = Literal["mention", "message", "command", "action", "other"]

CLARIFY = re.compile(r"clarify:[0-9]{1,3}")
TURN = re.compile(r"[0-9]{1,6}")
SPOKEN = frozenset({"", "file_share", "thread_broadcast"})
"""Subtypes of messages that a person wrote just now."""
HELP = frozenset({"", "help", "hi", "hello", "hey", "good morning", "test", "ping"})
THANKS = frozenset({"thanks", "thank you", "thx", "ty", "cheers", "ok", "okay", "great", "cool", "nice", "perfect"})
NAME = re.compile(r"[A-Za-z0-9]{1,32}")
TS = re.compile(r"[0-9]{1,20}\.[0-9]{1,10}")
TOKEN = re.compile(r"<([^<>]*)>")
ENTITY = re.compile(r"&(amp|lt|gt);")
ENTITIES = {"amp": "&", "lt": "<", "gt": ">"}
CONTROLS = {c: None for c in (*range(0x20), *range(0x7F, 0xA0)) if chr(c) not in "\t\n"}
EVERYONE = frozenset({"here", "channel", "everyone"})
LONGEST_ID = 128


def to_question(body: Mapping[str, Any], now: datetime) -> Question | Reply | None:
    """Read one payload.

    Args:
        body: of an event, a command or a pressed button.
        now: aware; when it was received.

    Returns: a `Question` for words addressed to the app (the inbox takes one in a thread that waits for its asker as
        the reply it is); a `Reply` for a pressed option and for a message in a thread without a mention; None for
        everything else: a call for help, bots, edits, deletions, and what cannot be read.
    """
    kind = kind_of(body)
    if kind == "action":
        return read_press(body, now)
    text = addressed_text(body)
    if text is None:
        return read_reply(body, now) if kind == "message" else None
    if is_help(text) or folded(text) in THANKS:
        return None
    return read_command(body, text, now) if kind == "command" else read_message(body, text, now)


def kind_of(body: Mapping[str, Any]) -> Kind:
    """What a payload is."""
    if text_at(body, "command"):
        return "command"
    if text_at(body, "type") == "block_actions":
        return "action"
    if text_at(body, "type") == "event_callback":
        kinds: dict[str, Kind] = {"app_mention": "mention", "message": "message"}
        return kinds.get(text_at(body, "event", "type"), "other")
    return "other"


def wants_help(body: Mapping[str, Any]) -> bool:
    """Whether someone spoke to the app without asking anything."""
    text = addressed_text(body)
    return text is not None and is_help(text)


def is_help(text: str) -> bool:
    """No words at all, ``help``, or a greeting."""
    return folded(text) in HELP


def folded(text: str) -> str:
    """Words without their case and the marks around them."""
    return text.strip(" \t\n?!.,:)(").casefold()


def addressed_text(body: Mapping[str, Any]) -> str | None:
    """What was said to the app, as a person reads it; None when nothing was, or not by a person just now."""
    kind = kind_of(body)
    if kind == "command":
        return plain_text(text_at(body, "text"))
    if kind not in {"mention", "message"} or not is_spoken(body):
        return None
    if kind == "message" and text_at(body, "event", "channel_type") != "im":
        return None
    return plain_text(text_at(body, "event", "text"), app_users(body), leading=kind == "mention")


def is_spoken(body: Mapping[str, Any]) -> bool:
    """Written by a person, just now: no bot, not this app itself, not hidden, edited or deleted."""
    event = value_at(body, "event")
    if not isinstance(event, Mapping) or text_at(event, "user") in app_users(body):
        return False
    odd = any(event.get(key) for key in ("bot_id", "bot_profile", "hidden", "edited"))
    subtype = event.get("subtype") or ""
    return not odd and isinstance(subtype, str) and subtype in SPOKEN


def app_users(body: Mapping[str, Any]) -> frozenset[str]:
    """The user ids of the app itself, as the event's authorizations say."""
    given = value_at(body, "authorizations")
    users = [text_at(a, "user_id") for a in given if isinstance(a, Mapping)] if isinstance(given, list) else []
    return frozenset(user for user in users if NAME.fullmatch(user))


# --- events ---------------------------------------------------------------------------------------------------


def read_message(body: Mapping[str, Any], text: str, now: datetime) -> Question | None:
    """A mention, or a direct message. It is answered in its thread, or in one of its own."""
    team, channel, user = (name_at(body, "team_id"), name_at(body, "event", "channel"), name_at(body, "event", "user"))
    ts, thread_ts = ts_at(body, "event", "ts"), ts_at(body, "event", "thread_ts")
    if not (channel and user and ts):
        return None
    return Question(
        request_id=request_id(team, channel, ts),
        text=text,
        asker=user,
        team=team,
        channel=channel,
        thread_ts=thread_ts or ts,
        ts=ts,
        event_id=event_id(text_at(body, "event_id") or f"message:{channel}:{ts}"),
        source="slack",
        received_at=now,
    )


def read_reply(body: Mapping[str, Any], now: datetime) -> Reply | None:
    """A message in a thread that does not mention the app; one that does comes as a mention too."""
    users = app_users(body)
    raw = text_at(body, "event", "text")
    if not is_spoken(body) or any(user in users for user in re.findall(r"<@([A-Za-z0-9]+)", raw)):
        return None
    channel, user = name_at(body, "event", "channel"), name_at(body, "event", "user")
    ts, thread_ts = ts_at(body, "event", "ts"), ts_at(body, "event", "thread_ts")
    text = plain_text(raw)
    if not (channel and user and ts and thread_ts and text) or thread_ts == ts:
        return None
    return Reply(
        text=text,
        asker=user,
        team=name_at(body, "team_id"),
        channel=channel,
        thread_ts=thread_ts,
        ts=ts,
        event_id=event_id(text_at(body, "event_id") or f"message:{channel}:{ts}"),
        received_at=now,
    )


# --- commands and buttons -------------------------------------------------------------------------------------


def read_command(body: Mapping[str, Any], text: str, now: datetime) -> Question | None:
    """A slash command: no message and no thread yet; Slack never sends one twice."""
    team, channel, user = name_at(body, "team_id"), name_at(body, "channel_id"), name_at(body, "user_id")
    if not (channel and user):
        return None
    press = event_id(text_at(body, "trigger_id") or f"command:{channel}:{user}:{now.isoformat()}")
    return Question(
        request_id=request_id(team, channel, press),
        text=text,
        asker=user,
        team=team,
        channel=channel,
        event_id=press,
        source="slack",
        received_at=now,
    )


def read_press(body: Mapping[str, Any], now: datetime) -> Reply | None:
    """A pressed option of a clarifying question: the block names request and turn, its value is the answer."""
    pressed = value_at(body, "actions")
    action = next((a for a in pressed if is_option(a)), None) if isinstance(pressed, list) else None
    if action is None:
        return None
    _, _, name = text_at(action, "block_id").partition(":")
    request, _, turn = name.partition(":")
    channel = name_at(body, "channel", "id") or name_at(body, "container", "channel_id")
    user, text = name_at(body, "user", "id"), plain_text(text_at(action, "value"))
    message_ts = ts_at(body, "message", "ts") or ts_at(body, "container", "message_ts")
    thread_ts = ts_at(body, "message", "thread_ts") or ts_at(body, "container", "thread_ts") or message_ts
    if not (channel and user and text and request):
        return None
    once = text_at(body, "trigger_id") or f"press:{channel}:{message_ts}:{user}:{text_at(action, 'action_ts')}"
    return Reply(
        text=text,
        asker=user,
        team=name_at(body, "team", "id") or name_at(body, "user", "team_id"),
        channel=channel,
        thread_ts=thread_ts,
        event_id=event_id(once),
        request_id=request[:64],
        turn=int(turn) if TURN.fullmatch(turn) else 0,
        received_at=now,
    )


def is_option(action: Any) -> bool:
    """Whether an action is a button of a clarifying question with a value."""
    return (
        isinstance(action, Mapping)
        and CLARIFY.fullmatch(text_at(action, "action_id")) is not None
        and text_at(action, "block_id").startswith("clarify:")
    )


# --- text -----------------------------------------------------------------------------------------------------


def plain_text(raw: str, app: frozenset[str] = frozenset(), *, leading: bool = False) -> str:
    """Slack's text as a person reads it.

    Args:
        raw: with ``<…>`` tokens and ``&amp; &lt; &gt;``.
        app: user ids whose mentions are left out.
        leading: the text starts with a mention of the app, whoever that is.
    """
    text = raw.encode("utf-8", "replace").decode("utf-8").translate(CONTROLS)
    for user in sorted(app):
        text = re.sub(rf"<@{user}(?:\|[^<>]*)?>[\s,:]*", "", text)
    if leading and not app:
        text = re.sub(r"\A\s*<@[A-Za-z0-9]+(?:\|[^<>]*)?>[\s,:]*", "", text)
    text = TOKEN.sub(lambda token: read_token(token[1]), text)
    return ENTITY.sub(lambda entity: ENTITIES[entity[1]], text).strip()


def read_token(token: str) -> str:
    """One ``<…>`` token: a person, a group, a channel, a date or a link. Entities are left for later."""
    target, _, label = token.partition("|")
    if target.startswith("@"):
        return f"@{label.removeprefix('@') or target[1:]}"
    if target.startswith("#"):
        return f"#{label.removeprefix('#') or target[1:]}"
    if target.startswith("!"):
        name = target[1:].partition("^")[0]
        return f"@{name}" if name in EVERYONE else label or f"@{name}"
    if not label or label == target:
        return target.removeprefix("mailto:")
    return label if label in target else f"{label} ({target})"


# --- reading what may be anything -----------------------------------------------------------------------------


def value_at(body: Any, *path: str) -> Any:
    """The value under a path of keys; None where there is none."""
    for key in path:
        if not isinstance(body, Mapping):
            return None
        body = body.get(key)
    return body


def text_at(body: Any, *path: str) -> str:
    """The text under a path of keys; empty when there is none."""
    value = value_at(body, *path)
    return value if isinstance(value, str) else ""


def name_at(body: Any, *path: str) -> str:
    """The Slack id (team, user, channel) under a path; empty when it is none."""
    value = text_at(body, *path)
    return value if NAME.fullmatch(value) else ""


def ts_at(body: Any, *path: str) -> str:
    """The message timestamp under a path; empty when it is none."""
    value = text_at(body, *path)
    return value if TS.fullmatch(value) else ""


def event_id(given: str) -> str:
    """What Slack repeats, short and printable enough to be stored."""
    if len(given) <= LONGEST_ID and given.isascii() and given.isprintable():
        return given
    return digest(given)[:40]


def request_id(team: str, channel: str, once: str) -> str:
    """12 hexadecimal characters; the same for the same message."""
    return digest(f"{team}\n{channel}\n{once}")[:12]


def digest(text: str) -> str:
    """SHA-256, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
