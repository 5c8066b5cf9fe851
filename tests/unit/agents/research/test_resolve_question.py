"""What a question says in full: threads, slips of spelling, two questions in one."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.agents.research.intent import read_intent
from workers.agents.research.join_answers import join_plans
from workers.agents.research.resolve_question import Heard, hear
from workers.contracts import Deploy, Landscape, MetricInfo, Plan, Question, Step
from workers.reasoning.name_spelling import is_common
from workers.reasoning.question_features import questions_in

NOW = datetime(2026, 11, 21, 11, 0, tzinfo=UTC)
LANDSCAPE = Landscape(
    metrics=(MetricInfo(name="latency_p95", unit="s", role="latency"), MetricInfo(name="queue_depth", unit="count")),
    labels={
        "endpoint": ("/api/search", "/api/orders", "/api/checkout", "/api/cart", "/v1/tiles", "/v2/tiles"),
        "service": ("shop", "storefront"),
    },
    alerts=("SearchLatencyHigh", "CartLatencyHigh"),
    deploys=(Deploy(service="shop", version="v1.42.0", commit="abed52c11aa", at=NOW.replace(day=20)),),
)
THREAD = (
    "why did latency spike on /api/search",
    "p95 latency of /api/search rose from 210 ms to 1.9 s, 3 minutes after deploy shop v1.42.0 (abed52c).",
)


def heard(text: str, *context: str) -> Heard:
    return hear(Question(request_id="r", text=text, received_at=NOW, context=context), LANDSCAPE)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("and for /api/orders?", "why did latency spike on /api/orders"),
        ("what about checkout?", "why did latency spike on checkout"),
        ("same for the cart?", "why did latency spike on cart"),
        ("was it like that last week?", "why did latency spike on /api/search last week?"),
        ("and yesterday?", "why did latency spike on /api/search yesterday?"),
        ("who wrote that commit?", "who wrote commit abed52c?"),
        ("what did this change touch?", "what did commit abed52c touch?"),
        ("who made it?", "who made commit abed52c?"),
        ("when was that merged?", "when was commit abed52c merged?"),
        ("why?", "why?"),
        ("who owns it?", "who owns it?"),
        ("so how do I roll it back", "so how do I roll it back"),
    ],
)
def test_a_follow_up_is_made_whole(text: str, whole: str) -> None:
    assert heard(text, *THREAD).question.text == whole


def test_a_name_goes_to_the_question_that_names_one() -> None:
    thread = (*THREAD, "who wrote that commit?", "abed52c by Priya Raman touched cache.py")
    assert heard("and for /api/orders?", *thread).question.text == "why did latency spike on /api/orders"
    thread = (*thread, "and for /api/orders?", "p95 latency of /api/orders is steady at 122 ms.")
    assert heard("and last week?", *thread).question.text == "why did latency spike on /api/orders last week?"


def test_a_commit_is_known_by_the_version_that_was_deployed() -> None:
    assert (
        heard("who wrote that commit?", "shop v1.42.0 went out at 14:04").question.text == "who wrote commit abed52c?"
    )


@pytest.mark.parametrize("text", ["who wrote that commit?", "and for /api/orders?", "was it like that last week?"])
def test_without_a_thread_nothing_is_added(text: str) -> None:
    assert heard(text).question.text == text


@pytest.mark.parametrize(
    ("text", "wrong", "right"),
    [
        ("why is /api/serach slow", "/api/serach", "/api/search"),
        ("why is /api/order slow", "/api/order", "/api/orders"),
        ("what does SearchLatencyHihg mean", "SearchLatencyHihg", "SearchLatencyHigh"),
        ("what is queue_dpeth now", "queue_dpeth", "queue_depth"),
        ("why is chekout slow", "chekout", "checkout"),
        ("is storefornt up?", "storefornt", "storefront"),
    ],
)
def test_a_slip_is_put_right_and_said(text: str, wrong: str, right: str) -> None:
    found = heard(text)
    assert found.question.text == text.replace(wrong, right)
    assert found.notes == (f"No {wrong} is known; read as {right}.",)


@pytest.mark.parametrize(
    "text",
    [
        "why is /api/zeppelin slow",  # nothing is near
        "why is /v3/tiles slow",  # another number is another name
        "why are cards failing",  # another letter is another word
        "why is /api/search/v2 slow",
        "where is the retry policy configured",
        "is SearchLatencyHigh firing",
    ],
)
def test_what_is_no_slip_stays(text: str) -> None:
    assert heard(text) == Heard(heard(text).question.model_copy(update={"text": text}), (), (text,))


@given(st.sampled_from(LANDSCAPE.labels["endpoint"][:4]))
def test_a_known_name_is_never_read_as_another(name: str) -> None:
    assert heard(f"why is {name} slow").notes == ()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("when was the last deploy and who is on call?", ("when was the last deploy", "who is on call?")),
        ("what is a circuit breaker? and is checkout up?", ("what is a circuit breaker", "is checkout up?")),
        ("why did latency spike and who deployed it?", None),
        ("what does SearchLatencyHigh mean and what do I do?", None),
        ("how do timeouts and retries work?", None),
    ],
)
def test_two_questions_that_stand_by_themselves_are_two(text: str, parts: tuple[str, str] | None) -> None:
    assert heard(text).parts == (parts or (text,))


def test_a_commit_that_is_asked_for_is_the_subject() -> None:
    question = Question(request_id="r", text="who wrote commit abed52c?", received_at=NOW)
    assert read_intent(question, LANDSCAPE, NOW).subjects == ("abed52c",)
    symptom = question.model_copy(update={"text": "why is /api/search slow since commit abed52c?"})
    assert read_intent(symptom, LANDSCAPE, NOW).question_type == "debug_incident"


@pytest.mark.parametrize(
    "text", ["something is off, help", "everything is slow", "things look weird", "prod is on fire!"]
)
def test_alarm_without_a_name_is_looked_into(text: str) -> None:
    intent = read_intent(Question(request_id="r", text=text, received_at=NOW), LANDSCAPE, NOW)
    assert (intent.question_type, intent.subjects, intent.ambiguity) == ("debug_incident", (), None)


def test_two_plans_share_what_they_both_ask() -> None:
    def step(name: str, query: str, *after: str) -> Step:
        return Step(id=name, tool="doc_search", args={"query": query}, purpose="look", after=after)

    first = Plan(pattern="a", query_intent="x", steps=(step("docs", "one"), step("more", "{docs.path}", "docs")))
    second = Plan(
        pattern="b",
        query_intent="y",
        steps=(step("docs", "one"), step("code", "two"), step("file", "{code.path|docs.path}", "code", "docs")),
    )
    joined = join_plans(first, second, 8)
    assert [s.id for s in joined.steps] == ["docs", "more", "code_b", "file_b"]
    assert joined.steps[-1].after == ("code_b", "docs")
    assert joined.steps[-1].args == {"query": "{code_b.path|docs.path}"}
    assert len(join_plans(first, second, 3).steps) == 3


@pytest.mark.parametrize(
    "text", ["only premium", "and on west-edge", "by hour", "same for the cart", "without timeouts"]
)
def test_a_rest_of_a_question_counts_as_one(text: str) -> None:
    assert questions_in([text]) == [text]


@pytest.mark.parametrize(
    "text", ["only 3 requests failed.", "Bob is on it", "and Bob is on it", "by the way: it is down"]
)
def test_what_tells_something_asks_nothing(text: str) -> None:
    assert questions_in([text]) == []


def test_a_word_of_one_example_may_be_a_name() -> None:
    assert is_common("search")
    assert not is_common("lumen")
    assert not is_common("kestrel")
