"""The one line of a request."""

from __future__ import annotations

import pytest

from tests.support.request_logs import make_log
from workers.contracts import Ambiguity, Intent, Option, ToolCall
from workers.telemetry.request_line import UserText, request_line

KEYS = ["request_id", "user_question", "intent_record", "plan", "tool_calls", "final_answer_summary"]


def test_keys_and_values() -> None:
    line = request_line(make_log())
    assert list(line) == KEYS
    assert line["request_id"] == "0123456789abcdef"
    assert line["user_question"] == "Why is it slow?"
    assert line["intent_record"]["question_type"] == "debug_incident"
    assert line["intent_record"]["subjects"] == ["/api/x"]
    assert line["plan"]["steps"] == [{"id": "m", "tool": "t", "args": {"query": "a"}, "purpose": "p", "after": []}]
    assert line["final_answer_summary"] == "It is 1.9 s"
    assert line["tool_calls"] == [
        {
            "tool": "t",
            "input": {"query": "a"},
            "output_summary": "",
            "status": "ok",
            "start_ms": 1.5,
            "end_ms": 3.0,
            "attempt": 1,
            "cached": False,
            "step": "m",
        }
    ]


def test_request_that_ended_early_has_all_keys() -> None:
    line = request_line(make_log(kind=None, intent=None, plan=None, tool_calls=()))
    assert list(line) == KEYS
    assert (line["intent_record"], line["plan"], line["tool_calls"], line["final_answer_summary"]) == (
        None,
        None,
        [],
        None,
    )


def test_long_texts_are_cut() -> None:
    call = ToolCall(name="t", args={}, start_ms=0, end_ms=0, status="ok", summary="s" * 5_000)
    line = request_line(make_log(text="q" * 50_000, tool_calls=(call,)))
    assert len(line["user_question"]) == 4_000
    assert len(line["tool_calls"][0]["output_summary"]) == 300
    assert line["user_question"].endswith("…")


def told_log() -> tuple[dict[str, object], str]:
    word = "zanzibar"
    intent = Intent(
        question_type="debug_incident",
        subjects=(word,),
        time_hints=(f"since {word}",),
        ambiguity=Ambiguity(question=f"{word}?", options=(Option(value=word, label=word, reason=word),)),
    )
    call = ToolCall(name="t", args={"query": word, "k": 3}, start_ms=1, end_ms=2, status="ok", summary=word, step="m")
    return {"text": f"why is {word} slow", "intent": intent, "tool_calls": (call,)}, word


@pytest.mark.parametrize("mode", ["redacted", "hash"])
def test_user_text_is_veiled_and_structure_stays(mode: UserText) -> None:
    values, word = told_log()
    line = request_line(make_log(**values), mode)  # type: ignore[arg-type]
    assert word not in repr(line)
    assert "slow" not in repr(line)
    assert list(line) == KEYS
    assert line["request_id"] == "0123456789abcdef"
    assert line["intent_record"]["question_type"] == "debug_incident"
    assert line["plan"]["pattern"] == "P"
    assert line["plan"]["steps"][0]["tool"] == "t"
    call = line["tool_calls"][0]
    assert (call["tool"], call["status"], call["end_ms"], call["step"]) == ("t", "ok", 2.0, "m")
    assert call["input"].keys() == {"query", "k"}
    assert call["input"]["k"] == 3


def test_equal_texts_have_equal_hashes() -> None:
    lines = [request_line(make_log(text=t), "hash")["user_question"] for t in ("same", "same", "other")]
    assert lines[0] == lines[1] != lines[2]
    assert lines[0].startswith("sha256:")
