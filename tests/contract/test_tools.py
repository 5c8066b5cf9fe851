"""What every tool of config/tools.yaml keeps to, whatever it does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.support.real_servers import free_port
from tests.support.toolkit_parts import NOON, make_context, make_limits
from workers.contracts import Landscape, ToolCall, ToolOutput
from workers.errors import ToolError
from workers.settings.load import ROOT, load_settings
from workers.toolkit.tool import Resources, Tool
from workers.toolkit.toolbox import WrappedToolbox, build_toolbox

ENTRIES = yaml.safe_load((ROOT / "config" / "tools.yaml").read_text())
SECONDS = 20_000
"""Patience for a loaded machine; no test is meant to need it."""

GOOD: dict[str, dict[str, str]] = {
    "web_search": {"query": "retry"},
    "web_fetch": {"url": "https://docs.invalid/retry"},
    "save_answer": {"request_id": "abc123"},
    "memory_search": {"query": "retry"},
    "delete_note": {"path": "retry.md"},
    "get_backlinks": {"path": "retry.md"},
    "read_note": {"path": "retry.md"},
    "search_notes": {"query": "retry"},
    "vault_merge": {"keep": "retry.md", "other": "retries.md"},
    "vault_move": {"source": "retry.md", "target": "retries.md"},
    "vault_read": {"path": "retry.md"},
    "vault_write": {"path": "retry.md", "body": "three times"},
    "write_note": {"path": "retry.md", "body": "three times"},
    "delegate_librarian": {"task": "find duplicates"},
    "doc_search": {"query": "retry"},
    "find_definition": {"name": "retry"},
    "find_references": {"name": "retry"},
    "forget": {"memory": "retries"},
    "grep_code": {"pattern": "retry"},
    "home_assistant_change": {"entities": "light.desk", "action": "turn_off"},
    "home_assistant_history": {"entities": "light.desk"},
    "home_assistant_routine": {"name": "good night"},
    "log_of": {"path": "app.py"},
    "metrics_query": {"query": "metric=latency_p95 window=1h"},
    "promql": {"query": "up"},
    "read_document": {"path_or_title": "retry"},
    "read_file": {"path": "app.py"},
    "remember": {"text": "no deploys on Fridays"},
    "repo_search": {"query": "retry"},
    "search_code": {"query": "retry"},
    "safe_sql_query": {"query": "select count(*) from requests"},
    "show_commit": {"commit": "HEAD"},
    "thread_push": {"thread_id": "q3-plan", "content": "three retries"},
    "thread_read": {"thread_id": "q3-plan"},
    "thread_seek": {"query": "retries"},
}
"""What a tool is asked in words; the others take names."""
NAMES = {"get_request_detail": {"request_id": "req_1"}, "get_user_context": {"user_id": "someone"}}
SOURCELESS = {"get_schema"}
"""Tools that know by themselves what they tell."""
FROM_NOTHING = {"vault_write", "write_note"}
"""Tools that propose a first note where there is none."""
PROPOSED = ("apply_changes", "calendar_apply", "home_assistant_change", "home_assistant_routine")
STAGED = {name: {"array"} for name in PROPOSED}
"""What a tool takes from another one's proposal, not from a model."""


def is_on(entry: dict[str, Any]) -> bool:
    """Whether it is there without variables of the environment that only some have."""
    return bool(entry.get("enabled", True)) and not entry.get("requires")


pytestmark = pytest.mark.parametrize("name", sorted(n for n, entry in ENTRIES.items() if is_on(entry)))


def nothing_connected() -> dict[str, Any]:
    return {}


def everything_broken() -> dict[str, Any]:
    nowhere = "/no/such/place"
    return {
        "oracle.repositories": [{"path": nowhere}],
        "oracle.documents": [{"path": nowhere}],
        "oracle.prometheus.url": f"http://127.0.0.1:{free_port()}",
    }


def toolbox_of(name: str, overrides: dict[str, Any]) -> WrappedToolbox:
    """The toolbox with this tool alone, so that a mistake in another does not show here."""
    loaded = load_settings(overrides)
    entries = {n: e for n, e in loaded.tree.tools.items() if n == name}
    tree = loaded.tree.model_copy(update={"tools": entries})
    return build_toolbox(Resources(type(loaded)(loaded.home, tree, loaded.origin), lambda start, end: ()))


