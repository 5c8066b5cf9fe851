"""Written transcripts as the channel JSON of a Slack export."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bench.incidents.crowd import crowded
from bench.incidents.written import Message, Person, Transcript, names, read

__all__ = ["Export", "as_slack", "export", "names", "plain", "user_id", "with_ts", "write_export"]

Json = dict[str, Any]
TEAM = "T02QX7M1Z"
LINK = re.compile(r"\[([^\]\n]+)\]\((https?://[^\s)]+)\)|(https?://[^\s)>`]*[^\s)>`.,;:!?\"'])")
MENTION = re.compile(r"@(\w+)")
GROUPS = frozenset({"here", "channel", "everyone"})
VERBS = {"join": "has joined the channel", "topic": "set the channel topic: ", "purpose": "set the channel purpose: "}
ABOUT = re.compile(rf"/({'|'.join(VERBS)})\b")
SLACKBOT = "USLACKBOT"


@dataclass(frozen=True)
class Export:
    """``messages`` as in a Slack export; ``ts`` of every key; ``chatter`` are the ts that no key names."""

    name: str
    channel: str
    messages: list[Json]
    ts: Mapping[str, str]
    chatter: frozenset[str]


@cache
def export(name: str) -> Export:
    """The channel JSON of one transcript, crowd included.

    Raises:
        written.Unreadable: the transcript does not follow its form.
    """
    transcript = crowded(read(name))
    stamped = with_ts(transcript)
    keys = {message.key: ts for message, ts in stamped if message.key}
    shown = [
        (message, as_slack(transcript, message, ts, keys))
        for message, ts in stamped
        if not message.deleted or _answered(message, transcript.messages)
    ]
    _threads(shown, keys)
    chatter = frozenset(ts for message, ts in stamped if not message.key)
    return Export(name, transcript.channel, [made for _, made in shown], keys, chatter)


def write_export(channel: Export, folder: Path) -> Path:
    """The channel's JSON as a file of its name. Returns: the file."""
    file = folder / f"{channel.channel}.json"
    file.write_text(json.dumps(channel.messages), encoding="utf-8")
    return file


def with_ts(transcript: Transcript) -> list[tuple[Message, str]]:
    """Each message with its ts."""
    return [(one, f"{int(one.at.timestamp())}.{_micro(number)}") for number, one in enumerate(transcript.messages)]


def plain(message: Message, people: Mapping[str, Person]) -> str:
    """What a reader sees of a message: mentions by display name, links by their text."""
    text = LINK.sub(lambda found: found[1] or found[3], message.text)
    return MENTION.sub(lambda found: f"@{people[found[1]].display}" if found[1] in people else found[0], text)


def user_id(person: Person) -> str:
    """The Slack id of a person or bot: the same in every run."""
    digest = hashlib.sha256(person.key.encode()).hexdigest()[:8].upper()
    return f"{'B' if person.bot else 'U'}{digest}"


def _micro(number: int) -> str:
    return f"{(number * 100 + 19) % 1_000_000:06d}"


def _answered(message: Message, messages: Iterable[Message]) -> bool:
    return bool(message.key) and any(other.parent == message.key and not other.deleted for other in messages)


def as_slack(transcript: Transcript, message: Message, ts: str, keys: Mapping[str, str]) -> Json:
    """One message as Slack holds it. ``keys``: the ts of each key."""
    who = message.who
    made: Json = {"type": "message", "ts": ts}
    if message.parent:
        made["thread_ts"] = keys[message.parent]
    if message.deleted:
        return made | {
            "subtype": "tombstone",
            "user": SLACKBOT,
            "text": "This message was deleted.",
            "hidden": True,
        }
    if ABOUT.match(message.text):
        return made | _about_the_channel(transcript, message)
    made |= _bot(who, message.text, transcript.people) if who.bot else _person(who, message.text, transcript.people)
    if message.broadcast:
        made["subtype"] = "thread_broadcast"
    if message.files:
        made["files"] = [_file(name, number, who) for number, name in enumerate(message.files)]
        made["upload"] = True
    if message.edited:
        made["edited"] = {"user": user_id(who), "ts": f"{int(message.edited.timestamp())}.000000"}
    if message.reactions:
        made["reactions"] = [
            {"name": name, "users": (ids := [user_id(transcript.people[key]) for key in users]), "count": len(ids)}
            for name, users in message.reactions
        ]
    return made


