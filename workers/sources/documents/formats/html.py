"""HTML: the text of a page's main part a block a line, without navigation, scripts, headers and footers."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from urllib.parse import quote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from workers.sources.documents.document import Document, Heading, Link, Unreadable, cut, title_of
from workers.sources.documents.formats.plain import text_items

DROPPED = frozenset(
    "script style noscript template svg math nav footer form button select iframe object canvas head dialog".split()
)
CHROME = frozenset(
    "navbar sidebar-nav sphinxsidebar sphinxsidebarwrapper footer site-footer page-footer related headerlink"
    " anchorjs-link header-anchor hash-link heading-anchor breadcrumb breadcrumbs wy-breadcrumbs breadcrumb-section"
    " toc table-of-contents"
    " on-this-page skip-link skip-nav skip-to-content pagination prev-next prev-next-area rst-footer-buttons edit-page"
    " edit-this-page theme-edit-this-page cookie-banner linenos lineno page-metadata search-box searchbox".split()
)
ROLES = frozenset({"navigation", "search", "banner", "contentinfo", "menu"})
MAIN = ("#main-content", "main", "[role=main]", "article", "#content", "#main", ".content", ".document")
BLOCKS = frozenset(
    "address article aside blockquote body center dd details div dl dt fieldset figcaption figure h1 h2 h3 h4 h5 h6"
    " header hr html legend li main ol p pre section summary table tbody tfoot thead tr ul caption".split()
)
CLOSED_BY_THEMSELVES = frozenset(
    "area base body br col dd dt embed head hr html img input li link meta option p param source tbody td tfoot th"
    " thead tr track wbr path circle rect line use".split()
)
TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
MOST_DEEP = 4_000
CELLS = frozenset({"td", "th"})
PILCROW = re.compile(r"(?<!\s)\s*[¶#§\uf0c1🔗]\s*$")
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
WITHIN_CELL = frozenset("p div section article span figure center".split())
CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w-]+)", re.IGNORECASE)
SPACE = re.compile(r"[ \t\r\n\f]+")
CRUMBS = "#breadcrumbs li, .breadcrumbs li, .breadcrumb li, .wy-breadcrumbs li, [aria-label=breadcrumb] li"
ACTION = re.compile(r"(edit|view|improve|suggest|report|show)\b.{0,200}\b(on|page|source)\b", re.IGNORECASE)
TRAIL = re.compile(r"(?<!\s)\s+(?:[|–—·»]|-|::)\s+")


@dataclass
class Page:
    """Lines on the way, and what stands in them. ``ids`` are those of elements that begin where the next line will."""

    lines: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    depth: int = 0
    cells: int = 0
    verbatim: int = 0
    item: bool = False
    heading: bool = False

    @property
    def empty(self) -> bool:
        """True when nothing stands in the line that is being filled."""
        return not any(word.strip() for word in self.words)

    def end_line(self) -> None:
        """Close the line that is being filled, if it holds anything."""
        text = "".join(self.words)
        self.words.clear()
        if self.verbatim:
            kept = text.replace("\r\n", "\n").strip("\n").split("\n") if text.strip() else []
        else:
            kept = [shown] if (shown := SPACE.sub(" ", text).strip()) else []
        for line in kept:
            start = "  " * max(self.depth - 1, 0) + ("- " if self.item else "  " * (self.depth > 0))
            self.lines.append(start + line)
            self.item = False
        if kept:
            self.ids.clear()


def read_html(path: str, source: bytes) -> Document:
    """The text of a page with its headings.

    Raises:
        Unreadable: nothing is left of it, or it is nested deeper than anyone writes.
    """
    text = decoded(source)
    if deepest(text) > MOST_DEEP:
        raise Unreadable("it is nested too deeply")
    tree = LexborHTMLParser(text)
    page = Page()
    root = main_part(tree)
    crumbs = tuple(
        t for n in tree.css(CRUMBS) if (t := SPACE.sub(" ", n.text()).strip(" >/›»")) and not ACTION.match(t)
    )
    if root is not None:
        walk(root, page)
    page.end_line()
    if not page.lines:
        raise Unreadable("it holds no text")
    title = page_title(path, tree, page)
    crumbs = tuple(dict.fromkeys(c for c in crumbs if c != title))
    sections = cut(title, page.headings, text_items(page.lines), len(page.lines))
    found = tree.css_first("link[rel=canonical]")
    address = (found.attributes.get("href") or "") if found else ""
    return Document(title, tuple(sections), tuple(page.lines), True, tuple(page.links), address, crumbs)


def deepest(text: str) -> int:
    """How deep elements are nested at most: a parser of HTML takes the square of it."""
    depth = most = 0
    for match in TAG.finditer(text):
        if match[2].lower() not in CLOSED_BY_THEMSELVES:
            depth = max(depth - 1, 0) if match[1] else depth + 1
            most = max(most, depth)
    return most


def main_part(tree: LexborHTMLParser) -> LexborNode | None:
    """The first element that is said to be the main part and holds most of the page's text, else the body."""
    body = tree.body
    if body is None:
        return tree.root
    for selector in MAIN:
        found = tree.css(selector)
        if len(found) == 1 and found[0].text().strip():
            return found[0]
    return body


