"""Document search, all methods in one run: ``python -m bench documents REPO[:FOLDER]… [--peers PYTHON]``.

REPO is a git repository, bare or not, FOLDER where its documents are. PYTHON has tantivy installed; without it only
this project and SQLite's FTS5 are asked. ``--absent YAML`` names questions about things that are not there, a list for
each name of a repository. ``bench.documents.questions`` says what the other questions are.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import yaml

from bench.documents.measure import ask_all, show
from bench.documents.questions import SETS, Exam, Question, prepare


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
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        place = given.keep or Path(scratch)
        for one in given.folders:
            source, _, folder = one.partition(":")
            name = name_of(Path(source))
            exams = [prepare(Path(source), folder, name, which, place / "trees") for which in given.sets]
            if exams and absent.get(name):
                nothing = tuple(Question(text) for text in absent[name])
                exams.append(Exam(name, "absent", exams[0].folder, nothing))
            for exam in exams:
                rows += ask_all(exam, place / "index", given.peers) if exam.questions else []
    show(rows)


def name_of(source: Path) -> str:
    """The last part of a path that names something."""
    return source.parent.name if source.name in {"repo", ".git"} else source.name
