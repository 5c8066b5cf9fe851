"""Templates: what varies is masked, words that make a difference stay, and the order of lines does not matter."""

from __future__ import annotations

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.sources.logs.templates import MOST_TEXTS, WILDCARD, Text, find_templates, mask_message

NAMES = tuple("alice bob carol dave erin frank grace heidi ivan judy mallory niaj olivia".split())


@each_row(
    "message, masked",
    [
        ("took 12ms and 1m30s", "took <duration> and <duration>"),
        ("order 81723 of 3.50", "order <num> of <num>"),
        ("user=4711 logged in", "user=<num> logged in"),
        ("trace 4bf92f3577b34da6a3ce929d0e0e4736", "trace <hex>"),
        ("id 123e4567-e89b-12d3-a456-426614174000 gone", "id <id> gone"),
        ('unknown column "total price"', 'unknown column "<text>"'),
        ("can't open 'a b' or /var/log/x.log", "can't open '<text>' or <path>"),
        ("from 10.0.0.1:5432 to https://x.example/y?z=1", "from <ip> to <url>"),
        ("at 2026-03-01T12:00:05Z (0x1f)", "at <time> (<hex>)"),
        ("first line\nat frame 1", "first line"),
        ("hash bccdcabe is not facade", "hash <hex> is not facade"),
        ("connection refused", "connection refused"),
    ],
)
def test_what_varies_is_masked(message: str, masked: str) -> None:
    assert mask_message(message) == masked


def templates_of(messages: list[str]) -> dict[str, str]:
    counts = Counter(Text("cart", "info", mask_message(message)) for message in messages)
    found = find_templates({text: float(n) for text, n in counts.items()})
    return {text.masked: template for text, template in found.items()}


def test_names_become_wildcards_and_outcomes_do_not() -> None:
    messages = [f"login {outcome} for {name}" for name in NAMES for outcome in ("failed", "succeeded")]
    assert set(templates_of(messages).values()) == {f"login failed for {WILDCARD}", f"login succeeded for {WILDCARD}"}


def test_a_code_that_happens_to_be_a_number_is_the_same_code() -> None:
    found = templates_of(["request 8f3a9c0d done", "request 81234567 done"])
    assert set(found.values()) == {f"request {WILDCARD} done"}


def test_services_and_levels_are_kept_apart() -> None:
    texts = {Text(service, "info", f"hello {name}"): 1.0 for service in ("a", "b") for name in NAMES[:4]}
    assert set(find_templates(texts).values()) == {f"hello {name}" for name in NAMES[:4]}


def test_more_different_messages_than_are_looked_at_are_told_by_their_beginning() -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    texts = {
        Text("a", "", f"one {a}{b}{c}{d} word" + " x" * (ord(a) % 7)): 1.0
        for a in letters for b in letters for c in letters for d in letters[:2]
    }  # fmt: skip
    assert len(texts) > MOST_TEXTS
    assert len(find_templates(texts)) == len(texts)


MESSAGES = st.lists(
    st.text(max_size=30) | st.lists(st.sampled_from(["a", "b", "failed", "17", "x=1"]), max_size=5).map(" ".join),
    max_size=25,
)


@given(MESSAGES, st.randoms(use_true_random=False))
def test_every_message_has_a_template_whatever_the_order(messages: list[str], rng: random.Random) -> None:
    found = templates_of(messages)
    assert set(found) == {mask_message(message) for message in messages}
    for masked, template in found.items():
        assert len(masked.split(" ")) == len(template.split(" "))
    mixed = messages[:]
    rng.shuffle(mixed)
    assert templates_of(mixed) == found


@given(st.text())
def test_masking_any_text_gives_one_line_without_new_blanks(text: str) -> None:
    masked = mask_message(text)
    assert masked == mask_message(text)
    assert masked == " ".join(masked.split())
