"""The one client to language models, against a real server: every failure is a status, within the deadline.

The same tests go through both doors: to Anthropic's Messages API, and by litellm to OpenAI's chat completions.
"""

from __future__ import annotations

import json
import logging
import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.model_server.replies import (
    Raw,
    Reply,
    as_bytes,
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
    slow,
    stall,
    status,
    stream_error,
    too_long,
    wrong_events,
)
from tests.support.model_server.server import MessagesServer, run_messages_server
from workers.contracts import Usage
from workers.errors import LeaseLost, ModelFailed
from workers.ports import ToolSpec, not_interrupted
from workers.reasoning.model.circuit_breaker import LONGEST_REST_S, PATIENCE, REST_S
from workers.reasoning.model.model_call import MOST_USES, Ask
from workers.reasoning.model.model_client import ATTEMPTS, ModelClient
from workers.settings.schema import Models

PLAIN = Ask(("You answer.",), ({"role": "user", "content": "hello"},))
TOOL = ToolSpec("t", "A tool.", {"type": "object"})
PRICE = {"input": 2.0, "output": 10.0, "cache_write": 2.5, "cache_read": 0.1}
SECRET = "sk-canary-0123456789"


ROOTS = {"anthropic": "", "openai": "/v1"}
"""Where each dialect begins on the server."""
UNREADABLE = {
    "anthropic": "it answered something that is not the Messages API",
    "openai": "it could not be asked, or its answer not read",
}
Open = Callable[..., ModelClient]
ONLY_ANTHROPIC = pytest.mark.parametrize("dialect", ["anthropic"], indirect=True)
ONLY_OPENAI = pytest.mark.parametrize("dialect", ["openai"], indirect=True)


def models(address: str, dialect: str, **role: Any) -> Models:
    return Models.model_validate(
        {
            "reasoner": "model",
            "endpoint": {"provider": dialect, "base_url": address + ROOTS[dialect], "api_key": "k"},
            "roles": {"investigator": {"model": "m", "deadline_s": 20, **role}},
            "prices": {"m": PRICE},
        }
    )


@dataclass
class Clock:
    """Goes forward by what is slept, and else with the real one: pauses take no time, waiting for a server does."""

    slept: float = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self.slept

    def sleep(self, seconds: float) -> None:
        self.slept += seconds


@pytest.fixture
def server() -> Iterator[MessagesServer]:
    with run_messages_server(models=None) as running:
        yield running


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module", autouse=True)
def loaded() -> None:
    """Load what litellm loads at its first call, so that short deadlines are for the server alone."""
    with run_messages_server(models=None) as server:
        server.script(say("fine"))
        client = ModelClient(models(server.url, "openai"), unchanged)
        assert client.ask("investigator", PLAIN, 60, not_interrupted)[1]
        client.close()


