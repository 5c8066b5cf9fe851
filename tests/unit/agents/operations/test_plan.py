"""The steps: exactly those of a known pattern, or composed ones that keep the agent's rules."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.engine_fakes import NOW
from tests.support.operations_agent import LANDSCAPE, inquire, intend, plan, project, question, tools
from workers.agents.operations import VALIDATORS
from workers.agents.operations.novel_plan import look_further, tip
from workers.agents.operations.validators import is_ops_like
from workers.agents.registry import build_agents
from workers.contracts import Gap, Plan, Step, ToolCall, rfc3339
from workers.engine.validate import NOVEL, check_plan
from workers.errors import ConfigError
from workers.ports import Asked, Brief
from workers.settings.load import load_settings

SEQUENCES = {
    "is anything down?": ["get_active_incidents", "get_deployment_status"],
    "any active incidents?": ["get_active_incidents"],
    "why is heron-mini slow?": [
        "get_active_incidents",
        "get_latency_trends",
        "get_deployment_status",
        "get_recent_requests",
    ],
    "quality of heron-mini": [
        "get_active_incidents",
        "get_quality_summary",
        "get_deployment_status",
        "get_request_detail",
    ],
    "what errors are there?": [
        "get_active_incidents",
        "get_deployment_status",
        "get_recent_requests",
        "get_request_detail",
    ],
    "traffic yesterday": ["get_request_volume", "get_latency_trends"],
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
    assert plan("what fails?").steps[-1].args == {"request_id": "{requests.failed_request}"}


def test_incidents_are_never_filtered_so_that_none_is_missed() -> None:
    for text in SEQUENCES:
        assert all(not s.args for s in plan(text).steps if s.tool == "get_active_incidents")


@pytest.mark.parametrize(
    ("text", "used", "kind"),
    [
        ("which user spent the most this week?", "safe_sql_query", "other"),
        ("what does is_stale mean?", "get_schema", "schema_docs"),
        ("tell me about heron-mini", "get_latency_trends", "ops_investigation"),
        ("cost of req_00ab12cd34", "get_request_detail", "request_lookup"),
        ("compare latency of heron-mini and heron-large", "safe_sql_query", "other"),
        ("something else entirely", "get_deployment_status", "ops_investigation"),
    ],
)
def test_a_novel_question_gets_the_tools_its_words_call_for(text: str, used: str, kind: str) -> None:
    made = plan(text)
    assert used in tools(made)
    assert made.query_intent == kind
    assert made.pattern == NOVEL or text.startswith("cost")


CURRENT = ["get_active_incidents", "get_deployment_status"]


@pytest.mark.parametrize(
    ("text", "composed"),
    [
        ("was north-gpu ok on Nov 15 at 18:15?", ["safe_sql_query", "get_latency_trends"]),
        ("was anything down on Nov 15?", [*CURRENT, "safe_sql_query", "get_latency_trends"]),
        ("any incidents today?", [*CURRENT, "safe_sql_query", "get_latency_trends"]),
        ("p95 of heron-mini on Nov 15", [*CURRENT, "get_latency_trends", "safe_sql_query"]),
        (
            "errors between 17:00 and 18:00 on Nov 17?",
            [*CURRENT, "get_latency_trends", "safe_sql_query", "get_recent_requests"],
        ),
        ("quality of heron-mini on Nov 15", ["get_quality_summary", "safe_sql_query"]),
        ("how was north-gpu for premium users on Nov 15?", ["safe_sql_query", "safe_sql_query"]),
    ],
)
def test_a_span_that_is_past_is_answered_from_that_span(text: str, composed: list[str]) -> None:
    made, window = plan(text), intend(text).window
    assert tools(made) == composed
    assert window is not None
    for step in made.steps:
        if step.tool not in CURRENT and step.tool != "safe_sql_query":
            assert step.args["since"] == rfc3339(window.start)
            assert step.args["until"] == rfc3339(window.end)
    then = next(s for s in made.steps if s.id == "then")
    assert f"'{rfc3339(window.start)}' as window_start" in str(then.args["query"])


@pytest.mark.parametrize(
    "text",
    [
        "is heron-mini slow since yesterday?",
        "errors today",
        "what is down now?",
        "are there active incidents today?",
        "status of north-gpu right now, it was slow yesterday",
        "is latency worse than yesterday?",
        "are errors higher than last week?",
    ],
)
def test_a_span_that_reaches_now_is_left_to_the_known_pattern(text: str) -> None:
    assert plan(text).pattern != NOVEL


def test_an_incident_on_a_part_of_what_is_asked_about_is_its_own() -> None:
    then = next(s for s in plan("was heron-mini down on Nov 15?").steps if s.id == "then")
    query = str(then.args["query"])
    for name in ("heron-mini", "heron-mini/north-gpu", "north-gpu", "east-cloud"):
        assert f"'{name}'" in query.split("then 'yes'", maxsplit=1)[0]
    assert "'heron-large'" not in query


def test_an_incident_is_opened_with_what_it_did_to_requests() -> None:
    made = plan("tell me about INC-247")
    assert [s.id for s in made.steps] == ["rows", "impact"]
    assert all("'inc-247'" in str(s.args["query"]) for s in made.steps)


def test_a_query_is_run_as_it_stands() -> None:
    typed = "select status, count(*) from requests where status <> 'success' group by status"
    assert [s.args for s in plan(f"{typed};").steps][-1] == {"query": typed}
    assert [s.args for s in plan(f"```sql\n{typed}\n```").steps][-1] == {"query": typed}
    assert all(s.tool != "safe_sql_query" for s in plan("select the slowest model from these").steps)


def test_what_a_tool_cannot_be_narrowed_to_is_said() -> None:
    listed = plan("show requests of user docs-search on heron-mini")
    assert listed.steps[-1].args == {"user_id": "docs-search", "model_id": "heron-mini"}
    assert not any("narrowed" in line for line in listed.uncertainties)
    of_task = plan("show requests of user docs-search for code tasks")
    assert "get_recent_requests cannot be narrowed to code" in of_task.uncertainties


@given(
    st.lists(
        st.sampled_from(
            """latency errors by model user tier today yesterday last week quality traffic cost tokens heron-mini
            north-gpu compare which most average table is_stale incidents past down premium support-desk now slowest
            top 5 was were Tuesday INC-247 code tasks p99 sla budget who successful""".split()
        ),
        min_size=1,
        max_size=8,
    )
)
def test_composed_plans_keep_the_agents_rules(said: list[str]) -> None:
    text = " ".join(said)
    made, intent = plan(text), intend(text)
    limits = build_agents(project())["operations"].limits
    check_plan(made, Asked(text, intent, LANDSCAPE, limits, rules=VALIDATORS))
    if made.pattern == NOVEL and is_ops_like(text, made.query_intent):
        assert {"get_active_incidents", "get_deployment_status"} <= set(tools(made)[:3])
    if made.pattern == NOVEL:
        assert made.uncertainties
        assert made.verification_tips


# --- once more ------------------------------------------------------------------------------------------------


def called(made: Plan, step: str, status: str) -> ToolCall:
    """A step's call, as it ended."""
    own = next(s for s in made.steps if s.id == step)
    return ToolCall.model_validate(
        {"name": own.tool, "args": own.args, "start_ms": 0, "end_ms": 1, "status": status, "step": step}
    )


