"""``oracle mcp`` in a process of its own, and the SDK's client: over both transports, as clients speak today and did
before 2026-07-28."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client, MCPError
from mcp_types import CallToolResult, ElicitResult

from tests.scenario.conftest import copy_demo
from tests.support.deployment import ORACLE
from tests.support.mcp_sessions import Asked, over_http, over_stdio, says, serving, token_for
from tests.support.real_servers import READY_S
from workers.conversations.entries import NewThread, begin_thread
from workers.settings.load import ROOT, load_settings
from workers.store.api_tokens import revoke_token
from workers.store.database import open_database

MODES = ("auto", "legacy")


@dataclass(frozen=True)
class Served:
    """``oracle mcp --http``, shared by tests each of which has users of its own."""

    home: Path
    url: str

    def token(self, user: str) -> str:
        return token_for(self.home, user)[0]


@pytest.fixture(scope="module")
def served(built_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    home = copy_demo(built_demo, tmp_path_factory.mktemp("served"))
    with serving(home) as url:
        yield Served(home, url)


@pytest.fixture
def own_home(demo_deployment_home: Path) -> Path:
    """An ORACLE_HOME on the demo that a test writes to."""
    return demo_deployment_home


async def everything(client: Client) -> None:
    """Lists all there is, and calls every tool."""
    tools = (await client.list_tools()).tools
    names = [tool.name for tool in tools]
    assert names == sorted(names)
    assert {"ask_oracle", "repo_search", "metrics_query", "doc_search", "read_note", "write_note"} <= set(names)
    marks = {tool.name: tool.annotations for tool in tools}
    assert all(mark is not None for mark in marks.values())
    kinds = {name: (mark.read_only_hint, mark.destructive_hint) for name, mark in marks.items() if mark}
    assert kinds["repo_search"] == (True, False)
    assert kinds["delete_note"] == (False, True)
    for tool in tools:
        result = await client.call_tool(tool.name, EXAMPLES.get(tool.name, {}))
        assert isinstance(result, CallToolResult)
        assert result.content or result.structured_content
        if tool.name in EXAMPLES:
            assert not result.is_error, (tool.name, result.content)
    assert [p.name for p in (await client.list_prompts()).prompts] == [
        "find_note",
        "investigate",
        "summarize_incident",
    ]
    prompt = await client.get_prompt("investigate", {"subject": "/api/search", "since": "the last deploy"})
    assert "/api/search since the last deploy" in prompt.messages[0].content.text  # type: ignore[union-attr]
    with pytest.raises(MCPError, match="subject is required"):
        await client.get_prompt("investigate", {})
    templates = (await client.list_resource_templates()).resource_templates
    assert [t.uri_template for t in templates] == ["note://{+path}", "thread://{id}"]
    with pytest.raises(MCPError, match="no tool 'rm'"):
        await client.call_tool("rm", {})


EXAMPLES: dict[str, dict[str, Any]] = {
    "ask_oracle": {"question": "What is a circuit breaker?"},
    "doc_search": {"query": "cache misconfiguration"},
    "get_deployment_status": {},
    "grep_code": {"pattern": "TTL_SECONDS"},
    "list_notes": {},
    "log_of": {"path": "search_service.py"},
    "metrics_query": {"query": "metric=latency_p95 window=24h endpoint=/api/search"},
    "repo_search": {"query": "retry policy"},
    "show_commit": {"commit": "HEAD"},
}


@pytest.mark.parametrize("mode", MODES)
def test_every_tool_is_listed_and_called(built_demo: Path, tmp_path: Path, served: Served, mode: str) -> None:
    over_stdio(copy_demo(built_demo, tmp_path / "own"), everything, mode)
    over_http(served.url, served.token("ada"), everything, mode)


def test_what_the_server_says_of_itself_may_be_kept_a_while(own_home: Path) -> None:
    async def look(client: Client) -> None:
        assert client.protocol_version == "2026-07-28"
        assert client.server_info.name == "oracle"  # type: ignore[union-attr]
        assert "ask_oracle" in (client.instructions or "")
        listed = await client.list_tools()
        assert (listed.ttl_ms, listed.cache_scope) == (60_000, "private")
        assert (await client.list_prompts()).cache_scope == "public"

    over_stdio(own_home, look)


@pytest.mark.parametrize("mode", MODES)
def test_an_answer_comes_with_its_evidence_and_progress(own_home: Path, mode: str) -> None:
    told: list[str] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        told.append(message or "")

    async def ask(client: Client) -> CallToolResult:
        question = {"question": "Latency on /api/search has been spiky since yesterday's deploy. What's going on?"}
        return await client.call_tool("ask_oracle", question, progress_callback=heard)

    result = over_stdio(own_home, ask, mode)
    answer = result.structured_content
    assert answer["kind"] == "answer"
    known = {source["id"] for source in answer["evidence"]}
    assert answer["claims"]
    assert all(set(claim["evidence"]) <= known for claim in answer["claims"])
    assert {"metrics_query", "repo_search"} <= set(answer["tools_used"])
    assert answer["headline"] in result.content[0].text
    assert any("/api/search" in line for line in told)


@pytest.mark.parametrize("mode", MODES)
def test_a_question_with_two_meanings_is_asked_back_and_goes_on(served: Served, mode: str) -> None:
    async def ask(client: Client) -> CallToolResult:
        return await client.call_tool("ask_oracle", {"question": "something is broken, help"})

    asked = Asked([says("1")])
    token = served.token("asker")
    answer = over_http(served.url, token, ask, mode, asked).structured_content
    assert "1. /api/search" in asked.messages[0]
    assert (answer["kind"], "/api/search" in answer["headline"]) == ("answer", True)
    declined = over_http(served.url, token, ask, mode, Asked([ElicitResult(action="decline")])).structured_content
    assert (declined["kind"], declined["options"][0]) == ("clarify", "/api/search")


@pytest.mark.parametrize("mode", MODES)
def test_what_is_kept_in_a_thread_is_asked_about_once(own_home: Path, mode: str) -> None:
    async def push(client: Client) -> CallToolResult:
        return await client.call_tool("thread_push", {"thread_id": "plan", "content": "Three retries."})

    asked = Asked([says("yes")])
    assert not over_stdio(own_home, push, mode, asked).is_error
    assert len(asked.messages) == 1


def test_a_client_that_cannot_ask_goes_on_with_the_request(own_home: Path) -> None:
    async def ask(client: Client) -> tuple[CallToolResult, CallToolResult]:
        first = await client.call_tool("ask_oracle", {"question": "something is broken, help"})
        request = first.structured_content["request_id"]  # type: ignore[index]
        return first, await client.call_tool("ask_oracle", {"question": "1", "request": request})

    first, second = over_stdio(own_home, ask)
    assert first.structured_content["kind"] == "clarify"
    assert second.structured_content["kind"] == "answer"
    assert first.structured_content["request_id"] == second.structured_content["request_id"]


@pytest.mark.parametrize("mode", MODES)
def test_a_change_is_made_when_the_person_confirms_it(own_home: Path, mode: str) -> None:
    note = own_home / "vault" / "search" / "cache.md"

    async def write(client: Client) -> CallToolResult:
        return await client.call_tool("write_note", {"path": "search/cache.md", "body": "# Cache\nTTL is 300 s.\n"})

    assert over_stdio(own_home, write, mode).is_error
    asked = Asked([says("no"), ElicitResult(action="cancel"), says("yes")])

    async def write_and_read(client: Client) -> None:
        refused = await write(client)
        assert "+TTL is 300 s." in asked.messages[0]
        assert refused.is_error
        assert "did not confirm" in refused.structured_content["reason"]  # type: ignore[index]
        assert (await write(client)).is_error
        assert not note.exists()
        assert not (await write(client)).is_error
        assert note.read_text() == "# Cache\nTTL is 300 s.\n"
        listed = (await client.list_resources()).resources
        assert [str(r.uri) for r in listed] == ["note://search/cache.md"]
        content = (await client.read_resource("note://search/cache.md")).contents[0]
        assert content.text == "# Cache\nTTL is 300 s.\n"  # type: ignore[union-attr]

    over_stdio(own_home, write_and_read, mode, asked)
    assert len(asked.messages) == 3


def test_what_changed_while_a_person_thought_is_shown_again(own_home: Path) -> None:
    note = own_home / "vault" / "a.md"
    note.parent.mkdir()
    note.write_text("one\n")

    class Late(Asked):
        async def __call__(self, context: Any, params: Any) -> ElicitResult:
            if not self.messages:
                note.write_text("two\n")
            return await super().__call__(context, params)

    async def write(client: Client) -> CallToolResult:
        return await client.call_tool("write_note", {"path": "a.md", "body": "three\n"})

    asked = Late([says("yes"), says("no")])
    assert over_stdio(own_home, write, asked=asked).is_error
    assert "-one" in asked.messages[0]
    assert "-two" in asked.messages[1]
    assert note.read_text() == "two\n"


# --- who calls ------------------------------------------------------------------------------------------------


LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


def test_only_living_tokens_and_own_pages_come_in(served: Served) -> None:
    token, token_id = token_for(served.home, "visitor")

    def status(**headers: str) -> int:
        return httpx.post(served.url, json=LIST, headers={**ACCEPT, **headers}).status_code

    assert status() == 401
    assert status(Authorization="Bearer oracle_wrong") == 401
    assert status(Authorization=f"Basic {token}") == 401
    known = {"Authorization": f"Bearer {token}"}
    assert status(**known) not in {401, 403, 421}
    assert status(**known, Origin="https://evil.example") == 403
    assert status(**known, Host="evil.example") == 421
    assert status(**known, Origin=served.url.removesuffix("/mcp")) not in {401, 403, 421}
    database = open_database(load_settings(home=served.home).database_url)
    revoke_token(database, token_id)
    database.close()
    assert status(**known) == 401
    challenge = httpx.post(served.url, json=LIST, headers=ACCEPT).headers["www-authenticate"]
    assert challenge.startswith("Bearer")


@pytest.mark.parametrize("mode", MODES)
def test_a_request_is_its_asker_s_alone(served: Served, mode: str) -> None:
    async def ask(client: Client) -> CallToolResult:
        return await client.call_tool("ask_oracle", {"question": "something is broken, help"})

    first = over_http(served.url, served.token("owner"), ask, mode).structured_content

    async def go_on(client: Client) -> CallToolResult:
        return await client.call_tool("ask_oracle", {"question": "1", "request": first["request_id"]})

    other = over_http(served.url, served.token("stranger"), go_on, mode)
    assert other.is_error
    assert "no request" in other.content[0].text
    assert not over_http(served.url, served.token("owner"), go_on, mode).is_error


def test_threads_are_their_owner_s(served: Served) -> None:
    thread = NewThread(thread_id="search-latency", name="Search latency")
    database = open_database(load_settings(home=served.home).database_url)
    begin_thread(database, "writer", thread, now=datetime.now(UTC))
    database.close()

    async def look(client: Client) -> list[str]:
        return [str(r.uri) for r in (await client.list_resources()).resources]

    async def read(client: Client) -> str:
        return (await client.read_resource("thread://search-latency")).contents[0].text  # type: ignore[union-attr]

    writer, reader = served.token("writer"), served.token("reader")
    assert over_http(served.url, writer, look) == ["thread://search-latency"]
    assert over_http(served.url, writer, read).startswith("# Search latency")
    assert over_http(served.url, reader, look) == []

    async def refused(client: Client) -> None:
        with pytest.raises(MCPError, match="you have no thread"):
            await read(client)

    over_http(served.url, reader, refused)


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "reader", "version": "1"}},
}


def test_standard_output_of_the_installed_program_carries_the_protocol_alone(own_home: Path) -> None:
    environment = {**os.environ, "ORACLE_HOME": str(own_home), "PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    with subprocess.Popen([ORACLE, "mcp"], stdin=pipe, stdout=pipe, stderr=pipe, env=environment) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        assert (answer["id"], answer["result"]["serverInfo"]["name"]) == (1, "oracle")
        rest, _ = process.communicate(timeout=READY_S)
    assert (process.returncode, rest) == (0, b"")
