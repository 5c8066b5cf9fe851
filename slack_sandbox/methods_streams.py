"""chat.startStream, chat.appendStream, chat.stopStream: one message that grows. `dense` tasks stand one by one, too.

Source: docs.slack.dev/reference/methods/chat.startStream, slack_sdk.models.messages.chunk.
"""

import copy
import time
from collections.abc import Callable
from typing import Any

import slack_limits as limits
from slack_sandbox.api_objects import message_shape
from slack_sandbox.arguments import Arguments
from slack_sandbox.block_tree import with_ids
from slack_sandbox.block_validation import check_blocks, check_length, check_metadata
from slack_sandbox.element_rules import ELEMENTS
from slack_sandbox.errors import InvalidBlocks, Refused
from slack_sandbox.json_rules import Problems, Rule, anything, choice, items, record, string, typed
from slack_sandbox.messages import edit_message, message_at, post_as_bot, show_change, thread_root
from slack_sandbox.methods_agent_sessions import change_status, check_status, end_stream
from slack_sandbox.sandbox import Sandbox
from slack_sandbox.state import Channel, Json, Stream, new_id

_MODES = ("timeline", "plan", "dense")
_status = choice("pending", "in_progress", "complete", "error")
_CHUNKS: dict[str, Rule] = {
    "markdown_text": record({"text": string(limits.MARKDOWN_CHARS)}, {}),
    "plan_update": record({"title": string(256)}, {}),
    "task_update": record(
        {"id": string(limits.ID_CHARS), "title": string(256), "status": _status},
        {"details": string(256), "output": string(256), "sources": items(typed(ELEMENTS, {"url"}), 50, least=0)},
    ),
    "blocks": record({"blocks": items(anything, limits.MESSAGE_BLOCKS)}, {}),
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
    stream = _grown(sandbox, Stream(mode, time.monotonic() + sandbox.state.stream_life_s), args, [])
    fields = {"text": stream.text, "blocks": stream.blocks, "streaming_state": "in_progress"}
    message = post_as_bot(sandbox, channel, fields, thread_ts=root)
    sandbox.state.streams[channel.id, message["ts"]] = stream
    return {"channel": channel.id, "ts": message["ts"]}


async def append_stream(sandbox: Sandbox, args: Arguments) -> Json:
    """chat.appendStream."""
    channel, message, stream = _streaming(sandbox, args, "stopped_by_user")
    if not args.text("markdown_text") and not args.decoded("chunks"):
        raise Refused("no_text")
    stream = _grown(sandbox, stream, args, [])
    sandbox.state.streams[channel.id, message["ts"]] = stream
    message.update(text=stream.text, blocks=stream.blocks)
    show_change(sandbox, channel, message)
    return {"channel": channel.id, "ts": message["ts"]}


async def stop_stream(sandbox: Sandbox, args: Arguments) -> Json:
    """chat.stopStream: up to 50 more blocks at the end."""
    channel, message, stream = _streaming(sandbox, args, "message_not_in_streaming_state")
    blocks = check_blocks(sandbox.state, args.decoded("blocks"))
    metadata = check_metadata(args.decoded("metadata"))
    session_status = check_status(args.text("session_status"))
    stream = _grown(sandbox, stream, args, blocks)
    if not stream.blocks and not blocks:
        raise Refused("no_text")
    del sandbox.state.streams[channel.id, message["ts"]]
    fields: Json = {"text": stream.text, "blocks": stream.blocks + blocks, "streaming_state": "completed"}
    edit_message(sandbox, channel, message, fields | ({"metadata": metadata} if metadata else {}))
    if session_status:
        change_status(sandbox, channel, str(message["thread_ts"]), session_status)
    return {"channel": channel.id, "ts": message["ts"], "message": message_shape(message, with_metadata=True)}


def _streaming(sandbox: Sandbox, args: Arguments, when_stopped: str) -> tuple[Channel, Json, Stream]:
    channel = sandbox.app_channel(args.text("channel"))
    message = message_at(channel, args.text("ts"))
    if message.get("bot_id") != sandbox.state.bot_id:
        raise Refused("message_not_owned_by_app")
    stream = open_stream(sandbox, channel, message["ts"])
    if stream is None:
        was_stopped = (channel.id, message["ts"]) in sandbox.state.stopped
        raise Refused(when_stopped if was_stopped else "message_not_in_streaming_state")
    return channel, message, stream


def open_stream(sandbox: Sandbox, channel: Channel, ts: str) -> Stream | None:
    """Returns: the stream that this message still is; one that has lived its time ends here."""
    stream = sandbox.state.streams.get((channel.id, ts))
    if stream and time.monotonic() > stream.expires_at:
        end_stream(sandbox, channel, ts)
        return None
    return stream


def _grown(sandbox: Sandbox, stream: Stream, args: Arguments, ending: list[Json]) -> Stream:
    """Returns: a stream with what the call adds; it must still fit in one message with the blocks at its end."""
    chunks: Any = args.decoded("chunks") or []
    problems: Problems = []
    items(typed(_CHUNKS), 100, least=0)(chunks, "/chunks", problems)
    if problems:
        raise InvalidBlocks(problems, code="invalid_chunks")
    grown = copy.deepcopy(stream)
    if args.text("markdown_text"):
        _write(grown, args.text("markdown_text"))
    for chunk in chunks:
        if chunk["type"] == "blocks":
            check_blocks(sandbox.state, chunk["blocks"])
        _ADD[chunk["type"]](grown, chunk)
    if grown.given > limits.MESSAGE_BLOCKS:
        raise Refused("msg_blocks_too_many")
    if len(grown.text) > limits.MARKDOWN_CHARS:
        raise Refused("msg_too_long")
    check_length(grown.blocks + ending)
    return grown


def _write(stream: Stream, text: str) -> None:
    if not stream.writing:
        stream.blocks.append({"type": "markdown", "block_id": new_id("", 5), "text": ""})
    stream.blocks[-1]["text"] += text
    stream.text += text
    stream.writing = True


def _add_blocks(stream: Stream, chunk: Json) -> None:
    stream.blocks += with_ids(chunk["blocks"])
    stream.given += len(chunk["blocks"])
    stream.writing = False


def _add_task(stream: Stream, chunk: Json) -> None:
    cards = _plan(stream)["tasks"] if stream.mode == "plan" else stream.blocks
    task = next((card for card in cards if card.get("task_id") == chunk["id"]), None)
    if task is None:
        task = {"type": "task_card", "block_id": new_id("", 5), "task_id": chunk["id"]}
        cards.append(task)
        stream.writing = stream.writing and stream.blocks[-1]["type"] == "markdown"
    task |= {name: chunk[name] for name in ("title", "status", "sources") if name in chunk}
    task |= {name: _rich_text(chunk[name]) for name in ("details", "output") if chunk.get(name)}


def _title_plan(stream: Stream, chunk: Json) -> None:
    stream.plan_title = chunk["title"]
    for block in stream.blocks:
        if block["type"] == "plan":
            block["title"] = chunk["title"]


def _plan(stream: Stream) -> Json:
    """The block of all tasks, which stands where the first task came."""
    for block in stream.blocks:
        if block["type"] == "plan":
            return block
    plan: Json = {"type": "plan", "block_id": new_id("", 5), "title": stream.plan_title, "tasks": []}
    stream.blocks.append(plan)
    return plan


def _rich_text(text: str) -> Json:
    section = {"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}
    return {"type": "rich_text", "elements": [section]}


_ADD: dict[str, Callable[[Stream, Json], None]] = {
    "markdown_text": lambda stream, chunk: _write(stream, chunk["text"]),
    "plan_update": _title_plan,
    "blocks": _add_blocks,
    "task_update": _add_task,
}
METHODS = {
    "chat.startStream": start_stream,
    "chat.appendStream": append_stream,
    "chat.stopStream": stop_stream,
}
