"""One connection to a NetBox: pages of objects, within a time."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import httpx

from workers.agents.network.sections import NetboxSection
from workers.errors import ToolUnavailable
from workers.sources.certificates import trusted
from workers.sources.http_answers import answering

V2_PREFIX = "nbt_"
CHANGES = ("core/object-changes", "extras/object-changes")
"""Where changes are listed, since NetBox 4.1 and before."""
Params = Mapping[str, str | int | tuple[str | int, ...]]
Raw = dict[str, Any]


class NoSuchPath(ToolUnavailable):
    """This NetBox has nothing at a path, or there is no such object."""


@dataclass(frozen=True)
class Page:
    """Objects as NetBox sends them, and how many there are; ``objects`` may be fewer."""

    objects: tuple[Raw, ...]
    count: int


class NetboxClient:
    """Reads. Threads may share it."""

    def __init__(self, section: NetboxSection, transport: httpx.BaseTransport | None = None) -> None:
        scheme = "Bearer" if section.token.startswith(V2_PREFIX) else "Token"
        self.section = section
        self.address = section.url.rstrip("/")
        self.http = httpx.Client(
            base_url=f"{self.address}/api/",
            headers={"accept": "application/json"}
            | ({"authorization": f"{scheme} {section.token}"} if section.token else {}),
            timeout=section.timeout_ms / 1000,
            verify=trusted(section.url, section.ca_file),
            trust_env=False,
            transport=transport,
        )
        weakref.finalize(self, self.http.close)  # its connections are kept open between questions
        self.threads = ThreadPoolExecutor(max_workers=6, thread_name_prefix="netbox")
        self.changes = CHANGES[0]

    def get(self, path: str, params: Params | None = None) -> Raw:
        """One answer. ``path``: without ``/api/``.

        Raises:
            NoSuchPath: there is nothing there.
            ToolUnavailable: no answer, none in time, the token is refused, or it is no NetBox.
        """
        with answering("NetBox", self.section.timeout_ms):
            answer = self.http.get(f"{path.strip('/')}/", params=dict(params or {}))
        if answer.status_code in {401, 403}:
            raise ToolUnavailable(f"NetBox refuses the token ({answer.status_code}): see netbox.token in oracle.yaml")
        if answer.status_code == 404:
            raise NoSuchPath(f"NetBox has nothing at {path}")
        if answer.status_code >= 300:
            raise ToolUnavailable(f"NetBox answers {answer.status_code}{why_of(answer)}")
        try:
            found = answer.json()
        except ValueError as error:
            raise ToolUnavailable("what answers in NetBox's place does not send JSON") from error
        if not isinstance(found, dict):
            raise ToolUnavailable("what answers in NetBox's place is no NetBox")
        return found

    def list(self, path: str, params: Params | None = None, most: int | None = None) -> Page:
        """Objects, page by page. Raises: as `get`."""
        most = self.section.most if most is None else most
        found: list[Raw] = []
        while True:
            limit = min(self.section.page, most - len(found))
            part = self.get(path, {**(params or {}), "limit": limit, "offset": len(found)})
            objects, count = part.get("results"), part.get("count")
            if not isinstance(objects, list) or not isinstance(count, int):
                raise ToolUnavailable("what answers in NetBox's place is no NetBox")
            found += [one for one in objects if isinstance(one, dict)]
            if not objects or len(found) >= min(count, most):
                return Page(tuple(found), count)

    def list_changes(self, params: Params, most: int) -> Page:
        """Changes, newest first, wherever this version lists them. Raises: as `get`."""
        try:
            return self.list(self.changes, {**params, "ordering": "-time"}, most)
        except NoSuchPath:
            if self.changes == CHANGES[1]:
                raise
            self.changes = CHANGES[1]
            return self.list_changes(params, most)

    def version(self) -> str:
        """NetBox's version. Raises: as `get`."""
        return str(self.get("status").get("netbox-version", ""))

    def close(self) -> None:
        """Close the connections."""
        self.threads.shutdown(wait=False)
        self.http.close()


def why_of(answer: httpx.Response) -> str:
    """What NetBox says of a request that it refuses, cut short."""
    said = " ".join(answer.text.split())[:150]
    return f": {said}" if said else ""
