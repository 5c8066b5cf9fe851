"""``taught.yaml``: what it may say, and that a change of it is seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from workers.errors import ConfigError
from workers.settings.taught_examples import FILE, check_names, merged, read_taught, watch_taught, write_taught

GOOD = """
sentences:
  - {text: "flipped to blue", acts: [deed]}
questions:
  - {text: "who holds the pager?", agent: operations}
"""
KNOWN = {"agents": ("operations",), "kinds": ("alerting",)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sentences: [{text: a}]", "sentences.0.acts: Field required"),
        ("sentences: [{text: a, acts: [dance]}]", "sentences.0.acts.0: Input should be"),
        ("questions: [{text: a}]", "questions.0: neither agent nor kind"),
        ("words: []", "words: Extra inputs"),
        ("sentences: [", "cannot be read"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=said):
        read_taught(file)


def test_names_that_there_are_not_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text("questions: [{text: b, agent: nobody, kind: odd}]")
    with pytest.raises(ConfigError) as refused:
        check_names(read_taught(file), file, **KNOWN)
    for place in ("questions.0.agent: no agent", "questions.0.kind: no kind"):
        assert place in str(refused.value)


def test_the_newer_of_two_examples_with_the_same_words_stays(tmp_path: Path) -> None:
    old, new = tmp_path / "old.yaml", tmp_path / "new.yaml"
    old.write_text(GOOD)
    new.write_text("sentences: [{text: flipped to blue, acts: []}]")
    both = merged(read_taught(old), read_taught(new))
    assert [(one.text, one.acts) for one in both.sentences] == [("flipped to blue", ())]
    assert len(both.questions) == 1
    write_taught(tmp_path / FILE, both)
    assert read_taught(tmp_path / FILE) == both


def test_a_change_is_seen_and_a_broken_file_changes_nothing(tmp_path: Path) -> None:
    read, file = watch_taught(tmp_path), tmp_path / FILE
    assert read().sentences == ()
    file.write_text(GOOD)
    seen = read()
    assert [one.text for one in seen.sentences] == ["flipped to blue"]
    assert read() is seen
    file.write_text("sentences: [")
    assert read() is seen
    file.unlink()
    assert read().sentences == ()
