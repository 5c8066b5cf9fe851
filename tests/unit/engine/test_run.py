"""The way of one question, with hand-written ports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.agent_rules import rules
from tests.support.engine_fakes import NOW, FakeClock, FakeStore, FakeToolbox, nothing
from tests.support.latency_evidence import EVIDENCE
from workers.agents.registry import build_agents, build_likelihood
from workers.contracts import Deploy, Evidence, Fact, Landscape, Question, RequestLog, Scalar, ToolOutput
from workers.engine.run import Pipeline
from workers.settings.load import load_settings

LANDSCAPE = Landscape(
    labels={"endpoint": ("/api/search", "/api/checkout"), "service": ("shop",)},
    deploys=(Deploy(service="shop", version="v1.42.0", commit="4f2c1ab", at=NOW.replace(day=20, hour=14, minute=4)),),
)
CHANGE = Evidence(
    kind="change",
    title="Add result cache",
    locator="4f2c1ab",
    excerpt="Add result cache",
    facts={
        "commit": Fact(value="4f2c1ab9d0e1f2a3b4c5d6e7f8091a2b3c4d5e6f", unit="commit"),
        "short": Fact(value="4f2c1ab", unit="commit"),
        "role": Fact(value="cause"),
        "subject": Fact(value="Add result cache"),
        "author": Fact(value="Priya"),
        "at": Fact(value="2026-11-20T13:50:00+00:00", unit="time"),
        "file_1": Fact(value="search/cache.py", unit="path"),
        "hunk_1": Fact(value="search/cache.py:12-16", unit="lines"),
        "hunk_1_text": Fact(value="parts.append(str(request.received_at))\n# the cache key"),
    },
)


def given(*keys: str) -> ToolOutput:
    return ToolOutput(evidence=tuple(EVIDENCE[k].model_copy(update={"id": ""}) for k in keys), summary="found")


def metrics(args: Mapping[str, Scalar]) -> ToolOutput:
    return given("E1", "E3", "E4", "E6")


VERDICT = Evidence(
    kind="incident",
    title="Incident of shop",
    locator="incident:verdict",
    facts={
        "cause_kind": Fact(value="commit"),
        "sure": Fact(value="high"),
        "commits": Fact(value=2, unit="count"),
        "releases": Fact(value=1, unit="count"),
    },
)


def causes(args: Mapping[str, Scalar]) -> ToolOutput:
    return ToolOutput(evidence=(VERDICT, CHANGE))


def repository(args: Mapping[str, Scalar]) -> ToolOutput:
    return given("E5")


def documents(args: Mapping[str, Scalar]) -> ToolOutput:
    return given("E7")


CHANGES = {"candidate_causes": causes, "repo_search": repository}
SILENT = dict.fromkeys(("metrics_query", "candidate_causes", "repo_search", "doc_search"), nothing)


def engine(home: Path, toolbox: FakeToolbox) -> Pipeline:
    settings = load_settings(home=home)
    likely = build_likelihood(settings)
    reasoner = replace(rules(settings, "research"), likely=likely)
    return Pipeline(
        build_agents(settings), "research", toolbox, lambda _: reasoner, FakeStore(), FakeClock(), likely=likely
    )


def ask(built: Pipeline, text: str) -> RequestLog:
    return built.ask(Question(request_id="r1", text=text, received_at=NOW))


@pytest.fixture
def answered(home: Path) -> RequestLog:
    box = FakeToolbox(LANDSCAPE, metrics_query=metrics, **CHANGES, doc_search=documents)
    return ask(engine(home, box), "Why is /api/search slow since yesterday's deploy?")


def test_the_answer_joins_metric_change_code_and_runbook(answered: RequestLog) -> None:
    answer = answered.answer
    assert answer is not None
    assert answered.grounded
    assert answer.headline.text == (
        "p95 latency of /api/search rose from 210 ms to 1.9 s at 14:06 UTC yesterday, "
        "2 minutes after deploy shop v1.42.0 (4f2c1ab), and has not come back."
    )
    assert "Add result cache" in answer.what_changed[0].text
    assert any(c.status == "hypothesis" for c in answer.what_changed)
    assert "1 minute before" in " ".join(c.text for c in answer.metrics)
    assert answer.code[0].text.startswith("search/cache.py:12-16")
    assert answer.docs[0].text.startswith("*Search latency › Cache misconfiguration*")
    assert answer.next_steps[0].text == "Check the cache key. → search/cache.py:12-16"


def test_every_claim_cites_evidence_that_is_there(answered: RequestLog) -> None:
    assert answered.answer is not None
    known = {e.id for e in answered.evidence}
    for section in ("what_changed", "metrics", "code", "docs", "next_steps"):
        for claim in getattr(answered.answer, section):
            assert claim.evidence
            assert set(claim.evidence) <= known


def test_metrics_are_asked_before_anything_is_claimed_of_them(answered: RequestLog) -> None:
    assert answered.tool_calls[0].name == "metrics_query"
    assert [c.step for c in answered.tool_calls[:2]] == ["metric", "change"]


def test_the_change_step_looks_before_the_suspect_deploy(answered: RequestLog) -> None:
    change = next(c for c in answered.tool_calls if c.step == "change")
    assert change.args["until"] == "2026-11-20T14:05:00Z"


def test_nothing_found_is_said_with_what_was_tried_and_nothing_else(home: Path) -> None:
    box = FakeToolbox(LANDSCAPE, **SILENT)
    log = ask(engine(home, box), "Why is /api/doesnotexist slow?")
    assert log.answer is not None
    assert log.answer.headline.text.startswith(
        "I found nothing about /api/doesnotexist. Endpoints with metrics here: /api/"
    )
    assert not any(getattr(log.answer, s) for s in ("what_changed", "metrics", "code", "docs", "next_steps"))
    assert {g.tool for g in log.answer.missing if g.tool} == {
        "metrics_query",
        "candidate_causes",
        "repo_search",
        "doc_search",
        "memory_search",
    }
    assert all(c.attempt <= 2 for c in log.tool_calls)
    assert "metrics_query 6 times" in log.answer.missing[-1].text


def test_two_meanings_ask_back_with_the_candidates_reasons(home: Path) -> None:
    rows = [{"value": "/api/checkout", "baseline": 0.1, "current": 0.9, "onset_at": "2026-11-21T09:00:00Z"}]

    def candidates(args: Mapping[str, Scalar]) -> ToolOutput:
        return ToolOutput(data={"unit": "s", "candidates": rows}, evidence=metrics(args).evidence)

    box = FakeToolbox(LANDSCAPE, metrics_query=candidates, repo_search=nothing, doc_search=nothing)
    log = ask(engine(home, box), "is it slow?")
    assert [(e.id, e.step) for e in log.evidence][:1] == [("E1", "options")]
    assert {n: f.value for n, f in log.evidence[-1].facts.items()} == {
        k: rows[0][k] for k in ("baseline", "current", "onset_at")
    }
    assert log.answer is not None
    assert log.answer.kind == "clarify"
    first = log.answer.options[0]
    assert (first.value, first.reason) == ("/api/checkout", "p95 rose from 100 ms to 900 ms at 09:00 UTC today")


@pytest.mark.parametrize(
    "text", ["restart the search service", "please delete the staging database", "show me the api keys"]
)
def test_actions_and_secrets_are_refused_before_any_tool(home: Path, text: str) -> None:
    box = FakeToolbox(LANDSCAPE, **SILENT)
    log = ask(engine(home, box), text)
    assert log.answer is not None
    assert log.answer.kind == "refusal"
    assert not box.made


def test_one_failed_tool_leaves_the_rest_and_is_named(home: Path) -> None:
    def down(args: Mapping[str, Scalar]) -> ToolOutput:
        return ToolOutput(status="error", reason="prometheus at http://x answered 502")

    box = FakeToolbox(LANDSCAPE, metrics_query=down, **CHANGES, doc_search=documents)
    log = ask(engine(home, box), "Why is /api/search slow since yesterday's deploy?")
    assert log.answer is not None
    assert any("answered 502" in g.text for g in log.answer.missing)
    assert not log.answer.metrics