@pytest.fixture(params=list(ROOTS))
def dialect(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def opened(clock: Clock) -> Iterator[Open]:
    """Open a client; all of them are closed at the end."""
    with ExitStack() as stack:

        def start(chosen: Models, clean: Callable[[Any], Any] = unchanged) -> ModelClient:
            client = ModelClient(chosen, clean, monotonic=clock.monotonic, sleep=clock.sleep)
            stack.callback(client.close)
            return client

        yield start


@pytest.fixture
def client(server: MessagesServer, dialect: str, opened: Open) -> ModelClient:
    return opened(models(server.url, dialect))


def unchanged(value: Any) -> Any:
    return value


def ask(client: ModelClient, seconds: float = 10, check: Callable[[], None] = not_interrupted) -> tuple[Any, ...]:
    calls, reply = client.ask("investigator", PLAIN, seconds, check, "investigator@1.0")
    return [c.status for c in calls], reply and reply.text, calls


def test_a_reply_with_its_record(server: MessagesServer, client: ModelClient) -> None:
    server.script(say("fine"))
    statuses, text, (call,) = ask(client)
    assert (statuses, text) == (["ok"], "fine")
    assert (call.role, call.model, call.prompt, call.reason) == ("investigator", "m", "investigator@1.0", "")
    assert call.ms > 0
    assert server.requests[0].key == "k"


def test_cache_marks_are_for_those_who_know_them(server: MessagesServer, client: ModelClient, dialect: str) -> None:
    server.script(say("fine"))
    ask(client)
    assert server.requests[0].marks == (("system.0",) if dialect == "anthropic" else ())
    assert (b"cache_control" in server.requests[0].raw) == (dialect == "anthropic")


LASTING = {
    400: "it failed with 400",
    401: "its key was refused",
    402: "it failed with 402",
    403: "its key may not use the model",
    404: "it has no such model",
    413: "it failed with 413",
}


@pytest.mark.parametrize(("code", "reason"), LASTING.items())
def test_what_lasts_is_not_tried_again(server: MessagesServer, client: ModelClient, code: int, reason: str) -> None:
    server.script(status(code, "see https://evil.example.com"), say("never"))
    statuses, text, (call,) = ask(client)
    assert (statuses, text, call.reason) == (["error"], None, reason)


@ONLY_ANTHROPIC
@pytest.mark.parametrize("error", ["authentication_error", "invalid_request_error", "billing_error"])
def test_what_lasts_is_known_in_the_middle_of_a_stream_too(
    server: MessagesServer, client: ModelClient, error: str
) -> None:
    server.script(stream_error(say("half"), 2, error), say("never"))
    assert ask(client)[:2] == (["error"], None)


PASSING = [
    (status(429, retry_after="2"), "busy", "too many requests"),
    (status(529), "busy", "overloaded"),
    (status(503), "busy", "overloaded"),
    (status(500), "error", "it failed with 500"),
    (status(408), "timeout", "it did not answer in time"),
    (status(504), "timeout", "it did not answer in time"),
    (html(502), "error", "it failed with 502"),
    (garbage(), "error", UNREADABLE),
    (drop(say("a whole sentence, a long one"), 3), "error", "it cannot be reached"),
    (reset(say("a whole sentence, a long one"), 3), "error", "it cannot be reached"),
    (call_tools([("t", '{"q": x')]), "error", UNREADABLE),
]
OF_STREAMS = [
    (html(200), "cut", "its answer broke off"),
    (wrong_events("index"), "error", UNREADABLE),
    (wrong_events("order"), "error", UNREADABLE),
    (cut(say("a whole sentence, a long one"), 0), "cut", "its answer broke off"),
    (cut(say("a whole sentence, a long one"), 1), "cut", "its answer broke off"),
    (cut(say("a whole sentence, a long one"), 4), "cut", "its answer broke off"),
    (stream_error(say("half"), 2), "busy", "overloaded"),
    (stream_error(say("half"), 2, "rate_limit_error"), "busy", "too many requests"),
    (stream_error(say("half"), 2, "timeout_error"), "timeout", "it did not answer in time"),
]
OF_WHOLE_ANSWERS = [
    (html(200), "error", UNREADABLE),
    (cut(say("a whole sentence, a long one")), "error", "it cannot be reached"),
    (stream_error(say("half")), "error", "it failed with 500"),
]
EACH = [
    (dialect, *case)
    for dialect, own in (("anthropic", OF_STREAMS), ("openai", OF_WHOLE_ANSWERS))
    for case in (*PASSING, *own)
]


@pytest.mark.parametrize(("dialect", "bad", "wanted", "reason"), EACH, indirect=["dialect"])
def test_what_passes_is_tried_again(
    server: MessagesServer, client: ModelClient, dialect: str, bad: Reply, wanted: str, reason: Any
) -> None:
    server.script(bad, say("whole"))
    asked = Ask(PLAIN.system, PLAIN.messages, tools=(TOOL,))
    calls, reply = client.ask("investigator", asked, 10, not_interrupted)
    assert reply is not None
    assert reply.text == "whole"
    assert [c.status for c in calls] == [wanted, "ok"]
    assert calls[0].reason == (reason if isinstance(reason, str) else reason[dialect])


@pytest.mark.parametrize(
    ("bad", "wanted", "reason"),
    [
        (refuse(), "refused", "the model refused"),
        (refuse("I would rather not."), "refused", "the model refused"),
        (too_long(), "invalid", "its answer did not fit into max_tokens"),
    ],
)
def test_an_answer_that_is_none_is_not_asked_for_again(
    server: MessagesServer, client: ModelClient, bad: Reply, wanted: str, reason: str
) -> None:
    server.script(bad, say("never"))
    statuses, text, (call,) = ask(client)
    assert (statuses, text, call.reason) == ([wanted], None, reason)


@ONLY_ANTHROPIC
@pytest.mark.parametrize(
    ("stop", "reason"),
    [("model_context_window_exceeded", "the question did not fit into the model"), ("pause_turn", "it paused")],
)
def test_other_ends_of_a_message(server: MessagesServer, client: ModelClient, stop: str, reason: str) -> None:
    server.script(say("x", stop_reason=stop), say("never"))
    statuses, text, (call,) = ask(client)
    assert (statuses, text, call.reason) == (["invalid"], None, reason)


REFUSALS = [
    (
        "context_length_exceeded",
        "This model's maximum context length is 8192 tokens.",
        "invalid",
        "the question did not fit",
    ),
    ("content_policy_violation", "rejected as a result of our safety system", "refused", "the model refused"),
]


@ONLY_OPENAI
@pytest.mark.parametrize(("code", "said", "wanted", "reason"), REFUSALS)
def test_a_bad_request_that_is_none(
    server: MessagesServer, client: ModelClient, code: str, said: str, wanted: str, reason: str
) -> None:
    body = {"error": {"message": said, "type": "invalid_request_error", "param": None, "code": code}}
    server.script(Raw(json.dumps(body).encode(), 400, "application/json"), say("never"))
    statuses, text, (call,) = ask(client)
    assert (statuses, text) == ([wanted], None)
    assert call.reason.startswith(reason)


@ONLY_ANTHROPIC
def test_odd_events_are_no_failure(server: MessagesServer, client: ModelClient) -> None:
    server.script(odd_events(say("fine")))
    assert ask(client)[:2] == (["ok"], "fine")


def test_a_server_that_is_not_there(opened: Open, dialect: str) -> None:
    with run_messages_server() as gone:
        address = gone.url
    nowhere = opened(models(address, dialect))
    statuses, text, calls = ask(nowhere)
    assert (statuses, text) == (["error"] * ATTEMPTS, None)
    assert calls[0].reason == "it cannot be reached"


# --- time -----------------------------------------------------------------------------------------------------


def test_a_server_is_given_the_time_that_it_asks_for(server: MessagesServer, client: ModelClient, clock: Clock) -> None:
    server.script(status(429, retry_after="4"), say("whole"))
    assert ask(client)[:2] == (["busy", "ok"], "whole")
    assert clock.slept == pytest.approx(4, abs=0.1)


def test_milliseconds_go_before_seconds(server: MessagesServer, client: ModelClient, clock: Clock) -> None:
    server.script(status(429, retry_after="9", retry_after_ms="1500"), say("whole"))
    assert ask(client)[1] == "whole"
    assert clock.slept == pytest.approx(1.5, abs=0.1)


@pytest.mark.parametrize("asked", ["soon", "Sat, 21 Nov 2026 12:00:00 GMT", "nan", "inf", "-5", ""])
def test_a_wait_that_is_none_is_a_short_one(
    server: MessagesServer, client: ModelClient, clock: Clock, asked: str
) -> None:
    server.script(status(429, retry_after=asked), say("whole"))
    assert ask(client)[:2] == (["busy", "ok"], "whole")
    assert clock.slept < 1


def test_a_wait_beyond_the_deadline_is_not_waited_for(
    server: MessagesServer, client: ModelClient, clock: Clock
) -> None:
    server.script(status(429, retry_after="60"), say("never"))
    statuses, text, (call,) = ask(client, seconds=10)
    assert (statuses, text, call.reason) == (["busy"], None, "too many requests")
    assert clock.slept == 0


def test_attempts_end(server: MessagesServer, client: ModelClient) -> None:
    server.on(lambda _: True, status(529))
    assert ask(client)[:2] == (["busy"] * ATTEMPTS, None)


@pytest.mark.parametrize(
    "silent", [stall(say("a whole sentence, a long one"), 3), slow(30, 0, say("late")), slow(0, 5, say("x" * 200))]
)
def test_silence_and_slowness_end_at_the_deadline(
    server: MessagesServer, opened: Open, dialect: str, silent: Reply
) -> None:
    server.on(lambda _: True, silent)
    client = opened(models(server.url, dialect, deadline_s=0.6))
    statuses, text, (call,) = ask(client)
    assert (statuses, text) == (["timeout"], None)
    assert re.fullmatch(r"no answer within [\d.]+ s|it did not answer in time", call.reason)


def test_what_drips_for_ever_ends_at_the_deadline(server: MessagesServer, opened: Open, dialect: str) -> None:
    server.on(lambda _: True, slow(0, 0.1, say("x" * 2_000)))
    client = opened(models(server.url, dialect, deadline_s=0.5))
    assert ask(client)[:2] == (["timeout"], None)


def test_the_caller_s_time_counts_when_it_is_shorter(server: MessagesServer, client: ModelClient) -> None:
    server.on(lambda _: True, stall(say("half"), 2))
    assert ask(client, seconds=0.4)[0] == ["timeout"]


SLOW = slow(0, 0.3, say("x" * 4_000))
LEAVING = [("anthropic", SLOW), ("openai", SLOW), ("openai", slow(60, 0, say("late"))), ("openai", stall(say("half")))]
"""Who reads a stream leaves it at its next event; who waits for a whole answer leaves at once, however silent it is."""


@pytest.mark.parametrize(("dialect", "reply"), LEAVING, indirect=["dialect"])
def test_a_request_that_was_taken_away_ends_in_the_middle_of_an_answer(
    server: MessagesServer, client: ModelClient, reply: Reply
) -> None:
    server.on(lambda _: True, reply)

    def taken() -> None:
        if server.requests:
            raise LeaseLost("another worker has it")

    with pytest.raises(LeaseLost):
        ask(client, seconds=60, check=taken)
    wait_until(lambda: server.requests[0].left)


def test_a_request_that_was_taken_away_ends_in_the_pause(server: MessagesServer, client: ModelClient) -> None:
    server.script(status(429, retry_after="8"), say("never"))

    def taken() -> None:
        if server.requests and server.requests[0].reply:
            raise LeaseLost("another worker has it")

    with pytest.raises(LeaseLost):
        ask(client, seconds=20, check=taken)
    assert len(server.requests) == 1


def wait_until(true: Callable[[], bool], seconds: float = 10) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        threading.Event().wait(0.01)


# --- resting --------------------------------------------------------------------------------------------------


def test_an_endpoint_that_fails_again_and_again_rests_and_is_asked_again_later(
    server: MessagesServer, client: ModelClient, clock: Clock
) -> None:
    server.on(lambda r: len(server.requests) <= PATIENCE, status(401))
    server.script(say("back"))
    for _ in range(PATIENCE):
        assert ask(client)[0] == ["error"]
    statuses, text, (call,) = ask(client)
    assert (statuses, text, call.reason) == (["resting"], None, "it failed a moment ago: its key was refused")
    assert len(server.requests) == PATIENCE
    clock.slept += REST_S + 1
    assert ask(client)[:2] == (["ok"], "back")


def test_short_waits_do_not_keep_an_endpoint_from_its_rest(
    server: MessagesServer, client: ModelClient, clock: Clock
) -> None:
    server.on(lambda _: True, status(429, retry_after="0.01"))
    for _ in range(PATIENCE):
        assert ask(client)[0] == ["busy"] * ATTEMPTS
        clock.slept += 1
    assert ask(client)[0] == ["resting"]


def test_one_good_answer_forgives(server: MessagesServer, client: ModelClient) -> None:
    server.script(*[status(401)] * (PATIENCE - 1), say("fine"), *[status(401)] * (PATIENCE - 1), say("fine"))
    statuses = [ask(client)[0][0] for _ in range(2 * PATIENCE)]
    assert statuses == [*["error"] * (PATIENCE - 1), "ok"] * 2


@pytest.mark.parametrize(("asked", "rest_s"), [("60", 60), ("86400", LONGEST_REST_S)])
def test_a_long_wait_is_kept_by_the_next_questions(
    server: MessagesServer, client: ModelClient, clock: Clock, asked: str, rest_s: float
) -> None:
    server.script(status(429, retry_after=asked), say("back"))
    assert ask(client)[0] == ["busy"]
    clock.slept += rest_s - 5
    assert ask(client)[0] == ["resting"]
    clock.slept += 10
    assert ask(client)[0] == ["ok"]


@pytest.mark.parametrize("another", ROOTS)
def test_other_endpoints_do_not_rest(server: MessagesServer, opened: Open, dialect: str, another: str) -> None:
    with run_messages_server(models=None) as other:
        other.on(lambda _: True, say("fine"))
        server.on(lambda _: True, status(401))
        both = models(server.url, dialect).model_dump(exclude_unset=True)
        address = other.url + ROOTS[another]
        both["roles"]["router"] = {"model": "m", "provider": another, "base_url": address, "api_key": "k"}
        client = opened(Models.model_validate(both))
        for _ in range(PATIENCE + 1):
            ask(client)
        assert ask(client)[0] == ["resting"]
        assert client.ask("router", PLAIN, 5, not_interrupted)[0][0].status == "ok"


# --- what it costs --------------------------------------------------------------------------------------------


def test_usage_and_cost_with_the_cache(server: MessagesServer, client: ModelClient, dialect: str) -> None:
    server.on(lambda _: True, say("fine"))
    long = Ask(("Rules. " * 1_000,), PLAIN.messages)
    (first,), _ = client.ask("investigator", long, 5, not_interrupted)
    (second,), _ = client.ask("investigator", long, 5, not_interrupted)
    for call, request in zip((first, second), server.requests, strict=True):
        counted = request.usage
        assert call.usage.model_dump(exclude={"cost_usd"}) == {
            "input_tokens": counted["input_tokens"],
            "output_tokens": counted["output_tokens"],
            "cache_read_tokens": counted["cache_read_input_tokens"],
            "cache_write_tokens": counted["cache_creation_input_tokens"],
        }
    assert second.usage.cache_read_tokens > 1_000
    assert first.usage.cache_write_tokens == (second.usage.cache_read_tokens if dialect == "anthropic" else 0)
    used = second.usage
    wanted = used.input_tokens * 2.0 + used.output_tokens * 10.0 + used.cache_read_tokens * 0.1
    assert used.cost_usd == pytest.approx(wanted / 1e6)
    assert first.usage.cost_usd > used.cost_usd


@ONLY_ANTHROPIC
def test_failed_attempts_cost_what_they_used(server: MessagesServer, client: ModelClient) -> None:
    server.script(cut(say("a whole sentence, a long one"), 4), status(529), say("whole"))
    _, _, calls = ask(client)
    assert calls[0].usage.input_tokens > 0
    assert calls[0].usage.cost_usd > 0
    assert calls[1].usage == Usage()


def test_a_model_without_a_price_costs_nothing(server: MessagesServer, opened: Open, dialect: str) -> None:
    server.script(say("fine"))
    client = opened(models(server.url, dialect).model_copy(update={"prices": {}}))
    _, _, (call,) = ask(client)
    assert call.usage.tokens > 0
    assert call.usage.cost_usd == 0


def test_the_price_of_a_role_goes_before_that_of_its_model(server: MessagesServer, opened: Open, dialect: str) -> None:
    server.script(say("fine"))
    client = opened(models(server.url, dialect, price={"output": 1_000_000}))
    _, _, (call,) = ask(client)
    assert call.usage.cost_usd == call.usage.output_tokens


# --- a hostile server -----------------------------------------------------------------------------------------


def stream(message: Any, *events: tuple[str, Any], stop: str = "end_turn", usage: Any = None) -> Raw:
    """Events as they stand: a message, what is given, and its end."""
    ends = ("message_delta", {"delta": {"stop_reason": stop}, "usage": usage or {"output_tokens": 1}})
    every = (("message_start", {"message": message}), *events, ends, ("message_stop", {}))
    return Raw(b"".join(as_bytes((n, {"type": n, **d})) for n, d in every), content_type="text/event-stream")


GOOD = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": []}
COUNTS = {"input_tokens": 3, "output_tokens": 1}


def use(**changes: Any) -> tuple[tuple[str, Any], ...]:
    block = {"type": "tool_use", "id": "t1", "name": "t", "input": {}} | changes
    return (
        ("content_block_start", {"index": 0, "content_block": block}),
        ("content_block_stop", {"index": 0}),
    )


def pieces_of_use(text: str) -> tuple[tuple[str, Any], ...]:
    start, stop = use()
    return (
        start,
        ("content_block_delta", {"index": 0, "delta": {"type": "input_json_delta", "partial_json": text}}),
        stop,
    )


HOSTILE = {
    "no usage": stream(GOOD),
    "no counts": stream({**GOOD, "usage": "much"}),
    "a message that is a word": stream("hello"),
    "content that is a word": stream({**GOOD, "content": "hello", "usage": COUNTS}),
    "content that is null": stream({**GOOD, "content": None, "usage": COUNTS}),
    "a block without a type": stream({**GOOD, "content": [{}], "usage": COUNTS}),
    "a text that is null": stream({**GOOD, "content": [{"type": "text", "text": None}], "usage": COUNTS}),
    "a text that is a number": stream({**GOOD, "content": [{"type": "text", "text": 5}], "usage": COUNTS}),
    "a tool without a name": stream({**GOOD, "usage": COUNTS}, *use(name=None), stop="tool_use"),
    "a tool with a number for a name": stream({**GOOD, "usage": COUNTS}, *use(name=7), stop="tool_use"),
    "a tool with a sentence for a name": stream({**GOOD, "usage": COUNTS}, *use(name="rm -rf /"), stop="tool_use"),
    "a hundred tools": stream(
        {**GOOD, "content": [{"type": "tool_use", "id": "t", "name": "t", "input": {}}] * 100, "usage": COUNTS}
    ),
    "an unfinished escape": stream({**GOOD, "usage": COUNTS}, *pieces_of_use('{"a": "\\ud800"}'), stop="tool_use"),
}  # fmt: skip


def completion(said: Any = None, **more: Any) -> Raw:
    """An answer as it stands, in the other dialect."""
    choice = {"index": 0, "finish_reason": "stop", "message": said}
    whole = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], **more}
    return Raw(json.dumps(whole).encode(), content_type="application/json")


