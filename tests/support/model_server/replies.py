"""What the programmable Messages API server (``messages_server.py``) can answer: good replies, and every bad one.

A reply is a value; wrappers such as `slow` and `cut` take another reply. All work with ``stream`` on and off.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
Block = dict[str, Any]
Event = tuple[str, Any]
PIECES = 8


@dataclass(frozen=True)
class Message:
    """A whole message."""

    content: tuple[Block, ...]
    stop_reason: str | None = "end_turn"
    stop_details: dict[str, Any] | None = None


@dataclass(frozen=True)
class Status:
    """An error instead of a message."""

    code: int
    message: str
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def body(self) -> dict[str, Any]:
        """As the API words it."""
        return error_body(TYPES.get(self.code, "api_error"), self.message)


@dataclass(frozen=True)
class Raw:
    """Bytes of another sort: a proxy's page, or a stream of ``events`` as they stand."""

    body: bytes
    code: int = 200
    content_type: str = "text/html"


@dataclass(frozen=True)
class Slow:
    """Seconds before the status line, and before each event after the first."""

    first_byte_s: float
    between_s: float
    reply: Reply


@dataclass(frozen=True)
class Broken:
    """A reply that ends after some events; without ``stream``, in the middle of its body.

    ``how``: ``cut`` ends the stream as if it were complete, ``drop`` closes the connection inside the body, ``reset``
    resets it, ``stall`` keeps silent until the client leaves, ``error`` sends an error event. ``half``: half of one
    more event is sent before.
    """

    reply: Reply
    after_events: int
    how: Literal["cut", "drop", "reset", "stall", "error"]
    error: str = "overloaded_error"
    half: bool = False


@dataclass(frozen=True)
class Odd:
    """Events that no client expects. ``extra`` adds pings and unknown types to a good reply."""

    reply: Reply
    sort: Literal["extra", "order", "index"]


Reply = Message | Status | Raw | Slow | Broken | Odd


def say(text: str, *, stop_reason: str | None = "end_turn") -> Message:
    """Text."""
    return Message(({"type": "text", "text": text},), stop_reason)


def say_json(value: Any) -> Message:
    """A JSON value as text, as structured outputs come."""
    return say(json.dumps(value))


def call_tools(calls: Sequence[tuple[str, dict[str, Any] | str]], text: str = "") -> Message:
    """Tool calls side by side. Arguments given as text are sent as they stand, valid JSON or not."""
    said = ({"type": "text", "text": text},) if text else ()
    blocks = ({"type": "tool_use", "name": name, "input": arguments} for name, arguments in calls)
    return Message((*said, *blocks), "tool_use")


def think(thought: str, then: Message, signature: str = "signed") -> Message:
    """A thought before a message."""
    block = {"type": "thinking", "thinking": thought, "signature": signature}
    return Message((block, *then.content), then.stop_reason, then.stop_details)


def refuse(text: str = "") -> Message:
    """The model declines."""
    details = {"type": "refusal", "category": "cyber", "explanation": "This request may enable harm."}
    return Message(say(text).content if text else (), "refusal", details)


def too_long(text: str = '{"claims": [{"template": "p95 on {E1.endp') -> Message:
    """Cut off by ``max_tokens``."""
    return say(text, stop_reason="max_tokens")


def huge(n_bytes: int) -> Message:
    """A long text."""
    return say("x" * n_bytes)


def status(code: int, message: str = "", *, retry_after: str = "", **headers: str) -> Status:
    """An error of the API; ``retry_after`` in seconds or as a date. Other headers: ``x_should_retry="false"``."""
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    given |= {"retry-after": retry_after} if retry_after else {}
    return Status(code, message or TYPES.get(code, "api_error").replace("_", " "), given)


def html(code: int = 502) -> Raw:
    """A page of a proxy in between."""
    return Raw(b"<html><body><h1>Bad gateway</h1></body></html>", code)


def garbage() -> Raw:
    """A stream, by its type, whose data is no JSON."""
    return Raw(b"event: message_start\ndata: {not json\n\n", content_type="text/event-stream")


