"""conversations.*, as far as they read."""

import base64
import binascii
from collections.abc import Sequence
from typing import Any, TypeVar

from slack_sandbox.api_objects import channel_shape, message_shape
from slack_sandbox.arguments import Arguments
from slack_sandbox.errors import Refused
from slack_sandbox.rate_limits import LONGEST_PAGE
from slack_sandbox.sandbox import Sandbox
from slack_sandbox.state import Channel, Json

_PAGE = 100
_TYPES = {"im": "im", "group": "private_channel", "channel": "public_channel"}
_T = TypeVar("_T")


async def history(sandbox: Sandbox, args: Arguments) -> Json:
    """conversations.history: top-level messages, newest first."""
    channel = sandbox.member_channel(args.text("channel"))
    chosen = _between(args, channel.top)[::-1]
    page, cursor = page_of(args, chosen, sandbox.rates.longest_page)
    return _messages(channel, page, cursor, args) | {
        "pin_count": len(channel.pins),
        "channel_actions_ts": None,
        "channel_actions_count": 0,
    }


async def replies(sandbox: Sandbox, args: Arguments) -> Json:
    """conversations.replies: the thread's root, then its replies, oldest first; root first on every page."""
    channel = sandbox.member_channel(args.text("channel"))
    message = channel.messages.get(args.text("ts"))
    if message is None:
        raise Refused("thread_not_found")
    root = str(message.get("thread_ts", message["ts"]))
    page, cursor = page_of(args, _between(args, channel.threads.get(root, [])), sandbox.rates.longest_page)
    return _messages(channel, [root, *page], cursor, args)


async def info(sandbox: Sandbox, args: Arguments) -> Json:
    """conversations.info."""
    shape = channel_shape(sandbox.state, sandbox.app_channel(args.text("channel")))
    if not args.flag("include_num_members"):
        shape.pop("num_members", None)
    return {"channel": shape}


async def list_channels(sandbox: Sandbox, args: Arguments) -> Json:
    """conversations.list; public channels when no types are named."""
    types = set(args.text("types", "public_channel").replace(" ", "").split(","))
    if not types <= {"public_channel", "private_channel", "mpim", "im"}:
        raise Refused("invalid_types")
    hidden = args.flag("exclude_archived")
    chosen = [
        channel
        for channel in sandbox.state.channels.values()
        if _TYPES[channel.kind] in types
        and not (hidden and channel.is_archived)
        and (channel.kind == "channel" or sandbox.state.bot_user in channel.members)
    ]
    page, cursor = page_of(args, chosen)
    shapes = [channel_shape(sandbox.state, channel) for channel in page]
    return {"channels": shapes, "response_metadata": {"next_cursor": cursor}}


async def of_user(sandbox: Sandbox, args: Arguments) -> Json:
    """users.conversations: those that the app is a member of; public channels when no types are named."""
    types = set(args.text("types", "public_channel").replace(" ", "").split(","))
    if not types <= {"public_channel", "private_channel", "mpim", "im"}:
        raise Refused("invalid_types")
    hidden, bot = args.flag("exclude_archived"), sandbox.state.bot_user
    chosen = [
        channel
        for channel in sandbox.state.channels.values()
        if _TYPES[channel.kind] in types and not (hidden and channel.is_archived) and bot in channel.members
    ]
    page, cursor = page_of(args, chosen)
    shapes = [channel_shape(sandbox.state, channel) for channel in page]
    return {"channels": shapes, "response_metadata": {"next_cursor": cursor}}


async def members(sandbox: Sandbox, args: Arguments) -> Json:
    """conversations.members."""
    page, cursor = page_of(args, sandbox.app_channel(args.text("channel")).members)
    return {"members": page, "response_metadata": {"next_cursor": cursor}}


async def open_channel(sandbox: Sandbox, args: Arguments) -> Json:
    """conversations.open: direct messages with one user."""
    if args.text("channel"):
        channel = sandbox.app_channel(args.text("channel"))
    else:
        users = args.values.get("users")
        names = [str(name) for name in users] if isinstance(users, list) else args.text("users").split(",")
        names = [name.strip() for name in names if name.strip()]
        if not names:
            raise Refused("users_list_not_supplied")
        if len(names) > 1:
            raise Refused("method_not_supported_for_channel_type")
        if names[0] not in sandbox.state.users or names[0] == sandbox.state.bot_user:
            raise Refused("user_not_found")
        channel = sandbox.state.im_with(names[0])
    shape = channel_shape(sandbox.state, channel) if args.flag("return_im") else {"id": channel.id}
    return {"channel": shape, "no_op": True, "already_open": True}


def _between(args: Arguments, stamps: list[str]) -> list[str]:
    oldest, latest, inclusive = args.text("oldest"), args.text("latest"), args.flag("inclusive")
    low, high = _instant(oldest, "invalid_ts_oldest"), _instant(latest, "invalid_ts_latest")
    if low is None and high is None:
        return stamps
    chosen = []
    for ts in stamps:
        at = float(ts)
        after = low is None or at > low or (inclusive and ts == oldest)
        before = high is None or at < high or (inclusive and ts == latest)
        if after and before:
            chosen.append(ts)
    return chosen


def _instant(value: str, refusal: str) -> float | None:
    if value in {"", "0", "now"}:
        return None
    try:
        return float(value)
    except ValueError as error:
        raise Refused(refusal) from error


def page_of(args: Arguments, values: Sequence[_T], longest: int = LONGEST_PAGE) -> tuple[list[_T], str]:
    """Returns: one page of values by `cursor` and `limit`, at most `longest`, and the next page's cursor ("" for none).

    Raises:
        Refused: invalid_cursor, invalid_limit.
    """
    limit = min(args.number("limit", _PAGE, least=1, most=LONGEST_PAGE), longest)
    start = 0
    if cursor := args.text("cursor"):
        try:
            start = int(base64.b64decode(cursor, validate=True).decode().removeprefix("offset:"))
        except (binascii.Error, UnicodeDecodeError, ValueError) as error:
            raise Refused("invalid_cursor") from error
    rest = start + limit < len(values)
    following = base64.b64encode(f"offset:{start + limit}".encode()).decode() if rest else ""
    return list(values[start : start + limit]), following


def _messages(channel: Channel, stamps: list[str], cursor: str, args: Arguments) -> Json:
    with_metadata = args.flag("include_all_metadata")
    shapes: list[Any] = [message_shape(channel.messages[ts], with_metadata=with_metadata) for ts in stamps]
    answer: Json = {"messages": shapes, "has_more": bool(cursor)}
    return answer | ({"response_metadata": {"next_cursor": cursor}} if cursor else {})


METHODS = {
    "conversations.history": history,
    "conversations.replies": replies,
    "conversations.info": info,
    "conversations.list": list_channels,
    "conversations.members": members,
    "conversations.open": open_channel,
    "users.conversations": of_user,
}
