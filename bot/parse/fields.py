"""Flags and ids in payloads that may be anything."""

from __future__ import annotations

import hashlib
from typing import Any

LONGEST_ID = 128


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
