"""A calendar on a CalDAV server. Versions are ETags; a write names the one that it expects (If-Match)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote, unquote, urljoin, urlsplit

import caldav
from caldav.lib.error import AuthorizationError, DAVError

from workers.agents.calendar.source.appointments import Resource
from workers.agents.calendar.source.calendar_store import AnswerLost, CalendarConflict
from workers.agents.calendar.source.calendar_texts import busy_text
from workers.errors import ToolUnavailable

ETAGS = '<d:propfind xmlns:d="DAV:"><d:prop><d:getetag/></d:prop></d:propfind>'
MULTIGET = (
    '<c:calendar-multiget xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:prop><d:getetag/>'
    "<c:calendar-data/></d:prop>{hrefs}</c:calendar-multiget>"
)
GETETAG = "{DAV:}getetag"
A_MULTIGET = 200
"""So many resources are asked for at once."""
AHEAD = timedelta(days=60)
"""How far busy times are asked for, of a calendar that tells no more."""


class CaldavStore:
    """One calendar of a server.

    Args:
        url: of the calendar itself.
        client: with the account; see `open_client`.
        free_busy: only busy times are asked for, where the account may see no more.
    """

    def __init__(self, url: str, client: caldav.DAVClient, *, writable: bool, free_busy: bool = False) -> None:
        self.url = url if url.endswith("/") else f"{url}/"
        self.client, self.free_busy = client, free_busy
        self.writable = writable and not free_busy
        self.ahead = AHEAD if free_busy else None
        self.scheduling: bool | None = None

    def read(self, known: Mapping[str, Resource]) -> dict[str, Resource]:
        """All resources: the list of their ETags first, then those that are new. Raises: ToolUnavailable."""
        if self.free_busy:
            return self.busy_times()
        etags = self.etags()
        found = {h: known[h] for h, etag in etags.items() if h in known and known[h].version == etag}
        missing = [href for href in etags if href not in found]
        for at in range(0, len(missing), A_MULTIGET):
            hrefs = "".join(f"<d:href>{quote(unquote(h))}</d:href>" for h in missing[at : at + A_MULTIGET])
            answer = self.ask("REPORT", self.url, MULTIGET.format(hrefs=hrefs), {"Depth": "1"})
            for one in parsed(answer.parse_calendar_query):
                if one.calendar_data:
                    found[one.href] = Resource(one.href, one.etag or "", one.calendar_data)
        return found

    def etags(self) -> dict[str, str]:
        """The ETag of each resource by its place."""
        answer = self.ask("PROPFIND", self.url, ETAGS, {"Depth": "1"})
        own = unquote(urlsplit(self.url).path).rstrip("/")
        found = {one.href: one.properties.get(GETETAG) for one in parsed(answer.parse_propfind)}
        return {
            href: str(etag) for href, etag in found.items() if etag and unquote(urlsplit(href).path).rstrip("/") != own
        }

    def busy_times(self) -> dict[str, Resource]:
        """What a free-busy query tells, as one calendar of busy times."""
        now = datetime.now(UTC)
        try:
            busy = caldav.Calendar(client=self.client, url=self.url).freebusy_request(
                now - timedelta(days=1), now + AHEAD
            )
        except (DAVError, OSError) as error:
            raise ToolUnavailable(f"{self.host} does not tell busy times: {why(error)}") from error
        text = busy_text(str(busy.data))
        return {"busy.ics": Resource("busy.ics", str(hash(text)), text)}

    def get(self, href: str) -> Resource | None:
        """One resource. Raises: ToolUnavailable."""
        answer = self.ask("GET", self.place(href), "", {}, allowed=(404, 410))
        if answer.status in {404, 410}:
            return None
        return Resource(href, answer.headers.get("ETag", ""), answer.raw)

    def put(self, href: str, text: str, version: str) -> str:
        """Write a resource. Raises: CalendarConflict, ToolUnavailable."""
        condition = {"If-Match": version} if version else {"If-None-Match": "*"}
        headers = {"Content-Type": "text/calendar; charset=utf-8", **condition}
        answer = self.ask("PUT", self.place(href), text, headers, allowed=(404, 409, 412))
        if answer.status in {404, 409, 412}:
            raise CalendarConflict("it was changed meanwhile; nothing was changed")
        etag: str = answer.headers.get("ETag", "")
        return etag

    def delete(self, href: str, version: str) -> None:
        """Delete a resource. Raises: CalendarConflict, ToolUnavailable."""
        answer = self.ask("DELETE", self.place(href), "", {"If-Match": version}, allowed=(404, 410, 412))
        if answer.status in {404, 410, 412}:
            raise CalendarConflict("it was changed meanwhile; nothing was changed")

    @property
    def schedules(self) -> bool:
        """Whether the server speaks of itself as one that schedules (RFC 6638)."""
        if self.scheduling is None:
            try:
                self.scheduling = bool(self.client.supports_scheduling())
            except (DAVError, OSError):
                return False
        return self.scheduling

    @property
    def host(self) -> str:
        """The server's name."""
        return urlsplit(self.url).hostname or ""

    def place(self, href: str) -> str:
        """The address of a resource, which is one of the same server. Raises: ToolUnavailable."""
        address = urljoin(self.url, href)
        if urlsplit(address)[:2] != urlsplit(self.url)[:2]:
            raise ToolUnavailable(f"{href[:80]!r} is no resource of this calendar")
        return address

    def ask(self, method: str, url: str, body: str, headers: Mapping[str, str], allowed: tuple[int, ...] = ()) -> Any:
        """One request. Raises: AnswerLost: none; ToolUnavailable: one that is not allowed."""
        sent = {"Content-Type": "application/xml; charset=utf-8", **headers}
        try:
            answer = self.client.request(url, method, body, sent)
        except AuthorizationError as error:
            raise ToolUnavailable(f"{self.host} refuses the username and password, or the token") from error
        except (DAVError, OSError) as error:
            raise AnswerLost(f"{self.host} does not answer: {why(error)}") from error
        if answer.status >= 500 and answer.status != 507 and answer.status not in allowed:
            raise AnswerLost(f"{self.host} answers {answer.status} to {method}")
        if answer.status >= 300 and answer.status not in allowed:
            raise ToolUnavailable(f"{self.host} answers {answer.status} to {method}")
        return answer


def open_client(url: str, username: str, password: str, token: str, timeout_s: float) -> caldav.DAVClient:
    """A client with an account: a name with its password, or a bearer token."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return caldav.DAVClient(
        url=url, username=username or None, password=password or None, headers=headers, timeout=timeout_s
    )


def parsed(parse: Callable[[], list[Any]]) -> list[Any]:
    """The parts of an answer. Raises: ToolUnavailable: it is none of CalDAV."""
    try:
        return parse()
    except (DAVError, AssertionError, ValueError) as error:
        raise ToolUnavailable(f"the server sent no answer of CalDAV: {why(error)}") from error


def why(error: Exception) -> str:
    """What went wrong, short."""
    return (" ".join(str(error).split()) or type(error).__name__)[:150]
