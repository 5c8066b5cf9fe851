"""Slack's payloads, of which nothing is trusted, and Slack's text as a person reads it.

Source: "Formatting message text" in Slack's documentation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

NAME = re.compile(r"[A-Za-z0-9]{1,32}")
TS = re.compile(r"[0-9]{1,11}\.[0-9]{1,9}")
TOKEN = re.compile(r"<([^<>]*)>")
ENTITY = re.compile(r"&(amp|lt|gt);")
ENTITIES = {"amp": "&", "lt": "<", "gt": ">"}
AFTER_NAME = r"(?:[\s,]|:(?![^\s:]{1,100}:))*"
"""Marks after a mention; a colon that begins an emoji is none."""
CONTROLS = {c: None for c in (*range(0x20), *range(0x7F, 0xA0)) if chr(c) not in "\t\n"}
EVERYONE = frozenset({"here", "channel", "everyone"})


def value_at(body: Any, *path: str) -> Any:
    """The value under a path of keys of a payload; None where there is none."""
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


def encodable(text: str) -> str:
    """Without halves of surrogate pairs, which JSON can hold and no form or file can carry."""
    return text.encode("utf-8", "replace").decode()


def mentions(raw: str, users: frozenset[str]) -> bool:
    """Whether one of these users is mentioned."""
    return any(user in users for user in re.findall(r"<@([A-Za-z0-9]+)", raw))
