"""The toolbox of recorded results."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tests.support.each_row import each_row
from tests.support.engine_fakes import FakeToolbox
from workers.contracts import Deploy, Landscape, ToolOutput
from workers.evals.cases import Recorded
from workers.evals.recorded_toolbox import RecordedToolbox
from workers.ports import Limits, ToolContext

NOW = datetime(2026, 11, 20, 15, tzinfo=UTC)
CONTEXT = ToolContext("r", "research", NOW)
LIMITS = Limits(("metrics_query",), 12, "stop", 800, 1_500, True, 1, 8, ())
RECORDED = {
    "metrics_query": (
        Recorded(when={"query": "latency_p95.*routes", "k": "^6$"}, output=ToolOutput(summary="both")),
        Recorded(when={"query": "latency_p95"}, output=ToolOutput(summary="one")),
        Recorded(when={"query": "slow"}, output=ToolOutput(status="timeout", reason="late")),
    ),
    "doc_search": (Recorded(output=ToolOutput(summary="any")),),
}


@each_row(
    "name, args, status, said",
    [
        ("metrics_query", {"query": "metric=latency_p95 endpoint=/v1/routes", "k": 6}, "ok", "both"),
        ("metrics_query", {"query": "metric=latency_p95 endpoint=/v1/routes"}, "ok", "one"),
        ("metrics_query", {"query": "slow"}, "timeout", "late"),
        ("metrics_query", {"query": "traffic"}, "empty", "nothing is recorded for these arguments"),
        ("doc_search", {"query": "x"}, "denied", "doc_search is not a tool of this agent"),
    ],
)
def test_the_first_result_that_fits_is_returned(name: str, args: dict[str, str | int], status: str, said: str) -> None:
    toolbox = RecordedToolbox(RECORDED, Landscape(), FakeToolbox(Landscape()))
    call, output = toolbox.open(CONTEXT, LIMITS).call("s1", name, args, attempt=2)
    assert (call.status, call.summary, call.step, call.attempt, call.args) == (status, said, "s1", 2, args)
    assert output.status == status


def test_the_future_is_not_known() -> None:
    deploys = tuple(Deploy(service="a", version=str(h), at=NOW + timedelta(hours=h)) for h in (-1, 1))
    toolbox = RecordedToolbox({}, Landscape(deploys=deploys, alerts=("A",)), FakeToolbox(Landscape()))
    names = toolbox.landscape(CONTEXT)
    assert [d.version for d in names.deploys] == ["-1"]
    assert names.alerts == ("A",)
