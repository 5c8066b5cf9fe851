"""Slack's messages, as events, pages of history and exports hold them -> `ChannelMessage`.

Nothing about a payload's shape is trusted: what is missing or of another type reads as absent. People are mentioned by
id until `with_names` knows them.

Source: Slack's Events API (``message`` and its subtypes, ``reaction_added``, ``reaction_removed``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from workers.contracts import ChannelMessage, moment_of
from workers.language.slack_content import is_apps, read_content
from workers.language.slack_text import NAME, encodable, name_at, text_at, ts_at

MENTION = re.compile(r"@([UWB][A-Z0-9]{2,31})\b")
EMOJI = re.compile(r"[^\s:]{1,100}")
SPOKEN = frozenset({"", "bot_message", "file_share", "me_message", "reply_broadcast", "thread_broadcast"})
"""Subtypes of messages that say something."""
GONE = frozenset({"tombstone", "ekm_access_denied"})
LONGEST_TEXT, LONGEST_NAME = 8_000, 80
MOST_FILES, MOST_REACTIONS, MOST_USERS = 20, 50, 200


@dataclass(frozen=True)
class Written:
    """A message as it stands. ``version``: when it got its words, in seconds since the epoch."""

    message: ChannelMessage
    version: float


@dataclass(frozen=True)
class Deleted:
    """A message that stands no more."""

    ts: str


@dataclass(frozen=True)
class Reacted:
    """A reaction that was added to a message, or taken away."""

    ts: str
    name: str
    user: str
    added: bool
    at: float


Change = Written | Deleted | Reacted


# --- one message ------------------------------------------------------------------------------------------------


def read_message(raw: Any, names: Mapping[str, str] | None = None) -> ChannelMessage | None:
    """One message object as a person reads it.

    Args:
        raw: of an event, a page of history or an export.
        names: user id -> name as people are shown; those it lacks stay ids.

    Returns: None for what stands no more, what one person alone saw, and what is no message.
    """
    found = read_written(raw)
    return with_names(found.message, names or {}) if isinstance(found, Written) else None


def read_written(raw: Any) -> Written | Deleted | None:
    """One message object with its version; `Deleted` for a tombstone."""
    if not isinstance(raw, Mapping) or raw.get("type", "message") != "message":
        return None
    ts, subtype = ts_at(raw, "ts"), text_at(raw, "subtype")
    if not ts or raw.get("is_ephemeral") or raw.get("ephemeral"):
        return None
    if subtype in GONE:
        return Deleted(ts)
    thread_ts, edited = ts_at(raw, "thread_ts"), ts_at(raw.get("edited"), "ts")
    content = read_content(raw)
    message = ChannelMessage(
        ts=ts,
        thread_ts="" if thread_ts == ts else thread_ts,
        user=name_at(raw, "user") or name_at(raw, "bot_id"),
        name=name_in(raw),
        text=cut(content.passed_on, LONGEST_TEXT),
        bot=is_apps(raw),
        said=subtype in SPOKEN,
        edited_at=moment_of(edited) if edited else None,
        reactions=reactions_in(raw.get("reactions")),
        files=content.files[:MOST_FILES],
    )
    return Written(message, float(edited or ts))


def root_of(raw: Any) -> str:
    """The ts of a message in a page of history that a thread hangs on, also when it was deleted; empty for others."""
    replies = raw.get("reply_count") if isinstance(raw, Mapping) else None
    return ts_at(raw, "ts") if isinstance(replies, int) and replies > 0 else ""


def name_in(raw: Mapping[str, Any]) -> str:
    """The name a payload itself gives its author, as apps' messages and exports do."""
    bot, person = raw.get("bot_profile"), raw.get("user_profile")
    given = (
        text_at(raw, "username"),
        text_at(bot, "name"),
        text_at(person, "display_name"),
        text_at(person, "real_name"),
    )
    return cut(" ".join(encodable(next(filter(str.strip, given), "")).split()), LONGEST_NAME)


