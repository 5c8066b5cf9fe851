"""What goes to a language model and what comes back: the ask, the reply, why there is none, what it used."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workers.contracts import CallStatus, Usage
from workers.language.token_count import CHARS_PER_TOKEN
from workers.ports import ToolSpec
from workers.settings.schema import Price

CACHED: Mapping[str, str] = {"type": "ephemeral"}
"""The mark of a block at whose end the prompt cache may begin again."""
MOST_CHARS, MOST_USES, MOST_STARTS, MOST_TOKENS = 400_000, 20, 40, 10_000_000
"""Of one answer: characters, tool calls, places where its object may begin; and tokens of each sort."""
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
STOPS: Mapping[str | None, tuple[CallStatus, str]] = {
    "refusal": ("refused", "the model refused"),
    "max_tokens": ("invalid", "its answer did not fit into max_tokens"),
    "model_context_window_exceeded": ("invalid", "the question did not fit into the model"),
    "pause_turn": ("invalid", "it paused"),
    None: ("cut", "its answer broke off"),
}


@dataclass(frozen=True)
class Ask:
    """What is asked.

    ``system``: blocks, the most stable first; all of them are marked for the prompt cache.
    ``forced``: the tool that has to be called; empty when the model chooses.
    """

    system: tuple[str, ...]
    messages: tuple[Mapping[str, Any], ...]
    schema: Mapping[str, Any] | None = None
    tools: tuple[ToolSpec, ...] = ()
    forced: str = ""

    @property
    def chars(self) -> int:
        """How long it is, as JSON: texts, schema and tools."""
        tools = [(t.name, t.description, t.parameters) for t in self.tools]
        parts = (*self.system, *self.messages, *tools, *([self.schema] if self.schema else ()))
        return sum(len(json.dumps(part, default=str)) for part in parts)


@dataclass(frozen=True)
class ToolUse:
    """A tool that the model wants called."""

    id: str
    name: str
    args: dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """What came back, whole. ``content``: its blocks as they are sent back in the next turn, thoughts included."""

    text: str
    tool_uses: tuple[ToolUse, ...] = ()
    content: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Failure:
    """Why there is no reply.

    ``lasting``: the same question would fail again. ``retry_after_s``: what the server asked for. ``blames``: the
    endpoint is at fault, rather than what was asked.
    """

    status: CallStatus
    reason: str
    lasting: bool = False
    retry_after_s: float | None = None
    blames: bool = True


@dataclass
class Attempt:
    """One request under way, shared with the thread that reads it.

    ``message``: the SDK's, as far as it came; ``written``: characters so far; ``left``: nobody waits any more.
    """

    message: Any = None
    written: int = 0
    left: threading.Event = field(default_factory=threading.Event)


def outcome_of(message: Any) -> Reply | Failure:
    """What a whole stream came to. Raises: ValueError, TypeError, AttributeError: its message is none."""
    stop = message.stop_reason if message else None
    if stop in STOPS:
        return Failure(*STOPS[stop])
    blocks: Sequence[Any] = message.content
    asked = [b for b in blocks if b.type == "tool_use"][:MOST_USES]
    if odd := [b.name for b in asked if not TOOL_NAME.fullmatch(b.name)]:
        raise ValueError(f"a tool named {odd[0]!r}")
    uses = tuple(ToolUse(b.id, b.name, dict(b.input) if isinstance(b.input, Mapping) else {}) for b in asked)
    text = "".join(b.text for b in blocks if b.type == "text")
    return Reply(whole(text), uses, tuple(blocks_of(blocks, uses)))


def whole(text: str) -> str:
    """A text without half characters, which JSON cannot carry."""
    return text.encode("utf-8", "replace").decode()


def blocks_of(blocks: Sequence[Any], uses: Sequence[ToolUse]) -> Iterator[Mapping[str, Any]]:
    """The blocks of a message as a request takes them."""
    kept = {use.id: use for use in uses}
    for block in blocks:
        if block.type == "text" and block.text.strip():
            yield {"type": "text", "text": whole(block.text)}
        elif block.type == "thinking":
            yield {"type": "thinking", "thinking": whole(block.thinking), "signature": block.signature}
        elif block.type == "redacted_thinking":
            yield {"type": "redacted_thinking", "data": block.data}
        elif block.type == "tool_use" and block.id in kept:
            yield {"type": "tool_use", "id": block.id, "name": block.name, "input": kept[block.id].args}


def usage_of(state: Attempt, price: Price) -> Usage:
    """The tokens of a message and their cost; what was written of one that broke off is counted by its length."""
    found, stop = getattr(state.message, "usage", None), getattr(state.message, "stop_reason", None)

    def count(name: str) -> int:
        value = getattr(found, name, None)
        return value if isinstance(value, int) and 0 <= value <= MOST_TOKENS else 0

    written = 0 if stop else state.written // CHARS_PER_TOKEN
    usage = Usage(
        input_tokens=count("input_tokens"),
        output_tokens=max(count("output_tokens"), written),
        cache_read_tokens=count("cache_read_input_tokens"),
        cache_write_tokens=count("cache_creation_input_tokens"),
    )
    return usage.model_copy(update={"cost_usd": cost_of(usage, price)})


def cost_of(usage: Usage, price: Price) -> float:
    """US dollars."""
    cost = (
        usage.input_tokens * price.input
        + usage.output_tokens * price.output
        + usage.cache_read_tokens * price.cache_read
        + usage.cache_write_tokens * price.cache_write
    )
    return cost / 1_000_000


def first_object(text: str) -> str:
    """The first JSON object of a text: models without structured outputs put words or fences around it."""
    at = text.find("{")
    for _ in range(MOST_STARTS):
        if at < 0:
            break
        try:
            _, end = json.JSONDecoder().raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
        else:
            return text[at:end]
    return text
