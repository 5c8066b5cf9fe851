"""The labelled channels of incidents: their form, and that authors did not write the same sentences."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.support.each_row import each_row
from workers import language

FOLDER = Path(language.__file__).parent / "data" / "speech_acts"
FILES = sorted(FOLDER.glob("*.jsonl"))
ACTS = set(re.findall(r"^\| ([a-z_]+) \|", (FOLDER / "README.md").read_text(encoding="utf-8"), re.MULTILINE)) - {"act"}
LEAST, LONG = 500, 25
"""Messages of an author; letters from which on a sentence is nobody's by chance."""


def messages(file: Path) -> list[dict[str, Any]]:
    channels = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [message for channel in channels for message in channel["messages"]]


@each_row("file", FILES)
def test_every_act_is_known_and_its_words_stand_in_the_text(file: Path) -> None:
    found = messages(file)
    assert len(found) >= LEAST
    for message in found:
        for act in message["acts"]:
            assert act["act"] in ACTS
            assert act["span"].strip()
            assert act["span"] in message["text"]


@each_row("file", FILES)
def test_the_clock_of_a_channel_does_not_fall(file: Path) -> None:
    for line in file.read_text(encoding="utf-8").splitlines():
        times = [message["at"] for message in json.loads(line)["messages"]]
        assert all(re.fullmatch(r"\d\d:\d\d", at) for at in times)
        assert all(a <= b for a, b in pairwise(times))


def test_no_sentence_is_of_two_authors() -> None:
    authors: dict[str, set[str]] = {}
    for file in FILES:
        for message in messages(file):
            text = re.sub(r"\W+", " ", message["text"].casefold()).strip()
            if len(text) >= LONG:
                authors.setdefault(text, set()).add(file.stem)
    assert [text for text, of in authors.items() if len(of) > 1] == []


def test_all_files_are_described() -> None:
    told = set(re.findall(r"`(\w+\.jsonl)`", (FOLDER / "README.md").read_text(encoding="utf-8")))
    assert told == {file.name for file in FOLDER.rglob("*.jsonl")}


@each_row("file", sorted((FOLDER / "messages").glob("*.jsonl")))
def test_single_messages_have_known_acts(file: Path) -> None:
    for line in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
        assert line["text"].strip()
        assert isinstance(line["before"], str)
        assert set(line["acts"]) <= ACTS
