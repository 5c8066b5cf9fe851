"""What a person can do with a channel, by name, as `acts` lists it."""

from collections.abc import Awaitable, Callable

from slack_sandbox.channels import (
    add_member,
    archive_channel,
    create_channel,
    describe_channel,
    remove_member,
    rename_channel,
    unarchive_channel,
)
from slack_sandbox.errors import Refused
from slack_sandbox.sandbox import Sandbox
from slack_sandbox.state import Channel, Json


async def _create(sandbox: Sandbox, user: str, body: Json) -> Json:
    """`guests` are invited, also the app by its handle."""
    guests = [sandbox.person(guest, "") for guest in body.get("guests") or []]
    by = sandbox.person(body.get("user"), user)
    is_private = bool(body.get("is_private"))
    channel = create_channel(sandbox, str(body.get("name", "")), by, is_private=is_private, guests=guests)
    return {"ok": True, "channel": channel.id}


async def _rename(sandbox: Sandbox, user: str, body: Json) -> Json:  # noqa: ARG001
    rename_channel(sandbox, _channel(sandbox, body), str(body.get("name", "")))
    return {"ok": True}


async def _invite(sandbox: Sandbox, user: str, body: Json) -> Json:
    channel = _channel(sandbox, body)
    if not add_member(sandbox, channel, _guest(sandbox, body), inviter=user):
        raise Refused("already_in_channel")
    return {"ok": True}


async def _kick(sandbox: Sandbox, user: str, body: Json) -> Json:
    remove_member(sandbox, _channel(sandbox, body), _guest(sandbox, body), by=user)
    return {"ok": True}


async def _archive(sandbox: Sandbox, user: str, body: Json) -> Json:
    archive_channel(sandbox, _channel(sandbox, body), by=sandbox.person(body.get("user"), user))
    return {"ok": True}


async def _unarchive(sandbox: Sandbox, user: str, body: Json) -> Json:
    unarchive_channel(sandbox, _channel(sandbox, body), by=sandbox.person(body.get("user"), user))
    return {"ok": True}


async def _topic(sandbox: Sandbox, user: str, body: Json) -> Json:
    by = sandbox.person(body.get("user"), user)
    describe_channel(sandbox, _channel(sandbox, body), "topic", str(body.get("topic", "")), by=by)
    return {"ok": True}


def _channel(sandbox: Sandbox, body: Json) -> Channel:
    return sandbox.channel(str(body.get("channel", "")))


def _guest(sandbox: Sandbox, body: Json) -> str:
    guest = sandbox.person(body.get("user"), "")
    if not guest:
        raise Refused("user_not_found")
    return guest


CHANNEL_ACTS: dict[str, Callable[[Sandbox, str, Json], Awaitable[Json]]] = {
    "channel": _create,
    "rename": _rename,
    "invite": _invite,
    "kick": _kick,
    "archive": _archive,
    "unarchive": _unarchive,
    "topic": _topic,
}
