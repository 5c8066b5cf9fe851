"""A secret that a source holds must not come out anywhere: output, record, log, store, counters."""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from tests.support.request_logs import make_log
from tests.support.tables import sqlite_tables
from tests.support.toolkit_parts import EchoArgs, make_context, make_session, make_tool
from workers.contracts import Evidence, Fact, ToolOutput
from workers.errors import ToolUnavailable
from workers.ports import ToolContext
from workers.store.request_logs import open_store
from workers.telemetry.agent_metrics import AgentMetrics
from workers.telemetry.json_logs import close_logs, configure_logs, log_request
from workers.toolkit.redaction import BUILTIN

CANARIES = [
    "ghp_" + "c4N4" * 9,
    "AKIAIOSFODNN7CANARY1",
    "sk_live_" + "c4N4" * 6,
    "xoxb-123456789012-1234567890123-c4n4ryc4n4ryc4n4",
]


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    configure_logs(redact=BUILTIN.value, stream=stream)
    yield stream
    close_logs()
    structlog.reset_defaults()


def leaky(secret: str) -> ToolOutput:
    """An output with the secret in every place a tool can put text."""
    evidence = Evidence(
        kind="code",
        title=secret,
        locator=secret,
        url=f"https://example.org/{secret}",
        excerpt=f'TOKEN = "{secret}"',
        facts={"token": Fact(value=secret, entity=secret)},
    )
    return ToolOutput(summary=secret, reason=secret, nearest=(secret,), data={secret: [secret]}, evidence=(evidence,))


@pytest.mark.parametrize("secret", CANARIES)
@pytest.mark.parametrize("failing", [False, True])
def test_no_sink_holds_the_canary(secret: str, failing: bool, log: io.StringIO, tmp_path: Path) -> None:
    def run(args: EchoArgs, context: ToolContext) -> ToolOutput:
        if args.k == 2:
            raise ToolUnavailable(f"refused {secret}")
        if failing:
            raise ValueError(f"broke on {secret}")
        return leaky(secret)

    session = make_session(make_tool(run), context=make_context())
    calls = [session.call("s", "echo", {"query": f"why {secret}", "k": k}) for k in (1, 2)]
    outputs = "".join(output.model_dump_json() for _, output in calls)
    evidence = tuple(e for _, output in calls for e in output.evidence)
    request = make_log(text=f"why {secret}?", tool_calls=tuple(r for r, _ in calls), evidence=evidence, notes=(secret,))

    log_request(request)
    store = open_store(sqlite_tables(tmp_path / "oracle.db"), BUILTIN.value)
    store.save(request)
    store.database.close()
    metrics = AgentMetrics()
    metrics.record(request)
    with sqlite3.connect(tmp_path / "oracle.db") as connection:
        dump = "\n".join(connection.iterdump())
    connection.close()

    sinks = {"output": outputs, "log": log.getvalue(), "store": dump, "counters": metrics.render().decode()}
    assert [name for name, text in sinks.items() if secret in text] == []
    assert all(secret.encode() not in path.read_bytes() for path in tmp_path.iterdir())
    assert "why [redacted:" in log.getvalue()
    assert "why [redacted:" in dump
