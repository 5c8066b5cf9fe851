"""The window in which a question is asked."""

from __future__ import annotations

import json
from typing import Any

from slack_limits import METADATA_CHARS
from workers.delivery import action_ids
from workers.delivery.block_limits import size
from workers.delivery.rich_text import safe, words
from workers.delivery.rich_text_blocks import block, channel_link, paragraph, plain, quote_block

QUOTE = 2_500
PLACEHOLDER = "Why did p95 of /api/search rise this morning?"


def ask_view(*, channel: str = "", thread_ts: str = "", quoted: str = "", draft: str = "") -> dict[str, Any]:
    """A window that asks for a question, and for where to answer when that is not known.

    Args:
        channel: where it is answered; empty: the person chooses.
        thread_ts: the thread there; empty: a new one.
        quoted: the message that it is about, as a person reads it.
        draft: words to start with.
    """
    quote = shorten(safe(quoted).strip(), QUOTE)
    blocks = [block(quote_block(quote))] if quote else []
    blocks.append(words_input(draft, quote))
    blocks.append(place_context(channel, thread_ts) if channel else where_input())
    return {
        "type": "modal",
        "callback_id": action_ids.ASK_VIEW,
        "title": plain("Ask a question"),
        "submit": plain("Ask"),
        "close": plain("Cancel"),
        "private_metadata": keep(channel, thread_ts, quote),
        "blocks": blocks,
    }


def keep(channel: str, thread_ts: str, quote: str) -> str:
    """What the window remembers, as JSON within Slack's limit; the quote gives way."""
    while True:
        kept = {"channel": channel, "thread_ts": thread_ts, "quoted": quote}
        text = json.dumps({k: v for k, v in kept.items() if v}, ensure_ascii=False)
        if size(text) <= METADATA_CHARS:
            return text
        quote = shorten(quote, len(quote) * 3 // 4)


def words_input(draft: str, quote: str) -> dict[str, Any]:
    """The question, over several lines."""
    element = {
        "type": "plain_text_input",
        "action_id": action_ids.ASK_WORDS,
        "multiline": True,
        "focus_on_load": True,
        "placeholder": plain("What would you like to know about it?" if quote else PLACEHOLDER),
    }
    begun = shorten(safe(draft).strip(), METADATA_CHARS)
    if begun:
        element["initial_value"] = begun
    return {"type": "input", "block_id": action_ids.ASK_WORDS, "label": plain("Your question"), "element": element}


def where_input() -> dict[str, Any]:
    """The channel to answer in, this one to begin with."""
    element = {
        "type": "conversations_select",
        "action_id": action_ids.ASK_WHERE,
        "default_to_current_conversation": True,
        "response_url_enabled": False,
        "filter": {"include": ["public", "private", "mpim", "im"]},
    }
    hint = plain("I open a thread there. Where I am not a member, the answer comes to you in a direct message.")
    return {
        "type": "input",
        "block_id": action_ids.ASK_WHERE,
        "label": plain("Where to answer"),
        "element": element,
        "hint": hint,
    }


def place_context(channel: str, thread_ts: str) -> dict[str, Any]:
    """Where it will be answered."""
    thread = "the message's thread" if thread_ts else "a new thread"
    if channel.startswith("D"):  # a direct message has no name to link to
        return block(paragraph(words(f"I answer in {thread} in this direct message.")))
    return block(paragraph(words(f"I answer in {thread} in "), channel_link(channel), words(".")))


def shorten(text: str, most: int) -> str:
    """At most so many characters as Slack counts them, lines kept; that some are missing is shown."""
    if size(text) <= most:
        return text
    while size(text) >= most:
        text = text[: min(most - 1, len(text) - 1)]
    return f"{text.rstrip()}…"
