"""One tool from the command line: what a question reads before its tools run is read here too."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from bot.cli.sources import call_tool


def test_the_names_of_a_source_are_read_before_the_tool_has_its_time() -> None:
    done: list[str] = []
    tool = SimpleNamespace(name="metrics_query")

    def read(tools: list[Any], context: Any) -> None:
        assert tools == [tool]
        done.append(f"names for {context.agent}")

    def call(step: str, name: str, args: dict[str, Any]) -> str:
        done.append(name)
        return "answered"

    agent = SimpleNamespace(name="research", limits=SimpleNamespace(tools=("metrics_query",)))
    oracle: Any = SimpleNamespace(
        engine=SimpleNamespace(
            ask=None,
            agents={"research": agent},
            clock=SimpleNamespace(now=lambda: datetime(2026, 11, 22, tzinfo=UTC)),
        ),
        toolbox=SimpleNamespace(
            tools={"metrics_query": SimpleNamespace(tool=tool)},
            landscapes=SimpleNamespace(read=read),
            open=lambda context, limits: SimpleNamespace(call=call),
        ),
    )
    assert call_tool(oracle, "metrics_query", {"query": "metric=latency"}) == "answered"
    assert done == ["names for research", "metrics_query"]
