"""The other dialect of the programmable model, OpenAI's chat completions, spoken to by the real client."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.lazy_modules import LazyModule
from tests.support.model_server.chat_dialect import as_messages
from tests.support.model_server.chat_rules import check_chat
from tests.support.model_server.replies import (
    Reply,
    call_tools,
    cut,
    drop,
    html,
    huge,
    refuse,
    reset,
    say,
    say_json,
    slow,
    stall,
    status,
    stream_error,
    too_long,
)
from tests.support.model_server.request_rules import Refused
from tests.support.model_server.server import (
    MessagesServer,
    anything,
    model,
    run_messages_server,
    system,
    tools,
    user,
)

if TYPE_CHECKING:
    import openai
else:
    openai = LazyModule("openai")

TEXT = say("p95 rose from 210 ms to 1.9 s at 14:06 UTC, two minutes after the deploy of 4f2c1ab")
LOOK = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}
WHY = {"role": "user", "content": "Why?"}
ASK: dict[str, Any] = {"model": "m", "max_tokens": 100, "messages": [WHY]}


@pytest.fixture
def server() -> Iterator[MessagesServer]:
    with run_messages_server(models=None) as found:
        yield found


@pytest.fixture
def client(server: MessagesServer) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="k", max_retries=0, timeout=60) as found:
        yield found


def created(client: openai.OpenAI, **more: Any) -> Any:
    return client.chat.completions.create(**{**ASK, **more})


def call(name: str, tool: str = "look", arguments: str = "{}") -> dict[str, Any]:
    return {"id": name, "type": "function", "function": {"name": tool, "arguments": arguments}}


def calls(*names: str, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": [call(name) for name in names], **more}


def result(name: str, said: str = "41 lines") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": name, "content": said}


# --- good replies ---------------------------------------------------------------------------------------------


def test_text(server: MessagesServer, client: openai.OpenAI) -> None:
    server.script(TEXT)
    answer = created(client)
    assert (answer.choices[0].message.content, answer.choices[0].finish_reason) == (TEXT.content[0]["text"], "stop")
    assert answer.usage.completion_tokens > 10
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens


def test_tool_calls_side_by_side(server: MessagesServer, client: openai.OpenAI) -> None:
    server.script(call_tools([("look", {"at": "cache.py"}), ("look", '{"at": x')], "I look."))
    (choice,) = created(client, tools=[LOOK]).choices
    first, second = choice.message.tool_calls
    assert (choice.message.content, choice.finish_reason) == ("I look.", "tool_calls")
    assert json.loads(first.function.arguments) == {"at": "cache.py"}
    assert second.function.arguments == '{"at": x'
    assert first.id != second.id


@pytest.mark.parametrize(
    ("reply", "reason", "refusal"),
    [
        (refuse(), "content_filter", None),
        (refuse("I would rather not."), "stop", "I would rather not."),
        (too_long(), "length", None),
        (huge(9), "stop", None),
    ],
)
def test_why_it_stopped(
    server: MessagesServer, client: openai.OpenAI, reply: Reply, reason: str, refusal: str | None
) -> None:
    server.script(reply)
    (choice,) = created(client).choices
    assert (choice.finish_reason, choice.message.refusal) == (reason, refusal)


# --- failures -------------------------------------------------------------------------------------------------

STATUSES = {
    400: "BadRequestError",
    401: "AuthenticationError",
    403: "PermissionDeniedError",
    404: "NotFoundError",
    429: "RateLimitError",
    500: "InternalServerError",
    529: "InternalServerError",
}


@pytest.mark.parametrize(("code", "error"), STATUSES.items())
def test_an_error_status(server: MessagesServer, client: openai.OpenAI, code: int, error: str) -> None:
    server.script(status(code, "so it is", retry_after="2"))
    with pytest.raises(getattr(openai, error), match="so it is") as raised:
        created(client)
    assert raised.value.status_code == code
    assert raised.value.response.headers["retry-after"] == "2"


@pytest.mark.parametrize("reply", [html(502), stream_error(TEXT)])
def test_a_server_that_fails(server: MessagesServer, client: openai.OpenAI, reply: Reply) -> None:
    server.script(reply)
    with pytest.raises(openai.InternalServerError):
        created(client)


@pytest.mark.parametrize("reply", [cut(TEXT), drop(TEXT), reset(TEXT)], ids=["cut", "dropped", "reset"])
def test_a_body_that_ends_early(server: MessagesServer, client: openai.OpenAI, reply: Reply) -> None:
    server.script(reply)
    with pytest.raises(openai.APIConnectionError):
        created(client)


@pytest.mark.parametrize("reply", [stall(TEXT), slow(60, 0, TEXT), slow(0, 30, TEXT)])
def test_silence_lasts_until_the_client_leaves(server: MessagesServer, reply: Reply) -> None:
    server.script(reply)
    with (
        openai.OpenAI(base_url=f"{server.url}/v1", api_key="k", max_retries=0, timeout=0.2) as client,
        pytest.raises(openai.APITimeoutError),
    ):
        created(client)


def test_a_slow_answer_is_whole_in_the_end(server: MessagesServer, client: openai.OpenAI) -> None:
    server.script(slow(0, 0.01, TEXT))
    assert created(client).choices[0].message.content == TEXT.content[0]["text"]


# --- one view of both dialects --------------------------------------------------------------------------------


def test_rules_serve_both_dialects(server: MessagesServer, client: openai.OpenAI) -> None:
    server.on(system("You plan"), say("planned"), role="planner")
    server.on(tools("look"), call_tools([("look", {})]))
    server.on(model("other"), lambda request: say(request.last_user.upper()))
    server.on(user("judge"), say("judged"))
    asked = [{"role": "system", "content": "You plan well."}, WHY]
    assert created(client, messages=asked).choices[0].message.content == "planned"
    assert created(client, tools=[LOOK]).choices[0].finish_reason == "tool_calls"
    assert created(client, model="other").choices[0].message.content == "WHY?"
    assert created(client, messages=[{"role": "user", "content": "judge"}]).choices[0].message.content == "judged"
    assert [request.role for request in server.requests] == ["planner", "", "", ""]
    with pytest.raises(openai.BadRequestError, match="nothing is scripted"):
        created(client)
    assert len(server.unanswered) == 1


def test_a_conversation_is_seen_as_the_messages_api_has_it(server: MessagesServer, client: openai.OpenAI) -> None:
    server.on(anything, TEXT)
    parts = [{"type": "text", "text": "Go on."}]
    talk = [{"role": "system", "content": "You answer."}, WHY, calls("c1", "c2"), result("c2"), result("c1")]
    created(client, messages=[*talk, {"role": "user", "content": parts}], tools=[LOOK])
    request = server.requests[0]
    assert request.system == "You answer."
    assert [message["role"] for message in request.body["messages"]] == ["user", "assistant", "user"]
    assert [each["tool_use_id"] for each in request.results] == ["c2", "c1"]
    assert request.last_user == "41 lines\n41 lines\nGo on."
    assert request.tools == ("look",)
    assert (request.key, request.marks) == ("k", ())


def test_a_schema_is_seen(server: MessagesServer, client: openai.OpenAI) -> None:
    server.script(say_json({"n": 1}))
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    whole = {"name": "x", "strict": True, "schema": {**schema, "additionalProperties": False}}
    created(client, response_format={"type": "json_schema", "json_schema": whole})
    assert server.requests[0].schema == whole["schema"]


def test_the_wrong_key_is_refused(client: openai.OpenAI) -> None:
    with run_messages_server(models=None, key="right") as server:
        server.on(anything, TEXT)
        other = client.with_options(base_url=f"{server.url}/v1")
        with pytest.raises(openai.AuthenticationError):
            created(other)
        assert created(other.with_options(api_key="right")).choices


def test_a_prefix_is_cached_without_asking(server: MessagesServer, client: openai.OpenAI) -> None:
    server.on(anything, TEXT)
    long = {"role": "system", "content": "You answer. " * 500}
    other = {"role": "user", "content": "And then?"}
    first, second = (created(client, messages=[long, message]).usage for message in (WHY, other))
    assert first.prompt_tokens_details.cached_tokens == 0
    assert second.prompt_tokens_details.cached_tokens == 1_500
    assert server.requests[1].usage["input_tokens"] == 3


# --- what is refused ------------------------------------------------------------------------------------------


def function(**changes: Any) -> dict[str, Any]:
    return {"tools": [{"type": "function", "function": {**LOOK["function"], **changes}}]}


def form(schema: dict[str, Any]) -> dict[str, Any]:
    return {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "strict": True, "schema": schema}}}


CLOSED = {"type": "object", "additionalProperties": False, "properties": {"n": {"type": "integer"}}, "required": ["n"]}
MARKED = [{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}]
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "unknown argument": ({"system": "x"}, "Unrecognized request argument"),
    "no messages": ({"messages": []}, "too short - 'messages'"),
    "no tokens": ({"max_tokens": 0}, "max_tokens"),
    "both limits": ({"max_completion_tokens": 5}, "max_completion_tokens"),
    "effort": ({"reasoning_effort": "extreme"}, "reasoning_effort"),
    "unknown role": ({"messages": [{"role": "robot", "content": "x"}]}, "Supported values"),
    "no content": ({"messages": [{"role": "user", "content": None}]}, "content"),
    "a cache mark": ({"messages": [{"role": "user", "content": MARKED}]}, "cache_control"),
    "thoughts": ({"messages": [WHY, calls("c1", thinking_blocks=[]), result("c1")]}, "thinking_blocks"),
    "unanswered call": ({"messages": [WHY, calls("c1", "c2"), result("c1"), WHY]}, "tool_call_ids did not have"),
    "unanswered at the end": ({"messages": [WHY, calls("c1")]}, "tool_call_ids did not have"),
    "answer to nothing": ({"messages": [WHY, result("c1")]}, "must be a response"),
    "answered twice": ({"messages": [WHY, calls("c1"), result("c1"), result("c1")]}, "must be a response"),
    "empty list of calls": ({"messages": [WHY, {"role": "assistant", "content": "x", "tool_calls": []}]}, "too short"),
    "arguments as an object": (
        {"messages": [WHY, {**calls(), "tool_calls": [call("c1", arguments={})]}, result("c1")]},  # type: ignore[arg-type]
        "expected a string",
    ),
    "long id": ({"messages": [WHY, calls("c" * 41), result("c" * 41)]}, "too long"),
    "no tools": ({"tools": []}, "too short - 'tools'"),
    "a tool of the other dialect": ({"tools": [{"name": "look", "input_schema": {"type": "object"}}]}, "tools"),
    "tool name": (function(name="repo.search"), "name"),
    "tool twice": ({"tools": [LOOK, LOOK]}, "unique"),
    "long description": (function(description="x" * 1_025), "too long"),
    "parameters that are no object": (function(parameters={"type": "string"}), "not of type object"),
    "array without items": (
        function(parameters={"type": "object", "properties": {"a": {"type": "array"}}}),
        "missing items",
    ),
    "open object": (form({**CLOSED, "additionalProperties": True}), "additionalProperties"),
    "optional property": (form({**CLOSED, "required": []}), "required"),
    "default": (form({**CLOSED, "properties": {"n": {"type": "integer", "default": 1}}}), "'default'"),
    "reference with more": (
        form({**CLOSED, "properties": {"n": {"$ref": "#/$defs/N", "description": "x"}}, "$defs": {"N": CLOSED}}),
        "cannot have keywords",
    ),
}


@pytest.mark.parametrize(("more", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_request_is_refused(
    server: MessagesServer, client: openai.OpenAI, more: dict[str, Any], sentence: str
) -> None:
    server.on(anything, TEXT)
    with pytest.raises(openai.BadRequestError, match=re.escape(sentence)):
        client.chat.completions.create(**ASK, extra_body=more)
    assert len(server.refused) == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["", "user", "tool", "assistant", "text", "{}"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["role", "content", "type", "text", "tool_calls", "id", "function"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["messages", "tools", "response_format", "tool_choice"]), JSON))
def test_any_body_is_taken_or_refused(parts: dict[str, Any]) -> None:
    body = {**ASK, **parts}
    with suppress(Refused):
        check_chat(body)
        assert as_messages(body)["model"] == "m"
