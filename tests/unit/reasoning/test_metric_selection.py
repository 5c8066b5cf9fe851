"""Which metrics and places a question asks for, and what nothing measures."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from workers.contracts import Intent, Landscape, MetricInfo, Question
from workers.reasoning.metric_selection import metric_queries, unknown_measures

LANDSCAPE = Landscape(
    labels={"service": ("uploads", "thumbs"), "endpoint": ("/v1/uploads", "/v1/thumbs", "/v1/albums")},
    metrics=(
        MetricInfo(name="latency_p95", unit="s", role="latency"),
        MetricInfo(name="error_ratio", unit="ratio", role="errors"),
        MetricInfo(name="traffic", unit="/s", role="traffic"),
        MetricInfo(name="scan_queue_depth", unit="count", aliases=("scan backlog",), role="saturation"),
    ),
)


def queries(text: str, *subjects: str, kind: str = "debug_incident") -> list[tuple[str, str]]:
    question = Question(request_id="r", text=text, received_at=datetime(2026, 11, 21, tzinfo=UTC))
    intent = Intent.model_validate({"question_type": kind, "subjects": subjects})
    return metric_queries(question, intent, LANDSCAPE)


def test_a_service_brings_the_endpoint_of_its_name() -> None:
    assert queries("why is uploads slow?", "uploads") == [("latency_p95", " service=uploads endpoint=/v1/uploads")]


def test_every_place_that_is_named_is_asked_for() -> None:
    asked = queries("p95 of /v1/uploads and /v1/albums?", "/v1/uploads", "/v1/albums")
    assert asked == [("latency_p95", " endpoint=/v1/uploads"), ("latency_p95", " endpoint=/v1/albums")]


def test_a_metric_of_the_teams_own_is_found_by_the_subject_alone() -> None:
    assert queries("scan is not moving since noon", "scan")[0][0] == "scan_queue_depth"
    assert (
        queries("how is the scan backlog doing", "scan backlog", kind="operations_status")[0][0] == "scan_queue_depth"
    )


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("is the dropout ratio worse since yesterday?", ("dropout ratio",)),
        ("is the error rate up?", ()),
        ("how deep is the scan queue?", ()),
        ("did uploads use the disk when lag was high?", ()),
    ],
)
def test_what_nothing_measures_is_named(text: str, names: tuple[str, ...]) -> None:
    assert unknown_measures(text, LANDSCAPE) == names


def test_a_metric_s_key_beats_what_is_like_it() -> None:
    assert queries("why is checkout_queue_depth up?", "checkout_queue_depth")[0] == ("checkout_queue_depth", "")
    assert queries("why is scan_queue_depth up?", "scan_queue_depth")[0][0] == "scan_queue_depth"
