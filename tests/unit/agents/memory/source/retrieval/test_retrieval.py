"""Retrieval over memory: sources side by side, one order, what fits the budget."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.support.vaults import make_vault
from workers.agents.memory.source.retrieval.assembly import assemble
from workers.agents.memory.source.retrieval.contract import (
    Query,
    QueryType,
    Retrieved,
    SourceType,
    from_evidence,
    to_evidence,
)
from workers.agents.memory.source.retrieval.coverage import covered
from workers.agents.memory.source.retrieval.hybrid_ranking import rank
from workers.agents.memory.source.retrieval.parallel_retrieval import retrieve_all
from workers.agents.memory.source.retrieval.query_analysis import analyse
from workers.agents.memory.source.retrieval.vault_retriever import VaultRetriever
from workers.agents.memory.source.vault.open_vault import OpenVault
from workers.contracts import Evidence, Fact
from workers.errors import ToolUnavailable
from workers.language.token_count import count_tokens

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)
TYPES: tuple[QueryType, ...] = ("definition", "references", "conceptual", "behavioral", "unknown")
SOURCES: tuple[SourceType, ...] = ("code", "document", "vault", "thread", "web")


def passage(text: str, source: SourceType = "vault", score: float = 0.5, path: str = "") -> Retrieved:
    return Retrieved(text, source, path or text, "words", score, count_tokens(text))


@dataclass
class Fixed:
    """A source that returns what it was made with; one that waits, or fails."""

    name: SourceType
    found: Sequence[Retrieved] = ()
    fails: str = ""
    waits: threading.Event | None = field(default=None)

    def retrieve(self, query: Query, k: int) -> Sequence[Retrieved]:
        if self.waits:
            self.waits.wait(30)
        if self.fails:
            raise ToolUnavailable(self.fails)
        return self.found[:k]


def test_notes_of_the_asked_days_come_before_others_that_say_more(tmp_path: Path) -> None:
    notes = {
        "Old.md": "---\ndate: 2026-05-02\n---\n# Tar\n\nThe tar of the boat shed is thick, thick as ever.\n",
        "New.md": "---\ndate: 2026-11-24\n---\n# Work\n\nNew tar on the boat.\n",
    }
    opened = OpenVault(make_vault(tmp_path / "vault", notes).root, tmp_path / "kept")
    vault = VaultRetriever(opened)

    def first(text: str) -> str:
        return vault.retrieve(analyse(text, NOW), 5)[0].source_path.partition("#")[0]

    assert first("tar of the boat shed") == "Old.md"
    assert first("tar of the boat shed this week") == "New.md"


def test_a_source_that_fails_or_is_late_is_named_and_the_others_answer() -> None:
    late = threading.Event()
    sources = [
        Fixed("vault", [passage("a note"), passage("another"), passage("a third")]),
        Fixed("web", fails="no page is saved"),
        Fixed("code", waits=late),
    ]
    found = retrieve_all(sources, Query("q", NOW), 2, deadline_ms=300)
    late.set()
    assert [p.content for p in found.found] == ["a note", "another"]
    assert dict(found.failed) == {"web": "no page is saved", "code": "no answer within 300 ms"}


def test_what_says_nearly_the_same_is_shown_once_the_best_of_it() -> None:
    found = [
        passage("retries are three and never on client errors", "document", 0.4),
        passage("Retries are three, and never on client errors!", "vault", 0.6),
        passage("something else entirely", "vault", 0.3),
    ]
    ranked = rank(found, Query("q", NOW))
    assert [p.source_type for p in ranked] == ["vault", "vault"]
    assert [p.score for p in ranked] == sorted((p.score for p in ranked), reverse=True)


def test_what_is_asked_decides_between_sources_of_equal_scores() -> None:
    found = [passage("some words here", "thread"), passage("def f(): pass", "code"), passage("other words", "vault")]
    first = {
        kind: rank(found, Query("q", NOW, query_type=kind))[0].source_type for kind in ("definition", "references")
    }
    assert set(first.values()) == {"code"}
    assert rank(found, Query("q", NOW, kind="decision", query_type="conceptual"))[0].source_type == "thread"


@given(
    st.lists(st.tuples(st.sampled_from(SOURCES), st.text(min_size=1, max_size=900), st.floats(0, 1)), max_size=12),
    st.sampled_from(TYPES),
    st.integers(50, 600),
)
def test_no_more_than_the_budget_and_only_what_was_found(
    rows: list[tuple[SourceType, str, float]], kind: QueryType, budget: int
) -> None:
    found = [passage(text, source, score, str(i)) for i, (source, text, score) in enumerate(rows)]
    ranked = rank(found, Query("q", NOW, query_type=kind))
    kept = assemble(ranked, kind, budget)
    assert sum(p.token_count for p in kept) <= budget
    assert all(p.token_count == count_tokens(p.content) for p in kept)
    whole = {p.source_path: p.content for p in found}
    assert all(
        p.content.removesuffix("\n…") == whole[p.source_path][: len(p.content.removesuffix("\n…"))] for p in kept
    )
    assert all(0 <= p.score <= 1 for p in ranked)


def test_one_source_leaves_room_for_the_others() -> None:
    long = [passage(f"{letter} " * 150, "code", 0.9 - i / 100) for i, letter in enumerate("abcd")]
    ranked = rank([*long, passage("a short note of the team", "vault", 0.1)], Query("q", NOW))
    kept = assemble(ranked, "unknown", 200)
    assert "vault" in {p.source_type for p in kept}


def test_evidence_comes_back_as_it_was() -> None:
    facts = {"path": Fact(value="a.md", unit="path")}
    before = Evidence(kind="note", title="A", locator="a.md#X", url="https://x/a", excerpt="words", facts=facts)
    after = to_evidence(from_evidence(before, "vault", "words", 1.7))
    assert (after.kind, after.title, after.locator, after.url, after.excerpt) == (
        "note",
        "A",
        "a.md#X",
        "https://x/a",
        "words",
    )
    assert after.facts["path"] == before.facts["path"]


def test_a_question_is_read_without_a_model() -> None:
    query = analyse("where is `RetryPolicy` defined?", NOW)
    assert (query.query_type, "RetryPolicy" in query.symbols) == ("definition", True)
    assert analyse("what did we decide about retries last week?", NOW).window is not None
    assert analyse("banana", NOW).query_type == "unknown"


def test_coverage_counts_stems_once() -> None:
    assert covered("retries of payments", "We retry each payment three times") == 1.0
    assert covered("retries of payments", "nothing of it") == 0.0
    assert covered("the of and", "the of and") == 0.0
