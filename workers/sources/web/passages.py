"""A long text cut at its paragraphs: a part of it that fits into so many tokens, or the passages that answer best."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workers.language.stop_words import STOP_WORDS
from workers.language.token_count import CHARS_PER_TOKEN, count_tokens, fitting
from workers.language.tokens import WORD, terms_of

HEADING = re.compile(r"#{1,6} {1,4}\S")
FENCE = "```"
HEADING_CHARS = 80
PASSAGE_TOKENS = 250
"""A paragraph is not told apart from the next below so much; a longer one is a passage by itself."""
BOUNDARIES = re.compile(r"\n|(?<=[.!?]) |(?<=[。!?])")
BM25_K1, BM25_B = 1.2, 0.75


@dataclass(frozen=True)
class Passage:
    """Characters ``start`` to ``end`` of a text, ``end`` not included; ``heading``: the line of the one it is under."""

    start: int
    end: int
    heading: str = ""


@dataclass(frozen=True)
class Cut:
    """A part of a text. ``next_offset``: where the rest begins, None when nothing is left after it."""

    text: str
    offset: int
    next_offset: int | None


def cut_text(text: str, offset: int, most_tokens: int) -> Cut:
    """What follows an offset, up to the last boundary that fits: of a paragraph, else of a line, a sentence, a word.

    Args:
        text: a whole text.
        offset: in characters, where an earlier part ended.
        most_tokens: what is returned never takes more.
    """
    start = min(max(offset, 0), len(text))
    start += len(text[start:]) - len(text[start:].lstrip("\n"))
    end = start + len(fitting(text[start:], most_tokens))
    if end < len(text):
        ends = [p.end for p in passages_of(text) if start + (end - start) // 3 < p.end <= end]
        end = ends[-1] if ends else start + last_boundary(text[start:end])
    shown = text[start:end]
    rest = end + len(text[end:]) - len(text[end:].lstrip())
    return Cut(shown.rstrip(), start, rest if rest < len(text) else None)


def last_boundary(text: str) -> int:
    """The last place in a text to break it at: after a line or a sentence, else after a word, else anywhere."""
    least = len(text) // 2
    ends = [found.end() for found in BOUNDARIES.finditer(text) if found.end() > least]
    space = text.rfind(" ")
    return ends[-1] if ends else space + 1 if space > least else len(text)


def passages_of(text: str) -> list[Passage]:
    """A text's paragraphs, code blocks and tables, short neighbours under one heading together."""
    out: list[Passage] = []
    heading = ""
    for start, end in blocks(text):
        first = text[start : text.find("\n", start, end)] if "\n" in text[start:end] else text[start:end]
        titled = bool(HEADING.match(first))
        heading = first[:HEADING_CHARS].strip() if titled else heading
        short = out and count_tokens(text[out[-1].start : end]) <= PASSAGE_TOKENS
        if out and not titled and (short or is_title_only(text, out[-1])):
            out[-1] = Passage(out[-1].start, end, out[-1].heading)
        else:
            out.append(Passage(start, end, heading))
    return out


def is_title_only(text: str, passage: Passage) -> bool:
    """Whether a passage is a heading with nothing below it yet."""
    return bool(passage.heading) and text[passage.start : passage.end].strip() == passage.heading


def blocks(text: str) -> Iterator[tuple[int, int]]:
    """Where what stands between blank lines begins and ends, long ones in pieces of whole lines; code between fences is
    one block.
    """
    at, start, fenced = 0, -1, False
    for line in text.splitlines(keepends=True):
        blank = not line.strip()
        if line.startswith(FENCE):
            fenced = not fenced
        if start >= 0 and not fenced and (blank or (at + len(line) - start) > PASSAGE_TOKENS * CHARS_PER_TOKEN):
            yield start, at
            start = -1
        if start < 0 and not blank:
            start = at
        at += len(line)
    if start >= 0:
        yield start, at


def best_passages(text: str, question: str, most_tokens: int) -> list[Passage]:
    """The passages that hold most of a question, best first, as many as fit; none when none holds a word of it."""
    found = passages_of(text)
    telling = " ".join(word for word in WORD.findall(question) if word.lower() not in STOP_WORDS) or question
    scores = bm25([terms_in(text[p.start : p.end] + " " + p.heading) for p in found], set(terms_in(telling)))
    order = sorted((i for i, score in enumerate(scores) if score > 0), key=lambda i: -scores[i])
    out, left = [], most_tokens
    for i in order:
        size = count_tokens(shown_passage(text, found[i])) + 1
        if size <= left:
            out.append(found[i])
            left -= size
        elif not out:
            room = most_tokens - count_tokens(found[i].heading) - 1
            shown = cut_text(text[found[i].start : found[i].end], 0, max(room, 1))
            return [Passage(found[i].start, found[i].start + shown.offset + len(shown.text), found[i].heading)]
    return out


def shown_passage(text: str, passage: Passage) -> str:
    """A passage below the heading that it stands under."""
    own = text[passage.start : passage.end].strip()
    return own if not passage.heading or own.startswith(passage.heading) else f"{passage.heading}\n{own}"


def terms_in(text: str) -> list[str]:
    """The search terms of a text."""
    return [term for word in WORD.findall(text) for term in terms_of(word)]


def bm25(documents: Sequence[Sequence[str]], wanted: set[str]) -> list[float]:
    """How well each document fits the wanted terms."""
    counts = [Counter(term for term in terms if term in wanted) for terms in documents]
    holding = Counter(term for count in counts for term in count)
    mean = sum(map(len, documents)) / max(len(documents), 1) or 1.0
    scores = []
    for terms, count in zip(documents, counts, strict=True):
        norm = BM25_K1 * (1 - BM25_B + BM25_B * len(terms) / mean)
        weights = {t: math.log(1 + (len(documents) - n + 0.5) / (n + 0.5)) for t, n in holding.items()}
        scores.append(sum(weights[t] * n * (BM25_K1 + 1) / (n + norm) for t, n in count.items()))
    return scores