def _person(who: Person, text: str, people: Mapping[str, Person]) -> Json:
    return {
        "user": user_id(who),
        "text": _marked(text, people),
        "team": TEAM,
        "user_team": TEAM,
        "source_team": TEAM,
        "user_profile": {
            "real_name": who.name,
            "display_name": who.display,
            "first_name": who.name.partition(" ")[0],
            "name": who.key,
            "team": TEAM,
            "is_restricted": False,
        },
    }


def _bot(who: Person, text: str, people: Mapping[str, Person]) -> Json:
    title, _, rest = text.partition("\n")
    title, rest = _marked(title, people), _marked(rest, people)
    made: Json = {"subtype": "bot_message", "bot_id": user_id(who), "username": who.name, "text": ""}
    if who.bot == "attachment":
        made["attachments"] = [{"id": 1, "color": "a30200", "title": title, "text": rest, "fallback": title}]
    elif who.bot == "blocks":
        parts = [part for part in (f"*{title}*", rest) if part]
        made["text"] = title
        made["blocks"] = [
            {"type": "section", "block_id": f"b{number}", "text": {"type": "mrkdwn", "text": part, "verbatim": False}}
            for number, part in enumerate(parts)
        ]
    else:
        made["text"] = _marked(text, people)
    return made


def _about_the_channel(transcript: Transcript, message: Message) -> Json:
    kind, _, said = message.text[1:].partition(" ")
    user, said = user_id(message.who), _marked(said, transcript.people)
    made: Json = {"subtype": f"channel_{kind}", "user": user, "text": f"<@{user}> {VERBS[kind]}{said}"}
    return made | ({} if kind == "join" else {kind: said})


def _file(name: str, number: int, who: Person) -> Json:
    stem = hashlib.sha256(name.encode()).hexdigest()[:8].upper()
    return {
        "id": f"F{stem}{number}",
        "name": name,
        "title": name,
        "filetype": name.rpartition(".")[2],
        "user": user_id(who),
        "mode": "hosted",
        "is_external": False,
        "url_private": f"https://files.slack.com/files-pri/{TEAM}-F{stem}{number}/{name}",
    }


def _marked(text: str, people: Mapping[str, Person]) -> str:
    """Slack's own marks: escapes, links, mentions."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = LINK.sub(lambda found: f"<{found[2]}|{found[1]}>" if found[1] else f"<{found[3]}>", text)

    def mention(found: re.Match[str]) -> str:
        if found[1] in GROUPS:
            return f"<!{found[1]}>"
        return f"<@{user_id(people[found[1]])}>" if found[1] in people else found[0]

    return MENTION.sub(mention, text)


def _threads(shown: list[tuple[Message, Json]], keys: Mapping[str, str]) -> None:
    """What a parent holds of its replies."""
    parents = {made["ts"]: made for _, made in shown}
    for key in {message.parent for message, _ in shown if message.parent}:
        parent = parents[keys[key]]
        replies = [made for message, made in shown if message.parent == key]
        users = list(dict.fromkeys(made.get("user") or made["bot_id"] for made in replies))
        parent["thread_ts"] = parent["ts"]
        parent["reply_count"] = len(replies)
        parent["reply_users"], parent["reply_users_count"] = users, len(users)
        parent["latest_reply"] = replies[-1]["ts"]
        parent["replies"] = [{"user": made.get("user") or made["bot_id"], "ts": made["ts"]} for made in replies]
        for made in replies:
            made["parent_user_id"] = parent.get("user") or parent.get("bot_id", "")
