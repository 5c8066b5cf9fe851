"""Long texts cut at their paragraphs."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.language.token_count import count_tokens
from workers.sources.web.passages import best_passages, cut_text, passages_of, shown_passage

WORDS = st.sampled_from(
    ["retry", "policy", "größe", "日本語", "the", "x" * 40, "\n", "\n\n", "# Head\n", "```\n", "🙂", ". "]
)
TEXTS = st.lists(WORDS | st.text(max_size=30), max_size=120).map(" ".join)


@given(TEXTS, st.integers(0, 4_000), st.integers(1, 200))
def test_a_part_never_takes_more_tokens(text: str, offset: int, most: int) -> None:
    cut = cut_text(text, offset, most)
    assert count_tokens(cut.text) <= most
    assert cut.text in text
    assert cut.next_offset is None or 0 < cut.next_offset < len(text)


@given(TEXTS, st.integers(1, 60))
def test_reading_on_reads_everything(text: str, most: int) -> None:
    parts, at = [], 0
    for _ in range(len(text) + 2):
        cut = cut_text(text, at, most)
        parts.append(cut.text)
        if cut.next_offset is None:
            break
        assert cut.next_offset > at
        at = cut.next_offset
    else:
        pytest.fail("it never ends")
    assert "".join("".join(parts).split()) == "".join(text.split())


@given(TEXTS, st.text(max_size=30) | st.sampled_from(["retry policy", "größe"]), st.integers(100, 400))
def test_passages_together_never_take_more_tokens(text: str, question: str, most: int) -> None:
    found = best_passages(text, question, most)
    assert count_tokens("\n\n".join(shown_passage(text, passage) for passage in found)) <= most


@given(TEXTS)
def test_passages_hold_all_of_a_text_once(text: str) -> None:
    found = passages_of(text)
    assert all(a.end <= b.start for a, b in pairwise(found))
    assert "".join("".join(text[p.start : p.end] for p in found).split()) == "".join(text.split())


GUIDE = "\n\n".join(
    [
        "# Guide",
        "An introduction of some words. " * 40,
        "## Retry policy",
        "A failed call is repeated three times, 200 ms apart.",
        "## Timeouts",
        "The client waits " + "for a while and then " * 60 + "gives up.",
        "```\nretries: 3\n\nbackoff: 2s\n```",
    ]
)


def test_it_is_cut_at_a_paragraph() -> None:
    cut = cut_text(GUIDE, 0, 340)
    assert cut.text.endswith("200 ms apart.")
    assert cut.next_offset == GUIDE.index("## Timeouts")


def test_the_best_passage_comes_first_below_its_heading() -> None:
    (first, *_) = best_passages(GUIDE, "how often is a failed call repeated?", 300)
    assert shown_passage(GUIDE, first).startswith("## Retry policy\n\nA failed call")
    assert best_passages(GUIDE, "kangaroo", 300) == []


def test_code_is_one_passage() -> None:
    assert any(GUIDE[p.start : p.end].strip().endswith("backoff: 2s\n```") for p in passages_of(GUIDE))
