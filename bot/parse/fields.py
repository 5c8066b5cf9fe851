"""PURE: reading what may be anything. What is missing or of another type reads as absent."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from workers.language.slack_text import encodable

NAME = re.compile(r"[A-Za-z0-9]{1,32}")
TS = re.compile(r"[0-9]{1,20}\.[0-9]{1,10}")
LONGEST_ID = 128


def value_at(body: Any, *path: str) -> Any:
    """The value under a path of keys; None where there is none."""
    for key in path:
        if not isinstance(body, Mapping):
            return None
        body = body.get(key)
    return body


def text_at(body: Any, *path: str) -> str:
    """The text under a path of keys; empty when there is none."""
    value = value_at(body, *path)
    return value if isinstance(value, str) else ""


def name_at(body: Any, *path: str) -> str:
    """The Slack id (team, user, channel) under a path; empty when it is none."""
    value = text_at(body, *path)
    return value if NAME.fullmatch(value) else ""


def ts_at(body: Any, *path: str) -> str:
    """The message timestamp under a path; empty when it is none."""
    value = text_at(body, *path)
    return value if TS.fullmatch(value) else ""


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


def is_true(value: Any) -> bool:
    """A flag: a JSON true, or the word in a form."""
    return value is True or value == "true"


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
