"""Fetching a page: its address, its site's robots.txt and its redirects checked, one request a host at a time."""

from __future__ import annotations

from dataclasses import dataclass

import httpx

from workers.errors import ToolArgumentError, ToolDenied, ToolUnavailable
from workers.sources.web.address_rules import AddressRules
from workers.sources.web.addresses import read_web_address
from workers.sources.web.guarded_transport import Resolve, ends_within, resolve_name
from workers.sources.web.host_pacing import HostPacing
from workers.sources.web.http_client import Answer, ask, open_client
from workers.sources.web.page_reading import READ_TYPES
from workers.sources.web.robots import RobotsCache

ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.8,*/*;q=0.5"
REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True)
class FetchLimits:
    """``most_bytes`` of a page once it is unpacked; ``total_s`` for all requests of one fetch; ``pause_s`` between two
    fetches from one host; ``redirects`` that are followed.
    """

    most_bytes: int = 5_000_000
    total_s: float = 15.0
    pause_s: float = 1.0
    redirects: int = 5


@dataclass(frozen=True)
class FetchedPage:
    """What came: where it lies in the end, its media type with parameters, and its bytes."""

    url: str
    content_type: str
    body: bytes


class PageFetcher:
    """Fetches pages. One a process: it keeps connections, the rules of robots.txt and whom it asked when."""

    def __init__(
        self, rules: AddressRules, limits: FetchLimits, proxy: str = "", resolve: Resolve = resolve_name
    ) -> None:
        self.limits = limits
        self.client = open_client(rules, ACCEPT, proxy, resolve)
        self.robots = RobotsCache(self.client)
        self.pacing = HostPacing()

    def fetch(self, address: str) -> FetchedPage:
        """Fetch a page.

        Raises:
            ToolArgumentError: the address is none, or there is no such page.
            ToolDenied: it may not be reached, or its site does not want it read by programs.
            ToolUnavailable: the site does not answer, or with something that is not read.
        """
        url = read_web_address(address)
        with ends_within(self.limits.total_s):
            for hop in range(self.limits.redirects + 1):
                answer = self.visit(url, first=hop == 0)
                target = answer.headers.get("location", "")
                if answer.status not in REDIRECTS or not target:
                    return page_of(url, answer, self.limits.most_bytes)
                url = redirected(url, target)
        raise ToolUnavailable(f"{url.host} redirects more than {self.limits.redirects} times")

    def visit(self, url: httpx.URL, *, first: bool) -> Answer:
        """One request, when it is allowed and it is its turn."""
        total_s = self.limits.total_s
        robots = self.robots.check(url, total_s)
        if first:
            self.pacing.wait(url.host, max(self.limits.pause_s, robots.pause_s), total_s / 2)
        return ask(self.client, str(url), self.limits.most_bytes, total_s)


def redirected(url: httpx.URL, target: str) -> httpx.URL:
    """Where a redirect leads. Raises: ToolDenied: to no page."""
    try:
        return read_web_address(str(url.join(target)))
    except (httpx.InvalidURL, ToolArgumentError, ValueError) as error:
        raise ToolDenied(f"{url.host} redirects to an address that is not fetched") from error


def page_of(url: httpx.URL, answer: Answer, most_bytes: int) -> FetchedPage:
    """The page of an answer. Raises: ToolArgumentError, ToolUnavailable: it holds none."""
    if answer.status in {404, 410}:
        raise ToolArgumentError(f"{url.host} has no such page: it answers {answer.status}")
    if answer.status != 200:
        raise ToolUnavailable(f"{url.host} answers {answer.status}")
    if not answer.whole:
        raise ToolUnavailable(f"the page is larger than {most_bytes / 1_000_000:g} MB, so it is not read")
    if answer.content_type and not READ_TYPES.fullmatch(answer.content_type):
        raise ToolUnavailable(
            f"the page is of type {answer.content_type[:60]}, which is not read: text, HTML and PDF are"
        )
    return FetchedPage(str(url), answer.headers.get("content-type", ""), answer.body)
