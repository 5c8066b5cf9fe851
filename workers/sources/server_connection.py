"""One connection to a server that is only read: JSON asked for and answered, within a time."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import Any

import httpx

from workers.errors import ToolUnavailable
from workers.settings.schema import ReadServer
from workers.sources.certificates import trusted
from workers.sources.http_answers import answering

Raw = dict[str, Any]


class ServerConnection:
    """Reads. Threads may share it. ``name``: what it is called in sentences; ``key``: of its section in oracle.yaml."""

    def __init__(self, name: str, key: str, server: ReadServer, headers: Mapping[str, str], scheme: str) -> None:
        self.name, self.key, self.server = name, key, server
        self.address = server.url.rstrip("/")
        sent = {"accept": "application/json", **headers}
        if server.token:
            sent["authorization"] = f"{scheme} {server.token}".strip()
        self.http = httpx.Client(
            headers=sent,
            auth=(server.username, server.password) if server.username and not server.token else None,
            timeout=server.timeout_ms / 1000,
            verify=trusted(server.url, server.ca_file),
            trust_env=False,
        )
        weakref.finalize(self, self.http.close)  # its connections are kept open between questions

    def get(self, path: str, params: Mapping[str, str | int] | None = None) -> Raw:
        """One answer, a JSON object. ``path`` begins with a slash. Raises: ToolUnavailable: none that can be used."""
        return self.read(self.send("GET", path, params=dict(params or {})))

    def find(self, path: str, params: Mapping[str, str | int] | None = None) -> Raw | None:
        """The same; None where the server has nothing at the path. Raises: as `get`."""
        answer = self.send("GET", path, missing=True, params=dict(params or {}))
        return None if answer.status_code == 404 else self.read(answer)

    def post(self, path: str, body: Mapping[str, Any]) -> Raw:
        """The same for a query that is sent as JSON, which changes nothing either. Raises: as `get`."""
        return self.read(self.send("POST", path, json=body))

    def text(self, path: str) -> str:
        """An answer that is a word. Raises: as `get`."""
        return " ".join(self.send("GET", path).text.split())[:100]

    def send(self, method: str, path: str, *, missing: bool = False, **what: Any) -> httpx.Response:
        """An answer whose status is a success, or with ``missing`` 404. Raises: as `get`."""
        name = self.name
        with answering(name, self.server.timeout_ms):
            answer = self.http.request(method, f"{self.address}{path}", **what)
        if answer.status_code in {401, 403}:
            used = "token" if self.server.token or not self.server.username else "password"
            raise ToolUnavailable(f"{name} refuses us ({answer.status_code}): see {self.key}.{used} in oracle.yaml")
        if answer.status_code >= 300 and not (missing and answer.status_code == 404):
            said = " ".join(answer.text.split())[:150]
            raise ToolUnavailable(f"{name} answers {answer.status_code}{f': {said}' if said else ''}")
        return answer

    def read(self, answer: httpx.Response) -> Raw:
        """The JSON object of an answer. Raises: ToolUnavailable: it is none."""
        try:
            found = answer.json()
        except (ValueError, RecursionError) as error:
            raise ToolUnavailable(f"what answers in place of {self.name} does not send JSON") from error
        if not isinstance(found, dict):
            raise ToolUnavailable(f"what answers in place of {self.name} is something else")
        return found
