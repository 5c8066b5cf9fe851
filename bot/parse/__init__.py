"""What Slack sends -> a question, a reply to a clarifying question, or nothing.

Bodies are decoded payloads as Bolt gives them. Nothing about their shape is trusted: what is missing or of another type
reads as absent, and identifiers that are none make the payload nobody's.

Source: Slack's Events API, slash commands, interaction payloads, "Formatting message text".
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from bot.parse.authors import read_origin, team_of
from bot.parse.channels import ChannelEvent, read_channel_event, read_opened, read_removal
from bot.parse.command_words import BROUGHT, asked, is_help, is_thanks, notes_about, slip_in, subcommand
from bot.parse.events import (
    is_mention_with_file,
    overheard,
    read_edit,
    read_message,
    read_reply,
    read_stop,
    said_to_app,
)
from bot.parse.interactions import (
    CLARIFY,
    MEMORY,
    Command,
    Press,
    ask_again,
    ask_also,
    ask_to_change,
    decision_event,
    read_about,
    read_again,
    read_also,
    read_called,
    read_command,
    read_decision,
    read_option,
    read_page,
    read_pressed,
    read_saved,
    read_verdict,
)
from bot.parse.narrowing import NARROW, ask_narrowed, read_narrowed
from bot.parse.payload_fields import event_id, make_encodable
from bot.parse.windows import Window, first_field, read_sent, read_window
from workers.contracts import Question, Reply
from workers.language.slack_text import name_at, plain_text, text_at, ts_at, value_at

__all__ = (
    "BROUGHT",
    "CLARIFY",
    "NARROW",
    "ChannelEvent",
    "Command",
    "Kind",
    "Press",
    "Window",
    "addressed_text",
    "ask_again",
    "ask_also",
    "ask_narrowed",
    "ask_to_change",
    "asked",
    "decision_event",
    "event_id",
    "first_field",
    "is_readable",
    "kind_of",
    "make_encodable",
    "misspelt",
    "name_at",
    "overheard",
    "read_about",
    "read_again",
    "read_also",
    "read_called",
    "read_channel_event",
    "read_decision",
    "read_narrowed",
    "read_opened",
    "read_origin",
    "read_page",
    "read_pressed",
    "read_removal",
    "read_saved",
    "read_sent",
    "read_stop",
    "read_verdict",
    "subcommand",
    "team_of",
    "text_at",
    "to_question",
    "ts_at",
    "value_at",
    "wants_help",
)

Kind = Literal["mention", "message", "edit", "stop", "command", "action", "shortcut", "submission", "other"]
KINDS: Mapping[str, Kind] = {
    "block_actions": "action",
    "shortcut": "shortcut",
    "message_action": "shortcut",
    "view_submission": "submission",
}
EVENTS: Mapping[str, Kind] = {"app_mention": "mention", "message": "message", "agent_session_stopped": "stop"}


def kind_of(body: Mapping[str, Any]) -> Kind:
    """What a payload is. Everything that changed a message is an ``edit``."""
    if text_at(body, "command"):
        return "command"
    kind = text_at(body, "type")
    if kind != "event_callback":
        return KINDS.get(kind, "other")
    if text_at(body, "event", "subtype") == "message_changed":
        return "edit" if text_at(body, "event", "type") == "message" else "other"
    return EVENTS.get(text_at(body, "event", "type"), "other")


def is_readable(body: Mapping[str, Any]) -> bool:
    """Whether a payload has what Bolt chooses its listener by, and raises without."""
    kind = text_at(body, "type")
    if text_at(body, "command"):
        return True
    if kind == "event_callback":
        return bool(text_at(body, "event", "type"))
    if kind == "block_actions":
        pressed = value_at(body, "actions")
        first = pressed[0] if isinstance(pressed, list) and pressed else None
        return bool(text_at(first, "action_id"))
    if kind in {"view_submission", "view_closed"}:
        return bool(text_at(body, "view", "type") and text_at(body, "view", "callback_id"))
    if kind in {"shortcut", "message_action"}:
        return bool(text_at(body, "callback_id"))
    return bool(kind)


def to_question(body: Mapping[str, Any], now: datetime) -> Question | Reply | None:
    """Read one payload.

    Args:
        body: of an event, a command or an interaction.
        now: aware; when it was received.

    Returns: a `Question` for words addressed to the app (the ledger takes one in a thread that waits for its asker as
        the reply it is), edited ones included; a `Reply` for a chosen option and for a message in a thread without a
        mention; None for everything else: a call for help, subcommands, mistyped ones, bots, deletions, and what cannot
        be read.
    """
    kind = kind_of(body)
    if kind == "action":
        return read_option(body, now)
    if kind == "submission":
        return read_window(body, now)
    if kind == "edit":
        return read_edit(body, now)
    text = addressed_text(body)
    if text is None:
        return read_reply(body, now) if kind == "message" else None
    if is_help(text) or is_thanks(text):
        return None
    if kind == "command":
        if about := notes_about(text):
            question = read_command(body, f"What do our notes say about {about}?", now)
            return question.model_copy(update={"agent": MEMORY}) if question else None
        words = asked(text)
        return read_command(body, words, now) if words and not subcommand(text) else None
    return None if slip_in(text) else read_message(body, text, now)


def misspelt(body: Mapping[str, Any]) -> tuple[str, str] | None:
    """A command that someone mistyped when they mentioned the app, or wrote to it: what they typed, and the command."""
    said = kind_of(body) in {"mention", "message"} and not is_mention_with_file(body)
    text = addressed_text(body) if said else None
    meant = slip_in(text) if text else ""
    return (text, meant) if text and meant else None


def wants_help(body: Mapping[str, Any]) -> bool:
    """Whether someone spoke to the app without asking anything; with a file, the mention itself says so."""
    text = None if is_mention_with_file(body) else addressed_text(body)
    return text is not None and is_help(text)


def addressed_text(body: Mapping[str, Any]) -> str | None:
    """What was said to the app, as a person reads it; None when nothing was, or not by a person just now."""
    kind = kind_of(body)
    if kind == "command":
        return plain_text(text_at(body, "text"))
    return said_to_app(body, mention=kind == "mention") if kind in {"mention", "message"} else None
