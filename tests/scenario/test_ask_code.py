"""Questions to a repository alone: no documents and no metrics are connected."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.scenario.conftest import Oracle
from tests.support.git_repositories import commit, make_repository
from tests.support.tables import sqlite_tables

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
POLICY = "class RetryPolicy:\n    attempts = 3\n\n    def wait(self):\n        return self.attempts\n"
ROUTES = "def add(app):\n    app.get('/users/{id}/teams', list_teams)\n\n\ndef list_teams(id):\n    return []\n"


OPTIONS = """package config

func newOptions() options {
    return options{
        "POLLING_LIMIT": {
            parsedIntValue: 3,
            rawValue:       "3",
        },
    }
}

func (o options) pollingLimit() int {
    return o["POLLING_LIMIT"].parsedIntValue
}
"""
BODY = """fn with_limited_body(self) -> Request {
    const DEFAULT_LIMIT: usize = 2_097_152;

    match self.kind() {
        Some(DefaultLimitKind::Disable) => self,
        None => self.map(|b| Body::limited(b, DEFAULT_LIMIT)),
    }
}
"""
SERVE = "def serve(app, port, use_reloader=False):\n    app.run(port, use_reloader)\n"
STOCK = (
    "".join(f"# Stock {i}.\nSTOCK_{i} = {i}\n" for i in range(12)) + "class RestockLimitReached(Exception):\n    pass\n"
)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files: dict[str, str | bytes] = {"net/old.py": POLICY, "web/routes.py": ROUTES}
    folder = make_repository(
        tmp_path_factory.mktemp("code") / "shop", {"README.md": "# Shop\n"}, NOW - timedelta(days=30)
    )
    files |= {"config/options.go": OPTIONS, "web/body.rs": BODY, "web/serve.py": SERVE, "web/stock.py": STOCK}
    files["web/handle.go"] = "package web\n\nfunc handle(o options) {\n    o.pollingLimit()\n}\n"
    commit(folder, files, "Try again when the bank is late", NOW - timedelta(days=20))
    commit(folder, {"net/old.py": None, "net/retry.py": POLICY}, "Name it retry", NOW - timedelta(days=9))
    commit(folder, {"web/routes.py": ROUTES + "\n\nLIMIT = 5\n"}, "Limit teams", NOW - timedelta(days=5))
    return folder


@pytest.fixture
def home(home: Path) -> Path:
    """ORACLE_HOME with a database: its tables need not be made by each command."""
    sqlite_tables(home / "oracle.db")
    return home


@pytest.fixture
def ask(oracle: Oracle, shop: Path, home: Path) -> Any:
    (home / "config").mkdir(parents=True, exist_ok=True)
    (home / "config" / "agents.yaml").write_text("research: {tool_timeout_ms: 8000, tools_total_ms: 16000}\n")

    def run(question: str) -> dict[str, Any]:
        ran = oracle("ask", question, "--repo", str(shop), "--json", "--now", NOW.isoformat(), home=home)
        assert ran.code == 0, ran.err
        log: dict[str, Any] = ran.json
        assert log["struck"] == []
        return log

    return run


def head(log: dict[str, Any]) -> str:
    return str(log["answer"]["headline"]["text"])


def missing(log: dict[str, Any]) -> str:
    return " ".join(g["text"] for g in log["answer"]["missing"])


def test_braces_stay_as_they_are_typed(ask: Any) -> None:
    log = ask("where is the route /users/{id}/teams defined?")
    assert log["tool_calls"][0]["args"]["query"] == "where is the route /users/{id}/teams defined?"
    assert "web/routes.py" in head(log)


def test_what_changed_is_told_from_commits_where_there_is_nothing_else(ask: Any) -> None:
    log = ask("what changed in the last ten days?")
    assert "“Limit teams”" in head(log)
    assert "“Name it retry”" in log["answer"]["what_changed"][0]["text"]
    assert head(ask("what changed yesterday?")) == "No deploy is known in that time."


def test_sources_that_are_not_needed_are_not_missed(ask: Any) -> None:
    assert "connected" not in missing(ask("where is RetryPolicy defined?"))
    assert "no document in" in missing(ask("why do we have a RetryPolicy?"))


def test_the_value_of_a_key_in_a_map_of_options(ask: Any) -> None:
    log = ask("what is POLLING_LIMIT set to?")
    assert "config/options.go:5-8" in head(log)
    assert "parsedIntValue: 3" in head(log)
    log = ask("what is the default of use_reloader?")
    assert "web/serve.py:1" in head(log)
    assert "use_reloader=False" in head(log)


def test_an_arm_of_a_match_is_no_setting(ask: Any) -> None:
    assert "const DEFAULT_LIMIT: usize = 2_097_152;" in head(ask("what is the default limit of bodies set to?"))


def test_a_search_shows_the_lines_that_match(oracle: Oracle, shop: Path, home: Path) -> None:
    ran = oracle("search", "code", "RestockLimitReached", "--repo", str(shop), "-k", "1", home=home)
    assert "class RestockLimitReached(Exception):" in ran.out


RECORD = """---
status: accepted
decision-makers: Ada, Grace
---
# Use Redis streams for the queue

## Context and Problem Statement

Jobs must survive a restart of a worker. We choose Redis streams or another queue. Why a queue at all is told elsewhere.

## Decision Outcome

Chosen option: "Redis streams", because we run Redis already.
"""


def test_why_something_was_chosen(oracle: Oracle, home: Path, tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "docs/adr/0007-queue.md": RECORD,
        "poll.py": "def poll(queue):\n    wait(POLL_SECONDS)\n\n\nPOLL_SECONDS = 30\n",
        ".github/dependabot.yml": "version: 2\nupdates:\n  - schedule:\n      interval: weekly\n",
    }
    folder = str(make_repository(tmp_path / "jobs", files, NOW))
    for question in ("why did we choose Redis streams?", "why do we use redis streams for the queue"):
        log = oracle("ask", question, "--repo", folder, "--docs", f"{folder}/docs", "--json", home=home).json
        assert "Decision Outcome*: Chosen option:" in head(log)
        assert "decision-makers" not in str(log["answer"])
    log = oracle("ask", "where are the poll seconds configured?", "--repo", folder, "--json", home=home).json
    assert "POLL_SECONDS = 30" in head(log)
    assert "dependabot" not in str(log["answer"])


TRACE = """panic: runtime error: invalid memory address

goroutine 1 [running]:
shop/config.options.pollingLimit(0xc0001)
	/go/src/app/config/options.go:13 +0x1d
net/http.(*conn).serve(0xc0003)
	/usr/local/go/src/net/http/server.go:2009 +0x5f4
shop/web.handle(0xc0002)
	/app/web/handle.go:4 +0x9a
"""


def test_of_two_repositories_the_place_says_which(oracle: Oracle, home: Path, shop: Path, tmp_path: Path) -> None:
    other = make_repository(tmp_path / "billing", {"pay.py": "class CardCharger:\n    limit = 3\n"}, NOW)
    log = oracle("ask", "where is CardCharger defined?", "--repo", str(shop), "--repo", str(other), "--json", home=home)
    assert "billing: pay.py:1-2" in head(log.json)
    assert log.json["struck"] == []
