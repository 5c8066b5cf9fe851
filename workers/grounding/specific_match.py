"""What of the cited evidence a specific can stand for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from workers.grounding.line_match import match_lines
from workers.grounding.literals import Specific
from workers.grounding.mentions import Scope, Support
from workers.grounding.number_match import match_factor, match_quantity
from workers.grounding.word_match import match_name, match_quote, match_time, match_whole, match_words

FINDERS: Mapping[str, Callable[[Specific, Scope], Iterator[Support]]] = {
    "quantity": match_quantity, "factor": match_factor, "time": match_time, "date": match_time, "person": match_name,
    "name": match_name, "quote": match_quote, "version": match_words, "endpoint": match_words,
    "mention": lambda _specific, _scope: iter(()),  # it calls people: no evidence allows it
}  # fmt: skip


def match_specific(specific: Specific, scope: Scope) -> tuple[Support, ...]:
    """Everything of the cited evidence that a specific can stand for, as it is written or converted."""
    if specific.kind == "lines":
        return tuple(Support((), rows) for i in scope.indexes for rows in match_lines(specific, i, scope.words))
    hash_like = re.fullmatch(r"\d{7,40}", specific.text)
    if hash_like and (found := tuple(match_whole(replace(specific, kind="commit"), scope))):
        return found
    finder = FINDERS.get(specific.kind, match_whole)
    return tuple(finder(specific, scope))
