"""Slack's marked-up text as a person reads it. PURE.

Source: "Formatting message text" in Slack's documentation.
"""

from __future__ import annotations

import re

from workers.language.payload_values import encodable

TOKEN = re.compile(r"<([^<>]*)>")
ENTITY = re.compile(r"&(amp|lt|gt);")
ENTITIES = {"amp": "&", "lt": "<", "gt": ">"}
AFTER_NAME = r"(?:[\s,]|:(?![^\s:]{1,100}:))*"
"""Marks after a mention; a colon that begins an emoji is none."""
CONTROLS = {c: None for c in (*range(0x20), *range(0x7F, 0xA0)) if chr(c) not in "\t\n"}
EVERYONE = frozenset({"here", "channel", "everyone"})


def plain_text(raw: str, app: frozenset[str] = frozenset(), *, leading: bool = False) -> str:
    """Slack's text as a person reads it.

    Args:
        raw: with ``<…>`` tokens and ``&amp; &lt; &gt;``.
        app: user ids whose mentions are left out.
        leading: the text starts with a mention of the app, whoever that is.
    """
    text = encodable(raw).translate(CONTROLS)
    for user in sorted(app):
        text = re.sub(rf"<@{user}(?:\|[^<>]*)?>{AFTER_NAME}", "", text)
    if leading and not app:
        text = re.sub(rf"\A\s*<@[A-Za-z0-9]+(?:\|[^<>]*)?>{AFTER_NAME}", "", text)
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


def mentions(raw: str, users: frozenset[str]) -> bool:
    """Whether one of these users is mentioned."""
    return any(user in users for user in re.findall(r"<@([A-Za-z0-9]+)", raw))


def escape(text: str) -> str:
    """Text as Slack marks it up."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def token(text: str) -> str:
    """Text that can stand within a mark."""
    return escape(text).replace("|", " ")