def tool_of(name: str) -> Tool:
    return toolbox_of(name, nothing_connected()).tools[name].tool


def test_it_says_what_it_is(name: str, home: Path) -> None:
    tool = tool_of(name)
    assert tool.name == name
    assert tool.access in {"read", "write"}
    assert len(tool.description) > 20
    assert tool.description[0].isupper()


def test_arguments_are_strict_and_described(name: str, home: Path) -> None:
    tool = tool_of(name)
    with pytest.raises(ValidationError):
        tool.args.model_validate({"query": "x", "no_such_argument": 1})
    schema = tool.args.model_json_schema()
    assert schema["additionalProperties"] is False
    kinds = {"string", "integer", "number", "boolean"} | STAGED.get(name, set())
    assert all(field.get("type") in kinds for field in schema["properties"].values())


@pytest.mark.parametrize("query", ["", "   "])
def test_an_empty_question_is_refused(name: str, home: Path, query: str) -> None:
    toolbox = toolbox_of(name, nothing_connected())
    session = toolbox.open(make_context(), make_limits(tools=(name,), tool_timeout_ms=SECONDS, tools_total_ms=SECONDS))
    good = GOOD.get(name, {})
    record, output = session.call("s", name, dict.fromkeys(good, query))
    if not good:
        assert bool(output.evidence) == (name in SOURCELESS)
        return
    assert record.status == "error"
    assert output.reason != session.call("s", name, good)[1].reason
    assert not output.evidence


@pytest.mark.parametrize("sources", [nothing_connected, everything_broken])
def test_missing_sources_are_said_in_one_sentence(name: str, home: Path, sources: Any) -> None:
    toolbox = toolbox_of(name, sources())
    session = toolbox.open(make_context(), make_limits(tools=(name,), tool_timeout_ms=SECONDS, tools_total_ms=SECONDS))
    record, output = session.call("s", name, GOOD.get(name) or NAMES.get(name, {}))
    if name in SOURCELESS | FROM_NOTHING:
        assert record.status == "ok"
        return
    tool = toolbox.tools[name].tool
    by_a_person_alone = tool.access == "write" and tool.propose is None
    assert record.status in ({"denied"} if by_a_person_alone else {"error", "empty"})
    assert output.reason
    assert "\n" not in output.reason
    assert "Traceback" not in output.reason
    assert "internal error" not in output.reason
    assert not output.evidence


@pytest.mark.parametrize("sources", [nothing_connected, everything_broken])
def test_landscape_and_ping_of_missing_sources(name: str, home: Path, sources: Any) -> None:
    toolbox = toolbox_of(name, sources())
    assert isinstance(toolbox.landscape(make_context(agent="")), Landscape)
    ping = toolbox.tools[name].tool.ping
    if ping is None:
        return
    try:
        line = ping()
    except ToolError as error:
        line = str(error)
    assert line
    assert "\n" not in line


SCALARS = st.text(max_size=40) | st.integers() | st.booleans() | st.floats()
WORDS = st.sampled_from(
    ["metric=latency_p95", "window=24h", "alert=*", "/api/x", "retry policy", "\x00", "\ud800", "'\""]
)


@pytest.fixture
def unconnected(name: str, home: Path) -> WrappedToolbox:
    return toolbox_of(name, nothing_connected())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    query=st.lists(WORDS | st.text(max_size=20), max_size=5).map(" ".join),
    more=st.dictionaries(
        st.sampled_from(["k", "since", "until", "kind", "path", "commit", "lines", "start", "step", "other"]),
        SCALARS,
        max_size=3,
    ),
)
def test_it_never_raises_through_the_wrappers(
    name: str, unconnected: WrappedToolbox, query: str, more: dict[str, Any]
) -> None:
    limits = make_limits(tools=(name,), tool_timeout_ms=SECONDS, tools_total_ms=SECONDS)
    asked = dict.fromkeys(GOOD.get(name, {"query": ""}), query)
    record, output = unconnected.open(make_context(NOON), limits).call("s", name, {**asked, **more})
    assert isinstance(record, ToolCall)
    assert isinstance(output, ToolOutput)
    assert record.status == output.status
    assert "internal error" not in output.reason
