"""Code search, all methods in one run: ``python -m bench search TREES [YAML] [--peers PYTHON] [--model FOLDER]``.

TREES is one repository, or a folder of them (``OWNER+NAME/repo``, bare or not); YAML a folder of written questions,
``OWNER+NAME.yaml``. PYTHON has semble and tantivy installed, FOLDER holds a static model for semble; without them only
this project and ripgrep are asked. ``bench.search.questions`` says what the questions are.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from bench.search.measure import ask_all, show
from bench.search.questions import SETS, prepare


def main(args: list[str]) -> None:
    """Measure every method and print tables."""
    parser = argparse.ArgumentParser(prog="python -m bench search")
    parser.add_argument("trees", type=Path)
    parser.add_argument("written", type=Path, nargs="?", help="folder of written questions")
    parser.add_argument("--peers", default="", help="a Python that has semble and tantivy")
    parser.add_argument("--model", default="", help="a static model for semble")
    parser.add_argument("--sets", nargs="*", choices=SETS, default=SETS)
    given = parser.parse_args(args)
    one = (given.trees / ".git").exists() or (given.trees / "HEAD").exists()
    places = {given.trees.name: given.trees} if one else {p.name: p / "repo" for p in sorted(given.trees.iterdir())}
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, place in places.items():
            for which in given.sets:
                sheet = given.written / f"{name}.yaml" if given.written else None
                exam = prepare(place, name, which, Path(folder, "trees"), sheet)
                if exam and exam.questions:
                    rows += ask_all(exam, Path(folder, "index"), given.peers, given.model)
    show(rows)
