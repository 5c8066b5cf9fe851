"""What a person typed, in Slack's own form: mentions by id, characters escaped, and the rich text that clients add."""

import re
from collections.abc import Iterator

from slack_sandbox.state import Json, State, new_id

_NAMED = re.compile(r"(?<![\w@#<&/])([@#])([A-Za-z0-9][\w.-]*)")
_ENTITY = re.compile(r"<([^<>]+)>")
_LINK = re.compile(r"(?<![<|\w])https?://[^\s<>|]+[^\s<>|.,;:!?)\]'\"]")
_KEPT = re.compile(r"<(?:@[UW]|#C|!|https?://|mailto:)[^<>]*>")


def encode_typed(state: State, text: str) -> str:
    """Returns: typed text as Slack stores it: `@name` → `<@U…>`, `#name` → `<#C…|name>`, links in angle brackets.

    `&`, `<` and `>` are escaped, except where they already make a mention or a link.
    """
    parts, end = [], 0
    for kept in _KEPT.finditer(text):
        parts += [_encode_plain(state, text[end : kept.start()]), kept.group()]
        end = kept.end()
    return "".join([*parts, _encode_plain(state, text[end:])])


def _encode_plain(state: State, text: str) -> str:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    linked = _LINK.sub(lambda found: f"<{found.group()}>", escaped)
    return _NAMED.sub(lambda found: _mention(state, found), linked)


def _mention(state: State, found: "re.Match[str]") -> str:
    sign, name = found.group(1), found.group(2)
    bare = name.rstrip(".-")
    tail = name[len(bare) :]
    if sign == "@" and bare in {"here", "channel", "everyone"}:
        return f"<!{bare}>{tail}"
    if sign == "@" and (user := state.user_named(bare)):
        return f"<@{user.id}>{tail}"
    if sign == "#" and (channel := state.channel_named(bare)):
        return f"<#{channel.id}|{channel.name}>{tail}"
    return found.group()


def rich_text_of(text: str) -> list[Json]:
    """Returns: the one rich_text block that Slack's clients add to a typed message."""
    section = {"type": "rich_text_section", "elements": list(_elements(text))}
    return [{"type": "rich_text", "block_id": new_id("", 5), "elements": [section]}]


def _elements(text: str) -> Iterator[Json]:
    end = 0
    for found in _ENTITY.finditer(text):
        if found.start() > end:
            yield _text(text[end : found.start()])
        end = found.end()
        target, _, label = found.group(1).partition("|")
        if target.startswith("@"):
            yield {"type": "user", "user_id": target[1:]}
        elif target.startswith("#"):
            yield {"type": "channel", "channel_id": target[1:]}
        elif target.startswith("!"):
            yield {"type": "broadcast", "range": target[1:]}
        else:
            yield {"type": "link", "url": target} | ({"text": label} if label else {})
    if end < len(text):
        yield _text(text[end:])


def _text(text: str) -> Json:
    return {"type": "text", "text": text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")}
