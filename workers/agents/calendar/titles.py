"""What a new appointment is called: what stands in quotes or after "called", else what is left of the message."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workers.agents.calendar.known_names import Named
from workers.language.appointment_times import Mention
from workers.language.german_times import PlainText

QUOTED = re.compile(r"[\"“”„«'‘]([^\"“”„«»'’]{2,120})[\"“”»'’](?!\w)")
CALLED = re.compile(
    r"\b(?:called|titled|named|namens|betreff|title:?|subject:?)\s+(?P<title>[^,.;()]{2,80})", re.IGNORECASE
)
LABEL = re.compile(r"\b(?:event|appointment|meeting|termin|eintrag\w*)\s*:\s*(?P<title>[^,.;()]{2,80})", re.IGNORECASE)
EDGE = frozenset(
    "a an the my our me us in on at to for of with and please can would you i we it into new get put add book by "
    "set up schedule create make plan enter calendar from want bitte mit für einen eine ein den die das im am um und "
    "mir trag leg erstelle".split()
)
PREFIXES = re.compile(
    r"(?:\b(?:with|and|mit|und|for|für|at|on|from|of|by|to|um|am|ab|von|bis|every|jeden)\s*|[,&+]\s*)+$", re.IGNORECASE
)
GENERIC = frozenset({"meeting", "call", "appointment", "event", "termin", "invite", "session", "time", "slot"})
WHOLE_DAY = re.compile(r"\ball[- ]day\b|\bganztägig\w*", re.IGNORECASE)
MOST_CHARS = 80


def read_title(
    text: str, plain: PlainText, mentions: Sequence[Mention], named: Sequence[Named], other: Sequence[str]
) -> str:
    """The title; empty when nothing says one.

    Args:
        other: words that are no part of it: a place, guests that nobody knows.
    """
    for pattern in (QUOTED, CALLED, LABEL):
        if found := pattern.search(text):
            inner = found.groupdict().get("title") or found[1]
            return cut_times(inner, mentions, plain, text.find(inner))
    spans = [found.span() for found in WHOLE_DAY.finditer(text)]
    spans += [found.span() for word in filter(None, other) for found in re.finditer(rf"\b{re.escape(word)}\b", text)]
    spans = sorted(
        spans + [plain.source(m.start, m.end) for m in mentions] + [plain.source(n.start, n.end) for n in named]
    )
    pieces, at = [], 0
    for start, end in spans:
        pieces.append(PREFIXES.sub("", text[at:start].rstrip()))
        at = max(end, at)
    pieces.append(text[at:])
    best = max((trimmed(piece) for piece in pieces), key=worth, default="")
    if best and set(best.lower().split()) - GENERIC:
        return best[:1].upper() + best[1:MOST_CHARS]
    who = list(dict.fromkeys(n.human.name for n in named))
    return f"Meeting with {', '.join(who)}" if who else ""


def cut_times(title: str, mentions: Sequence[Mention], plain: PlainText, offset: int) -> str:
    """A title without the times at its end."""
    first = min(
        (plain.source(m.start, m.end)[0] for m in mentions if plain.source(m.start, m.end)[0] > offset), default=-1
    )
    inner = title[: first - offset] if 0 < first - offset < len(title) else title
    return PREFIXES.sub("", inner.strip(" .,;:")).strip(" .,;:")[:MOST_CHARS]


def trimmed(piece: str) -> str:
    """A piece of an order without the words around its title."""
    words = piece.replace("?", " ").split()
    while words and words[0].lower().strip(",.:;!-–") in EDGE | {""}:
        words.pop(0)
    while words and words[-1].lower().strip(",.:;!-–") in EDGE | {""}:
        words.pop()
    return " ".join(words).strip(" ,.:;!-–()")


def worth(piece: str) -> tuple[int, int]:
    """The piece with most words that say something is the title."""
    words = [w for w in piece.lower().split() if w not in EDGE]
    return len([w for w in words if w not in GENERIC]), len(piece)