def say_call(**changes: Any) -> dict[str, Any]:
    function = {"name": "t", "arguments": "{}", **changes}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": function}]}


WORDS = {"role": "assistant", "content": "hello"}
HOSTILE_COMPLETIONS = {
    "no usage": completion({"role": "assistant", "content": ""}),
    "no counts": completion(WORDS, usage="much"),
    "an answer that is a word": Raw(b'"hello"', content_type="application/json"),
    "an answer that is null": Raw(b"null", content_type="application/json"),
    "no choices": completion(choices=[]),
    "choices that are a word": completion(choices="hello"),
    "a choice that is a word": completion(choices=["hello"]),
    "no message": completion(),
    "a message that is a word": completion("hello"),
    "a text that is a list": completion({"role": "assistant", "content": [1]}),
    "a text with half a character": completion({"role": "assistant", "content": "\ud800"}, usage={}),
    "a tool without a name": completion(say_call(name=None)),
    "a tool with a number for a name": completion(say_call(name=7)),
    "a tool with a sentence for a name": completion(say_call(name="rm -rf /")),
    "arguments that are null": completion(say_call(arguments=None)),
    "arguments that are a list": completion(say_call(arguments="[1]")),
    "arguments that are a number": completion(say_call(arguments=7)),
    "a call without a function": completion({"role": "assistant", "tool_calls": [{"id": "c", "type": "function"}]}),
    "a hundred calls": completion({**WORDS, "content": None, "tool_calls": say_call()["tool_calls"] * 100}),
}
ALL_HOSTILE = [
    *(("anthropic", reply) for reply in HOSTILE.values()),
    *(("openai", r) for r in HOSTILE_COMPLETIONS.values()),
]
NAMES = [*HOSTILE, *(f"openai: {name}" for name in HOSTILE_COMPLETIONS)]


