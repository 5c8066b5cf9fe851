"""The names of people in what was said, where Slack mentions them by id. PURE."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from workers.contracts import ChannelMessage

MENTION = re.compile(r"@([UWB][A-Z0-9]{2,31})\b")


def with_names(message: ChannelMessage, names: Mapping[str, str]) -> ChannelMessage:
    """The same with people by their names, as far as these are known."""
    name = message.name or names.get(message.user, "")
    return replace(message, name=name, text=named(message.text, names))


def named(text: str, names: Mapping[str, str]) -> str:
    """Text in which ids after an ``@`` are names."""
    return MENTION.sub(lambda found: f"@{names.get(found[1], found[1])}", text)


def people_in(messages: Iterable[ChannelMessage]) -> tuple[str, ...]:
    """The ids of everyone who wrote without a name, is mentioned, or reacted; each once."""
    found: dict[str, None] = {}
    for message in messages:
        if message.user and not message.name:
            found[message.user] = None
        found.update(dict.fromkeys(MENTION.findall(message.text)))
    return tuple(found)
