"""What litellm is let do: the call and nothing else, with the right key, to each provider in its own way."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from workers.reasoning.model.model_call import Attempt, Failure, Reply
from workers.settings.load import ROOT
from workers.settings.schema import Endpoint

if TYPE_CHECKING:
    from workers.reasoning.model.litellm_door import LitellmDoor

CALLS = [
    {"type": "tool_use", "id": "c1", "name": "look", "input": {"at": "cache.py"}},
    {"type": "tool_use", "id": "c2", "name": "look", "input": {}},
]
MARK = {"cache_control": {"type": "ephemeral"}}
TALK = [
    {"role": "user", "content": [{"type": "text", "text": "Why?"}]},
    {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}, *CALLS]},
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": "41 lines"},
            {"type": "tool_result", "tool_use_id": "c2", "content": "none", **MARK},
        ],
    },
]
ASKED = {
    "max_tokens": 500,
    "system": [{"type": "text", "text": "You answer.", **MARK}],
    "messages": TALK,
    "tools": [{"name": "look", "description": "Looks.", "input_schema": {"type": "object", "properties": {"at": {}}}}],
    "output_config": {"effort": "medium"},
}


@dataclass
class Provider:
    """An address that keeps what is asked, and answers all of it with one body."""

    url: str
    answer: dict[str, Any]
    code: int = 200
    asked: list[tuple[str, dict[str, str], dict[str, Any]]] = field(default_factory=list)


@contextmanager
def provider(answer: dict[str, Any], code: int = 200) -> Iterator[Provider]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            found.asked.append((self.path, {n.lower(): v for n, v in self.headers.items()}, body))
            data = json.dumps(found.answer).encode()
            self.send_response(found.code)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it so
            """Silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        found = Provider(f"http://127.0.0.1:{server.server_port}", answer, code)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield found
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def door() -> Iterator[LitellmDoor]:
    from workers.reasoning.model.litellm_door import LitellmDoor

    opened = LitellmDoor()
    yield opened
    opened.close()


def send(door: LitellmDoor, name: str, url: str, model: str, key: str = "k", **more: Any) -> Reply | Failure:
    endpoint = Endpoint(provider=name, base_url=url, api_key=key)
    return door.send(endpoint, {**ASKED, "model": model, **more}, 60, Attempt())


# --- each in its own way --------------------------------------------------------------------------------------

THINKS = {"type": "thinking", "thinking": "so", "signature": "t"}
SAYS = {"type": "text", "text": "I look."}
LOOKS = {"type": "tool_use", "id": "c3", "name": "look", "input": {"at": "db.sql"}}
CONVERSED = {
    "output": {
        "message": {
            "role": "assistant",
            "content": [
                {"reasoningContent": {"reasoningText": {"text": "so", "signature": "t"}}},
                {"text": "I look."},
                {"toolUse": {"toolUseId": "c3", "name": "look", "input": {"at": "db.sql"}}},
            ],
        }
    },
    "stopReason": "tool_use",
    "usage": {
        "inputTokens": 5,
        "outputTokens": 7,
        "totalTokens": 55,
        "cacheReadInputTokens": 40,
        "cacheWriteInputTokens": 3,
    },
    "metrics": {"latencyMs": 1},
}


def test_claude_of_a_cloud_keeps_thoughts_and_marks(door: LitellmDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    state = Attempt()
    with provider(CONVERSED) as there:
        endpoint = Endpoint(provider="bedrock", base_url=there.url)
        reply = door.send(endpoint, {**ASKED, "model": "eu.anthropic.claude-sonnet-5"}, 60, state)
    assert isinstance(reply, Reply)
    assert reply.content == (THINKS, SAYS, LOOKS)
    used = state.message.usage
    assert (used.input_tokens, used.cache_read_input_tokens, used.cache_creation_input_tokens) == (5, 40, 3)
    _, headers, body = there.asked[0]
    assert headers["authorization"].startswith("AWS4-HMAC-SHA256")
    thought, first, second = body["messages"][1]["content"]
    assert thought == {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}}
    assert [use["toolUse"]["toolUseId"] for use in (first, second)] == ["c1", "c2"]
    *results, mark = body["messages"][2]["content"]
    assert [result["toolResult"]["toolUseId"] for result in results] == ["c1", "c2"]
    assert "cachePoint" in mark
    assert "cachePoint" in body["system"][-1]


