"""Repositories elsewhere on the command line: said to be missing, fetched, shown with how fresh they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.scenario.conftest import Oracle
from tests.support.git_repositories import commit, make_repository, run_git

CODE = "RETRY_LIMIT = 3\n\n\ndef charge_card(card):\n    return bank.post(card, tries=RETRY_LIMIT)\n"
ASKED = "Where is charge_card defined?"


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    return make_repository(
        tmp_path / "remotes" / "shop", {"client.py": CODE, "docs/cards.md": "# Cards\n\nCharged once.\n"}
    )


@pytest.fixture
def settled(home: Path, origin: Path) -> Path:
    """An ORACLE_HOME that knows one repository elsewhere, one that is not there, and documents of the first."""
    config = {
        "repositories": [
            {"url": f"file://{origin}", "permalink": "https://x/{commit}/{path}#L{start}"},
            {"url": f"file://{origin}-gone", "name": "gone"},
        ],
        "documents": [{"repository": f"file://{origin}", "path": "docs", "name": "handbook"}],
    }
    (home / "config").mkdir()
    (home / "config" / "oracle.yaml").write_text(yaml.safe_dump(config))
    (home / "config" / "agents.yaml").write_text("research: {tool_timeout_ms: 8000, tools_total_ms: 12000}\n")
    return home


def test_from_a_list_in_the_configuration_to_an_answer(settled: Path, origin: Path, oracle: Oracle) -> None:
    ran = oracle("ask", ASKED, "--json", home=settled)
    assert "shop is not cloned yet" in json.dumps(ran.json["gaps"]), "asked before anything was fetched"
    before = oracle("status", "--json", home=settled).json["sources"]
    assert [(row["name"], row["doing"], row["ok"]) for row in before] == [
        ("shop", "not cloned yet", True),
        ("gone", "not cloned yet", True),
        ("handbook", "not cloned yet", True),
    ]
    indexed = oracle("index", home=settled)
    head = run_git(origin, "rev-parse", "HEAD").strip()
    assert indexed.code == 1, "one of them could not be cloned"
    assert f"shop at {head[:7]} of 2026-01-01 00:00 UTC, 2 files indexed, fetched " in indexed.out
    assert "gone: the last clone failed: " in " ".join(indexed.out.split())
    ran = oracle("ask", ASKED, "--json", home=settled)
    urls = [item["url"] for item in ran.json["evidence"] if item["kind"] == "code"]
    assert urls[0].startswith(f"https://x/{head}/client.py#L")
    gaps = json.dumps(ran.json["gaps"])
    assert "gone cannot be read: the last clone failed: " in gaps, "an answer says which source it lacks"
    assert gaps.count("gone cannot be read") == 1


def test_how_fresh_everything_is(settled: Path, origin: Path, oracle: Oracle) -> None:
    oracle("index", home=settled)
    head = run_git(origin, "rev-parse", "HEAD").strip()
    shop, gone, handbook = oracle("status", "--json", home=settled).json["sources"]
    assert (shop["commit"], shop["committed_at"], shop["files"]) == (head, "2026-01-01T00:00:00Z", 2)
    assert shop["fetched_at"] <= shop["indexed_at"]
    assert (handbook["documents"], handbook["commit"]) == (1, head)
    assert (gone["ok"], gone["files"], gone["fetched_at"]) == (False, None, None)
    shown = oracle("status", home=settled).out
    assert head[:7] in shown
    assert "2 files" in shown
    checked = oracle("check", "--json", home=settled).json
    assert [row["name"] for row in checked["sources"]] == ["shop", "gone", "handbook"]
    remotes = {row["name"]: row for row in checked["checks"] if row["name"].startswith("repository ")}
    assert remotes["repository shop"]["detail"].startswith("answers: 1 branch, main is the default")
    assert not remotes["repository gone"]["ok"]


def test_what_is_pushed_is_seen_after_the_next_fetch(settled: Path, origin: Path, oracle: Oracle) -> None:
    oracle("index", home=settled)
    commit(origin, {"client.py": CODE.replace("charge_card", "charge_purse")}, "Rename")
    found = json.loads(oracle("search", "code", "charge_card", "--json", home=settled).out)
    assert "charge_card" in found[0]["excerpt"]
    oracle("index", home=settled)
    found = json.loads(oracle("search", "code", "charge_purse", "--json", home=settled).out)
    assert "charge_purse" in found[0]["excerpt"]


TRACE = """2026-01-01 12:00:00 ERROR charging failed
Traceback (most recent call last):
  File "/usr/lib/python3.11/threading.py", line 982, in run
    self._target()
  File "/app/client.py", line 5, in charge_card
    return bank.post(card, tries=RETRY_LIMIT)
TimeoutError: the bank did not answer
"""


def test_a_stack_trace_leads_to_the_lines_of_its_frames(tmp_path: Path, home: Path, oracle: Oracle) -> None:
    given = {"client.py": CODE, "README.md": "# Bank\n\nWhat to do when the bank did not answer.\n"}
    repo = str(make_repository(tmp_path / "shop", given))
    first = oracle("search", "code", TRACE, "--repo", repo, "--json", home=home).json[0]
    assert (first["path"], first["frame_line"], first["frame_note"]) == ("client.py", 5, "")
    assert first["excerpt"] == CODE.split("\n\n\n")[1].rstrip()
    piped = oracle("search", "code", "-", "--repo", repo, "-k", "1", home=home, stdin=TRACE).out
    assert piped.splitlines()[0].startswith("client.py:5  charge_card")
    assert "return bank.post(card, tries=RETRY_LIMIT)" in piped
    assert "README.md" not in piped, "-k holds for frames and what the message finds together"
