"""One other plan after steps that found nothing: once, within the agent's rules, and nothing is called twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.support.engine_fakes import FakeToolbox, nothing
from tests.support.latency_evidence import EVIDENCE, NOW
from tests.support.reasoner_inputs import INTENT, LANDSCAPE, LIMITS, QUESTION, RULES
from workers.agents.operations.validators import OPS_FIRST
from workers.contracts import Answer, Claim, Plan, Scalar, Step, ToolOutput, Window
from workers.engine.execute import Run, run_plan
from workers.engine.replan import caution, look_again
from workers.engine.validate import NOVEL, check_plan
from workers.errors import PlanRejected
from workers.ports import Asked, Brief, Limits, ToolContext

AGAIN = replace(LIMITS, replan=1, refine=0, validators=("max_steps", "tools_allowed"))


class Planner:
    """Only plans again; remembers what it was shown."""

    def __init__(self, other: Plan | None) -> None:
        self.other, self.seen = other, list[Brief]()

    def replan(self, brief: Brief) -> Plan | None:
        self.seen.append(brief)
        return self.other


def found(args: Mapping[str, Scalar]) -> ToolOutput:
    return ToolOutput(evidence=(EVIDENCE["E1"],), summary=f"found {args['query']}")


def step(name: str, tool: str = "metrics_query", query: str = "p95", after: tuple[str, ...] = ()) -> Step:
    return Step(id=name, tool=tool, args={"query": query}, purpose="look", after=after)


def plan(*steps: Step) -> Plan:
    return Plan(pattern="KNOWN", query_intent="look", steps=steps)


def ran(first: Plan, other: Plan | None, limits: Limits = AGAIN) -> tuple[Plan, Any, FakeToolbox, Planner, list[Plan]]:
    box = FakeToolbox(LANDSCAPE, metrics_query=found, repo_search=found, doc_search=nothing)
    planner, told = Planner(other), list[Plan]()
    run = Run(
        session=box.open(ToolContext("r1", "operations", NOW), limits),
        reasoner=planner,  # type: ignore[arg-type]
        asked=Asked(QUESTION.text, INTENT, LANDSCAPE, limits, rules=RULES),
        window=Window(start=NOW.replace(day=20), end=NOW, why="test"),
        report=lambda *detail: None,
    )
    brief = Brief(QUESTION, INTENT, first, LANDSCAPE, (), ())
    grown, results = look_again(brief, run_plan(check_plan(first, run.asked), run), run, told.append)
    return grown, results, box, planner, told


def test_a_plan_that_found_everything_stays_as_it_is() -> None:
    first = plan(step("a"), step("b", "repo_search"))
    grown, results, box, planner, told = ran(first, plan(step("c")))
    assert grown == first
    assert [r.step.id for r in results] == ["a", "b"]
    assert not planner.seen
    assert not told
    assert len(box.made) == 2


def test_what_came_back_empty_is_looked_for_another_way_once() -> None:
    first, other = plan(step("a"), step("b", "doc_search")), plan(step("c", "repo_search"), step("d", after=("c",)))
    grown, results, box, planner, told = ran(first, other.model_copy(update={"verification_tips": ("look yourself",)}))
    assert grown.pattern == NOVEL
    assert [s.id for s in grown.steps] == ["a", "b", "c"]  # d asks what a asked
    assert [r.step.id for r in results] == ["a", "b", "c"]
    assert grown.verification_tips == ("look yourself",)
    assert told == [grown]
    (brief,) = planner.seen
    assert [gap.tool for gap in brief.gaps] == ["doc_search"]
    assert [e.id for e in brief.evidence] == ["E1"]
    assert len(box.made) == 3


def test_a_step_of_the_same_name_is_another_step() -> None:
    first, other = plan(step("a", "doc_search")), plan(step("a", query="p50"), step("b", query="p99", after=("a",)))
    grown, *_ = ran(first, other)
    assert [(s.id, s.after) for s in grown.steps] == [("a", ()), ("a_again", ()), ("b", ("a_again",))]


def test_an_agent_that_may_not_plan_again_does_not() -> None:
    first = plan(step("a", "doc_search"))
    grown, _, _, planner, _ = ran(first, plan(step("b")), replace(AGAIN, replan=0))
    assert grown == first
    assert not planner.seen


def test_with_nothing_else_to_try_the_question_is_a_novel_one() -> None:
    grown, results, box, _, told = ran(plan(step("a", "doc_search")), None)
    assert grown.pattern == NOVEL
    assert [r.output.status for r in results] == ["empty"]
    assert len(box.made) == 1
    assert not told


def test_further_steps_keep_the_rules_of_the_agent() -> None:
    first = plan(step("a", "doc_search"))
    other = plan(step("b"), step("c", "repo_search"), step("d", query="p99"))
    grown, *_ = ran(first, other, replace(AGAIN, max_steps=3))
    assert [s.id for s in grown.steps] == ["a", "b", "c"]
    grown, *_ = ran(first, plan(step("b", "drop_tables")))
    assert [s.id for s in grown.steps] == ["a"]


def test_an_answer_of_a_novel_plan_says_so_and_what_to_verify() -> None:
    answer = Answer(headline=Claim(template="t", text="t"), banner="Written without the language model.")
    known = plan(step("a"))
    assert caution(answer, known) is answer
    novel = known.model_copy(
        update={
            "pattern": NOVEL,
            "uncertainties": ("no user was named", "the SQL counts rows as they are stored"),
            "verification_tips": ("Ask for the user.",),
        }
    )
    said = caution(answer, novel)
    assert said.banner == (
        "No known pattern (no user was named): verify before you act. Written without the language model."
    )
    assert [claim.text for claim in said.next_steps] == ["To verify: Ask for the user."]
    assert not said.missing


def test_a_known_plan_that_found_too_little_says_which_tool_did() -> None:
    grown, *_ = ran(plan(step("a"), step("b", "doc_search")), None)
    assert grown.uncertainties == ("doc_search found too little",)
    novel = plan(step("b", "doc_search")).model_copy(update={"pattern": NOVEL, "uncertainties": ("chosen by words",)})
    grown, *_ = ran(novel, None)
    assert grown.uncertainties == ("chosen by words",)


def test_a_step_with_nothing_to_look_up_is_no_reason_for_another_plan() -> None:
    detail = Step(id="b", tool="repo_search", args={"path": "{a.failed}"}, purpose="open it", after=("a",))
    grown, results, box, planner, told = ran(plan(step("a"), detail), plan(step("c")))
    assert [r.output.status for r in results] == ["ok", "empty"]
    assert grown.pattern == "KNOWN"
    assert not planner.seen
    assert not told
    assert len(box.made) == 1


OPS = replace(
    AGAIN,
    tools=("get_request_volume", "get_active_incidents", "get_deployment_status", "metrics_query"),
    validators=("max_steps", "tools_allowed", "order", "ops_first"),
    max_steps=6,
)


def traffic(other: Plan | None, volume: Any = nothing) -> tuple[Plan, FakeToolbox]:
    """A known plan of traffic, asked with a word of how things stand ("today")."""
    first = plan(Step(id="volume", tool="get_request_volume", args={}, purpose="count"))
    box = FakeToolbox(LANDSCAPE, **dict.fromkeys(OPS.tools, lambda args: ToolOutput(summary="looked")))
    box.tools = {**box.tools, "get_request_volume": volume}
    run = Run(
        session=box.open(ToolContext("r1", "operations", NOW), OPS),
        reasoner=Planner(other),  # type: ignore[arg-type]
        asked=Asked("How much traffic did we have today?", INTENT, LANDSCAPE, OPS, rules=RULES, first_tools=OPS_FIRST),
        window=Window(start=NOW.replace(day=20), end=NOW, why="test"),
        report=lambda *detail: None,
    )
    brief = Brief(QUESTION, INTENT, first, LANDSCAPE, (), ())
    grown, _ = look_again(brief, run_plan(check_plan(first, run.asked), run), run, lambda plan: None)
    return grown, box


def test_a_known_plan_without_incidents_grows_by_them_first() -> None:
    look = [Step(id=name, tool=name, args={}, purpose="look") for name in OPS.tools[1:3]]
    wide = Step(id="wide", tool="get_request_volume", args={"since": "7 days ago"}, purpose="look back")
    grown, box = traffic(plan(wide, *look))
    assert grown.pattern == NOVEL
    assert [s.id for s in grown.steps] == ["volume", "get_active_incidents", "get_deployment_status", "wide"]
    assert [c.name for c in box.made][1:] == ["get_active_incidents", "get_deployment_status", "get_request_volume"]


def test_a_known_plan_does_not_grow_without_incidents_when_it_may_be_of_how_things_stand() -> None:
    grown, box = traffic(plan(Step(id="wide", tool="get_request_volume", args={"since": "7 days ago"}, purpose="look")))
    assert [s.id for s in grown.steps] == ["volume"]
    assert len(box.made) == 1


def test_with_nothing_else_to_try_there_is_a_tip() -> None:
    grown, _ = traffic(None)
    assert grown.verification_tips == (
        "ask get_request_volume for a longer span or by another name: oracle tool get_request_volume",
    )


def test_a_plan_has_to_fit_the_time_for_all_tools() -> None:
    limits = replace(AGAIN, parallel=False, tool_timeout_ms=2_000, tools_total_ms=2_000, validators=("time_budget",))
    asked = Asked("what?", INTENT, LANDSCAPE, limits)
    assert check_plan(plan(step("a"), step("b"), step("c")), asked).checked == ("order", "time_budget")
    four = plan(step("a"), step("b"), step("c"), step("d"))
    with pytest.raises(PlanRejected, match="time_budget: 4 steps need 2667 ms, there are 2000 ms for all"):
        check_plan(four, asked)
    assert check_plan(four, replace(asked, limits=replace(limits, parallel=True)))
