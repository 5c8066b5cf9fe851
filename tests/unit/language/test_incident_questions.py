"""What a question in an incident's channel asks of its summary."""

from __future__ import annotations

from typing import get_args

import numpy as np

from tests.support.each_row import each_row
from workers.language.incident_questions import (
    KINDS,
    WEIGHTS,
    IncidentQuestion,
    classify_incident_question,
    decide,
)
from workers.language.train_incident_questions import fingerprint, read_examples


def test_the_weights_are_those_of_the_examples() -> None:
    with np.load(WEIGHTS, allow_pickle=False) as data:
        assert str(data["fingerprint"]) == fingerprint(), "run python -m workers.language.train_incident_questions"


def test_every_kind_has_examples_enough() -> None:
    counts = {kind: sum(k == kind for _, k in read_examples()) for kind in KINDS}
    assert min(counts.values()) >= 15
    assert set(counts) == {*get_args(IncidentQuestion), "none"}


@each_row(
    "text, kind",
    [
        ("What's the status?", "status"),
        ("who leads?", "lead"),
        ("Root cause?", "cause"),
        ("open actions?", "actions"),
        ("Since when?", "since"),
        ("what did we decide?", "decisions"),
        ("What's the impact?", "impact"),
        ("is it slow?", None),
        ("Why is checkout slow since the deploy?", None),
        ("who is on call for payments?", None),
        ("", None),
        ("die Kasse ist kaputt, schaut mal bitte", None),
    ],
)
def test_what_is_asked(text: str, kind: str | None) -> None:
    assert classify_incident_question(text) == kind


def test_what_is_not_clear_goes_the_normal_way() -> None:
    scores = dict.fromkeys(KINDS, 0.0)
    assert decide({**scores, "lead": 0.9}) == "lead"
    assert decide({**scores, "lead": 0.9, "cause": 0.85}) is None
    assert decide({**scores, "lead": 0.1}) is None
    assert decide({**scores, "none": 0.9}) is None
