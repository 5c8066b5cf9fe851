"""What goes to a model and what comes back: how long an ask is, what a message came to, the object in a text."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.each_row import each_row
from workers.ports import ToolSpec
from workers.reasoning.model.model_call import Ask, Failure, Reply, ToolUse, first_object, outcome_of

PLAIN = Ask(("You answer.",), ({"role": "user", "content": "hello"},))
TOOL = ToolSpec("search", "x" * 500, {"type": "object", "description": "y" * 700})


def message(*blocks: dict[str, Any], stop: str | None = "end_turn") -> SimpleNamespace:
    return SimpleNamespace(stop_reason=stop, content=[SimpleNamespace(**block) for block in blocks])


def test_tools_and_schema_count_as_well() -> None:
    assert 0 < PLAIN.chars < 100
    assert Ask(PLAIN.system, PLAIN.messages, tools=(TOOL,)).chars - PLAIN.chars > 1_200
    assert Ask(PLAIN.system, PLAIN.messages, schema={"title": "z" * 300}).chars - PLAIN.chars > 300


def test_texts_and_calls_of_a_message() -> None:
    call = {"type": "tool_use", "id": "c", "name": "search", "input": {"query": "x"}}
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    hidden = {"type": "redacted_thinking", "data": "d"}
    parts = (thought, hidden, {"type": "text", "text": "a\ud800"}, call, {"type": "text", "text": "b"})
    content = (thought, hidden, {"type": "text", "text": "a?"}, call, {"type": "text", "text": "b"})
    assert outcome_of(message(*parts)) == Reply("a?b", (ToolUse("c", "search", {"query": "x"}),), content)


@each_row("name", ["", "a b", "x" * 65, "rm\n"])
def test_a_tool_with_an_odd_name_is_no_message(name: str) -> None:
    with pytest.raises(ValueError, match="a tool named"):
        outcome_of(message({"type": "tool_use", "id": "c", "name": name, "input": {}}))


def test_no_message_is_a_cut_one() -> None:
    assert outcome_of(None) == outcome_of(message(stop=None)) == Failure("cut", "its answer broke off")


@each_row(
    "text, found",
    [
        ('{"a": 1}', '{"a": 1}'),
        ('Sure! Here it is:\n```json\n{"a": {"b": 1}}\n```\nAnything else?', '{"a": {"b": 1}}'),
        ('I use {braces} first: {"a": 1}', '{"a": 1}'),
        ("no object", "no object"),
        ("{", "{"),
        ("", ""),
    ],
)
def test_the_first_object_is_found(text: str, found: str) -> None:
    assert first_object(text) == found


def test_a_text_full_of_beginnings_is_given_up() -> None:
    text = '{"":' * 20_000 + '{"a": 1}'
    assert first_object(text) == text
