"""Tells which agent a request is for, or that it is unsafe or nothing that any agent does.

Learned from the examples of each agent, which stand in its folder, and from ``refused_requests.yaml`` beside this file;
see `workers.language.question_kinds`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np

from workers.language.kind_training import learn
from workers.language.question_kinds import KindModel, stems_of

MODEL, REFUSED = "request_routes", "refused_requests"
UNSAFE, OUT_OF_SCOPE = "unsafe", "out_of_scope"
"""The labels of what no agent does; their examples stand in the file `REFUSED`."""
SHARPNESS = 16.0
"""Of the scores' softmax: calibrated on authors who were not learned from, see ``bench/README.md``."""
ENOUGH_WORDS = 6
"""A request with fewer words that are known says less of itself: its softmax is as much flatter."""
Examples = Mapping[str, Sequence[str]]
"""Requests by label: names of agents, `UNSAFE` and `OUT_OF_SCOPE`."""


def fingerprint(files: Mapping[str, bytes]) -> str:
    """Changes when a file of examples does, not with the order of the agents: ``files`` by agent, `REFUSED` among them.

    The files are not parsed for it.
    """
    parts = (f"{name} {hashlib.sha256(content).hexdigest()}" for name, content in sorted(files.items()))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def learn_routes(examples: Examples) -> KindModel:
    """Learn from examples; a feature of a single one counts too, as names of things are rare and telling."""
    return learn([(text, label) for label, texts in sorted(examples.items()) for text in texts], fewest=1)


def route_probabilities(model: KindModel, text: str) -> dict[str, float]:
    """How likely each label is; they sum up to 1."""
    scores = model.scores(text)
    known = sum(word in model.vocabulary for word in stems_of(text))
    values = np.exp(SHARPNESS * min(1.0, known / ENOUGH_WORDS) * np.array(list(scores.values())))
    return {label: float(v) for label, v in zip(scores, values / values.sum(), strict=True)}
