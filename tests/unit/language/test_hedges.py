"""What hedges and what denies."""

from __future__ import annotations

from tests.support.each_row import each_row
from workers.grounding import lexicon
from workers.language.hedges import is_hedged
from workers.language.negation import is_negated
from workers.language.stems import stem
from workers.language.stop_words import STOP_WORDS, content_words


@each_row(
    "text",
    ["Maybe the cache.", "it might be DNS", "My best read: the pool", "Looks like the gateway"],
)
def test_a_supposition_is_hedged_wherever_it_stands(text: str) -> None:
    assert is_hedged(text)
    assert lexicon.HEDGE.search(text)


@each_row("text", ["The pool is full.", "It went up in May 2026.", "a mighty cache", "as soon as possible"])
def test_a_statement_is_not(text: str) -> None:
    assert not is_hedged(text)


@each_row(
    "text", ["I’m afraid it is us", "p95 of the leading endpoint fell", "Thinking time aside, it rose", "it lines up"]
)
def test_what_is_doubt_among_people_is_none_in_a_report(text: str) -> None:
    assert is_hedged(text)
    assert not lexicon.HEDGE.search(text)


def test_a_claim_may_be_hedged_by_what_evidence_does() -> None:
    assert lexicon.HEDGE.search("This points to the pool")
    assert not is_hedged("This points to the pool")
    assert not lexicon.HEDGE.search("on May 12 it rose")


def test_what_denies() -> None:
    text = "The pool isn’t full and nobody waits"
    assert is_negated(text)
    assert is_negated(text, text.index("nobody"))
    assert not is_negated(text, 0, text.index("is"))
    assert not is_negated("a notable knot")


def test_a_text_is_about_its_other_words() -> None:
    assert content_words("Where is the retry policy of the payments client?") == {
        stem(word) for word in ("retries", "policies", "payment", "clients")
    }
    assert not content_words(" ".join(STOP_WORDS))
