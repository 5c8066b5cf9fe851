"""Turn by turn: every call is the agent's and within its budget, and a loop ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from tests.support.engine_fakes import FakeToolbox, nothing
from tests.support.latency_evidence import EVIDENCE, NOW
from tests.support.reasoner_inputs import INTENT, LANDSCAPE, LIMITS, QUESTION, RULES
from workers.contracts import Plan, Scalar, Step, ToolOutput, Window
from workers.engine.execute import Run
from workers.engine.tool_loop import LOOP, run_loop
from workers.ports import Asked, Brief, Limits, ToolContext, Turn

EMPTY = Plan(pattern=LOOP, query_intent="look", steps=())
LONG = Window(start=NOW.replace(day=20), end=NOW, why="test")
Chooses = Callable[[Brief, Sequence[Turn]], tuple[Step, ...]]


class Chooser:
    """Only chooses steps; remembers what it was shown."""

    def __init__(self, chooses: Chooses) -> None:
        self.chooses, self.seen = chooses, list[tuple[Brief, tuple[Turn, ...]]]()

    def choose_steps(self, brief: Brief, turns: Sequence[Turn]) -> tuple[Step, ...]:
        self.seen.append((brief, tuple(turns)))
        return self.chooses(brief, turns)

    def refine_query(self, *args: Any) -> None:
        return None


def found(args: Mapping[str, Scalar]) -> ToolOutput:
    return ToolOutput(evidence=(EVIDENCE["E1"],), summary="found")


def looped(chooses: Chooses, limits: Limits = LIMITS) -> tuple[Any, Any, FakeToolbox, Chooser, list[Plan]]:
    box = FakeToolbox(LANDSCAPE, metrics_query=found, repo_search=found, doc_search=nothing)
    chooser, told = Chooser(chooses), list[Plan]()
    run = Run(
        session=box.open(ToolContext("r1", "research", NOW), limits),
        reasoner=chooser,  # type: ignore[arg-type]
        asked=Asked(QUESTION.text, INTENT, LANDSCAPE, limits, rules=RULES),
        window=LONG,
        report=lambda *detail: None,
    )
    brief = Brief(QUESTION, INTENT, EMPTY, LANDSCAPE, (), ())
    plan, results, _ = run_loop(brief, run, told.append)
    return plan, results, box, chooser, told


def call(number: int, tool: str = "metrics_query") -> Step:
    return Step(id=f"call_{number}", tool=tool, args={"query": "p95"}, purpose="look")


def test_turns_build_a_plan_and_see_what_came_back() -> None:
    def chooses(brief: Brief, turns: Sequence[Turn]) -> tuple[Step, ...]:
        return [(call(1), call(2, "repo_search")), (call(3, "doc_search"),), ()][len(turns)]

    plan, results, box, chooser, told = looped(chooses)
    assert [s.id for s in plan.steps] == ["call_1", "call_2", "call_3"]
    assert [r.step.id for r in results] == ["call_1", "call_2", "call_3"]
    assert sorted(c.name for c in box.made) == ["doc_search", "metrics_query", "repo_search"]
    (first, second) = chooser.seen[-1][1]
    assert [o.status for o in first.outputs] == ["ok", "ok"]
    assert [o.status for o in second.outputs] == ["empty"]
    assert [len(p.steps) for p in told] == [2, 3]
    assert plan.pattern == LOOP


def test_a_tool_that_is_not_the_agent_s_is_never_called() -> None:
    def chooses(brief: Brief, turns: Sequence[Turn]) -> tuple[Step, ...]:
        return () if turns else (call(1, "shell"), call(2), call(3, "repo_search"))

    plan, _, box, chooser, _ = looped(chooses)
    assert sorted(c.name for c in box.made) == ["metrics_query", "repo_search"]
    assert [s.tool for s in plan.steps] == ["metrics_query", "repo_search"]
    (turn,) = chooser.seen[-1][1]
    assert turn.outputs[0].status == "denied"
    assert "there are metrics_query, repo_search, doc_search" in turn.outputs[0].reason
    assert "shell" not in turn.outputs[0].reason


def test_a_loop_that_never_stops_is_stopped() -> None:
    plan, _, box, _, _ = looped(lambda brief, turns: (call(len(turns)),))
    assert len(plan.steps) == len(box.made) == LIMITS.max_turns == 15


def test_turns_with_foreign_tools_alone_count_too() -> None:
    plan, results, box, chooser, _ = looped(lambda brief, turns: (call(len(turns), "shell"),))
    assert (plan.steps, results, box.made) == ((), (), [])
    assert len(chooser.seen) == LIMITS.max_turns


def test_who_stops_too_early_is_told_once_what_the_rules_need() -> None:
    def chooses(brief: Brief, turns: Sequence[Turn]) -> tuple[Step, ...]:
        if not turns:
            return (call(1),)
        return (call(2, "repo_search"),) if brief.notes and len(turns) == 1 else ()

    plan, _, _, chooser, _ = looped(chooses)
    assert [s.tool for s in plan.steps] == ["metrics_query", "repo_search"]
    notes = [brief.notes for brief, _ in chooser.seen]
    assert [len(n) for n in notes] == [0, 0, 1, 1]
    assert notes[-1][0].endswith("needs repo_search")


def test_who_insists_is_let_go() -> None:
    plan, results, _, chooser, _ = looped(lambda brief, turns: ())
    assert (plan.steps, results) == ((), ())
    assert len(chooser.seen) == 2


@pytest.mark.parametrize("again", ["call_1", "call_2"])
def test_nothing_runs_twice_under_one_id(again: str) -> None:
    from workers.errors import PlanRejected

    def chooses(brief: Brief, turns: Sequence[Turn]) -> tuple[Step, ...]:
        step = call(1).model_copy(update={"id": again})
        return () if turns else (step, step)

    with pytest.raises(PlanRejected, match="stands twice"):
        looped(chooses)
