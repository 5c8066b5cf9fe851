"""What Slack sends -> one typed event, and that -> a question, a reply to a clarifying question, or nothing.

`read_payload` reads a payload, once; everything else here takes what it returns.
"""

from __future__ import annotations

from bot.parse.authors import Origin
from bot.parse.channels import ChannelEvent
from bot.parse.command_words import FAMILY_SUBCOMMANDS, asked, is_help, is_thanks, notes_about, slip_in, subcommand
from bot.parse.events import (
    is_mention_with_file,
    overheard,
    read_edit,
    read_question,
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
    ask_by_command,
    ask_to_change,
    decision_event,
    read_button,
    read_decision,
    read_option,
    read_page,
    read_saved,
    read_verdict,
)
from bot.parse.narrowing import NARROW, ask_narrowed, read_narrowed
from bot.parse.payload_fields import event_id, make_encodable
from bot.parse.received import RECEIVED_KEY, Kind, Received, is_readable, read_payload, received_in
from bot.parse.windows import Window, read_window
from workers.contracts import Question, Reply

__all__ = (
    "CLARIFY",
    "FAMILY_SUBCOMMANDS",
    "NARROW",
    "RECEIVED_KEY",
    "ChannelEvent",
    "Command",
    "Kind",
    "Origin",
    "Press",
    "Received",
    "Window",
    "addressed_text",
    "ask_again",
    "ask_also",
    "ask_narrowed",
    "ask_to_change",
    "asked",
    "decision_event",
    "event_id",
    "is_readable",
    "make_encodable",
    "misspelt",
    "overheard",
    "read_button",
    "read_decision",
    "read_narrowed",
    "read_page",
    "read_payload",
    "read_saved",
    "read_stop",
    "read_verdict",
    "received_in",
    "subcommand",
    "to_question",
    "wants_help",
)


def to_question(received: Received) -> Question | Reply | None:
    """What someone wants who sent an event, a command or an interaction.

    Returns: a `Question` for words addressed to the app (the ledger takes one in a thread that waits for its asker as
        the reply it is), edited ones included; a `Reply` for a chosen option and for a message in a thread without a
        mention; None for everything else: a call for help, subcommands, mistyped ones, bots, deletions, and what cannot
        be read.
    """
    if received.press:
        return read_option(received.press, received.at)
    if received.window:
        return read_window(received.window, received.at)
    if received.kind == "edit":
        return read_edit(received)
    text = addressed_text(received)
    if text is None:
        return read_reply(received) if received.kind == "message" else None
    if is_help(text) or is_thanks(text):
        return None
    if received.command:
        if about := notes_about(text):
            return ask_by_command(received.command, f"What do our notes say about {about}?", received.at, agent=MEMORY)
        words = asked(text)
        return ask_by_command(received.command, words, received.at) if words and not subcommand(text) else None
    return None if slip_in(text) else read_question(received, text)


def misspelt(received: Received) -> tuple[str, str] | None:
    """A command that someone mistyped when they mentioned the app, or wrote to it: what they typed, and the command."""
    text = None if received.command or is_mention_with_file(received) else addressed_text(received)
    meant = slip_in(text) if text else ""
    return (text, meant) if text and meant else None


def wants_help(received: Received) -> bool:
    """Whether someone spoke to the app without asking anything; with a file, the mention itself says so."""
    text = None if is_mention_with_file(received) else addressed_text(received)
    return text is not None and is_help(text)


def addressed_text(received: Received) -> str | None:
    """What was said to the app, as a person reads it; None when nothing was, or not by a person just now."""
    if received.command:
        return received.command.text
    return said_to_app(received) if received.kind in {"mention", "message"} else None
