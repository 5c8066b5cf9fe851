"""Whatever a log holds, Slack takes every message, and nothing is cut in silence."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.finished_requests import HOSTILE, fewer_examples, logs, texts, wide_logs
from tests.support.finished_requests import question as asked
from tests.support.rendered_messages import assert_in_order, assert_sound, bare, said_in, shown
from workers.contracts import RequestLog
from workers.delivery.answer_blocks import (
    render_answer,
    render_apology,
    render_declined,
    render_everything,
    render_root,
    render_stopped,
)
from workers.delivery.clarify_blocks import render_chosen, render_clarify
from workers.delivery.proof import proof_text
from workers.delivery.rich_text import CONTROL
from workers.delivery.shared_answer import render_shared

CUT = "more characters"


@given(logs(), st.sampled_from(["full", "short"]), st.one_of(st.none(), logs(60)))
def test_any_answer(log: RequestLog, verbosity: Any, earlier: RequestLog | None) -> None:
    posts = render_answer(
        log, "F1ABC", HOSTILE, verbosity=verbosity, earlier=earlier, before=earlier, waits_for=HOSTILE
    )
    rest = render_everything(log)
    assert_sound(*posts, *rest, *render_apology(log))
    assert log.answer
    if log.answer.kind != "clarify" and CUT not in shown(*rest):
        assert_in_order(said_in(log.answer), shown(*rest))


@fewer_examples()
@given(wide_logs())
def test_very_long_claims_and_hundreds_of_pieces_of_evidence(log: RequestLog) -> None:
    assert len(render_answer(log, "F1ABC", "a chart")) == 1
    posts = render_everything(log)
    assert_sound(*posts, *render_answer(log, "F1ABC", "a chart"))
    text, answer = shown(*posts), log.answer
    assert answer
    if CUT in text:
        assert "Show proof, or oracle show 7f3a12bc90de" in text
        assert_in_order([bare(answer.headline.text)[:3_000]], text)
    else:
        assert_in_order(said_in(answer), text)


@given(logs(), texts(3_000), texts(90))
def test_any_question_back(log: RequestLog, choice: str, waits_for: str) -> None:
    assert log.answer
    assert_sound(render_clarify(log, log.answer, 0, waits_for), render_chosen(log, choice))


@given(texts(12_000), texts(60), texts(60))
def test_any_root_and_any_end(text: str, asker: str, request_id: str) -> None:
    posts = (
        render_root(asked(text).model_copy(update={"asker": asker}), text),
        render_stopped(asker, request_id),
        render_declined(),
    )
    assert_sound(*posts)
    assert not any(CONTROL.search(post.text) for post in posts)


@given(st.one_of(logs(), wide_logs()), texts(60))
def test_anything_shared_or_explained(log: RequestLog, sharer: str) -> None:
    assert_sound(proof_text(log), render_shared(log, "https://t.slack.com/archives/C1/p1", sharer))


@pytest.mark.parametrize("verbosity", ["full", "short"])
def test_an_answer_of_nothing_but_hostile_words(verbosity: Any) -> None:
    log = RequestLog(request_id=HOSTILE, question=asked(HOSTILE))
    assert_sound(*render_answer(log, HOSTILE, HOSTILE, verbosity=verbosity, earlier=log))
