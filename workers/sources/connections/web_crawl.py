"""Web pages of one listed site, saved as files: the same host and folder only, as robots.txt allows, one at a time."""

from __future__ import annotations

import json
import os
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import httpx

from workers.errors import ToolDenied, ToolUnavailable
from workers.settings.remote_addresses import Remote, read_site_address
from workers.sources.connections.local_copies import LocalCopy, write_json
from workers.sources.connections.remote_git import Progress
from workers.sources.connections.web_pages import file_of, links_of, read_page, signed, within
from workers.sources.web.address_rules import AddressRules, bracketed
from workers.sources.web.addresses import SCHEME_PORTS
from workers.sources.web.http_client import Answer, ask, open_client
from workers.sources.web.page_fetch import REDIRECTS
from workers.sources.web.page_reading import HTML
from workers.sources.web.robots import FORBIDDEN, Robots, read_robots
from workers.sources.web.text_encoding import as_utf8

ACCEPT = "text/html,application/xhtml+xml"
KNOWN = "pages.json"
TIMEOUT_S = 60.0
MAX_BYTES = 3_000_000
MOST_FAILURES = 5
LONGEST_WAIT_S = 60.0
MOST_WAITS = 5


@dataclass
class Crawl:
    """One crawl on its way. ``known``: what the last one saved, by address; ``saved``: what this one has."""

    kept: LocalCopy
    start: Remote
    folder: Path
    client: httpx.Client
    robots: Robots
    known: dict[str, dict[str, str]]
    saved: dict[str, dict[str, str]] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)
    asked: int = 0
    waits: int = 0

    @property
    def pause_s(self) -> float:
        """Seconds between two requests: ours, or what robots.txt asks for."""
        return max(self.kept.pause_s, self.robots.pause_s)


def client_for(kept: LocalCopy, start: Remote) -> httpx.Client:
    """A client that reaches public addresses and, when that is said, a private one of the site itself."""
    port = start.port or SCHEME_PORTS[start.scheme]
    named = {f"{bracketed(start.host)}:{port}"} if kept.private else set()
    return open_client(AddressRules(frozenset({*SCHEME_PORTS.values(), port}), frozenset(named)), ACCEPT)


@contextmanager
def reached() -> Iterator[None]:
    """What may not be reached is not there. Raises: ToolUnavailable: that happened."""
    try:
        yield
    except ToolDenied as error:
        raise ToolUnavailable(f"{str(error).partition(';')[0]}; with private: true it is read") from error


def robots_of(client: httpx.Client, start: Remote) -> Robots:
    """What the site allows. Raises: ToolUnavailable: that cannot be read."""
    with reached():
        return read_robots(client, f"{start.scheme}://{start.server}", TIMEOUT_S)


def probe(kept: LocalCopy) -> str:
    """Whether a site answers and may be read, in words. Raises: ToolUnavailable: it does not, or forbids it."""
    start = read_site_address(kept.address)
    with client_for(kept, start) as client:
        if not robots_of(client, start).allows(within(kept.address, start)):
            raise ToolUnavailable(FORBIDDEN)
    return "answers, and its robots.txt allows reading it"


def crawl(kept: LocalCopy, folder: Path, progress: Progress) -> str:
    """Bring the saved pages of a site up to date.

    Pages lie at ``folder/HOST/path/index.html`` with the moment that the server names, and begin with their address;
    ``pages.json`` beside the folder maps addresses to files. A page that is gone is removed; one that cannot be read
    this time stays as it was.

    Args:
        kept: the site, whose lock this process holds.
        folder: made when missing.
        progress: told how far it is.

    Returns:
        Something worth knowing, or nothing.

    Raises:
        ToolUnavailable: the site does not answer, or forbids it; what was saved before still is.
    """
    start = read_site_address(kept.address)
    first = within(kept.address, start)
    with client_for(kept, start) as client:
        run = Crawl(kept, start, folder, client, robots_of(client, start), read_known(kept))
        if not run.robots.allows(first):
            raise ToolUnavailable(FORBIDDEN)
        more = walk(run, first, progress)
    if not run.saved:
        raise ToolUnavailable("no page of it can be read: it leads to another site, or wants not to be indexed")
    finish(run)
    return f"more than {kept.pages} pages (pages): the rest is left out" if more else ""


