"""Tells which agent a request is for, or that it is unsafe or nothing that any agent does.

Learned from the examples of each agent, which stand in its folder, from ``refused_requests.yaml`` beside this file, and
from `workers.language.labelled_questions`; see `workers.language.question_kinds`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from workers.language.kind_training import learn
from workers.language.labelled_questions import LabelledQuestion, examples_of, question_files
from workers.language.question_kinds import KindModel, probabilities

MODEL, REFUSED = "request_routes", "refused_requests"
UNSAFE, OUT_OF_SCOPE = "unsafe", "out_of_scope"
"""The labels of what no agent does; their examples stand in the file `REFUSED`."""
Examples = Mapping[str, Sequence[str]]
"""Requests by label: names of agents, `UNSAFE` and `OUT_OF_SCOPE`."""


def fingerprint(files: Mapping[str, bytes]) -> str:
    """Changes when a file of examples does, not with the order of the agents: ``files`` by agent, `REFUSED` among them.

    Labelled questions count as well. The files are not parsed for it.
    """
    every = {**files, **{file.name: file.read_bytes() for file in question_files()}}
    parts = (f"{name} {hashlib.sha256(content).hexdigest()}" for name, content in sorted(every.items()))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def learn_routes(examples: Examples, questions: Sequence[LabelledQuestion]) -> KindModel:
    """Learn from examples, and from the questions whose agent is one of theirs."""
    labelled = [(text, label) for text, label in examples_of(questions, "agent") if label in examples]
    return learn([(text, label) for label, texts in sorted(examples.items()) for text in texts], labelled)


def route_probabilities(model: KindModel, text: str) -> dict[str, float]:
    """How likely each label is; they sum up to 1."""
    return probabilities(model.scores(text))
