"""A request of ours in the words of OpenAI's chat completions, which litellm takes for every provider, and the answer.

Calls keep their ids, results follow the calls they answer, signed thoughts go back to whoever signed them. All of it is
a copy, for litellm changes what it is given.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

MOST_DESCRIPTION_CHARS = 1_024
"""Of a tool, as OpenAI takes it; what does not fit is said of its arguments, where no limit is."""
STOPS: Mapping[str | None, str] = {"length": "max_tokens", "content_filter": "refusal", "tool_calls": "tool_use"}
KEYWORDS = frozenset(
    {
        "$defs",
        "$ref",
        "additionalProperties",
        "anyOf",
        "const",
        "description",
        "enum",
        "items",
        "properties",
        "required",
        "type",
    }
)
"""Of JSON Schema, those that every provider takes. What the others ask for is checked when the answer came."""


def chat_request(request: Mapping[str, Any], *, marks: bool) -> dict[str, Any]:
    """The arguments of a completion. ``marks``: with those of the prompt cache; without, texts are plain strings."""
    messages = [*system_message(request["system"]), *chat_messages(request["messages"])]
    chat: dict[str, Any] = {
        "messages": messages if marks else [plain(message) for message in messages],
        "max_tokens": request["max_tokens"],
    }
    if tools := request.get("tools"):
        chat["tools"] = [chat_tool(tool) for tool in tools]
    if choice := request.get("tool_choice"):
        chat["tool_choice"] = {"type": "function", "function": {"name": choice["name"]}}
    output = request.get("output_config", {})
    if form := output.get("format"):
        schema = {"name": "answer", "schema": closed(form["schema"]), "strict": True}
        chat["response_format"] = {"type": "json_schema", "json_schema": schema}
    if thinking := request.get("thinking"):
        chat["thinking"] = thinking
    elif effort := output.get("effort"):
        chat["reasoning_effort"] = effort
    return chat


def system_message(blocks: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The system text as a message, if there is any."""
    return [{"role": "system", "content": [dict(block) for block in blocks]}] if blocks else []


def plain(message: Mapping[str, Any]) -> dict[str, Any]:
    """A message that every server takes: one text, and no marks."""
    kept = {name: value for name, value in message.items() if name != "cache_control"}
    if isinstance(kept["content"], list):
        kept["content"] = "\n\n".join(part["text"] for part in kept["content"])
    return kept


def chat_messages(messages: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Messages one by one: each result is one of its own, before what else is said in its turn."""
    for message in messages:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if message["role"] == "assistant":
            yield assistant_message(blocks)
            continue
        yield from (tool_message(block) for block in blocks if block["type"] == "tool_result")
        if texts := [dict(block) for block in blocks if block["type"] == "text"]:
            yield {"role": "user", "content": texts}


def tool_message(block: Mapping[str, Any]) -> dict[str, Any]:
    """A result. That it is an error has no place of its own: it is said in front."""
    content = block["content"]
    text = content if isinstance(content, str) else "\n".join(part["text"] for part in content)
    marks = {"cache_control": block["cache_control"]} if "cache_control" in block else {}
    said = f"Error: {text}" if block.get("is_error") else text
    return {"role": "tool", "tool_call_id": block["tool_use_id"], "content": said, **marks}


def assistant_message(blocks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the model said, with its calls and its signed thoughts as they came."""
    text = "".join(block["text"] for block in blocks if block["type"] == "text")
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    calls = [
        {
            "id": block["id"],
            "type": "function",
            "function": {"name": block["name"], "arguments": json.dumps(block["input"])},
        }
        for block in blocks
        if block["type"] == "tool_use"
    ]
    thoughts = [dict(block) for block in blocks if block["type"] in {"thinking", "redacted_thinking"}]
    return {
        **message,
        **({"tool_calls": calls} if calls else {}),
        **({"thinking_blocks": thoughts} if thoughts else {}),
    }


def chat_tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    """A tool as a function."""
    description, parameters = tool["description"], copy.deepcopy(tool["input_schema"])
    if len(description) > MOST_DESCRIPTION_CHARS:
        end = description.rfind("\n", 0, MOST_DESCRIPTION_CHARS) + 1 or MOST_DESCRIPTION_CHARS
        more = (description[end:], parameters.get("description", ""))
        description, parameters["description"] = description[:end].rstrip(), "\n".join(filter(None, more))
    function = {"name": tool["name"], "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


def closed(schema: Any) -> Any:
    """A schema whose objects have all of their properties and no others, in keywords that every provider knows."""
    if not isinstance(schema, Mapping):
        return schema
    if "$ref" in schema:
        return {"$ref": schema["$ref"]}
    kept = {name: value for name, value in schema.items() if name in KEYWORDS}
    for name in ("properties", "$defs"):
        if name in kept:
            kept[name] = {key: closed(part) for key, part in kept[name].items()}
    if "anyOf" in kept:
        kept["anyOf"] = [closed(part) for part in kept["anyOf"]]
    if "items" in kept:
        kept["items"] = closed(kept["items"])
    if kept.get("type") == "object":
        kept |= {"additionalProperties": False, "required": list(kept.setdefault("properties", {}))}
    return kept


# --- the answer ---------------------------------------------------------------------------------------------------


def message_of(completion: Any) -> Any:
    """A completion as a message of the Messages API. Raises: ValueError, TypeError, AttributeError: it is none."""
    if not completion.choices:
        raise ValueError("no choice")
    choice = completion.choices[0]
    said = choice.message
    refusal = getattr(said, "refusal", None) or (getattr(said, "provider_specific_fields", None) or {}).get("refusal")
    return SimpleNamespace(
        content=list(blocks_of(said)),
        stop_reason="refusal" if refusal else STOPS.get(choice.finish_reason, "end_turn"),
        usage=usage_of(getattr(completion, "usage", None)),
    )


def blocks_of(said: Any) -> Iterator[Any]:
    """Signed thoughts, text, calls; ``written``: what a block took to write.

    Raises: ValueError: the arguments of a call are no JSON.
    """
    for thought in getattr(said, "thinking_blocks", None) or ():
        if thought.get("signature") or thought.get("data"):
            written = thought.get("thinking", "")
            yield SimpleNamespace(**{"thinking": written, "signature": "", "data": "", **thought}, written=written)
    if said.content:
        yield SimpleNamespace(type="text", text=said.content, written=said.content)
    for call in said.tool_calls or ():
        arguments = call.function.arguments or "{}"
        yield SimpleNamespace(
            type="tool_use", id=call.id, name=call.function.name, input=json.loads(arguments), written=arguments
        )


def usage_of(used: Any) -> Any:
    """Tokens by sort: what a prompt cache served or took is part of the prompt here, and apart there."""
    details = getattr(used, "prompt_tokens_details", None)

    def count(holder: Any, name: str) -> int:
        value = getattr(holder, name, None)
        return value if isinstance(value, int) and value >= 0 else 0

    read = count(details, "cached_tokens") or count(used, "cache_read_input_tokens")
    written = count(details, "cache_creation_tokens") or count(used, "cache_creation_input_tokens")
    return SimpleNamespace(
        input_tokens=max(count(used, "prompt_tokens") - read - written, 0),
        output_tokens=count(used, "completion_tokens"),
        cache_read_input_tokens=read,
        cache_creation_input_tokens=written,
    )
