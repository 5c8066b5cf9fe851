"""The verdict on an incident: what caused it, what did not and why, and how sure that is."""

from __future__ import annotations

import math
from dataclasses import dataclass

from workers.agents.causes.source.candidates import Candidate, candidates_of
from workers.agents.causes.source.incident import Incident
from workers.agents.causes.source.symptoms import Symptoms, read_symptoms

LEAST = 2.3
"""A change whose reasons weigh less explains nothing."""
LEAST_OUTSIDE = 1.5
"""The same for what is no change: nobody is blamed by it, and it is what to look at first."""
UNEXPLAINED = 0.6
"""That nothing explains it is never surer than this: what is not known of may."""
CLOSE, MOST_RIVALS = 0.6, 2
"""Of candidates that are no farther apart the first is right as often as not."""
MARGIN_WEIGHT, MARGIN_OFFSET = 1.2, -0.75
"""How sure a distance to the next candidate makes, fitted to incidents that no rule was made on; ``bench/README.md``
has the figures."""
CHANGES = frozenset({"commit", "flag"})


@dataclass(frozen=True)
class Verdict:
    """What is concluded.

    ``cause``: the candidate, None when nothing explains it; ``rivals``: others that explain it as well; ``confidence``:
    0 to 1, that the cause (or that there is none among the changes) is right.
    """

    symptoms: Symptoms
    candidates: tuple[Candidate, ...]
    cause: Candidate | None
    rivals: tuple[Candidate, ...]
    confidence: float

    @property
    def commit(self) -> str:
        """The sha of the commit that caused it; ``none`` when no commit did."""
        return self.cause.name if self.cause and self.cause.kind == "commit" else "none"


def reach_verdict(incident: Incident) -> Verdict:
    """Weigh every candidate for the cause of an incident."""
    return weigh(read_symptoms(incident))


def weigh(symptoms: Symptoms) -> Verdict:
    """The verdict on what is wrong."""
    candidates = candidates_of(symptoms)
    able = [c for c in candidates if c.score >= (LEAST if c.kind in CHANGES else LEAST_OUTSIDE)]
    cause = able[0] if able else None
    best = candidates[0].score if candidates else 0.0
    if cause is None:
        return Verdict(symptoms, candidates, None, (), min(UNEXPLAINED, sigmoid(2.0 * (LEAST - best))))
    rivals = tuple(c for c in able[1:] if cause.score - c.score < CLOSE)[:MOST_RIVALS]
    margin = cause.score - max((c.score for c in candidates if c is not cause), default=0.0)
    margin = min(margin, cause.score - (LEAST - 1.0))
    return Verdict(symptoms, candidates, cause, rivals, sigmoid(MARGIN_WEIGHT * margin + MARGIN_OFFSET))


def sigmoid(value: float) -> float:
    """0 to 1, one half at 0."""
    return 1 / (1 + math.exp(-value))