@pytest.mark.parametrize(("dialect", "hostile"), ALL_HOSTILE, ids=NAMES, indirect=["dialect"])
def test_nothing_that_a_server_sends_is_more_than_a_failure(
    server: MessagesServer, client: ModelClient, hostile: Reply
) -> None:
    server.on(lambda _: True, hostile)
    calls, reply = client.ask("investigator", PLAIN, 5, not_interrupted)
    assert reply is None or (reply.text in {"", "?"} and len(reply.tool_uses) <= MOST_USES)
    assert {c.status for c in calls} <= {"error", "cut", "ok"}
    assert all("rm" not in c.reason and "hello" not in c.reason for c in calls)


@pytest.mark.parametrize("count", [-1_000_000, "many", None, 1.5, 10**30, [3]])
def test_counts_that_are_none_count_nothing(
    server: MessagesServer, client: ModelClient, dialect: str, count: Any
) -> None:
    streamed = stream({**GOOD, "usage": {"input_tokens": count, "output_tokens": 1}})
    whole = completion(WORDS, usage={"prompt_tokens": count, "completion_tokens": 1, "total_tokens": 1})
    server.on(lambda _: True, streamed if dialect == "anthropic" else whole)
    _, _, calls = ask(client)
    assert calls[0].usage.input_tokens == 0
    assert calls[0].usage.cost_usd >= 0


