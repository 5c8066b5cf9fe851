"""Puts candidates in the order of how good a precedent they are, and says what brought each its place.

The learned ranker is LightGBM's ``lambdarank``; without one, or with one that does not fit, a fixed sum of features
ranks. Either way a deal's score is the sum of what each feature contributes to it (of LightGBM its SHAP values), and a
constant.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workers.agents.deals.source.conditions import Conditions
from workers.agents.deals.source.features import FEATURES, Floats, column
from workers.agents.deals.source.records import Deal
from workers.agents.deals.source.search import Candidates

if TYPE_CHECKING:
    import lightgbm

VERSION = 1
NEAR = 0.3
"""Of the nearest deal's text similarity; what has less shares nothing with the question but place and size."""
WEIGHTS = {
    "text_similarity": 1.0,
    "text_graph_alignment": 0.25,
    "sector_match": 0.15,
    "region_match": 0.35,
    "has_exit": 0.1,
    "num_addons": 0.06,
    "is_mature_deal": 0.03,
    "has_complete_data": 0.03,
    "is_platform": 0.02,
}
"""Found by trial on invented portfolios other than those of ``python -m bench deals``."""
COUNTS = frozenset({"num_addons"})
"""Which count by their logarithm."""


@dataclass(frozen=True)
class RankedDeal:
    """A deal in its place: its score, its features, and what each contributed to the score, by name."""

    deal: Deal
    score: float
    features: dict[str, float]
    contributions: dict[str, float]


@dataclass(frozen=True)
class Artefact:
    """A learned ranker as it is kept: LightGBM's own text, and what it was learned from.

    ``data_hash``: of the book and the queries; ``metrics``: on the queries that chose when to stop; ``created``: the
    day of the newest query.
    """

    model: str
    features: tuple[str, ...]
    data_hash: str
    metrics: dict[str, float]
    created: str
    version: int = VERSION

    @cached_property
    def booster(self) -> lightgbm.Booster:
        """The model, ready to score."""
        import lightgbm  # noqa: PLC0415 - most processes never rank deals

        return lightgbm.Booster(model_str=self.model)


def rank(candidates: Candidates, learned: Artefact | None = None, most: int = 50) -> tuple[RankedDeal, ...]:
    """The best ``most`` candidates, the best first; of equals the one that is nearer by text comes first."""
    rows = candidates.rows
    order = np.argsort(-score(rows, learned), kind="stable")[:most]
    parts = contributions(rows[order], learned)
    return tuple(
        RankedDeal(
            candidates.deals[i],
            round(float(parts[place].sum()), 6),
            dict(zip(FEATURES, rows[i].tolist(), strict=True)),
            dict(zip(FEATURES, parts[place, : len(FEATURES)].tolist(), strict=True)),
        )
        for place, i in enumerate(order.tolist())
    )


def near_ones(ranked: Sequence[RankedDeal], read: Conditions) -> tuple[RankedDeal, ...]:
    """The ranked deals that are near by text, or lie in a sector that was named; all of them when none is.

    Those in a region that was named come first: the others follow, for what they have in common.
    """
    near = [
        r
        for r in ranked
        if r.features["text_similarity"] >= NEAR or r.deal.sector_id in {*read.sectors, *read.near_sectors}
    ] or ranked
    return tuple(sorted(near, key=lambda r: bool(read.regions) and r.deal.region_id not in read.regions))


def score(rows: Floats, learned: Artefact | None) -> Floats:
    """The score of each row."""
    if learned is None or not len(rows):
        total: Floats = contributions(rows, None).sum(1)
        return total
    found: Floats = np.asarray(learned.booster.predict(rows, num_threads=1), dtype=np.float64)
    return found


def contributions(rows: Floats, learned: Artefact | None) -> Floats:
    """What each feature adds to each score, and a constant in the last column."""
    if learned is not None and len(rows):
        found: Floats = np.asarray(learned.booster.predict(rows, pred_contrib=True, num_threads=1), dtype=np.float64)
        return found
    out = np.zeros((len(rows), len(FEATURES) + 1))
    for name, weight in WEIGHTS.items():
        values = rows[:, column(name)]
        out[:, column(name)] = weight * (np.log1p(values) if name in COUNTS else values)
    return out


# --- the file -------------------------------------------------------------------------------------------------


def write_artefact(file: Path, artefact: Artefact) -> None:
    """Keep a learned ranker; all of the file or nothing."""
    body = {
        name: getattr(artefact, name) for name in ("version", "features", "data_hash", "metrics", "created", "model")
    }
    part = file.with_name(f"{file.name}.{os.getpid()}.part")
    part.write_text(json.dumps(body, indent=1), encoding="utf-8")
    part.replace(file)


def read_artefact(file: Path) -> tuple[Artefact | None, str]:
    """The learned ranker of a file, and a sentence when the heuristic ranks instead."""
    artefact, note = read_header(file)
    try:
        if artefact:
            artefact.booster.num_trees()
    except (OSError, ValueError, TypeError, KeyError) as error:
        return None, f"The trained ranker cannot be read ({type(error).__name__}), so a fixed sum of features ranks."
    except Exception as error:  # noqa: BLE001 - LightGBM's own errors, and its library missing, have no common base
        return None, f"The trained ranker cannot be loaded ({type(error).__name__}), so a fixed sum of features ranks."
    return artefact, note


def read_header(file: Path) -> tuple[Artefact | None, str]:
    """The same, with the model not loaded: that takes seconds."""
    if not file.is_file():
        return None, "No ranker is trained, so a fixed sum of features ranks."
    try:
        body: Any = json.loads(file.read_text(encoding="utf-8"))
        artefact = Artefact(**(body | {"features": tuple(body["features"])}))
        if (artefact.version, artefact.features) != (VERSION, FEATURES):
            return None, "The trained ranker is of other features, so a fixed sum of features ranks; train it again."
    except (OSError, ValueError, TypeError, KeyError) as error:
        return None, f"The trained ranker cannot be read ({type(error).__name__}), so a fixed sum of features ranks."
    return artefact, ""
