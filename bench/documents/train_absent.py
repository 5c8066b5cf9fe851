"""Learns when no document answers: ``python -m bench.documents.train_absent REPO:FOLDER… --absent YAML [--check]``.

Writes `absent.npz`. True questions are hidden headings and subjects of commits; those without an answer are written
ones and headings of the other folders with a word that stands nowhere. ``--check`` leaves out a fifth of the folders at
a time and prints what is refused of those, parts of folders apart; ``--keep FOLDER`` keeps trees and indexes.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml

from bench.chances import fit, save
from bench.documents import collect
from bench.documents.questions import SETS, Exam
from workers.search import DocIndex
from workers.sources.code.logistic_model import Chances
from workers.sources.code.question_coverage import LIKELY_CHANCE
from workers.sources.documents.question_coverage import DOUBT, WEIGHTS, judge
from workers.sources.documents.ranking import score_sections
from workers.sources.terms.query_terms import read_query

FOLDS = 5
PARTS, SMALL = 3, 8
WORTH = {"headings": 1.0, "commits": 1.0, "absent": 6.0, "elsewhere": 0.5}
AGAINST = frozenset({"gone", "early gone", "special gone", "topics gone", "topics apart"})
EITHER = frozenset({"terms", "sections"})
REFUSED = (0.02, 0.03, 0.035, 0.04, 0.05)


@dataclass(frozen=True)
class Asked:
    """One question: the set that it is of, and its features. ``part``: asked of a part of the folder."""

    repository: str
    set: str
    features: dict[str, float]
    part: bool = False

    @property
    def answered(self) -> bool:
        """Whether some document answers it."""
        return self.set in SETS


def main() -> None:
    """Collect questions, learn, and write or check."""
    parser = argparse.ArgumentParser(prog="python -m bench.documents.train_absent")
    parser.add_argument("folders", nargs="+", help="REPO or REPO:FOLDER")
    parser.add_argument("--absent", type=Path, required=True)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    written: Mapping[str, Sequence[str]] = yaml.safe_load(given.absent.read_text())
    with tempfile.TemporaryDirectory() as scratch:
        place = given.keep or Path(scratch)
        exams = list(collect(given.folders, SETS, place, written))
        asked = [a for exam in exams for a in ask(exam, place / "index")]
        asked += [a for exam in exams for part in parts(exam, place / "parts") for a in ask(part, place / "small")]
    if given.check:
        check(asked)
    else:
        save(learn(asked), WEIGHTS)


def parts(exam: Exam, place: Path) -> Iterator[Exam]:
    """Some small folders of a few documents each, with the questions that those answer; all that have no answer."""
    every = [r.path for r in DocIndex.ensure(exam.folder, place / "all" / exam.repository / exam.set).records]
    paths = sorted({a[0] for q in exam.questions for a in q.answers} or every, key=digest)
    for number in range(PARTS):
        some = paths[number * SMALL : (number + 1) * SMALL]
        folder = place / exam.repository / exam.set / str(number)
        for path in some:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(exam.folder / path, folder / path)
        questions = tuple(q for q in exam.questions if all(a[0] in some for a in q.answers))
        if len(some) > SMALL // 2:
            yield Exam(f"{exam.repository}/{number}", exam.set, folder, questions)


def digest(path: str) -> bytes:
    """An order that has nothing to do with the paths."""
    return hashlib.sha256(path.encode()).digest()


def ask(exam: Exam, folder: Path) -> Iterator[Asked]:
    """The features of an exam's questions."""
    index = DocIndex.ensure(exam.folder, folder / exam.repository / exam.set)
    repository, _, part = exam.repository.partition("/")
    for question in exam.questions:
        query = read_query(question.text, prose=True)
        if query.terms:
            scores, rarity = score_sections(index.sections, query)
            judged = judge(index, index.sections, query, scores, rarity)
            yield Asked(repository, exam.set, judged.features, bool(part))


def learn(asked: Sequence[Asked]) -> Chances:
    """A logistic sum by gradient descent, as if half of all questions had no answer.

    What stands nowhere never makes an answer likelier, and what stands together never makes it less likely.
    """
    names = tuple(asked[0].features)
    right = np.array([a.answered for a in asked], float)
    worth = np.array([WORTH[a.set] for a in asked])
    worth /= np.where(right, worth @ right, worth @ (1 - right)) * 2
    low = np.array([-np.inf if n in AGAINST | EITHER else 0.0 for n in names])
    high = np.array([0.0 if n in AGAINST else np.inf for n in names])
    return fit([a.features for a in asked], right, worth, low, high)


def check(asked: Sequence[Asked]) -> None:
    """Judge each fifth of the folders by what was learned from the others."""
    names = sorted({a.repository for a in asked})
    chance: dict[str, list[float]] = {}
    for number in range(FOLDS):
        out = set(names[number::FOLDS])
        learned = learn([a for a in asked if a.repository not in out])
        for a in asked:
            if a.repository in out and not a.part:
                chance.setdefault(a.set, []).append(learned.of(a.features))
    true = np.array([c for which in SETS for c in chance[which]])
    head = ("refused below", *(f"{which} ({len(c)})" for which, c in chance.items()))
    print(f"| {' | '.join(head)} |\n{'|---' * len(head)}|")
    for bound in (LIKELY_CHANCE, DOUBT, *(float(np.quantile(true, share)) for share in REFUSED)):
        print(f"| {bound:.3f} | {' | '.join(f'{np.mean(np.array(c) < bound):.1%}' for c in chance.values())} |")


if __name__ == "__main__":
    main()
