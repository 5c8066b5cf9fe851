"""How the benchmark counts questions about what is not there."""

from __future__ import annotations

from pathlib import Path

from bench.search.measure import Asked, outcome
from bench.search.questions import Exam, Question
from tests.support.each_row import each_row


@each_row(
    "found, told, end",
    [
        ([], (), "silent"),
        ([], ("page view",), "silent"),
        (["a.py"], (), "answers"),
        (["a.py"], ("page views",), "says so"),
        (["a.py"], ("viewCounter",), "says so"),
        (["a.py"], ("added",), "answers"),
        (["a.py"], ("elephant",), "answers"),
    ],
)
def test_a_name_counts_when_the_question_is_about_it(found: list[str], told: tuple[str, ...], end: str) -> None:
    assert outcome("where is the page view counter added", found, told) == end


def test_what_is_there_and_what_is_not_are_counted_apart() -> None:
    exam = Exam("one", "written", "go", Path(), (Question("the mailbox", ("box.go",)), Question("the airship")))
    asked = Asked("any", exam, [[], ["box.go"]], [1.0, 1.0], told=[(), ("airship",)])
    assert asked.outcomes(there=True) == ["silent"]
    assert asked.outcomes(there=False) == ["says so"]
    assert Asked("any", exam, [[], ["box.go"]], [1.0, 1.0]).outcomes(there=False) == ["answers"]
