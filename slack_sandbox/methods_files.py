"""files.*: an upload is a URL, its bytes, and its completion.

Source: docs.slack.dev/messaging/working-with-files
"""

import secrets
import time
from typing import Any

from slack_sandbox.api_objects import file_shape
from slack_sandbox.arguments import Arguments
from slack_sandbox.block_validation import check_blocks
from slack_sandbox.errors import Refused
from slack_sandbox.messages import post_as_bot, show_change, thread_root
from slack_sandbox.sandbox import Sandbox
from slack_sandbox.state import Channel, File, Json, new_id

_LONGEST = 1_000_000_000
_ALT_TEXT = 1000


async def get_upload_url(sandbox: Sandbox, args: Arguments) -> Json:
    """files.getUploadURLExternal."""
    name, length = args.required("filename", "length")
    if not length.isdigit() or not 0 < int(length) <= _LONGEST:
        raise Refused("invalid_arguments")
    if len(args.text("alt_txt")) > _ALT_TEXT:
        raise Refused("alt_txt_too_large")
    file = File(
        id=new_id("F"),
        name=name.rsplit("/", maxsplit=1)[-1],
        title=name,
        length=int(length),
        user=sandbox.state.bot_user,
        created=int(time.time()),
        ticket=secrets.token_urlsafe(24),
        alt_text=args.text("alt_txt"),
    )
    sandbox.state.files[file.id] = file
    return {"upload_url": f"{sandbox.config.base_url}/upload/v1/{file.ticket}", "file_id": file.id}


async def complete_upload(sandbox: Sandbox, args: Arguments) -> Json:
    """files.completeUploadExternal: completes files and shares them in the channels named, when any is."""
    wanted = args.decoded("files")
    if not isinstance(wanted, list) or not wanted or not all(isinstance(item, dict) for item in wanted):
        raise Refused("invalid_arguments")
    files = [_uploaded(sandbox, item) for item in wanted]
    names = [name.strip() for name in (args.text("channel_id") or args.text("channels")).split(",") if name.strip()]
    channels = [sandbox.joined_channel(name) for name in names]
    roots = [thread_root(channel, args.text("thread_ts")) for channel in channels]
    blocks = check_blocks(sandbox.state, args.decoded("blocks"))
    for file, item in zip(files, wanted, strict=True):
        file.completed = True
        file.title = str(item.get("title") or file.name)
    for channel, root in zip(channels, roots, strict=True):
        _share(
            sandbox,
            channel,
            root,
            files,
            {"text": args.text("initial_comment")} | ({"blocks": blocks} if blocks else {}),
        )
    return {"files": [file_shape(sandbox.config, sandbox.state, file) for file in files]}


async def files_info(sandbox: Sandbox, args: Arguments) -> Json:
    """files.info."""
    file = _file(sandbox, args.text("file"))
    return {
        "file": file_shape(sandbox.config, sandbox.state, file),
        "comments": [],
        "response_metadata": {"next_cursor": ""},
    }


async def files_delete(sandbox: Sandbox, args: Arguments) -> Json:
    """files.delete: also takes it out of the messages that share it."""
    file = _file(sandbox, args.text("file"))
    del sandbox.state.files[file.id]
    for channel_id, shares in file.shares.items():
        channel = sandbox.state.channels[channel_id]
        for share in shares:
            message = channel.messages.get(share["ts"])
            if message:
                gone = {"id": file.id, "mode": "tombstone"}
                message["files"] = [gone if item["id"] == file.id else item for item in message.get("files", [])]
                show_change(sandbox, channel, message)
    return {}


def receive_upload(sandbox: Sandbox, ticket: str, data: bytes) -> bool:
    """Stores an upload's bytes.

    Returns: False for an unknown ticket or a length other than the one announced.
    """
    for file in sandbox.state.files.values():
        if secrets.compare_digest(file.ticket, ticket) and not file.completed:
            if len(data) != file.length:
                return False
            file.data = data
            return True
    return False


def file_for_app(sandbox: Sandbox, file_id: str, authorization: str) -> File | None:
    """Returns: a private file for the bot token in an Authorization header; None when that does not open it."""
    try:
        grant = sandbox.grants.use(authorization.removeprefix("Bearer "))
        return _file(sandbox, file_id) if "files:read" in grant.scopes else None
    except Refused:
        return None


def _file(sandbox: Sandbox, file_id: str) -> File:
    file = sandbox.state.files.get(file_id)
    if file is None or not file.completed:
        raise Refused("file_not_found")
    return file


def _uploaded(sandbox: Sandbox, item: dict[str, Any]) -> File:
    file = sandbox.state.files.get(str(item.get("id")))
    if file is None or file.data is None or file.completed:
        raise Refused("file_not_found")
    return file


def _share(sandbox: Sandbox, channel: Channel, root: str, files: list[File], fields: Json) -> None:
    for file in files:
        file.shares.setdefault(channel.id, [])
    shapes = [file_shape(sandbox.config, sandbox.state, file) for file in files]
    message = post_as_bot(sandbox, channel, fields | {"files": shapes, "upload": True}, thread_ts=root)
    share: Json = {"ts": message["ts"], "channel_name": channel.name, "team_id": sandbox.state.team_id}
    share |= {"share_user_id": sandbox.state.bot_user, "source": "UNKNOWN", "is_silent_share": False}
    if root:
        share["thread_ts"] = root
    for file in files:
        file.shares[channel.id].append(share)


METHODS = {
    "files.getUploadURLExternal": get_upload_url,
    "files.completeUploadExternal": complete_upload,
    "files.info": files_info,
    "files.delete": files_delete,
}