def slow(first_byte_s: float, between_s: float, reply: Reply) -> Slow:
    """Late, and slowly."""
    return Slow(first_byte_s, between_s, reply)


def cut(reply: Reply, after_events: int = 3, *, half: bool = False) -> Broken:
    """The stream ends properly, but half way: no stop reason is ever sent."""
    return Broken(reply, after_events, "cut", half=half)


def drop(reply: Reply, after_events: int = 3, *, half: bool = False) -> Broken:
    """The connection is closed inside the body."""
    return Broken(reply, after_events, "drop", half=half)


def reset(reply: Reply, after_events: int = 3) -> Broken:
    """The connection is reset."""
    return Broken(reply, after_events, "reset")


def stall(reply: Reply, after_events: int = 3) -> Broken:
    """Silence, until the client leaves."""
    return Broken(reply, after_events, "stall")


def stream_error(reply: Reply, after_events: int = 3, error: str = "overloaded_error") -> Broken:
    """An error event in the middle of a stream that began with 200."""
    return Broken(reply, after_events, "error", error)


def odd_events(reply: Reply) -> Odd:
    """A good reply among pings, comments and events of unknown types."""
    return Odd(reply, "extra")


def wrong_events(sort: Literal["order", "index"] = "order") -> Odd:
    """Events out of order: a delta before the message began (``order``) or of a block that was never (``index``)."""
    return Odd(say("out of order"), sort)


def error_body(kind: str, message: str) -> dict[str, Any]:
    """The API's error object."""
    return {"type": "error", "error": {"type": kind, "message": message}}


def stream_of(message: dict[str, Any]) -> list[Event]:
    """The events in which a whole message is streamed, texts in a dozen pieces or so."""
    usage = message["usage"]
    start = {
        **message,
        "content": [],
        "stop_reason": None,
        "stop_details": None,
        "usage": {**usage, "output_tokens": 1},
    }
    events: list[Event] = [("message_start", {"message": start})]
    for index, block in enumerate(message["content"]):
        first, deltas = in_pieces(block)
        events.append(("content_block_start", {"index": index, "content_block": first}))
        events += [("content_block_delta", {"index": index, "delta": delta}) for delta in deltas]
        events.append(("content_block_stop", {"index": index}))
    ends = {key: message[key] for key in ("stop_reason", "stop_sequence", "stop_details")}
    events.append(("message_delta", {"delta": ends, "usage": usage}))
    events.append(("message_stop", {}))
    return [(name, {"type": name, **data}) for name, data in events]


def in_pieces(block: Block) -> tuple[Block, list[Block]]:
    """A block as it starts, empty, and the deltas that fill it."""
    if block["type"] == "text":
        return {**block, "text": ""}, [{"type": "text_delta", "text": part} for part in pieces(block["text"])]
    if block["type"] == "thinking":
        deltas = [{"type": "thinking_delta", "thinking": part} for part in pieces(block["thinking"])]
        signed = {"type": "signature_delta", "signature": block["signature"]}
        return {"type": "thinking", "thinking": "", "signature": ""}, [*deltas, signed]
    given = block["input"]
    text = given if isinstance(given, str) else json.dumps(given)
    return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": part} for part in pieces(text)]


def pieces(text: str) -> list[str]:
    """A text in parts of at least 16 characters; the fewer they are, the less a test costs."""
    size = max(16, math.ceil(len(text) / PIECES))
    return [text[at : at + size] for at in range(0, len(text), size)]


def oddly(events: list[Event], sort: str) -> list[Event]:
    """A stream with the events of `Odd` in it."""
    if sort == "order":
        return [events[2], *events]
    if sort == "index":
        return [events[0], *[(name, {**data, "index": 7}) for name, data in events[2:3]], *events[1:]]
    unknown: Event = ("content_block_hint", {"type": "content_block_hint", "index": 0, "hint": {"colour": "green"}})
    ping: Event = ("ping", {"type": "ping"})
    return [ping, *[each for event in events[:-1] for each in (event, ping, unknown)], events[-1]]


def as_bytes(event: Event) -> bytes:
    """One server-sent event."""
    name, data = event
    return f"event: {name}\ndata: {json.dumps(data)}\n\n".encode()
