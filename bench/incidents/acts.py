"""A transcript as what people did, one act after another, for the control API of the local Slack."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from bench.incidents.crowd import crowded
from bench.incidents.transcripts import as_slack, user_id, with_ts
from bench.incidents.written import Message, Transcript, read

Json = dict[str, Any]
REACTED = timedelta(milliseconds=1)
"""So long after a message come the reactions to it."""


@dataclass(frozen=True)
class Act:
    """What somebody did to the message with this ``ts``: ``verb`` of the control API with its ``body``, and when."""

    at: datetime
    verb: str
    body: Json
    ts: str


def people(name: str) -> list[Json]:
    """Those who speak or are spoken of in a transcript, as the control API takes them; apps are not people."""
    return people_of(crowded(read(name)))


def people_of(transcript: Transcript) -> list[Json]:
    """The same of a transcript that was read."""
    return [
        {"id": user_id(person), "name": person.display, "real_name": person.name, "tz": ""}
        for person in transcript.people.values()
        if not person.bot
    ]


def acts(name: str, channel: str) -> list[Act]:
    """All acts of a transcript in the order they happened, in a channel of the local Slack."""
    transcript = crowded(read(name))
    keys = {message.key: ts for message, ts in with_ts(transcript) if message.key}
    done = (act for message, ts in with_ts(transcript) for act in _acts(transcript, message, ts, keys))
    return sorted((replace(act, body={"channel": channel, **act.body}) for act in done), key=lambda act: act.at)


def _acts(transcript: Transcript, message: Message, ts: str, keys: dict[str, str]) -> Iterator[Act]:
    who = user_id(message.who)
    first = replace(message, text=message.before or message.text, edited=None, deleted=None, reactions=[])
    yield Act(message.at, "past", {"message": as_slack(transcript, first, ts, keys)}, ts)
    for name, users in message.reactions:
        for user in users:
            body = {"ts": ts, "name": name, "user": user_id(transcript.people[user])}
            yield Act(message.at + REACTED, "reaction", body, ts)
    if message.edited:
        later = replace(first, text=message.text)
        body = {"message": as_slack(transcript, later, ts, keys), "at": _ts(message.edited)}
        yield Act(message.edited, "past", body, ts)
    if message.deleted:
        yield Act(message.deleted, "delete", {"ts": ts, "user": who}, ts)


def _ts(at: datetime) -> str:
    return f"{int(at.astimezone(UTC).timestamp())}.000000"
