"""What is done again, in one word."""

from __future__ import annotations

from tests.support.each_row import each_row
from workers.language.repeated_actions import said_again


@each_row(
    "text, becomes",
    [
        ("when do we start again?", "when do we restart?"),
        ("Deploy again, then check again", "reDeploy, then recheck"),
        ("it rained again", "it rained again"),
        ("again and again", "again and again"),
    ],
)
def test_verbs_are_said_in_one_word(text: str, becomes: str) -> None:
    assert said_again(text) == becomes
