"""What differs between two runs is said in people's units, bounded, and nothing else is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from tests.support.finished_requests import claim, incident, logs
from tests.support.latency_evidence import EVIDENCE
from workers.contracts import Answer, Claim, Evidence, Fact, RequestLog, ToolCall
from workers.delivery.rerun_differences import MAX_ROWS, compare
from workers.delivery.rich_text import CONTROL


def with_fact(key: str, **values: Any) -> RequestLog:
    """The incident with some facts of one evidence changed."""
    item = EVIDENCE[key]
    facts = {n: item.facts[n].model_copy(update={"value": v}) for n, v in values.items()}
    changed = item.model_copy(update={"facts": {**item.facts, **facts}})
    log = incident()
    return log.model_copy(update={"evidence": tuple(changed if e.id == key else e for e in log.evidence)})


def without(*keys: str) -> RequestLog:
    log = incident()
    return log.model_copy(update={"evidence": tuple(e for e in log.evidence if e.id not in keys)})


def test_the_same_run_twice() -> None:
    assert compare(incident(), incident()) == ("Nothing that was checked has changed.",)


def test_a_metric_that_came_back_is_said_before_and_after() -> None:
    head, *rows = compare(incident(), with_fact("E1", current=0.212, direction="steady"))
    assert head == "The headline is the same."
    assert rows == ["p95 latency of /api/search: current 1.9 s → 212 ms; trend rose → steady"]


def test_what_is_measured_anew_moves_a_little_and_that_is_nothing() -> None:
    moved = with_fact("E1", current=1.9, peak=1.95, peak_at="2026-11-21T09:00:00Z", change_pct=805.0)
    assert compare(incident(), moved) == ("Nothing that was checked has changed.",)


def test_what_is_not_measured_counts_however_little() -> None:
    rows = compare(incident(), with_fact("E5", start_line=13))
    assert rows[1:] == ("cache_key: start line 12 → 13",)


def test_evidence_of_another_number_is_the_same_evidence() -> None:
    log = incident()
    other = {e.id: f"E{i + 40}" for i, e in enumerate(log.evidence)}
    evidence = tuple(e.model_copy(update={"id": other[e.id]}) for e in log.evidence)
    answer = Answer(headline=claim("It rose.", *other.values()))
    first = incident(answer=Answer(headline=claim("It rose.", *other)))
    assert compare(first, incident(answer=answer, evidence=evidence)) == ("Nothing that was checked has changed.",)


def test_a_headline_that_says_the_same_on_another_day_is_the_same() -> None:
    template = "p95 rose at {E1.onset_at}"
    yesterday = Claim(template=template, text="p95 rose at 14:06 UTC yesterday", evidence=("E1",))
    later = yesterday.model_copy(update={"text": "p95 rose at 14:06 UTC on Nov 20"})
    before, after = (incident(answer=Answer(headline=c)) for c in (yesterday, later))
    assert compare(before, after) == ("Nothing that was checked has changed.",)


def test_another_headline_is_quoted() -> None:
    before, after = (incident(answer=Answer(headline=claim(t, "E1"))) for t in ("It rose.", "It is back."))
    assert compare(before, after) == ("The headline was: “It rose.”",)
    assert compare(incident(answer=None), after)[0] == "There was no answer then."
    assert compare(before, incident(answer=None))[0] == "There is no answer now."


def test_what_is_found_anew_or_not_any_more() -> None:
    assert "New: alert · SearchLatencyHigh · since 14:11 UTC yesterday" in compare(without("E6"), incident())
    assert "Not found any more: alert · SearchLatencyHigh · since 14:11 UTC yesterday" in compare(
        incident(), without("E6")
    )
    assert compare(incident(), without("E2")) == ("Nothing that was checked has changed.",)  # cited by nobody


@pytest.mark.parametrize(("was", "now"), [("timeout", "ok"), ("empty", "error")])
def test_steps_that_ended_otherwise(was: str, now: str) -> None:
    def run(status: Any) -> RequestLog:
        call = ToolCall(name="doc_search", args={}, start_ms=0, end_ms=1, status=status, step="runbook")
        return incident(tool_calls=(call,))

    said = {"timeout": "took too long", "ok": "found something", "empty": "found nothing", "error": "failed"}
    assert compare(run(was), run(now))[1:] == (f"doc_search (runbook): {said[was]} then, {said[now]} now",)


def test_more_than_eight_are_counted() -> None:
    def run(value: str) -> RequestLog:
        items = tuple(
            Evidence(id=f"E{i}", kind="row", title=f"row {i}", locator=f"t/{i}", facts={"state": Fact(value=value)})
            for i in range(20)
        )
        return incident(evidence=items, answer=Answer(headline=claim("x", *[e.id for e in items])))

    rows = compare(run("open"), run("closed"))
    assert rows[1] == "row 0: state open → closed"
    assert len(rows) == MAX_ROWS + 1
    assert rows[-1] == "and 13 more"


@given(logs(), logs())
def test_any_two_runs_are_compared_in_few_printable_lines(before: RequestLog, after: RequestLog) -> None:
    rows = compare(before, after)
    assert 1 <= len(rows) <= MAX_ROWS + 1
    assert all(r.strip() and len(r) < 2_000 and not CONTROL.search(r) for r in rows)
    assert compare(before, before) == ("Nothing that was checked has changed.",)
