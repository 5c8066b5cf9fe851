"""What a source of memory is asked, and the one type of result that all of them return."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

from workers.contracts import Evidence, EvidenceKind, Fact, Window
from workers.language.token_count import count_tokens

QueryType = Literal["definition", "references", "conceptual", "behavioral", "unknown"]
SourceType = Literal["code", "document", "vault", "thread", "memory", "web"]
KINDS: Mapping[SourceType, EvidenceKind] = {
    "code": "code",
    "document": "doc",
    "vault": "note",
    "thread": "message",
    "memory": "note",
    "web": "web",
}


@dataclass(frozen=True)
class Query:
    """A question as it was analysed, without a model.

    ``now``, ``timezone``: as of when it is asked, and the asker's zone. ``kind``: of
    `workers.language.memory_kinds`, empty when none is sure. ``symbols``: names of code in it, in the order
    they stand; ``window``: the time that it names, None when it names
    none; ``user``: whose memories, ``spaces``: whose threads may be read.
    """

    text: str
    now: datetime
    timezone: str = "UTC"
    kind: str = ""
    query_type: QueryType = "unknown"
    symbols: tuple[str, ...] = ()
    window: Window | None = None
    user: str = ""
    spaces: tuple[str, ...] = ()
    team: str = ""


@dataclass(frozen=True)
class Retrieved:
    """One passage.

    ``source_path``: where it stands, as a person can find it; ``retrieval_method``: what found it; ``score``: 0 to 1,
    how likely it helps, calibrated so that sources can be compared; ``token_count``: of ``content``; ``metadata``:
    ``title``, ``url``, ``observed_at`` and ``facts`` of the evidence that it becomes, as far as they are known.
    """

    content: str
    source_type: SourceType
    source_path: str
    retrieval_method: str
    score: float
    token_count: int
    metadata: Mapping[str, Any] = field(default_factory=dict)


MOST_PASSAGES, LONGEST_TEXT, MOST_SENTENCES, SHORTEST_SENTENCE = 2_000, 800, 12, 12
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True)
class Passage:
    """A text of a source, with its title; ``show`` makes what is found of it, with a score."""

    text: str
    title: str
    show: Callable[[float], Retrieved]

    @property
    def whole(self) -> str:
        """What is encoded."""
        return f"{self.title}\n{self.text}".strip()[:LONGEST_TEXT]

    @property
    def texts(self) -> tuple[str, ...]:
        """All that is encoded."""
        return (self.whole, self.title, *self.sentences)

    @property
    def sentences(self) -> list[str]:
        """Those that say something."""
        found = (one.strip() for one in SENTENCE.split(self.text))
        return [s for s in found if len(s) >= SHORTEST_SENTENCE and not s.endswith("?")][:MOST_SENTENCES]


class Retriever(Protocol):
    """One source of memory."""

    @property
    def name(self) -> SourceType | Literal["meaning"]:
        """What it searches."""
        ...

    def retrieve(self, query: Query, k: int) -> Sequence[Retrieved]:
        """At most ``k`` passages, best first. Raises: OracleError: the source cannot be searched."""
        ...


class Shelf(Retriever, Protocol):
    """A source all passages of which can be read."""

    def passages(self, query: Query) -> Sequence[Passage]:
        """All that it holds, as far as the asker may read it. Raises: OracleError: it cannot be read."""
        ...


def from_evidence(found: Evidence, source: SourceType, method: str, score: float) -> Retrieved:
    """A passage from what another tool returns."""
    return Retrieved(
        content=found.excerpt,
        source_type=source,
        source_path=found.locator,
        retrieval_method=method,
        score=min(max(score, 0.0), 1.0),
        token_count=count_tokens(found.excerpt),
        metadata={
            "title": found.title,
            "url": found.url,
            "observed_at": found.observed_at,
            "facts": dict(found.facts),
        },
    )


def to_evidence(found: Retrieved) -> Evidence:
    """A passage as evidence that an answer may rest on."""
    told = found.metadata
    facts: dict[str, Fact] = {**told.get("facts", {})}
    facts.setdefault("source", Fact(value=found.source_type))
    return Evidence(
        kind=KINDS[found.source_type],
        title=told.get("title") or found.source_path,
        locator=found.source_path,
        url=told.get("url"),
        excerpt=found.content,
        facts=facts,
        observed_at=told.get("observed_at"),
    )
