"""What exports and crawls make of names: Notion's ids, Confluence's contents, the pages of a mirrored site."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from urllib.parse import quote, unquote, urlsplit

NOTION_ID = re.compile(r"[ _-]([0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?=$|[./])", re.IGNORECASE)
HOST = re.compile(
    r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,24}(?:[:+]\d{1,5})?|localhost(?:[:+]\d{1,5})?|(?:\d{1,3}\.){3}\d{1,3}(?:[:+]\d{1,5})?"
)
NO_HOSTS = frozenset("md txt rst html htm js ts py go rs java zip pdf json yaml yml adoc d git app".split())
PAGES = frozenset({".html", ".htm", ".xhtml"})
INDEX = re.compile(r"(?:^|/)index\.x?html?$", re.IGNORECASE)


def without_ids(path: str) -> str:
    """A path or name without the ids that Notion puts at the ends of names."""
    return NOTION_ID.sub("", path)


def notion_crumbs(path: str) -> tuple[str, ...]:
    """The pages that a page of a Notion export lies under, by its folders; empty for other files."""
    folders = PurePosixPath(path).parts[:-1]
    if not NOTION_ID.search(PurePosixPath(path).stem):
        return ()
    first = next((i for i, name in enumerate(folders) if NOTION_ID.search(name)), len(folders))
    return tuple(without_ids(name) for name in folders[first:])


def is_contents(path: str, source: bytes) -> bool:
    """True for the page of contents of a Confluence space export."""
    return bool(INDEX.search(path)) and b"Available Pages:" in source and b"pageSection" in source


def read_contents(source: bytes) -> dict[str, tuple[str, ...]]:
    """The pages of a Confluence export by file name, each with the titles of the pages above it, outermost first."""
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415 - needed when a page changed, not to search

    out: dict[str, tuple[str, ...]] = {}
    tree = LexborHTMLParser(source.decode("utf-8", "replace"))
    for link in tree.css("li > a[href]"):
        above = []
        node = link.parent
        while (node := node.parent if node else None) is not None:
            if node.tag == "li" and (title := node.css_first("a[href]")):
                above.append(" ".join(title.text().split()))
        target = unquote(link.attributes.get("href") or "").partition("#")[0]
        if target and "/" not in target:
            out.setdefault(target, tuple(reversed(above)))
    return out


def is_mirror(paths: Iterable[str]) -> bool:
    """True when all of a folder is web pages below the names of their hosts, as a crawl lays them."""
    places = [PurePosixPath(path).parts for path in paths]
    hosts = {parts[0] for parts in places if parts}
    return bool(hosts) and all(len(parts) > 1 for parts in places) and all(map(is_host, hosts))


def is_host(name: str) -> bool:
    """True for the name of a host, with a port or without."""
    bare = name.lower().replace("+", ":").partition(":")[0]
    return bool(HOST.fullmatch(name.lower())) and bare.rpartition(".")[2] not in NO_HOSTS


def page_address(path: str, canonical: str = "") -> str:
    """The address of a mirrored page: the one that it gives itself when that is of its host, else by its place."""
    host, _, rest = path.partition("/")
    host = host.replace("+", ":")
    try:
        said = urlsplit(canonical)
        if said.scheme in {"http", "https"} and said.netloc.lower() == host.lower() and not said.fragment:
            return canonical
    except ValueError:
        pass
    place = INDEX.sub("/", f"/{rest}") if INDEX.search(rest) else f"/{rest}"
    name, mark, asked = place.partition("?")
    asked = re.sub(r"\.html?$", "", asked)
    local = host == "localhost" or host.startswith(("localhost:", "127."))
    return f"{'http' if local else 'https'}://{host}{quote(unquote(name), safe='/~@:+,;=()!$&*')}{mark}{asked}"
