"""The audit log."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from workers.agents.operations.source.sql_audit import AuditLog, Entry, moment
from workers.errors import ToolUnavailable
from workers.toolkit.redaction import Redactor

REDACTOR = Redactor([re.compile("hunter2")])


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_line_has_the_seven_keys(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "deep" / "audit.jsonl", REDACTOR)
    entry = Entry(moment(), "select 1", "SELECT 1 LIMIT 101", 1, 2.5, ok=True)
    log.write(entry)
    log.write(Entry(moment(), "drop\ntable x", error="only one SELECT"))
    first, second = lines(log.path)
    assert list(first) == ["ts", "query", "executed_sql", "row_count", "duration_ms", "ok", "error"]
    assert first == entry.__dict__
    assert (second["ok"], second["query"], second["error"]) == (False, "drop\ntable x", "only one SELECT")
    assert log.path.stat().st_mode & 0o777 == 0o600


def test_secrets_and_what_users_wrote_are_hidden(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    AuditLog(path, REDACTOR).write(Entry(moment(), "select 'hunter2'", error="hunter2"))
    AuditLog(path, REDACTOR, "redacted").write(Entry(moment(), "select 'ann'"))
    AuditLog(path, REDACTOR, "hash").write(Entry(moment(), "select 'ann'"))
    assert "hunter2" not in path.read_text()
    assert "ann" not in path.read_text()
    assert [str(line["query"])[:7] for line in lines(path)][1:] == ["[redact", "sha256:"]


def test_a_log_that_was_moved_away_is_made_anew(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "audit.jsonl", REDACTOR)
    log.write(Entry(moment(), "select 1"))
    log.path.rename(tmp_path / "old.jsonl")
    log.write(Entry(moment(), "select 2"))
    assert [line["query"] for line in lines(log.path)] == ["select 2"]


def test_a_log_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    log = AuditLog(tmp_path, REDACTOR)  # a folder
    with pytest.raises(ToolUnavailable, match=r"the audit log .* cannot be written"):
        log.check()
    with pytest.raises(ToolUnavailable, match="no query is run"):
        log.write(Entry(moment(), "select 1"))
