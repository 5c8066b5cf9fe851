"""Document search, all methods in one run: ``python -m bench documents REPO[:FOLDER]… [--peers PYTHON]``.

REPO is a git repository, bare or not, FOLDER where its documents are. PYTHON has tantivy installed; without it only
this project and SQLite's FTS5 are asked. ``--absent YAML`` names questions about things that are not there, a list for
each name of a repository; headings of the other folders that say a word which this one lacks are asked beside them.
``bench.documents.questions`` says what the other questions are.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import yaml

from bench.documents.measure import ask_all, show
from bench.documents.questions import SETS, Exam, Question, foreign, prepare


def main(args: list[str]) -> None:
    """Measure every method and print tables."""
    parser = argparse.ArgumentParser(prog="python -m bench documents")
    parser.add_argument("folders", nargs="+", help="REPO or REPO:FOLDER")
    parser.add_argument("--peers", default="", help="a Python that has tantivy")
    parser.add_argument("--sets", nargs="*", choices=SETS, default=SETS)
    parser.add_argument("--absent", type=Path, help="questions without an answer, by repository")
    parser.add_argument("--keep", type=Path, help="where trees and indexes stay from run to run")
    given = parser.parse_args(args)
    absent = yaml.safe_load(given.absent.read_text()) if given.absent else {}
    with tempfile.TemporaryDirectory() as scratch:
        place = given.keep or Path(scratch)
        exams = collect(given.folders, given.sets, place, absent)
        show([row for exam in exams if exam.questions for row in ask_all(exam, place / "index", given.peers)])


def collect(
    folders: Sequence[str], sets: Sequence[str], place: Path, absent: Mapping[str, Sequence[str]]
) -> Iterator[Exam]:
    """Every exam that has a question, those without an answer after the others of their folder.

    Args:
        folders: REPO or REPO:FOLDER.
        sets: of `SETS`.
        place: where trees are kept.
        absent: questions about things that are not there, by the name of a repository.
    """
    exams: dict[str, list[Exam]] = {}
    for one in folders:
        source, _, folder = one.partition(":")
        name = name_of(Path(source))
        exams[name] = [prepare(Path(source), folder, name, which, place / "trees") for which in sets]
    every = [q.text for own in exams.values() for exam in own if exam.set == "headings" for q in exam.questions]
    for name, own in exams.items():
        yield from own
        nothing = (
            ("absent", absent.get(name, ())),
            ("elsewhere", foreign(own[0], every, place / "index") if own and absent else ()),
        )
        for which, texts in nothing:
            if texts:
                yield Exam(name, which, own[0].folder, tuple(Question(text) for text in texts))


def name_of(source: Path) -> str:
    """The last part of a path that names something."""
    return source.parent.name if source.name in {"repo", ".git"} else source.name
