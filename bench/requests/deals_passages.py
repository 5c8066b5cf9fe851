"""``python -m bench.requests deals-passages FILE``: what passages of memos tell of, beside labels of their author.

FILE holds ``passages``, a list (or is one), each with its text and its kind: lever, risk or neither. A passage that is
not recognised counts as neither.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from workers.agents.deals.source.passage_kinds import LEVER, RISK, passage_kind

NEITHER = "neither"
KINDS = (LEVER, RISK, NEITHER)


def labelled(book: Any) -> Iterator[tuple[str, str, str]]:
    """Each passage with its kind and its voice, under any of the usual names."""
    rows = book if isinstance(book, list) else next(v for k, v in book.items() if "passage" in k.lower() and v)
    for row in rows:
        text = next(row[name] for name in ("text", "passage", "quote", "sentence") if row.get(name))
        values = [str(row.get(name) or "").lower() for name in ("kind", "label", "type", "true_label")]
        told = [kind for kind in (LEVER, RISK) for value in values if value == kind or value.startswith(f"{kind}s")]
        told = told or [kind for kind in (LEVER, RISK) for value in values if value.startswith(kind)]
        yield text, told[0] if told else NEITHER, str(row.get("voice") or row.get("style") or row.get("source") or "")


def measure(book: Any) -> Iterator[str]:
    """Lines of tables: how many are right, by kind and by voice; and what was told as what."""
    told = [(text, kind, voice, passage_kind(text) or NEITHER) for text, kind, voice in labelled(book)]
    groups = {"all": told, **{kind: [t for t in told if t[1] == kind] for kind in KINDS}}
    voices = Counter(t[2] for t in told)
    if len(voices) <= len(told) / 4:
        groups |= {f"voice: {v}": [t for t in told if t[2] == v] for v in sorted(voices) if v}
    yield "| passages | n | right | not recognised | told as another |\n|---|---|---|---|---|"
    for name, some in groups.items():
        right = sum(t[1] == t[3] for t in some)
        unsure = sum(t[3] == NEITHER != t[1] for t in some)
        share = f"{right} ({right / len(some):.0%})" if some else "0"
        yield f"| {name} | {len(some)} | {share} | {unsure} | {len(some) - right - unsure} |"


def wrong(book: Any) -> Iterator[str]:
    """Each passage that is told as something else."""
    for text, kind, _ in labelled(book):
        if (found := passage_kind(text) or NEITHER) != kind:
            yield f"{kind} told as {found}: {text}"
