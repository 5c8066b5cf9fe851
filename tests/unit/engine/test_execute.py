"""What is reported of each step while a plan runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.engine_fakes import FakeToolbox
from tests.support.latency_evidence import EVIDENCE, NOW
from tests.support.reasoner_inputs import INTENT, LIMITS, RULES
from tests.unit.engine.test_run import CHANGES, LANDSCAPE, SILENT, ask, documents, engine, metrics
from workers.contracts import Evidence, Fact, Plan, Proposal, Scalar, Step, ToolOutput, Window
from workers.engine.execute import (
    MAX_SOURCES,
    Run,
    StepResult,
    name_gaps,
    number_evidence,
    proposals_of,
    run_plan,
    sources_of,
)
from workers.engine.run import Pipeline
from workers.engine.validate import check_plan
from workers.ports import Asked, ToolContext

Event = tuple[Step, str, str, tuple[tuple[str, str], ...]]


def watch(built: Pipeline) -> tuple[Pipeline, list[Event]]:
    seen: list[Event] = []

    def progress(event: str, detail: object) -> None:
        if event == "step":
            assert isinstance(detail, tuple)
            seen.append(detail)  # type: ignore[arg-type]

    return Pipeline(**{**vars(built), "progress": progress}), seen


def item(title: str, url: str | None) -> Evidence:
    return Evidence(kind="doc", title=title, locator=title, url=url)


def test_every_step_is_reported_when_it_runs_and_when_it_ended(home: Path) -> None:
    def linked(args: Mapping[str, Scalar]) -> ToolOutput:
        found = documents(args)
        urls = [e.model_copy(update={"url": "https://docs.example/search"}) for e in found.evidence]
        return found.model_copy(update={"evidence": tuple(urls), "summary": "1 section"})

    box = FakeToolbox(LANDSCAPE, metrics_query=metrics, **CHANGES, doc_search=linked)
    built, seen = watch(engine(home, box))
    log = ask(built, "Why is /api/search slow since yesterday's deploy?")
    assert log.plan is not None
    for step in (s for s in log.plan.steps if s.tool in box.tools and s.id != "values"):
        (began, ended) = [e for e in seen if e[0].id == step.id]
        assert began[1:] == ("running", "", ())
        assert ended[1] == "ok"
    (docs,) = [e for e in seen if e[0].tool == "doc_search" and e[1] != "running"][:1]
    assert docs[2] == "1 section"
    assert docs[3] == ((documents({}).evidence[0].title, "https://docs.example/search"),)


def test_a_step_that_found_nothing_says_why_and_has_no_source(home: Path) -> None:
    box = FakeToolbox(LANDSCAPE, **SILENT)
    built, seen = watch(engine(home, box))
    ask(built, "Why is /api/search slow since yesterday's deploy?")
    ended = [e for e in seen if e[1] != "running"]
    assert ended
    assert all(
        (status, found.startswith("nothing for"), where) == ("empty", True, ()) for _, status, found, where in ended
    )


@pytest.mark.parametrize(
    ("evidence", "sources"),
    [
        ((), ()),
        ((item("a", None), item("b", "file:///etc"), item("c", "javascript:1")), ()),
        (
            (item("a", "https://x/1"), item("again", "https://x/1"), item("b", "http://x/2")),
            (("a", "https://x/1"), ("b", "http://x/2")),
        ),
    ],
)
def test_sources_are_web_addresses_once_each(
    evidence: tuple[Evidence, ...], sources: tuple[tuple[str, str], ...]
) -> None:
    assert sources_of(ToolOutput(evidence=evidence)) == sources


def test_sources_are_few() -> None:
    many = tuple(item(str(i), f"https://x/{i}") for i in range(50))
    assert len(sources_of(ToolOutput(evidence=many))) == MAX_SOURCES


def open_lowest(first: ToolOutput) -> tuple[tuple[StepResult, ...], FakeToolbox]:
    """Look, then open what the look found."""
    box = FakeToolbox(LANDSCAPE, look=lambda args: first, get_request_detail=lambda args: ToolOutput(summary=str(args)))
    slots: dict[str, Scalar] = {"request_id": "{look.lowest_request}", "kind": "{look.kind|}"}
    steps = (
        Step(id="look", tool="look", args={}, purpose="look"),
        Step(id="detail", tool="get_request_detail", args=slots, purpose="open it", after=("look",)),
    )
    limits = replace(LIMITS, refine=1, validators=())
    run = Run(
        session=box.open(ToolContext("r1", "operations", NOW), limits),
        reasoner=None,  # type: ignore[arg-type]
        asked=Asked("Which was worst?", INTENT, LANDSCAPE, limits, rules=RULES),
        window=Window(start=NOW.replace(day=20), end=NOW, why="test"),
        report=lambda *detail: None,
    )
    return run_plan(check_plan(Plan(pattern="P", query_intent="look", steps=steps), run.asked), run), box


def test_a_step_whose_argument_nobody_found_is_not_run() -> None:
    results, box = open_lowest(ToolOutput(status="ok", summary="no scores"))
    assert [c.name for c in box.made] == ["look"]
    assert (results[1].output.status, results[1].calls) == ("empty", ())
    (gap,) = name_gaps(results)
    assert gap.text == "get_request_detail: there was nothing to look up: no earlier step found its request_id"


def test_sources_that_were_not_read_are_gaps_once() -> None:
    said = {"unavailable": ["shop is being cloned (42 %)"]}
    found = [
        StepResult(
            Step(id="look", tool="look", args={}, purpose="look"),
            (),
            ToolOutput(status=status, summary="x", reason="nothing names y", data=said),
            (),
        )
        for status in ("ok", "empty", "ok")
    ]
    assert [gap.text for gap in name_gaps(found)] == [
        "look: nothing names y",
        "look: shop is being cloned (42 %)",
    ]


def test_a_step_runs_with_what_was_found_and_without_what_may_be_left_out() -> None:
    fact = Fact(value="r7", entity="owl")
    found = EVIDENCE["E1"].model_copy(update={"facts": {"lowest_request": fact}})
    results, box = open_lowest(ToolOutput(evidence=(found,)))
    assert [c.args for c in box.made] == [{}, {"request_id": "r7", "kind": ""}]
    assert results[1].output.status == "ok"


def proposing(step_id: str, *proposals: Proposal) -> StepResult:
    step = Step(id=step_id, tool="vault_write", args={}, purpose="write")
    return StepResult(step, (), ToolOutput(proposals=proposals), ())


def change(title: str, key: str = "") -> Proposal:
    return Proposal(tool="vault_write", args={"title": title}, title=title, preview=f"+ {title}", key=key)


def test_each_change_is_proposed_once_and_of_those_with_one_key_the_last() -> None:
    results = (
        proposing("a", change("first", "note"), change("same")),
        proposing("b", change("same"), change("second", "note"), change("other")),
    )
    assert [p.title for p in proposals_of(results)] == ["second", "same", "other"]
    assert proposals_of(()) == ()


def test_changes_of_one_tool_are_pieces_of_evidence_of_their_own() -> None:
    found = number_evidence((proposing("a", change("first"), change("second")), proposing("b", change("first"))))
    assert [(e.id, e.step, e.facts["change"].value, e.excerpt) for e in found] == [
        ("E1", "a", "first", "+ first"),
        ("E2", "a", "second", "+ second"),
    ]
