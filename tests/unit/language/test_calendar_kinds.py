"""The stored weights are those of the examples, and times and names stand for all of their kind."""

from __future__ import annotations

import numpy as np

from workers.language.calendar_kinds import MODEL, masked, ranked_kinds
from workers.language.question_kinds import weights_file
from workers.language.train_question_kinds import fingerprint, read_examples


def test_the_weights_are_those_of_the_examples() -> None:
    with np.load(weights_file(MODEL), allow_pickle=False) as data:
        assert str(data["fingerprint"]) == fingerprint(MODEL), "run python -m workers.language.train_question_kinds"


def test_every_kind_has_examples_enough() -> None:
    kinds = [kind for _, kind in read_examples(MODEL)]
    assert min(kinds.count(kind) for kind in set(kinds)) >= 25


def test_a_name_and_a_time_make_no_difference() -> None:
    one = masked("is anna free tomorrow at 3pm", ["anna"])
    assert one == masked("is joni free on friday at 11:30", ["joni"])
    assert ranked_kinds("is anna free tomorrow at 3pm", ["anna"])[0][0] == "free"
