"""A second, slow reading of a vault, which shares no code with the one that is tested: blocks by markdown-it, links by
plain patterns, targets by walking a list of all paths.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from markdown_it import MarkdownIt

MARKDOWN = MarkdownIt("commonmark").enable("table")
CODE = re.compile(r"(?<![`\\])(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
HIDDEN = re.compile(r"<!--.*?-->|%%.*?%%|\$\$.*?\$\$|\\\[|(?<!\()<[a-zA-Z/][^<>]*>", re.DOTALL)
WIKI = re.compile(r"\[\[([^\[\]\n]+)\]\]")
DESTINATION = r"\(\s*(<[^<>\n]*>|(?:[^\s()<]|\([^\s()]*\))+)(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)"
INLINE = re.compile(rf"\]{DESTINATION}")
COMMENT_BLOCK = re.compile(r"^%%(?:(?!%%).)*?%%", re.DOTALL | re.MULTILINE)
PROPERTY = re.compile(r"([\"'])\[\[([^\[\]\n\"]+)\]\]\1")


class Found(NamedTuple):
    """A link: its kind, and its path as written, decoded."""

    kind: str
    path: str


def read_vault(root: Path) -> dict[str, bytes]:
    """All files that are not hidden."""
    out = {}
    for place in root.rglob("*"):
        parts = place.relative_to(root).parts
        if place.is_file() and not any(part.startswith(".") for part in parts):
            out["/".join(parts)] = place.read_bytes()
    return out


@lru_cache(maxsize=50_000)
def links_in(raw: bytes) -> tuple[Found, ...]:
    """The links of a note, in the order of their kinds; links to places in the note itself are left out."""
    text = raw.decode("utf-8", "surrogateescape").removeprefix("\ufeff").replace("\r\n", "\n")
    front, body = divided(text)
    found = [Found("property", target_of(m[2])) for m in PROPERTY.finditer(front)]
    body = COMMENT_BLOCK.sub(lambda m: "\n" * m[0].count("\n"), body)
    environment: dict[str, dict[str, dict[str, str]]] = {}
    for token in MARKDOWN.parse(body, environment):
        if token.type == "inline":
            content = HIDDEN.sub(" ", CODE.sub(" ", token.content))
            found += [Found("wikilink", target_of(m[1])) for m in WIKI.finditer(content)]
            rest = WIKI.sub(" ", content)
            found += [Found("markdown", path) for m in INLINE.finditer(rest) if (path := address_of(m[1]))]
    for reference in environment.get("references", {}).values():
        if path := address_of(reference["href"]):
            found.append(Found("definition", path))
    return tuple(one for one in found if one.path)


def divided(text: str) -> tuple[str, str]:
    """Front matter and body."""
    lines = text.split("\n")
    if lines[0].rstrip() == "---" and text.startswith("---"):
        for i in range(1, len(lines)):
            if lines[i].rstrip() == "---":
                return "\n".join(lines[:i]), "\n".join(lines[i + 1 :])
    return "", text


def target_of(inner: str) -> str:
    """What a wikilink names."""
    return inner.partition("|")[0].partition("#")[0].removesuffix("\\").strip()


def address_of(written: str) -> str:
    """What a Markdown link names; empty for the web."""
    written = written.removeprefix("<").removesuffix(">")
    if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]+:|//", written):
        return ""
    return unquote(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", written.partition("#")[0]))


def lowered(path: str) -> str:
    """A path in small letters."""
    return unicodedata.normalize("NFC", path.replace("\u00a0", " ")).lower()


class Targets:
    """What links lead to, found by going through all files of the same name."""

    def __init__(self, paths: list[str]) -> None:
        self.named: dict[str, list[str]] = {}
        for path in paths:
            self.named.setdefault(lowered(path).rpartition("/")[2], []).append(path)

    def of(self, path: str, source: str) -> str:
        """The file; empty when there is none."""
        here = lowered(source).split("/")[:-1]
        written = lowered(path).strip()
        *_, name = written.split("/")
        same = self.named.get(name, []) if "." in name else []
        if not same:
            written += ".md"
            same = self.named.get(name + ".md", [])
        if "/" not in written and len(same) == 1:
            return same[0]
        rooted = written.startswith("/")
        if written.partition("/")[0] in {".", ".."}:
            stack = list(here)
            for part in written.split("/"):
                if part == "..":
                    stack = stack[:-1]
                elif part not in {".", ""}:
                    stack.append(part)
            written = "/".join(stack)
        written = written.lstrip("/")
        for one in sorted(same):
            if lowered(one) == written:
                return one
        if rooted:
            return ""
        fitting = [one for one in same if lowered(one).endswith(written)]
        below = [one for one in fitting if here and lowered(one).startswith("/".join(here) + "/")]
        return min(below or fitting, key=lambda one: (len(one), one), default="")


def led(vault: dict[str, bytes], targets: Targets) -> dict[str, Counter[tuple[str, str]]]:
    """For each note: how often it links to what, by kind of link."""
    out = {}
    for path, raw in vault.items():
        if path.lower().endswith(".md"):
            out[path] = Counter((one.kind, target) for one in links_in(raw) if (target := targets.of(one.path, path)))
    return out


PATHS_WRITTEN = re.compile(
    rb"(\[\[)[^\]|#\n]*|(\](?:\(|:)[ \t]*<)[^>#\n]*|(\]\(\s*)(?!<)[^)#\s]*|(^ {0,3}\[[^\]\n]+\]:[ \t]*)(?!<)[^#\s]*",
    re.MULTILINE,
)


def without_paths(raw: bytes) -> bytes:
    """A note with nothing in the place of every path of every link, or of what looks like one."""
    return PATHS_WRITTEN.sub(lambda m: m[m.lastindex or 0], raw)


def faults(before: dict[str, bytes], after: dict[str, bytes], mapping: dict[str, str]) -> list[str]:
    """What a move did that it must not do: one sentence each."""
    expected = {mapping.get(path, path) for path in before}
    if expected != set(after):
        return [f"files: {sorted(expected ^ set(after))[:5]}"]
    out = []
    old, new = led(before, Targets(list(before))), led(after, Targets(list(after)))
    for path, links in old.items():
        moved = mapping.get(path, path)
        wanted = Counter({(kind, mapping.get(target, target)): n for (kind, target), n in links.items()})
        if wanted - new[moved]:
            out.append(f"{path}: a link leads elsewhere: {dict(wanted - new[moved])} {dict(new[moved] - wanted)}")
        if before[path] is not after[moved] and without_paths(before[path]) != without_paths(after[moved]):
            out.append(f"{path}: more than paths of links changed")
    for path, raw in before.items():
        if not path.lower().endswith(".md") and after[mapping.get(path, path)] != raw:
            out.append(f"{path}: an attachment changed")
    return out
