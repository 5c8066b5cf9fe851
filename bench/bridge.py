"""The Messages API in front of llama.cpp's own: it holds a small model to the schemas of structured outputs.

llama.cpp's ``/v1/messages`` takes no schema, so that a small model never writes an object that can be used, and all its
words are thrown away before anything checks them. Here a grammar made of the schema lets it write nothing else: its
claims cite evidence that exists and say whatever it makes up. A model that is offered tools writes one call of one of
them: of a source or its list first, then of the answer, then of what came back. Prompts are shortened in their middle
to what a small model can read in time.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import httpx

from bench.llama import Llama
from tests.support.model_server.prompt_cache import as_blocks
from tests.support.model_server.replies import Reply, call_tools, say, status
from tests.support.model_server.server import MessagesServer, Request, anything, run_messages_server, texts
from workers.reasoning.model.own_tools import ANSWER, ASK_BACK, MEND, READ_MORE

LONGEST_S = 600.0
LONGEST_TEXT = 80
CITED = ("evidence", "messages")
"""Where answers cite what they rest on, by ids that stand in the prompt."""
LOOKS = 2
"""Turns in which a small model may look before it answers."""
STOPS: dict[Any, str] = {"stop": "end_turn", "length": "max_tokens"}


@contextmanager
def run_bridge(llama: Llama, most_chars: int, most_items: int = 1) -> Iterator[MessagesServer]:
    """A server of the Messages API whose answers the model writes.

    Args:
        llama: the model's server.
        most_chars: of one message; the middle of a longer one is left out.
        most_items: of each list in an answer, so that it ends.
    """
    with run_messages_server(models=None) as server:
        server.on(anything, partial(think, llama, most_chars, most_items, server.stopping))
        yield server


def think(llama: Llama, most_chars: int, most_items: int, stopping: threading.Event, request: Request) -> Reply:
    """What the model says to a request."""
    said = [
        {"role": m["role"], "content": shortened(spoken(m["content"]), most_chars)} for m in request.body["messages"]
    ]
    body: dict[str, Any] = {
        "messages": [{"role": "system", "content": shortened(request.system, most_chars)}, *said],
        "max_tokens": request.body["max_tokens"],
        "stream": True,
        "cache_prompt": True,
    }
    wanted = one_call(request) if request.tools else request.schema
    if wanted:
        told = "\n".join(spoken(m["content"]) for m in request.body["messages"])
        ids = sorted(set(re.findall(r'"id": ?"([Em]\d+)"', told)), key=lambda i: (i[0], int(i[1:])))
        schema = finite(wanted, ids, most_items)
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}
    text, stop = "", None
    with httpx.stream("POST", f"{llama.url}/v1/chat/completions", json=body, timeout=LONGEST_S) as answer:
        if answer.status_code != httpx.codes.OK:
            return status(answer.status_code, answer.read().decode()[:300])
        for line in answer.iter_lines():
            if stopping.is_set():  # closing the connection ends the model's work
                break
            for choice in json.loads(line[6:])["choices"] if line.startswith("data: {") else ():
                text += choice["delta"].get("content") or ""
                stop = choice["finish_reason"] or stop
    return called(text, stop) if request.tools else say(text or "{}", stop_reason=STOPS.get(stop))


def one_call(request: Request) -> dict[str, Any]:
    """The schema of one call: of what fits where the conversation stands."""
    turns = sum(message["role"] == "assistant" for message in request.body["messages"])
    if "do not hold" in request.last_user:
        fitting = {MEND}
    elif turns >= LOOKS or "No more calls" in request.last_user:
        fitting = {ANSWER}
    else:
        fitting = set(request.tools) - {MEND, READ_MORE, ASK_BACK, *(() if turns else (ANSWER,))}
    calls = [
        {"type": "object", "properties": {"tool": {"const": t["name"]}, "args": resolved(t["input_schema"])}}
        for t in request.body["tools"]
        if t["name"] in fitting
    ]
    return {"anyOf": calls}


def resolved(schema: Mapping[str, Any]) -> Any:
    """A schema with its definitions in place."""
    known = schema.get("$defs", {})

    def fill(part: Any) -> Any:
        if isinstance(part, list):
            return [fill(one) for one in part]
        if not isinstance(part, Mapping):
            return part
        if "$ref" in part:
            return fill(known[part["$ref"].rpartition("/")[2]])
        return {key: fill(value) for key, value in part.items() if key != "$defs"}

    return fill(schema)


def called(text: str, stop: Any) -> Reply:
    """A call as the API gives it; what broke off is no call."""
    try:
        made = json.loads(text)
    except ValueError:
        return say(text or "…", stop_reason=STOPS.get(stop))
    return call_tools([(made["tool"], made["args"])])


def spoken(content: Any) -> str:
    """All of a message in words, calls included."""
    calls = [json.dumps(block["input"]) for block in as_blocks(content) if block["type"] == "tool_use"]
    return "\n".join((texts(content), *calls))


def shortened(text: str, most: int) -> str:
    """A text without its middle: evidence stands first, the question last."""
    if len(text) <= most:
        return text
    return f"{text[: most * 3 // 4]}\n…\n{text[-most // 4 :]}"


def finite(schema: Any, ids: list[str], most_items: int = 1) -> Any:
    """A schema whose texts and lists end, and whose citations are evidence that exists."""
    if isinstance(schema, list):
        return [finite(one, ids, most_items) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    found: dict[str, Any] = {key: finite(value, ids, most_items) for key, value in schema.items()}
    if found.get("type") == "string" and "enum" not in found:
        found["maxLength"] = LONGEST_TEXT
    if found.get("type") == "array":
        found["maxItems"] = most_items
    for cited in (found.get("properties", {}).get(name) for name in CITED):
        if isinstance(cited, dict) and ids:
            cited |= {"items": {"enum": ids}, "minItems": 1}
    if "properties" in found:
        found["required"] = list(found["properties"])
    return found
