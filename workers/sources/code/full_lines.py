"""All lines of what a hit shows the beginning of."""

from __future__ import annotations

from workers.sources.code.index import CodeHit, CodeIndex

NEAR = 20
"""A type and what is implemented for it are one when no more lines than these lie between them."""


def whole_lines(index: CodeIndex, hit: CodeHit) -> tuple[int, int]:
    """First and last line of the definition that begins in a hit, with those of its name beside it; else the hit's."""
    start, end = hit.start_line, hit.end_line
    if not hit.symbols:
        return start, end
    found = [d for d in index.definitions(hit.symbols[0]) if d.path == hit.path and d.symbols == hit.symbols[:1]]
    spans = sorted((d.start_line, d.end_line) for d in found)
    if not any(start <= first <= end for first, _ in spans):
        return start, end
    for _ in spans:
        near = [s for s in spans if s[0] <= end + NEAR and s[1] >= start - NEAR]
        start, end = min([start, *(s[0] for s in near)]), max([end, *(s[1] for s in near)])
    return start, end
