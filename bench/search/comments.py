"""Comments and docstrings of functions, and a source file without some of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workers.language.tokens import joined
from workers.sources.code.file_parsing import text_of
from workers.sources.code.syntax_tree import read_definitions

LINE = re.compile(r"\s*(?:///?!?|#+(?!\[|include|define|if|end|pragma)|--+|\*/?|/\*+|\*+/|%+|;;+)\s?(.*?)(?:\*+/)?\s*$")
DECORATOR = re.compile(r"\s*(@\w|#\[|\[\w)")
DOCSTRING = re.compile(r"\s*[rRuU]{0,2}(\"\"\"|''')")
ELIXIR = re.compile(r'\s*@doc\s+(?:~S)?"""')
TAG = re.compile(r"^\s*(@\w+|:\w+|\\\w+|Args|Parameters|Returns|Raises)\b")
MARKUP = re.compile(r"</?\w+[^>]*>|\{@\w+\s+#?([^}]*)\}|[`*\[\]]|\\[cp]\b")
NOISE = re.compile(
    r"https?:|copyright|licen[sc]e|todo|fixme|eslint|noqa|pragma|deprecated|see also|inheritdoc", re.IGNORECASE
)
IDENTIFIER = re.compile(r"\w+(?:(?:\.|::|->|#)\w+)+(?:\(\))?|\w+\(\)|\w*[a-z][A-Z]\w*|\w+_\w+")
FEWEST, MOST = 6, 24


@dataclass(frozen=True)
class Comment:
    """Lines ``start`` to ``end`` (from 1) say ``question`` about a function."""

    question: str
    start: int
    end: int


def commented(source: bytes, language: str) -> Iterator[Comment]:
    """Functions and classes of a file with a sentence about them."""
    lines = text_of(source)
    for d in read_definitions(source, language):
        if d.kind not in {"function", "method", "class", "type"} or d.end - d.start < 3:
            continue
        span = docstring(lines, d.start, d.end) if language == "python" else above(lines, d.start, language)
        if span is None:
            continue
        body = "\n".join(lines[d.start - 1 : d.end])
        text = sentence(lines[span[0] - 1 : span[1]], d.name, body)
        if text:
            yield Comment(text, *span)


def docstring(lines: Sequence[str], start: int, end: int) -> tuple[int, int] | None:
    """The lines of a Python docstring."""
    at = start
    while at < end and not lines[at - 1].rstrip().endswith(":"):
        at += 1
    match = DOCSTRING.match(lines[at]) if at < len(lines) else None
    if match is None:
        return None
    if lines[at].count(match[1]) > 1:
        return at + 1, at + 1
    last = next((i for i in range(at + 1, min(end, at + 60)) if match[1] in lines[i]), None)
    return (at + 1, last + 1) if last is not None else None


def above(lines: Sequence[str], start: int, language: str) -> tuple[int, int] | None:
    """The lines of the comment that ends right above a definition, decorators skipped."""
    at = start - 1
    while at >= 1 and DECORATOR.match(lines[at - 1]) and language != "elixir":
        at -= 1
    if language == "elixir":
        if at < 1 or lines[at - 1].strip() != '"""':
            return None
        first = next((i for i in range(at - 1, max(0, at - 60), -1) if ELIXIR.match(lines[i - 1])), None)
        return (first, at) if first else None
    last = at
    while at >= 1 and LINE.match(lines[at - 1]) and lines[at - 1].strip():
        at -= 1
    return (at + 1, last) if at < last else None


def sentence(lines: Sequence[str], name: str, body: str) -> str:
    """The first sentence of a comment in plain words, without identifiers of the function; empty when unfit."""
    words = []
    for line in lines:
        match = LINE.match(line)
        text = (match[1] if match else line).strip().strip("\"'").removeprefix('@doc """')
        if (not text and words) or TAG.match(text):
            break
        words.append(text)
    said = MARKUP.sub(lambda m: m[1] or " ", " ".join(words))
    said = re.split(r"(?<=[a-z)])[.:](?:\s|$)", said)[0]
    if NOISE.search(said):
        return ""
    said = IDENTIFIER.sub(lambda m: " " if joined(m[0].split(".")[-1]) in joined(body) else m[0], said)
    kept = [w for w in said.split() if joined(w) != joined(name)]
    plain = sum(w.strip(",;()").isalpha() for w in kept)
    return " ".join(kept) if FEWEST <= len(kept) <= MOST and plain >= 0.8 * len(kept) else ""


def without(source: bytes, spans: Sequence[tuple[int, int]]) -> bytes:
    """A file without some of its lines; a docstring leaves ``...`` so that the syntax stays whole."""
    lines = source.split(b"\n")
    for start, end in sorted(spans, reverse=True):
        first = lines[start - 1]
        blank = first[: len(first) - len(first.lstrip())]
        stays = [blank + b"..."] if first.strip()[:3] in {b'"""', b"'''"} else []
        lines[start - 1 : end] = stays
    return b"\n".join(lines)
