"""What robots.txt allows, as RFC 9309 says: without one everything, while it cannot be read nothing."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

import httpx
from protego import Protego

from workers.errors import ToolArgumentError, ToolDenied, ToolUnavailable
from workers.sources.web.addresses import origin_of, read_web_address
from workers.sources.web.http_client import AGENT, ask

MOST_BYTES = 500 * 1_024
MOST_REDIRECTS = 5
KEPT_S, FAILURE_KEPT_S = 86_400.0, 60.0
MOST_KEPT = 1_000
LONGEST_DELAY_S = 30.0
FORBIDDEN = "its robots.txt forbids it"


@dataclass(frozen=True)
class Robots:
    """The rules of one origin for us."""

    rules: Protego

    def allows(self, address: str) -> bool:
        """Whether a page may be read."""
        return self.rules.can_fetch(address, AGENT)

    @property
    def pause_s(self) -> float:
        """Seconds that it asks for between two requests, up to what anyone waits; 0 when it asks for none."""
        return min(self.rules.crawl_delay(AGENT) or 0.0, LONGEST_DELAY_S)


def read_robots(client: httpx.Client, origin: str, within_s: float) -> Robots:
    """The rules of an origin, ``https://HOST`` or ``https://HOST:PORT``.

    Raises:
        ToolUnavailable: the server does not answer, so nobody knows what it allows.
    """
    address = f"{origin}/robots.txt"
    for _ in range(MOST_REDIRECTS + 1):
        answer = ask(client, address, MOST_BYTES, within_s)
        if not 300 <= answer.status < 400:
            break
        try:
            address = str(read_web_address(str(httpx.URL(address).join(answer.headers.get("location", "")))))
        except (ToolArgumentError, httpx.InvalidURL):
            return Robots(Protego.parse(""))
    if answer.status >= 500 or answer.status == 429:
        raise ToolUnavailable(f"its robots.txt answers {answer.status}")
    return Robots(Protego.parse(answer.body.decode("utf-8", "replace") if answer.status == 200 else ""))


class RobotsCache:
    """The rules of the origins that were asked, kept for a day, failures for a minute."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client
        self.lock = threading.Lock()
        self.kept: dict[str, tuple[float, Robots | str]] = {}

    def of(self, url: httpx.URL, within_s: float) -> Robots:
        """The rules for a page. Raises: ToolUnavailable: they cannot be read; ToolDenied: nor may they be."""
        origin = origin_of(url)
        with self.lock:
            until, known = self.kept.get(origin, (0.0, ""))
        if time.monotonic() > until:
            try:
                known, until = read_robots(self.client, origin, within_s), time.monotonic() + KEPT_S
            except ToolUnavailable as error:
                known, until = str(error), time.monotonic() + FAILURE_KEPT_S
            with self.lock:
                if len(self.kept) >= MOST_KEPT:
                    self.kept.clear()
                self.kept[origin] = (until, known)
        if isinstance(known, str):
            raise ToolUnavailable(f"what {url.host} allows to be read is not known: {known}")
        return known

    def check(self, url: httpx.URL, within_s: float) -> Robots:
        """The rules for a page that may be read. Raises: ToolDenied: it may not; ToolUnavailable."""
        robots = self.of(url, within_s)
        if not robots.allows(str(url)):
            raise ToolDenied(f"{url.host} does not want this page read by programs: {FORBIDDEN}")
        return robots
