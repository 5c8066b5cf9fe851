"""What a tool returns after its time limit is used, as long as the answer is not written."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tests.support.engine_fakes import NOW
from tests.support.reasoner_inputs import INTENT, LIMITS, MODULE
from tests.support.toolkit_parts import (
    PATIENT_MS,
    EchoArgs,
    ManualClock,
    make_context,
    make_limits,
    make_session,
    make_tool,
)
from tests.unit.engine.test_run import LANDSCAPE, ask, documents, engine, given, metrics, repository
from workers.contracts import Landscape, Plan, RequestLog, Scalar, Step, ToolOutput, Window
from workers.engine.execute import Run, StepResult, name_gaps, run_plan
from workers.engine.run import Pipeline
from workers.engine.validate import Asked, check_plan
from workers.ports import Limits, Playbook, ToolContext, ToolSession, ToolSpec
from workers.reasoning.rules import RulesReasoner
from workers.toolkit.tool import Tool
from workers.toolkit.tool_call import CallSession, Wrapped

WINDOW = Window(start=NOW.replace(day=20), end=NOW, why="test")
FOUND = given("E7")


def step(name: str, *after: str) -> Step:
    return Step(id=name, tool=name, args={"query": "q"}, purpose=f"ask {name}", after=after)


def run(session: ToolSession, steps: tuple[Step, ...], told: list[tuple[str, str]]) -> tuple[StepResult, ...]:
    tools = tuple(s.tool for s in steps)
    limits = replace(LIMITS, tools=tools, refine=0, validators=())
    made = Run(
        session=session,
        reasoner=RulesReasoner("test", {"test": MODULE}, Playbook({})),
        asked=Asked("why?", INTENT, Landscape(), limits),
        window=WINDOW,
        report=lambda step, status, found, sources: told.append((step.id, status)),
    )
    plan = Plan(pattern="P", query_intent="q", steps=steps)
    return run_plan(check_plan(plan, made.asked), made)


def session_of(tools: tuple[Tool, ...], slow: str, **limits: int) -> CallSession:
    """Tools in a session, one of them with hardly any time."""
    made = make_session(*tools, limits=make_limits(tools=tuple(t.name for t in tools), **limits))
    made.tools = {t.name: Wrapped(t, 20 if t.name == slow else None) for t in tools}
    return made


def test_what_comes_while_other_steps_run_is_evidence_and_no_gap() -> None:
    let_go, ended = threading.Event(), threading.Event()

    def late(args: EchoArgs, context: ToolContext) -> ToolOutput:
        let_go.wait(60)
        return FOUND

    def other(args: EchoArgs, context: ToolContext) -> ToolOutput:
        let_go.set()
        session.late_came()
        return ToolOutput(summary="done")

    class Watched(CallSession):
        def late_came(self) -> None:
            """Wait until the late call has its result."""
            for _, call in self.running:
                call.outcome.result(timeout=60)
            ended.set()

    tools = (make_tool(late, name="late"), make_tool(other, name="other"))
    plain = session_of(tools, "late")
    session = Watched(
        plain.tools, make_context(), plain.limits, cache=plain.cache, redactor=plain.redactor,
        monotonic_ms=plain.monotonic_ms,
    )  # fmt: skip
    told: list[tuple[str, str]] = []
    first, _ = run(session, (step("late"), step("other", "late")), told)
    assert ended.is_set()
    assert (first.output, [c.status for c in first.calls]) == (FOUND, ["ok"])
    assert "more than its limit" in first.calls[0].summary
    assert [status for name, status in told if name == "late"] == ["running", "timeout", "ok"]
    assert name_gaps([first]) == ()


def test_when_nothing_else_was_found_the_late_tool_is_waited_for() -> None:
    asked = threading.Event()

    def late(args: EchoArgs, context: ToolContext) -> ToolOutput:
        asked.wait(60)
        return FOUND

    class Waiting(CallSession):
        def late(self, *, wait: bool = False) -> tuple:  # type: ignore[type-arg]
            if wait:
                asked.set()
            return super().late(wait=wait)

    plain = session_of((make_tool(late, name="late"),), "late", tools_total_ms=PATIENT_MS)
    session = Waiting(
        plain.tools, make_context(), plain.limits, cache=plain.cache, redactor=plain.redactor,
        monotonic_ms=plain.monotonic_ms,
    )  # fmt: skip
    (only,) = run(session, (step("late"),), [])
    assert only.output == FOUND


def test_what_never_comes_is_a_gap_that_says_for_how_long_it_was_waited() -> None:
    release = threading.Event()

    def hung(args: EchoArgs, context: ToolContext) -> ToolOutput:
        release.wait(60)
        return FOUND

    tools = (make_tool(hung, name="hung"), make_tool(lambda args, context: FOUND, name="quick"))
    hung_result, _ = run(session_of(tools, "hung"), (step("hung"), step("quick")), [])
    release.set()
    record = hung_result.calls[0].model_copy(update={"start_ms": 0.0, "end_ms": 15_004.0})
    (gap,) = name_gaps([replace(hung_result, calls=(record,))])
    assert gap.text == "hung did not answer in time (15 s), so I could not ask hung"


def test_the_time_of_loading_is_no_time_that_the_tool_was_waited_for() -> None:
    clock, release = ManualClock(), threading.Event()

    def load() -> None:
        clock.at_ms += 30_000

    def hung(args: EchoArgs, context: ToolContext) -> ToolOutput:
        release.wait(60)
        return FOUND

    tools = (replace(make_tool(hung, name="hung"), prepare=load), make_tool(lambda args, context: FOUND, name="quick"))
    session = session_of(tools, "hung")
    session.monotonic_ms, session.opened_ms = clock, 0.0
    hung_result, _ = run(session, (step("hung"), step("quick")), [])
    release.set()
    (gap,) = name_gaps([hung_result])
    assert gap.text == "hung did not answer in time, so I could not ask hung"


@dataclass
class Box:
    """Tools of which one is never done in time."""

    session: CallSession
    names: Landscape = LANDSCAPE

    def open(self, context: ToolContext, limits: Limits) -> CallSession:
        return self.session

    def landscape(self, context: ToolContext) -> Landscape:
        return self.names

    def specs(self, limits: Limits) -> tuple[ToolSpec, ...]:
        return ()

    def mistakes(self, name: str, args: Mapping[str, Scalar]) -> str:
        return ""


def answered(home: Path, hung: str, text: str) -> RequestLog:
    """A question of which one tool hangs."""
    release = threading.Event()
    answers = {"metrics_query": metrics, "repo_search": repository, "doc_search": documents}

    class Free(EchoArgs, extra="allow"):
        query: str = ""

    def tool(name: str) -> Tool:
        def work(args: Free, context: ToolContext) -> ToolOutput:
            if name == hung:
                release.wait(60)
            return answers[name](args.model_dump())

        return replace(make_tool(work, name=name), args=Free)

    made = session_of(tuple(map(tool, answers)), hung)
    built: Pipeline = replace(engine(home, None), toolbox=Box(made))  # type: ignore[arg-type]
    try:
        return ask(built, text)
    finally:
        release.set()


def test_the_headline_is_of_the_tools_that_answered(home: Path) -> None:
    for hung in ("metrics_query", "repo_search", "doc_search"):
        log = answered(home, hung, "Why is /api/search slow since yesterday's deploy?")
        assert log.answer is not None
        assert {c.status for c in log.tool_calls if c.name == hung} == {"timeout"}
        late = "metrics_query did not answer in time, so I can't say how /api/search behaved."
        assert log.answer.headline.text == late if hung == "metrics_query" else log.answer.headline.evidence
        assert any(g.tool == hung and "did not answer in time" in g.text for g in log.answer.missing), hung