def reactions_in(given: Any) -> dict[str, tuple[str, ...]]:
    """Emoji -> users, in the order they stand."""
    out: dict[str, tuple[str, ...]] = {}
    for one in listed(given)[:MOST_REACTIONS]:
        name = text_at(one, "name")
        users = listed(one.get("users"))[:MOST_USERS] if isinstance(one, Mapping) else []
        known = tuple(dict.fromkeys(user for user in users if isinstance(user, str) and NAME.fullmatch(user)))
        if EMOJI.fullmatch(name) and known:
            out[encodable(name)] = known
    return out


def with_names(message: ChannelMessage, names: Mapping[str, str]) -> ChannelMessage:
    """The same with people by their names, as far as these are known."""
    name = message.name or names.get(message.user, "")
    return replace(message, name=name, text=named(message.text, names))


def named(text: str, names: Mapping[str, str]) -> str:
    """Text in which ids after an ``@`` are names."""
    return MENTION.sub(lambda found: f"@{names.get(found[1], found[1])}", text)


def people_in(messages: Iterable[ChannelMessage]) -> tuple[str, ...]:
    """The ids of everyone who wrote without a name, is mentioned, or reacted; each once."""
    found: dict[str, None] = {}
    for message in messages:
        if message.user and not message.name:
            found[message.user] = None
        found.update(dict.fromkeys(MENTION.findall(message.text)))
    return tuple(found)


@dataclass(frozen=True)
class Page:
    """A page of history. ``roots``: messages in it that a thread hangs on; ``oldest`` and ``newest``: ts of all in it,
    empty for an empty page. ``more``: it is not the last one.
    """

    changes: tuple[Written | Deleted, ...]
    roots: tuple[str, ...] = ()
    oldest: str = ""
    newest: str = ""
    more: bool = False


def read_page(raws: Sequence[Any], *, more: bool = False) -> Page:
    """A page of history. ``raws``: message objects; those that are no messages say only where they stand."""
    stamps = sorted(filter(None, (ts_at(raw, "ts") for raw in raws)), key=float)
    changes = tuple(change for change in map(read_written, raws) if change)
    roots = tuple(filter(None, map(root_of, raws)))
    return Page(changes, roots, *((stamps[0], stamps[-1]) if stamps else ("", "")), more=more and bool(stamps))


# --- events -----------------------------------------------------------------------------------------------------


def read_event(event: Any) -> Change | None:
    """What an event changes about a channel's messages; None when that is nothing.

    Args:
        event: the inner event of an Events API payload.
    """
    kind = text_at(event, "type")
    if kind in {"reaction_added", "reaction_removed"}:
        return read_reaction(event, added=kind == "reaction_added")
    if kind != "message":
        return None
    match text_at(event, "subtype"):
        case "message_deleted":
            ts = ts_at(event, "deleted_ts") or ts_at(event.get("previous_message"), "ts")
            return Deleted(ts) if ts else None
        case "message_changed":
            found = read_written(event.get("message"))
            changed = ts_at(event, "event_ts") or ts_at(event, "ts")
            if isinstance(found, Written) and changed:
                return Written(found.message, max(found.version, float(changed)))
            return found
        case "message_replied":
            return None
        case _:
            return read_written(event)


def read_reaction(event: Mapping[str, Any], *, added: bool) -> Reacted | None:
    """A reaction to a message."""
    item, user, name = event.get("item"), name_at(event, "user"), text_at(event, "reaction")
    ts, at = ts_at(item, "ts"), ts_at(event, "event_ts")
    if text_at(item, "type") != "message" or not (ts and at and user and EMOJI.fullmatch(name)):
        return None
    return Reacted(ts, encodable(name), user, added, float(at))


def author_of(event: Any) -> str:
    """Who wrote the message that an event is about, or reacted; empty when nobody is named."""
    changed = event.get("message") or event.get("previous_message") if isinstance(event, Mapping) else None
    return name_at(changed, "user") or name_at(event, "user")


def channel_of(event: Any) -> str:
    """The channel that an event is about; empty when there is none."""
    item = event.get("item") if isinstance(event, Mapping) else None
    return name_at(event, "channel") or name_at(item, "channel")


# --- parts ------------------------------------------------------------------------------------------------------


def listed(value: Any) -> list[Any]:
    """A list; empty when it is none."""
    return value if isinstance(value, list) else []


def cut(text: str, at_most: int) -> str:
    """At most so many characters, an ellipsis where something was cut."""
    return text if len(text) <= at_most else text[: at_most - 1] + "…"
