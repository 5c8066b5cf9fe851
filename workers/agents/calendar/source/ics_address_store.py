"""A calendar that an address serves as one .ics file, read only, over the guarded network of web pages."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from workers.agents.calendar.source.appointments import Resource
from workers.agents.calendar.source.calendar_texts import decode
from workers.errors import ToolArgumentError, ToolDenied, ToolUnavailable
from workers.sources.web.address_rules import AddressRules
from workers.sources.web.addresses import read_web_address
from workers.sources.web.guarded_transport import ends_within
from workers.sources.web.http_client import Answer, ask, open_client
from workers.sources.web.page_fetch import REDIRECTS

MOST_BYTES, WITHIN_S, MOST_REDIRECTS = 30_000_000, 15.0, 5
READ_ONLY = "this calendar is read from an address and cannot be changed"
HREF = "calendar.ics"


class IcsAddressStore:
    """Reads the file; asks for it only if it changed, as its ETag says.

    Args:
        address: https, http or webcal.
        rules: which hosts may be reached.
    """

    writable = False
    schedules = False
    ahead: timedelta | None = None

    def __init__(self, address: str, rules: AddressRules) -> None:
        self.address = f"https://{address.removeprefix('webcal://')}" if address.startswith("webcal:") else address
        self.client = open_client(rules, "text/calendar,*/*;q=0.5")

    def read(self, known: Mapping[str, Resource]) -> dict[str, Resource]:
        """The file as one resource. Raises: ToolUnavailable."""
        held = known.get(HREF)
        headers = {"If-None-Match": held.version} if held and held.version else {}
        try:
            answer = self.fetch(headers)
        except (ToolDenied, ToolArgumentError) as error:
            raise ToolUnavailable(str(error)) from error
        if answer.status == 304 and held:
            return {HREF: held}
        host = read_web_address(self.address).host
        if answer.status != 200:
            raise ToolUnavailable(f"{host} answers {answer.status}")
        if not answer.whole:
            raise ToolUnavailable(f"the calendar of {host} is larger than {MOST_BYTES // 1_000_000} MB")
        return {HREF: Resource(HREF, answer.headers.get("etag", ""), decode(answer.body))}

    def fetch(self, headers: Mapping[str, str]) -> Answer:
        """The answer behind the redirects."""
        url = read_web_address(self.address)
        with ends_within(WITHIN_S):
            for _ in range(MOST_REDIRECTS + 1):
                answer = ask(self.client, str(url), MOST_BYTES, WITHIN_S, headers)
                target = answer.headers.get("location", "")
                if answer.status not in REDIRECTS or not target:
                    return answer
                url = read_web_address(str(url.join(target)))
        raise ToolUnavailable(f"{url.host} redirects too often")

    def get(self, href: str) -> Resource | None:
        """The file. Raises: ToolUnavailable."""
        return self.read({}).get(href)

    def put(self, href: str, text: str, version: str) -> str:
        """Raises: ToolUnavailable: always."""
        del href, text, version
        raise ToolUnavailable(READ_ONLY)

    def delete(self, href: str, version: str) -> None:
        """Raises: ToolUnavailable: always."""
        del href, version
        raise ToolUnavailable(READ_ONLY)
