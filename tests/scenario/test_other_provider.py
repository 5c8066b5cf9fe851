"""A question through the whole loop with a model of another provider: OpenAI's chat completions, by litellm."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.scenario.conftest import NOW, Oracle, Ran, copy_demo
from tests.support.model_server.replies import Reply, call_tools, say_json, status
from tests.support.model_server.server import CHAT, MessagesServer, Request, anything, model, run_messages_server
from tests.support.model_server.verifier import agree_but

WHY = "Why did latency spike on /api/search after the last deploy?"
ROLES = ("investigator", "verifier", "router", "summary", "compression", "style")
TODO = {"items": [{"text": "see when latency moved", "status": "active"}, {"text": "read what the deploy changed"}]}
LOOK = [
    ("todo", TODO),
    ("metrics_query", {"query": "metric=latency_p95 window=24h endpoint=/api/search"}),
    ("repo_search", {"query": "search cache key"}),
]


@pytest.fixture
def server() -> Iterator[MessagesServer]:
    with run_messages_server(key="k", models=None) as running:
        yield running


@pytest.fixture
def home(built_demo: Path, server: MessagesServer, tmp_path: Path) -> Path:
    """ORACLE_HOME on the demo, with models of an OpenAI-compatible server."""
    home = copy_demo(built_demo, tmp_path / "other")
    chosen = {
        "endpoint": {"provider": "openai", "base_url": f"{server.url}/v1", "api_key": "k"},
        "roles": {role: {"model": f"m-{role}", "price": {"input": 1, "output": 4}} for role in ROLES},
    }
    (home / "config" / "models.yaml").write_text(yaml.safe_dump(chosen))
    return home


def evidence_in(request: Request) -> list[dict[str, Any]]:
    """The evidence in the results of the last turn, a line of JSON each."""
    lines = (line.removeprefix("<data>") for r in request.results for line in str(r["content"]).splitlines())
    return [json.loads(line.removesuffix("</data>")) for line in lines if line.startswith('{"id": "E')]


def investigate(request: Request) -> Reply:
    """Look first, at several things at once; then answer."""
    if len(request.body["messages"]) == 1:
        return call_tools(LOOK, text="Let me look.")
    first = {item["kind"]: item for item in reversed(evidence_in(request))}
    metric, code = first["metric"], first["code"]
    was, now = (metric["facts"][name] for name in ("baseline", "current"))
    answer = {
        "question_type": "debug_incident",
        "headline": {"text": f"p95 latency of /api/search rose from {was} to {now}.", "evidence": [metric["id"]]},
        "metrics": [{"text": f"It peaked at {metric['facts']['peak']}.", "evidence": [metric["id"]]}],
        "code": [{"text": f"The place is {code['at']}.", "evidence": [code["id"]]}],
        "confidence": "high",
    }
    return call_tools([("answer", answer)])


def good(server: MessagesServer) -> None:
    """Every role does its part; the router is asked where the rules only guess."""
    server.on(model("m-router"), say_json({"agent": "research", "confidence": 0.9}))
    server.on(model("m-investigator"), investigate)
    server.on(model("m-verifier"), agree_but())


@pytest.fixture
def ask(oracle: Oracle, home: Path) -> Callable[[], Ran]:
    """Ask while the demo's samples are fresh."""
    return lambda: oracle("ask", WHY, "--json", "--now", NOW.isoformat(), home=home)


def test_the_model_s_own_answer_stands_and_the_conversation_is_as_openai_has_it(
    ask: Callable[[], Ran], server: MessagesServer
) -> None:
    good(server)
    ran = ask()
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["reasoner"] == "m-investigator"
    assert [call["name"] for call in ran.json["tool_calls"]] == ["metrics_query", "repo_search"]
    assert {claim["status"] for claim in (ran.json["answer"]["headline"], *ran.json["answer"]["code"])} == {"supported"}
    assert re.match(
        r"p95 latency of /api/search rose from 0\.2\d* s to 1\.\d+ s", ran.json["answer"]["headline"]["text"]
    )
    assert ran.json["answer"]["banner"] is None
    assert ran.json["usage"]["cost_usd"] > 0
    assert (server.refused, server.unanswered) == ([], [])
    assert {request.path for request in server.requests} == {CHAT}
    _, second, *_ = [json.loads(r.raw)["messages"] for r in server.requests if r.body["model"] == "m-investigator"]
    assert [message["role"] for message in second] == ["system", "user", "assistant", "tool", "tool", "tool"]
    assert [call["id"] for call in second[2]["tool_calls"]] == [message["tool_call_id"] for message in second[3:]]
    assert second[2]["content"] == "Let me look."
    (verified,) = [request for request in server.requests if request.body["model"] == "m-verifier"]
    assert json.loads(verified.raw)["response_format"]["json_schema"]["strict"] is True


def test_the_rules_answer_when_it_fails(ask: Callable[[], Ran], server: MessagesServer) -> None:
    server.on(anything, status(401))
    ran = ask()
    assert ran.code == 0
    assert "its key was refused" in ran.json["answer"]["banner"]
    assert ran.json["reasoner"] == "rules"