def walk(run: Crawl, first: str, progress: Progress) -> bool:
    """Follow links from the first page, nearest first. Returns: whether any were left out. Raises: ToolUnavailable."""
    waiting, seen, failures = deque([first]), {first}, 0
    while waiting and len(run.saved) < run.kept.pages:
        address = waiting.popleft()
        if not run.robots.allows(address):
            continue
        try:
            found = list(visit(run, address))
            failures = 0
        except ToolUnavailable:
            failures += 1
            if address == first or failures >= MOST_FAILURES:
                raise
            found = keep_old(run, address)
        fresh = [link for link in found if link not in seen]
        seen.update(fresh)
        waiting.extend(fresh)
        done = len(run.saved)
        progress("crawled", 100 * done // max(min(done + len(waiting), run.kept.pages), 1))
    return bool(waiting)


def visit(run: Crawl, address: str) -> Iterator[str]:
    """Read one page and save it. Yields: addresses to go on with. Raises: ToolUnavailable: no answer to be used."""
    old = run.known.get(address, {})
    conditions = {"if-none-match": old.get("etag", ""), "if-modified-since": old.get("modified", "")}
    stored = run.folder / old["file"] if old else None
    answer = get(run, address, {k: v for k, v in conditions.items() if v} if stored and stored.is_file() else {})
    status, headers = answer.status, answer.headers
    if status == 304 and stored:
        yield from save(run, address, old, stored.read_bytes(), changed=False)
    elif status in REDIRECTS:
        target = within(urljoin(address, headers.get("location", "")), run.start)
        if target and target != address:
            yield target
    elif status == 200 and answer.content_type in HTML:
        name = file_of(address)
        if name and answer.whole:
            page = signed(as_utf8(answer.body, headers.get("content-type", "")), address)
            entry = {"file": name, "etag": headers.get("etag", ""), "modified": headers.get("last-modified", "")}
            yield from save(run, address, entry, page, changed=True)
    elif status >= 500 or status == 429:
        raise ToolUnavailable(f"{address} answers {status}")
    elif address == within(run.kept.address, run.start):
        raise ToolUnavailable(f"{address} answers {status}" if status != 200 else f"{address} is no HTML page")


def get(run: Crawl, address: str, headers: dict[str, str]) -> Answer:
    """One request after a pause, again when the server asks to wait. Raises: ToolUnavailable: no answer."""
    while True:
        if run.asked:
            time.sleep(run.pause_s)
        run.asked += 1
        with reached():
            answer = ask(run.client, address, MAX_BYTES, TIMEOUT_S, headers)
        again = answer.headers.get("retry-after", "")
        if answer.status not in {429, 503} or not again.isdecimal() or run.waits >= MOST_WAITS:
            return answer
        run.waits += 1
        time.sleep(min(float(again), LONGEST_WAIT_S))


def save(run: Crawl, address: str, entry: dict[str, str], page: bytes, *, changed: bool) -> Iterator[str]:
    """Write a page where its address belongs, unless it is there already. Yields: its links."""
    read = read_page(page.decode("utf-8", "replace"))
    if read.index and entry["file"] not in run.files:
        if changed and not put(run.folder / entry["file"], page, entry["modified"]):
            return
        run.files.add(entry["file"])
        run.saved[address] = entry
    yield from links_of(read, address, run.start)


def put(path: Path, page: bytes, modified: str) -> bool:
    """Write a file when its content is another one; False when a file stands where its folder should, or vice versa."""
    try:
        if path.is_file() and path.read_bytes() == page:
            return True
        path.parent.mkdir(parents=True, exist_ok=True)
        unseen = path.with_name(f".{os.getpid()}.part")
        unseen.write_bytes(page)
        with suppress(ValueError, TypeError, OverflowError):
            at = parsedate_to_datetime(modified).timestamp()
            os.utime(unseen, (at, at))
        unseen.replace(path)
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        return False
    except OSError as error:
        raise ToolUnavailable(f"{path.parent} cannot be written: {error.strerror}") from error
    return True


def keep_old(run: Crawl, address: str) -> list[str]:
    """A page that cannot be read now stays as it was. Returns: its links."""
    old = run.known.get(address)
    if not old or not (run.folder / old["file"]).is_file():
        return []
    return list(save(run, address, old, (run.folder / old["file"]).read_bytes(), changed=False))


def finish(run: Crawl) -> None:
    """Remove what is no longer a page of the site, and write down what is. Raises: ToolUnavailable."""
    for path in [p for p in run.folder.rglob("*") if p.is_file()]:
        if path.relative_to(run.folder).as_posix() not in run.files:
            path.unlink(missing_ok=True)
    write_json(run.kept.folder / KNOWN, run.saved)


def read_known(kept: LocalCopy) -> dict[str, dict[str, str]]:
    """What the last crawl wrote down."""
    try:
        found: Any = json.loads((kept.folder / KNOWN).read_bytes())
    except (OSError, ValueError):
        return {}
    keys = {"file", "etag", "modified"}
    return {a: e for a, e in found.items() if keys <= set(e) and file_of(a) == e["file"]}
