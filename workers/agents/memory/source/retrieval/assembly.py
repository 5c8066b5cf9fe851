"""The passages that fit a budget of tokens: the best first, with room kept for other sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from workers.agents.memory.source.retrieval.contract import QueryType, Retrieved
from workers.language.token_count import count_tokens, fitting

MOST_OF_ONE: Mapping[QueryType, float] = {
    "definition": 0.8,
    "references": 0.9,
    "conceptual": 0.6,
    "behavioral": 0.7,
    "unknown": 0.5,
}
"""The share of the budget that one source may take while others have something to say."""
FEWEST_TOKENS = 40
"""A passage is cut rather than left out when at least so much of it fits."""


def assemble(ranked: Sequence[Retrieved], query_type: QueryType, budget_tokens: int) -> tuple[Retrieved, ...]:
    """Passages in their order, within the budget; the last one may be cut at a line.

    What one source had to leave to the others is filled in from it again when they don't need it.
    """
    several = len({p.source_type for p in ranked}) > 1
    share = MOST_OF_ONE[query_type] if several else 1.0
    chosen: dict[int, Retrieved] = {}
    used: Counter[str] = Counter()
    for most_of_one in (share * budget_tokens, float(budget_tokens)):
        for place, passage in enumerate(ranked):
            room = min(budget_tokens - used.total(), int(most_of_one) - used[passage.source_type])
            fitting = None if place in chosen else fitted(passage, room)
            if fitting:
                chosen[place] = fitting
                used[passage.source_type] += fitting.token_count
    return tuple(chosen[place] for place in sorted(chosen))


def fitted(passage: Retrieved, room: int) -> Retrieved | None:
    """A passage that takes at most ``room`` tokens; None when too little of it would be left."""
    if passage.token_count <= room:
        return passage
    if room < FEWEST_TOKENS:
        return None
    text = fitting(passage.content, room - 1)
    whole = text.rpartition("\n")[0] or text
    cut = f"{whole}\n…"
    return replace(passage, content=cut, token_count=count_tokens(cut))
