"""Checks of messages and views by what Slack takes at most, which name every violation with its place."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import slack_limits
from workers.ports import Post

Block = Mapping[str, Any]
CONTEXT_TEXT_CHARS = 2_000  # below what Slack takes
OVERHEAD = 30  # what Slack adds to a block: its id
UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
STYLES = {"bold", "italic", "strike", "code"}
CONTAINERS = {"rich_text_section", "rich_text_list", "rich_text_preformatted", "rich_text_quote"}
LEAVES = {"text": "text", "link": "url", "user": "user_id", "channel": "channel_id", "date": "timestamp"}
FEW = {
    "radio_buttons": slack_limits.RADIO_BUTTONS,
    "checkboxes": slack_limits.CHECKBOXES,
    "overflow": slack_limits.OVERFLOW_OPTIONS,
}  # options; else `slack_limits.OPTIONS`
INPUTS = {"static_select", "radio_buttons", "checkboxes", "plain_text_input"} | {
    f"{many}{what}_select" for what in ("conversations", "channels", "users") for many in ("", "multi_")
}
PRESSED = INPUTS - {"plain_text_input"} | {"button", "overflow"}


def size(text: str) -> int:
    """Characters as Slack counts them: UTF-16 units, so that an emoji is two."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def weigh(block: Any) -> int:
    """What a block adds to the limit over all blocks: its JSON, for text alone has been refused below the limit."""
    return size(json.dumps(block, ensure_ascii=False, separators=(",", ":"))) + OVERHEAD


def check_post(post: Post) -> list[str]:
    """Every reason for which Slack would refuse this message; empty when there is none."""
    found = [*bounded("text", post.text, slack_limits.MESSAGE_TEXT_CHARS), *unsafe("text", post.text)]
    total = sum(weigh(b) for b in post.blocks)
    if total > slack_limits.MESSAGE_BLOCKS_CHARS:
        found.append(f"blocks: {total} characters in all, at most {slack_limits.MESSAGE_BLOCKS_CHARS}")
    return [*found, *check_blocks(post.blocks, slack_limits.MESSAGE_BLOCKS, IN_MESSAGE)]


def check_view(view: Mapping[str, Any]) -> list[str]:
    """Every reason for which Slack would refuse this window or Home tab; empty when there is none."""
    kind, blocks = view.get("type"), view.get("blocks") or ()
    found = [] if kind in {"modal", "home"} else [f"type: {kind!r} is neither modal nor home"]
    for name in ("title", "submit", "close"):
        if name in view or (name == "title" and kind == "modal"):
            found.extend(check_text(name, view.get(name), slack_limits.VIEW_TITLE_CHARS, kinds=("plain_text",)))
    for name, at_most in (("private_metadata", slack_limits.METADATA_CHARS), ("callback_id", slack_limits.ID_CHARS)):
        if name in view:
            found.extend([*bounded(name, view[name], at_most, blank=True), *unsafe(name, view[name])])
    if kind == "modal" and "submit" not in view and any(b.get("type") == "input" for b in blocks):
        found.append("submit: missing, though something can be entered")
    total = sum(weigh(b) for b in blocks)
    if total > slack_limits.VIEW_BYTES:
        found.append(f"blocks: {total} characters in all, at most {slack_limits.VIEW_BYTES}")
    found.extend(counted("blocks", blocks))
    return [*found, *check_blocks(blocks, slack_limits.VIEW_BLOCKS, IN_VIEW)]


def check_blocks(blocks: Any, at_most: int, allowed: Iterable[str]) -> Iterator[str]:
    """All blocks of a message or view."""
    yield from counted("blocks", blocks, at_most, least=0)
    yield from repeated("block_id", [b["block_id"] for b in blocks if "block_id" in b])
    for i, block in enumerate(blocks):
        place = f"blocks[{i}]"
        if block.get("type") not in allowed:
            yield f"{place}.type: {block.get('type')!r} is not used there"
            continue
        if "block_id" in block:
            yield from bounded(f"{place}.block_id", block["block_id"], slack_limits.ID_CHARS)
        yield from repeated(f"{place}.action_id", list(action_ids(block)))
        yield from unsafe(place, block)
        yield from CHECKS[block["type"]](place, block)


# --- blocks ---------------------------------------------------------------------------------------------------


def check_section(place: str, block: Block) -> Iterator[str]:
    """Text, and at most one element beside it."""
    yield from check_text(f"{place}.text", block.get("text"), slack_limits.SECTION_TEXT_CHARS)
    if "accessory" in block:
        yield from check_element(f"{place}.accessory", block["accessory"], PRESSED)


def check_header(place: str, block: Block) -> Iterator[str]:
    """Plain text only."""
    yield from check_text(f"{place}.text", block.get("text"), slack_limits.HEADER_CHARS, kinds=("plain_text",))


def check_image(place: str, block: Block) -> Iterator[str]:
    """A Slack file, and the words that stand for it."""
    yield from bounded(f"{place}.alt_text", block.get("alt_text"), slack_limits.ALT_CHARS)
    if "title" in block:
        yield from check_text(f"{place}.title", block["title"], slack_limits.IMAGE_TITLE_CHARS, kinds=("plain_text",))
    if not re.fullmatch(r"F[A-Z0-9]+", str(block.get("slack_file", {}).get("id", ""))):
        yield f"{place}.slack_file.id: {block.get('slack_file')!r} is no file"


def check_context(place: str, block: Block) -> Iterator[str]:
    """Small text."""
    yield from counted(f"{place}.elements", block.get("elements", ()), slack_limits.CONTEXT_ELEMENTS)
    for i, element in enumerate(block.get("elements", ())):
        yield from check_text(f"{place}.elements[{i}]", element, CONTEXT_TEXT_CHARS)


