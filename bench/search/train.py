"""Learns the order of files: ``python -m bench.search.train TREES [YAML] [--check]``, into `ranker.npz`.

TREES is a folder of repositories (``OWNER+NAME/repo``, bare or not), YAML one of written questions. Needs minutes, and
no library beside numpy; the same questions give the same weights. ``--check`` leaves out a third of the repositories at
a time, asks those, and prints NDCG@10 with and without what was learned.
"""

from __future__ import annotations

import sys
import tempfile
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.search.measure import ndcg
from bench.search.questions import SETS, Exam, prepare
from workers.search import CodeIndex
from workers.sources.code.ranking import Weights, score_parts
from workers.sources.code.ranking_features import WANTED, candidates, describe, read_rows
from workers.sources.code.ranking_model import LARGEST, WEIGHTS, Ranker
from workers.sources.terms.query_terms import read_query

FOLDS = 3
NETWORKS = 6
HIDDEN = 16
ROUNDS = 12
BATCH = 64
STEP = 0.01
DECAY = (3e-3, 9e-3, 0.0, 3e-3)
DEEP = 64
WORTH = {"written": 10.0, "history": 0.45, "comments": 1.0}
MOST = {"history": 200, "comments": 100}
Floats = NDArray[np.float32]
Layers = tuple[Floats, Floats, Floats, Floats]


@dataclass(frozen=True)
class Asked:
    """One question: its candidate files, their features in the order of ``names``, and which of them answer it."""

    repository: str
    set: str
    paths: list[str]
    wanted: frozenset[str]
    names: tuple[str, ...]
    table: Floats
    right: NDArray[np.bool_]

    @property
    def rank(self) -> Floats:
        """The place of each file without what is learned, as a logarithm."""
        return self.table[:, self.names.index("rank")]


def main() -> None:
    """Collect questions, train, and write or check."""
    given = [a for a in sys.argv[1:] if a != "--check"]
    with tempfile.TemporaryDirectory() as folder:
        asked = list(collect(Path(given[0]), Path(given[1]) if len(given) > 1 else None, Path(folder)))
    if "--check" in sys.argv:
        check(asked)
        return
    save(train(asked))


def collect(sources: Path, written: Path | None, folder: Path) -> Iterator[Asked]:
    """Ask every question of every set of every repository."""
    for place in sorted(sources.iterdir()):
        for which in SETS:
            sheet = written / f"{place.name}.yaml" if written else None
            exam = prepare(place / "repo", place.name, which, folder / "trees", sheet, MOST)
            if exam and exam.questions:
                yield from ask(exam, CodeIndex.ensure(exam.tree, folder / "index" / place.name / which))


def ask(exam: Exam, index: CodeIndex) -> Iterator[Asked]:
    """The candidates of every question of an exam that has an answer."""
    columns = index.columns
    for question in exam.questions:
        query = read_query(question.text)
        if question.files and query.terms:
            parts = score_parts(columns, query, Weights())
            files = candidates(parts, columns.best_of_file(parts.scores))
            if len(files):
                features = describe(columns, query, parts, read_rows(columns, query, parts, files))
                paths = [columns.paths[f] for f in files]
                table = np.stack(list(features.values()), axis=1).astype(np.float32)
                right = np.array([p in question.files for p in paths])
                yield Asked(exam.repository, exam.set, paths, frozenset(question.files), tuple(features), table, right)


def train(asked: Sequence[Asked]) -> Ranker:
    """Several networks, each from other first weights, as one: their hidden layers side by side."""
    usable = [a for a in asked if a.right.any()]
    tables, mask, right = padded(usable)
    mean, scale = tables[mask].mean(0), tables[mask].std(0) + 1e-3
    tables = np.clip((tables - mean) / scale, -LARGEST, LARGEST) * mask[:, :, None]
    worth = np.array([WORTH[a.set] for a in usable], np.float32)
    wanted = columns_of_wanted(usable[0].names)
    layers = [descend(tables, mask, right, worth / worth.mean(), wanted, seed) for seed in range(NETWORKS)]
    straight, hidden, offset, out = zip(*layers, strict=True)
    wide = np.concatenate(hidden, axis=1), np.concatenate(offset), np.concatenate(out) / NETWORKS
    return Ranker(usable[0].names, mean, scale, sum(straight) / NETWORKS, *wide)


def columns_of_wanted(names: Sequence[str]) -> list[int]:
    """The features of files of a kind that the question asks for."""
    return [i for i, name in enumerate(names) if name.endswith(WANTED)]