def test_ollama_is_called_where_it_takes_tools(door: LitellmDoor) -> None:
    calls = [{"function": {"name": "look", "arguments": {"at": "db.sql"}}}]
    message = {"role": "assistant", "content": "", "tool_calls": calls}
    counts = {"prompt_eval_count": 9, "eval_count": 4}
    answer = {"model": "m", "created_at": "x", "message": message, "done": True, "done_reason": "stop", **counts}
    with provider(answer) as there:
        reply = send(door, "ollama", there.url, "llama3.2", key="")
    assert isinstance(reply, Reply)
    assert [(use.name, use.args) for use in reply.tool_uses] == [("look", {"at": "db.sql"})]
    path, _, body = there.asked[0]
    assert path == "/api/chat"
    assert [message["role"] for message in body["messages"]] == ["system", "user", "assistant", "tool", "tool"]


def test_newest_models_of_openai_are_called_by_the_responses_api(door: LitellmDoor) -> None:
    texts = [{"type": "output_text", "text": "I look.", "annotations": []}]
    done = {"status": "completed"}
    output = [
        {"type": "reasoning", "id": "rs", "summary": []},
        {"type": "message", "id": "m", "role": "assistant", "content": texts, **done},
        {"type": "function_call", "id": "fc", "call_id": "c3", "name": "look", "arguments": "{}", **done},
    ]
    usage = {"input_tokens": 50, "output_tokens": 9, "total_tokens": 59}
    details = {"input_tokens_details": {"cached_tokens": 20}, "output_tokens_details": {"reasoning_tokens": 4}}
    whole = {"id": "r", "object": "response", "created_at": 1, "model": "gpt-5.4", "output": output, **done}
    with provider({**whole, "tools": [], "tool_choice": "auto", "usage": {**usage, **details}}) as there:
        reply = send(door, "openai", f"{there.url}/v1", "gpt-5.4")
    assert isinstance(reply, Reply)
    assert (reply.text, [use.name for use in reply.tool_uses]) == ("I look.", ["look"])
    path, _, body = there.asked[0]
    assert path == "/v1/responses"
    outputs = [item["call_id"] for item in body["input"] if item["type"] == "function_call_output"]
    assert outputs == ["c1", "c2"]


def test_azure_is_called_by_its_deployment(door: LitellmDoor) -> None:
    with provider({"error": {"message": "no"}}, 404) as there:
        failure = send(door, "azure", there.url, "our-gpt")
    assert isinstance(failure, Failure)
    assert failure.reason == "it has no such model"
    path, headers, _ = there.asked[0]
    assert path.startswith("/openai/deployments/our-gpt/chat/completions?api-version=")
    assert headers["api-key"] == "k"


def test_azure_takes_a_token_of_the_directory(door: LitellmDoor) -> None:
    with provider({"error": {"message": "no"}}, 404) as there:
        endpoint = Endpoint(provider="azure", base_url=there.url, auth_token="t")
        door.send(endpoint, {**ASKED, "model": "our-gpt"}, 60, Attempt())
    (_, headers, _), *_ = there.asked
    assert headers["authorization"] == "Bearer t"


# --- keys and packages ----------------------------------------------------------------------------------------


def test_no_key_is_said(door: LitellmDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY"):
        monkeypatch.delenv(name, raising=False)
    failure = send(door, "openai", "", "gpt-4.1", key="")
    assert failure == Failure("error", "there is no key for it", lasting=True)


def test_a_provider_s_package_that_is_missing_is_named(door: LitellmDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "google", None)
    failure = send(door, "vertex_ai", "", "gemini-3-pro", key="")
    assert isinstance(failure, Failure)
    assert failure.reason.startswith("its provider needs a package that is not installed (google")
    assert failure.lasting


LOADS = """
import socket, sys
def refuse(*_): raise SystemExit("it looks for the network")
socket.socket.connect = socket.getaddrinfo = refuse
import os, threading, warnings
warnings.simplefilter("error")
from workers.reasoning.model.litellm_door import LitellmDoor
door = LitellmDoor()
assert os.environ.get("PLANTED") is None, "it reads .env"
assert "anthropic" not in sys.modules, "it loads the library of another door"
assert [t.name for t in threading.enumerate()] == ["MainThread"], threading.enumerate()
"""


def test_loading_asks_nobody_and_reads_no_file_of_the_working_directory(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("PLANTED=yes\n")
    ran = subprocess.run(
        [sys.executable, "-c", LOADS],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
