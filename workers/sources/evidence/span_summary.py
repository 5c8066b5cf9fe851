"""The first item of a tool's output over a span of time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workers.contracts import Evidence, EvidenceKind, Fact

MOST_TITLE = 200


def span_summary(
    kind: EvidenceKind,
    place: str,
    title: str,
    asked: Mapping[str, str],
    facts: Mapping[str, Fact],
    notes: Sequence[str],
) -> Evidence:
    """How many items there were, how many are left out, and what could not be read.

    Args:
        place: what was read, as an address: ``flags://changes``.
        asked: what the items were chosen by; what is empty was not asked for.
        facts: ``span_start`` and ``span_end`` among them.
    """
    chosen = {f"of_{name}": Fact(value=value) for name, value in asked.items() if value}
    said = "&".join(f"{name}={value}" for name, value in asked.items() if value)
    span = "..".join(str(facts[name].value) for name in ("span_start", "span_end"))
    return Evidence(
        kind=kind,
        title=title[:MOST_TITLE],
        locator=f"{place}?{span}{'&' if said else ''}{said}"[:500],
        excerpt="\n".join((title, *notes)),
        facts={**chosen, **facts},
    )
