"""Slack's messages, as events, pages of history and exports hold them -> `SlackMessage` and `ChannelMessage`.

Nothing about a payload's shape is trusted: what is missing or of another type reads as absent. People are mentioned by
id until `workers.language.people_names` knows them.

Source: Slack's Events API (``message`` and its subtypes).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from workers.contracts import ChannelMessage, Deleted, Page, Written, moment_of
from workers.language.payload_values import encodable
from workers.slack_messages.content import MessageContent, read_content
from workers.slack_messages.fields import NAME, Fields

EMOJI = re.compile(r"[^\s:]{1,100}")
SPOKEN = frozenset({"", "bot_message", "file_share", "me_message", "reply_broadcast", "thread_broadcast"})
"""Subtypes of messages that say something."""
GONE = frozenset({"tombstone", "ekm_access_denied"})
LONGEST_TEXT, LONGEST_NAME = 8_000, 80
MOST_FILES, MOST_REACTIONS, MOST_USERS = 20, 50, 200


@dataclass(frozen=True)
class SlackMessage:
    """One message object, read once.

    ``kind``: its type, ``message`` where it names none, and ``subtype``, empty for what people write. ``ts`` and
    ``thread_ts``: as ``1763632330.000100``, empty when they are none. ``user`` and ``bot``: ids of who wrote it;
    ``name``: what it calls its author itself, as apps' messages and exports do. ``edited_ts``: when it got the words it
    has, and ``edited``, whether they are not its first. ``hidden``: Slack shows it to nobody; ``ephemeral``: to one
    person alone. ``reactions``: emoji -> users, in the order they stand.
    """

    kind: str = "message"
    subtype: str = ""
    ts: str = ""
    thread_ts: str = ""
    user: str = ""
    bot: str = ""
    name: str = ""
    content: MessageContent = field(default_factory=MessageContent)
    edited: bool = False
    edited_ts: str = ""
    hidden: bool = False
    ephemeral: bool = False
    reactions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def read_message(given: Fields) -> SlackMessage:
    """Read one message object; of what is none, nothing is known."""
    return SlackMessage(
        kind=given.text("type") or "message",
        subtype=given.text("subtype"),
        ts=given.ts("ts"),
        thread_ts=given.ts("thread_ts"),
        user=given.name("user"),
        bot=given.name("bot_id"),
        name=name_in(given),
        content=read_content(given),
        edited=bool(given.value("edited")),
        edited_ts=given.ts("edited", "ts"),
        hidden=bool(given.value("hidden")),
        ephemeral=bool(given.value("is_ephemeral") or given.value("ephemeral")),
        reactions=reactions_in(given),
    )


def name_in(given: Fields) -> str:
    """The name a message itself gives its author."""
    app = given.text("username"), given.text("bot_profile", "name")
    person = given.text("user_profile", "display_name"), given.text("user_profile", "real_name")
    return cut(" ".join(encodable(next(filter(str.strip, (*app, *person)), "")).split()), LONGEST_NAME)


def reactions_in(given: Fields) -> dict[str, tuple[str, ...]]:
    """Emoji -> users, in the order they stand."""
    out: dict[str, tuple[str, ...]] = {}
    for one in given.objects("reactions")[:MOST_REACTIONS]:
        name, users = one.text("name"), one.items("users")[:MOST_USERS]
        known = tuple(dict.fromkeys(user for user in users if isinstance(user, str) and NAME.fullmatch(user)))
        if EMOJI.fullmatch(name) and known:
            out[encodable(name)] = known
    return out


# --- as a channel keeps it --------------------------------------------------------------------------------------


def version_of(message: SlackMessage) -> Written | Deleted | None:
    """A message as it stands, with its version; `Deleted` for a tombstone.

    Returns: None for what one person alone saw, and what is no message.
    """
    if message.kind != "message" or not message.ts or message.ephemeral:
        return None
    if message.subtype in GONE:
        return Deleted(message.ts)
    kept = ChannelMessage(
        ts=message.ts,
        thread_ts="" if message.thread_ts == message.ts else message.thread_ts,
        user=message.user or message.bot,
        name=message.name,
        text=cut(message.content.passed_on, LONGEST_TEXT),
        bot=message.content.app,
        said=message.subtype in SPOKEN,
        edited_at=moment_of(message.edited_ts) if message.edited_ts else None,
        reactions=message.reactions,
        files=message.content.files[:MOST_FILES],
    )
    return Written(kept, float(message.edited_ts or message.ts))


def read_page(given: Sequence[Fields], ours: tuple[str, str] = ("", ""), *, more: bool = False) -> Page:
    """A page of history.

    Args:
        given: message objects; those that are no messages say only where they stand.
        ours: the bot id and the user id of this app, whose own messages say only that as well.
        more: it is not the last page.
    """
    stamps = sorted(filter(None, (one.ts("ts") for one in given)), key=float)
    changes = (version_of(read_message(one)) for one in given if not is_own(one, ours))
    return Page(
        changes=tuple(change for change in changes if change),
        roots=tuple(one.ts("ts") for one in given if one.ts("ts") and (one.number("reply_count") or 0) > 0),
        oldest=stamps[0] if stamps else "",
        newest=stamps[-1] if stamps else "",
        more=more and bool(stamps),
    )


def is_own(message: Fields, ours: tuple[str, str]) -> bool:
    """Whether this app, by its bot id and user id, wrote a message."""
    bot, user = ours
    return bool((bot and message.text("bot_id") == bot) or (user and message.text("user") == user))


def cut(text: str, at_most: int) -> str:
    """At most so many characters, an ellipsis where something was cut."""
    return text if len(text) <= at_most else text[: at_most - 1] + "…"
