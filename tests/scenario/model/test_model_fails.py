"""The whole bot on a model that fails in every way, and on budgets that end: each question is answered by the rules."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.scenario.model.conftest import Start
from tests.support.bot_with_model import LOOK, Thread, answer, good, look, writes
from tests.support.model_server.replies import (
    Reply,
    call_tools,
    cut,
    drop,
    garbage,
    html,
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
from tests.support.model_server.server import MessagesServer, anything

BY_THE_RULES = (
    r"p95 latency of /api/search rose from 2\d\d ms to 1\.\d+ s at 14:0\d UTC yesterday, \d minutes? after deploy shop "
    r"v1\.42\.0"
)
QUICK = {"models__roles__investigator__deadline_s": 1}
"""So little time that what is slow on purpose is not waited for. No other failure may depend on how soon it comes."""


def check_by_rules(thread: Thread, why: str) -> None:
    """The rules wrote, the answer is whole, and it says why."""
    assert re.search(BY_THE_RULES, thread.text)
    assert thread.log.reasoner == "rules"
    said = re.match(r"Written without the language model \((.*)\); the evidence below is complete", thread.banner)
    assert said is not None
    assert re.search(why, said[1])
    assert thread.banner in thread.everything
    assert {"metrics_query", "repo_search", "doc_search"} <= set(thread.tools)
    assert len(thread.posts) == 1


def check_by_model(thread: Thread) -> None:
    """The model wrote, and nothing was missing."""
    assert thread.text.startswith("p95 latency of /api/search rose from")
    assert (thread.log.reasoner, thread.banner) == ("m-investigator", "")
    assert len(thread.posts) == 1


# --- in the middle of an investigation ------------------------------------------------------------------------

E99 = {"question_type": "debug_incident", "headline": {"text": "It rose.", "evidence": ["E99"]}}
FAILS: dict[str, tuple[Any, str, str]] = {
    "slow to begin": (lambda r: slow(30, 0, answer(r)), "timeout", "no answer within|not answer in time"),
    "slow": (lambda r: slow(0, 0.4, answer(r)), "timeout", "no answer within|not answer in time"),
    "silent half way": (lambda r: stall(answer(r), 4), "timeout", "no answer within|not answer in time"),
    "cut": (lambda r: cut(answer(r), 4), "cut", "broke off"),
    "cut in an event": (lambda r: cut(answer(r), 4, half=True), "cut", "broke off"),
    "cut before it began": (lambda r: cut(answer(r), 0), "cut", "broke off"),
    "dropped": (lambda r: drop(answer(r), 4), "error", "cannot be reached"),
    "reset": (lambda r: reset(answer(r), 4), "error", "cannot be reached"),
    "too many requests": (status(429, retry_after="3600"), "busy", "too many requests"),
    "overloaded": (status(529), "busy", "overloaded"),
    "overloaded half way": (lambda r: stream_error(answer(r), 4), "busy", "overloaded"),
    "failed": (status(500), "error", "failed with 500"),
    "a proxy's page": (html(502), "error", "failed with 502"),
    "a page instead of a stream": (html(200), "cut", "broke off"),
    "no Messages API": (garbage(), "error", "not the Messages API|could not be read"),
    "events out of order": (wrong_events("index"), "error", "not the Messages API|could not be read"),
    "key refused": (status(401), "error", "key was refused"),
    "no such model": (status(404), "error", "no such model"),
    "bad request": (status(400, "prompt is too long"), "error", "failed with 400"),
    "refused": (refuse("I would rather not."), "refused", "refused"),
    "max_tokens, twice": (too_long(), "invalid", "could not be used"),
    "only words": (say("I think it was the deploy."), "ok", "came to no answer"),
    "nothing": (say(""), "ok", "came to no answer"),
    "half an object": (say('{"headline": {"text": "It'), "ok", "came to no answer"),
    "another object": (say_json({"answer": "the deploy"}), "ok", "came to no answer"),
    "evidence that does not exist": (call_tools([("answer", E99)]), "ok", "came to no answer"),
    "no such arguments": (call_tools([("answer", {"verdict": "the deploy"})]), "ok", "came to no answer"),
    "mending before an answer": (call_tools([("mend", {"claims": []})]), "ok", "came to no answer"),
}


@pytest.mark.parametrize(("reply", "kind", "why"), FAILS.values(), ids=FAILS.keys())
def test_the_rules_answer_when_the_model_fails(
    start: Start, server: MessagesServer, reply: Any, kind: str, why: str
) -> None:
    good(server, investigator=[look(), reply])
    thread = start(**(QUICK if kind == "timeout" else {})).ask()
    check_by_rules(thread, why)
    assert thread.statuses("investigator")[-1] == kind
    assert thread.calls_of("verifier") + thread.calls_of("style") == []
    assert server.refused == []


def test_arguments_that_are_no_json_do_not_end_a_question(start: Start, server: MessagesServer) -> None:
    good(server, investigator=[look(), call_tools([("answer", '{"headline": x')])])
    thread = start().ask()
    check_by_rules(thread, ".")


AGAIN: dict[str, tuple[Any, str]] = {
    "too many requests": (status(429, retry_after="0.05"), "busy"),
    "overloaded": (status(529, retry_after="0.05"), "busy"),
    "overloaded half way": (lambda r: stream_error(answer(r), 4), "busy"),
    "cut": (lambda r: cut(answer(r), 4), "cut"),
    "reset": (lambda r: reset(answer(r), 4), "error"),
    "max_tokens": (too_long(), "invalid"),
    "words": (say("It was the deploy."), "ok"),
    "no evidence of that name": (call_tools([("answer", E99)]), "ok"),
}


@pytest.mark.parametrize(("reply", "kind"), AGAIN.values(), ids=AGAIN.keys())
def test_a_failure_that_passes_is_not_told(start: Start, server: MessagesServer, reply: Any, kind: str) -> None:
    good(server, investigator=[look(), reply, writes()])
    thread = start().ask()
    check_by_model(thread)
    assert thread.statuses("investigator") == ["ok", kind, "ok"]
    assert server.refused == []


def test_pings_and_unknown_events_do_no_harm(start: Start, server: MessagesServer) -> None:
    good(server, investigator=[odd_events(look()), lambda request: odd_events(answer(request))])
    check_by_model(start().ask())


def test_a_failure_while_mending_leaves_the_rest_of_the_answer(start: Start, server: MessagesServer) -> None:
    good(server, investigator=[look(), writes(metrics=["It peaked at 77.7 s. [METRIC]"]), status(529)])
    thread = start().ask()
    check_by_model(thread)
    assert [v.id for v in thread.log.struck] == ["metrics.0"]
    assert "77.7" not in thread.everything


# --- from the beginning ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (status(529), "overloaded"),
        (status(401), "key was refused"),
        (stall(say(""), 0), "no answer within|not answer in time"),
        (html(200), "broke off"),
    ],
)
def test_with_no_model_at_all_the_rules_do_everything(
    start: Start, server: MessagesServer, reply: Reply, why: str
) -> None:
    server.on(anything, reply)
    check_by_rules(start(models__roles__investigator__deadline_s=0.5 if "in time" in why else 60).ask(), why)


def test_an_endpoint_that_keeps_failing_is_left_alone(start: Start, server: MessagesServer) -> None:
    server.on(anything, status(401))
    bot = start()
    for _ in range(3):
        check_by_rules(bot.ask(), "key was refused|failed a moment ago")
    before = len(server.requests)
    check_by_rules(bot.ask(), "failed a moment ago")
    assert len(server.requests) == before == 3


def test_nobody_listens_there(start: Start, server: MessagesServer) -> None:
    check_by_rules(start(models__endpoint__base_url="http://127.0.0.1:9").ask(), "cannot be reached")


def test_two_meanings_are_asked_back_by_the_rules_then(start: Start, server: MessagesServer) -> None:
    server.on(anything, status(401))
    thread = start().ask("something is broken, help")
    assert thread.log.asks_back
    assert "/api/search" in thread.shown


# --- budgets --------------------------------------------------------------------------------------------------

DEAR = {"models__roles__investigator__price": {"input": 1_000_000.0, "cache_write": 1_000_000.0}}
BUDGETS: dict[str, tuple[dict[str, Any], str, int]] = {
    "no tokens": ({"models__budget__request_tokens": 0}, "0 tokens for one question", 0),
    "no money left after a turn": (DEAR, "for one question are used up", 1),
    "a person's tokens of the day": ({"models__budget__user_day_tokens": 0}, "today", 0),
    "a person's money of the day": ({"models__budget__user_day_usd": 0}, "today", 0),
    "everybody's tokens of the day": ({"models__budget__day_tokens": 0}, "today", 0),
}


@pytest.mark.parametrize(("settings", "why", "calls"), BUDGETS.values(), ids=BUDGETS.keys())
def test_what_is_used_up_is_left_to_the_rules(
    start: Start, server: MessagesServer, settings: dict[str, Any], why: str, calls: int
) -> None:
    good(server)
    thread = start(**settings).ask()
    check_by_rules(thread, why)
    assert thread.statuses("investigator")[-1] == "budget"
    assert len(server.requests) == calls


def test_a_day_of_a_person_ends_and_the_next_question_is_the_rules(start: Start, server: MessagesServer) -> None:
    good(server)
    bot = start(models__budget__user_day_tokens=5_000)
    bot.ask()
    before = len(server.requests)
    check_by_rules(bot.ask(), "today")
    assert len(server.requests) == before


def test_a_budget_that_is_nearly_used_asks_for_the_answer(start: Start, server: MessagesServer) -> None:
    def at_last(request: Any) -> Reply:
        if "nearly used" in request.last_user:
            return answer(request)
        n = len(server.of("investigator"))
        return call_tools([LOOK, ("repo_search", {"query": f"cache {'key ' * n}", "k": 10})])

    good(server, investigator=at_last)
    thread = start(models__budget__request_tokens=40_000, models__roles__investigator__max_tokens=2_000).ask()
    check_by_model(thread)
    assert 1 < len(server.of("investigator")) < 15
