"""A message as sentences, and what two sentences have in common."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from workers.language.stems import stem
from workers.language.stop_words import STOP_WORDS

FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
MARK = re.compile(r"^```[\w-]*[ \t]*$", re.MULTILINE)
"""A fence on a line of its own."""
LINK = re.compile(r"https?://\S+")
ITEM = re.compile(r"^\s*(?:[-*•‣▪]|\d{1,2}[.)])\s+")
HEADING = re.compile(r"[*_\s]*([^\W\d_][^:*_]{1,38})[*_]*:[*_\s]*")
"""A line that names what stands below it: ``Hypotheses:``, ``*Next steps*:``."""
LONGEST_LINE = 2_000
"""Of a message, in characters; what follows is not read. It bounds what patterns cost."""
LONGEST_END = 10
"""So many characters before a full stop tell whether it ends a sentence."""
CELLS = re.compile(r"(?<!\s)\s+[|•·]\s+")
"""What stands between the parts of an update on one line: ``Status: identified | Impact: 4 % | Next update: 10:15``."""
LABEL = re.compile(r"[*_\s]*[^\W\d_][\w /'-]{1,28}[*_]*\s*[:=]")
NAME_ALONE = re.compile(r"@[\w.-]+(?: (?:[A-ZÀ-Þ][\w.-]*|\([\w -]+\))){0,2}\s*[:,]?")
REPORTS = re.compile(
    r"\b(?:says?|said|wrote|reads|pasting|paste|quote|ticket|forwarded|logs?|output|e?mail|message)\b[^.?!]{0,30}:\s*$",
    re.IGNORECASE,
)
"""A line after which the rest of a message is somebody else's words."""
CODE_LINES = (
    re.compile(r"[;{}]\s*$|^\s*[\w.]+\(.*\)\s*[:;]?\s*$|^\s*[\w.\[\]]+ ?= ?[^=]|^\s*</?\w+[^>]*>|^\s*at [\w.$]+\("),
    re.compile(
        r"^\s*(?:import|from|def|class|async|with|for|while|return|const|let|var|func|if|elif|else)\b.*[:({;]\s*$"
    ),
)
EMOJI = re.compile(r"(?<!\d):[a-z0-9_+-]+(?:::skin-tone-\d)?:(?!\d)")
STYLE = re.compile(
    r"(?<![\w*])\*{1,2}(?=\S)([^*\n]+)(?<=\S)\*{1,2}(?![\w*])|(?<![\w_])_(?=\S)([^_\n]+)(?<=\S)_(?![\w_])"
)
END = re.compile(
    r"(?<=[.!?…])[)\"'”’]*\s+(?=[\"'“(@#:]?\S)|(?<!\s)\s+(?:—|–|--)\s+(?=(?:still|no|that|it|so|but)\b)|;\s+"
)
NO_END = re.compile(r"(?:\b(?:e\.g|i\.e|approx|ca|vs|etc|incl|z\.B|bzw|p\.ej)\.|\b[A-Z]\.|^\d{1,2}\.)$", re.IGNORECASE)
BEFORE_NUMBERS = re.compile(r"\b(?:no|min|max)\.$", re.IGNORECASE)
"""What is short for something only before a number: "no. 4", but "green for 20 min. Closing"."""
BULLET = re.compile(r"^(?:[\s–—•]|-(?!\d))+")
WORD = re.compile(r"[A-Za-zÀ-ÿ][\w'’À-ÿ-]*|\d[\w.,:%]*")
TELLING = frozenset(
    """above actually against ago anyone anything because below between both currently done during each every exactly
    few further gets given happen happened happens itself kind know lately let must need nor ours really recently shall
    since someone something somewhere sort tell thing things today tonight want way ways whether whom within without
    yesterday yours""".split()
)
"""Stop words of questions that count here: two remarks which share "last night" or "let us" have that in common."""
STOP = (STOP_WORDS - TELLING) | frozenset(
    """back cannot don't getting go got i'll i'm i've it's let's looks maybe nope ok okay probably seems still that's
    think update we're we've yeah yep yes yet yup der die das und ist nicht wir ich el la los las es un una que de en
    por y se""".split()
)


