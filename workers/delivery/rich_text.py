"""Text as Slack's rich text elements: nothing in them is parsed, so nothing that is quoted pings or links."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from workers.contracts import Evidence
from workers.delivery.block_limits import size
from workers.delivery.cited_evidence import link_of

Element = dict[str, Any]
CHUNK = 1_200
MAX_PIECES = 80
MAX_WORD = 200
MAX_TEXT = 3_000  # characters of a fallback text; its bytes too, for an update refuses more than 4,000 of them
USER = re.compile(r"[UW][A-Z0-9]{2,20}")
CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]|[\U000e0000-\U000e007f]+"
)
MARK = re.compile(r"`([^`\n]+)`|(?<![\w*])\*(?=[^\s*])([^*\n]+)(?<=[^\s*])\*(?![\w*])")
WORD = re.compile(r"[^\s,;()\[\]{}<>\"'“”‘’«»|`*]+")
SUFFIXES = (
    "py|pyi|ipynb|js|jsx|ts|tsx|go|rs|rb|java|kt|c|h|cc|cpp|hpp|cs|php|swift|scala|ex|erl|lua|sh|sql|proto|graphql|tf|"
    "yaml|yml|toml|ini|cfg|conf|env|json|xml|html|css|md|rst|txt|csv|lock|log|gradle|mod"
)
CODE_LIKE = re.compile(
    rf"(?:[\w.@-]*/)*[\w@-][\w.@-]*\.(?:{SUFFIXES})(?::\d+(?:-\d+)?)?"  # files, with lines
    r"|/[A-Za-z][\w.:-]*(?:/[\w.:-]+)*/?"  # endpoints
    r"|(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}"  # commits
    r"|v\d+(?:\.\d+)+(?:-[\w.]+)?"  # versions
    r"|[A-Za-z][\w.]*_[\w.]*"  # environment variables, metrics, symbols
)
PLAIN = re.compile(r"[A-Z]?[a-z]+|\d+")  # a word or a number reads as one, even where it is a name
NAMES = ("name", "endpoint", "version", "symbol", "metric_name", "commit", "short", "path", "lines")


def safe(text: str) -> str:
    """Text without control characters, marks of direction, invisible tags and halves of surrogate pairs."""
    return CONTROL.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))


def unmarked(text: str) -> str:
    """Safe text without the marks of code and emphasis."""
    return MARK.sub(lambda m: m[1] or m[2], safe(text))


def escape(text: str) -> str:
    """Text for where Slack parses: no mention, no link, no entity can arise from it."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def clip(text: str, at_most: int) -> str:
    """At most so many characters as Slack counts them, one line, an ellipsis where something was cut."""
    text = " ".join(text.split())
    if size(text) <= at_most:
        return text
    text = text[:at_most]
    while size(text) >= at_most:
        text = text[:-1]
    return text.rstrip() + "…"


def fallback(text: str) -> str:
    """Escaped text that is never empty, nor longer than an update allows."""
    room = MAX_TEXT
    while True:
        out = escape(clip(safe(text), room)) or "…"
        if size(out) <= MAX_TEXT and len(out.encode()) <= MAX_TEXT:
            return out
        room = room * 4 // 5


def person(who: str) -> list[Element]:
    """Someone by id, as Slack shows people, else by name."""
    if USER.fullmatch(who):
        return [{"type": "user", "user_id": who}]
    return words(clip(safe(who), 80) or "someone")


def mention(who: str) -> str:
    """The same in text that Slack parses."""
    return f"<@{who}>" if USER.fullmatch(who) else escape(clip(safe(who), 80)) or "someone"


def cut(text: str, at_most: int = CHUNK) -> Iterator[str]:
    """The same text in pieces, cut after a line or a word where there is one."""
    while len(text) > at_most:
        end = max(text.rfind("\n", at_most // 2, at_most), text.rfind(" ", at_most // 2, at_most)) + 1 or at_most
        yield text[:end]
        text = text[end:]
    if text:
        yield text


def words(text: str, **style: bool) -> list[Element]:
    """Text elements; none for no text."""
    on = {key: True for key, value in style.items() if value}
    return [{"type": "text", "text": piece, **({"style": dict(on)} if on else {})} for piece in cut(safe(text))]


def link(url: str, text: str, **style: bool) -> list[Element]:
    """A link where there is an address, else its text."""
    if not url:
        return words(text, **style)
    on = {key: True for key, value in style.items() if value}
    pieces = cut(safe(text))
    return [{"type": "link", "url": url, "text": piece, **({"style": dict(on)} if on else {})} for piece in pieces]


def statement(
    text: str, cited: Sequence[str], known: Mapping[str, Evidence], *, bold: bool = False, strong: bool = False
) -> list[Element]:
    """A claim: code and emphasis as styles, then its evidence markers, each a link when its evidence has one.

    Args:
        text: of the claim.
        cited: the ids of its evidence.
        known: the evidence by id.
        bold: all of it.
        strong: emphasis is bold, not italic.
    """
    sources = [known[key] for key in cited if key in known]
    names = {str(f.value) for e in sources for key, f in e.facts.items() if key in NAMES}
    links = {safe(e.locator): link_of(e) for e in sources if e.kind == "code"}
    out: list[Element] = []
    for piece, style in pieces_of(safe(text), names):
        emphasis = style == "italic"
        flags = {"bold": bold or (emphasis and strong), "code": style == "code", "italic": emphasis and not strong}
        out.extend(link(links.get(piece, "") if style == "code" else "", piece, **flags))
    if len(out) > MAX_PIECES:
        out = words(unmarked(text), bold=bold)
    return joined([*out, *markers(cited, known)])


def markers(cited: Sequence[str], known: Mapping[str, Evidence]) -> list[Element]:
    """Evidence ids in brackets, each after a space, each a link when its evidence has one."""
    out: list[Element] = []
    for key in cited:
        url = link_of(known[key]) if key in known else ""
        out.extend([*words(" "), *link(url, f"[{key}]")])
    return out


def joined(elements: Iterable[Element]) -> list[Element]:
    """The same, with neighbouring texts of one style made one: every element counts against the message's limit."""
    out: list[Element] = []
    for item in elements:
        last = out[-1] if out else {}
        alike = last.get("type") == item["type"] == "text" and last.get("style") == item.get("style")
        if alike and len(last["text"]) + len(item["text"]) <= CHUNK:
            out[-1] = {**last, "text": last["text"] + item["text"]}
        else:
            out.append(item)
    return out


def pieces_of(text: str, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Pieces of the text with their style: ``code``, ``italic`` or none."""
    last = 0
    for match in MARK.finditer(text):
        yield from bare_pieces(text[last : match.start()], names)
        yield (match[1], "code") if match[1] else (match[2], "italic")
        last = match.end()
    yield from bare_pieces(text[last:], names)


def bare_pieces(text: str, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Unmarked text, with what reads as code told apart."""
    last = 0
    for match in WORD.finditer(text):
        word = match[0].rstrip(".:!?…/") or match[0]
        if len(word) > MAX_WORD or PLAIN.fullmatch(word) or not (word in names or CODE_LIKE.fullmatch(word)):
            continue
        if match.start() > last:
            yield text[last : match.start()], ""
        yield word, "code"
        last = match.start() + len(word)
    if last < len(text):
        yield text[last:], ""
