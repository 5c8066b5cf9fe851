"""Learns when nothing is there: ``python -m bench.search.train_absent TREES YAML… [--check] [--keep FOLDER]``.

Writes `absent.npz`. TREES is a folder of repositories (``OWNER+NAME/repo``, bare or not), each YAML a
folder of written questions with answers and without. True questions are the written ones, three words in a row of
them, subjects of commits and comments of functions; needs minutes, and no library beside numpy. ``--check`` leaves out
a fifth of the repositories at a time and prints what is refused of those; FOLDER keeps trees and indexes.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.chances import fit, save
from bench.search.questions import SETS, Exam, Question, prepare
from workers.search import CodeIndex
from workers.sources.code.answer_features import WEIGHTS
from workers.sources.code.logistic_model import Chances
from workers.sources.code.question_coverage import describe_cover
from workers.sources.code.ranking import Weights, score_parts
from workers.sources.terms.query_terms import content_words, read_query

FOLDS = 5
WORTH = {"written": 6.0, "absent": 6.5, "short": 0.8, "history": 0.6, "comments": 0.4}
MOST = {"history": 40, "comments": 20}
HARMLESS = frozenset({"chunk", "score", "neighbours meet"})
EITHER = frozenset({"no neighbours"})
SHORT = 3
REFUSED = (0.02, 0.03, 0.05, 0.1)


@dataclass(frozen=True)
class Asked:
    """One question: which set it is of (``absent``: it has no answer), and its features."""

    repository: str
    set: str
    features: dict[str, float]


def main() -> None:
    """Collect questions, learn, and write or check."""
    parser = argparse.ArgumentParser(prog="python -m bench.search.train_absent")
    parser.add_argument("trees", type=Path)
    parser.add_argument("written", type=Path, nargs="+")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asked = list(collect(given.trees, given.written, given.keep or Path(folder)))
    if given.check:
        check(asked)
    else:
        save(learn(asked), WEIGHTS)


def collect(sources: Path, written: Sequence[Path], folder: Path) -> Iterator[Asked]:
    """Every question of every set of every repository."""
    for place in sorted(sources.iterdir()):
        for which in SETS:
            for sheets in written if which == "written" else written[:1]:
                sheet = sheets / f"{place.name}.yaml"
                exam = prepare(place / "repo", place.name, which, folder / "trees", sheet, MOST)
                if exam and exam.questions:
                    yield from ask(exam, CodeIndex.ensure(exam.tree, folder / "index" / place.name / which))


def ask(exam: Exam, index: CodeIndex) -> Iterator[Asked]:
    """The features of an exam's questions, and of pieces of the written ones."""
    for question in exam.questions:
        pieces = [(exam.set if question.files else "absent", question.text)]
        pieces += [("short", text) for text in shortened(question)] if exam.set == "written" else []
        for name, text in pieces:
            query = read_query(text)
            if query.terms:
                parts = score_parts(index.columns, query, Weights())
                yield Asked(exam.repository, name, describe_cover(index.columns, query, parts))


def shortened(question: Question) -> list[str]:
    """Three words in a row that mean something, from the beginning, the middle and the end of a longer question."""
    words = question.text.split()
    telling = [i for i, word in enumerate(words) if content_words(word)]
    if not question.files or len(telling) < SHORT + 2:
        return []
    starts = (0, len(telling) // 2 - 1, len(telling) - SHORT)
    return [" ".join(words[telling[s] : telling[s + SHORT - 1] + 1]) for s in starts]


def learn(asked: Sequence[Asked]) -> Chances:
    """A logistic sum by gradient descent.

    What stands nowhere never makes an answer likelier, and what stands in the source never makes it less likely.
    """
    names = tuple(asked[0].features)
    right = np.array([1.0 if a.set != "absent" else 0.0 for a in asked])
    worth = np.array([WORTH[a.set] for a in asked])
    worth /= worth.sum()
    low = np.array([-np.inf if n in EITHER or n not in HARMLESS else 0.0 for n in names])
    high = np.array([np.inf if n in EITHER or n in HARMLESS else 0.0 for n in names])
    return fit([a.features for a in asked], right, worth, low, high)


def check(asked: Sequence[Asked]) -> None:
    """Judge each fifth of the repositories by what was learned from the others."""
    with_answers = sorted({a.repository for a in asked if a.set == "written"})
    others = sorted({a.repository for a in asked} - set(with_answers))
    fold = {name: i % FOLDS for names in (with_answers, others) for i, name in enumerate(names)}
    chance: dict[str, list[float]] = {}
    for number in range(FOLDS):
        learned = learn([a for a in asked if fold[a.repository] != number])
        for a in asked:
            if fold[a.repository] == number:
                chance.setdefault(a.set, []).append(learned.of(a.features))
    sets = sorted(chance)
    print(f"| refused below | {' | '.join(f'{s} ({len(chance[s])})' for s in sets)} |\n|---|{'---|' * len(sets)}")
    for share in REFUSED:
        bound = float(np.quantile(chance["written"], share))
        print(f"| {bound:.3f} | {' | '.join(f'{np.mean(np.array(chance[s]) < bound):.1%}' for s in sets)} |")
    for bound in np.arange(0.05, 0.65, 0.05):
        print(f"| {bound:.3f} | {' | '.join(f'{np.mean(np.array(chance[s]) < bound):.1%}' for s in sets)} |")


if __name__ == "__main__":
    main()