def check_actions(place: str, block: Block) -> Iterator[str]:
    """Buttons and menus."""
    yield from counted(f"{place}.elements", block.get("elements", ()), slack_limits.ACTIONS_ELEMENTS)
    for i, element in enumerate(block.get("elements", ())):
        yield from check_element(f"{place}.elements[{i}]", element, PRESSED)


def check_context_actions(place: str, block: Block) -> Iterator[str]:
    """Feedback buttons: two each, both with text and value."""
    yield from counted(f"{place}.elements", block.get("elements", ()), slack_limits.CONTEXT_ACTIONS_ELEMENTS)
    for i, element in enumerate(block.get("elements", ())):
        where = f"{place}.elements[{i}]"
        if element.get("type") != "feedback_buttons":
            yield f"{where}.type: {element.get('type')!r} is not used there"
            continue
        yield from bounded(f"{where}.action_id", element.get("action_id"), slack_limits.ID_CHARS)
        for name in ("positive_button", "negative_button"):
            yield from check_pressed(f"{where}.{name}", element.get(name) or {})


def check_input(place: str, block: Block) -> Iterator[str]:
    """A label, and what is filled in."""
    yield from check_text(f"{place}.label", block.get("label"), slack_limits.LABEL_CHARS, kinds=("plain_text",))
    if "hint" in block:
        yield from check_text(f"{place}.hint", block["hint"], slack_limits.LABEL_CHARS, kinds=("plain_text",))
    yield from check_element(f"{place}.element", block.get("element") or {}, INPUTS)


# --- elements -------------------------------------------------------------------------------------------------


def check_element(place: str, element: Block, allowed: set[str]) -> Iterator[str]:
    """What can be pressed, chosen or filled in."""
    kind = str(element.get("type"))
    if kind not in allowed:
        yield f"{place}.type: {element.get('type')!r} is not used there"
        return
    yield from bounded(f"{place}.action_id", element.get("action_id"), slack_limits.ID_CHARS)
    if kind == "button":
        yield from check_pressed(place, element)
    if "placeholder" in element:
        yield from check_text(
            f"{place}.placeholder", element["placeholder"], slack_limits.PLACEHOLDER_CHARS, ("plain_text",)
        )
    if kind == "plain_text_input":
        yield from bounded(
            f"{place}.initial_value", element.get("initial_value", ""), slack_limits.ENTERED_CHARS, blank=True
        )
    if kind in {*FEW, "static_select"}:
        yield from check_options(place, element.get("options", ()), FEW.get(kind, slack_limits.OPTIONS))


def check_pressed(place: str, element: Block) -> Iterator[str]:
    """A button's text, value, address and style."""
    yield from check_text(f"{place}.text", element.get("text"), slack_limits.BUTTON_TEXT_CHARS, kinds=("plain_text",))
    if "value" in element:
        yield from bounded(f"{place}.value", element["value"], slack_limits.BUTTON_VALUE_CHARS)
    if "url" in element:
        yield from check_url(f"{place}.url", element["url"])
    if "accessibility_label" in element:
        yield from bounded(
            f"{place}.accessibility_label", element["accessibility_label"], slack_limits.BUTTON_TEXT_CHARS
        )
    if element.get("style", "primary") not in {"primary", "danger"}:
        yield f"{place}.style: {element['style']!r}"


def check_options(place: str, options: Any, at_most: int) -> Iterator[str]:
    """The options of a menu."""
    yield from counted(f"{place}.options", options, at_most)
    for i, option in enumerate(options):
        where = f"{place}.options[{i}]"
        yield from check_text(f"{where}.text", option.get("text"), slack_limits.OPTION_TEXT_CHARS)
        yield from bounded(f"{where}.value", option.get("value"), slack_limits.OPTION_VALUE_CHARS)
        if "description" in option:
            yield from check_text(f"{where}.description", option["description"], slack_limits.OPTION_TEXT_CHARS)


# --- rich text ------------------------------------------------------------------------------------------------


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
        if not 0 <= element.get("indent", 0) <= slack_limits.LIST_INDENT or element.get("offset", 0) < 0:
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
    """Text, a link, a person, a channel or a moment."""
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


# --- texts and counts -----------------------------------------------------------------------------------------


def check_text(place: str, text: Any, at_most: int, kinds: tuple[str, ...] = ("plain_text", "mrkdwn")) -> Iterator[str]:
    """A text object."""
    if not isinstance(text, Mapping) or text.get("type") not in kinds:
        yield f"{place}: not {' or '.join(kinds)}"
        return
    yield from bounded(f"{place}.text", text.get("text"), at_most)


def check_url(place: str, url: Any) -> Iterator[str]:
    """A web address."""
    yield from bounded(place, url, slack_limits.URL_CHARS)
    if not re.match(r"https?://[^\s/]", str(url)):
        yield f"{place}: no http or https address"


def bounded(place: str, text: Any, at_most: int, *, blank: bool = False) -> Iterator[str]:
    """A string that is there, unless it may be blank, and not too long."""
    if not isinstance(text, str) or not (blank or text.strip()):
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


def action_ids(block: Block) -> Iterator[str]:
    """The ids of all that can be pressed in one block."""
    yield from (str(e["action_id"]) for e in block.get("elements", ()) if "action_id" in e)


CHECKS: dict[str, Callable[[str, Block], Iterator[str]]] = {
    "section": check_section,
    "header": check_header,
    "divider": lambda _place, _block: iter(()),
    "image": check_image,
    "context": check_context,
    "actions": check_actions,
    "context_actions": check_context_actions,
    "input": check_input,
    "rich_text": check_rich_text,
}
IN_MESSAGE = set(CHECKS) - {"input"}
IN_VIEW = set(CHECKS) - {"context_actions"}
