"""OpenAI's chat completions in the shape of the Messages API and back: rules and replies serve both dialects."""

from __future__ import annotations

import json
import time
from typing import Any

from tests.support.model_server.replies import Status

STOPS = {"max_tokens": "length", "tool_use": "tool_calls"}
"""Why a message ended, in this dialect; all else is ``stop``."""


def as_messages(body: dict[str, Any]) -> dict[str, Any]:
    """A checked request as the Messages API would have it; results and what follows them are one message."""
    messages: list[dict[str, Any]] = []
    system: list[dict[str, Any]] = []
    for message in body["messages"]:
        blocks = blocks_of(message)
        role = "assistant" if message["role"] == "assistant" else "user"
        if message["role"] in {"system", "developer"}:
            system += blocks
        elif messages and messages[-1]["role"] == role:
            messages[-1]["content"] += blocks
        else:
            messages.append({"role": role, "content": blocks})
    view = {"model": body["model"], "system": system, "messages": messages}
    if "tools" in body:
        view["tools"] = [as_tool(tool["function"]) for tool in body["tools"]]
    if form := body.get("response_format", {}).get("json_schema"):
        view["output_config"] = {"format": {"type": "json_schema", "schema": form["schema"]}}
    if tokens := body.get("max_tokens") or body.get("max_completion_tokens"):
        view["max_tokens"] = tokens
    return view


def blocks_of(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The content of a message as blocks."""
    content = message.get("content") or []
    texts = [{"type": "text", "text": content}] if isinstance(content, str) else [dict(part) for part in content]
    if message["role"] == "tool":
        said = "\n".join(text["text"] for text in texts)
        return [{"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": said}]
    return [*texts, *(as_tool_use(call) for call in message.get("tool_calls", []))]


def as_tool_use(call: dict[str, Any]) -> dict[str, Any]:
    """A call as a block."""
    function = call["function"]
    return {
        "type": "tool_use",
        "id": call["id"],
        "name": function["name"],
        "input": json.loads(function["arguments"]),
    }


def as_tool(function: dict[str, Any]) -> dict[str, Any]:
    """A function as a tool."""
    return {
        "name": function["name"],
        "description": function.get("description", ""),
        "input_schema": function.get("parameters", {}),
    }


def completion_of(message: dict[str, Any]) -> dict[str, Any]:
    """A whole message as a completion."""
    refused = message["stop_reason"] == "refusal"
    text = "".join(block["text"] for block in message["content"] if block["type"] == "text")
    calls = [as_call(block) for block in message["content"] if block["type"] == "tool_use"]
    said = {
        "role": "assistant",
        "content": None if refused else text or None,
        "refusal": (text or None) if refused else None,
        **({"tool_calls": calls} if calls else {}),
    }
    stop = "content_filter" if refused and not text else STOPS.get(message["stop_reason"], "stop")
    used = message["usage"]
    prompt = used["input_tokens"] + used["cache_read_input_tokens"]
    return {
        "id": message["id"],
        "object": "chat.completion",
        "created": int(time.time()),
        "model": message["model"],
        "choices": [{"index": 0, "message": said, "logprobs": None, "finish_reason": stop}],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": used["output_tokens"],
            "total_tokens": prompt + used["output_tokens"],
            "prompt_tokens_details": {"cached_tokens": used["cache_read_input_tokens"], "audio_tokens": 0},
        },
    }


def as_call(block: dict[str, Any]) -> dict[str, Any]:
    """A block as a call; arguments given as text are sent as they stand."""
    given = block["input"]
    arguments = given if isinstance(given, str) else json.dumps(given)
    return {"id": block["id"], "type": "function", "function": {"name": block["name"], "arguments": arguments}}


def chat_error(error: Status) -> dict[str, Any]:
    """OpenAI's error object."""
    kind = error.body["error"]["type"]
    return {"error": {"message": error.message, "type": kind, "param": None, "code": kind}}