def page_title(path: str, tree: LexborHTMLParser, page: Page) -> str:
    """The page's title without the site's name around it."""
    found = tree.css_first("title")
    named = SPACE.sub(" ", found.text()).strip() if found else ""
    first = next((h.text for h in page.headings if h.level == 1), "")
    if first and (not named or first.lower() in named.lower()):
        return first
    space, mark, rest = named.partition(" : ")
    if mark and tree.css_first("#title-text, #main-content, .pageSectionHeader"):
        return rest or space  # as Confluence exports it
    return title_of(path, page.headings, TRAIL.split(named)[0] if named else "")


def dropped(node: LexborNode) -> bool:
    """True for what frames the page: its navigation, scripts, search, footers, and the marks beside headings."""
    if node.tag in DROPPED:
        return True
    attributes = node.attributes
    if attributes.get("role") in ROLES or "hidden" in attributes or attributes.get("aria-hidden") == "true":
        return True
    named = f"{attributes.get('class') or ''} {attributes.get('id') or ''}".split()
    return node.tag not in {"html", "body", "main", "article"} and not CHROME.isdisjoint(named)


def decoded(source: bytes) -> str:
    """The text of a page: by its byte order mark, else by the encoding that it names, else UTF-8."""
    for mark, name in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if source.startswith(mark):
            return source[len(mark) :].decode(name, "replace")
    named = CHARSET.search(source[:4_000])
    try:
        return source.decode(named[1].decode() if named else "utf-8", "replace")
    except LookupError:
        return source.decode("utf-8", "replace")


def walk(root: LexborNode, page: Page) -> None:
    """Read a tree in order, without recursion: pages may be nested as deep as they like."""
    stack: list[tuple[LexborNode, bool]] = [(root, False)]
    while stack:
        node, done = stack.pop()
        tag = node.tag or ""
        if done:
            leave(node, tag, page)
        elif tag == "-text":
            page.words.append(node.text_content or "")
        elif not tag.startswith(("-", "!", "_")) and (node is root or not dropped(node)):
            enter(node, tag, page)
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(list(node.iter(include_text=True))))


def enter(node: LexborNode, tag: str, page: Page) -> None:
    """Begin an element."""
    if tag == "br":
        page.words.append("\n") if page.heading or page.cells or page.verbatim else page.end_line()
    elif tag in CELLS:
        page.words.append(" " if page.empty else " | ")
        page.cells += 1
    elif tag in BLOCKS:
        separate(tag, page)
    if tag in HEADINGS:
        page.end_line()
        page.heading = True
    elif tag in {"ul", "ol"}:
        page.depth += 1
    elif tag == "li":
        page.item = True
    elif tag == "pre":
        page.verbatim += 1
    own = node.attributes.get("id") or (node.attributes.get("name") if tag == "a" else None)
    if own and (page.heading or page.empty):
        page.ids.append(own)
    if tag == "a" and (target := node.attributes.get("href")):
        page.links.append(Link(len(page.lines) + 1, target, SPACE.sub(" ", node.text()).strip()))


def leave(node: LexborNode, tag: str, page: Page) -> None:
    """End an element."""
    if tag in HEADINGS:
        text = PILCROW.sub("", SPACE.sub(" ", "".join(page.words))).strip()
        page.words[:] = [text]
        if text:
            own = node.attributes.get("id")
            ids = tuple(dict.fromkeys([own, *page.ids] if own else page.ids))
            anchor = ids[0] if ids else f":~:text={quote(text[:80], safe='').replace('-', '%2D')}"
            page.headings.append(Heading(text, int(tag[1]), len(page.lines) + 1, anchor, names=ids))
        page.heading = False
        page.end_line()
    elif tag in CELLS:
        page.cells -= 1
    elif tag in BLOCKS:
        separate(tag, page)
    if tag in {"ul", "ol"}:
        page.depth -= 1
    elif tag == "li":
        page.item = False
    elif tag == "pre":
        page.verbatim -= 1


def separate(tag: str, page: Page) -> None:
    """Part a block from what stands before: by a new line, in a cell or a heading by a space."""
    if page.heading or (page.cells and tag in WITHIN_CELL):
        page.words.append(" ")
    else:
        page.end_line()
