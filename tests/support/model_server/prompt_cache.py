"""How many input tokens of a request the Messages API would read from its prompt cache, and how many it would write.

A prefix of tools, system and messages, in that order, is written where a block carries ``cache_control``, and read when
an earlier request wrote the same prefix at that block or at one of the 20 before it. Prefixes below the smallest size
are not kept. Tokens are characters / 4. Entries do not expire.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

LOOK_BACK = 20


@dataclass(frozen=True)
class Block:
    """One block of a prompt: where it stands, its size, and whether a prefix may end there."""

    place: str
    text: str
    marked: bool

    @property
    def tokens(self) -> int:
        """About as many as a tokenizer counts."""
        return -(-len(self.text) // 4)


class PromptCache:
    """What earlier requests wrote."""

    def __init__(self, smallest_tokens: int) -> None:
        self.smallest_tokens = smallest_tokens
        self.written: set[str] = set()
        self.lock = threading.Lock()

    def count(self, body: dict[str, Any], *, unasked: bool = False) -> dict[str, int]:
        """Write the request's prefixes; ``unasked``: all of them, marked or not.

        Returns: the three counts of input tokens, which add up to the whole.
        """
        blocks = blocks_of(body)
        keys, sizes = prefixes(body, blocks)
        ends = [n for n, block in enumerate(blocks) if (block.marked or unasked) and sizes[n] >= self.smallest_tokens]
        within = {n for end in ends for n in range(max(end - LOOK_BACK, 0), end + 1)}
        with self.lock:
            read = max((sizes[n] for n in within if keys[n] in self.written), default=0)
            self.written |= {keys[n] for n in ends}
        written = max((sizes[n] for n in ends), default=0)
        whole = sizes[-1] if sizes else 0
        return {
            "input_tokens": whole - max(read, written),
            "cache_creation_input_tokens": max(written - read, 0),
            "cache_read_input_tokens": read,
        }


def prefixes(body: dict[str, Any], blocks: list[Block]) -> tuple[list[str], list[int]]:
    """For the prefix that ends at each block: its key, and its size in tokens.

    The model is part of every key, and so is a schema for the output, which the API puts before the system text.
    """
    running = hashlib.sha256(json.dumps([body.get("model"), schema_of(body)], sort_keys=True).encode())
    keys, sizes, size = [], [], 0
    for block in blocks:
        running.update(f"\0{block.place}\0{block.text}".encode())
        size += block.tokens
        keys.append(running.hexdigest())
        sizes.append(size)
    return keys, sizes


def schema_of(body: dict[str, Any]) -> Any:
    """The schema that the output must follow, or None."""
    return ((body.get("output_config") or {}).get("format") or {}).get("schema")


def blocks_of(body: dict[str, Any]) -> list[Block]:
    """All blocks of a prompt, in the order of the cache."""
    found = list(walk(body))
    if body.get("cache_control") and found:
        found[-1] = Block(found[-1].place, found[-1].text, marked=True)
    return found


def walk(body: dict[str, Any]) -> Iterator[Block]:
    """Tools, system, messages."""
    for tool in body.get("tools") or []:
        yield as_block("tools", tool)
    for block in as_blocks(body.get("system") or []):
        yield as_block("system", block)
    for message in body.get("messages") or []:
        for block in as_blocks(message["content"]):
            yield as_block(str(message["role"]), block)


def as_blocks(content: Any) -> list[dict[str, Any]]:
    """Content as a list of blocks; a text is one block."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def as_block(place: str, block: dict[str, Any]) -> Block:
    """One block without its mark."""
    rest = {key: value for key, value in block.items() if key != "cache_control"}
    text = rest["text"] if set(rest) == {"type", "text"} else json.dumps(rest, sort_keys=True)
    return Block(place, text, marked=bool(block.get("cache_control")))
