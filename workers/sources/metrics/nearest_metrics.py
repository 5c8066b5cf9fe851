"""The names that exist and are reasonably near to one that does not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rapidfuzz import fuzz, process

from workers.sources.metrics.catalogue import normal

MOST = 5
BEHIND = 15.0  # how much worse than the best one a value may be
VALUE_SCORE = 60.0
NAME_SCORE = 70.0


def nearest_values(word: str, values: Iterable[str]) -> tuple[str, ...]:
    """Label values near to one that does not exist, best first."""
    found = process.extract(word, sorted(set(values)), scorer=fuzz.ratio, score_cutoff=VALUE_SCORE, limit=MOST)
    return tuple(value for value, score, _ in found if score >= found[0][1] - BEHIND)


def nearest_metrics(word: str, aliases: Mapping[str, str], names: Iterable[str]) -> tuple[str, ...]:
    """Metric names near to one that does not exist, best first.

    Args:
        word: what was asked for.
        aliases: every word of the catalogue, normalised -> its metric.
        names: the server's metric names.
    """
    asked = normal(word)
    words = {**{normal(n): n for n in sorted(names)}, **aliases}
    found = process.extract(asked, list(words), scorer=fuzz.WRatio, score_cutoff=NAME_SCORE, limit=4 * MOST)
    return tuple(dict.fromkeys(words[w] for w, _, _ in found))[:MOST]
