"""Names that exist and are spelled much like one that does not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

CLOSE_ROUTE = 70
CLOSE_NAME = 75
MARGIN = 15
SHOWN_NEAREST = "; what is shown lies nearest"
"""How tools end a sentence on what nothing names; untrue where nothing is shown."""
VERSION = re.compile(r"v\d+(?:\.\d+)*|\d+(?:\.\d+)+", re.IGNORECASE)


def nearest_names(wanted: Iterable[str], known: Iterable[str], limit: int = 3, least: float = 0) -> tuple[str, ...]:
    """The known names that are spelled much like any of the wanted, best first; routes only like routes.

    Args:
        wanted: names that do not exist.
        known: names that do.
        limit: how many, at most.
        least: how alike they must be, of 100; 0: `CLOSE_NAME`, of a route `CLOSE_ROUTE`.
    """
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - few questions name what is not there

    choices = list(dict.fromkeys(known))
    found: dict[str, float] = {}
    for name in wanted:
        cutoff = least or (CLOSE_ROUTE if name.startswith("/") else CLOSE_NAME)
        pool = [c for c in choices if c.startswith("/") == name.startswith("/")]
        for choice, score, _ in process.extract(
            name, pool, scorer=fuzz.ratio, processor=str.lower, score_cutoff=cutoff, limit=limit
        ):
            found[choice] = max(score, found.get(choice, 0.0))
    best = max(found.values(), default=0.0)
    return tuple(sorted((c for c in found if found[c] >= best - MARGIN), key=lambda c: (-found[c], c))[:limit])


def ranked_names(name: str, known: Iterable[str], limit: int) -> tuple[str, ...]:
    """The known names in the order of how alike they are to one that does not exist, or share words with it."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - as above

    return tuple(found for found, _, _ in process.extract(name, list(known), scorer=fuzz.WRatio, limit=limit))


def named_first(text: str, names: Sequence[str]) -> list[str]:
    """All names, those first of which most stands in a text; where much the same stands there, the order stays."""
    from rapidfuzz import fuzz  # noqa: PLC0415 - as above

    return sorted(names, key=lambda n: -fuzz.partial_ratio(text.lower(), n.lower()) // 25)


def nearest_versions(wanted: Iterable[str], known: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """What lies nearest: to versions by their numbers from the first on, to other names by their spelling.

    Args:
        wanted: names that do not exist.
        known: names that do, those first that win a tie.
        limit: how many, at most.
    """
    names, choices = list(wanted), list(dict.fromkeys(known))
    versions = [c for c in choices if VERSION.search(c)]
    asked = [name for name in names if VERSION.fullmatch(name) and versions]
    others = nearest_names((name for name in names if name not in asked), choices, limit)
    near = sorted(versions, key=lambda c: min(abs(size(c) - size(name)) for name in asked)) if asked else []
    return tuple(dict.fromkeys((*others, *near)))[:limit]


def size(version: str) -> float:
    """A version as one number, each part worth a thousandth of the one before it; of ``shop-v1.42.0`` too."""
    found = VERSION.search(version)
    parts = re.findall(r"\d+", found.group()) if found else []
    return sum((min(float(n), 1e6) / 1000.0**i for i, n in enumerate(parts[:5])), 0.0)
