"""PURE. Text that no evidence stands behind: it may name only what people named, what exists, and what was tried."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from workers.engine.literals import Specific, find_specifics

VEIL = "…"


def plain_text(text: str) -> str:
    """As it is compared: compatible forms made one, what nobody sees left out, lower case."""
    folded = unicodedata.normalize("NFKC", text)
    return "".join(c for c in folded if c in "\n\t" or unicodedata.category(c) not in {"Cc", "Cf"}).lower()


def unknown(text: str, known: str, kinds: frozenset[str] | None = None) -> Iterator[Specific]:
    """The specifics of a text that do not stand in what is known, as whole words."""
    everything = plain_text(known)
    for found in find_specifics(text):
        if kinds is not None and found.kind not in kinds:
            continue
        wanted = plain_text(found.text).strip("`'\"“”")
        if not re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", everything):
            yield found


def unknown_specifics(text: str, known: str, kinds: frozenset[str] | None = None) -> tuple[str, ...]:
    """Specifics of a text that nobody named: invented ones, until evidence shows them.

    Args:
        text: what is said.
        known: what may be named, joined by the caller.
        kinds: sorts of specifics (`workers.engine.literals.Kind`) that count; all of them when it is not given.
    """
    return tuple(found.text for found in unknown(text, known, kinds))


def veil(text: str, known: str) -> str:
    """The text with every unknown specific replaced by ``…``."""
    for found in sorted(unknown(text, known), key=lambda s: -s.start):
        text = text[: found.start] + VEIL + text[found.end :]
    return text