def padded(asked: Sequence[Asked]) -> tuple[Floats, NDArray[np.bool_], Floats]:
    """Questions as one array: the answers and the best of the other files, up to `DEEP` a question."""
    size = len(asked[0].names)
    wanted = columns_of_wanted(asked[0].names)
    tables = np.zeros((len(asked), DEEP, size), np.float32)
    mask, right = np.zeros((len(asked), DEEP), bool), np.zeros((len(asked), DEEP), np.float32)
    for i, one in enumerate(asked):
        chosen = np.argsort(one.rank - 10 * one.right, kind="stable")[:DEEP]
        tables[i, : len(chosen)], mask[i, : len(chosen)] = one.table[chosen], True
        if one.set != "written":  # their answers are code by the way they were made, whatever is asked for
            tables[i, :, wanted] = 0.0
        right[i, : len(chosen)] = one.right[chosen] / one.right[chosen].sum()
    return tables, mask, right


def descend(
    tables: Floats, mask: NDArray[np.bool_], right: Floats, worth: Floats, wanted: list[int], seed: int
) -> Layers:
    """Adam on the cross entropy between the answers and the network's choice among a question's files.

    A file of a kind that is asked for is never worth less for it.
    """
    rng = np.random.default_rng(seed)
    size = tables.shape[2]
    first = (np.zeros(size), rng.normal(size=(size, HIDDEN)) * 0.3 / np.sqrt(size), np.zeros(HIDDEN))
    layers = [*(w.astype(np.float32) for w in first), (rng.normal(size=HIDDEN) * 0.1).astype(np.float32)]
    mean, square = [np.zeros_like(w) for w in layers], [np.zeros_like(w) for w in layers]
    steps = 0
    for turn in range(ROUNDS):
        rate = STEP * (1 - turn / ROUNDS) + 1e-4
        order = rng.permutation(len(tables))
        for at in range(0, len(order), BATCH):
            some = order[at : at + BATCH]
            steps += 1
            slopes = gradient(layers, tables[some], mask[some], right[some], worth[some])
            for i, slope in enumerate(slopes):
                full = slope + DECAY[i] * layers[i]
                mean[i] += 0.1 * (full - mean[i])
                square[i] += 0.001 * (full * full - square[i])
                layers[i] -= rate * mean[i] / (1 - 0.9**steps) / (np.sqrt(square[i] / (1 - 0.999**steps)) + 1e-8)
            layers[0][wanted] = np.maximum(layers[0][wanted], 0.0)
            layers[1][wanted] = 0.0
    return layers[0], layers[1], layers[2], layers[3]


def gradient(
    layers: Sequence[Floats], x: Floats, mask: NDArray[np.bool_], right: Floats, worth: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Slopes of the loss for each layer."""
    straight, hidden, offset, out = layers
    inner = np.tanh(x @ hidden + offset)
    value = np.where(mask, x @ straight + inner @ out, -1e9)
    chance = np.exp(value - value.max(1, keepdims=True))
    chance /= chance.sum(1, keepdims=True)
    error = (chance - right) * worth[:, None] / len(x)
    back = error[:, :, None] * out * (1 - inner * inner)
    both = ((0, 1), (0, 1))
    return np.tensordot(error, x, both), np.tensordot(x, back, both), back.sum((0, 1)), np.tensordot(error, inner, both)


def check(asked: Sequence[Asked]) -> None:
    """Ask each third of the repositories of networks that saw only the others."""
    before: dict[str, list[float]] = defaultdict(list)
    after: dict[str, list[float]] = defaultdict(list)
    for fold in range(FOLDS):
        ranker = train([a for a in asked if fold_of(a.repository) != fold])
        for a in asked:
            if fold_of(a.repository) == fold:
                value = ranker.weigh({name: a.table[:, i] for i, name in enumerate(a.names)})
                before[a.set].append(score(a, a.rank))
                after[a.set].append(score(a, -value))
    print("| set | questions | by hand | learned |\n|---|---|---|---|")
    for name, scores in before.items():
        print(f"| {name} | {len(scores)} | {np.mean(scores):.3f} | {np.mean(after[name]):.3f} |")


def score(asked: Asked, value: NDArray[np.float64]) -> float:
    """NDCG@10 of the files by a value, lowest first."""
    return ndcg([asked.paths[i] for i in np.argsort(value, kind="stable")], asked.wanted)


def fold_of(repository: str) -> int:
    """Which third a repository is in."""
    return zlib.crc32(repository.encode()) % FOLDS


def save(ranker: Ranker) -> None:
    """Write the weights where `workers.sources.code.ranking_model` reads them."""
    names = np.frombuffer("\n".join(ranker.names).encode(), np.uint8)
    layers = ("mean", "scale", "straight", "hidden", "offset", "out")
    np.savez_compressed(WEIGHTS, names=names, **{k: getattr(ranker, k).astype(np.float32) for k in layers})
    print(f"{WEIGHTS}: {WEIGHTS.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
