"""What a channel sees of an answer that someone shares: short, honest, quiet, and with the way to the rest."""

from __future__ import annotations

import pytest

from tests.support.finished_requests import HOSTILE, claim, incident
from tests.support.rendered_messages import assert_sound, leaves, shown
from workers.contracts import Answer
from workers.delivery.shared_answer import render_shared

THERE = "https://team.slack.com/archives/C1/p1795150800000100"


def test_headline_and_what_changed_with_the_way_back_and_who_shares_it() -> None:
    post = render_shared(incident(), THERE, "Ana")
    assert_sound(post)
    text = shown(post)
    assert text.startswith("p95 latency of /api/search rose from 210 ms to 1.87 s at 14:06 UTC.")
    assert "Hypothesis: 4f2c1ab may be behind it." in text
    assert text.endswith("“Why?” · answer with evidence · shared by Ana")
    assert not any(word in text for word in ("[E1]", "Metrics", "Roll back"))
    assert [e["url"] for e in leaves(post.blocks) if e.get("type") == "link"] == [THERE]
    assert post.text == "p95 latency of /api/search rose from 210 ms to 1.87 s at 14:06 UTC. (shared by Ana)"


def test_nobody_but_the_one_who_shares_is_named_to_slack() -> None:
    post = render_shared(incident(answer=Answer(headline=claim(HOSTILE))), THERE, "U777AAA")
    assert_sound(post)
    assert [e["user_id"] for e in leaves(post.blocks) if e.get("type") == "user"] == ["U777AAA"]
    assert "&lt;!channel&gt;" in post.text


@pytest.mark.parametrize(("size", "over"), [(1_200, ""), (1_201, "… 1 more characters in the thread")])
def test_what_is_too_long_says_how_much_more_there_is_and_where(size: int, over: str) -> None:
    post = render_shared(incident(answer=Answer(headline=claim("x" * size))), THERE, "Ana")
    assert_sound(post)
    assert shown(post).startswith("x" * 1_200 + over + "“Why?”")


def test_more_changes_than_a_channel_wants_to_read_are_counted() -> None:
    answer = Answer(headline=claim("Head."), what_changed=tuple(claim(f"change {i}") for i in range(5)))
    text = shown(render_shared(incident(answer=answer), THERE, "Ana"))
    assert "change 2and 2 more in the thread" in text
    assert "change 3" not in text


def test_a_headline_that_is_a_guess_says_so_everywhere() -> None:
    post = render_shared(incident(answer=Answer(headline=claim("It is the cache.", guess=True))), THERE, "Ana")
    assert shown(post).startswith("Hypothesis: It is the cache.")
    assert post.text.startswith("Hypothesis: It is the cache.")
