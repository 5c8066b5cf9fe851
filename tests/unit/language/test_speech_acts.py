"""Speech acts: what is seen of a sentence, and that the weights are those of the data."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workers.language.question_kinds import read_fingerprint
from workers.language.speech_acts import ACTS, LONGEST, WEIGHTS, Said, act_probabilities, features
from workers.language.train_speech_acts import HELD, Example, examples_of, fingerprint, learn, training_files


def test_the_weights_are_learned_from_the_data() -> None:
    assert read_fingerprint(WEIGHTS) == fingerprint(), "run python -m workers.language.train_speech_acts"


def test_held_authors_are_not_learned_from() -> None:
    files = training_files()
    assert files
    assert not HELD & {file.stem for file in files}


@given(st.text(max_size=80), st.text(max_size=80), st.booleans())
def test_any_text_has_a_probability_of_each_act(text: str, before: str, bot: bool) -> None:
    (row,) = act_probabilities([Said(text, before=before, bot=bot)])
    assert len(row) == len(ACTS)
    assert all(0 <= chance <= 1 for chance in row)


def test_what_stands_before_is_seen() -> None:
    assert features(Said("ok", before="can you restart it?")) != features(Said("ok", before="lunch was good"))


def test_figures_are_seen_as_figures_and_no_more_than_a_bound_is_read() -> None:
    assert features(Said("errors at 12 %")) == features(Said("errors at 7 %"))
    assert features(Said("a " * LONGEST)) == features(Said("a " * (2 * LONGEST)))


def test_learning_tells_what_it_was_shown_apart() -> None:
    texts = {"resolved": "all done closing it now", "question": "who knows why this happens?"}
    shown = [
        Example(Said(f"{text} {n}"), frozenset({act}), "somebody", n) for act, text in texts.items() for n in range(5)
    ]
    rest = [Example(Said(f"{act} x"), frozenset({act}), "somebody", 0) for act in ACTS for _ in range(2)]
    found = learn([*shown, *rest]).probabilities(shown)
    resolved = found[:, ACTS.index("resolved")]
    assert min(resolved[:5]) > max(resolved[5:])


def test_every_message_of_the_data_is_an_example() -> None:
    found = examples_of(training_files()[:1])
    assert {act for one in found for act in one.acts} <= set(ACTS)
