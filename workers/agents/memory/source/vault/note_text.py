"""What a note says, without its marks: paragraphs, and half a sentence that tells what it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workers.agents.memory.source.vault.markdown_blocks import FENCE, front_matter_end, read_blocks
from workers.agents.memory.source.vault.note import front_matter

MOST_HINT_CHARS = 110
LEAST_WORDS = 3
WIKILINK = re.compile(r"!?\[\[([^\[\]|\n]{1,300})(?:\|([^\[\]\n]{0,300}))?\]\]")
INLINE_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\]\([^()\n]{0,600}\)")
TAG = re.compile(r"<[^<>]{0,500}>|%%[^%]{0,1000}%%")
MARKS = re.compile(r"\*\*|__|==|~~|`+|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")
BLOCK_ID = re.compile(r"\s\^[\w-]{1,100}$")
SENTENCE_END = re.compile(r"[.!?](?=\s)")
NO_PROSE = ("#", "|", "!", "[!", "$", "^", "---")
TOLD = ("description", "summary", "abstract")


def plain(text: str) -> str:
    """Markdown as a person reads it, on one line."""
    shown = WIKILINK.sub(lambda m: "" if m[0][0] == "!" else (m[2] or m[1].rpartition("/")[2]), text)
    shown = INLINE_LINK.sub(lambda m: "" if m[0][0] == "!" else m[1], shown)
    return BLOCK_ID.sub("", " ".join(MARKS.sub("", TAG.sub(" ", shown)).split()))


def hint(text: str, most: int = MOST_HINT_CHARS) -> str:
    """Half a sentence of a note that tells what it is about: a property, else its first prose; empty when none does."""
    body = front_matter_end(text)
    told = front_matter(text, body)
    for key in TOLD:
        if isinstance(told.get(key), str) and told[key].strip():
            return shortened(plain(told[key]), most)
    for start, end in read_blocks(text[: body + 20_000]).pieces:
        piece = text[start:end].strip()
        if piece.startswith(NO_PROSE):
            continue
        shown = plain(re.sub(r"\n[> \t]{1,20}", "\n", piece[:2_000]))
        if len(re.findall(r"\w{2,}", shown)) >= LEAST_WORDS:
            return shortened(shown, most)
    return ""


def shortened(text: str, most: int) -> str:
    """The first sentence, or as many whole words of it as fit."""
    found = SENTENCE_END.search(text)
    sentence = text[: found.end()] if found else text
    sentence = sentence.rstrip(".")
    if len(sentence) <= most:
        return sentence
    return sentence[: most - 1].rpartition(" ")[0].rstrip(" ,;:—-") + " …"


def paragraphs(text: str) -> Iterator[str]:
    """The parts of a note's body between blank lines; code between fences is one, a heading is one."""
    lines: list[str] = []
    fence = ""
    for line in text[front_matter_end(text) :].splitlines():
        found = FENCE.match(line.strip())
        if fence:
            lines.append(line)
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
            continue
        if found:
            fence = found[1] or found[2]
        elif line.startswith("#") or not line.strip():
            if lines:
                yield "\n".join(lines)
            lines = []
            if line.strip():
                yield line.rstrip()
            continue
        lines.append(line.rstrip())
    if lines:
        yield "\n".join(lines)


def same_words(text: str) -> str:
    """A paragraph as paragraphs are compared: its words, whatever the space between them."""
    return " ".join(text.split())
