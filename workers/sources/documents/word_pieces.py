"""Cuts a text into the word pieces that the sentence encoder was trained on, and numbers them as it does.

The 30,522 pieces are those of BERT's uncased English model (Apache-2.0), most frequent words whole, others in parts.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

TABLE = Path(__file__).with_name("word_pieces.npz")
BEGIN_ID, END_ID, UNKNOWN_ID = 101, 102, 100
LONGEST_WORD_CHARS = 100
KEPT_WORDS = 32_768
IDEOGRAPH_RANGES = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F))
"""Ranges of characters that each are a word of their own."""


@cache
def pieces() -> dict[str, int]:
    """The number of each piece; one inside a word begins with ``##``."""
    with np.load(TABLE) as stored:
        return {piece: i for i, piece in enumerate(stored["pieces"].tobytes().decode().split("\n"))}


def tokenize(text: str, most: int) -> list[int]:
    """The numbers of a text's pieces between those of begin and end, at most so many in all."""
    out = [BEGIN_ID]
    for word in text.split():
        out += word_pieces(word)
        if len(out) >= most:
            break
    return [*out[: most - 1], END_ID]


@lru_cache(maxsize=KEPT_WORDS)
def word_pieces(word: str) -> tuple[int, ...]:
    """The pieces of what stands between two spaces."""
    return tuple(number for part in parts(word) for number in cut(part))


def parts(word: str) -> Iterator[str]:
    """Lower-case parts without accents; signs and ideographs stand by themselves."""
    if word.isascii() and word.isalnum():
        yield word.lower()
        return
    kept = "".join(c for c in word if c != "\ufffd" and unicodedata.category(c)[0] != "C")
    held = ""
    for char in unicodedata.normalize("NFD", kept).lower():
        if unicodedata.category(char) == "Mn":
            continue
        if is_alone(char):
            if held:
                yield held
            yield char
            held = ""
        else:
            held += char
    if held:
        yield held


def is_alone(char: str) -> bool:
    """Whether a character is a part of its own."""
    if char.isascii():
        return not char.isalnum()
    return unicodedata.category(char)[0] == "P" or any(low <= ord(char) <= high for low, high in IDEOGRAPH_RANGES)


def cut(part: str) -> list[int]:
    """The longest known pieces from the left; one unknown when the rest has none."""
    known, out, at = pieces(), list[int](), 0
    if len(part) > LONGEST_WORD_CHARS:
        return [UNKNOWN_ID]
    while at < len(part):
        mark = "##" if at else ""
        ends = (end for end in range(len(part), at, -1) if mark + part[at:end] in known)
        end = next(ends, 0)
        if not end:
            return [UNKNOWN_ID]
        out.append(known[mark + part[at:end]])
        at = end
    return out
