"""Slack's exports of a channel: a day's file, a folder of them, or an answer of conversations.history."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from workers.contracts import ChannelMessage, Written, order_of
from workers.language.people_names import with_names
from workers.slack_messages.fields import Fields
from workers.slack_messages.message import read_message, version_of

MOST_BYTES = 200_000_000
DAY = re.compile(r"\d{4}-\d\d-\d\d")
"""What Slack calls the files of a channel's folder."""


class NoExport(ValueError):
    """A file that is no export of a channel; the sentence says why."""


def read_export(path: Path, until: str = "") -> tuple[ChannelMessage, ...]:
    """The messages of an export, oldest first.

    Args:
        path: a JSON file with a list of messages, or with an object that holds them under ``messages``; or a channel's
            folder of such files. People's names and zones are read from a ``users.json`` beside it or above it, and
            from the messages themselves.
        until: the ts of the last message that counts; empty for all.

    Raises:
        NoExport: it holds no messages, or cannot be read.
    """
    try:
        files = sorted(path.glob("*.json")) if path.is_dir() else [path]
        raw = [Fields(message) for file in files for message in messages_in(file)]
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        raise NoExport(f"{path}: {'there is no such file' if missing else 'it cannot be read'}") from error
    people = users_near(path)
    names = {user: name for user, (name, _) in people.items()} | names_told(raw)
    changes = (version_of(read_message(one)) for one in raw)
    read = [with_names(change.message, names) for change in changes if isinstance(change, Written)]
    if not read:
        raise NoExport(f"{path}: no messages of a Slack export in it")
    found = {
        message.ts: replace(message, zone=people.get(message.user, ("", ""))[1])
        for message in read
        if not until or order_of(message.ts) <= order_of(until)
    }
    return tuple(found[ts] for ts in sorted(found, key=order_of))


def channel_of(path: Path) -> str:
    """The name of an export's channel: its folder's, or the file's own where that is no day's file."""
    folder = path if path.is_dir() else path.parent if DAY.fullmatch(path.stem) else None
    return folder.resolve().name if folder else path.stem


def messages_in(path: Path) -> list[Any]:
    """The message objects of one file. Raises: NoExport, OSError."""
    if path.stat().st_size > MOST_BYTES:
        raise NoExport(f"{path}: larger than {MOST_BYTES:,} bytes")
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise NoExport(f"{path}: not JSON ({type(error).__name__})") from error
    if isinstance(data, Mapping):
        data = data.get("messages")
    if not isinstance(data, list):
        raise NoExport(f"{path}: neither a list of messages nor an object with `messages`")
    return data


def users_near(path: Path) -> dict[str, tuple[str, str]]:
    """User id -> name as people are shown, and zone; from the export's ``users.json``."""
    folder = path if path.is_dir() else path.parent
    for place in (folder / "users.json", folder.parent / "users.json"):
        try:
            data = json.loads(place.read_text(encoding="utf-8")) if place.is_file() else None
        except (OSError, ValueError):
            continue
        if isinstance(data, list):
            return dict(known(data))
    return {}


def known(users: list[Any]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Each user of a list."""
    for user in map(Fields, users):
        names = user.text("profile", "display_name"), user.text("real_name"), user.text("name")
        if user.text("id"):
            yield user.text("id"), (next(filter(None, names), ""), user.text("tz"))


def names_told(messages: list[Fields]) -> dict[str, str]:
    """User id -> name, as messages tell of their own writers."""
    found = {}
    for message in messages:
        name = message.text("user_profile", "display_name") or message.text("user_profile", "real_name")
        if name and message.text("user"):
            found[message.text("user")] = name
    return found
