"""Secrets told in a sentence: what is found of a word, and that the data keeps its form."""

from __future__ import annotations

import json
import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers import language
from workers.language.told_secrets import told_secrets, words_of
from workers.language.train_told_secrets import HELD, learn

FOLDER = Path(language.__file__).parent / "data" / "secrets"
FILES = sorted(FOLDER.glob("*.jsonl"))
SHOWN = [
    {"text": f"the password of {thing} is {secret}", "secret": secret}
    for thing, secret in zip(
        "wiki door mail shop desk bank".split(), "tulip9 Rose7x lily22 Fern3a moss41 reed8z".split(), strict=True
    )
] + [{"text": f"the password of {thing} is expired", "secret": ""} for thing in "wiki door mail shop desk bank".split()]


@given(st.text(max_size=200))
def test_spans_lie_in_the_text_and_follow_each_other(text: str) -> None:
    last = 0
    for start, end in told_secrets(f"the password {text}"):
        assert last <= start < end <= len(text) + len("the password ")
        last = end


def test_what_was_shown_is_told_apart() -> None:
    model = learn(SHOWN * 3)
    for row in SHOWN:
        found = [row["text"][start:end] for start, end in told_secrets(row["text"], model)]
        assert found == ([row["secret"]] if row["secret"] else [])


def test_a_pair_is_two_words_and_a_full_stop_is_none_of_it() -> None:
    assert [word.text for word in words_of("use admin/tulip9 or a:bc12.")] == ["use", "admin", "tulip9", "or", "a:bc12"]


@each_row("who", ["@U02QX7M1Z", "<@U02QX7M1Z>", "@ben.k", "<https://acme.example/a/b?c=9f3K2|link>"])
def test_a_mention_or_a_link_is_no_secret(who: str) -> None:
    said = f"AI: {who} fix the dashboard so that it counts accounts, the password is tulip44x"
    assert [said[start:end] for start, end in told_secrets(said)] == ["tulip44x"]


def test_a_line_that_speaks_of_no_secret_is_left_alone() -> None:
    assert not list(told_secrets("p95 of /api/search went from 120 ms to 480 ms at 14:05"))


@each_row("file", FILES)
def test_each_secret_stands_in_its_text(file: Path) -> None:
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert all(row["text"].strip() and row["secret"] in row["text"] for row in rows)
    assert {bool(row["secret"]) for row in rows} == {True, False}


def test_all_files_are_described_and_some_are_held() -> None:
    told = set(re.findall(r"`(\w+\.jsonl)`", (FOLDER / "README.md").read_text(encoding="utf-8")))
    assert told == {file.name for file in FILES}
    assert {file.stem for file in FILES} > HELD
