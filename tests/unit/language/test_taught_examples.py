"""What is taught counts at once, and other sentences hardly feel it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from workers.language.question_kinds import load_model, read_once, with_taught
from workers.language.speech_acts import ACTS, Said, act_probabilities
from workers.language.taught_examples import NOTHING, TaughtExamples, TaughtSentence, adjusted, teach_from

OTHERS = ("errors are back to normal, closing this", "can you check the db pool?", "p95 is at 800 ms", "lunch?")
QUESTIONS = ("why is /api/search slow since the deploy?", "where is the retry code?", "what is a circuit breaker?")
TAUGHT = TaughtExamples(
    sentences=(TaughtSentence("the yak is shaved", ("resolved",)), TaughtSentence("zut is a name", ())),
    kinds=(("is the line red?", "traffic"), ("a kind that there is not", "nonsense")),
)


@pytest.fixture(autouse=True)
def untaught() -> Iterator[None]:
    yield
    teach_from(lambda: NOTHING)


def resolved(text: str) -> float:
    (row,) = act_probabilities([Said(text)])
    return row[ACTS.index("resolved")]


def test_a_taught_sentence_is_understood_at_once_and_forgotten_with_its_example() -> None:
    before, others = resolved("the yak is shaved"), act_probabilities(map(Said, OTHERS))
    teach_from(lambda: TAUGHT)
    assert resolved("the yak is shaved") > 0.8 > before
    assert resolved("ok, the yak is shaved now") > before
    assert np.abs(np.array(act_probabilities(map(Said, OTHERS))) - np.array(others)).max() < 0.1
    teach_from(lambda: NOTHING)
    assert resolved("the yak is shaved") == before


def test_a_taught_question_has_its_kind() -> None:
    def kind_of(text: str) -> str:
        scores = load_model().scores(text)
        return max(scores, key=lambda name: scores[name])

    others = [kind_of(text) for text in QUESTIONS]
    teach_from(lambda: TAUGHT)
    assert kind_of("is the line red?") == "traffic"
    assert [kind_of(text) for text in QUESTIONS] == others


def test_nothing_taught_changes_nothing() -> None:
    model = read_once("question_kinds")
    assert with_taught(model, []).weights is model.weights
    weights = np.ones((3, 2), dtype=np.float32)
    assert adjusted(weights, [], np.zeros((0, 2))) is weights
