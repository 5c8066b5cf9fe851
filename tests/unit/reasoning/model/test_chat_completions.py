"""Requests of the Messages API in the words of chat completions, and completions as its messages."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from tests.support.model_server.chat_dialect import as_messages
from tests.support.model_server.chat_rules import check_chat
from workers.reasoning.model.chat_completions import (
    MOST_DESCRIPTION_CHARS,
    chat_request,
    chat_tool,
    closed,
    message_of,
)
from workers.reasoning.model.model_call import Failure, Reply, outcome_of
from workers.reasoning.model.own_tools import OWN_TOOLS
from workers.reasoning.model.replies.answer import CompressReply, RouteReply, StyleReply, VerdictsReply

MARK = {"cache_control": {"type": "ephemeral"}}
SYSTEM = [{"type": "text", "text": "You answer."}, {"type": "text", "text": "Be brief.", **MARK}]
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "s"}
CALLS = [
    {"type": "tool_use", "id": "c1", "name": "look", "input": {"at": "cache.py"}},
    {"type": "tool_use", "id": "c2", "name": "look", "input": {}},
]
RESULTS = [
    {"type": "tool_result", "tool_use_id": "c1", "content": "41 lines"},
    {"type": "tool_result", "tool_use_id": "c2", "content": "no such file", "is_error": True},
]
TALK = [
    {"role": "user", "content": [{"type": "text", "text": "Question.", **MARK}, {"type": "text", "text": "Data."}]},
    {"role": "assistant", "content": [THOUGHT, {"type": "text", "text": "I look."}, *CALLS]},
    {"role": "user", "content": [*RESULTS, {"type": "text", "text": "Go on.", **MARK}]},
]
LOOK = {"name": "look", "description": "Looks.", "input_schema": {"type": "object", "properties": {"at": {}}}}
ASKED = {"max_tokens": 100, "system": SYSTEM, "messages": TALK, "tools": [LOOK]}


def sent(marks: bool = False, **more: Any) -> dict[str, Any]:
    return chat_request({**ASKED, **more}, marks=marks)


def test_a_conversation_with_calls_and_results() -> None:
    messages = sent()["messages"]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "tool", "tool", "user"]
    assert messages[0]["content"] == "You answer.\n\nBe brief."
    assert messages[2]["content"] == "I look."
    assert [call["id"] for call in messages[2]["tool_calls"]] == ["c1", "c2"]
    assert json.loads(messages[2]["tool_calls"][0]["function"]["arguments"]) == {"at": "cache.py"}
    assert [message["content"] for message in messages[3:]] == ["41 lines", "Error: no such file", "Go on."]
    assert [message["tool_call_id"] for message in messages[3:5]] == ["c1", "c2"]


def test_thoughts_go_back_as_they_came() -> None:
    assert sent()["messages"][2]["thinking_blocks"] == [THOUGHT]


def test_marks_stay_where_they_are_known_and_nowhere_else() -> None:
    assert "cache_control" not in json.dumps(sent())
    marked = sent(marks=True)["messages"]
    assert marked[0]["content"] == SYSTEM
    assert marked[1]["content"] == TALK[0]["content"]
    assert marked[-1]["content"] == TALK[2]["content"][-1:]


def test_openai_takes_it_and_reads_the_same() -> None:
    body = {"model": "m", **sent()}
    body["messages"][2].pop("thinking_blocks")  # litellm takes them out for OpenAI
    check_chat(body)
    seen = as_messages(body)
    assert [message["role"] for message in seen["messages"]] == ["user", "assistant", "user"]
    assert seen["messages"][1]["content"] == TALK[1]["content"][1:]
    assert [result["tool_use_id"] for result in seen["messages"][2]["content"][:2]] == ["c1", "c2"]
    assert seen["tools"] == [LOOK]


def test_an_assistant_that_only_calls_says_nothing() -> None:
    (message,) = sent(messages=[{"role": "assistant", "content": CALLS}], system=[])["messages"]
    assert message["content"] is None


def test_texts_of_messages_may_be_plain() -> None:
    messages = [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "{}"}]
    assert [m["content"] for m in sent(messages=messages, system=[])["messages"]] == ["Why?", "{}"]


def test_effort_and_thinking() -> None:
    effort = {"output_config": {"effort": "low"}}
    thinking = {"type": "enabled", "budget_tokens": 99}
    assert sent(**effort)["reasoning_effort"] == "low"
    assert "reasoning_effort" not in sent(**effort, thinking=thinking)
    assert sent(thinking=thinking)["thinking"] == thinking
    assert not {"reasoning_effort", "thinking", "response_format"} & set(sent())


# --- tools and schemas ----------------------------------------------------------------------------------------


@each_row("tool", OWN_TOOLS)
def test_own_tools_are_taken(tool: Any) -> None:
    given = {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
    check_chat({"model": "m", **sent(messages=TALK[:1], tools=[given])})


@given(st.text(alphabet="ab \n", max_size=3_000))
def test_no_word_of_a_long_description_is_lost(text: str) -> None:
    function = chat_tool({**LOOK, "description": text})["function"]
    assert len(function["description"]) <= MOST_DESCRIPTION_CHARS
    whole = function["description"] + function["parameters"].get("description", "")
    assert "".join(whole.split()) == "".join(text.split())


def test_a_schema_that_is_given_is_never_changed() -> None:
    schema = {"type": "object", "properties": {"at": {"type": "string"}}}
    chat_tool({**LOOK, "description": "x" * 2_000, "input_schema": schema})["function"]["parameters"].clear()
    assert schema == {"type": "object", "properties": {"at": {"type": "string"}}}


@each_row("reply", [CompressReply, RouteReply, StyleReply, VerdictsReply])
def test_schemas_of_replies_are_strict(reply: Any) -> None:
    form = {"format": {"type": "json_schema", "schema": reply.model_json_schema()}}
    check_chat({"model": "m", **sent(messages=TALK[:1], output_config=form)})


def test_a_schema_is_closed_at_every_depth() -> None:
    inner = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1, "default": 3}}}
    schema = {
        "$defs": {"Inner": inner},
        "type": "object",
        "title": "Outer",
        "properties": {
            "one": {"$ref": "#/$defs/Inner", "description": "The first."},
            "many": {"type": "array", "items": inner, "maxItems": 3},
            "some": {"anyOf": [inner, {"type": "null"}], "default": None},
        },
        "required": ["one"],
    }
    whole = {"type": "object", "properties": {"n": {"type": "integer"}}}
    whole |= {"additionalProperties": False, "required": ["n"]}
    assert closed(schema) == {
        "$defs": {"Inner": whole},
        "type": "object",
        "properties": {
            "one": {"$ref": "#/$defs/Inner"},
            "many": {"type": "array", "items": whole},
            "some": {"anyOf": [whole, {"type": "null"}]},
        },
        "additionalProperties": False,
        "required": ["one", "many", "some"],
    }


# --- answers --------------------------------------------------------------------------------------------------


def completion(stop: str = "stop", usage: Any = None, **said: Any) -> SimpleNamespace:
    message = SimpleNamespace(**{"content": None, "tool_calls": None, **said})
    return SimpleNamespace(choices=[SimpleNamespace(finish_reason=stop, message=message)], usage=usage)


def call(arguments: Any) -> SimpleNamespace:
    return SimpleNamespace(id="c", function=SimpleNamespace(name="look", arguments=arguments))


def test_only_signed_thoughts_are_kept() -> None:
    unsigned = {"type": "thinking", "thinking": "ha", "signature": None}
    hidden = {"type": "redacted_thinking", "data": "d"}
    reply = outcome_of(message_of(completion(content="Yes.", thinking_blocks=[unsigned, THOUGHT, hidden])))
    assert reply == Reply("Yes.", (), (THOUGHT, hidden, {"type": "text", "text": "Yes."}))


@each_row("arguments", ["", None, "{}", "[1]", "null"])
def test_a_call_without_arguments_has_none(arguments: Any) -> None:
    reply = outcome_of(message_of(completion("tool_calls", tool_calls=[call(arguments)])))
    assert isinstance(reply, Reply)
    assert [(use.name, use.args) for use in reply.tool_uses] == [("look", {})]


def test_arguments_that_break_off_are_none() -> None:
    with pytest.raises(ValueError, match="Unterminated"):
        message_of(completion("tool_calls", tool_calls=[call('{"at": "ca')]))


@each_row(
    "stop, said, status",
    [
        ("length", {"content": "half"}, "invalid"),
        ("content_filter", {}, "refused"),
        ("stop", {"refusal": "No."}, "refused"),
        ("stop", {"provider_specific_fields": {"refusal": "No."}}, "refused"),
    ],
)
def test_ends_that_are_no_answer(stop: str, said: dict[str, Any], status: str) -> None:
    outcome = outcome_of(message_of(completion(stop, **said)))
    assert isinstance(outcome, Failure)
    assert outcome.status == status


def test_what_the_cache_served_is_counted_apart() -> None:
    details = SimpleNamespace(cached_tokens=60, cache_creation_tokens=30)
    usage = SimpleNamespace(prompt_tokens=100, completion_tokens=7, prompt_tokens_details=details)
    counted = message_of(completion(content="x", usage=usage)).usage
    assert vars(counted) == {
        "input_tokens": 10,
        "output_tokens": 7,
        "cache_read_input_tokens": 60,
        "cache_creation_input_tokens": 30,
    }
