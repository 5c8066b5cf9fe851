"""Units that the names of keys and of metrics hold: ``duration_ms``, ``heapUsedMiB``, ``bytes_spilled_remote``."""

from __future__ import annotations

import re
from functools import lru_cache

from workers.grounding.quantities import UNITS, unit_of

PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|%")
SHARES = frozenset("ratio rate share fraction percent percentage utilization utilisation usage availability".split())
INSIDE = frozenset("ms millis milliseconds seconds minutes hours bytes kb mb gb kib mib gib tib percent pct".split())
"""Units that mean nothing else, wherever in a name they stand; the others count only at its end."""
TOO_SHORT = frozenset({"m", "h", "d", "b", "k", "g", "t", "ki", "mi", "gi", "ti", "pi", "points"})


@lru_cache(maxsize=4096)
def snake(key: str) -> str:
    """A key in small letters, its parts joined: ``heapUsedMiB`` -> ``heap_used_mib``."""
    return "_".join(p.lower() for p in PARTS.findall(re.sub(r"([KMGT])iB", r"\1ib", key)))


@lru_cache(maxsize=4096)
def unit_of_key(key: str) -> tuple[str, float] | None:
    """The unit that a key's name holds: at its end, or anywhere in it when it can be nothing else."""
    parts = snake(key).split("_")
    if len(parts) >= 3 and parts[-2] == "per" and parts[-1] in UNITS:
        return unit_of(f"per {parts[-1]}")
    if len(parts) > 1 and parts[-1] in UNITS and parts[-1] not in TOO_SHORT:
        return UNITS[parts[-1]]
    return next(
        (UNITS[p] for p in reversed(parts) if p in INSIDE),
        UNITS.get(key) if len(key) > 1 and key not in TOO_SHORT else None,
    )
