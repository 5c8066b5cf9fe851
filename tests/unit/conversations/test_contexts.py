"""A context stays within its budget, and keeps what counts."""

from __future__ import annotations

import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.tables import sqlite_tables
from workers.conversations.compress import add_exchange, compress, messages_of, size_of
from workers.conversations.conversation import keep_exchange, new_context
from workers.conversations.extract import extract
from workers.conversations.mentions import files_in, symbols_in
from workers.errors import ModelFailed
from workers.language.token_count import count_tokens
from workers.store.contexts import Context, Exchange, load_context
from workers.store.database import open_database

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
THINGS = "store queue cache index worker gateway ledger router pool broker mirror replica".split()
VERBS = "keeps reads moves drops copies splits merges counts writes holds sorts sends".split()


def plain(number: int, sentences: int) -> str:
    """So many sentences, each of which says something else."""
    draw = random.Random(number)

    def noun() -> str:
        return f"{draw.choice(THINGS)} {draw.choice(THINGS)}"

    said = (
        f"The {noun()} {draw.choice(VERBS)} its {noun()} while the {noun()} {draw.choice(VERBS)}"
        for _ in range(sentences)
    )
    return " ".join(f"{text}, host-{draw.randrange(10**6)} says." for text in said)


def grown(exchanges: int, words: int = 40, budget: int = 16_000) -> Context:
    context = new_context("T1/U1", "shop", NOW, budget)
    for number in range(exchanges):
        asked = f"What about part {number}?"
        answered = f"Part {number} runs on host-{number:03} at {number}.5 ms. " + plain(number, words)
        context = add_exchange(context, Exchange(asked, answered), now=NOW)
    return context


def full(exchanges: int = 14) -> Context:
    """A context right before it is compressed."""
    context = grown(0)
    said = [Exchange(f"What about {n}?", f"Part {n} runs on host-{n:03}. {plain(n, 38)}") for n in range(exchanges)]
    context = replace(context, recent_exchanges=tuple(said))
    return replace(context, tokens_used=size_of(context))


def test_the_last_five_stay_word_for_word_and_the_rest_becomes_shorter() -> None:
    before = full()
    last = tuple(Exchange(f"q{number}", f"a{number} {plain(number, 5)}") for number in range(5))
    after = compress(replace(before, recent_exchanges=(*before.recent_exchanges, *last)))
    assert after.recent_exchanges == last
    assert "host-000" in after.compressed_summary
    assert 0.3 <= size_of(after) / size_of(before) <= 0.5


@pytest.mark.parametrize("words", [1, 8, 40])
def test_each_compression_leaves_thirty_to_fifty_percent(words: int) -> None:
    context = grown(0)
    for number in range(400):
        answered = f"Part {number} runs on host-{number:03}. " + plain(number, words)
        grew = replace(context, recent_exchanges=(*context.recent_exchanges, Exchange(f"What of {number}?", answered)))
        after = add_exchange(context, Exchange(f"What of {number}?", answered), now=NOW)
        assert after.tokens_used == size_of(after) <= after.token_budget
        if after.compression_count > context.compression_count:
            assert 0.3 <= size_of(after) / size_of(grew) <= 0.5
        context = after
    assert context.compression_count >= 1


@given(st.lists(st.tuples(st.text(max_size=300), st.integers(0, 90_000)), max_size=12))
def test_no_exchange_breaks_the_budget(said: list[tuple[str, int]]) -> None:
    context = grown(0, budget=4_000)
    for text, length in said:
        context = add_exchange(context, Exchange(text, text + "x" * length), decisions=[text[:200]], now=NOW)
        assert context.tokens_used <= context.token_budget


def test_decisions_stay_word_for_word() -> None:
    context = grown(0)
    decided = [f"Decision: part {number} moves to zone {number % 3}." for number in range(30)]
    for text in decided:
        context = add_exchange(context, Exchange("And this?", plain(0, 30)), decisions=[text], now=NOW)
    assert context.compression_count
    assert context.key_decisions == tuple(decided)
    assert all(text in "\n".join(messages_of(context)) for text in decided)


def test_another_model_gets_a_summary_of_its_own() -> None:
    asked: list[Sequence[str]] = []

    def compressor(texts: Sequence[str], most_words: int) -> str:
        asked.append(texts)
        return "Part 0 runs on host-000. " + "It was said at length. " * 150

    context = replace(compress(full(), compressor), last_model="small")
    same = add_exchange(context, Exchange("q", "a"), now=NOW, model="small", compressor=compressor)
    assert (len(asked), same.compression_count) == (1, 1)
    other = add_exchange(same, Exchange("q", "a"), now=NOW, model="large", compressor=compressor)
    assert (len(asked), other.last_model, other.compression_count) == (2, "large", 2)


def test_a_model_that_fails_or_says_too_much_or_little_changes_nothing_of_the_bounds() -> None:
    def fails(texts: Sequence[str], most_words: int) -> str:
        raise ModelFailed("away")

    before = full(12)
    for compressor in (
        fails,
        lambda texts, most: "word " * 9_000,
        lambda texts, most: "Short.",
        lambda texts, most: "",
    ):
        after = compress(before, compressor)
        assert 0.25 <= size_of(after) / size_of(before) <= 0.5


def test_names_are_kept_track_of() -> None:
    text = (
        "`RetryPolicy` in app/payments/client.py calls max_attempts; Cart.add() is in cart.py, see config/default.yaml."
    )
    context = add_exchange(grown(0), Exchange(text, "It is."), now=NOW)
    assert context.mentioned_files == ("app/payments/client.py", "cart.py", "config/default.yaml") == files_in(text)
    assert {"RetryPolicy", "max_attempts", "Cart.add"} <= set(symbols_in(text))


@given(st.lists(st.text(max_size=400), max_size=8), st.integers(0, 300))
def test_a_summary_is_made_of_the_texts_and_fits(texts: list[str], most: int) -> None:
    summary = extract(texts, most)
    assert count_tokens(summary) <= most + 1
    joined = " ".join(" ".join(texts).split())
    assert all(line in joined for line in summary.split("\n") if line)


def test_numbers_names_and_decisions_come_first() -> None:
    dull = ["It is what it is and that is fine with everybody who was there."] + [plain(n, 1) for n in range(20)]
    telling = "We agreed to move checkout-db to eu-west-1 at 14:30, Maya Ortiz does it."
    assert telling in extract([*dull[:10], telling, *dull[10:]], 60)


def test_exchanges_that_come_at_once_are_all_kept(home: Path) -> None:
    database = open_database(sqlite_tables(home / "oracle.db"))
    with ThreadPoolExecutor(4) as pool:
        made = [Exchange(f"question {n}", f"answer {n}") for n in range(8)]
        list(pool.map(lambda one: keep_exchange(database, "T1/U1", "shop", one, now=NOW), made))
    kept = load_context(database, "T1/U1", "shop")
    database.close()
    assert kept
    assert set(kept.recent_exchanges) == set(made)
