"""Paragraphs, lists and blocks of `workers.delivery.rich_text`: nothing in them is parsed, so nothing pings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from workers.delivery.rich_text import Element, clip, escape, safe, words
from workers.ports import Post

Block = dict[str, Any]
Words = list[Element]
"""What stands in a paragraph: text, people, channels, moments and links."""
Line = Sequence[Words]
"""A paragraph in parts."""
DAY_AND_TIME, TIME = "{date_short_pretty} at {time}", "{time}"
FALLBACK = "%-d %b at %H:%M UTC"


# --- words ----------------------------------------------------------------------------------------------------


def quoted(text: str, at_most: int) -> Words:
    """What someone wrote, on one line, in marks, cut visibly."""
    return words(f"“{clip(safe(text), at_most)}”")


def channel_link(channel_id: str) -> Words:
    """A channel, by id; the app's direct messages by what they are."""
    if channel_id.startswith("D"):
        return words("a direct message")
    return [{"type": "channel", "channel_id": channel_id}]


def moment(at: datetime) -> Words:
    """A time in the reader's own zone."""
    fallback = at.astimezone(UTC).strftime(FALLBACK)
    return [{"type": "date", "timestamp": int(at.timestamp()), "format": DAY_AND_TIME, "fallback": fallback}]


def clock(at: datetime) -> Words:
    """A time in the reader's own zone, where its day is clear."""
    fallback = f"{at.astimezone(UTC):%H:%M} UTC"
    return [{"type": "date", "timestamp": int(at.timestamp()), "format": TIME, "fallback": fallback}]


# --- blocks ---------------------------------------------------------------------------------------------------


def paragraph(*said: Words) -> Element:
    """One paragraph."""
    return {"type": "rich_text_section", "elements": [element for part in said for element in part]}


def quote_block(text: str) -> Element:
    """What someone wrote, set apart."""
    return {"type": "rich_text_quote", "elements": words(text)}


def bullets(items: Iterable[Line]) -> Element:
    """A list, one item a line."""
    return {"type": "rich_text_list", "style": "bullet", "elements": [paragraph(*item) for item in items]}


def block(*parts: Element) -> Block:
    """Paragraphs and lists as one block."""
    return {"type": "rich_text", "elements": list(parts)}


def plain(text: str) -> Element:
    """A plain text object."""
    return {"type": "plain_text", "text": text, "emoji": False}


def header(text: str) -> Block:
    """A heading."""
    return {"type": "header", "text": plain(text)}


def small(*texts: str) -> Block:
    """Small grey text, parsed by Slack: everything in it must be our own, or escaped."""
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": text, "verbatim": True} for text in texts]}


def button(text: str, action_id: str, value: str = "", *, style: str = "") -> Element:
    """A button."""
    extra = {key: value for key, value in (("value", value), ("style", style)) if value}
    return {"type": "button", "text": plain(text), "action_id": action_id, **extra}


def in_small(at: datetime) -> str:
    """A time in the reader's own zone, for `small`."""
    return f"<!date^{int(at.timestamp())}^{DAY_AND_TIME}|{at.astimezone(UTC).strftime(FALLBACK)}>"


def post_of(*blocks: Block) -> Post:
    """A message of rich text; the text that stands for it says the same."""
    return Post(text="\n".join(filter(None, map(as_text, blocks))) or " ", blocks=blocks)


def sentence(text: str) -> Post:
    """A message of one plain paragraph."""
    return post_of(block(paragraph(words(text))))


def as_text(part: Element) -> str:
    """A block or a part of one as Slack's parsed text, with everything that was written escaped."""
    match part["type"]:
        case "text":
            return escape(part["text"])
        case "user":
            return f"<@{part['user_id']}>"
        case "channel":
            return f"<#{part['channel_id']}>"
        case "date":
            return f"<!date^{part['timestamp']}^{part['format']}|{part['fallback']}>"
        case "link":
            return escape(part["text"])
        case "header":
            return escape(part["text"]["text"])
        case "rich_text_list":
            return "\n".join(f"• {as_text(item)}" for item in part["elements"])
        case "rich_text":
            return "\n".join(map(as_text, part["elements"]))
        case "rich_text_section" | "rich_text_quote":
            return "".join(map(as_text, part["elements"]))
        case "context":
            return " ".join(element["text"] for element in part["elements"])
        case _:
            return ""


# --- spans ----------------------------------------------------------------------------------------------------


def lasted(seconds: float) -> str:
    """A span as a person says it: ``48 min``, ``2 h 5 min``, ``3 days``."""
    minutes = round(seconds / 60)
    if seconds < 60:
        return f"{max(round(seconds), 0)} s"
    if minutes < 60:
        return f"{minutes} min"
    hours, rest = divmod(minutes, 60)
    if hours < 24:
        return f"{hours} h {rest} min" if rest else f"{hours} h"
    days = round(hours / 24)
    return f"{days} day{'s' if days > 1 else ''}"


def ago(at: datetime, now: datetime) -> str:
    """How long ago, in words."""
    seconds = (now - at).total_seconds()
    return "just now" if seconds < 60 else f"{lasted(seconds)} ago"


def several(number: int, one: str, many: str = "") -> str:
    """``1 question``, ``3 questions``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