def further(text: str, step: str, status: str, *others: tuple[str, str]) -> Plan | None:
    made, intent = plan(text), intend(text)
    intent = intent.model_copy(update={"window": intent.window or intend("latency in the last 24 hours").window})
    call = called(made, step, status)
    calls = (*(called(made, *other) for other in others), call)
    brief = Brief(question(text), intent, made, LANDSCAPE, (), calls, (Gap(text="nothing", tool=call.name),))
    return look_further(brief, inquire(text), 6)


def test_an_empty_span_is_widened() -> None:
    made = further("why is heron-mini slow?", "trends", "empty")
    assert made is not None
    wide = made.steps[0]
    assert wide.tool == "get_latency_trends"
    assert wide.args == {"model_id": "heron-mini", "since": f"{NOW:%Y}-11-14T11:00:00Z"}


def test_no_error_is_a_result_once_incidents_and_health_were_read() -> None:
    text, checks = "any errors today?", (("incidents", "ok"), ("status", "ok"))
    assert further(text, "requests", "empty", *checks) is None
    unsure = further(text, "requests", "empty", ("incidents", "ok"), ("status", "error"))
    assert unsure is not None
    assert "requests_wide" in {s.id for s in unsure.steps}


def test_what_is_ranked_has_to_be_named() -> None:
    assert any("to be ranked" in line for line in plan("what cost the most yesterday?").uncertainties)
    assert not any("to be ranked" in line for line in plan("who spent the most yesterday?").uncertainties)


def test_an_unknown_request_is_looked_for_by_how_it_begins() -> None:
    made = further("show req_00ab12cd34", "request", "empty")
    assert made is not None
    assert tools(made) == ["safe_sql_query", "get_active_incidents", "get_deployment_status"]
    assert "like 'req_00a%'" in str(made.steps[0].args["query"])


def test_a_longer_span_is_no_answer_to_how_things_stood_then() -> None:
    assert further("was heron-mini down on Nov 15?", "trends", "empty") is None


def test_an_unknown_incident_is_answered_with_the_last_ones() -> None:
    made = further("tell me about INC-999", "rows", "empty", ("impact", "empty"))
    assert made is not None
    assert made.steps[0].id == "newest"


def test_what_was_asked_wrongly_is_not_asked_again() -> None:
    made = further("why is model gpt-9 slow?", "trends", "error")
    assert made is None or "get_latency_trends" not in tools(made)


# --- what the configuration may say ---------------------------------------------------------------------------


def test_the_command_of_a_tip_is_read_back_as_the_arguments() -> None:
    args = {"model_id": "o'brien", "since": 'a "day" ago', "limit": 5}
    command = tip(Step(id="requests", tool="get_recent_requests", args=args, purpose="see them")).partition(": ")[2]
    assert shlex.split(command)[:3] == ["oracle", "tool", "get_recent_requests"]
    assert json.loads(shlex.split(command)[3]) == args


@pytest.mark.parametrize(
    ("entry", "mistake"),
    [
        ("cues: ['(']", "SYSTEM_STATUS.cues.0: '(' is no regular expression"),
        ("requires: [moon]", "SYSTEM_STATUS.requires: nothing fills the slot {moon}"),
    ],
)
def test_a_wrong_pattern_is_named(home: Path, entry: str, mistake: str) -> None:
    (home / "config").mkdir()
    (home / "config" / "patterns.yaml").write_text(f"SYSTEM_STATUS: {{{entry}}}\n")
    with pytest.raises(ConfigError) as wrong:
        build_agents(load_settings(home=home))
    assert any(mistake in problem for problem in wrong.value.problems)


def test_the_shipped_patterns_are_the_nine() -> None:
    own = [name for name, entry in project().tree.patterns.items() if entry.agent == "operations"]
    assert sorted(own) == sorted([NOVEL, *(inquire(text).pattern for text in SEQUENCES)])
