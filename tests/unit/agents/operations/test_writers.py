"""What figures of operations rest on: how many, of how many, within which time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.operations_databases import HOUR, NOW, add, make, reading, request, sqlite_address
from tests.support.reasoner_inputs import INTENT, QUESTION
from workers.agents.operations.answer_writers import with_trouble
from workers.agents.operations.source.active_incidents import get_active_incidents
from workers.agents.operations.source.deployments import get_deployment_status
from workers.agents.operations.source.evidence import DESCRIBE
from workers.agents.operations.source.latency_trends import get_latency_trends
from workers.agents.operations.source.quality_summary import get_quality_summary
from workers.agents.operations.source.recent_requests import get_recent_requests
from workers.agents.operations.source.request_volume import get_request_volume
from workers.agents.operations.write_errors import write_errors
from workers.agents.operations.write_latency import write_latency
from workers.agents.operations.write_quality import write_quality
from workers.agents.operations.write_traffic import write_traffic
from workers.contracts import Claim, Draft, Evidence, Fact, Landscape, Plan, Window
from workers.grounding.ground import check_claim
from workers.grounding.value_format import Voice
from workers.ports import Brief
from workers.reasoning.deployment_state import is_what, write_state
from workers.store.database import Database

QUERIES = {
    q.__name__: q
    for q in (
        get_active_incidents,
        get_deployment_status,
        get_latency_trends,
        get_quality_summary,
        get_recent_requests,
        get_request_volume,
    )
}
DEPLOYMENTS = ("owl/north", "owl/south", "finch/north")


@pytest.fixture
def address(tmp_path: Path) -> str:
    return sqlite_address(tmp_path)


@pytest.fixture
def database(address: str) -> Iterator[Database]:
    made = make(address)
    yield made
    made.close()


def found(address: str, *calls: tuple[str, dict[str, Any]]) -> tuple[Evidence, ...]:
    """What some tools say, numbered."""
    items = []
    with reading(address) as reader:
        for name, args in calls:
            items += DESCRIBE[name](QUERIES[name](reader, **args), NOW, args)
    return tuple(item.model_copy(update={"id": f"E{i}"}) for i, item in enumerate(items, 1))


def brief(evidence: tuple[Evidence, ...], *subjects: str, intent: str = "ops_investigation", **more: Any) -> Brief:
    """A question on them; ``hours``: how far back it asks, ``ago``: how many hours before now that ends."""
    hours, ago = more.get("hours"), more.get("ago", 0)
    end = NOW - timedelta(hours=ago)
    window = Window(start=end - timedelta(hours=hours), end=end, why="test") if hours else None
    hints = ("then",) if hours else ()
    plan = Plan(pattern="SYSTEM_STATUS", query_intent=intent, steps=())
    asked = INTENT.model_copy(update={"subjects": subjects, "time_hints": hints, "window": window})
    return Brief(QUESTION, asked, plan, Landscape(labels={"deployment": DEPLOYMENTS}), evidence, ())


def said(draft: Draft, evidence: tuple[Evidence, ...]) -> list[str]:
    """Its claims, headline first, each of them grounded."""
    known = {e.id: e for e in evidence}
    texts = []
    for claim in draft.claims:
        done = check_claim(claim, known, Voice(NOW))
        if claim.evidence:
            assert done.verdict.verdict == "supported", (claim.template, done.verdict.reason)
        texts.append(done.claim.text or claim.template)
    return texts


def report(database: Database, deployment: str, **changes: Any) -> None:
    calm = {"window_sec": 300, "sample_count": 40, "updated_at": NOW, "error_rate": 0.0, "timeout_rate": 0.0}
    row = {"deployment_id": deployment, "status": "healthy", "latency_p95_ms": 300.0, **calm, **changes}
    add(database, "deployment_state_current", row)


def incident(database: Database, target: str = "owl/south", at: datetime = NOW - HOUR) -> None:
    row = {"id": "INC-7", "target_type": "deployment", "target_id": target, "title": "slow answers"}
    add(database, "incidents", {**row, "status": "active", "started_at": at, "resolved_at": None})


def fill(database: Database, *spans: tuple[float, int, float], **more: Any) -> None:
    """Requests by hours ago, how many and how slow in milliseconds."""
    number = 0
    for ago, count, latency in spans:
        for _ in range(count):
            number += 1
            add(database, "requests", request(number, NOW - ago * HOUR, latency_ms=latency, **more))


# --- samples --------------------------------------------------------------------------------------------------


def test_rates_of_a_deployment_say_of_how_many_samples(database: Database, address: str) -> None:
    report(database, "owl/north", status="degraded", error_rate=0.33, sample_count=3)
    report(database, "owl/south", status="degraded", error_rate=0.2, sample_count=300)
    evidence = found(address, ("get_active_incidents", {}), ("get_deployment_status", {}))
    lines = said(write_state(brief(evidence)), evidence)
    assert any(
        "owl/north is degraded" in text and "error rate 33 %" in text and "only 3 samples" in text for text in lines
    )
    assert any("error rate 20 %" in text and "over 300 samples" in text for text in lines)
    assert "2 degraded" in lines[0]
    assert "in total" not in lines[0]


def test_one_of_a_kind_has_no_plural(database: Database, address: str) -> None:
    fill(database, (0.5, 1, 100.0), status="error", error_code="odd")
    evidence = found(address, ("get_recent_requests", {"status": "error"}))
    assert said(write_errors(brief(evidence, hours=24)), evidence)[0].startswith(
        "1 error (100 %) in only 1 request since 12:30 UTC yesterday"
    )


def test_quality_says_how_many_scores_an_average_has(database: Database, address: str) -> None:
    fill(database, (1, 25, 100.0))
    add(database, "requests", request(99, NOW - HOUR, deployment_id="finch/north"))
    scores = [{"request_id": f"r{n}", "score": 0.9} for n in range(1, 26)] + [{"request_id": "r99", "score": 0.2}]
    add(database, "quality_scores", *({"eval_type": "judge", "evaluated_at": NOW, **s} for s in scores))
    evidence = found(address, ("get_quality_summary", {}))
    head, worst, best, *_ = said(write_quality(brief(evidence)), evidence)
    assert "over 26 scored requests since 12:30 UTC on Apr 27" in head
    assert head.endswith("lowest: finch on chat with 20 % of only 1 score.")
    assert worst.endswith("only 1 score.")
    assert best.endswith(", 25 scores.")


# --- pages and totals -----------------------------------------------------------------------------------------


def test_errors_are_counted_in_the_whole_window_not_on_a_page(database: Database, address: str) -> None:
    fill(database, (1, 70, 100.0), status="error", error_code="odd")
    add(database, "requests", *(request(1000 + n, NOW - HOUR) for n in range(70)))
    evidence = found(address, ("get_recent_requests", {"status": "error"}))
    head = said(write_errors(brief(evidence, hours=24)), evidence)[0]
    assert head.startswith("70 errors (50 %) in 140 requests since 12:30 UTC yesterday; of the newest 50")


def test_the_slowest_is_that_of_the_page(database: Database, address: str) -> None:
    fill(database, (1, 60, 100.0), (20, 20, 900.0))
    evidence = found(address, ("get_latency_trends", {}), ("get_recent_requests", {}))
    lines = said(write_latency(brief(evidence)), evidence)
    assert any(t.startswith("The newest requests: p95 latency 100 ms; slowest: ") for t in lines)
    assert "0 errors and 0 timeouts in 80 requests." in lines


def test_requests_of_one_deployment_are_counted_among_its_own(database: Database, address: str) -> None:
    fill(database, (1, 30, 100.0), status="timeout")
    add(database, "requests", *(request(500 + n, NOW - HOUR, deployment_id="owl/south") for n in range(9)))
    evidence = found(address, ("get_recent_requests", {"deployment_id": "owl/south", "status": "timeout"}))
    assert said(write_errors(brief(evidence, "owl/south", hours=24)), evidence)[0] == (
        "0 timeouts in only 9 requests on owl/south since 12:30 UTC yesterday."
    )


# --- the time -------------------------------------------------------------------------------------------------


def test_the_span_is_named_with_its_zone_and_only_once(database: Database, address: str) -> None:
    fill(database, *((ago, 30, 100.0) for ago in (2, 3, 4, 5)))
    since = {"since": "2026-05-04T06:30:00Z", "until": "2026-05-04T11:30:00Z"}
    evidence = found(address, ("get_latency_trends", since), ("get_recent_requests", since))
    text = " ".join(said(write_latency(brief(evidence, hours=5, ago=1)), evidence))
    assert text.count("06:30 UTC today") == 1
    assert "over 120 requests from 06:30 UTC today up to 11:30 UTC today" in text


def test_figures_of_another_span_say_which(database: Database, address: str) -> None:
    fill(database, *((ago, 30, 100.0) for ago in (2, 3, 30, 60)))
    evidence = found(address, ("get_request_volume", {}), ("get_latency_trends", {}))
    head, *lines = said(write_traffic(brief(evidence, intent="traffic")), evidence)
    assert head.startswith("120 requests since 12:30 UTC on Apr 27")
    (latency,) = (text for text in lines if "p95 latency" in text)
    assert "over 60 requests since 12:30 UTC yesterday" in latency


def test_what_cannot_be_compared_says_its_time_and_number(database: Database, address: str) -> None:
    fill(database, (2, 5, 100.0))
    incident(database, "owl/north")
    evidence = found(address, ("get_active_incidents", {}), ("get_latency_trends", {}))
    head = said(write_latency(brief(evidence)), evidence)[0]
    assert head == "Overall p95 latency is 100 ms over only 5 requests since 12:30 UTC yesterday."


def test_a_move_beside_an_incident_says_below_what_it_rests_on(database: Database, address: str) -> None:
    fill(database, *((ago, 30, 100.0) for ago in (3, 4, 5)), (2, 12, 400.0))
    incident(database, "owl/north")
    evidence = found(address, ("get_active_incidents", {}), ("get_latency_trends", {}))
    head, *lines = said(write_latency(brief(evidence)), evidence)
    assert "rose from 100 ms to 400 ms; incident INC-7" in head
    assert (
        "By hour, over 102 requests since 12:30 UTC yesterday, only 12 in the last one (from 10:00 UTC today)." in lines
    )


def test_the_cost_of_one_model_says_its_time(database: Database, address: str) -> None:
    fill(database, (2, 30, 100.0))
    question = QUESTION.model_copy(update={"text": "what did owl cost?"})
    evidence = found(address, ("get_request_volume", {"group_by": "model"}))
    asked = replace(brief(evidence, "owl", intent="traffic"), question=question)
    head, total, *_ = said(write_traffic(asked), evidence)
    assert head == "owl: 7.5 USD since 12:30 UTC on Apr 27, 30 requests."
    assert total == "Total cost in USD: 7.5 since 12:30 UTC on Apr 27, for 30 requests."


def test_a_level_is_that_of_the_last_hour_that_had_enough(database: Database, address: str) -> None:
    fill(database, *((ago, 12, 100.0) for ago in (7, 8, 9)))
    evidence = found(address, ("get_latency_trends", {}))
    lines = said(write_latency(brief(evidence)), evidence)
    assert any(line.endswith("only 12 in the last one (from 05:00 UTC today).") for line in lines)


def test_what_had_a_peak_was_not_steady(database: Database, address: str) -> None:
    fill(database, (2, 30, 100.0), (3, 30, 100.0), (4, 30, 900.0), (5, 30, 100.0), (6, 30, 100.0))
    evidence = found(address, ("get_latency_trends", {}))
    head = said(write_latency(brief(evidence)), evidence)[0]
    assert "steady" not in head
    assert "100 ms before, peak 900 ms at 08:00 UTC today" in head


def test_calm_latency_is_steady_without_a_peak(database: Database, address: str) -> None:
    fill(database, *((ago, 30, 100.0 + ago) for ago in (2, 3, 4, 5)))
    evidence = found(address, ("get_latency_trends", {}))
    head = said(write_latency(brief(evidence)), evidence)[0]
    assert "is steady at 102 ms, 104 ms before." in head
    assert "peak" not in head


# --- what is wrong elsewhere ----------------------------------------------------------------------------------


def closing(brief: Brief, evidence: tuple[Evidence, ...], draft: Draft) -> list[str]:
    return said(with_trouble(draft, brief), evidence)


def test_an_incident_elsewhere_is_one_line_at_the_end(database: Database, address: str) -> None:
    incident(database)
    report(database, "owl/south", status="down")
    report(database, "finch/north")
    evidence = found(address, ("get_active_incidents", {}), ("get_deployment_status", {}))
    asked = brief(evidence, "finch/north")
    draft = write_state(asked)
    assert not draft.what_changed
    lines = closing(asked, evidence, draft)
    assert lines[0].startswith("finch/north is healthy: p95 latency 300 ms")
    assert [text for text in lines if "INC-7" in text] == [lines[-1]]
    assert lines[-1].startswith("Apart from that: Incident INC-7 “slow answers” on owl/south is active since")
    assert "is down" not in lines[-1]  # what the incident is about is told by it


def test_what_is_wrong_without_an_incident_is_told_too(database: Database, address: str) -> None:
    report(database, "owl/south", status="down")
    report(database, "owl/north", error_rate=0.5)
    report(database, "finch/north")
    evidence = found(address, ("get_active_incidents", {}), ("get_deployment_status", {}))
    asked = brief(evidence, intent="other")
    lines = closing(asked, evidence, Draft(headline=Claim(template="Nothing was counted.")))
    assert len(lines) == 2
    assert lines[1].startswith("Apart from that: owl/south is down")
    assert "owl/north is healthy: p95 latency 300 ms, error rate 50 %" in lines[1]


@pytest.mark.parametrize(("ago", "own"), [(0, True), (3, False)])
def test_an_incident_that_began_later_is_not_of_the_time_asked_for(
    database: Database, address: str, ago: int, own: bool
) -> None:
    incident(database)
    fill(database, *((hours, 30, 100.0) for hours in (4, 5, 6)))
    report(database, "owl/south")
    evidence = found(address, ("get_active_incidents", {}), ("get_latency_trends", {}), ("get_deployment_status", {}))
    asked = brief(evidence, hours=6, ago=ago)
    draft = write_latency(asked)
    assert bool(draft.what_changed) is own
    assert "INC-7" in " ".join(closing(asked, evidence, draft))


def test_of_what_exists_only_the_named_is_listed(database: Database, address: str) -> None:
    report(database, "owl/south", status="down")
    report(database, "finch/north")
    evidence = found(address, ("get_deployment_status", {}))
    fails = [t for t in said(write_errors(brief(evidence, "finch/north")), evidence) if "owl/south is down" in t]
    assert not fails


def test_where_to_look_first_names_what_speaks_for_it() -> None:
    def said(**values: float) -> str:
        units = {"latency_p95": "s", "queue_depth": "count", "sample_count": "count"}
        facts = {n: Fact(value=v, unit=units.get(n, "ratio"), entity="owl/north") for n, v in values.items()}
        facts["status"] = Fact(value="degraded", entity="owl/north")
        return is_what(Evidence(id="E1", kind="row", title="owl/north", locator="x", facts=facts))

    slow = said(error_rate=0.0, latency_p95=0.7, queue_depth=37, sample_count=40)
    assert slow.startswith("is {E1.status} with a p95 latency of {E1.latency_p95} over")
    assert slow.endswith("a queue of {E1.queue_depth}")
    assert "error rate" not in slow
    assert "error rate" not in said(error_rate=0.33, latency_p95=0.7, sample_count=3)
    assert "an error rate of {E1.error_rate}" in said(error_rate=0.33, latency_p95=0.7, sample_count=30)
