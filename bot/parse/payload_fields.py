"""Ids of payloads, and what is taken out of them before anything reads them."""

from __future__ import annotations

import hashlib
from typing import Any

from workers.language.payload_values import encodable

LONGEST_ID = 128


def make_encodable(body: Any) -> None:
    """Take halves of surrogate pairs out of every text of a payload, in place: no database and no log can hold one."""
    ahead = [body]
    while ahead:
        part = ahead.pop()
        places = list(part.items()) if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
        for key, value in places:
            kept = encodable(key) if isinstance(key, str) else key
            if kept != key:
                del part[key]
            if kept != key or isinstance(value, str):
                part[kept] = encodable(value) if isinstance(value, str) else value
            ahead.append(value)


def event_id(given: str) -> str:
    """What Slack repeats, short and printable enough to be stored."""
    if len(given) <= LONGEST_ID and given.isascii() and given.isprintable():
        return given
    return digest(given)[:40]


def request_id(team: str, channel: str, once: str) -> str:
    """12 hexadecimal characters; the same for the same message."""
    return digest(f"{team}\n{channel}\n{once}")[:12]


def digest(text: str) -> str:
    """SHA-256, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
