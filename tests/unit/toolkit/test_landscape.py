"""The names of all sources together, through the toolbox."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from tests.support.toolkit_parts import NOON, make_context, make_limits, make_tool
from workers.contracts import Deploy, Landscape
from workers.errors import StoreUnavailable, ToolUnavailable
from workers.ports import Toolbox, ToolContext
from workers.settings.load import Settings
from workers.settings.schema import AgentEntry, Core, ToolEntry, Tree
from workers.toolkit.landscape import LandscapeReader
from workers.toolkit.redaction import Redactor
from workers.toolkit.tool import Tool
from workers.toolkit.toolbox import WrappedToolbox

TAG = Deploy(service="shop", version="v1", at=NOON - timedelta(days=2), source="git tag")
ROW = Deploy(service="shop", version="v2", commit="abc", at=NOON - timedelta(hours=3))
Read = Callable[[ToolContext], Landscape]


def no_deploys(start: datetime, end: datetime) -> tuple[Deploy, ...]:
    return ()


def tools(**reads: Read) -> dict[str, Tool]:
    return {name: make_tool(name=name, landscape=read) for name, read in reads.items()}


def make_toolbox(
    tools: dict[str, Tool], deploys: Callable[[datetime, datetime], tuple[Deploy, ...]] = no_deploys
) -> WrappedToolbox:
    agent = AgentEntry(module="narrow", description="d", task="t", tools=("a",))
    entries = {name: ToolEntry(module=name, cache_ttl_s=60) for name in tools}
    tree = Tree(oracle=Core(default_agent="narrow"), tools=entries, agents={"narrow": agent})
    return WrappedToolbox(tools, Settings(Path("/nowhere"), tree), deploys=deploys)


def fails(context: ToolContext) -> Landscape:
    raise ToolUnavailable("prometheus refused the connection")


def breaks(context: ToolContext) -> Landscape:
    raise ZeroDivisionError


def test_names_are_merged_and_failing_tools_contribute_nothing() -> None:
    toolbox: Toolbox = make_toolbox(
        tools(
            a=lambda context: Landscape(alerts=("Slow",), labels={"endpoint": ("/a",)}),
            b=fails,
            c=breaks,
            d=lambda context: Landscape(alerts=("Slow", "Down"), labels={"endpoint": ("/b",)}, repositories=("shop",)),
        )
        | {"e": make_tool(name="e")}
    )
    with capture_logs() as logs:
        names = toolbox.landscape(make_context())
    assert names == Landscape(alerts=("Slow", "Down"), labels={"endpoint": ("/a", "/b")}, repositories=("shop",))
    reasons = {log["tool"]: log["reason"] for log in logs if log["event"] == "landscape_failed"}
    assert reasons == {
        "b": "prometheus refused the connection",
        "c": "c: internal error; its traceback is in the log",
    }


def test_a_late_tool_is_named_and_not_waited_for_again() -> None:
    release, asked = threading.Event(), list[str]()

    def hangs(context: ToolContext) -> Landscape:
        asked.append("slow")
        release.wait()
        return Landscape(alerts=("Late",))

    now = [0.0]
    reader = LandscapeReader(no_deploys, Redactor(), lambda: now[0], timeout_ms=20)
    named = [make_tool(name="a", landscape=hangs), make_tool(name="b", landscape=lambda c: Landscape(alerts=("Slow",)))]
    found = [reader.read(named, make_context()) for _ in range(2)]
    assert [(one.late, one.alerts) for one in found] == [(("a",), ("Slow",))] * 2
    assert asked == ["slow"]
    release.set()
    now[0] = 31_000.0
    later = reader.read(named, replace(make_context(), now=NOON + timedelta(minutes=1)))
    assert (later.late, later.alerts) == ((), ("Late", "Slow"))


def test_late_tool_contributes_nothing() -> None:
    release = threading.Event()

    def hangs(context: ToolContext) -> Landscape:
        release.wait()
        return Landscape(alerts=("Late",))

    clock = iter(range(1_000))
    reader = LandscapeReader(no_deploys, Redactor(), lambda: float(next(clock)), timeout_ms=20)
    named = [make_tool(name="a", landscape=hangs), make_tool(name="b", landscape=lambda c: Landscape(alerts=("Slow",)))]
    with capture_logs() as logs:
        assert reader.read(named, make_context()).alerts == ("Slow",)
    assert [log["reason"] for log in logs] == ["no answer within 20 ms"]
    release.set()


def test_a_tool_is_loaded_before_the_time_of_its_names_begins() -> None:
    loaded = threading.Event()

    def names(context: ToolContext) -> Landscape:
        return Landscape(alerts=("Slow",) if loaded.is_set() else ())

    tool = replace(make_tool(name="a", landscape=names), prepare=loaded.set)
    assert make_toolbox({"a": tool}).landscape(make_context()).alerts == ("Slow",)


def test_sources_are_asked_once_in_thirty_seconds_and_failed_ones_again() -> None:
    asked: list[str] = []

    def good(context: ToolContext) -> Landscape:
        asked.append("good")
        return Landscape(alerts=("Slow",))

    def bad(context: ToolContext) -> Landscape:
        asked.append("bad")
        return fails(context)

    toolbox = make_toolbox(tools(a=good, b=bad))
    for seconds in (0, 29, 30):
        toolbox.landscape(make_context(NOON + timedelta(seconds=seconds)))
    assert (asked.count("good"), asked.count("bad")) == (2, 3)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ((ROW, ROW), (ROW,)),
        ((), (TAG,)),
        ((ROW.model_copy(update={"at": NOON + timedelta(hours=1)}),), ()),
    ],
)
def test_deploys_come_from_the_table_else_from_the_tools(
    rows: tuple[Deploy, ...], expected: tuple[Deploy, ...]
) -> None:
    spans: list[tuple[datetime, datetime]] = []

    def listed(start: datetime, end: datetime) -> tuple[Deploy, ...]:
        spans.append((start, end))
        return rows

    future = TAG.model_copy(update={"version": "v9", "at": NOON + timedelta(days=1)})
    toolbox = make_toolbox(tools(a=lambda context: Landscape(deploys=(future, TAG))), listed)
    assert toolbox.landscape(make_context()).deploys == expected
    assert spans == [(NOON - timedelta(days=30), NOON)]


def test_database_that_is_down_leaves_the_tags() -> None:
    def down(start: datetime, end: datetime) -> tuple[Deploy, ...]:
        raise StoreUnavailable("the database is down")

    toolbox = make_toolbox(tools(a=lambda context: Landscape(deploys=(TAG,))), down)
    assert toolbox.landscape(make_context()).deploys == (TAG,)


def test_agent_reads_the_names_of_its_own_tools_only() -> None:
    toolbox = make_toolbox(tools(a=lambda c: Landscape(alerts=("A",)), b=lambda c: Landscape(alerts=("B",))))
    assert toolbox.landscape(make_context(agent="narrow")).alerts == ("A",)
    assert toolbox.landscape(make_context(agent="")).alerts == ("A", "B")


def test_rack_shares_its_cache_between_requests() -> None:
    toolbox = make_toolbox({"a": make_tool(name="a")})
    limits = make_limits(tools=("a",))
    cached = [toolbox.open(make_context(), limits).call("s", "a", {"query": "q"})[0].cached for _ in range(2)]
    assert cached == [False, True]


def test_names_of_data_that_an_agent_does_not_need_are_not_its_own() -> None:
    given = tools(a=lambda _: Landscape(alerts=("Slow",)), data=lambda _: Landscape(labels={"tier": ("standard",)}))
    narrow = AgentEntry(module="narrow", description="d", task="t", tools=("a", "data"))
    agents = {"narrow": narrow, "owner": narrow.model_copy(update={"needs": "context"})}
    entries = {"a": ToolEntry(module="a"), "data": ToolEntry(module="data", needs="context")}
    tree = Tree(oracle=Core(default_agent="narrow"), tools=entries, agents=agents)
    toolbox = WrappedToolbox(given, Settings(Path("/nowhere"), tree), deploys=no_deploys)
    assert toolbox.landscape(make_context(agent="narrow")).labels == {}
    assert toolbox.landscape(make_context(agent="owner")).labels == {"tier": ("standard",)}
    assert toolbox.landscape(make_context(agent="")).labels == {"tier": ("standard",)}
