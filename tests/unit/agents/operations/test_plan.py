"""The steps: exactly those of a known pattern; figures that are counted, or how things stand, for a novel question."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.engine_fakes import NOW
from tests.support.operations_agent import LANDSCAPE, inquire, intend, patterns, plan, project, question, tools
from workers.agents.operations import VALIDATORS
from workers.agents.operations.agent import replan, write_answer
from workers.agents.operations.validators import is_ops_like
from workers.agents.registry import build_agents
from workers.contracts import Plan, ToolCall
from workers.engine.validate import NOVEL, check_plan
from workers.ports import Asked, Brief, Playbook

CURRENT = ["get_active_incidents", "get_deployment_status"]
SEQUENCES = {
    "how are the model deployments doing?": CURRENT,
    "any active incidents?": CURRENT[:1],
    "why is heron-mini slow?": [CURRENT[0], "get_latency_trends", CURRENT[1], "get_recent_requests"],
    "quality of heron-mini": [CURRENT[0], "get_quality_summary", CURRENT[1], "get_request_detail"],
    "what errors are there?": [*CURRENT, "get_recent_requests", "get_request_detail"],
    "how much traffic did we get yesterday?": ["get_request_volume", "get_latency_trends"],
    "req_00ab12cd34": ["get_request_detail"],
    "user support-desk": ["get_user_context", "get_recent_requests"],
}


@pytest.mark.parametrize(("text", "sequence"), list(SEQUENCES.items()))
def test_a_known_pattern_has_its_steps_and_no_others(text: str, sequence: list[str]) -> None:
    made = plan(text)
    assert tools(made) == sequence
    assert made.pattern != NOVEL


def test_arguments_without_a_value_are_left_out() -> None:
    steps = {s.id: s.args for s in plan("why is heron-mini/north-gpu slow?").steps}
    assert steps["incidents"] == {}
    assert steps["trends"] == {"deployment_id": "heron-mini/north-gpu"}
    assert steps["status"] == {"model_id": "heron-mini", "backend_id": "north-gpu"}


def test_a_detail_waits_for_the_step_that_names_it() -> None:
    quality = plan("quality of heron-mini").steps[-1]
    assert quality.args == {"request_id": "{quality.lowest_request}"}
    assert quality.after == ("quality",)


def test_incidents_are_never_filtered_so_that_none_is_missed() -> None:
    for text in SEQUENCES:
        assert all(not s.args for s in plan(text).steps if s.tool == "get_active_incidents")


@pytest.mark.parametrize(
    ("text", "used"),
    [
        ("which user spent the most this week?", "safe_sql_query"),
        ("what does is_stale mean?", "get_schema"),
        ("compare latency of heron-mini and heron-large", "safe_sql_query"),
        ("was anything down on Nov 14?", "safe_sql_query"),
        ("tell me about INC-247", "safe_sql_query"),
        ("select count(*) from requests", "safe_sql_query"),
        ("should we move premium users from heron-mini to heron-large?", "get_deployment_status"),
    ],
)
def test_a_novel_question_gets_what_counts_it_or_how_things_stand(text: str, used: str) -> None:
    made = plan(text)
    assert made.pattern == NOVEL
    assert used in tools(made)


@pytest.mark.parametrize(
    "text",
    [
        "which users had more than 5 errors on heron-mini on holidays?",
        "errors of all users except support-desk",
        "is heron-mini cheaper than heron-large per token at night?",
        "how many requests took longer than 3 seconds?",
    ],
)
def test_what_no_figure_accounts_for_whole_is_not_counted(text: str) -> None:
    assert inquire(text).query is None
    assert inquire(text).pattern == NOVEL


def checked(made: Plan, text: str) -> Plan:
    limits = build_agents(project())["operations"].limits
    check_plan(made, Asked(text, intend(text), LANDSCAPE, limits, rules=VALIDATORS, first_tools=tuple(CURRENT)))
    return made


@given(st.sampled_from(list(SEQUENCES)) | st.text(max_size=80))
def test_every_plan_passes_its_own_validators(text: str) -> None:
    made = checked(plan(text or "?"), text or "?")
    if made.pattern == NOVEL and is_ops_like(text, made.query_intent):
        assert set(CURRENT) <= set(tools(made)[:3])


def answer_of(text: str, without_model: str = "") -> str:
    made = plan(text)
    base = Brief(question(text), intend(text), made, LANDSCAPE, (), ())
    draft = write_answer(replace(base, without_model=without_model), Playbook(patterns()))
    return draft.headline.template


def test_without_any_evidence_nothing_is_called_fine() -> None:
    assert answer_of("should we move users to heron-large?").startswith("I can't tell how things stand")


def test_a_span_that_held_nothing_is_looked_at_further_back_and_failures_are_not() -> None:
    text = "latency of heron-mini in the last 6 hours"
    made = plan(text)
    call = ToolCall(name="get_latency_trends", args={}, start_ms=0, end_ms=1, status="empty", step="trends")
    brief = Brief(question(text), intend(text), made, LANDSCAPE, (), (call,))
    again = replan(brief, Playbook(patterns()))
    assert again is not None
    assert [s.id for s in again.steps] == ["trends_wide"]
    none = replace(brief, calls=(call.model_copy(update={"status": "ok"}),))
    assert replan(none, Playbook(patterns())) is None
    assert NOW
