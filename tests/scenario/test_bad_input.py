"""Mistakes and hostile sources: one clear sentence each, and nothing lost."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.scenario.conftest import Oracle
from tests.support.tables import sqlite_tables

QUESTION = "Why is /api/search slow since yesterday's deploy?"


def git(folder: Path, *args: str) -> None:
    """Run git with a fixed identity."""
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(folder), *identity, *args], check=True, capture_output=True)


@pytest.fixture
def home(home: Path) -> Path:
    """ORACLE_HOME with a database: its tables need not be made by each command."""
    sqlite_tables(home / "oracle.db")
    return home


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one source file, a huge one, a binary one and one that is not UTF-8."""
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "limits.py").write_text("MAX_UPLOAD_BYTES = 5_000_000  # largest avatar upload\n")
    (folder / "huge.py").write_text("x = 1\n" * 400_000)
    (folder / "image.bin").write_bytes(bytes(range(256)) * 4000)
    (folder / "latin.py").write_bytes(b"NAME = '\xe9\xe8'  # caf\xe9\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "All kinds of files")
    return folder


@pytest.fixture
def nonsense() -> Iterator[str]:
    """A server on loopback that answers everything with a page."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>It works!</html>")

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *args: object) -> None:
            """Quiet."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_broken_yaml_is_named_with_file_and_line(oracle: Oracle, home: Path) -> None:
    (home / "config").mkdir()
    (home / "config" / "oracle.yaml").write_text("timezone: UTC\nrepositories: [\n")
    ran = oracle("check", home=home)
    assert ran.code == 2
    assert "oracle.yaml:3: not YAML" in ran.err
    assert len(ran.err.strip().splitlines()) == 1


def test_every_mistake_is_named_at_once(oracle: Oracle, home: Path) -> None:
    (home / "config").mkdir()
    (home / "config" / "oracle.yaml").write_text("timezon: UTC\nlimits: {question_chars: many}\n")
    (home / "config" / "agents.yaml").write_text("research: {tools: [grep]}\n")
    ran = oracle("check", home=home)
    assert ran.code == 2
    assert "oracle.yaml:1: timezon: unknown key" in ran.err
    assert "oracle.yaml:2: limits.question_chars:" in ran.err


def test_a_tool_option_is_named_with_its_key(oracle: Oracle, home: Path) -> None:
    (home / "config").mkdir()
    (home / "config" / "tools.yaml").write_text("repo_search:\n  options: {excerpt_line: 3}\n")
    ran = oracle("check", home=home)
    assert ran.code == 2
    assert "tools.yaml:2: repo_search.options.excerpt_line: unknown key" in ran.err


def test_a_repository_that_does_not_exist(oracle: Oracle, home: Path) -> None:
    ran = oracle("ask", QUESTION, "--repo", "/nowhere/at/all", home=home)
    assert (ran.code, ran.err.strip()) == (2, "--repo: /nowhere/at/all is not a folder")
    (home / "config").mkdir()
    (home / "config" / "oracle.yaml").write_text("repositories: [{path: /nowhere/at/all}]\n")
    check = oracle("check", home=home)
    assert check.code == 1
    assert "/nowhere/at/all does not exist" in check.out
    asked = oracle("ask", "Where is the upload limit configured?", "--json", home=home)
    assert asked.code == 0
    assert any("does not exist" in g["text"] for g in asked.json["answer"]["missing"])


def test_a_folder_that_is_no_repository(oracle: Oracle, home: Path, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    ran = oracle("ask", "Where is the upload limit configured?", "--repo", str(tmp_path / "plain"), "--json", home=home)
    assert ran.code == 0
    assert any("is not a git repository" in g["text"] for g in ran.json["answer"]["missing"])


def test_an_empty_repository(oracle: Oracle, home: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    git(empty, "init", "-q")
    ran = oracle("ask", "Where is the upload limit configured?", "--repo", str(empty), "--json", home=home)
    assert ran.code == 0
    assert ran.json["answer"]["headline"]["text"].startswith("I found nothing")


def test_binary_huge_and_oddly_encoded_files_do_no_harm(oracle: Oracle, home: Path, repository: Path) -> None:
    ran = oracle(
        "ask", "Where is the largest avatar upload configured?", "--repo", str(repository), "--json", home=home
    )
    assert ran.code == 0, ran.err
    assert "limits.py:1" in ran.json["answer"]["headline"]["text"]
    places = [e for e in ran.json["evidence"] if e["kind"] == "code"]
    assert {e["facts"]["path"]["value"] for e in places} == {"limits.py"}


def test_an_unreachable_prometheus(oracle: Oracle, demo_home: Path) -> None:
    ran = oracle("ask", QUESTION, "--prometheus", "http://127.0.0.1:9", "--json", home=demo_home)
    assert ran.code == 0
    log = ran.json
    gap = next(g["text"] for g in log["answer"]["missing"] if g["tool"] == "metrics_query")
    assert "127.0.0.1:9" in gap
    assert not log["answer"]["metrics"]
    assert not any("rose" in c["text"] for c in (log["answer"]["headline"], *log["answer"]["what_changed"]))
    assert oracle("check", "--prometheus", "http://127.0.0.1:9", home=demo_home).code == 1


def test_a_prometheus_that_answers_nonsense(oracle: Oracle, demo_home: Path, nonsense: str) -> None:
    ran = oracle("ask", QUESTION, "--prometheus", nonsense, "--json", home=demo_home)
    assert ran.code == 0
    gap = next(g["text"] for g in ran.json["answer"]["missing"] if g["tool"] == "metrics_query")
    assert "not the Prometheus API" in gap
    assert oracle("metrics", "metric=latency_p95", "--prometheus", nonsense, home=demo_home).code == 1


def test_a_question_of_50000_characters(oracle: Oracle, demo_home: Path) -> None:
    ran = oracle("ask", "why " * 12_500, home=demo_home)
    assert ran.code == 2
    assert "at most 4,000 are read" in ran.err


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_an_empty_question(oracle: Oracle, demo_home: Path, text: str) -> None:
    assert oracle("ask", text, home=demo_home).code == 2


@pytest.mark.parametrize("now", ["yesterday", "2026-11-20T14:00:00", "2026-13-45T00:00:00Z"])
def test_a_now_that_is_none(oracle: Oracle, demo_home: Path, now: str) -> None:
    ran = oracle("ask", QUESTION, "--now", now, home=demo_home)
    assert ran.code == 2
    assert ran.err.startswith("--now:")
    assert oracle("demo", "--now", now, home=demo_home).code == 2


def test_unknown_options_commands_and_agents(oracle: Oracle, demo_home: Path) -> None:
    assert oracle("ask", QUESTION, "--jsn", home=demo_home).code == 2
    assert oracle("aks", QUESTION, home=demo_home).code == 2
    assert "known are research" in oracle("ask", QUESTION, "--agent", "nobody", home=demo_home).err


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("metric=latency_p59 window=24h", "latency_p95"),
        ("metric=latency_p95 window=24x", "24x"),
        ("window=24h", "neither metric= nor alert="),
        ("metric=latency_p95 endpoint=/api/serch", "/api/search"),
    ],
)
def test_wrong_metric_queries_name_what_exists(oracle: Oracle, demo_home: Path, query: str, reason: str) -> None:
    ran = oracle("metrics", query, home=demo_home)
    assert reason in ran.out + ran.err


def test_ground_refuses_what_is_no_claims_file(oracle: Oracle, tmp_path: Path) -> None:
    file = tmp_path / "claims.json"
    file.write_text("{")
    assert oracle("ground", str(file)).code == 2
    file.write_text(json.dumps({"evidence": {}, "claims": []}))
    assert "evidence: Input should be a valid array" in oracle("ground", str(file)).err
    odd = [{"id": "E1", "kind": [], "facts": [1], "data": {"at": "2026-13-45T99:99:99Z"}}]
    file.write_text(json.dumps({"evidence": odd, "claims": [{"text": "It was at 14:06 UTC."}]}))
    assert oracle("ground", str(file), "--json").json[0]["verdict"] == "struck"
    file.write_text(json.dumps({"evidence": odd, "claims": [{"text": "x", "evidence": "E1"}]}))
    assert oracle("ground", str(file)).code == 2
    assert oracle("ground", str(tmp_path / "none.json")).code == 2


def test_ground_checks_claims_from_anywhere(oracle: Oracle, tmp_path: Path) -> None:
    evidence = {
        "id": "E1",
        "kind": "metric",
        "data": {
            "metric": "latency_p95",
            "unit": "s",
            "filters": {"endpoint": "/api/search"},
            "current": 1.9,
            "baseline": 0.21,
            "peak": {"value": 2.0, "at": "2026-11-20T15:00:00Z"},
            "onset": {"at": "2026-11-20T14:06:00Z", "confidence": 0.9},
        },
    }
    claims = [
        {"id": "a", "text": "p95 of /api/search went from 210 ms to 1.9 s.", "evidence": ["E1"]},
        {"id": "b", "text": "p95 of /api/search went from 1.9 s to 210 ms.", "evidence": ["E1"]},
        {"id": "c", "text": "p95 of /api/search is 77 ms.", "evidence": ["E1"]},
        {"id": "d", "template": "It peaked at {E1.peak_value}.", "evidence": ["E1"]},
    ]
    file = tmp_path / "claims.json"
    file.write_text(json.dumps({"evidence": [evidence], "claims": claims}))
    ran = oracle("ground", str(file), "--json")
    assert [v["verdict"] for v in ran.json] == ["supported", "struck", "struck", "supported"]
    assert all(v["reason"] for v in ran.json if v["verdict"] == "struck")


def test_one_wrong_line_does_not_end_the_others(oracle: Oracle, demo_home: Path) -> None:
    stdin = '{"text": "What is a circuit breaker?"}\n{"txt": 1}\n{"text": ""}\n{"text": "What is a circuit breaker?"}\n'
    ran = oracle("plan", "-", home=demo_home, stdin=stdin)
    lines = [json.loads(line) for line in ran.out.splitlines()]
    assert ran.code == 2
    assert [line.get("line") for line in lines] == [None, 2, 3, None]


def test_a_plan_that_the_rules_refuse_is_not_shown_as_one(oracle: Oracle, home: Path) -> None:
    (home / "config").mkdir()
    (home / "config" / "patterns.yaml").write_text(
        "debug_incident:\n  steps:\n    - {id: a, tool: doc_search, args: {query: x}, purpose: p}\nwide:\n  steps: []\n"
    )
    ran = oracle("plan", QUESTION, "--json", home=home)
    assert ran.json["plan"] is None
    assert "needs metrics_query" in ran.json["answer"]["headline"]["text"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("question_types: [debug_incidnt]", "question_types.0"),
        ("steps: [{id: a, tool: doc_search, args: {query: '{metrc}'}, purpose: p}]", "nothing fills the slot {metrc}"),
        ("steps: [{id: a, tool: doc_search, args: {query: '{b.x}'}, purpose: p}]", "nothing fills the slot {b.x}"),
        ("steps: [{id: a, tool: doc_search, args: {query: x}, purpose: p, when: namd}]", "when"),
    ],
)
def test_mistakes_in_patterns_are_named(oracle: Oracle, home: Path, text: str, reason: str) -> None:
    (home / "config").mkdir()
    (home / "config" / "patterns.yaml").write_text(f"conceptual:\n  {text}\n")
    ran = oracle("check", home=home)
    assert ran.code == 2
    assert reason in ran.err
    assert "patterns.yaml:2" in ran.err


def test_a_timezone_that_does_not_exist(oracle: Oracle, home: Path) -> None:
    (home / "config").mkdir()
    (home / "config" / "oracle.yaml").write_text("timezone: Mars/Olympus\n")
    assert "oracle.yaml:1: timezone: 'Mars/Olympus'" in oracle("check", home=home).err


def test_search_hides_secrets_and_control_characters(oracle: Oracle, home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "leaky"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "settings.py").write_text('SEARCH_KEY = "AKIAIOSFODNN7EXAMPLE"\x1b[2J\n')
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "Settings")
    for args in (("search", "code", "search key"), ("ask", "Where is the search key configured?")):
        for form in ((), ("--json",)):
            ran = oracle(*args, "--repo", str(folder), *form, home=home)
            assert "settings.py" in ran.out
            assert "AKIAIOSFODNN7EXAMPLE" not in ran.out
            assert "\x1b[2J" not in ran.out
