"""How users, channels, files and messages look in the Web API and in events."""

import mimetypes
import struct
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from slack_sandbox.config import SandboxConfig
from slack_sandbox.state import Channel, File, Json, State, User

_HIDDEN = ("metadata",)


def user_shape(state: State, user: User) -> Json:
    """Returns: a user object as in `users.info`."""
    offset = datetime.now(ZoneInfo(user.tz)).utcoffset() if user.tz else None
    profile: Json = {
        "real_name": user.real_name,
        "real_name_normalized": user.real_name,
        "display_name": "" if user.is_bot else user.name,
        "display_name_normalized": "" if user.is_bot else user.name,
        "team": state.team_id,
    }
    if user.is_bot:
        profile |= {"bot_id": state.bot_id, "api_app_id": state.app_id}
    else:
        profile["email"] = user.email
    return {
        "id": user.id,
        "team_id": state.team_id,
        "name": user.name,
        "deleted": False,
        "real_name": user.real_name,
        "tz": user.tz,
        "tz_label": user.tz,
        "tz_offset": int(offset.total_seconds()) if offset else 0,
        "profile": profile,
        "is_admin": user.is_admin,
        "is_owner": user.is_admin,
        "is_restricted": False,
        "is_bot": user.is_bot,
        "is_app_user": False,
        "updated": 0,
    }


def channel_shape(state: State, channel: Channel) -> Json:
    """Returns: a conversation object as in `conversations.info`, seen by the bot."""
    shape: Json = {
        "id": channel.id,
        "created": channel.created,
        "is_archived": channel.is_archived,
        "is_im": channel.is_im,
        "is_org_shared": False,
        "context_team_id": state.team_id,
        "updated": channel.created * 1000,
    }
    if channel.is_im:
        return shape | {"user": channel.user, "is_user_deleted": False, "priority": 0}
    return shape | {
        "name": channel.name,
        "name_normalized": channel.name,
        "is_channel": not channel.is_private,
        "is_group": channel.is_private,
        "is_mpim": False,
        "is_private": channel.is_private,
        "is_general": channel.name == "general",
        "is_shared": False,
        "is_ext_shared": False,
        "is_member": state.bot_user in channel.members,
        "creator": channel.creator,
        "topic": {"value": channel.topic, "creator": "", "last_set": 0},
        "purpose": {"value": channel.purpose, "creator": "", "last_set": 0},
        "num_members": len(channel.members),
    }


def bot_shape(state: State) -> Json:
    """Returns: the app's bot as in `bots.info`."""
    bot = state.users[state.bot_user]
    return {
        "id": state.bot_id,
        "deleted": False,
        "name": bot.real_name,
        "updated": 0,
        "app_id": state.app_id,
        "user_id": bot.id,
        "icons": {},
    }


def bot_profile(state: State) -> Json:
    """Returns: `bot_profile` as messages of the app carry it."""
    return {key: value for key, value in bot_shape(state).items() if key != "user_id"} | {"team_id": state.team_id}


def message_shape(message: Json, *, with_metadata: bool = False) -> Json:
    """Returns: a message as history gives it; its metadata only when asked for."""
    if with_metadata:
        return dict(message)
    return {key: value for key, value in message.items() if key not in _HIDDEN}


def file_shape(config: SandboxConfig, state: State, file: File) -> Json:
    """Returns: a file object as in `files.info`; sizes of PNG pictures are read from their header."""
    mimetype = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    filetype = file.name.rpartition(".")[2].lower() if "." in file.name else "binary"
    url = f"{config.base_url}/files/{file.id}/{file.name}"
    shape: dict[str, Any] = {
        "id": file.id,
        "created": file.created,
        "timestamp": file.created,
        "name": file.name,
        "title": file.title,
        "mimetype": mimetype,
        "filetype": filetype,
        "pretty_type": filetype.upper(),
        "user": file.user,
        "user_team": state.team_id,
        "editable": False,
        "size": len(file.data or b""),
        "mode": "hosted",
        "is_external": False,
        "is_public": bool(file.shares),
        "public_url_shared": False,
        "url_private": url,
        "url_private_download": url,
        "permalink": url,
        "channels": [channel for channel in file.shares if channel.startswith("C")],
        "groups": [],
        "ims": [channel for channel in file.shares if channel.startswith("D")],
        "shares": {"public": dict(file.shares)} if file.shares else {},
        "has_rich_preview": False,
        "file_access": "visible",
    }
    if file.alt_text:
        shape["alt_txt"] = file.alt_text
    if file.data and file.data[:8] == b"\x89PNG\r\n\x1a\n":
        shape["original_w"], shape["original_h"] = struct.unpack(">II", file.data[16:24])
    return shape
