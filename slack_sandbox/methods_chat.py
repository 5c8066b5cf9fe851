"""chat.*, streams apart."""

from typing import Any

import slack_limits as limits
from slack_sandbox.api_objects import file_shape, message_shape
from slack_sandbox.arguments import Arguments
from slack_sandbox.block_validation import check_blocks, check_metadata
from slack_sandbox.errors import Refused
from slack_sandbox.messages import (
    delete_message,
    edit_message,
    message_at,
    post_as_bot,
    post_ephemeral,
    thread_root,
)
from slack_sandbox.methods_streams import open_stream
from slack_sandbox.sandbox import Sandbox
from slack_sandbox.state import Json

_CHANGED = ("text", "markdown_text", "blocks", "attachments", "metadata")


async def post_message(sandbox: Sandbox, args: Arguments) -> Json:
    """chat.postMessage: to a channel by id or name, or to a user by id."""
    channel = sandbox.joined_channel(sandbox.channel(args.text("channel")).id)
    fields = read_content(sandbox, args, most=limits.MESSAGE_TEXT_CHARS)
    metadata = check_metadata(args.decoded("metadata"))
    if metadata:
        fields["metadata"] = metadata
    thread_ts, broadcast = args.text("thread_ts"), args.flag("reply_broadcast")
    message = post_as_bot(sandbox, channel, fields, thread_ts=thread_root(channel, thread_ts), broadcast=broadcast)
    return {"channel": channel.id, "ts": message["ts"], "message": message_shape(message, with_metadata=True)} | (
        _warnings(args)
    )


async def update(sandbox: Sandbox, args: Arguments) -> Json:
    """chat.update: only the app's own messages; with blocks they do not count as edited, as in Slack."""
    channel = sandbox.app_channel(args.text("channel"))
    message = _own_message(sandbox, channel.messages.get(args.text("ts")), "cant_update_message")
    if open_stream(sandbox, channel, message["ts"]):
        raise Refused("streaming_state_conflict")
    fields = _changes(sandbox, args)
    if not any((message | fields).get(name) for name in ("text", "blocks", "attachments", "files")):
        raise Refused("no_text")
    edit_message(sandbox, channel, message, fields, by="" if fields.get("blocks") else sandbox.state.bot_user)
    shape = message_shape(message, with_metadata=True)
    return {"channel": channel.id, "ts": message["ts"], "text": message["text"], "message": shape}


def _changes(sandbox: Sandbox, args: Arguments) -> Json:
    """Returns: the fields that an update names, None for one that it removes; text without blocks removes those."""
    given = {name for name in _CHANGED if args.decoded(name) is not None}
    file_ids = args.decoded("file_ids")
    if not given and not isinstance(file_ids, list):
        raise Refused("no_text")
    content = read_content(sandbox, args, most=limits.UPDATED_TEXT_CHARS, may_be_empty=True)
    fields: Json = {}
    if given & {"text", "markdown_text"}:
        fields = {"text": content["text"], "blocks": content.get("blocks")}
    fields |= {name: content.get(name) for name in ("blocks", "attachments") if name in given}
    if "metadata" in given:
        fields["metadata"] = check_metadata(args.decoded("metadata") or None)
    if isinstance(file_ids, list):
        fields["files"] = _files(sandbox, file_ids)
    return fields


async def delete(sandbox: Sandbox, args: Arguments) -> Json:
    """chat.delete: only the app's own messages."""
    channel = sandbox.app_channel(args.text("channel"))
    message = _own_message(sandbox, channel.messages.get(args.text("ts")), "cant_delete_message")
    sandbox.state.streams.pop((channel.id, message["ts"]), None)
    delete_message(sandbox, channel, message)
    return {"channel": channel.id, "ts": args.text("ts")}


async def post_ephemeral_message(sandbox: Sandbox, args: Arguments) -> Json:
    """chat.postEphemeral: in a channel by id or name."""
    channel = sandbox.state.channel_named(args.text("channel"))
    channel = sandbox.joined_channel(channel.id if channel else "")
    (user,) = args.required("user")
    if user not in sandbox.state.users:
        raise Refused("user_not_found")
    if user not in channel.members:
        raise Refused("user_not_in_channel")
    fields = read_content(sandbox, args, most=limits.MESSAGE_TEXT_CHARS)
    root = thread_root(channel, args.text("thread_ts"))
    return {"message_ts": post_ephemeral(sandbox, channel, user, fields, thread_ts=root)}


async def get_permalink(sandbox: Sandbox, args: Arguments) -> Json:
    """chat.getPermalink: an address that the page opens."""
    channel = sandbox.app_channel(args.text("channel"))
    message = message_at(channel, args.text("message_ts"))
    link = f"{sandbox.config.base_url}/archives/{channel.id}/p{message['ts'].replace('.', '')}"
    if message.get("thread_ts", message["ts"]) != message["ts"]:
        link += f"?thread_ts={message['thread_ts']}&cid={channel.id}"
    return {"channel": channel.id, "permalink": link}


def read_content(sandbox: Sandbox, args: Arguments, *, most: int, may_be_empty: bool = False) -> Json:
    """Returns: `text` and, as far as there are any, `blocks` and `attachments` of a message, checked.

    Raises:
        Refused: no_text, msg_too_long, markdown_text_conflict, too_many_attachments, and what blocks raise.
    """
    text, markdown = args.text("text"), args.text("markdown_text")
    blocks = check_blocks(sandbox.state, args.decoded("blocks"))
    attachments: Any = args.decoded("attachments") or []
    if markdown:
        if text or blocks:
            raise Refused("markdown_text_conflict")
        if len(markdown) > limits.MARKDOWN_CHARS:
            raise Refused("msg_too_long")
        return {"text": markdown, "blocks": [{"type": "markdown", "text": markdown}]}
    if not isinstance(attachments, list) or not all(isinstance(item, dict) for item in attachments):
        raise Refused("invalid_attachments")
    if len(attachments) > limits.ATTACHMENTS:
        raise Refused("too_many_attachments")
    if not (text.strip() or blocks or attachments or may_be_empty):
        raise Refused("no_text")
    if len(text) > most:
        raise Refused("msg_too_long")
    for attachment in attachments:
        check_blocks(sandbox.state, attachment.get("blocks"))
    fields: Json = {"text": text}
    if blocks:
        fields["blocks"] = blocks
    if attachments:
        fields["attachments"] = attachments
    return fields


def _own_message(sandbox: Sandbox, message: Json | None, refusal: str) -> Json:
    if message is None:
        raise Refused("message_not_found")
    if message.get("bot_id") != sandbox.state.bot_id:
        raise Refused(refusal)
    return message


def _files(sandbox: Sandbox, ids: list[Any]) -> list[Json]:
    files = [sandbox.state.files.get(str(file_id)) for file_id in ids]
    if any(file is None for file in files):
        raise Refused("file_not_found")
    return [file_shape(sandbox.config, sandbox.state, file) for file in files if file]


def _warnings(args: Arguments) -> Json:
    if args.text("text") or args.decoded("blocks") is None:
        return {}
    return {"warning": "missing_text_in_message", "response_metadata": {"warnings": ["missing_text_in_message"]}}


METHODS = {
    "chat.postMessage": post_message,
    "chat.update": update,
    "chat.delete": delete,
    "chat.postEphemeral": post_ephemeral_message,
    "chat.getPermalink": get_permalink,
}
