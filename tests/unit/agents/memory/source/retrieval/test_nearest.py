"""Passages that answer in other words, or in another language, than the question's."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from workers.agents.memory.source.retrieval.contract import Passage, Query, Retrieved
from workers.agents.memory.source.retrieval.nearest import NearestRetriever, merged, shared
from workers.sources import meanings
from workers.sources.code.word_vectors import normed
from workers.sources.documents.encoding_backlog import BACKLOG
from workers.sources.meanings import Meanings

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)
SUBJECTS = ({"keys", "schlüssel", "llaves"}, {"heating", "heizung"}, {"bicycle"}, {"who", "wer"})


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """All texts that are encoded: by an encoder that knows four subjects in some languages."""
    found: list[str] = []

    def encode(texts: Sequence[str]) -> meanings.Floats:
        found.extend(texts)
        told = [[bool(words & set(text.lower().strip("?.").split())) for words in SUBJECTS] for text in texts]
        rows = np.array([[*map(float, row), 0.1] for row in told], np.float32)
        return normed(rows)

    monkeypatch.delenv("ORACLE_ENCODER", raising=False)
    monkeypatch.setattr(meanings, "is_installed", lambda: True)
    monkeypatch.setattr(meanings, "version", lambda name: f"{name} 1")
    monkeypatch.setattr(meanings, "encode", encode)
    meanings.encode_question.cache_clear()
    return found


def passage(text: str, title: str = "") -> Passage:
    return Passage(text, title, lambda score: Retrieved(text, "vault", text, "meaning", score, 1))


def ask(question: str, *passages: Passage, file: Path) -> list[Retrieved]:
    retriever = NearestRetriever((lambda query: passages,), Meanings(file))
    retriever.retrieve(Query(text=question, now=NOW), 5)
    BACKLOG.wait(lambda done, total: None)
    return list(retriever.retrieve(Query(text=question, now=NOW), 5))


@pytest.mark.usefixtures("encoded")
def test_another_language_is_found_and_its_sentence_is_named(tmp_path: Path) -> None:
    flat = passage("It was cold again today. Mrs Ilves has the spare keys")
    found = ask("Wo sind die Schlüssel", passage("The heating is serviced in May."), flat, file=tmp_path / "m.db")
    assert [one.content for one in found] == [flat.text]
    facts = found[0].metadata["facts"]
    assert facts["nearest"].value == "Mrs Ilves has the spare keys"
    assert facts["meaning"].value == round(found[0].score, 3) > 0.7


@pytest.mark.usefixtures("encoded")
def test_what_only_asks_the_same_is_no_answer(tmp_path: Path) -> None:
    assert ask("Wo sind die Schlüssel", passage("Does anybody know who has the keys?"), file=tmp_path / "m.db") == []


def test_a_text_is_encoded_once_whatever_asks_for_it(tmp_path: Path, encoded: list[str]) -> None:
    told = passage("The bicycle stands behind the house.")
    for _ in range(2):  # the second time as another process would
        assert ask("bicycle", told, file=tmp_path / "m.db")
    assert encoded.count(told.text) == 1


def test_nothing_is_known_when_the_encoder_is_off_or_breaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORACLE_ENCODER", "off")
    assert ask("bicycle", passage("A bicycle is there."), file=tmp_path / "m.db") == []
    monkeypatch.delenv("ORACLE_ENCODER")
    monkeypatch.setattr(meanings, "is_installed", lambda: True)
    monkeypatch.setattr(meanings, "version", lambda name: "1")
    monkeypatch.setattr(meanings, "encode", lambda texts: 1 / 0)
    assert ask("bicycle", passage("A bicycle is there."), file=tmp_path / "m.db") == []


def test_words_that_stand_nowhere_do_not_count_against_a_passage() -> None:
    texts = ["The heating is serviced in May.", "The bicycle is stolen."]
    assert len(set(shared("¿Cuándo revisan la calefacción?", texts))) == 1
    first, second = shared("when is the heating serviced?", texts)
    assert first == 1
    assert second == 0


def test_a_passage_that_two_ways_find_is_there_once_with_both_of_what_they_know() -> None:
    one = Retrieved("text", "vault", "a.md", "words", 0.4, 1, {"facts": {"title": "a"}})
    other = Retrieved("text", "vault", "a.md", "meaning", 0.9, 1, {"facts": {"meaning": 0.9}})
    (both,) = merged([one, other])
    assert (both.score, both.metadata["facts"]) == (0.9, {"title": "a", "meaning": 0.9})
