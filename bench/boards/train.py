"""Fits the weights of `workers.reasoning.finding_rank` to findings of which the cases say whether they are right."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from bench.boards.ask import Asked
from bench.boards.cases import Case, holds
from workers.agents.research.find import find_all
from workers.contracts import Evidence
from workers.grounding.ground import fill_whole
from workers.grounding.value_format import Voice
from workers.ports import Brief
from workers.reasoning.finding_rank import WEIGHTS, features_of
from workers.reasoning.findings import Finding, Reading
from workers.reasoning.wish import read_wish

PENALTY, ROUNDS, STEP = 100.0, 3000, 0.3
"""How strongly a weight is held at what stands in `PRIOR`, in cases."""
PRIOR = {
    "bias": -3.0,
    "kind_fits": 3.0,
    "of_subject": 1.0,
    "of_another": -2.5,
    "measure_fits": 1.0,
    "as_measured": 2.0,
    "not_measured": -0.5,
    "measure_differs": -1.5,
    "shared": 2.5,
    "unknown": -2.0,
    "head": 1.0,
    "measured_missing": -2.5,
    "usual": 0.5,
    "score": 1.0,
    "later": -0.6,
    "size": 0.3,
    "moved_and_asked": 1.5,
    "in_test": -1.0,
    "aside": -1.3,
    "in_doc": -0.5,
    "joined": 0.6,
    "who_owner": 3.0,
    "who_authors": 2.0,
    "who_other": -1.5,
    "amount_valued": 1.0,
    "to_do_steps": 1.5,
    "why_decision": 2.5,
    "why_moved": 1.5,
    "is_commit": -1.0,
    "is_deploy": -0.5,
}
"""What each feature is expected to weigh before any case is seen; those that are not here, nothing."""


def fit(asked: Sequence[Asked]) -> None:
    """Fit, print how often the likeliest finding is right on boards that were left out, and write the weights."""
    rows = [(one.case.board, *labelled(one.case, one.brief)) for one in asked if one.brief]
    names = sorted({name for _, features, _ in rows for row in features for name in row})
    prior = np.array([PRIOR.get(name, 0.0) for name in names])
    tables = [(b, np.array([[r[n] for n in names] for r in features]), np.array(y)) for b, features, y in rows if y]
    could, first = sum(bool(y.any()) for _, _, y in tables), 0.0
    for board in sorted({board for board, _, _ in tables}):
        weights = solve([(x, y) for other, x, y in tables if other != board], prior)
        first += sum(float(y[np.argmax(x @ weights)]) for other, x, y in tables if other == board)
    print(f"{len(tables)} cases, {could} with a right finding; on boards left out it is first in {first:.0f}")
    weights = solve([(x, y) for _, x, y in tables], prior)
    WEIGHTS.write_text(json.dumps(dict(zip(names, np.round(weights, 3).tolist(), strict=True)), indent=1) + "\n")


def labelled(case: Case, brief: Brief) -> tuple[list[dict[str, float]], list[float]]:
    """The features of all findings of a brief, and which of them are right."""
    reading, known = Reading(brief), {item.id: item for item in brief.evidence}
    wish, found = read_wish(brief, reading.said), list(find_all(reading))
    return [features_of(f, wish) for f in found], [float(is_right(f, case, known, brief)) for f in found]


def is_right(finding: Finding, case: Case, known: dict[str, Evidence], brief: Brief) -> bool:
    """Whether a finding, leading, would say the truth."""
    if case.expect != "answer":
        return False
    voice = Voice(brief.question.received_at, brief.question.timezone)
    if any(wrong.lower() in text_of(finding, known, voice).lower() for wrong in case.wrong):
        return False
    return holds(text_of(finding, known, voice), case) or any(at_place(known[key], case) for key in finding.cited)


def text_of(finding: Finding, known: dict[str, Evidence], voice: Voice) -> str:
    """The headline of a finding as it would be read."""
    return "".join(piece.text for piece in fill_whole(finding.draft.headline.template, known, voice))


def at_place(item: Evidence, case: Case) -> bool:
    """Whether a piece of code shows lines of a right place."""
    if not {"path", "start_line", "end_line"} <= item.facts.keys():
        return False
    path, start, end = (item.facts[name].value for name in ("path", "start_line", "end_line"))
    return any(path == p and int(start) <= b and a <= int(end) for p, a, b in case.places)


def solve(
    tables: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]], prior: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Weights of a logistic model; the right and the wrong findings of each case weigh the same."""
    x, y = np.concatenate([t[0] for t in tables]), np.concatenate([t[1] for t in tables])
    share = np.concatenate([list(balance(right)) for _, right in tables])
    weights = prior.copy()
    for _ in range(ROUNDS):
        p = 1.0 / (1.0 + np.exp(-np.clip(x @ weights, -30, 30)))
        step = (x * ((p - y) * share)[:, None]).sum(0) + PENALTY * 0.1 * (weights - prior)
        weights -= STEP * step / share.sum()
    return weights


def balance(right: NDArray[np.float64]) -> Iterator[float]:
    """One for all right findings of a case together, one for the others."""
    good = right.sum()
    for value in right:
        yield 1.0 / good if value else 1.0 / (len(right) - good)
