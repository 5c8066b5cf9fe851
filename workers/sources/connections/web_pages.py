"""A web page -> the links to follow and what it says to robots; its address -> where it is put."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser
from pathlib import PurePosixPath
from urllib.parse import quote, unquote, urljoin, urlsplit, urlunsplit

from workers.settings.remote_addresses import Remote

LONGEST_PART, MOST_PARTS = 120, 20
PAGE_NAMES = (".html", ".htm", ".xhtml")
NO_PAGES = re.compile(
    r"\.(png|jpe?g|gif|svg|webp|ico|css|js|mjs|json|xml|txt|pdf|zip|gz|tgz|bz2|xz|exe|dmg|deb|rpm|woff2?|ttf|mp4|webm|mp3"
    r"|csv|ya?ml|whl|jar|ipynb)$",
    re.IGNORECASE,
)


@dataclass
class Page:
    """What a page says: links as they stand in it, the base they start from, and its words to robots."""

    links: list[str] = field(default_factory=list)
    base: str = ""
    index: bool = True
    follow: bool = True


class LinkReader(HTMLParser):
    """Collects the links of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = Page()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An opening tag."""
        given = {name: value or "" for name, value in attrs}
        if tag == "a" and "href" in given and "nofollow" not in given.get("rel", "").lower().split():
            self.page.links.append(given["href"])
        elif tag == "base" and not self.page.base:
            self.page.base = given.get("href", "")
        elif tag == "meta" and given.get("name", "").lower() == "robots":
            said = {word.strip() for word in given.get("content", "").lower().split(",")}
            self.page.index = self.page.index and not said & {"noindex", "none"}
            self.page.follow = self.page.follow and not said & {"nofollow", "none"}


def read_page(text: str) -> Page:
    """Read HTML, however broken it is."""
    reader = LinkReader()
    try:
        reader.feed(text)
        reader.close()
    except AssertionError:  # html.parser's answer to some broken declarations
        return reader.page
    return reader.page


def links_of(page: Page, address: str, start: Remote) -> list[str]:
    """Addresses of the same site that a page links to, once each, in their order."""
    if not page.follow:
        return []
    found: dict[str, None] = {}
    for link in page.links:
        try:
            whole = urljoin(urljoin(address, page.base), link.strip())
        except ValueError:
            continue
        known = within(whole, start)
        if known:
            found[known] = None
    return list(found)


def within(address: str, start: Remote) -> str:
    """An address in one spelling when it is a page of the site that begins at ``start``, else nothing.

    Pages with a query are left out: there may be any number of them.
    """
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return ""
    server = f"{(parts.hostname or '').lower()}:{port or 0}"
    wanted = (f"{start.host}:{start.port}", f"{start.host}:{start.port or {'https': 443, 'http': 80}[start.scheme]}")
    if parts.scheme.lower() != start.scheme or server not in wanted or parts.username or parts.query:
        return ""
    path = quote(unquote(parts.path or "/"), safe="/!$&'()*+,;=:@-._~")
    if not is_below(path, start.path) or ".." in PurePosixPath(unquote(path)).parts or NO_PAGES.search(path):
        return ""
    return urlunsplit((start.scheme, start.server, path, "", ""))


def is_below(path: str, start: str) -> bool:
    """Whether a path is the start, or in its folder: ``/guide/`` and ``/guide/index.html`` both begin ``/guide/``."""
    if start.endswith(PAGE_NAMES):
        start = start.rpartition("/")[0] + "/"
    folder = start if start.endswith("/") else start + "/"
    return path == start.rstrip("/") or path.startswith(folder) or path == start


def file_of(address: str) -> str:
    """Where a page is put, with slashes: ``HOST/path/index.html``; empty when its path is too long for a file."""
    parts = urlsplit(address)
    path = unquote(parts.path)
    if path.endswith("/") or not path:
        path += "index.html"
    elif not path.endswith(PAGE_NAMES):
        path += "/index.html"
    names = [parts.netloc, *filter(None, path.split("/"))]
    good = len(names) <= MOST_PARTS and all(
        len(n.encode()) <= LONGEST_PART and n not in {".", ".."} and n.isprintable() and "\\" not in n for n in names
    )
    return "/".join(names) if good else ""


def signed(page: bytes, address: str) -> bytes:
    """A page in UTF-8 that begins with its own address, for whoever reads it from the disk and wants to link to it."""
    mark = page[:3] if page.startswith(BOM_UTF8) else b""
    return mark + f'<link rel="canonical" href="{escape(address)}">\n'.encode() + page.removeprefix(BOM_UTF8)
