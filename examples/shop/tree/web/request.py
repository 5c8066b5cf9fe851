"""Requests and responses."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

MAX_BODY_BYTES = 64 * 1024


class HTTPError(Exception):
    """Ends a request with this status and a sentence for the caller."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes = b""
    params: dict[str, str] = field(default_factory=dict)

    def json(self) -> dict[str, Any]:
        try:
            value = json.loads(self.body or b"{}")
        except ValueError as error:
            raise HTTPError(400, "the body is not JSON") from error
        if not isinstance(value, dict):
            raise HTTPError(400, "the body must be a JSON object")
        return value

    def number(self, name: str, default: int, low: int, high: int) -> int:
        raw = self.query.get(name, str(default))
        if not raw.lstrip("-").isdigit() or not low <= int(raw) <= high:
            raise HTTPError(400, f"{name} must be a whole number from {low} to {high}")
        return int(raw)


@dataclass(frozen=True)
class Response:
    payload: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"

    def encoded(self) -> bytes:
        if isinstance(self.payload, str):
            return self.payload.encode()
        return b"" if self.payload is None else json.dumps(self.payload).encode()


def from_environ(environ: dict[str, Any]) -> Request:
    length = int(environ.get("CONTENT_LENGTH") or 0)
    if length > MAX_BODY_BYTES:
        raise HTTPError(413, "the body is too large")
    headers = {
        key[5:].replace("_", "-").lower(): value
        for key, value in environ.items()
        if key.startswith("HTTP_")
    }
    return Request(
        method=environ["REQUEST_METHOD"],
        path=environ.get("PATH_INFO") or "/",
        query=dict(parse_qsl(environ.get("QUERY_STRING", ""))),
        headers=headers,
        body=environ["wsgi.input"].read(length) if length else b"",
    )
