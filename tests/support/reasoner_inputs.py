"""What a reasoner thinks about: names that exist, an agent's limits, tools that are never called, and a brief."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from tests.support.engine_fakes import NOW, FakeToolbox, nothing
from tests.support.latency_evidence import EVIDENCE
from workers.agents import operations, research
from workers.agents.registry import read_module
from workers.contracts import Claim, Deploy, Draft, Gap, Intent, Landscape, MetricInfo, Plan, Question, Step, Window
from workers.ports import Brief, Limits, ReasoningContext

LANDSCAPE = Landscape(
    metrics=(MetricInfo(name="latency_p95", unit="s", aliases=("p95",)),),
    labels={"endpoint": ("/api/search", "/api/checkout"), "service": ("shop",)},
    repositories=("shop",),
    documents=("docs/runbooks/search.md",),
    deploys=(Deploy(service="shop", version="v1.42.0", commit="4f2c1ab", at=NOW.replace(day=20, hour=14, minute=4)),),
)
LIMITS = Limits(
    tools=("metrics_query", "repo_search", "doc_search"),
    max_tool_calls=12,
    overflow="stop",
    tool_timeout_ms=800,
    tools_total_ms=1_500,
    parallel=True,
    refine=1,
    max_steps=8,
    validators=("max_steps", "tools_allowed", "order", "research_grounding"),
)
RULES = {**research.VALIDATORS, **operations.VALIDATORS}
MODULE = replace(read_module(research, "tests"), VALIDATORS=RULES)
"""Research, with what plans of operations are held to."""
QUESTION = Question(
    request_id="r1",
    text="Why is /api/search slow since yesterday's deploy?",
    asker="U1",
    team="T1",
    received_at=NOW,
    context=("I looked at search/cache.py:12 before",),
)
INTENT = Intent(
    question_type="debug_incident",
    subjects=("/api/search",),
    time_hints=("since yesterday's deploy",),
    window=Window(start=NOW - timedelta(days=1), end=NOW, why="since yesterday's deploy"),
)
STANDING = Plan(
    pattern="P1",
    query_intent="find what changed",
    steps=(
        Step(id="metric", tool="metrics_query", args={"query": "latency_p95 of /api/search"}, purpose="see it move"),
        Step(id="code", tool="repo_search", args={"query": "search cache"}, purpose="find the code"),
    ),
)


def toolbox() -> FakeToolbox:
    return FakeToolbox(LANDSCAPE, metrics_query=nothing, repo_search=nothing, doc_search=nothing)


def thinking(question: Question = QUESTION, **changes: Any) -> ReasoningContext:
    base = ReasoningContext(question, "research", LIMITS, toolbox(), LANDSCAPE, MODULE)
    return replace(base, **changes)


def brief(**changes: Any) -> Brief:
    made = Brief(
        question=QUESTION,
        intent=INTENT,
        plan=STANDING,
        landscape=LANDSCAPE,
        evidence=tuple(EVIDENCE.values()),
        calls=(),
        gaps=(Gap(text="doc_search: nothing found", tool="doc_search"),),
    )
    return replace(made, **changes)


DRAFT = Draft(headline=Claim(template="{E1.metric} of /api/search rose.", evidence=("E1",)), confidence="high")
