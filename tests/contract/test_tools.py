"""What every tool of config/tools.yaml keeps to, whatever it does."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.support.real_servers import free_port
from tests.support.toolkit_parts import NOON, make_context, make_limits
from workers.contracts import Landscape, ToolCall, ToolOutput
from workers.errors import ToolError
from workers.settings.load import ROOT, Settings, load_settings
from workers.toolkit.tool import Resources, Tool
from workers.toolkit.tool_call import CallSession
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


TOOLS = sorted(name for name, entry in ENTRIES.items() if is_on(entry))
NOWHERE = "/no/such/place"


@cache
def settings_of(sources: str) -> Settings:
    """Read once: with nothing connected, or with sources none of which is there."""
    broken = {
        "oracle.repositories": [{"path": NOWHERE}],
        "oracle.documents": [{"path": NOWHERE}],
        "oracle.prometheus.url": f"http://127.0.0.1:{free_port()}",
    }
    return load_settings({"nothing": {}, "broken": broken}[sources])


@pytest.fixture(params=["nothing", "broken"])
def sources(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def toolbox_of(name: str, home: Path, sources: str = "nothing") -> WrappedToolbox:
    """The toolbox with this tool alone and a home of its own, so that a mistake in another does not show here."""
    loaded = settings_of(sources)
    entries = {n: e for n, e in loaded.tree.tools.items() if n == name}
    tree = loaded.tree.model_copy(update={"tools": entries})
    own = home / name
    own.mkdir()
    return build_toolbox(Resources(Settings(own, tree, loaded.origin), lambda start, end: ()))


def session_of(name: str, toolbox: WrappedToolbox) -> CallSession:
    limits = make_limits(tools=(name,), tool_timeout_ms=SECONDS, tools_total_ms=SECONDS)
    return toolbox.open(make_context(NOON), limits)


def tools(home: Path) -> dict[str, Tool]:
    return {name: toolbox_of(name, home).tools[name].tool for name in TOOLS}


def test_each_says_what_it_is(home: Path) -> None:
    built = tools(home)
    assert len(built) > 70
    assert {name: tool.name for name, tool in built.items()} == {name: name for name in TOOLS}
    assert {tool.access for tool in built.values()} == {"read", "write"}
    described = {name: tool.description for name, tool in built.items()}
    assert {name: text for name, text in described.items() if len(text) <= 20 or not text[0].isupper()} == {}


def test_arguments_are_strict_and_described(home: Path) -> None:
    strict, kinds = set(), {}
    for name, tool in tools(home).items():
        try:
            tool.args.model_validate({"query": "x", "no_such_argument": 1})
        except ValidationError:
            strict.add(name)
        schema = tool.args.model_json_schema()
        assert schema["additionalProperties"] is False, name
        kinds[name] = {kind for field in schema["properties"].values() for kind in types_of(field)}
    assert strict == set(TOOLS)
    known = {"string", "integer", "number", "boolean"}
    assert {name: more for name, found in kinds.items() if (more := found - known - STAGED.get(name, set()))} == {}


def types_of(field: dict[str, Any]) -> set[str | None]:
    """The types of a property; that it may be left out is none."""
    return {one.get("type") for one in field.get("anyOf", [field])} - {"null"}


@pytest.mark.parametrize("query", ["", "   "])
def test_an_empty_question_is_refused(home: Path, query: str) -> None:
    wrong = {name: told for name in TOOLS if (told := taken_for_a_question(name, home, query))}
    assert wrong == {}


def taken_for_a_question(name: str, home: Path, query: str) -> str:
    """What is wrong with the answer to an empty question."""
    session = session_of(name, toolbox_of(name, home))
    good = GOOD.get(name, {})
    record, output = session.call("s", name, dict.fromkeys(good, query))
    if not good:
        return "" if bool(output.evidence) == (name in SOURCELESS) else f"evidence: {output.evidence}"
    if record.status != "error" or output.evidence:
        return f"{record.status}: {output}"
    answered = session.call("s", name, good)[1].reason
    return f"as a question: {answered}" if output.reason == answered else ""


def test_missing_sources_are_said_in_one_sentence(home: Path, sources: str) -> None:
    wrong = {name: told for name in TOOLS if (told := wrong_with_missing_sources(name, home, sources))}
    assert wrong == {}


def wrong_with_missing_sources(name: str, home: Path, sources: str) -> str:
    """What is wrong with the answer of a tool that has no sources."""
    toolbox = toolbox_of(name, home, sources)
    record, output = session_of(name, toolbox).call("s", name, GOOD.get(name) or NAMES.get(name, {}))
    if name in SOURCELESS | FROM_NOTHING:
        return "" if record.status == "ok" else f"{record.status}: {output.reason}"
    tool = toolbox.tools[name].tool
    by_a_person_alone = tool.access == "write" and tool.propose is None
    right = (
        record.status in ({"denied"} if by_a_person_alone else {"error", "empty"}),
        output.reason and not any(text in output.reason for text in ("\n", "Traceback", "internal error")),
        not output.evidence,
    )
    return "" if all(right) else f"{record.status}: {output}"


def test_what_a_question_reads_first_is_built_at_start(home: Path) -> None:
    with_files = {"oracle.bundle": str(home)}
    loaded = load_settings(with_files, home=home)
    built = build_toolbox(Resources(loaded, lambda start, end: ())).tools
    reads = {name for name in TOOLS if built[name].tool.landscape or built[name].tool.refresh}
    assert reads == {name for name in TOOLS if loaded.tree.tools[name].at_start}


def test_landscape_and_ping_of_missing_sources(home: Path, sources: str) -> None:
    pings = {}
    for name in TOOLS:
        toolbox = toolbox_of(name, home, sources)
        assert isinstance(toolbox.landscape(make_context(agent="")), Landscape), name
        ping = toolbox.tools[name].tool.ping
        try:
            pings[name] = ping() if ping else "nothing to ask"
        except ToolError as error:
            pings[name] = str(error)
    assert {name: line for name, line in pings.items() if not line or "\n" in line} == {}


SCALARS = st.text(max_size=40) | st.integers() | st.booleans() | st.floats()
WORDS = st.sampled_from(
    ["metric=latency_p95", "window=24h", "alert=*", "/api/x", "retry policy", "\x00", "\ud800", "'\""]
)


@pytest.fixture(scope="module")
def unconnected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, WrappedToolbox]:
    home = tmp_path_factory.mktemp("unconnected")
    return {name: toolbox_of(name, home) for name in TOOLS}


@given(
    query=st.lists(WORDS | st.text(max_size=20), max_size=5).map(" ".join),
    more=st.dictionaries(
        st.sampled_from(["k", "since", "until", "kind", "path", "commit", "lines", "start", "step", "other"]),
        SCALARS,
        max_size=3,
    ),
)
def test_none_raises_through_the_wrappers(
    unconnected: dict[str, WrappedToolbox], query: str, more: dict[str, Any]
) -> None:
    wrong = {}
    for name, toolbox in unconnected.items():
        asked = dict.fromkeys(GOOD.get(name, {"query": ""}), query)
        record, output = session_of(name, toolbox).call("s", name, {**asked, **more})
        assert isinstance(record, ToolCall)
        assert isinstance(output, ToolOutput)
        if record.status != output.status or "internal error" in output.reason:
            wrong[name] = f"{record.status}, {output.status}: {output.reason}"
    assert wrong == {}