@dataclass(frozen=True)
class Sentence:
    """One sentence of a message.

    ``heading``: the line above it that says what it is, in lower case: ``hypotheses``, ``next steps``. ``quoted``: the
    writer repeats it: a quote, code, a log. ``number``: its place in the message, from 0.
    """

    text: str
    heading: str = ""
    quoted: bool = False
    number: int = 0

    @cached_property
    def low(self) -> str:
        """In lower case, with straight apostrophes."""
        return self.text.lower().replace("’", "'")

    @cached_property
    def stems(self) -> frozenset[str]:
        """What it is about."""
        return stems_of(self.text)


def sentences_of(text: str) -> tuple[Sentence, ...]:
    """What a message says, sentence by sentence; what it quotes is marked, what stands under a heading has it."""
    found: list[Sentence] = []
    heading, name = "", ""
    for part, quoted in lines_of(text):
        if NAME_ALONE.fullmatch(part.strip()):
            name = part.strip().rstrip(":, ") + " "
            continue
        if under := HEADING.fullmatch(part):
            heading, name = under[1].strip().lower(), ""
            continue
        for piece in split(part):
            told = tidy(name + piece)
            if WORD.search(told) or told.endswith("?"):
                found.append(Sentence(told, heading, quoted, len(found)))
    return tuple(found)


def lines_of(text: str) -> Iterator[tuple[str, bool]]:
    """Lines, and whether each is quoted."""
    marks = [mark.span() for mark in MARK.finditer(text)]
    if len(marks) > 2:  # between the first and the last all is code, so that no fence inside it ends it
        begin, end = marks[0][0], marks[-1][1]
        yield from lines_of(text[:begin])
        yield from code_lines(text[begin:end])
        yield from lines_of(text[end:])
        return
    last = 0
    for fence in FENCE.finditer(text):
        yield from plain_lines(text[last : fence.start()])
        yield from code_lines(fence[0])
        last = fence.end()
    yield from plain_lines(text[last:])


def code_lines(text: str) -> Iterator[tuple[str, bool]]:
    """Lines of code, each as somebody else's words."""
    return ((line[:LONGEST_LINE], True) for line in text.strip("`").splitlines() if line.strip(" `"))


def plain_lines(text: str) -> Iterator[tuple[str, bool]]:
    """Lines outside code."""
    reported = False
    for line in (line[:LONGEST_LINE] for line in text.splitlines()):
        if line.strip():
            code = any(pattern.search(line) for pattern in CODE_LINES)
            quoted = reported or line.lstrip().startswith((">", "&gt;")) or code
            reported = reported or bool(REPORTS.search(line))
            for cell in cells_of(ITEM.sub("", line.lstrip("> "))):
                yield cell, quoted


def cells_of(line: str) -> list[str]:
    """The labelled parts of an update on one line; any other line as it is."""
    cells = CELLS.split(line)
    return cells if sum(bool(LABEL.match(cell)) for cell in cells) > 1 else [line]


def split(text: str) -> Iterator[str]:
    """A line at the ends of its sentences."""
    text, begun = " ".join(text.split()), 0
    for end in END.finditer(text):
        before = text[begun : end.start()][-LONGEST_END:]
        short = BEFORE_NUMBERS.search(before) and text[end.end() : end.end() + 1].isdigit()
        if not (short or NO_END.search(before)):
            yield text[begun : end.start()]
            begun = end.end()
    yield text[begun:]


def tidy(text: str) -> str:
    """A sentence without emphasis and emoji."""
    text = EMOJI.sub(" ", STYLE.sub(lambda m: m[1] or m[2], text))
    return BULLET.sub("", " ".join(text.split())).rstrip(" -–—•")


def stems_of(text: str) -> frozenset[str]:
    """The words that a text is about, each without its ending."""
    return stems_in(text.lower())


@lru_cache(maxsize=10_000)
def stems_in(low: str) -> frozenset[str]:
    """The same of a text in lower case: a sentence is kept once, however it begins."""
    return frozenset(
        stem(w) for w in WORD.findall(low) if w not in STOP and len(w) > 1 and w[-3:] not in {"n't", "n’t"}
    )


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of the smaller set that both hold; 0 when one is empty."""
    return len(one & other) / min(len(one), len(other)) if one and other else 0.0
