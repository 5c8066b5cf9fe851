"""The programmable Messages API server, spoken to by the real client: what each reply sort comes to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import httpx2
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.lazy_modules import LazyModule
from tests.support.model_server.prompt_cache import PromptCache
from tests.support.model_server.replies import (
    Reply,
    call_tools,
    cut,
    drop,
    garbage,
    html,
    huge,
    odd_events,
    refuse,
    reset,
    say,
    say_json,
    slow,
    stall,
    status,
    stream_error,
    too_long,
    wrong_events,
)
from tests.support.model_server.request_rules import Refused, check_request, known_models
from tests.support.model_server.server import (
    MessagesServer,
    Request,
    anything,
    model,
    run_messages_server,
    system,
    tools,
    user,
)

if TYPE_CHECKING:
    import anthropic
else:
    anthropic = LazyModule("anthropic")

SMALL, MIDDLE = "claude-haiku-5-5", "claude-sonnet-5-5"
TEXT = say("p95 rose from 210 ms to 1.9 s at 14:06 UTC, two minutes after the deploy of 4f2c1ab")
LOOK = {"name": "look", "description": "Looks.", "input_schema": {"type": "object", "properties": {}}}
LOOKS = call_tools([("look", {"at": "cache.py"}), ("look", {"at": "search_service.py"})], "I look.")
ASK: dict[str, Any] = {"model": SMALL, "max_tokens": 100, "messages": [{"role": "user", "content": "Why?"}]}
PREFIX = [{"type": "text", "text": "You answer. " * 500, "cache_control": {"type": "ephemeral"}}]
PREFIX_TOKENS = len(PREFIX[0]["text"]) // 4


@pytest.fixture
def server() -> Iterator[MessagesServer]:
    with run_messages_server() as found:
        yield found


@pytest.fixture
def client(server: MessagesServer) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(base_url=server.url, api_key="k", max_retries=0, timeout=60) as found:
        yield found


def created(client: anthropic.Anthropic, **more: Any) -> Any:
    return client.messages.create(**{**ASK, **more})


def streamed(client: anthropic.Anthropic, **more: Any) -> Any:
    with client.messages.stream(**{**ASK, **more}) as stream:
        return stream.get_final_message()


WAYS = pytest.mark.parametrize("way", [created, streamed])


# --- good replies ---------------------------------------------------------------------------------------------


@WAYS
def test_text(server: MessagesServer, client: anthropic.Anthropic, way: Any) -> None:
    server.script(TEXT)
    message = way(client)
    assert (message.content[0].text, message.stop_reason) == (TEXT.content[0]["text"], "end_turn")
    assert message.model == SMALL
    assert message.usage.output_tokens > 10


@WAYS
def test_tool_calls_side_by_side(server: MessagesServer, client: anthropic.Anthropic, way: Any) -> None:
    server.script(LOOKS)
    message = way(client, tools=[LOOK])
    said, first, second = message.content
    assert (said.text, first.input, second.input) == ("I look.", {"at": "cache.py"}, {"at": "search_service.py"})
    assert first.id != second.id
    assert message.stop_reason == "tool_use"


@WAYS
@pytest.mark.parametrize(
    ("reply", "reason"), [(refuse(), "refusal"), (too_long(), "max_tokens"), (huge(9), "end_turn")]
)
def test_why_it_stopped(
    server: MessagesServer, client: anthropic.Anthropic, way: Any, reply: Reply, reason: str
) -> None:
    server.script(reply)
    message = way(client)
    assert message.stop_reason == reason
    assert (message.stop_details is not None) == (reason == "refusal")


@WAYS
def test_pings_and_unknown_events_change_nothing(server: MessagesServer, client: anthropic.Anthropic, way: Any) -> None:
    server.script(odd_events(TEXT))
    assert way(client).content[0].text == TEXT.content[0]["text"]


@WAYS
def test_a_long_text(server: MessagesServer, client: anthropic.Anthropic, way: Any) -> None:
    server.script(huge(3_000_000))
    assert len(way(client).content[0].text) == 3_000_000


def test_structured_output(server: MessagesServer, client: anthropic.Anthropic) -> None:
    class Found(pydantic.BaseModel):
        paths: list[str]

    server.script(say_json({"paths": ["cache.py"]}))
    assert client.messages.parse(**ASK, output_format=Found).parsed_output == Found(paths=["cache.py"])
    assert server.requests[0].schema["properties"]["paths"]["type"] == "array"


# --- failures -------------------------------------------------------------------------------------------------

STATUSES = {
    400: "BadRequestError",
    401: "AuthenticationError",
    403: "PermissionDeniedError",
    404: "NotFoundError",
    413: "ContentTooLargeError",
    429: "RateLimitError",
    500: "InternalServerError",
    503: "ServiceUnavailableError",
    504: "GatewayTimeoutError",
    529: "OverloadedError",
}


@WAYS
@pytest.mark.parametrize(("code", "error"), STATUSES.items())
def test_an_error_status(server: MessagesServer, client: anthropic.Anthropic, way: Any, code: int, error: str) -> None:
    server.script(status(code, "so it is", retry_after="2"))
    with pytest.raises(getattr(anthropic, error)) as raised:
        way(client)
    assert raised.value.status_code == code
    assert raised.value.api_message == "so it is"
    assert raised.value.response.headers["retry-after"] == "2"
    assert (raised.value.type == "overloaded_error") == (code == 529)


@WAYS
def test_a_page_of_a_proxy(server: MessagesServer, client: anthropic.Anthropic, way: Any) -> None:
    server.script(html(502))
    with pytest.raises(anthropic.InternalServerError) as raised:
        way(client)
    assert "<html>" in str(raised.value.body)
    assert raised.value.type is None


IN_STREAM = {
    "cut before it began": (cut(TEXT, 0), AssertionError),
    "dropped": (drop(TEXT, 3), httpx2.RemoteProtocolError),
    "dropped in an event": (drop(TEXT, 3, half=True), httpx2.RemoteProtocolError),
    "reset": (reset(TEXT, 3), httpx2.ReadError),
    "reset before it began": (reset(TEXT, 0), httpx2.ReadError),
    "no JSON": (garbage(), json.JSONDecodeError),
    "a page": (html(200), AssertionError),
    "a block that never began": (wrong_events("index"), IndexError),
    "arguments that are no JSON": (call_tools([("look", '{"at": x')]), ValueError),
}


@pytest.mark.parametrize(("reply", "error"), IN_STREAM.values(), ids=IN_STREAM.keys())
def test_a_stream_that_fails(
    server: MessagesServer, client: anthropic.Anthropic, reply: Reply, error: type[Exception]
) -> None:
    server.script(reply)
    with pytest.raises(error):
        streamed(client, tools=[LOOK])


@pytest.mark.parametrize("reply", [cut(TEXT, 4), drop(TEXT, 4), reset(TEXT, 4)], ids=["cut", "dropped", "reset"])
def test_a_body_that_ends_early(server: MessagesServer, client: anthropic.Anthropic, reply: Reply) -> None:
    server.script(reply)
    with pytest.raises(anthropic.APIConnectionError):
        created(client)


@pytest.mark.parametrize("half", [False, True])
def test_a_cut_stream_raises_nothing_and_has_no_stop_reason(
    server: MessagesServer, client: anthropic.Anthropic, half: bool
) -> None:
    server.script(cut(TEXT, 4, half=half))
    message = streamed(client)
    assert message.stop_reason is None
    assert TEXT.content[0]["text"].startswith(message.content[0].text)
    assert 0 < len(message.content[0].text) < len(TEXT.content[0]["text"])


@pytest.mark.parametrize("kind", ["overloaded_error", "rate_limit_error", "api_error"])
def test_an_error_event_has_status_200(server: MessagesServer, client: anthropic.Anthropic, kind: str) -> None:
    server.script(stream_error(TEXT, 3, kind))
    with pytest.raises(anthropic.APIStatusError) as raised:
        streamed(client)
    assert (raised.value.status_code, raised.value.type) == (200, kind)


def test_events_before_the_message_begins_are_passed_over(server: MessagesServer, client: anthropic.Anthropic) -> None:
    server.script(wrong_events("order"))
    assert streamed(client).content[0].text == "out of order"


@pytest.mark.parametrize("reply", [stall(TEXT, 3), slow(60, 0, TEXT)], ids=["stalls", "slow to begin"])
def test_silence_lasts_until_the_client_leaves(server: MessagesServer, reply: Reply) -> None:
    server.script(reply)
    with (
        anthropic.Anthropic(base_url=server.url, api_key="k", max_retries=0, timeout=0.1) as client,
        pytest.raises((httpx2.ReadTimeout, anthropic.APITimeoutError)),
    ):
        streamed(client)
    with anthropic.Anthropic(base_url=server.url, api_key="k") as client:
        server.script(TEXT)
        assert streamed(client).stop_reason == "end_turn"


def test_a_reply_under_way_ends_with_the_server() -> None:
    with run_messages_server() as server:
        server.script(slow(0, 60, TEXT))
        client = anthropic.Anthropic(base_url=server.url, api_key="k", max_retries=0)
        stream = client.messages.create(**ASK, stream=True)
        assert next(iter(stream)).type == "message_start"
    with pytest.raises(httpx2.HTTPError):
        list(stream)
    client.close()


# --- who gets what --------------------------------------------------------------------------------------------


def test_each_role_gets_its_own_replies_in_turn(server: MessagesServer, client: anthropic.Anthropic) -> None:
    server.on(system("You plan"), say("plan 1"), say("plan 2"), role="planner")
    server.on(tools("look"), LOOKS, role="executor")
    server.on(model(MIDDLE), lambda request: say(request.last_user.upper()), role="writer")
    server.on(user("judge"), say("judged"), role="judge")
    server.script(say("first"), say("second"))
    asked = [created(client, system="You plan well.").content[0].text for _ in range(3)]
    assert asked == ["plan 1", "plan 2", "plan 2"]
    assert created(client, tools=[LOOK]).stop_reason == "tool_use"
    assert created(client, model=MIDDLE).content[0].text == "WHY?"
    assert [created(client).content[0].text for _ in range(2)] == ["first", "second"]
    assert [len(server.of(role)) for role in ("planner", "executor", "writer", "judge", "")] == [3, 1, 1, 0, 2]
    with pytest.raises(anthropic.BadRequestError, match="nothing is scripted"):
        created(client)
    assert [request.body["model"] for request in server.unanswered] == [SMALL]
    assert server.refused == []


def test_what_was_asked_is_kept(server: MessagesServer, client: anthropic.Anthropic) -> None:
    server.on(anything, TEXT)
    turn = [
        {"role": "user", "content": "Why?"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "41 lines"}]},
    ]
    created(client, messages=turn, tools=[{**LOOK, "cache_control": {"type": "ephemeral"}}], system=PREFIX)
    request = server.requests[0]
    assert (request.key, request.tools, request.marks) == ("k", ("look",), ("tools.0", "system.0"))
    assert request.last_user == "41 lines"
    assert [result["tool_use_id"] for result in request.results] == ["toolu_1"]
    assert request.system == PREFIX[0]["text"]
    assert all(part in request.prompt for part in ("Looks.", "You answer.", "Why?", "41 lines"))


def test_one_key_or_token_is_taken() -> None:
    with run_messages_server(key="right") as server:
        server.on(anything, TEXT)
        for wrong in ({"api_key": "wrong"}, {"auth_token": "wrong"}):
            with (
                anthropic.Anthropic(base_url=server.url, max_retries=0, **wrong) as client,
                pytest.raises(anthropic.AuthenticationError),
            ):
                created(client)
        for right in ({"api_key": "right"}, {"auth_token": "right"}):
            with anthropic.Anthropic(base_url=server.url, max_retries=0, **right) as client:
                assert created(client).stop_reason == "end_turn"


def test_models_are_known_or_not_found(server: MessagesServer, client: anthropic.Anthropic) -> None:
    assert {SMALL, MIDDLE} <= known_models()
    assert client.models.retrieve(SMALL).id == SMALL
    with pytest.raises(anthropic.NotFoundError, match="model: gpt"):
        client.models.retrieve("gpt")
    with pytest.raises(anthropic.NotFoundError, match="model: gpt"):
        created(client, model="gpt")
    with run_messages_server(models=None) as other:
        other.script(TEXT)
        with anthropic.Anthropic(base_url=other.url, api_key="k") as free:
            assert created(free, model="m-planner").model == "m-planner"


def test_tokens_are_counted_before_anything_is_answered(server: MessagesServer, client: anthropic.Anthropic) -> None:
    prompt = {"messages": ASK["messages"], "system": PREFIX, "model": SMALL}
    assert client.messages.count_tokens(**prompt).input_tokens == PREFIX_TOKENS + 1
    server.script(TEXT)
    counts = created(client, system=PREFIX).usage
    assert (counts.input_tokens, counts.cache_creation_input_tokens) == (1, PREFIX_TOKENS)


def test_the_client_tries_again_as_told(server: MessagesServer) -> None:
    server.script(status(429, retry_after="0.01"), status(529, retry_after="0.01"), TEXT)
    with anthropic.Anthropic(base_url=server.url, api_key="k", max_retries=2) as client:
        assert created(client).stop_reason == "end_turn"
    assert len(server.requests) == 3


# --- prompt cache ---------------------------------------------------------------------------------------------


def counted(server: MessagesServer, client: anthropic.Anthropic, **more: Any) -> tuple[int, int, int]:
    server.script(TEXT)
    used = created(client, **more).usage
    return used.input_tokens, used.cache_creation_input_tokens, used.cache_read_input_tokens


def test_the_same_prefix_is_read_the_second_time(server: MessagesServer, client: anthropic.Anthropic) -> None:
    other = [{"role": "user", "content": "And then?"}]
    assert counted(server, client, system=PREFIX) == (1, PREFIX_TOKENS, 0)
    assert counted(server, client, system=PREFIX, messages=other) == (3, 0, PREFIX_TOKENS)


OTHER_PREFIX: dict[str, dict[str, Any]] = {
    "model": {"model": MIDDLE},
    "tools stand before the system text": {"tools": [LOOK]},
    "system": {"system": [{**PREFIX[0], "text": "Today is Monday. " + PREFIX[0]["text"]}]},
    "schema of the output": {
        "output_config": {
            "format": {
                "type": "json_schema",
                "schema": {"type": "object", "properties": {}, "additionalProperties": False},
            }
        }
    },
}


@pytest.mark.parametrize("more", OTHER_PREFIX.values(), ids=OTHER_PREFIX.keys())
def test_another_prefix_is_not_read(server: MessagesServer, client: anthropic.Anthropic, more: dict[str, Any]) -> None:
    counted(server, client, system=PREFIX)
    assert counted(server, client, **{"system": PREFIX, **more})[2] == 0


def test_nothing_is_kept_without_a_mark_or_below_the_smallest_size(
    server: MessagesServer, client: anthropic.Anthropic
) -> None:
    for block in ({"type": "text", "text": PREFIX[0]["text"]}, {**PREFIX[0], "text": "You answer. " * 300}):
        for _ in range(2):
            assert counted(server, client, system=[block])[1:] == (0, 0)


def test_a_conversation_reads_what_its_last_turn_wrote(server: MessagesServer, client: anthropic.Anthropic) -> None:
    turns = [{"role": "user", "content": [{**PREFIX[0], "text": f"{n} " + PREFIX[0]["text"]}]} for n in range(3)]
    whole = 0
    for n in range(1, 4):
        messages = [{**t, "content": [{"type": "text", "text": t["content"][0]["text"]}]} for t in turns[:n]]
        fresh, written, read = counted(server, client, messages=messages, cache_control={"type": "ephemeral"})
        assert (fresh, read) == (0, whole)
        whole += written
        assert written > 1_000


# --- what the API refuses -------------------------------------------------------------------------------------


def tool_use(name: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "tool_use", "id": name, "name": "look", "input": {}}]}


def tool_result(*names: str, before: str = "", after: str = "") -> dict[str, Any]:
    texts = [[{"type": "text", "text": text}] if text else [] for text in (before, after)]
    results = [{"type": "tool_result", "tool_use_id": name, "content": "ok"} for name in names]
    return {"role": "user", "content": [*texts[0], *results, *texts[1]]}


def schema(**more: Any) -> dict[str, Any]:
    inner = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    return {"output_config": {"format": {"type": "json_schema", "schema": {**inner, **more}}}}


CLOSED = {"additionalProperties": False}
MARK = {"cache_control": {"type": "ephemeral"}}
WHY = {"role": "user", "content": "Why?"}
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "unknown key": ({"temprature": 1}, "temprature: Extra inputs"),
    "temperature": ({"temperature": 1}, "temperature: Extra inputs"),
    "no tokens": ({"max_tokens": 0}, "max_tokens"),
    "no messages": ({"messages": []}, "at least one message"),
    "empty message": ({"messages": [{"role": "user", "content": ""}]}, "non-empty content"),
    "blank block": ({"messages": [{"role": "user", "content": [{"type": "text", "text": " "}]}]}, "non-whitespace"),
    "unknown role": ({"messages": [{"role": "tool", "content": "x"}]}, "role"),
    "key of a message": ({"messages": [{**WHY, "name": "x"}]}, "messages.0.name"),
    "assistant first": ({"messages": [{"role": "assistant", "content": "x"}, WHY]}, "first message"),
    "prefill": ({"messages": [WHY, {"role": "assistant", "content": "{"}]}, "prefill"),
    "unanswered tool": ({"tools": [LOOK], "messages": [WHY, tool_use("t1"), WHY]}, "without `tool_result`"),
    "answered late": (
        {"tools": [LOOK], "messages": [WHY, tool_use("t1"), tool_result("t1", before="Here:")]},
        "before other content",
    ),
    "answer to nothing": ({"tools": [LOOK], "messages": [WHY, tool_use("t1"), tool_result("t1", "t2")]}, "unexpected"),
    "tools not offered": ({"messages": [WHY, tool_use("t1"), tool_result("t1")]}, "must define tools"),
    "same id twice": (
        {"tools": [LOOK], "messages": [WHY, tool_use("t1"), tool_result("t1"), tool_use("t1"), tool_result("t1")]},
        "unique",
    ),
    "tool name": ({"tools": [{**LOOK, "name": "repo.search"}]}, "tools.0.name"),
    "tool twice": ({"tools": [LOOK, LOOK]}, "unique"),
    "tool without schema": ({"tools": [{"name": "look"}]}, "input_schema"),
    "choice without tools": ({"tool_choice": {"type": "any"}}, "only be specified while"),
    "choice of no tool": ({"tools": [LOOK], "tool_choice": {"type": "tool", "name": "run"}}, "not found"),
    "strict tool left open": ({"tools": [{**LOOK, "strict": True}]}, "additionalProperties"),
    "effort": ({"output_config": {"effort": "extreme"}}, "effort"),
    "open object": (schema(), "additionalProperties"),
    "keyword": (schema(**CLOSED, properties={"n": {"type": "integer", "minimum": 0}}), "minimum is not supported"),
    "recursion": (
        schema(
            **CLOSED,
            properties={"n": {"$ref": "#/$defs/T"}},
            **{"$defs": {"T": {"type": "array", "items": {"$ref": "#/$defs/T"}}}},
        ),
        "recursive",
    ),
    "many optional": (
        schema(**CLOSED, properties={f"p{n}": {"type": "string"} for n in range(30)}, required=[]),
        "too many optional",
    ),
    "five marks": ({"system": [{"type": "text", "text": "x", **MARK}] * 5}, "maximum of 4"),
    "sort of mark": ({"cache_control": {"type": "persistent"}}, "ephemeral"),
}


@pytest.mark.parametrize(("more", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_request_is_refused(
    server: MessagesServer, client: anthropic.Anthropic, more: dict[str, Any], sentence: str
) -> None:
    server.on(anything, TEXT)
    asked = {key: value for key, value in ASK.items() if key not in more}
    with pytest.raises(anthropic.BadRequestError, match=sentence.replace("$", "\\$")) as raised:
        client.messages.create(**asked, **known(more), extra_body=more)
    assert raised.value.type == "invalid_request_error"
    assert server.refused == [raised.value.api_message]


def known(more: dict[str, Any]) -> dict[str, Any]:
    return {key: more[key] for key in ("max_tokens", "messages") if key in more}


def test_messages_of_one_role_merge_and_results_may_be_followed_by_text(
    server: MessagesServer, client: anthropic.Anthropic
) -> None:
    server.on(anything, TEXT)
    turn = [WHY, WHY, tool_use("t1"), tool_use("t2"), tool_result("t1", "t2", after="Go on.")]
    assert created(client, messages=turn, tools=[LOOK]).stop_reason == "end_turn"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["", "user", "text", "object", "tool_use", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["role", "content", "type", "text", "name", "id", "schema"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["system", "messages", "tools", "tool_choice", "output_config"]), JSON))
def test_any_body_is_taken_or_refused(parts: dict[str, Any]) -> None:
    body = {**ASK, **parts}
    with suppress(Refused):
        check_request("/v1/messages", body)
        assert PromptCache(1).count(body)["cache_read_input_tokens"] == 0


def test_a_body_that_is_no_json(server: MessagesServer) -> None:
    headers = {"x-api-key": "k", "anthropic-version": "2023-06-01"}
    for raw in (b"{", b"\xff", b"[]"):
        answer = httpx2.post(f"{server.url}/v1/messages", content=raw, headers=headers)
        assert (answer.status_code, answer.json()["error"]["type"]) == (400, "invalid_request_error")
    assert httpx2.post(f"{server.url}/v1/complete", content=b"{}", headers=headers).status_code == 404
    assert [isinstance(request, Request) for request in server.requests] == [True] * 3
