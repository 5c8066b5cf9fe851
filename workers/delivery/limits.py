"""PURE. What Slack refuses in a message, as one table, and a check that names every violation with its place."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from workers.ports import Post

Block = Mapping[str, Any]
LIMITS = {
    "blocks": 50,
    "message": 13_200,  # not documented; met at about 13,200 by those who measured
    "text": 40_000,
    "section": 3_000,
    "fields": 10,
    "field": 2_000,
    "header": 150,
    "context": 10,
    "context text": 2_000,
    "actions": 25,
    "id": 255,
    "button text": 75,
    "value": 2_000,
    "url": 3_000,
    "alt": 2_000,
    "title": 2_000,
    "markdown": 12_000,
    "rows": 100,
    "columns": 20,
    "indent": 8,
}
OVERHEAD = 30  # what Slack adds to a block: its id
UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
STYLES = {"bold", "italic", "strike", "code", "underline", "highlight", "client_highlight", "unlink"}
CONTAINERS = {"rich_text_section", "rich_text_list", "rich_text_preformatted", "rich_text_quote"}
LEAVES = {
    "text": "text",
    "link": "url",
    "user": "user_id",
    "usergroup": "usergroup_id",
    "channel": "channel_id",
    "emoji": "name",
    "date": "timestamp",
    "broadcast": "range",
    "color": "value",
    "team": "team_id",
}


def size(text: str) -> int:
    """Characters as Slack counts them: UTF-16 units, so that an emoji is two."""
    return len(text) + sum(c > "\uffff" for c in text)


def weigh(block: Any) -> int:
    """What a block adds to the limit over all blocks: its JSON, for text alone has been refused below the limit."""
    return size(json.dumps(block, ensure_ascii=False, separators=(",", ":"))) + OVERHEAD


def check_post(post: Post) -> list[str]:
    """Every reason for which Slack would refuse this message; empty when there is none."""
    blocks = post.blocks
    found = [*bounded("text", post.text, LIMITS["text"]), *unsafe("text", post.text)]
    if len(blocks) > LIMITS["blocks"]:
        found.append(f"blocks: {len(blocks)}, at most {LIMITS['blocks']}")
    total = sum(weigh(b) for b in blocks)
    if total > LIMITS["message"]:
        found.append(f"blocks: {total} characters in all, at most {LIMITS['message']}")
    markdown = sum(size(str(b.get("text", ""))) for b in blocks if b.get("type") == "markdown")
    if markdown > LIMITS["markdown"]:
        found.append(f"blocks: {markdown} characters of markdown, at most {LIMITS['markdown']}")
    found.extend(repeated("block_id", [b["block_id"] for b in blocks if "block_id" in b]))
    found.extend(repeated("action_id", list(action_ids(blocks))))
    for i, block in enumerate(blocks):
        found.extend(check_block(f"blocks[{i}]", block))
    return found


def check_block(place: str, block: Block) -> Iterator[str]:
    """One block of a message."""
    check = CHECKS.get(str(block.get("type")))
    if check is None:
        yield f"{place}.type: {block.get('type')!r} is not used in messages"
        return
    if "block_id" in block:
        yield from bounded(f"{place}.block_id", block["block_id"], LIMITS["id"])
    yield from unsafe(place, block)
    yield from check(place, block)


def check_section(place: str, block: Block) -> Iterator[str]:
    """Text, fields or both."""
    fields = block.get("fields", ())
    if "text" not in block and not fields:
        yield f"{place}: neither text nor fields"
    if "text" in block:
        yield from check_text(f"{place}.text", block["text"], LIMITS["section"])
    yield from counted(f"{place}.fields", fields, LIMITS["fields"], least=0)
    for i, field in enumerate(fields):
        yield from check_text(f"{place}.fields[{i}]", field, LIMITS["field"])
    if "accessory" in block:
        yield from check_element(f"{place}.accessory", block["accessory"])


def check_header(place: str, block: Block) -> Iterator[str]:
    """Plain text only."""
    yield from check_text(f"{place}.text", block.get("text"), LIMITS["header"], kinds=("plain_text",))


def check_image(place: str, block: Block) -> Iterator[str]:
    """An address or a Slack file, and the words that stand for it."""
    yield from bounded(f"{place}.alt_text", block.get("alt_text"), LIMITS["alt"])
    if "title" in block:
        yield from check_text(f"{place}.title", block["title"], LIMITS["title"], kinds=("plain_text",))
    if "image_url" in block:
        yield from check_url(f"{place}.image_url", block["image_url"])
    elif not re.fullmatch(r"F[A-Z0-9]+", str(block.get("slack_file", {}).get("id", ""))):
        yield f"{place}.slack_file.id: {block.get('slack_file')!r} is no file"


def check_context(place: str, block: Block) -> Iterator[str]:
    """Small text and images."""
    yield from counted(f"{place}.elements", block.get("elements", ()), LIMITS["context"])
    for i, element in enumerate(block.get("elements", ())):
        if element.get("type") == "image":
            yield from check_image(f"{place}.elements[{i}]", element)
        else:
            yield from check_text(f"{place}.elements[{i}]", element, LIMITS["context text"])


def check_actions(place: str, block: Block) -> Iterator[str]:
    """Buttons."""
    yield from counted(f"{place}.elements", block.get("elements", ()), LIMITS["actions"])
    for i, element in enumerate(block.get("elements", ())):
        yield from check_element(f"{place}.elements[{i}]", element)


def check_element(place: str, element: Block) -> Iterator[str]:
    """A button, the one interactive element that messages here have."""
    if element.get("type") != "button":
        yield f"{place}.type: {element.get('type')!r} is no button"
        return
    yield from check_text(f"{place}.text", element.get("text"), LIMITS["button text"], kinds=("plain_text",))
    yield from bounded(f"{place}.action_id", element.get("action_id"), LIMITS["id"])
    if "value" in element:
        yield from bounded(f"{place}.value", element["value"], LIMITS["value"])
    if "url" in element:
        yield from check_url(f"{place}.url", element["url"])
    if element.get("style", "primary") not in {"primary", "danger"}:
        yield f"{place}.style: {element['style']!r}"


def check_markdown(place: str, block: Block) -> Iterator[str]:
    """Standard Markdown."""
    yield from bounded(f"{place}.text", block.get("text"), LIMITS["markdown"])


def check_table(place: str, block: Block) -> Iterator[str]:
    """Rows of cells."""
    yield from counted(f"{place}.rows", block.get("rows", ()), LIMITS["rows"])
    for i, row in enumerate(block.get("rows", ())):
        yield from counted(f"{place}.rows[{i}]", row, LIMITS["columns"])


def check_rich_text(place: str, block: Block) -> Iterator[str]:
    """Sections, lists, quotes and preformatted text."""
    yield from counted(f"{place}.elements", block.get("elements", ()))
    for i, element in enumerate(block.get("elements", ())):
        yield from check_container(f"{place}.elements[{i}]", element)


def check_container(place: str, element: Block) -> Iterator[str]:
    """One part of a rich text; a list holds sections, the others hold leaves."""
    kind = element.get("type")
    if kind not in CONTAINERS:
        yield f"{place}.type: {kind!r} is no part of a rich text"
        return
    yield from counted(f"{place}.elements", element.get("elements", ()))
    if kind == "rich_text_list":
        if element.get("style") not in {"bullet", "ordered"}:
            yield f"{place}.style: {element.get('style')!r}"
        if not 0 <= element.get("indent", 0) <= LIMITS["indent"] or element.get("offset", 0) < 0:
            yield f"{place}: indent {element.get('indent')}, offset {element.get('offset')}"
    for i, inner in enumerate(element.get("elements", ())):
        where = f"{place}.elements[{i}]"
        if kind != "rich_text_list":
            yield from check_leaf(where, inner, allowed={"text", "link"} if "pre" in kind else set(LEAVES))
        elif inner.get("type") != "rich_text_section":
            yield f"{where}.type: {inner.get('type')!r} in a list"
        else:
            yield from check_container(where, inner)


def check_leaf(place: str, leaf: Block, *, allowed: set[str]) -> Iterator[str]:
    """Text, a link, a person and the like."""
    kind = str(leaf.get("type"))
    if kind not in allowed:
        yield f"{place}.type: {kind!r} is not allowed there"
        return
    if not leaf.get(LEAVES[kind]):
        yield f"{place}.{LEAVES[kind]}: missing or empty"
    if kind == "link":
        yield from check_url(f"{place}.url", leaf.get("url"))
        if leaf.get("text") == "":
            yield f"{place}.text: empty"
    for key, value in leaf.get("style", {}).items():
        if key not in STYLES or not isinstance(value, bool):
            yield f"{place}.style.{key}: {value!r}"


def check_text(place: str, text: Any, at_most: int, kinds: tuple[str, ...] = ("plain_text", "mrkdwn")) -> Iterator[str]:
    """A text object."""
    if not isinstance(text, Mapping) or text.get("type") not in kinds:
        yield f"{place}: not {' or '.join(kinds)}"
        return
    yield from bounded(f"{place}.text", text.get("text"), at_most)


def check_url(place: str, url: Any) -> Iterator[str]:
    """A web address."""
    yield from bounded(place, url, LIMITS["url"])
    if not re.match(r"https?://[^\s/]", str(url)):
        yield f"{place}: no http or https address"


def bounded(place: str, text: Any, at_most: int) -> Iterator[str]:
    """A string that is there, and not too long."""
    if not isinstance(text, str) or not text.strip():
        yield f"{place}: missing or empty"
    elif size(text) > at_most:
        yield f"{place}: {size(text)} characters, at most {at_most}"


def counted(place: str, items: Any, at_most: int | None = None, least: int = 1) -> Iterator[str]:
    """A list of the right length."""
    if len(items) < least:
        yield f"{place}: empty"
    elif at_most is not None and len(items) > at_most:
        yield f"{place}: {len(items)}, at most {at_most}"


def unsafe(place: str, value: Any) -> Iterator[str]:
    """Control characters and halves of surrogate pairs, anywhere below."""
    if isinstance(value, str):
        if UNSAFE.search(value):
            yield f"{place}: a control character or half a surrogate pair"
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from unsafe(f"{place}.{key}", inner)
    elif isinstance(value, Iterable):
        for i, inner in enumerate(value):
            yield from unsafe(f"{place}[{i}]", inner)


def repeated(what: str, ids: list[str]) -> Iterator[str]:
    """Ids that stand twice."""
    for name in sorted({i for i in ids if ids.count(i) > 1}):
        yield f"{what}: {name!r} stands {ids.count(name)} times"


def action_ids(blocks: Iterable[Block]) -> Iterator[str]:
    """The ids of all buttons."""
    for block in blocks:
        if block.get("type") == "actions":
            yield from (str(e["action_id"]) for e in block.get("elements", ()) if "action_id" in e)


CHECKS: dict[str, Callable[[str, Block], Iterator[str]]] = {
    "section": check_section,
    "header": check_header,
    "divider": lambda _place, _block: iter(()),
    "image": check_image,
    "context": check_context,
    "actions": check_actions,
    "markdown": check_markdown,
    "table": check_table,
    "rich_text": check_rich_text,
}
