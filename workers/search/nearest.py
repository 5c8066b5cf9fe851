"""Names that exist and are spelled much like one that does not."""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import fuzz, process

CLOSE_ROUTE = 70
CLOSE_NAME = 75
MARGIN = 15


def nearest_names(wanted: Iterable[str], known: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """The closest known names to any of the wanted, best first; only those reasonably close."""
    choices = list(dict.fromkeys(known))
    found: dict[str, float] = {}
    for name in wanted:
        cutoff = CLOSE_ROUTE if name.startswith("/") else CLOSE_NAME
        pool = [c for c in choices if c.startswith("/") == name.startswith("/")]
        for choice, score, _ in process.extract(
            name, pool, scorer=fuzz.ratio, processor=str.lower, score_cutoff=cutoff, limit=limit
        ):
            found[choice] = max(score, found.get(choice, 0.0))
    best = max(found.values(), default=0.0)
    return tuple(sorted((c for c in found if found[c] >= best - MARGIN), key=lambda c: (-found[c], c))[:limit])
