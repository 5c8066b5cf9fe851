"""chat.startStream, chat.appendStream, chat.stopStream: one message that grows.

Source: docs.slack.dev/reference/methods/chat.startStream, slack_sdk.models.messages.chunk.
"""

import time
from typing import Any

from bot.sandbox.arguments import Arguments
from bot.sandbox.blocks import MESSAGE_BLOCKS, check_blocks, check_metadata
from bot.sandbox.element_rules import ELEMENTS
from bot.sandbox.errors import InvalidBlocks, Refused
from bot.sandbox.messages import edit_message, message_at, post_as_bot, show_change, thread_root
from bot.sandbox.methods_sessions import change_status, check_status, end_stream
from bot.sandbox.rules import Problems, Rule, anything, choice, items, record, string, typed
from bot.sandbox.sandbox import Sandbox
from bot.sandbox.shapes import message_shape
from bot.sandbox.state import Channel, Json, Stream

_MARKDOWN = 12_000
_MODES = ("timeline", "plan", "dense")
_status = choice("pending", "in_progress", "complete", "error")
_CHUNKS: dict[str, Rule] = {
    "markdown_text": record({"text": string(_MARKDOWN)}, {}),
    "plan_update": record({"title": string(256)}, {}),
    "task_update": record(
        {"id": string(255), "title": string(256), "status": _status},
        {"details": string(256), "output": string(256), "sources": items(typed(ELEMENTS, {"url"}), 50, least=0)},
    ),
    "blocks": record({"blocks": items(anything, MESSAGE_BLOCKS)}, {}),
}


async def start_stream(sandbox: Sandbox, args: Arguments) -> Json:
    """chat.startStream: in a thread; in channels for a named recipient."""
    channel = sandbox.joined_channel(args.text("channel"))
    args.required("thread_ts")
    root = thread_root(channel, args.text("thread_ts"))
    if not channel.is_im:
        for name in ("recipient_team_id", "recipient_user_id"):
            if not args.text(name):
                raise Refused(f"missing_{name}")
        if args.text("recipient_user_id") not in sandbox.state.users:
            raise Refused("user_not_found")
    mode = args.text("task_display_mode", "timeline")
    if mode not in _MODES:
        raise Refused("invalid_arguments")
    stream = Stream(mode=mode, expires_at=time.monotonic() + sandbox.state.stream_life_s)
    _take_chunks(sandbox, stream, args)
    fields = {"text": stream.text, "blocks": _blocks(stream), "streaming_state": "in_progress"}
    message = post_as_bot(sandbox, channel, fields, thread_ts=root)
    sandbox.state.streams[channel.id, message["ts"]] = stream
    return {"channel": channel.id, "ts": message["ts"]}


async def append_stream(sandbox: Sandbox, args: Arguments) -> Json:
    """chat.appendStream."""
    channel, message, stream = _open_stream(sandbox, args)
    if not args.text("markdown_text") and not args.decoded("chunks"):
        raise Refused("no_text")
    _take_chunks(sandbox, stream, args)
    message.update(text=stream.text, blocks=_blocks(stream))
    show_change(sandbox, channel, message)
    return {"channel": channel.id, "ts": message["ts"]}


async def stop_stream(sandbox: Sandbox, args: Arguments) -> Json:
    """chat.stopStream: up to 50 more blocks at the end."""
    channel, message, stream = _open_stream(sandbox, args)
    blocks = check_blocks(sandbox.state, args.decoded("blocks"))
    metadata = check_metadata(args.decoded("metadata"))
    session_status = check_status(args.text("session_status"))
    _take_chunks(sandbox, stream, args)
    if not stream.text.strip() and not blocks and not stream.tasks and not stream.blocks:
        raise Refused("no_text")
    del sandbox.state.streams[channel.id, message["ts"]]
    fields: Json = {"text": stream.text, "blocks": _blocks(stream) + blocks, "streaming_state": "completed"}
    edit_message(sandbox, channel, message, fields | ({"metadata": metadata} if metadata else {}), by=message["user"])
    message.pop("edited", None)
    if session_status:
        change_status(sandbox, channel, str(message["thread_ts"]), session_status)
    return {"channel": channel.id, "ts": message["ts"], "message": message_shape(message, with_metadata=True)}


def _open_stream(sandbox: Sandbox, args: Arguments) -> tuple[Channel, Json, Stream]:
    channel = sandbox.app_channel(args.text("channel"))
    message = message_at(channel, args.text("ts"))
    if message.get("bot_id") != sandbox.state.bot_id:
        raise Refused("message_not_owned_by_app")
    stream = open_stream(sandbox, channel, message["ts"])
    if stream is None:
        raise Refused("message_not_in_streaming_state")
    return channel, message, stream


def open_stream(sandbox: Sandbox, channel: Channel, ts: str) -> Stream | None:
    """Returns: the stream that this message still is; one that has lived its time ends here."""
    stream = sandbox.state.streams.get((channel.id, ts))
    if stream and time.monotonic() > stream.expires_at:
        end_stream(sandbox, channel, ts)
        return None
    return stream


def _take_chunks(sandbox: Sandbox, stream: Stream, args: Arguments) -> None:
    chunks: Any = args.decoded("chunks") or []
    if len(args.text("markdown_text")) > _MARKDOWN:
        raise Refused("msg_too_long")
    problems: Problems = []
    items(typed(_CHUNKS), 100, least=0)(chunks, "/chunks", problems)
    if problems:
        raise InvalidBlocks(problems, code="invalid_chunks")
    for chunk in chunks:
        if chunk["type"] == "blocks":
            check_blocks(sandbox.state, chunk["blocks"])
    if len(stream.blocks) + sum(len(chunk.get("blocks", [])) for chunk in chunks) > MESSAGE_BLOCKS:
        raise Refused("msg_blocks_too_many")
    stream.text += args.text("markdown_text")
    for chunk in chunks:
        _take_chunk(stream, chunk)


def _take_chunk(stream: Stream, chunk: Json) -> None:
    if chunk["type"] == "markdown_text":
        stream.text += chunk["text"]
    elif chunk["type"] == "plan_update":
        stream.plan_title = chunk["title"]
    elif chunk["type"] == "blocks":
        stream.blocks += chunk["blocks"]
    else:
        task = stream.tasks.setdefault(chunk["id"], {"type": "task_card", "task_id": chunk["id"]})
        task |= {name: chunk[name] for name in ("title", "status", "sources") if name in chunk}
        for name in ("details", "output"):
            if chunk.get(name):
                task[name] = _rich_text(chunk[name])


def _rich_text(text: str) -> Json:
    section = {"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}
    return {"type": "rich_text", "elements": [section]}


def _blocks(stream: Stream) -> list[Json]:
    tasks = [dict(task) for task in stream.tasks.values()]
    if tasks and stream.mode == "plan":
        plan = {"type": "plan", "block_id": stream.block_id, "title": stream.plan_title or "Plan"}
        tasks = [plan | {"tasks": tasks}]
    text = [{"type": "markdown", "text": stream.text}] if stream.text else []
    return [*tasks, *text, *stream.blocks]


METHODS = {
    "chat.startStream": start_stream,
    "chat.appendStream": append_stream,
    "chat.stopStream": stop_stream,
}
