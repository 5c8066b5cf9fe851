"""What a tool of others returned as evidence: its text in pieces that are read page by page, its data as they are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mcp_types import (
    AudioContent,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)
from pydantic_core import from_json

from workers.contracts import Evidence, ToolOutput

PIECE_CHARS = 20_000
"""Of the excerpt of one piece of evidence; a longer result has several."""
MOST_LINKS, NAME_CHARS, ARGUMENT_CHARS, MOST_DEPTH = 20, 200, 160, 40
NOTHING = frozenset({"", "{}", "[]", "null"})
CONTROLS = {c: None for c in range(32) if chr(c) not in "\n\t"} | {127: None}
ADDRESS = re.compile(r"https?://[^\s<>\"']{1,2000}")


@dataclass(frozen=True)
class Read:
    """What a result holds: ``text``, ``data`` (any JSON, None when it has none) and ``links`` (name, address)."""

    text: str
    data: Any
    links: tuple[tuple[str, str], ...]


def read_result(result: CallToolResult) -> Read:
    """All of a result that can be read; pictures and sound are named."""
    texts: list[str] = []
    links: list[tuple[str, str]] = []
    for part in result.content:
        if isinstance(part, TextContent):
            texts.append(part.text)
        elif isinstance(part, ResourceLink):
            links.append((part.title or part.name or str(part.uri), str(part.uri)))
        elif isinstance(part, EmbeddedResource):
            texts.append(part.resource.text if isinstance(part.resource, TextResourceContents) else "[binary data]")
            links.append((str(part.resource.uri), str(part.resource.uri)))
        elif isinstance(part, ImageContent | AudioContent):
            texts.append(f"[{part.mime_type}, not shown]")
    data = result.structured_content
    text = "\n".join(texts)
    if data is None:
        data = data_in(text)
    elif not text.strip():
        text = json.dumps(data, ensure_ascii=False, indent=1)
    named = [(" ".join(name.split())[:NAME_CHARS], uri) for name, uri in links[:MOST_LINKS]]
    return Read(readable(text), readable(data) if depth_of(data) <= MOST_DEPTH else None, tuple(named))


def data_in(text: str) -> Any:
    """The JSON that a text is; None when it is none."""
    if text.lstrip()[:1] not in {"[", "{"}:
        return None
    try:
        return from_json(text)
    except ValueError:
        return None


def readable(value: Any) -> Any:
    """A JSON value without control characters, which databases and terminals take amiss."""
    if isinstance(value, str):
        return value.translate(CONTROLS)
    if isinstance(value, dict):
        return {readable(k): readable(v) for k, v in value.items()}
    return [readable(v) for v in value] if isinstance(value, list) else value


def depth_of(value: Any) -> int:
    """How deep a JSON value is nested, `MOST_DEPTH` + 1 at most."""
    level, depth = [value], 0
    while level and depth <= MOST_DEPTH:
        inner = [v for v in level if isinstance(v, dict | list)]
        level = [x for v in inner for x in (v.values() if isinstance(v, dict) else v)]
        depth += bool(inner)
    return depth


def output_of(server: str, tool: str, arguments: Mapping[str, Any], read: Read, most_chars: int) -> ToolOutput:
    """A result as the tool's output.

    Args:
        server: the name of the entry.
        tool: as the server calls it.
        arguments: of the call.
        read: what came.
        most_chars: of its text that is kept.

    Returns:
        ``data = {"server", "tool", "text", "data", "links"}``; ``text`` and ``data`` as far as they are kept.
    """
    kept = next(split(read.text, most_chars), "")
    data = read.data if len(json.dumps(read.data, default=str)) <= most_chars else None
    links = [{"name": name, "url": url} for name, url in read.links]
    out: dict[str, Any] = {"server": server, "tool": tool, "text": kept, "data": data, "links": links}
    if kept.strip() in NOTHING and not links:
        return ToolOutput(status="empty", reason=f"{server}: {tool} returned nothing", data=out)
    evidence = tuple(pieces(server, tool, arguments, Read(kept, data, read.links)))
    whole = len(kept) == len(read.text)
    cut = "" if whole else f"; {len(read.text):,} characters came, and the rest is left out: ask for less"
    texts = len(evidence) - len(links)
    parts = f" in {texts} parts" if texts > 1 else ""
    return ToolOutput(
        summary=f"{server}: {tool} returned {len(kept):,} characters{parts}{cut}", data=out, evidence=evidence
    )


def pieces(server: str, tool: str, arguments: Mapping[str, Any], read: Read) -> Iterator[Evidence]:
    """A result as pieces of evidence, the first of which holds its data; then its links, one each."""
    said = ", ".join(f"{name}={shorten(value)}" for name, value in arguments.items())
    title, locator = f"{server}: {tool}", f"{server}/{tool}({said})"
    texts = list(split(read.text, PIECE_CHARS)) or [""]
    first = next((url for _, url in read.links if ADDRESS.fullmatch(url)), None)
    for number, text in enumerate(texts, 1):
        yield Evidence(
            kind="tool",
            title=title if len(texts) == 1 else f"{title}, part {number} of {len(texts)}",
            locator=locator,
            url=first,
            excerpt=text,
            data=read.data if number == 1 else None,
        )
    for name, url in read.links:
        yield Evidence(
            kind="tool", title=name, locator=url, url=url if ADDRESS.fullmatch(url) else None, excerpt=f"{name}: {url}"
        )


def split(text: str, most: int) -> Iterator[str]:
    """A text in pieces of at most so many characters, cut after a line, else after a blank or comma, where there is one
    in the second half: a number that is cut in two is another number."""
    while len(text) > most:
        ends = (text.rfind("\n", most // 2, most), text.rfind(" ", most // 2, most), text.rfind(",", most // 2, most))
        end = ends[0] + 1 or max(ends) + 1 or most
        yield text[:end]
        text = text[end:]
    if text:
        yield text


def shorten(value: Any) -> str:
    """An argument on one line."""
    line = " ".join((value if isinstance(value, str) else json.dumps(value, default=str)).split())
    return line if len(line) <= ARGUMENT_CHARS else f"{line[: ARGUMENT_CHARS - 1]}…"
