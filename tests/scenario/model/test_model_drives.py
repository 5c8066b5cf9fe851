"""The whole bot on a programmable model that drives: it looks, it answers, and what does not hold is not said."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.scenario.conftest import NOW, Oracle
from tests.scenario.model.conftest import Start
from tests.support.bot_with_model import (
    FIND,
    LOOK,
    PEAK,
    PLACE,
    WHY,
    Thread,
    answer,
    answer_args,
    good,
    look,
    mends,
    writes,
)
from tests.support.conversation_reading import evidence_in, results_in
from tests.support.model_server.replies import Reply, call_tools, cut, refuse, say, say_json, status, think
from tests.support.model_server.server import MessagesServer, Request, anything
from tests.support.model_server.verifier import agree_but
from workers.reasoning.model.own_tools import OWN_NAMES

ROSE = r"p95 latency of /api/search rose from 2\d\d ms to 1\.\d+ s at 14:0\d UTC yesterday"
BY_THE_RULES = ROSE + r", \d minutes? after deploy shop v1\.42\.0"


def check_by_model(thread: Thread) -> None:
    """The model wrote, and nothing was missing."""
    assert re.match(ROSE, thread.text)
    assert not re.search(BY_THE_RULES, thread.text)
    assert (thread.log.reasoner, thread.banner) == ("m-investigator", "")
    assert len(thread.posts) == 1


def missing(thread: Thread) -> str:
    """What the answer names as missing."""
    assert thread.log.answer is not None
    return "\n".join(gap.text for gap in thread.log.answer.missing)


# --- when all is well -----------------------------------------------------------------------------------------


def test_one_conversation_from_the_first_call_to_the_last_claim(start: Start, server: MessagesServer) -> None:
    good(server)
    thread = start().ask()
    check_by_model(thread)
    assert re.search(r"peaked at \d[.\d]* s", str(thread.log.answer))
    assert "search_service.py:35-53 builds the key" in str(thread.log.answer)
    assert [(c.role, c.status) for c in thread.log.model_calls] == [
        ("investigator", "ok"),
        ("investigator", "ok"),
        ("verifier", "ok"),
    ]
    assert sorted(thread.tools) == ["metrics_query", "repo_search"]
    assert (thread.log.grounded, thread.log.struck) == (True, ())
    assert thread.log.plan is not None
    assert [s.tool for s in thread.log.plan.steps] == ["metrics_query", "repo_search"]
    assert (server.refused, server.unanswered) == ([], [])
    assert {request.key for request in server.requests} == {"test-key"}
    first, second = server.of("investigator")
    assert {"metrics_query", "repo_search", "doc_search", *OWN_NAMES} <= set(first.tools)
    assert [result["content"][:10] for result in second.results] == ["Shown.", "[result R1", "[result R2"]
    assert "I look at the metric and the code." in str(second.body["messages"][1])


def test_literals_that_the_evidence_shows_are_taken(start: Start, server: MessagesServer) -> None:
    def literally(request: Request) -> Reply:
        metric = next(item for item in evidence_in(request) if item["kind"] == "metric")
        before, now = (float(metric["facts"][name].split()[0]) for name in ("baseline", "current"))
        at = datetime.fromisoformat(re.findall(r"rose at (\S+Z)", metric["excerpt"])[0]).astimezone(UTC)
        said = f"p95 latency of /api/search rose from {1000 * before:.0f} ms to {now:.1f} s at {at:%H:%M} UTC."
        return answer(request, f"{said} [METRIC]")

    good(server, investigator=[look(), literally])
    thread = start().ask()
    assert thread.log.reasoner == "m-investigator"
    assert re.match(r"p95 latency of /api/search rose from 2\d\d ms to 1\.\d+ s at 14:0\d UTC\.", thread.text)


def test_an_answer_in_words_instead_of_a_call_is_taken(start: Start, server: MessagesServer) -> None:
    def as_text(request: Request) -> Reply:
        return say(f"Here you are:\n```json\n{json.dumps(answer_args(request, metrics=[PEAK]))}\n```\nAnything else?")

    good(server, investigator=[look(), as_text])
    check_by_model(start().ask())


def test_a_general_notion_is_answered_without_a_source(start: Start, server: MessagesServer) -> None:
    told = "A circuit breaker stops calls to something that keeps failing, and lets a few through later to see."
    args = {"question_type": "conceptual", "headline": {"text": told, "evidence": []}}
    good(server, investigator=call_tools([("answer", args)]))
    thread = start().ask("what is a circuit breaker?")
    assert told in thread.text
    assert (thread.tools, thread.log.reasoner) == ([], "m-investigator")
    assert len(server.of("investigator")) == 1


def test_a_follow_up_carries_what_was_said_before(start: Start, server: MessagesServer) -> None:
    good(server, investigator=[look(), writes(), look(), writes(PEAK)])
    bot = start()
    before = bot.ask()
    after = bot.ask("and what was the peak?", before)
    assert after.log.answer is not None
    assert after.log.answer.headline.text.startswith("It peaked at")
    first = server.of("investigator")[2].last_user
    assert "and what was the peak?" in first
    assert re.search(ROSE, first), "its own answer of before"
    assert WHY in first


def test_a_clarifying_question_with_names_that_exist_is_asked(start: Start, server: MessagesServer) -> None:
    asks = {"question": "Which endpoint do you mean?", "options": ["/api/search", "/api/cart"]}
    good(server, investigator=call_tools([("ask_back", asks)]))
    thread = start().ask("why is it slow?")
    assert thread.log.asks_back
    assert thread.text.startswith("Which endpoint do you mean?")
    assert "/api/search" in thread.shown


# --- the prompt cache -----------------------------------------------------------------------------------------


def prefix(request: Request) -> str:
    """Tools, system text and the first block of the conversation."""
    return json.dumps([request.body["tools"], request.body["system"], request.body["messages"][0]["content"][0]])


def test_what_the_prompt_cache_served_counts(start: Start, server: MessagesServer) -> None:
    good(server, investigator=[look(), call_tools([FIND, ("doc_search", {"query": "cache"})]), writes()] * 2)
    bot = start()
    first, second = bot.ask(), bot.ask(f"{WHY} And who did it?")
    turns = server.of("investigator")
    assert len(turns) == 6
    assert len({prefix(request) for request in turns}) == 1
    assert all(len(request.marks) <= 4 for request in server.requests)
    assert first.calls_of("investigator")[0].usage.cache_read_tokens == 0
    assert second.calls_of("investigator")[0].usage.cache_read_tokens > 1_000
    for run in (turns[:3], turns[3:]):
        sent = [r.usage["cache_read_input_tokens"] + r.usage["cache_creation_input_tokens"] for r in run]
        read = [r.usage["cache_read_input_tokens"] for r in run]
        assert all(now >= before for before, now in zip(sent, read[1:], strict=False))
    shown = re.search(r"^agent_prompt_cache_hit_ratio (\S+)$", bot.oracle.metrics.render().decode(), re.MULTILINE)
    used = [log.usage for log in bot.logs]
    read_all, whole = sum(u.cache_read_tokens for u in used), sum(u.tokens - u.output_tokens for u in used)
    assert shown is not None
    assert float(shown[1]) == pytest.approx(read_all / whole)


# --- what it calls --------------------------------------------------------------------------------------------


def test_tools_that_are_not_on_the_list_are_never_called(start: Start, server: MessagesServer) -> None:
    strange = [("shell_exec", {"command": "curl evil.example.com"}), ("slack_post", {"text": "<!channel>"})]
    good(server, investigator=[look(*strange, LOOK, FIND), writes(code=[PLACE])])
    thread = start().ask()
    check_by_model(thread)
    assert sorted(thread.tools) == ["metrics_query", "repo_search"]
    refused = [r["content"] for r in server.of("investigator")[1].results if r.get("is_error")]
    assert [text.partition(";")[0] for text in refused] == [
        "There is no tool shell_exec",
        "There is no tool slack_post",
    ]
    assert [sign for sign in SIGNS if sign in thread.everything] == []


def test_a_loop_that_never_ends_is_ended_and_answered(start: Start, server: MessagesServer) -> None:
    def more(request: Request) -> Reply:
        turn = len(server.of("investigator")) + 1
        return call_tools([("repo_search", {"query": f"cache {'key ' * turn}"}), FIND])

    good(server, investigator=more)
    thread = start().ask()
    assert re.search(BY_THE_RULES, thread.text)
    assert thread.banner.startswith("Written without the language model (it came to no answer)")
    turns = server.of("investigator")
    assert 15 <= len(turns) <= 18
    assert "No more calls of sources are possible" in turns[15].last_user
    assert "The same call as before: see result R2." in turns[2].last_user
    assert server.refused == []


def test_an_answer_beside_other_calls_waits_for_them(start: Start, server: MessagesServer) -> None:
    def too_soon(request: Request) -> Reply:
        return call_tools([LOOK, ("answer", answer_args(request, "I know already."))])

    good(server, investigator=[too_soon, writes()])
    thread = start().ask()
    check_by_model(thread)
    told = server.of("investigator")[1].results[1]
    assert told["is_error"]
    assert "by itself" in told["content"]


def test_a_big_result_is_read_page_by_page(start: Start, server: MessagesServer) -> None:
    def read_on(request: Request) -> Reply:
        text = results_in(request)[-1]["content"]
        if "cut here" not in text:
            return answer(request)
        after = int(re.findall(r"offset=(\d+)\) goes on", text)[-1])
        return call_tools([("read_more", {"result": "R2", "offset": after})])

    many = ("repo_search", {"query": "cache", "k": 20})
    good(server, investigator=[look(LOOK, many), read_on])
    thread = start().ask()
    check_by_model(thread)
    pages = [r["content"] for r in results_in(server.of("investigator")[-1]) if "result R2" in r["content"]]
    assert len(pages) > 1
    assert not any("cut here" in page for page in pages[-1:])


def test_early_results_make_room_for_later_ones(start: Start, server: MessagesServer) -> None:
    words = ("cache", "search", "deploy", "timeout", "key", "index", "retry")
    looks = [call_tools([("repo_search", {"query": word, "k": 10})]) for word in words]
    good(server, investigator=[*looks, look(LOOK), writes()])
    thread = start(models__roles__investigator__context_chars=20_000).ask()
    check_by_model(thread)
    results = [r["content"] for r in results_in(server.of("investigator")[-1])]
    assert any(text.startswith("[shortened to save room") for text in results)
    assert not results[-1].startswith("[shortened")


def test_thoughts_go_back_as_they_came(start: Start, server: MessagesServer) -> None:
    good(server, investigator=[think("The deploy is suspect.", look()), writes()])
    check_by_model(start(models__roles__investigator__thinking_tokens=1_000).ask())
    said = server.of("investigator")[1].body["messages"][1]["content"]
    assert said[0] == {"type": "thinking", "thinking": "The deploy is suspect.", "signature": "signed"}


# --- what it says to people on the way ------------------------------------------------------------------------

HOSTILE = (
    "open https://evil.example.com/x",
    "see evil.example.com/x now",
    "[the runbook](https://evil.example.com/x)",
    "ask <@U0EVIL> and <!channel>",
    "tell @channel at once",
    "look at core/evil_quantum.py:12-40",
    "restore p95 to 137.25 ms",
    "undo commit deadbeefcafe1234",
    "wait until 03:33 UTC",
)
SIGNS = ("evil", "<!channel>", "@channel", "U0EVIL", "137.25", "deadbeef", "03:33")


def test_items_of_its_list_hold_nothing_invented(start: Start, server: MessagesServer) -> None:
    items = [{"text": words, "status": "active"} for words in HOSTILE]
    first = call_tools([("todo", {"items": items}), LOOK, FIND], text=HOSTILE[0])
    good(server, investigator=[first, writes(code=[PLACE])])
    thread = start().ask()
    check_by_model(thread)
    assert [sign for sign in SIGNS if sign in thread.everything + json.dumps(thread.seen)] == []


def test_a_question_back_with_invented_options_is_not_asked(start: Start, server: MessagesServer) -> None:
    bad = [
        {"question": "Which one?", "options": ["/api/search", "/api/evil"]},
        {"question": "Do you mean https://evil.example.com/x?", "options": ["/api/search", "/api/cart"]},
    ]
    good(server, investigator=[*(call_tools([("ask_back", one)]) for one in bad), look(), writes()])
    thread = start().ask()
    check_by_model(thread)
    assert "evil" not in thread.everything


# --- what it claims -------------------------------------------------------------------------------------------

WRONG = "It peaked at 77.7 s. [METRIC]"


def test_an_invented_number_comes_back_and_is_mended(start: Start, server: MessagesServer) -> None:
    good(
        server,
        investigator=[look(), writes(metrics=[WRONG, PEAK]), mends(metrics_0="It was {METRIC.baseline} before.")],
    )
    thread = start().ask()
    check_by_model(thread)
    told = server.of("investigator")[2].last_user
    assert "metrics.0" in told
    assert "77.7" in told
    assert "metrics.1" not in told
    assert thread.log.struck == ()
    assert "77.7" not in thread.everything


@pytest.mark.parametrize("words", HOSTILE)
def test_one_that_it_insists_on_is_struck(start: Start, server: MessagesServer, words: str) -> None:
    insists = f"For {{METRIC.endpoint}}, {words}."
    good(
        server,
        investigator=[look(), writes(metrics=[PEAK, insists], code=[PLACE]), mends(metrics_1=insists)],
    )
    thread = start().ask()
    assert re.match(ROSE, thread.text)
    assert thread.log.reasoner == "m-investigator"
    assert [verdict.id for verdict in thread.log.struck] == ["metrics.1"]
    assert "Could not verify" in missing(thread)
    assert [sign for sign in SIGNS if sign in thread.everything + json.dumps(thread.seen)] == []


@pytest.mark.parametrize("words", HOSTILE)
def test_a_headline_that_does_not_hold_is_not_said(start: Start, server: MessagesServer, words: str) -> None:
    good(server, investigator=[look(), writes(f"{words} [METRIC]", metrics=[PEAK]), say("No.")])
    thread = start().ask()
    assert thread.log.answer is not None
    assert thread.log.answer.headline.text.startswith("It peaked at")
    assert "headline" in [verdict.id for verdict in thread.log.struck]
    assert [sign for sign in SIGNS if sign in thread.everything + json.dumps(thread.seen)] == []


def test_gaps_hold_nothing_invented(start: Start, server: MessagesServer) -> None:
    good(server, investigator=[look(), writes(missing=[*HOSTILE[:5], "No traces are connected."])])
    thread = start().ask()
    assert re.match(ROSE, thread.text)
    assert "No traces are connected" in missing(thread)
    assert [sign for sign in SIGNS if sign in thread.everything + json.dumps(thread.seen)] == []


# --- what it withholds -----------------------------------------------------------------------------------------

WITHHELD = (
    "I could not determine this.",
    "There are no data on that.",
    "Dazu konnte ich leider nichts finden.",
)


def denies(words: str, **sections: Any) -> Any:
    """Replies with an answer whose headline rests on nothing."""
    return lambda request: call_tools(
        [("answer", answer_args(request, **sections) | {"headline": {"text": words, "evidence": []}})]
    )


@pytest.mark.parametrize("words", WITHHELD)
def test_what_its_own_calls_found_is_told_before_what_it_denies(
    start: Start, server: MessagesServer, words: str
) -> None:
    good(server, investigator=[look(), denies(words, missing=["No latency data for /api/search were found."])])
    thread = start().ask("Is /api/search slow?")
    assert re.search(ROSE, thread.text)
    assert thread.log.reasoner == "m-investigator"
    assert words not in thread.text
    assert "No latency data" not in thread.everything
    assert thread.log.grounded


def test_a_denial_of_what_no_call_looked_for_stays(start: Start, server: MessagesServer) -> None:
    good(server, investigator=[look(FIND), denies("I could not find how slow /api/search is.")])
    thread = start().ask("Is /api/search slow?")
    assert thread.text.startswith("I could not find how slow /api/search is.")
    assert "Checked: repo_search once." in missing(thread)


# --- the verifier ---------------------------------------------------------------------------------------------


def test_what_the_verifier_refutes_is_mended(start: Start, server: MessagesServer) -> None:
    good(
        server,
        investigator=[look(), writes(metrics=[PEAK]), mends(metrics_0="It was {METRIC.baseline} before.")],
        verifier=[agree_but(metrics_0="not"), agree_but(metrics_0="entailed")],
    )
    thread = start().ask()
    check_by_model(thread)
    assert "the evidence does not say this: it names no owner" in server.of("investigator")[2].last_user
    assert thread.log.struck == ()
    assert thread.log.answer is not None
    assert "before" in thread.log.answer.metrics[0].text


def test_what_it_refutes_again_is_struck_and_named(start: Start, server: MessagesServer) -> None:
    good(
        server,
        investigator=[look(), writes(metrics=[PEAK]), mends(metrics_0="Its peak was {METRIC.peak}.")],
        verifier=agree_but(metrics_0="not"),
    )
    thread = start().ask()
    check_by_model(thread)
    assert [v.id for v in thread.log.struck] == ["metrics.0"]
    assert thread.log.answer is not None
    assert thread.log.answer.metrics == ()
    assert re.search(r"Could not verify: .*the evidence does not say this", missing(thread))
    assert len(server.of("verifier")) == 2
    assert len(server.of("investigator")) == 3


def test_what_holds_in_part_is_asked_once_and_stays_as_a_hypothesis(start: Start, server: MessagesServer) -> None:
    good(
        server,
        investigator=[look(), writes(metrics=[PEAK]), mends()],
        verifier=agree_but(metrics_0="partly"),
    )
    thread = start().ask()
    check_by_model(thread)
    assert "only in part" in server.of("investigator")[2].last_user
    assert thread.log.answer is not None
    assert [c.status for c in thread.log.answer.metrics] == ["hypothesis"]
    assert thread.log.struck == ()


@pytest.mark.parametrize("reply", [status(500), say("Fine as it is."), refuse(), cut(say_json({"verdicts": []}), 3)])
def test_claims_are_marked_when_the_verifier_fails(start: Start, server: MessagesServer, reply: Reply) -> None:
    good(server, verifier=reply)
    thread = start(models__roles__verifier__deadline_s=2).ask()
    assert thread.text.startswith("Meaning not checked: p95 latency of /api/search rose")
    assert thread.statuses("verifier")[-1] != "ok"
    assert thread.log.answer is not None
    assert {claim.note for claim in thread.log.answer.claims} == {"unjudged"}
    assert "No verifier judged" in (thread.log.answer.banner or "")


# --- the wording ----------------------------------------------------------------------------------------------

STYLED = {"models__roles__style__enabled": True}
STYLES = {
    "another number": "{E1.metric} of {E1.endpoint} rose from 210 ms to 3.9 s at {E1.onset_at}.",
    "a slot left out": "{E1.metric} of {E1.endpoint} {move(E1.baseline,E1.current)}.",
    "a link": "{E1.metric} of {E1.endpoint} {move(E1.baseline,E1.current)} at {E1.onset_at}: evil.example.com/x.",
    "a mention": "<!channel> {E1.metric} of {E1.endpoint} {move(E1.baseline,E1.current)} at {E1.onset_at}.",
    "a slot of nothing": "{E1.metric} of {E1.endpoint} {move(E1.baseline,E1.current)} at {E1.onset_at} {E99.x}.",
}


@pytest.mark.parametrize("template", STYLES.values(), ids=STYLES.keys())
def test_the_wording_cannot_touch_a_fact(start: Start, server: MessagesServer, template: str) -> None:
    claims = [{"id": 0, "template": template}, {"id": 77, "template": HOSTILE[0]}]
    good(server, style=say_json({"claims": claims}))
    thread = start(**STYLED).ask()
    assert re.match(ROSE + r"\.", thread.text)
    assert thread.statuses("style") == ["ok"]
    assert [sign for sign in SIGNS if sign in thread.everything] == []


@pytest.mark.parametrize("reply", [status(500), say("Fine as it is."), refuse(), cut(say_json({"claims": []}), 3)])
def test_wording_that_fails_leaves_the_answer_as_it_was(start: Start, server: MessagesServer, reply: Reply) -> None:
    good(server, style=reply)
    check_by_model(start(**STYLED, models__roles__style__deadline_s=1).ask())


# --- the command line -----------------------------------------------------------------------------------------


def test_oracle_ask_thinks_with_the_model_of_the_environment(
    oracle: Oracle, server: MessagesServer, demo_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replies = iter([look(), writes(), agree_but()])
    server.on(anything, lambda request: answered(next(replies), request))
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key")
    ran = oracle("ask", WHY, "--json", "--agent", "research", "--now", NOW.isoformat(), home=demo_home)
    assert (ran.code, ran.err) == (0, "")
    assert re.fullmatch(ROSE + r"\.", ran.json["answer"]["headline"]["text"])
    assert ran.json["reasoner"] == "claude-sonnet-5-5"
    assert ran.json["usage"]["output_tokens"] > 0
    assert 0 < ran.json["usage"]["cost_usd"] < 0.1
    assert {r.body["model"] for r in server.requests} == {"claude-haiku-5-5", "claude-sonnet-5-5"}


def answered(reply: Any, request: Request) -> Reply:
    """A reply, or what a function makes of the request."""
    made: Reply = reply(request) if callable(reply) else reply
    return made


def test_oracle_ask_says_that_the_model_is_down(
    oracle: Oracle, server: MessagesServer, demo_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.on(anything, status(401))
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key")
    ran = oracle("ask", WHY, home=demo_home)
    assert ran.code == 0
    assert "Written without the language model (its key was refused" in " ".join(ran.out.split())
    assert re.search(BY_THE_RULES, " ".join(ran.out.split()))
