"""Rows of rich text packed into blocks, and blocks into messages, so that Slack refuses none of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import slack_limits
from workers.delivery.block_limits import weigh
from workers.delivery.rich_text import Element, words
from workers.ports import Post

Block = dict[str, Any]
ROW, BLOCK = 3_600, 3_600  # in units of `weigh`
NOTES = 600  # the same, for what is said where a message goes on or something is left out
MAX_BLOCKS = 45
MAX_POSTS = 6


@dataclass(frozen=True)
class Row:
    """One line of a rich text: text, a point of a list (``number`` when ordered), a quote or preformatted lines."""

    elements: tuple[Element, ...]
    kind: Literal["text", "bullet", "detail", "ordered", "quote", "code"] = "text"
    number: int = 0


def row(elements: Iterable[Element], kind: Any = "text", number: int = 0) -> Row:
    """Make one from any elements."""
    return Row(tuple(elements), kind, number)


def pack_rows(rows: Iterable[Row]) -> list[Block]:
    """Rich text blocks of a bounded size, in order."""
    blocks: list[list[Row]] = [[]]
    used = 0
    for item in (part for r in rows for part in split_row(r)):
        weight = weigh(item.elements)
        if blocks[-1] and used + weight > BLOCK and not (len(blocks[-1]) == 1 and used < 300):
            blocks.append([])
            used = 0
        blocks[-1].append(item)
        used += weight
    return [{"type": "rich_text", "elements": containers(group)} for group in blocks if group]


def split_row(item: Row) -> list[Row]:
    """Rows that fit a block; what follows the first is plain text, or code when it was."""
    groups: list[list[Element]] = [[]]
    used = 0
    for element in item.elements:
        weight = weigh(element)
        if groups[-1] and used + weight > ROW:
            groups.append([])
            used = 0
        groups[-1].append(element)
        used += weight
    rest: Any = item.kind if item.kind in {"code", "quote"} else "text"
    return [Row(tuple(g), rest if i else item.kind, 0 if i else item.number) for i, g in enumerate(groups) if g]


def containers(rows: Sequence[Row]) -> list[Element]:
    """Rows as parts of one rich text; points that follow each other become one list."""
    out: list[Element] = []
    before = ""
    for item in rows:
        elements = list(item.elements)
        if item.kind not in {"bullet", "detail", "ordered"}:
            name = {"text": "section", "quote": "quote", "code": "preformatted"}[item.kind]
            out.append({"type": f"rich_text_{name}", "elements": elements})
        elif item.kind == before:
            out[-1]["elements"].append({"type": "rich_text_section", "elements": elements})
        else:
            out.append(new_list(item, elements))
        before = item.kind
    return out


def new_list(item: Row, elements: list[Element]) -> Element:
    """A list with its first point; an ordered one goes on counting where it was left."""
    made: Element = {
        "type": "rich_text_list",
        "style": "ordered" if item.kind == "ordered" else "bullet",
        "elements": [{"type": "rich_text_section", "elements": elements}],
    }
    if item.kind == "detail":
        made["indent"] = 1
    if item.kind == "ordered" and item.number > 1:
        made["offset"] = item.number - 1
    return made


def pack_posts(body: Sequence[Block], footer: Sequence[Block], text: str, more: str) -> tuple[Post, ...]:
    """Messages in order, numbered when there are several.

    Args:
        body: blocks that may stand in any of them.
        footer: blocks that end the last one, small.
        text: the first one's fallback text.
        more: where everything stands in full, said when `MAX_POSTS` messages don't hold it.
    """
    pages: list[list[Block]] = [[]]
    used = 0
    room = slack_limits.MESSAGE_BLOCKS_CHARS - NOTES - sum(map(weigh, footer))
    for block in body:
        weight = weigh(block)
        if pages[-1] and (used + weight > room or len(pages[-1]) >= MAX_BLOCKS):
            pages.append([])
            used = 0
        pages[-1].append(block)
        used += weight
    left = [block for page in pages[MAX_POSTS:] for block in page]
    pages = pages[:MAX_POSTS]
    if left:
        count = sum(len(text_in(block)) for block in left)
        pages[-1].extend(pack_rows([row(words(f"… {count:,} more characters are left out here. {more}", italic=True))]))
    pages[-1].extend(footer)
    return number_posts(pages, text)


def number_posts(pages: Sequence[list[Block]], text: str) -> tuple[Post, ...]:
    """Blocks as messages: (1/2) at the end of each that goes on, and before the text of each that continues."""
    if len(pages) == 1:
        return (Post(text, tuple(pages[0])),)
    posts = []
    for i, page in enumerate(pages, 1):
        note = f"({i}/{len(pages)})" + (" continues below" if i < len(pages) else "")
        head = f"({i}/{len(pages)}) " + (text if i == 1 else "The answer continues.")
        posts.append(Post(head, (*page, context(note))))
    return tuple(posts)


def context(*lines: str) -> Block:
    """Small grey text, never parsed; at most ten lines of at most 2,000 characters."""
    return {"type": "context", "elements": [{"type": "plain_text", "text": line, "emoji": False} for line in lines]}


def text_in(value: Any) -> str:
    """All text that a block shows, in order."""
    if isinstance(value, dict):
        own = value.get("text")
        return own if isinstance(own, str) else "".join(text_in(v) for v in value.values())
    return "".join(text_in(v) for v in value) if isinstance(value, list | tuple) else ""
