"""What is nearest to a question in meaning, of all that the sources hold: finds what other words say, in any language.

A passage is near by its whole text, and by its title or its nearest sentence; sentences that only ask say nothing.
How likely one answers was fitted on questions to two small worlds, each asked of the other too, which answers none.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from workers.agents.memory.source.retrieval.contract import (
    MOST_PASSAGES,
    Passage,
    Query,
    Retrieved,
    SourceType,
)
from workers.contracts import Fact
from workers.language.stop_words import HOW_MUCH, content_words
from workers.sources.meanings import Meanings

NEARNESS, SHARED, BIAS = 20.0, 2.0, -6.2
"""Log-odds that a passage answers: by its nearness, by the share of the question's words that it holds."""
UNSHARED, FEW = 0.6, 0.3
"""The share that counts where every passage holds less than so few: the question is in another language, or in words of
its own."""
LEAST = 0.3
"""From this chance on a passage is told of."""


@dataclass(frozen=True)
class NearestRetriever:
    """Implements `workers.agents.memory.source.retrieval.contract.Retriever` over the passages of others."""

    read: Sequence[Callable[[Query], Sequence[Passage]]]
    meanings: Meanings
    name: Literal["meaning"] = "meaning"

    def retrieve(self, query: Query, k: int) -> Sequence[Retrieved]:
        """The passages that are likeliest to answer, the likeliest first. Raises: OracleError."""
        passages = [one for read in self.read for one in read(query)[:MOST_PASSAGES] if one.sentences]
        texts = [text for one in passages for text in one.texts]
        near = self.meanings.nearness(query.text, texts) if texts else None
        if near is None:
            return ()
        shares, at, found = shared(query.text, [one.whole for one in passages]), 0, []
        for one, share in zip(passages, shares, strict=True):
            whole, title, said = near[at], near[at + 1], near[at + 2 : at + len(one.texts)]
            at += len(one.texts)
            if not np.isnan([whole, *said]).any():
                nearness = (whole + np.nanmax([title, *said])) / 2
                found.append((chance(float(nearness), share), one.sentences[int(np.argmax(said))], one))
        likeliest = sorted((row for row in found if row[0] >= LEAST), key=lambda row: -row[0])[:k]
        return [marked(one.show(p), p, sentence) for p, sentence, one in likeliest]


def chance(nearness: float, share: float) -> float:
    """How likely a passage answers, 0 to 1."""
    return 1 / (1 + math.exp(-(NEARNESS * nearness + SHARED * share + BIAS)))


def shared(question: str, texts: Sequence[str]) -> list[float]:
    """The share of a question's words that each text holds, the rare ones counting more."""
    wanted, held = content_words(HOW_MUCH.sub(" ", question)), [content_words(text) for text in texts]
    often = Counter(word for words in held for word in words & wanted)
    worth = {word: math.log((len(texts) + 1) / (often[word] + 0.5)) for word in wanted}
    whole = sum(worth.values()) or 1.0
    shares = [sum(worth[word] for word in words & wanted) / whole for words in held]
    return shares if max(shares) >= FEW else [UNSHARED] * len(texts)


def marked(found: Retrieved, p: float, sentence: str) -> Retrieved:
    """A passage with how likely it answers, and its nearest sentence."""
    facts = {
        **found.metadata.get("facts", {}),
        "meaning": Fact(value=round(p, 3), unit="ratio"),
        "nearest": Fact(value=sentence, unit="text"),
    }
    return replace(found, metadata={**found.metadata, "facts": facts})


def merged(found: Sequence[Retrieved]) -> list[Retrieved]:
    """Each passage once: with its best score, and with what is known of its meaning."""
    known: dict[tuple[SourceType, str], Retrieved] = {}
    for one in found:
        key = one.source_type, one.source_path
        other = known.setdefault(key, one)
        if other is not one:
            facts = {**one.metadata.get("facts", {}), **other.metadata.get("facts", {})}
            known[key] = replace(other, score=max(one.score, other.score), metadata={**other.metadata, "facts": facts})
    return list(known.values())
