"""The labelled questions of ``data/questions``: what the classifiers of questions learn from, and are measured on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "data" / "questions"
HELD = frozenset({"bank_games"})
"""Authors who are measured on and never learned from."""


class LabelledQuestion(NamedTuple):
    """One question of one author. ``also``, ``also_kind``: other answers that are right. ``kind``: of few agents'."""

    text: str
    agent: str = ""
    also: tuple[str, ...] = ()
    kind: str = ""
    also_kind: tuple[str, ...] = ()
    ambiguous: bool = False
    language: str = "en"

    @property
    def agents(self) -> frozenset[str]:
        """All that may answer."""
        return frozenset((self.agent, *self.also))

    @property
    def kinds(self) -> frozenset[str]:
        """All kinds that are right."""
        return frozenset((self.kind, *self.also_kind))


def question_files() -> tuple[Path, ...]:
    """The files that are learned from, one an author."""
    return tuple(file for file in sorted(FOLDER.glob("*.jsonl")) if file.stem not in HELD)


def read_questions(*files: Path) -> tuple[LabelledQuestion, ...]:
    """The questions of some files. Raises: OSError, ValueError: no such file, or a line that is none."""
    lines = (line for file in files for line in file.read_text(encoding="utf-8").splitlines() if line.strip())
    return tuple(question_of(json.loads(line)) for line in lines)


def question_of(row: Mapping[str, object]) -> LabelledQuestion:
    """A line of a file; lists become tuples."""
    return LabelledQuestion(**{key: tuple(v) if isinstance(v, list) else v for key, v in row.items()})  # type: ignore[arg-type]


def examples_of(questions: Iterable[LabelledQuestion], field: str) -> Iterator[tuple[str, str]]:
    """Pairs of text and label: of ``agent``, ``kind``, or whether it is ``unclear``; those without a label left out."""
    for question in questions:
        label = clearness(question) if field == CLEARNESS else getattr(question, field)
        if label:
            yield question.text, label


CLEARNESS, CLEAR, UNCLEAR = "clearness", "clear", "unclear"
"""Whether it can be told what a question means."""


def clearness(question: LabelledQuestion) -> str:
    """`UNCLEAR` for one that nobody can answer without asking back."""
    return UNCLEAR if question.ambiguous else CLEAR
