"""bookmarks.*: links under a channel's name.

Source: docs.slack.dev/reference/methods/bookmarks.add
"""

import time
from urllib.parse import urlsplit

from slack_sandbox.arguments import Arguments
from slack_sandbox.channels import show_channel
from slack_sandbox.errors import Refused
from slack_sandbox.sandbox import Sandbox
from slack_sandbox.state import Channel, Json, new_id

_MOST = 100


async def add(sandbox: Sandbox, args: Arguments) -> Json:
    """bookmarks.add: links only."""
    channel = sandbox.joined_channel(args.text("channel_id"))
    title, kind = args.required("title", "type")
    if kind != "link":
        raise Refused("invalid_bookmark_type")
    link = _link(args.text("link"))
    if len(channel.bookmarks) >= _MOST:
        raise Refused("too_many_bookmarks")
    now, bookmark_id = int(time.time()), new_id("Bk")
    channel.bookmarks[bookmark_id] = {
        "id": bookmark_id,
        "channel_id": channel.id,
        "title": title,
        "link": link,
        "emoji": args.text("emoji"),
        "icon_url": None,
        "type": "link",
        "entity_id": None,
        "date_created": now,
        "date_updated": 0,
        "rank": str(len(channel.bookmarks)),
        "last_updated_by_user_id": sandbox.state.bot_user,
        "last_updated_by_team_id": sandbox.state.team_id,
        "shortcut_id": None,
        "app_id": None,
    }
    show_channel(sandbox, channel)
    return {"bookmark": channel.bookmarks[bookmark_id]}


async def edit(sandbox: Sandbox, args: Arguments) -> Json:
    """bookmarks.edit: title, link and emoji, as far as they are given."""
    channel, bookmark = _bookmark(sandbox, args)
    if args.text("link"):
        bookmark["link"] = _link(args.text("link"))
    bookmark |= {name: args.text(name) for name in ("title", "emoji") if args.text(name)}
    bookmark["date_updated"] = int(time.time())
    show_channel(sandbox, channel)
    return {"bookmark": bookmark}


async def remove(sandbox: Sandbox, args: Arguments) -> Json:
    """bookmarks.remove."""
    channel, bookmark = _bookmark(sandbox, args)
    del channel.bookmarks[bookmark["id"]]
    show_channel(sandbox, channel)
    return {}


async def list_bookmarks(sandbox: Sandbox, args: Arguments) -> Json:
    """bookmarks.list: oldest first."""
    return {"bookmarks": list(sandbox.joined_channel(args.text("channel_id")).bookmarks.values())}


def _bookmark(sandbox: Sandbox, args: Arguments) -> tuple[Channel, Json]:
    channel = sandbox.joined_channel(args.text("channel_id"))
    bookmark = channel.bookmarks.get(args.text("bookmark_id"))
    if bookmark is None:
        raise Refused("not_found")
    return channel, bookmark


def _link(link: str) -> str:
    if urlsplit(link).scheme not in {"http", "https"}:
        raise Refused("invalid_link")
    return link


METHODS = {
    "bookmarks.add": add,
    "bookmarks.edit": edit,
    "bookmarks.list": list_bookmarks,
    "bookmarks.remove": remove,
}
