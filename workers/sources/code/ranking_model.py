"""The order of the best files, by a small network over `features`; ``python -m bench.search.train`` writes its weights.

A straight sum of the features and one hidden layer, averaged over several networks: 20,000 multiplications a file less
than it takes to read their numbers. Deterministic.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray

from workers.language.tokens import joined
from workers.sources.code.index_columns import Columns
from workers.sources.code.ranking import Ints, Parts
from workers.sources.code.ranking_features import WANTED, candidates, describe, read_rows
from workers.sources.terms.query_terms import Query

WEIGHTS = Path(__file__).with_name("ranker.npz")
LARGEST = 5.0
NAMED = 1_000.0
LEAST = 1e-6
APART = 1e-8
FIRST = 5
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Ranker:
    """``names``: features in order; ``mean``, ``scale``: theirs; the rest are the network's weights."""

    names: tuple[str, ...]
    mean: Floats
    scale: Floats
    straight: Floats
    hidden: Floats
    offset: Floats
    out: Floats

    def weigh(self, features: dict[str, Floats]) -> Floats:
        """A value for every file; only their order means something."""
        table = np.stack([features[name] for name in self.names], axis=1)
        scaled = np.clip((table - self.mean) / self.scale, -LARGEST, LARGEST)
        value: Floats = scaled @ self.straight + np.tanh(scaled @ self.hidden + self.offset) @ self.out
        return value


@cache
def ranker() -> Ranker:
    """The trained network."""
    with np.load(WEIGHTS) as stored:
        names = tuple(stored["names"].tobytes().decode().split("\n"))
        return Ranker(
            names, *(stored[k].astype(float) for k in ("mean", "scale", "straight", "hidden", "offset", "out"))
        )


def rerank(index: Columns, query: Query, parts: Parts) -> tuple[Ints, Floats]:
    """Chunks of the best files, ascending, and their scores after the files have changed places.

    The best files are put in the network's order, and their scores, largest first, are dealt out to them anew: their
    order is learned, and the scale stays what it was. Chunks of a file keep their proportions. A file whose path the
    question gives stays before all others.
    """
    best = index.best_of_file(parts.scores)
    files = candidates(parts, best)
    if not len(files):
        return files, np.zeros(0)
    rows = read_rows(index, query, parts, files)
    features = describe(index, query, parts, rows)
    values = hold_wanted(ranker().weigh(features), features)
    values = lift_definitions(index, query, files, values) + NAMED * (parts.files[files] == 1.0)
    best, scores = best[files], parts.scores[rows.chunks]
    scores[rows.starts[best <= 0]] = 1.0
    dealt = np.empty(len(files))
    dealt[np.lexsort((files, -values))] = np.maximum(np.sort(best)[::-1], LEAST) * (1 - APART * np.arange(len(files)))
    factor = dealt / np.where(best > 0, best, 1.0)
    return rows.chunks, scores * np.repeat(factor, np.diff(rows.starts, append=len(scores)))


def hold_wanted(values: Floats, features: dict[str, Floats]) -> Floats:
    """Keep those of the first files that are of a kind asked for (configuration, tests) from falling.

    Most questions to learn from are answered by code, but where something is configured is not told without the
    file that overrides it.
    """
    wanted = np.any([features[name] > 0 for name in features if name.endswith(WANTED)], axis=0)
    place = np.rint(np.expm1(features["rank"])).astype(int)
    held = wanted & (place < FIRST)
    least = np.sort(values)[::-1][place] + LEAST
    kept: Floats = np.where(held, np.maximum(values, least), values)
    return kept


def lift_definitions(index: Columns, query: Query, files: Ints, values: Floats) -> Floats:
    """Put the file that a name is about before those that carry on with it (SqlMapper.cs, SqlMapper.Async.cs)."""
    if query.wants:
        return values  # a test or a configuration that is named after the same thing is what is asked for
    asked = {*query.compounds, *(joined(word) for word in query.words)}
    groups: dict[tuple[str, str], list[int]] = {}
    for at, file in enumerate(files.tolist()):
        path = PurePosixPath(index.paths[file])
        subject = joined(path.name.partition(".")[0])
        if subject in asked:
            groups.setdefault((str(path.parent), subject), []).append(at)
    lifted = values.copy()
    for group in groups.values():
        plain = [at for at in group if index.paths[files[at]].rpartition("/")[2].count(".") == 1]
        if len(plain) == 1:
            lifted[plain[0]] = values[group].max() + LEAST
    return lifted
