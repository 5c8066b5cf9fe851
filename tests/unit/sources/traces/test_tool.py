"""The tool `traces`: from its arguments to evidence whose every value is a fact."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.toolkit_parts import make_context
from tests.unit.sources.traces.span_formats import CHECKOUT, NOON, as_plain, spans_of_the_shop
from tests.unit.sources.traces.trace_servers import jaeger_answers, serve
from workers.contracts import Landscape, ToolOutput
from workers.errors import ToolArgumentError, ToolUnavailable
from workers.settings.load import load_settings
from workers.toolkit.tool import Resources, Tool, undeployed
from workers.tools.traces import TracesArgs, build

CONTEXT = make_context(NOON.replace(minute=10))


def tool_of(**traces: Any) -> Tool:
    settings = load_settings({f"oracle.traces.{name}": value for name, value in traces.items()})
    return build({}, Resources(settings, undeployed))


def run(tool: Tool, **args: Any) -> ToolOutput:
    checked = TracesArgs(**args)
    assert tool.check is not None
    tool.check(checked)
    return tool.run(checked, CONTEXT)


@pytest.fixture
def tool(home: Path, tmp_path: Path) -> Tool:
    file = tmp_path / "spans.json"
    file.write_text(json.dumps(as_plain(spans_of_the_shop())))
    return tool_of(files=[str(file)])


def test_nothing_connected_says_how_to_connect(home: Path) -> None:
    with pytest.raises(ToolUnavailable, match=r"traces\.url .* or traces\.files in oracle\.yaml"):
        run(tool_of())
    assert tool_of().landscape(CONTEXT) == Landscape()  # type: ignore[misc]


def test_one_trace(tool: Tool) -> None:
    output = run(tool, trace_id=CHECKOUT)
    first, *items = output.evidence
    assert {e.kind for e in output.evidence} == {"trace"}
    assert len({e.locator for e in output.evidence}) == len(output.evidence)
    assert first.locator == f"trace:{CHECKOUT}"
    assert {n: first.facts[n].value for n in ("traces", "spans", "services", "failed_traces", "failing_first")} == {
        "traces": 1,
        "spans": 12,
        "services": 2,
        "failed_traces": 1,
        "failing_first": "payments POST bank",
    }
    assert output.summary == (
        "1 trace, 12 spans, 1000.0 ms; most time in payments SELECT card # (40%); failed, first in payments POST bank"
    )
    bank = next(e for e in items if e.facts.get("name") and e.facts["name"].value == "POST bank")
    assert bank.locator == f"trace:{CHECKOUT}#{40:016x}"
    assert (bank.facts["duration_ms"].value, bank.facts["duration_ms"].unit) == (250, "ms")
    assert (bank.facts["self_ms"].value, bank.facts["error"].value) == (250, True)
    assert (bank.facts["share"].value, bank.facts["failing_traces"].value) == (0.25, 1)
    assert bank.excerpt.startswith("shop POST /checkout → shop POST payments → payments charge → payments POST bank\n")
    assert "server.address: bank.example" in bank.excerpt
    assert any(e.title.startswith("8 × payments SELECT card # under one payments charge") for e in items)
    assert any(e.title == "shop → payments: 1 call, p95 690.0 ms, 1 failed" for e in items)
    assert output.data["failing"][0]["service"] == "payments"


def test_a_search_tells_its_span_of_time(tool: Tool) -> None:
    output = run(tool, service="shop", since="1 hour ago")
    first = output.evidence[0]
    assert first.locator == "traces?service=shop&since=1 hour ago"
    assert first.facts["span_end"].value == CONTEXT.now.isoformat()
    assert (first.facts["traces"].value, first.facts["failed_share"].value) == (2, 0.5)
    assert first.facts["p50"].value == 550
    assert "more" not in first.facts
    assert run(tool, limit=1).evidence[0].facts["more"].value is True


def test_nothing_found_is_told_with_what_was_asked(tool: Tool) -> None:
    found = run(tool, service="shop", min_ms=9_000, errors_only=True)
    assert (found.status, found.evidence) == ("empty", ())
    assert found.reason == "there is no trace of service shop of 9000 ms or more that failed since 1 hour ago"
    unknown = run(tool, service="payment")
    assert (unknown.reason, unknown.nearest[:1]) == ("no service is called payment in the traces", ("payments",))
    assert run(tool, trace_id="abc").reason == "there is no trace abc"


def test_arguments_that_are_none(tool: Tool) -> None:
    with pytest.raises(ToolArgumentError, match="is no id of a trace"):
        run(tool, trace_id="../x")
    with pytest.raises(ToolArgumentError, match="no span of time"):
        run(tool, since="now", until="2 hours ago")


def test_items_have_their_page_and_services_are_known(home: Path) -> None:
    with serve(jaeger_answers(spans_of_the_shop())) as server:
        tool = tool_of(url=server.url, backend="jaeger", timeout_ms=30_000)
        output = run(tool, trace_id=CHECKOUT)
        page = f"{server.url}/trace/{CHECKOUT}?uiFind="
        assert all((e.url or "").startswith(page) for e in output.evidence)
        assert tool.landscape is not None
        assert tool.landscape(CONTEXT).labels == {"service": ("payments", "shop")}
        asked = len(server.paths)
        tool.landscape(CONTEXT)
        assert len(server.paths) == asked
        assert tool.ping is not None
        assert tool.ping() == f"Jaeger at {server.url}: 2 services"
