"""Text that no evidence stands behind: it may name only what people named, what exists, and what was tried."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from workers.grounding.literals import Specific, find_specifics
from workers.grounding.quantities import COUNT
from workers.language.normalization import normalise

VEIL = "…"
WHOLE = frozenset({"url", "domain", "address", "path", "lines", "endpoint"})  # known only as a whole, never by a part
ASKED = frozenset({"url", "domain", "address"})  # known only from what was asked, where the caller tells it
SEPARATORS = r"\s<>()\[\]{}\"'`“”,;|"
TOKEN = re.compile(rf"[^{SEPARATORS}]+")
SMALL = re.compile(
    r"(?:once|twice|(?:one|two|three|four|five|six|\d) times|an? (?:second|minute|hour|day)|half [a-z]+)$",
    re.IGNORECASE,
)


def plain_text(text: str) -> str:
    """As it is compared: normalised, lower case, blanks made one."""
    return re.sub(r"\s+", " ", normalise(text)).lower()


@lru_cache(8)
def form_of(known: str) -> tuple[str, frozenset[str]]:
    """What is known as it is compared, and what stands there between blanks and brackets; many texts are held to it."""
    everything = plain_text(known)
    return everything, tokens_of(everything)


def unknown(text: str, known: str, kinds: frozenset[str] | None = None, asked: str | None = None) -> Iterator[Specific]:
    """The specifics of a normalised text that do not stand in what is known, as whole words."""
    for found in find_specifics(text):
        if (kinds is not None and found.kind not in kinds) or SMALL.match(found.text) or COUNT.fullmatch(found.text):
            continue
        if found.kind == "mention":
            yield found
            continue
        wanted = plain_text(found.text).strip("`'\"“” ")
        everything, _ = form_of(known)
        if found.kind in WHOLE:
            source = asked if asked is not None and found.kind in ASKED else known
            if not is_token(wanted, found.kind, form_of(source)[1]) and not stands_whole(wanted, form_of(source)[0]):
                yield found
        elif not re.search(rf"(?<![\w/.]){re.escape(wanted)}(?!\w)(?!\.\d)", everything):
            yield found


def tokens_of(text: str) -> frozenset[str]:
    """What stands between blanks and brackets."""
    return frozenset(t.rstrip(".:!?") for t in TOKEN.findall(text))


def stands_whole(wanted: str, everything: str) -> bool:
    """Whether a name that holds brackets itself stands between blanks, marks or brackets: ``/api/items/{id}``."""
    if TOKEN.fullmatch(wanted) or not wanted:
        return False
    return re.search(rf"(?<![^{SEPARATORS}]){re.escape(wanted)}(?=[.:!?]*(?:[{SEPARATORS}]|$))", everything) is not None


def is_token(wanted: str, kind: str, tokens: frozenset[str]) -> bool:
    """Whether an address or a path is known: as a whole, a path also by its last parts."""
    if wanted in tokens:
        return True
    return kind == "path" and any(same_path(wanted, t.partition(":")[0]) for t in tokens)


def unknown_specifics(
    text: str, known: str, kinds: frozenset[str] | None = None, asked: str | None = None
) -> tuple[str, ...]:
    """Specifics of a text that nobody named: invented ones, until evidence shows them. Mentions are never known.

    Args:
        text: what is said.
        known: what may be named, joined by the caller.
        kinds: sorts of specifics (`workers.grounding.literals.Kind`) that count; all of them when it is not given.
        asked: the question's own text: the only one that makes URLs, domains and addresses known. When it is not
            given, all that is known does.
    """
    return tuple(found.text for found in unknown(normalise(text), known, kinds, asked))


def veil(text: str, known: str, asked: str | None = None) -> str:
    """The normalised text with every unknown specific replaced by ``…``."""
    text = normalise(text)
    for found in sorted(unknown(text, known, asked=asked), key=lambda s: -s.start):
        text = text[: found.start] + VEIL + text[found.end :]
    return text


def same_path(written: str, known: str) -> bool:
    """The same path, or its last parts."""
    return bool(written) and (written == known or known.endswith(f"/{written}"))
