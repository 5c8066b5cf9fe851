"""The web as it lies on this machine: pages that were fetched, sites that were crawled, and a folder of saved pages."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache
from html import unescape
from pathlib import Path
from weakref import WeakKeyDictionary

from workers.contracts import rfc3339
from workers.settings.load import Settings
from workers.sources.connections.index_warmup import Warmer
from workers.sources.connections.multi_index_search import Survey, ask_all, open_all
from workers.sources.connections.open_sources import Source, doc_sources, open_documents, source
from workers.sources.documents.index import DocHit, DocIndex
from workers.sources.web.page_reading import markdown_of
from workers.sources.web.saved_pages import SavedPage, SavedPages
from workers.sources.web.search_apis import SNIPPET_CHARS, WebResult

FOLDER = "web"
EXCERPT_LINES, SECTIONS_A_PAGE = 10, 3
HEAD_BYTES = 20_000
SUFFIXES = (".html", ".htm", ".xhtml")
BROWSER_MARK = re.compile(r"saved from url=\(\d{1,6}\)(https?://\S{1,2000})")
SINGLE_FILE_MARK = re.compile(r"\surl: {1,4}(https?://\S{1,2000})")


class SavedPageIndex:
    """An index of saved pages. Safe to share between threads."""

    def __init__(self, settings: Settings) -> None:
        self.saved = SavedPages(settings.home / FOLDER)
        self.home, self.own = settings.home, settings.core.saved_pages.path
        sites = tuple(s for s in doc_sources(settings) if s.kept and s.kept.kind == "site")
        self.shelf = open_documents(sites, self.folders)
        self.warmer = Warmer(self.shelf, lambda index, question: index.find(question, 1))
        self.known: WeakKeyDictionary[DocIndex, dict[str, int]] = WeakKeyDictionary()

    def folders(self) -> tuple[Source, ...]:
        """The folder of pages that were fetched, once there is one, and the one that is configured."""
        found = [(self.saved.pages, "fetched pages")] if self.saved.pages.is_dir() else []
        found += [(Path(self.own), "saved pages")] if self.own else []
        return tuple(source(self.home, path, name, "docs") for path, name in found)

    def search(self, query: str, limit: int) -> tuple[list[WebResult], Survey[DocHit], tuple[str, ...]]:
        """Pages for a query, best first, each by the section that fits best.

        Returns: the pages, what of the query was found, and a sentence for each source that cannot be read, or is old.

        Raises:
            ToolUnavailable: there are sources, and none can be read.
        """
        opened, problems = open_all(self.shelf)
        most = limit * SECTIONS_A_PAGE
        survey = ask_all(opened, lambda index: index.find(query, most, max_lines=EXCERPT_LINES), most, problems)
        pages: dict[str, WebResult] = {}
        for one, hit in survey.hits if survey.likely else ():
            result = self.result(one, hit)
            pages.setdefault(result.url.partition("#")[0], result)
        return list(pages.values())[:limit], survey, problems

    def result(self, one: Source, hit: DocHit) -> WebResult:
        """A section as a search of the web shows a page."""
        snippet = hit.excerpt.strip()[:SNIPPET_CHARS]
        page = self.saved.of_file(hit.path) if one.path == self.saved.pages.resolve() else None
        if page:
            return WebResult(page.title, page.url, snippet, page.published)
        address = hit.url if one.kept else origin_of_file(one.path / hit.path) or hit.url
        return WebResult(hit.title, address, snippet)

    def read(self, address: str) -> SavedPage | None:
        """The page that is saved for an address; None when none is. Raises: ToolUnavailable: no source can be read."""
        if found := self.saved.load(address):
            return found
        wanted = address.partition("#")[0].rstrip("/")
        for one, index in open_all(self.shelf)[0]:
            number = self.addresses(one, index).get(wanted)
            if number is not None:
                record = index.records[number]
                text = markdown_of(index.lines_of(number), record.sections if record.extracted else ())
                at = datetime.fromtimestamp(record.mtime_ns / 1e9, UTC)
                return SavedPage(address, record.title, text, rfc3339(at))
        return None

    def addresses(self, one: Source, index: DocIndex) -> dict[str, int]:
        """Where the pages of an index come from, and each one's number."""
        if index not in self.known:
            found: dict[str, int] = {}
            for number, record in enumerate(index.records):
                path = one.path / record.path
                origin = record.address or origin_of_file(path)
                for name in filter(None, (origin, path.as_uri())):
                    found.setdefault(name.partition("#")[0].rstrip("/"), number)
            self.known[index] = found
        return self.known[index]

    def describe(self) -> str:
        """How many pages there are, in words. Raises: ToolUnavailable: no source can be read."""
        opened, problems = open_all(self.shelf)
        counts = [f"{one.name} {len(index.records):,}" for one, index in opened]
        return "; ".join((*counts, *problems)) or "no page is saved yet"


@lru_cache(maxsize=4_096)
def origin_of_file(path: Path) -> str:
    """The address that a saved page of HTML comes from: its own link, or the mark of a browser or of SingleFile; else
    empty.
    """
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415 - needed for folders of saved pages only

    if path.suffix.lower() not in SUFFIXES:
        return ""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
    link = LexborHTMLParser(head).css_first("link[rel=canonical]")
    said = (link.attributes.get("href") or "") if link else ""
    mark = BROWSER_MARK.search(head) or SINGLE_FILE_MARK.search(head)
    return said if said.startswith(("https://", "http://")) else unescape(mark[1]) if mark else ""
