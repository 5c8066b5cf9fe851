"""Which questions ask how the whole stands, and which only use its words."""

from __future__ import annotations

import pytest

from workers.agents.research.whole_system_question import asks_of_all


@pytest.mark.parametrize(
    "text",
    [
        "are we ok? anything i should wake someone for?",
        "should I page someone?",
        "do i need to wake anyone up?",
        "anything worth paging someone about?",
        "do I have to get out of bed?",
        "can i go back to sleep?",
        "is there anything that needs attention?",
        "should i be worried?",
        "anything wrong?",
        "hey, everything fine? any errors?",
        "any problems or issues?",
        "status report?",
        "give me a status report",
    ],
)
def test_of_the_whole(text: str) -> None:
    assert asks_of_all(text)


@pytest.mark.parametrize(
    "text",
    [
        "do services report errors?",
        "do we report errors?",
        "is the error normal?",
        "are errors normal?",
        "is this error a problem?",
        "who should I page?",
        "should I page someone about checkout?",
        "is everything ok? and how is /api/search?",
        "is it slow?",
    ],
)
def test_of_something_else(text: str) -> None:
    assert not asks_of_all(text)


def test_in_a_thread_the_whole_must_be_named() -> None:
    assert not asks_of_all("should I page someone?", in_thread=True)
    assert asks_of_all("is everything else ok?", in_thread=True)
