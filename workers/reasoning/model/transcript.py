"""The conversation of one investigation, as the Messages API takes it: turns, results by page, early ones shortened."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workers.reasoning.model.model_call import CACHED, Reply
from workers.reasoning.model.untrusted_data import as_data

PAGE_CHARS = 12_000
"""Of a result that is shown at once; the rest is read page by page."""
KEPT_TURNS = 3
"""The last turns, whose results are never shortened."""
SHORTENED = "[shortened to save room: <data>{lead}</data>; read_more(result={name!r}) shows it again]"
LEAD_CHARS = 120
"""Of a result that was taken out, what its first line says."""
ROOM = 0.6
"""So much of its length a conversation keeps when it is shortened: seldom and much, as each time costs the cache."""
NOTHING_SAID = "…"
MOST_MOVING_MARKS = 2
"""Of the four cache marks that a request may have, those at the end of the conversation."""


def user(*texts: str) -> dict[str, Any]:
    """A message of the user's side; what stays the same from question to question ends at a mark of the cache."""
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text} for text in texts]
    if len(blocks) > 1:
        blocks[0]["cache_control"] = CACHED
    return {"role": "user", "content": blocks}


def page(text: str, offset: int = 0, size: int = PAGE_CHARS) -> tuple[str, int]:
    """A piece of a text that ends at the end of a line where there is one in its second half.

    Returns: the piece, and where the next one begins; 0 when it is the last.
    """
    end = offset + size
    if end >= len(text):
        return text[offset:], 0
    at = text.rfind("\n", offset + size // 2, end)
    end = at + 1 if at > 0 else end
    return text[offset:end], end


@dataclass
class Transcript:
    """What was said so far.

    ``results``: every result whole, by its name ``R1``. ``places``: call -> the result that its answer shows. ``sent``:
    so many of the messages were sent as they are.
    """

    messages: list[dict[str, Any]]
    results: dict[str, str] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    sent: int = 0

    @property
    def chars(self) -> int:
        """How long it is, as JSON."""
        return sum(len(json.dumps(message, default=str)) for message in self.messages)

    def add_reply(self, reply: Reply) -> None:
        """What the model said, its calls and its thoughts as they came; a message has to end in words or a call."""
        blocks = [dict(block) for block in reply.content]
        if not blocks or "thinking" in blocks[-1]["type"]:
            blocks.append({"type": "text", "text": NOTHING_SAID})
        self.messages.append({"role": "assistant", "content": blocks})

    def keep(self, use_id: str, text: str) -> str:
        """Keep a result whole under a new name, and return its first page, which says how to read on."""
        name = f"R{len(self.results) + 1}"
        self.results[name], self.places[use_id] = text, name
        return self.read(name)

    def read(self, name: str, offset: int = 0) -> str:
        """A page of a result. Raises: KeyError: there is none of that name."""
        whole = self.results[name]
        piece, after = page(whole, max(offset, 0))
        head = f"[result {name}" + (
            f", characters {offset:,} to {offset + len(piece):,} of {len(whole):,}]" if after or offset else "]"
        )
        tail = f"\n[cut here: read_more(result={name!r}, offset={after}) goes on]" if after else ""
        return f"{head}\n<data>{piece}</data>{tail}"

    def add_results(self, results: Sequence[tuple[str, str, bool]], *notes: str) -> None:
        """Results by the ids of their calls, with what is an error; then words of ours."""
        blocks: list[dict[str, Any]] = [
            {"type": "tool_result", "tool_use_id": use_id, "content": text, **({"is_error": True} if wrong else {})}
            for use_id, text, wrong in results
        ]
        blocks += [{"type": "text", "text": note} for note in notes]
        self.messages.append({"role": "user", "content": blocks})

    def marked(self) -> tuple[Mapping[str, Any], ...]:
        """The messages with cache marks at the ends of the last turns, so that each turn reads the one before."""
        marks = [i for i, message in enumerate(self.messages) if message["role"] == "user"][-MOST_MOVING_MARKS:]
        return tuple(with_mark(message) if i in marks else message for i, message in enumerate(self.messages))

    def shorten(self, most_chars: int) -> bool:
        """When it is longer than that, take the results of early turns out, the oldest first, until there is room.

        Returns: whether anything was taken out.
        """
        if self.chars <= most_chars:
            return False
        turns = [i for i, message in enumerate(self.messages) if message["role"] == "user"]
        changed = False
        for at in turns[1:-KEPT_TURNS]:
            if self.chars <= most_chars * ROOM:
                break
            for block in self.messages[at]["content"]:
                name = self.places.get(block.get("tool_use_id", ""))
                if name and not block["content"].startswith("[shortened"):
                    lead = as_data(" ".join(self.results[name].split())[:LEAD_CHARS])
                    block["content"], changed = SHORTENED.format(name=name, lead=lead), True
                    self.sent = min(self.sent, at)
        return changed


def with_mark(message: Mapping[str, Any]) -> dict[str, Any]:
    """A message at whose end the prompt cache may begin again."""
    *blocks, last = message["content"]
    return {**message, "content": [*blocks, {**last, "cache_control": CACHED}]}
