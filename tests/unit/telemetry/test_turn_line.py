"""The line of a turn: its way, its times, and nothing that a person wrote."""

from __future__ import annotations

import json

from tests.support.request_logs import NOON, make_log
from workers.contracts import Question, Route, ToolCall
from workers.telemetry.turn_line import turn_line

ROUTE = Route(task="network", confidence=0.9, sensitivity="medium")


def test_hops_stand_in_their_order_with_their_times() -> None:
    times = {"route": 2.0, "intent": 1.0, "execute": 30.0, "synthesize": 4.0, "style": 5.0, "plan": 9.0, "total": 44.0}
    line = turn_line(make_log(route=ROUTE, timings_ms=times))
    assert [(hop["hop"], hop["ms"]) for hop in line["hops"]] == [("router", 2.0), ("task", 35.0), ("style", 5.0)]
    assert (line["agent"], line["sensitivity"], line["outcome"]) == ("network", "medium", "answered")
    assert line["tools"] == [{"name": "t", "status": "ok", "start_ms": 1.5, "end_ms": 3.0}]


def test_a_refusal_has_one_hop() -> None:
    log = make_log(kind="refusal", timings_ms={"route": 2.0}, tool_calls=(), route=Route(task="none", confidence=1))
    line = turn_line(log)
    assert [hop["hop"] for hop in line["hops"]] == ["router"]
    assert (line["agent"], line["outcome"]) == ("none", "refused")


def test_a_turn_with_a_call_that_timed_out_failed() -> None:
    call = ToolCall(name="ids_alerts", args={}, start_ms=0, end_ms=800, status="timeout")
    assert turn_line(make_log(tool_calls=(call,)))["outcome"] == "failed"


def test_what_was_delegated_has_the_trace_of_its_request() -> None:
    question = Question(request_id="r1-lib", text="merge the notes", received_at=NOON, trace="r1")
    line = turn_line(make_log("r1-lib", question=question))
    assert (line["trace_id"], line["request_id"]) == ("r1", "r1-lib")
    assert turn_line(make_log("r2"))["trace_id"] == "r2"


def test_no_word_of_a_user_is_in_it() -> None:
    assert "zanzibar" not in json.dumps(turn_line(make_log(text="what of zanzibar?", route=ROUTE)))