def test_half_a_character_is_replaced(server: MessagesServer, client: ModelClient, dialect: str) -> None:
    streamed = stream({**GOOD, "content": [{"type": "text", "text": "a\ud800b"}], "usage": COUNTS})
    whole = completion({"role": "assistant", "content": "a\ud800b"})
    server.on(lambda _: True, streamed if dialect == "anthropic" else whole)
    assert ask(client)[1] == "a?b"


@pytest.mark.parametrize("endless", [huge(1_000_000), call_tools([("t", {"q": "x" * 1_000_000})])])
def test_what_does_not_stop_is_left(server: MessagesServer, client: ModelClient, endless: Reply) -> None:
    server.on(lambda _: True, endless)
    asked = Ask(PLAIN.system, PLAIN.messages, tools=(TOOL,))
    calls, reply = client.ask("investigator", asked, 20, not_interrupted)
    assert reply is None
    assert [(c.status, c.reason) for c in calls] == [("error", "it does not stop writing")]


# --- what leaves ----------------------------------------------------------------------------------------------


def test_secrets_leave_neither_with_the_system_text_nor_with_messages(
    server: MessagesServer, opened: Open, dialect: str
) -> None:
    def clean(value: Any) -> Any:
        return json.loads(json.dumps(value).replace(SECRET, "[redacted]"))

    server.on(lambda _: True, say("fine"))
    client = opened(models(server.url, dialect), clean)
    messages = (
        {"role": "user", "content": [{"type": "text", "text": f"key {SECRET}"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "t", "input": {"q": SECRET}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": f"found {SECRET}"}]},
    )
    calls, _ = client.ask("investigator", Ask((f"System {SECRET}",), messages, tools=(TOOL,)), 5, not_interrupted)
    assert calls[0].status == "ok"
    assert SECRET.encode() not in server.requests[0].raw
    assert server.requests[0].raw.count(b"[redacted]") == 4


def test_a_schema_and_tools_are_sent_as_the_api_takes_them(server: MessagesServer, client: ModelClient) -> None:
    server.on(lambda _: True, say("{}"))
    schema = {"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}}, "required": ["a"]}
    client.ask("investigator", Ask(PLAIN.system, PLAIN.messages, schema), 5, not_interrupted)
    assert not server.refused
    assert server.requests[0].schema["additionalProperties"] is False


def test_a_token_is_sent_as_a_bearer_token(server: MessagesServer, opened: Open, dialect: str) -> None:
    server.on(lambda _: True, say("fine"))
    ask(opened(models(server.url, dialect, base_url=server.url + ROOTS[dialect], auth_token="token")))
    assert server.requests[0].headers["authorization"] == "Bearer token"
    assert "x-api-key" not in server.requests[0].headers


def test_the_environment_s_key_never_goes_to_another_address(
    server: MessagesServer, opened: Open, dialect: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, SECRET)
    server.on(lambda _: True, say("fine"))
    local = models(server.url, dialect)
    ask(opened(local.model_copy(update={"endpoint": local.endpoint.model_copy(update={"api_key": ""})})))
    assert SECRET not in str(server.requests[0].headers)


def test_neither_prompts_nor_keys_are_logged(
    server: MessagesServer,
    opened: Open,
    dialect: str,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    server.script(say("fine"), status(400, "no"), garbage(), status(401))
    asked = Ask((f"System {SECRET}",), PLAIN.messages)
    client = opened(models(server.url, dialect, base_url=server.url + ROOTS[dialect], api_key=f"key-{SECRET}"))
    with caplog.at_level(logging.INFO):
        for _ in range(3):
            client.ask("investigator", asked, 5, not_interrupted)
    shown = caplog.text + "".join(capfd.readouterr())
    assert SECRET not in shown
    assert "Give Feedback" not in shown
    assert len(server.requests) == 4


def test_many_at_once(server: MessagesServer, client: ModelClient) -> None:
    server.on(lambda _: True, lambda request: slow(0.2, 0, say(request.last_user)))

    def one(n: int) -> str:
        _, reply = client.ask("investigator", Ask((), ({"role": "user", "content": str(n)},)), 20, not_interrupted)
        return reply.text if reply else ""

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(one, range(16))) == [str(n) for n in range(16)]


def test_closing_twice_is_fine_and_a_closed_door_opens_again(server: MessagesServer, client: ModelClient) -> None:
    server.on(lambda _: True, say("fine"))
    ask(client)
    client.close()
    client.close()
    assert not client.doors
    assert "litellm" not in {thread.name for thread in threading.enumerate()}
    assert ask(client)[0] == ["ok"]


def test_closing_ends_a_call_under_way(server: MessagesServer, client: ModelClient) -> None:
    server.on(lambda _: True, slow(60, 0, say("late")))
    closing = threading.Thread(target=lambda: (wait_until(lambda: bool(server.requests)), client.close()))
    closing.start()
    statuses, text, _ = ask(client, seconds=3)
    closing.join()
    assert (text, set(statuses) <= {"error", "timeout"}) == (None, True)


def test_ping_says_the_model_and_where(server: MessagesServer, client: ModelClient, dialect: str) -> None:
    server.on(lambda _: True, too_long())  # a word may be too little for a model that thinks first
    assert client.ping("investigator") == f"m at {server.url}{ROOTS[dialect]}"


def test_ping_says_why_not(opened: Open, dialect: str) -> None:
    with run_messages_server(models=None, key="right") as server:
        client = opened(models(server.url, dialect))
        with pytest.raises(ModelFailed, match=r"^its key was refused$"):
            client.ping("investigator")


def test_a_provider_that_nobody_knows_is_named(opened: Open) -> None:
    nowhere = Models.model_validate(
        {"endpoint": {"provider": "opneai"}, "roles": {"investigator": {"model": "m"}}, "reasoner": "model"}
    )
    with pytest.raises(ModelFailed, match=r"^litellm knows no provider opneai$"):
        opened(nowhere).ping("investigator")
