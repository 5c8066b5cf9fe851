"""Answers that people marked as bad, as cases."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.eval_cases import answered
from workers.contracts import Claim, Gap
from workers.errors import ConfigError
from workers.evals.cases import load_suite
from workers.evals.downvoted_cases import exactly, export_bad, make_case
from workers.store.feedback import save_feedback
from workers.store.request_logs import SqlStore, open_store

ROSE = Claim(template="p95 is {E1.current}.", text="p95 is 1.9 s.", evidence=("E1",))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    """An empty store."""
    opened = open_store(f"sqlite:///{tmp_path / 'oracle.db'}", lambda log: log)
    yield opened
    opened.database.close()


def complain(store: SqlStore, name: str, user: str = "U1", text: str = "", verdict: str = "bad") -> None:
    """Someone presses a thumb."""
    moment = datetime(2026, 11, 20, 16, tzinfo=UTC)
    save_feedback(store.database, name, "T1", user, verdict, "wrong", text, at=moment)  # type: ignore[arg-type]


def export(store: SqlStore, file: Path) -> tuple[int, int]:
    """Export with a rule that takes out one word."""
    return export_bad(file, store.database, store, lambda text: text.replace("hunter2", "[redacted]"))


def test_a_bad_answer_becomes_a_case_that_is_read_back(store: SqlStore, tmp_path: Path) -> None:
    store.save(answered(ROSE))
    complain(store, "abc123", "U1", "it's the cache,\nnot hunter2 \x07\u2028- id: x")
    complain(store, "abc123", "U2")
    file = tmp_path / "suites" / "bad.yaml"
    assert export(store, file) == (1, 0)
    (entry,) = load_suite(file).cases
    case = entry.case
    assert (case.id, case.question, case.now) == (
        "down-abc123",
        "why is /v1/routes slow?",
        datetime(2026, 11, 20, 15, tzinfo=UTC),
    )
    assert (case.expect.kind, case.expect.question_type) == ("answer", ("debug_incident",))
    assert case.expect.tools == ("metrics_query", "repo_search")
    assert case.tools is not None
    (recorded,) = case.tools["metrics_query"]
    assert [e.title for e in recorded.output.evidence] == ["p95 latency"]
    assert recorded.output.evidence[0].id == ""
    assert case.landscape is not None
    assert case.landscape.labels["endpoint"] == ("/v1/routes",)
    assert [m.name for m in case.landscape.metrics] == ["latency_p95"]
    assert case.landscape.repositories == ("fleet",)
    text = file.read_text(encoding="utf-8")
    assert "# marked as bad by 2 people: wrong: it's the cache, not [redacted] - id: x; wrong\n" in text


def test_nothing_is_exported_twice_and_what_a_person_wrote_stays(store: SqlStore, tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    for name in ("abc123", "abc124"):
        store.save(answered(ROSE).model_copy(update={"request_id": name}))
    complain(store, "abc123")
    complain(store, "abc124", verdict="good")
    complain(store, "gone00")
    assert export(store, file) == (1, 1)
    edited = file.read_text(encoding="utf-8").replace("    facts: []", "    facts: [1.9 s]")
    assert edited.count(" facts: [1.9 s]") == 1
    file.write_text(edited, encoding="utf-8")
    assert export(store, file) == (0, 1)
    complain(store, "abc124", "U3")
    assert export(store, file) == (1, 1)
    assert file.read_text(encoding="utf-8").startswith(edited.rstrip("\n"))
    assert [entry.case.id for entry in load_suite(file).cases] == ["down-abc123", "down-abc124"]
    assert [p.name for p in tmp_path.iterdir() if p.suffix == ".yaml"] == ["bad.yaml"]


@pytest.mark.parametrize("text", ["a: 1", "- {id: a}", "[]  # none"])
def test_a_file_that_is_no_suite_stays_as_it_is(store: SqlStore, tmp_path: Path, text: str) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(text, encoding="utf-8")
    store.save(answered(ROSE))
    complain(store, "abc123")
    with pytest.raises(ConfigError):
        export(store, file)
    assert file.read_text(encoding="utf-8") == text


def test_each_call_is_recorded_with_its_arguments_and_the_rest_for_others() -> None:
    log = answered(ROSE)
    first = log.tool_calls[0].model_copy(
        update={"args": {"query": "metric=a.b (x)"}, "status": "empty", "summary": "no metric"}
    )
    again = log.tool_calls[0].model_copy(update={"attempt": 2})
    gap = Gap(text="metrics_query: no metric (nearest: a, b)", tool="metrics_query")
    recorded = make_case(log.model_copy(update={"tool_calls": (first, again), "gaps": (gap,)}))["tools"][
        "metrics_query"
    ]
    assert recorded[0]["when"] == {"query": r"^metric=a\.b \(x\)$"}
    assert recorded[0]["output"] == {"status": "empty", "reason": "no metric", "nearest": ["a", "b"]}
    assert [e["title"] for e in recorded[1]["output"]["evidence"]] == ["p95 latency"]
    assert "when" not in recorded[2]
    assert exactly("a|b") == r"^a\|b$"
