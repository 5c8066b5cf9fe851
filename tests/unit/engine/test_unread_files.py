"""What stands in a message and was not read is named in one sentence."""

from __future__ import annotations

from workers.engine.synthesize_stage import list_unread


def test_what_was_not_read_is_one_sentence() -> None:
    assert list_unread(()) == ""
    assert list_unread(("error.log", "error.log")) == "I did not read error.log."
    assert list_unread(("a.png", "b.png", "c.png")) == "I did not read a.png, b.png and c.png."
    assert list_unread(tuple("abcdefg")) == "I did not read a, b, c, d and 3 more."
