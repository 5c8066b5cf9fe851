"""What is right and wrong in an answer."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from tests.support.eval_cases import NOW, answered
from workers.contracts import Answer, Claim, Gap, Option, RequestLog
from workers.evals.case_score import CaseResult, Counted, failed_case, plain, score_case, stands
from workers.evals.cases import Case
from workers.grounding.value_format import Voice

VOICE = Voice(datetime(2026, 11, 20, 15, tzinfo=UTC), "UTC")
ROSE = Claim(
    template="p95 latency of /v1/routes went from {E1.baseline} to {E1.current}.",
    text="p95 latency of /v1/routes went from 180 ms to 1.9 s.",
    evidence=("E1",),
)
CODE = Claim(
    template="The limit is set in {E2.lines}.", text="The limit is set in services/geo.go:10-20.", evidence=("E2",)
)


def score(log: RequestLog, **expect: Any) -> CaseResult:
    """A log held against expectations."""
    raw = {"id": "a", "question": "why?", "now": NOW, "tools": {}, "expect": expect}
    return score_case(Case.model_validate(raw), log, VOICE)


def test_an_answer_that_has_everything_is_right() -> None:
    result = score(
        answered(ROSE, CODE, missing=(Gap(text="No traces source is connected."),)),
        kind="answer",
        question_type=["debug_incident", "alerting"],
        tools=["metrics_query"],
        not_tools=["doc_search"],
        cites=["metric", "services/geo.go", "geo.go:12", "services/geo.go:20-31"],
        facts=["1.9 s", ["2.9 s", "180 MS"]],
        not_facts=["all clear"],
        gaps=["traces"],
    )
    assert result.right, result.wrong
    assert (result.cites, result.facts, result.gaps) == (
        Counted(have=4, of=4),
        Counted(have=2, of=2),
        Counted(have=1, of=1),
    )
    assert result.sound == Counted(have=2, of=2)
    assert (result.grounded, result.latency_ms, result.question_type) == (True, 42.0, "debug_incident")


@each_row(
    "expect, said",
    [
        ({"kind": "clarify"}, "kind is answer, expected clarify"),
        ({"question_type": "traffic"}, "intent is debug_incident, expected traffic"),
        ({"tools": ["doc_search"]}, "did not call doc_search"),
        ({"not_tools": ["repo_search"]}, "called repo_search"),
        ({"cites": ["deploy"]}, "does not cite deploy"),
        ({"cites": ["services/geo.go:21"]}, "does not cite services/geo.go:21"),
        ({"cites": ["o.go:12"]}, "does not cite o.go:12"),
        ({"facts": [["2 s", "two seconds"]]}, "lacks '2 s' or 'two seconds'"),
        ({"not_facts": [["x", "180 ms"]]}, "says '180 ms'"),
        ({"gaps": ["traces"]}, "does not name the gap 'traces'"),
    ],
)
def test_each_mistake_is_named(expect: dict[str, Any], said: str) -> None:
    result = score(answered(ROSE, CODE), **expect)
    assert result.wrong == (said,)
    assert not result.right


@pytest.mark.parametrize(
    "claim",
    [
        ROSE.model_copy(update={"evidence": ("E9",)}),
        ROSE.model_copy(update={"template": "p95 latency of /v1/routes fell from {E1.baseline} to {E1.current}."}),
        ROSE.model_copy(update={"text": "p95 latency of /v1/routes went from 180 ms to 2.9 s."}),
    ],
)
def test_a_claim_that_its_evidence_does_not_bear_out_is_found(claim: Claim) -> None:
    result = score(answered(claim, CODE))
    assert result.sound == Counted(have=1, of=2)
    assert result.wrong[0].startswith("not borne out by what it cites: 'p95 latency")


def test_what_is_only_listed_as_missing_is_no_fact() -> None:
    log = answered(ROSE, missing=(Gap(text="Could not verify: it is 42 s"),))
    assert score(log, facts=["42 s"]).wrong == ("lacks '42 s'",)
    assert score(log, not_facts=["42 s"]).right


def test_options_are_part_of_a_clarifying_question() -> None:
    head = Claim(template="Which one?", text="Which one?")
    answer = Answer(
        kind="clarify", headline=head, options=(Option(value="/v1/routes", label="routes", reason="p95 ×9"),)
    )
    assert score(answered(answer=answer), kind="clarify", facts=["/v1/routes", "×9"]).right


def test_without_an_intent_it_was_something_else() -> None:
    answer = Answer(kind="refusal", headline=Claim(template="No.", text="No."))
    assert score(answered(answer=answer, intent=None), kind="refusal", question_type=["other"]).right


def test_a_denied_call_is_none() -> None:
    log = answered(ROSE)
    denied = tuple(call.model_copy(update={"status": "denied"}) for call in log.tool_calls)
    assert score(log.model_copy(update={"tool_calls": denied}), tools=["metrics_query"]).wrong == (
        "did not call metrics_query",
    )


def test_a_case_without_a_log_has_nothing_of_what_was_expected() -> None:
    raw = {
        "id": "a",
        "question": "q",
        "now": NOW,
        "tools": {},
        "expect": {"question_type": "traffic", "facts": ["x", "y"]},
    }
    result = failed_case(Case.model_validate(raw), "crashed: X")
    assert (result.right, result.intent_ok, result.facts) == (False, False, Counted(of=2))


@each_row(
    "wanted, text",
    [
        ("1.9 s", "it took 1.9\u202fs."),
        ("1.9s", "it took 1.9\u00a0s"),
        ("max_attempts: 5", "sets `max_attempts`: 5 there"),
        ("-3 %", "by −3%"),
        ("all clear", "**All**  clear"),
        ("300", "(300)"),
        ("40 µs", "40\u00a0\u03bcs"),
        ("v2.9", "V2.9 went out"),
        ("09:1", "at 09:14 UTC"),
        ("don't", "don’t"),
        ("/v1/routes", "p95 of /v1/routes."),
    ],
)
def test_what_counts_as_the_same(wanted: str, text: str) -> None:
    assert stands(wanted, plain(text))


@each_row(
    "wanted, text",
    [
        ("5", "15"),
        ("30", "300"),
        ("1.9 s", "11.9 s"),
        ("9 s", "1.9 s"),
        ("v2.9", "v2.91"),
        ("2", "2.5"),
        ("9:14", "19:14"),
    ],
)
def test_a_number_stands_as_a_whole(wanted: str, text: str) -> None:
    assert not stands(wanted, plain(text))


@given(
    st.text(min_size=1).filter(lambda t: plain(t).strip()),
    st.sampled_from(["", "so ", "("]),
    st.sampled_from(["", ")", " then"]),
)
def test_a_text_stands_in_itself(text: str, before: str, after: str) -> None:
    assert stands(text, plain(f"{text}"))
    assert plain(plain(text)) == plain(text)
    assert stands(f"{before}{text}{after}", plain(f"{before}{text}{after}"))
