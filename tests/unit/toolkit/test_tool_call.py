"""One call through all wrappers."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from tests.support.each_row import each_row
from tests.support.toolkit_parts import (
    NOON,
    EchoArgs,
    ManualClock,
    make_context,
    make_limits,
    make_session,
    make_tool,
    new_cache,
)
from workers.contracts import Evidence, ToolOutput
from workers.errors import StoreUnavailable, ToolArgumentError, ToolDenied, ToolUnavailable
from workers.ports import ToolContext, ToolSession
from workers.toolkit import tool_call, tool_loading
from workers.toolkit.tool import Tool

SECRET = "ghp_" + "a1B2" * 9


def raising(error: Exception) -> Tool:
    def run(args: EchoArgs, context: ToolContext) -> ToolOutput:
        raise error

    return make_tool(run)


def counting(outputs: list[ToolOutput]) -> tuple[Tool, list[EchoArgs]]:
    """A tool that answers with these outputs in turn, the last one again and again, and the calls it got."""
    seen: list[EchoArgs] = []

    def run(args: EchoArgs, context: ToolContext) -> ToolOutput:
        seen.append(args)
        return outputs[min(len(seen), len(outputs)) - 1]

    return make_tool(run), seen


def test_record_has_what_was_called_and_what_came_of_it() -> None:
    clock = ManualClock()

    def run(args: EchoArgs, context: ToolContext) -> ToolOutput:
        clock.at_ms += 30
        return ToolOutput(summary="two\n hits")

    clock.at_ms = 1_000
    session: ToolSession = make_session(make_tool(run), clock=clock)
    clock.at_ms += 12
    record, output = session.call("s1", "echo", {"query": "q"}, attempt=2)
    assert output.summary == "two\n hits"
    assert record.model_dump() == {
        "name": "echo",
        "args": {"query": "q"},
        "start_ms": 12.0,
        "end_ms": 42.0,
        "status": "ok",
        "attempt": 2,
        "cached": False,
        "summary": "two hits",
        "step": "s1",
    }


def test_long_summary_is_cut_in_the_record_only() -> None:
    tool = make_tool(lambda args, context: ToolOutput(summary="x" * 1_000))
    record, output = make_session(tool).call("s1", "echo", {"query": "q"})
    assert len(record.summary) == 300
    assert record.summary.endswith("…")
    assert len(output.summary) == 1_000


@each_row(
    "error, status, reason, nearest",
    [
        (ToolArgumentError("no metric 'lat'", ("latency_p95",)), "error", "no metric 'lat'", ("latency_p95",)),
        (ToolUnavailable("prometheus answered 502"), "error", "prometheus answered 502", ()),
        (ToolDenied("not for you"), "denied", "not for you", ()),
        (StoreUnavailable("the database is down"), "error", "the database is down", ()),
        (ZeroDivisionError("1/0"), "error", "echo: internal error; its traceback is in the log", ()),
    ],
)
def test_errors_become_statuses(error: Exception, status: str, reason: str, nearest: tuple[str, ...]) -> None:
    with capture_logs() as logs:
        record, output = make_session(raising(error)).call("s1", "echo", {"query": "q"})
    assert (output.status, output.reason, output.nearest) == (status, reason, nearest)
    assert (record.status, record.summary) == (status, reason)
    unexpected = isinstance(error, ZeroDivisionError)
    assert [(log["event"], log["exc_info"]) for log in logs] == ([("tool_failed", True)] if unexpected else [])


def test_something_that_is_no_output_is_an_internal_error() -> None:
    tool = make_tool(lambda args, context: None)  # type: ignore[arg-type, return-value]
    with capture_logs():
        record, _ = make_session(tool).call("s1", "echo", {"query": "q"})
    assert record.status == "error"


def test_wrong_arguments_never_reach_the_tool() -> None:
    tool, seen = counting([ToolOutput()])
    record, output = make_session(tool).call("s1", "echo", {"query": "q", "k": "many", "quary": "x"})
    assert record.status == "error"
    assert output.reason.startswith("echo: ")
    assert "'k': " in output.reason
    assert "no argument 'quary' (known: query, k)" in output.reason
    assert output.nearest == ("query",)
    assert "\n" not in output.reason
    assert seen == []


def test_wrong_arguments_are_told_in_the_tools_own_shape() -> None:
    tool = replace(make_tool(), refuse=lambda sentence: {"error": True, "message": f"{sentence} {SECRET}"})
    _, output = make_session(tool).call("s1", "echo", {})
    assert output.status == "error"
    assert output.data["error"] is True
    assert output.data["message"].startswith("echo: 'query' is required")
    assert SECRET not in output.data["message"]


def test_missing_argument_is_named() -> None:
    _, output = make_session().call("s1", "echo", {})
    assert output.reason == "echo: 'query' is required"


def test_tool_that_is_not_there() -> None:
    record, output = make_session().call("s1", "ecco", {"query": "q"})
    assert (record.status, output.reason, output.nearest) == ("error", "no tool named 'ecco'", ("echo",))


def test_tool_that_is_not_on_the_agents_list_is_denied() -> None:
    tool, seen = counting([ToolOutput()])
    session = make_session(tool, limits=make_limits(tools=("other",)))
    record, output = session.call("s1", "echo", {"query": "q"})
    assert record.status == "denied"
    assert output.reason == "agent 'research' may not use 'echo'; it may use: other"
    assert seen == []


def test_writing_tool_waits_for_a_person() -> None:
    seen: list[EchoArgs] = []
    tool = make_tool(lambda args, context: seen.append(args) or ToolOutput(), access="write")
    record, output = make_session(tool).call("s1", "echo", {"query": "q"})
    assert (record.status, seen) == ("denied", [])
    assert "a person has to confirm" in output.reason


def test_calls_over_the_limit_stop() -> None:
    tool, seen = counting([ToolOutput()])
    session = make_session(tool, limits=make_limits(max_tool_calls=2))
    statuses = [session.call("s1", "echo", {"query": "q"})[0].status for _ in range(4)]
    assert statuses == ["ok", "ok", "denied", "denied"]
    assert len(seen) == 2


def test_calls_over_the_limit_are_logged() -> None:
    session = make_session(limits=make_limits(max_tool_calls=1, overflow="log"))
    with capture_logs() as logs:
        statuses = [session.call("s1", "echo", {"query": "q"})[0].status for _ in range(3)]
    assert statuses == ["ok", "ok", "ok"]
    assert [(log["event"], log["calls"]) for log in logs] == [("tool_budget_exceeded", 2), ("tool_budget_exceeded", 3)]


class Slow:
    """A tool that answers when it is let go."""

    def __init__(self, output: ToolOutput) -> None:
        self.output, self.let_go, self.runs = output, threading.Event(), 0
        self.tool = make_tool(self.run)

    def run(self, args: EchoArgs, context: ToolContext) -> ToolOutput:
        self.runs += 1
        self.let_go.wait(60)
        return self.output


def test_late_call_is_a_timeout_and_its_result_is_told_once_when_it_comes() -> None:
    slow = Slow(ToolOutput(summary="late", evidence=(Evidence(kind="doc", title="Guide", locator="guide.md"),)))
    session = make_session(slow.tool, timeout_ms=20)
    record, output = session.call("s1", "echo", {"query": "q"}, attempt=2)
    assert (record.status, output.reason) == ("timeout", "echo did not answer within 20 ms")
    assert session.late() == ()
    slow.let_go.set()
    ((late, came),) = session.late(wait=True)
    assert came == slow.output
    assert (late.step, late.attempt, late.status, late.start_ms) == ("s1", 2, "ok", record.start_ms)
    assert late.end_ms >= record.end_ms
    assert late.summary.startswith("late (took ")
    assert session.late(wait=True) == ()


def test_late_result_is_kept_for_the_next_equal_call() -> None:
    slow, cache = Slow(ToolOutput(summary="late")), new_cache()
    session = make_session(slow.tool, timeout_ms=20, cache=cache, cache_ttl_s=60)
    assert session.call("s1", "echo", {"query": "q"})[0].status == "timeout"
    other = make_session(slow.tool, timeout_ms=20, cache=cache, cache_ttl_s=60)
    assert other.call("s1", "echo", {"query": "q"})[0].status == "timeout"
    slow.let_go.set()
    assert len(session.late(wait=True)) == 1
    record, output = make_session(slow.tool, cache=cache, cache_ttl_s=60).call("s1", "echo", {"query": "q"})
    assert (record.cached, output.summary, slow.runs) == (True, "late", 1)


def test_late_result_is_waited_for_no_longer_than_the_time_for_all_tools() -> None:
    slow = Slow(ToolOutput())
    session = make_session(slow.tool, limits=make_limits(tool_timeout_ms=10, tools_total_ms=30))
    assert session.call("s1", "echo", {"query": "q"})[0].status == "timeout"
    assert session.late(wait=True) == ()
    assert session.time.left_ms() < 1
    slow.let_go.set()


def test_a_late_failure_is_told_and_a_late_timeout_is_not() -> None:
    failing, stopped = Slow(ToolOutput(status="error", reason="refused")), Slow(ToolOutput(status="timeout"))
    for slow, statuses in ((failing, ["error"]), (stopped, [])):
        session = make_session(slow.tool, timeout_ms=20)
        session.call("s1", "echo", {"query": "q"})
        slow.let_go.set()
        assert [call.status for call, _ in session.late(wait=True)] == statuses


def test_loading_is_not_the_time_of_a_call() -> None:
    clock, events = ManualClock(), list[str]()

    def load() -> None:
        clock.at_ms += 30_000
        events.append("load")

    def run(args: EchoArgs, context: ToolContext) -> ToolOutput:
        events.append("run")
        return ToolOutput()

    tool = replace(make_tool(run), prepare=load)
    session = make_session(tool, limits=make_limits(tool_timeout_ms=15_000, tools_total_ms=20_000), clock=clock)
    assert session.call("s1", "echo", {"query": "q"})[0].status == "ok"
    assert events == ["load", "run"]
    assert session.time.left_ms() == 20_000


def test_what_fails_while_loading_is_told_by_the_call() -> None:
    def load() -> None:
        raise ToolUnavailable("no such folder")

    tool = replace(raising(ToolUnavailable("no such folder: /srv/shop")), prepare=load)
    assert make_session(tool).call("s1", "echo", {"query": "q"})[1].reason == "no such folder: /srv/shop"


def test_loading_that_never_ends_is_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_loading, "PREPARE_MS", 20.0)
    release = threading.Event()

    def load() -> None:
        release.wait(60)

    tool, seen = counting([ToolOutput()])
    record, output = make_session(replace(tool, prepare=load)).call("s1", "echo", {"query": "q"})
    assert (record.status, seen) == ("timeout", [])
    assert output.reason.startswith("echo was not loaded within 0 s")
    release.set()


def test_what_was_not_loaded_in_time_is_not_waited_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def prepare(tool: Tool, monotonic_ms: object) -> str:
        asked.append(tool.name)
        return "" if tool.name == "quick" else f"{tool.name} was not loaded"

    monkeypatch.setattr(tool_call, "prepare", prepare)
    session = make_session(make_tool(), make_tool(name="quick"))
    calls = [session.call("s1", name, {"query": "q"}) for name in ("echo", "quick", "echo", "echo", "quick")]
    assert [record.status for record, _ in calls] == ["timeout", "ok", "timeout", "timeout", "ok"]
    assert {output.reason for _, output in calls if output.status == "timeout"} == {"echo was not loaded"}
    assert asked == ["echo", "quick", "quick"]
    make_session().call("s1", "echo", {"query": "q"})
    assert asked[3:] == ["echo"]  # another request asks again


def test_a_late_call_names_its_own_limit_and_its_time_without_loading() -> None:
    clock, slow = ManualClock(), Slow(ToolOutput(summary="late"))

    def load() -> None:
        clock.at_ms += 1_200

    session = make_session(replace(slow.tool, prepare=load), timeout_ms=20, clock=clock)
    record, _ = session.call("s1", "echo", {"query": "q"})
    assert (record.status, record.start_ms, record.end_ms) == ("timeout", 1_200, 1_200)
    clock.at_ms += 300
    slow.let_go.set()
    ((late, _),) = session.late(wait=True)
    assert (late.start_ms, late.end_ms) == (1_200, 1_500)
    assert late.summary == "late (took 300 ms, more than its limit of 20 ms)"


def test_all_tools_together_have_a_limit() -> None:
    clock = ManualClock()

    def run(args: EchoArgs, context: ToolContext) -> ToolOutput:
        clock.at_ms += 600
        return ToolOutput()

    session = make_session(make_tool(run), limits=make_limits(tools_total_ms=1_000), clock=clock)
    first = session.call("s1", "echo", {"query": "q"})
    clock.at_ms += 5_000  # thinking between calls costs nothing
    second = session.call("s2", "echo", {"query": "q"})
    third, output = session.call("s3", "echo", {"query": "q"})
    assert [first[0].status, second[0].status, third.status] == ["ok", "ok", "timeout"]
    assert output.reason == "the 1 s for all tools are used up"


def test_equal_calls_run_once_within_the_time_to_live() -> None:
    tool, seen = counting([ToolOutput(data={"rows": [1]})])
    cache = new_cache()
    first = make_session(tool, cache=cache, cache_ttl_s=60).call("s1", "echo", {"query": "q"})
    second = make_session(tool, cache=cache, cache_ttl_s=60).call("s9", "echo", {"k": 3, "query": "q"})
    assert len(seen) == 1
    assert (first[0].cached, second[0].cached) == (False, True)
    assert first[1] == second[1]
    assert second[0].step == "s9"


def test_reader_cannot_change_what_is_cached() -> None:
    cache = new_cache()
    for _ in range(3):
        output = make_session(cache=cache, cache_ttl_s=60).call("s1", "echo", {"query": "q"})[1]
        assert output.data == {"query": "q"}
        output.data["query"] = "changed"


@each_row(
    "args, context",
    [
        ({"query": "other"}, make_context()),
        ({"query": "q", "k": 4}, make_context()),
        ({"query": "q"}, make_context(timezone="Asia/Tokyo")),
        ({"query": "q"}, make_context(NOON + timedelta(seconds=60))),
    ],
)
def test_what_makes_results_differ_is_in_the_key(args: dict[str, str | int], context: ToolContext) -> None:
    tool, seen = counting([ToolOutput()])
    cache = new_cache()
    make_session(tool, cache=cache, cache_ttl_s=60).call("s1", "echo", {"query": "q"})
    record, _ = make_session(tool, cache=cache, cache_ttl_s=60, context=context).call("s1", "echo", args)
    assert not record.cached
    assert len(seen) == 2


@each_row("query", ["\ud800", "\x00", "✓", ""])
def test_any_text_can_be_an_argument(query: str) -> None:
    record, output = make_session(cache_ttl_s=60).call("s1", "echo", {"query": query})
    assert (record.status, output.data) == ("ok", {"query": query})


def test_failures_are_not_cached_and_empty_results_are() -> None:
    tool, seen = counting([ToolOutput(status="error"), ToolOutput(status="empty"), ToolOutput(status="ok")])
    session = make_session(tool, cache_ttl_s=60)
    records = [session.call("s1", "echo", {"query": "q"})[0] for _ in range(3)]
    assert [(r.status, r.cached) for r in records] == [("error", False), ("empty", False), ("empty", True)]
    assert len(seen) == 2


def test_secrets_are_redacted_in_output_record_and_cache() -> None:
    tool = make_tool(lambda args, context: ToolOutput(summary=f"found {SECRET}", data={"deep": [{"x": SECRET}]}))
    session = make_session(tool, cache_ttl_s=60)
    for _ in range(2):
        record, output = session.call("s1", "echo", {"query": f"why {SECRET}"})
        assert SECRET not in record.model_dump_json() + output.model_dump_json()
        assert output.data == {"deep": [{"x": "[redacted:github-token]"}]}


def test_reason_with_a_secret_is_redacted() -> None:
    error = ToolUnavailable("http://admin:hunter22@prometheus:9090 answered 502")
    record, output = make_session(raising(error)).call("s1", "echo", {"query": "q"})
    assert output.reason == "http://admin:[redacted:password]@prometheus:9090 answered 502"
    assert record.summary == output.reason
