"""A link's path written anew in the way it was written before: short, relative, from the root; encoded as it was."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote, unquote

from workers.agents.memory.source.vault.link_paths import LinkPaths
from workers.agents.memory.source.vault.note_links import ESCAPED, Link
from workers.agents.memory.source.vault.note_paths import bare, folder_of, is_note, joined, key_of, name_of, relative

KEPT_ASCII = "/!$&'*+,;=:@()-._~"
UNSAFE = re.compile(r"[\x00-\x20%<>\"\\^`{|}#?\u00a0]")
PARENTHESES = re.compile(r"[()]")


@dataclass(frozen=True)
class Place:
    """A link's source and target before a move, and after it."""

    old_source: str
    old_target: str
    source: str
    target: str


def names_suffix(path: str) -> bool:
    """Whether a link names a note with its suffix."""
    return is_note(path)


def strictly(path: str, source: str) -> str:
    """The path that a link names when it is read as an address, as code hosts do; it may lead out of the vault."""
    if path.startswith("/"):
        return joined("", path)
    folder = folder_of(source)
    return posixpath.normpath(f"{folder}/{path}" if folder else path)


def leads_strictly(path: str, source: str, target: str) -> bool:
    """Whether a link leads to a file when it is read as an address; a note's suffix may be left out."""
    found = key_of(strictly(path, source))
    return found in {key_of(target), key_of(bare(target))}


def candidates(link: Link, place: Place, *, addresses: bool) -> Iterator[str]:
    """Ways to write a link's path after a move, the one that is like the old one first.

    Args:
        link: as it was written.
        place: where it stands and leads, before and after.
        addresses: Markdown links of this vault are relative addresses, where they can be.
    """
    written = link.path
    full = place.target if names_suffix(written) or not is_note(place.target) else bare(place.target)
    near = relative(full, folder_of(place.source))
    dotted = near if near.startswith("../") else f"./{near}"
    strict = leads_strictly(written, place.old_source, place.old_target)
    if written.startswith("/"):
        yield f"/{full}"
    elif written.startswith(("./", "../")):
        yield from (dotted,) if written.startswith("./") or near.startswith("../") else (near, dotted)
    elif addresses and strict and link.style in {"markdown", "definition"}:
        yield from (near, dotted)
    elif "/" in written:
        if key_of(written) in {key_of(place.old_target), key_of(bare(place.old_target))}:
            yield full
        elif strict:
            yield from (near, dotted)
        else:
            yield "/".join(full.split("/")[-written.count("/") - 1 :])
    else:
        yield name_of(full)
    yield from (full, f"/{full}", place.target, f"/{place.target}")


def spell(link: Link, place: Place, after: LinkPaths, *, addresses: bool) -> str | None:
    """The path of a link after a move, decoded; None when no way to write it leads to its target."""
    for path in candidates(link, place, addresses=addresses):
        if after.resolve(path, place.source) == place.target:
            return path
    return None


def encoded(path: str, link: Link, raw: str) -> str:
    """A decoded path as the link writes paths.

    Args:
        path: the new path.
        link: what is rewritten.
        raw: its path as it was written; parts that stay are written as they were.
    """
    if link.style in {"wikilink", "property"}:
        return path
    if link.angle:
        return path.replace("<", "%3C").replace(">", "%3E")
    known = {unquote(ESCAPED.sub(r"\1", part)): part for part in raw.split("/")}
    foreign = any(ord(c) > 127 for c in unquote(raw)) and raw.isascii()
    return "/".join(known.get(part) or encoded_part(part, foreign=foreign) for part in path.split("/"))


def encoded_part(part: str, *, foreign: bool) -> str:
    """One name of an address: only what would end or change it is encoded, with ``foreign`` letters of others too."""
    if foreign:
        return PARENTHESES.sub(lambda m: quote(m[0], safe=""), quote(part, safe=KEPT_ASCII))
    return PARENTHESES.sub(lambda m: quote(m[0], safe=""), UNSAFE.sub(lambda m: quote(m[0]), part))
