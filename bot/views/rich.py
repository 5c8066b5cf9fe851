"""PURE: rich text made of words, people, channels, moments and links. Nothing in it is parsed, so nothing pings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from workers.delivery.rich_text import clip, escape, safe
from workers.ports import Post

Element = dict[str, Any]
Block = dict[str, Any]
DAY_AND_TIME = "{date_short_pretty} at {time}"
FALLBACK = "%-d %b at %H:%M UTC"


# --- leaves ---------------------------------------------------------------------------------------------------


def words(text: str, **style: bool) -> Element:
    """Text, with the styles that are true (bold, italic, code, strike). An empty one is a space, as Slack wants one."""
    on = {name: True for name, value in style.items() if value}
    return {"type": "text", "text": safe(text) or " ", **({"style": on} if on else {})}


def quoted(text: str, at_most: int) -> Element:
    """What someone wrote, on one line, in marks, cut visibly."""
    return words(f"“{clip(safe(text), at_most)}”")


def person(user: str) -> Element:
    """Someone, by id."""
    return {"type": "user", "user_id": user} if user else words("someone")


def channel(channel_id: str) -> Element:
    """A channel, by id; the app's direct messages by what they are."""
    return words("a direct message") if channel_id.startswith("D") else {"type": "channel", "channel_id": channel_id}


def moment(at: datetime) -> Element:
    """A time in the reader's own zone."""
    fallback = at.astimezone(UTC).strftime(FALLBACK)
    return {"type": "date", "timestamp": int(at.timestamp()), "format": DAY_AND_TIME, "fallback": fallback}


def link(url: str, text: str) -> Element:
    """A link; its text alone where there is no address."""
    return {"type": "link", "url": url, "text": safe(text)} if url else words(text)


# --- blocks ---------------------------------------------------------------------------------------------------


def paragraph(*elements: Element) -> Element:
    """One paragraph of leaves."""
    return {"type": "rich_text_section", "elements": list(elements)}


def bullets(items: Iterable[Sequence[Element]]) -> Element:
    """A list, one item a line."""
    return {"type": "rich_text_list", "style": "bullet", "elements": [paragraph(*item) for item in items]}


def block(*parts: Element) -> Block:
    """Paragraphs and lists as one block."""
    return {"type": "rich_text", "elements": list(parts)}


def header(text: str) -> Block:
    """A heading."""
    return {"type": "header", "text": {"type": "plain_text", "text": text, "emoji": False}}


def small(*texts: str) -> Block:
    """Small grey text, parsed by Slack: everything in it must be our own, or escaped."""
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": text, "verbatim": True} for text in texts]}


def button(text: str, action_id: str, value: str = "", *, style: str = "") -> Element:
    """A button."""
    shown = {"type": "plain_text", "text": text, "emoji": False}
    extra = {key: value for key, value in (("value", value), ("style", style)) if value}
    return {"type": "button", "text": shown, "action_id": action_id, **extra}


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
        case "rich_text_section":
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
