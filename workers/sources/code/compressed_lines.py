"""Lines of a file, compressed in blocks: a few of them are read without the rest."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from functools import lru_cache

import zstandard

BLOCK = 64
LEVEL = 1


def pack(lines: Sequence[str]) -> bytes:
    """Compress lines: the number of blocks, where each ends behind this header (4 bytes each), the blocks."""
    compress = zstandard.ZstdCompressor(LEVEL).compress
    ends, blocks = [0], []
    for at in range(0, len(lines), BLOCK):
        blocks.append(compress("\n".join(lines[at : at + BLOCK]).encode()))
        ends.append(ends[-1] + len(blocks[-1]))
    return b"".join((struct.pack(f"<{len(ends)}I", len(blocks), *ends[1:]), *blocks))


def unpack(packed: bytes) -> list[str]:
    """All lines that `pack` was given."""
    return unpack_lines(packed, 1, BLOCK * struct.unpack_from("<I", packed)[0])


def unpack_lines(packed: bytes, start: int, end: int) -> list[str]:
    """Some of the lines that `pack` was given, counted from 1, both ends included; fewer where there are fewer."""
    (count,) = struct.unpack_from("<I", packed)
    header = 4 * (count + 1)
    ends = (header, *(header + at for at in struct.unpack_from(f"<{count}I", packed, 4)))
    first = (start - 1) // BLOCK
    decompress, lines = zstandard.ZstdDecompressor().decompress, list[str]()
    for block in range(first, min((end - 1) // BLOCK + 1, count)):
        lines += decompress(packed[ends[block] : ends[block + 1]]).decode().split("\n")
    return lines[start - 1 - first * BLOCK : end - first * BLOCK]


def line_reader(packed: Callable[[int], bytes], most: int) -> Callable[[int], list[str]]:
    """What reads all lines of a file, by its number, and keeps those of the ``most`` files last asked for."""

    @lru_cache(maxsize=most)
    def read(file: int) -> list[str]:
        return unpack(packed(file))

    return read
