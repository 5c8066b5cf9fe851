"""``oracle mcp`` in a process of its own, and the SDK's client: over both transports, as clients speak today and did
before 2026-07-28."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, ElicitResult

from tests.scenario.conftest import copy_demo
from tests.support.deployment import ORACLE
from tests.support.mcp_toolbox import wait_for_port
from tests.support.real_servers import READY_S, free_port
from workers.memory.threads.entries import NewThread, begin_thread
from workers.settings.load import ROOT, load_settings
from workers.store.api_tokens import create_token, revoke_token
from workers.store.database import open_database

MODES = ("auto", "legacy")
Session = Callable[[Client], Awaitable[Any]]


@dataclass
class Asked:
    """What the person was asked, and what they say each time."""

    replies: list[ElicitResult] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)

    async def __call__(self, context: Any, params: Any) -> ElicitResult:
        self.messages.append(params.message)
        return self.replies.pop(0)


def says(choice: str) -> ElicitResult:
    return ElicitResult(action="accept", content={"choice": choice})


@pytest.fixture
def own_home(built_demo: Path, tmp_path: Path) -> Path:
    """An ORACLE_HOME on the demo that a test writes to."""
    home = tmp_path / "own"
    home.mkdir()
    return copy_demo(built_demo, home)


def over_stdio(home: Path, work: Session, mode: str = "auto", asked: Asked | None = None) -> Any:
    environment = {"ORACLE_HOME": str(home), "PYTHONPATH": str(ROOT)}
    server = StdioServerParameters(command=str(ORACLE), args=["mcp"], env=environment)

    async def run() -> Any:
        with (home / "stderr").open("a") as errors:
            async with Client(stdio_client(server, errors), mode=mode, elicitation_callback=asked) as client:
                return await asyncio.wait_for(work(client), READY_S)

    return asyncio.run(run())


@contextmanager
def serving(home: Path) -> Iterator[str]:
    """``oracle mcp --http``. Yields: its address."""
    port = free_port()
    environment = {**os.environ, "ORACLE_HOME": str(home), "PYTHONPATH": str(ROOT)}
    with (home / "stderr").open("w") as errors:
        process = subprocess.Popen([ORACLE, "mcp", "--http", "--port", str(port)], env=environment, stderr=errors)
        try:
            wait_for_port(port)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()
            process.wait(timeout=READY_S)


def over_http(url: str, token: str, work: Session, mode: str = "auto", asked: Asked | None = None) -> Any:
    async def run() -> Any:
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=READY_S) as http:
            transport = streamable_http_client(url, http_client=http)
            async with Client(transport, mode=mode, elicitation_callback=asked) as client:
                return await asyncio.wait_for(work(client), READY_S)

    return asyncio.run(run())


def token_for(home: Path, user: str) -> tuple[str, str]:
    database = open_database(load_settings(home=home).database_url)
    try:
        return create_token(database, user)
    finally:
        database.close()


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
def test_every_tool_is_listed_and_called(own_home: Path, mode: str) -> None:
    over_stdio(own_home, everything, mode)
    with serving(own_home) as url:
        over_http(url, token_for(own_home, "ada")[0], everything, mode)


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
def test_a_question_with_two_meanings_is_asked_back_and_goes_on(own_home: Path, mode: str) -> None:
    async def ask(client: Client) -> CallToolResult:
        return await client.call_tool("ask_oracle", {"question": "is it slow?"})

    asked = Asked([says("1")])
    with serving(own_home) as url:
        token = token_for(own_home, "ada")[0]
        answer = over_http(url, token, ask, mode, asked).structured_content
        assert "1. /api/search" in asked.messages[0]
        assert (answer["kind"], "/api/search" in answer["headline"]) == ("answer", True)
        declined = over_http(url, token, ask, mode, Asked([ElicitResult(action="decline")])).structured_content
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
        first = await client.call_tool("ask_oracle", {"question": "is it slow?"})
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
    asked = Asked([says("no")])
    refused = over_stdio(own_home, write, mode, asked)
    assert "+TTL is 300 s." in asked.messages[0]
    assert refused.is_error
    assert "did not confirm" in refused.structured_content["reason"]
    assert over_stdio(own_home, write, mode, Asked([ElicitResult(action="cancel")])).is_error
    assert not note.exists()
    assert not over_stdio(own_home, write, mode, Asked([says("yes")])).is_error
    assert note.read_text() == "# Cache\nTTL is 300 s.\n"

    async def read(client: Client) -> list[Any]:
        listed = (await client.list_resources()).resources
        return [listed, (await client.read_resource("note://search/cache.md")).contents[0]]

    listed, content = over_stdio(own_home, read, mode)
    assert [str(r.uri) for r in listed] == ["note://search/cache.md"]
    assert content.text == "# Cache\nTTL is 300 s.\n"


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


def test_only_living_tokens_and_own_pages_come_in(own_home: Path) -> None:
    token, token_id = token_for(own_home, "ada")
    with serving(own_home) as url:

        def status(**headers: str) -> int:
            return httpx.post(url, json=LIST, headers={**ACCEPT, **headers}).status_code

        assert status() == 401
        assert status(Authorization="Bearer oracle_wrong") == 401
        assert status(Authorization=f"Basic {token}") == 401
        known = {"Authorization": f"Bearer {token}"}
        assert status(**known) not in {401, 403, 421}
        assert status(**known, Origin="https://evil.example") == 403
        assert status(**known, Host="evil.example") == 421
        assert status(**known, Origin=url.removesuffix("/mcp")) not in {401, 403, 421}
        database = open_database(load_settings(home=own_home).database_url)
        revoke_token(database, token_id)
        database.close()
        assert status(**known) == 401
        challenge = httpx.post(url, json=LIST, headers=ACCEPT).headers["www-authenticate"]
        assert challenge.startswith("Bearer")


@pytest.mark.parametrize("mode", MODES)
def test_a_request_is_its_asker_s_alone(own_home: Path, mode: str) -> None:
    async def ask(client: Client) -> CallToolResult:
        return await client.call_tool("ask_oracle", {"question": "is it slow?"})

    with serving(own_home) as url:
        first = over_http(url, token_for(own_home, "ada")[0], ask, mode).structured_content

        async def go_on(client: Client) -> CallToolResult:
            return await client.call_tool("ask_oracle", {"question": "1", "request": first["request_id"]})

        other = over_http(url, token_for(own_home, "bob")[0], go_on, mode)
        assert other.is_error
        assert "no request" in other.content[0].text
        assert not over_http(url, token_for(own_home, "ada")[0], go_on, mode).is_error


def test_threads_are_their_owner_s(own_home: Path) -> None:
    database = open_database(load_settings(home=own_home).database_url)
    begin_thread(database, "ada", NewThread(thread_id="search-latency", name="Search latency"), now=datetime.now(UTC))
    database.close()

    async def look(client: Client) -> list[str]:
        return [str(r.uri) for r in (await client.list_resources()).resources]

    async def read(client: Client) -> str:
        return (await client.read_resource("thread://search-latency")).contents[0].text  # type: ignore[union-attr]

    with serving(own_home) as url:
        ada, bob = token_for(own_home, "ada")[0], token_for(own_home, "bob")[0]
        assert over_http(url, ada, look) == ["thread://search-latency"]
        assert over_http(url, ada, read).startswith("# Search latency")
        assert over_http(url, bob, look) == []

        async def refused(client: Client) -> None:
            with pytest.raises(MCPError, match="you have no thread"):
                await read(client)

        over_http(url, bob, refused)


def test_standard_output_carries_the_protocol_alone(own_home: Path) -> None:
    environment = {**os.environ, "ORACLE_HOME": str(own_home), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([ORACLE, "mcp"], input=b"", capture_output=True, env=environment, timeout=READY_S, check=True)
    assert done.stdout == b""
