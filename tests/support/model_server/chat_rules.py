"""What OpenAI's chat completions refuse with 400, as far as the SDK's types and what people report tell."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from tests.support.model_server.json_schema import parts
from tests.support.model_server.request_rules import Refused, check_keys, need

ROLES = frozenset({"system", "developer", "user", "assistant", "tool"})
EFFORTS = {None, "none", "minimal", "low", "medium", "high", "xhigh", "max"}
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
LONGEST_DESCRIPTION, LONGEST_ID, MOST_TOOLS = 1_024, 40, 128
STRICT_KEYS = {
    "$defs",
    "$ref",
    "additionalProperties",
    "anyOf",
    "const",
    "description",
    "enum",
    "format",
    "items",
    "maxItems",
    "maximum",
    "minItems",
    "minimum",
    "pattern",
    "properties",
    "required",
    "title",
    "type",
}
"""Keywords of a strict schema."""


@cache
def keys_by_part() -> dict[str, set[str]]:
    """The keys of a body, of a message by its role, of a text and of a function, by the SDK's types.

    The SDK takes a second to load, which only requests pay for.
    """
    from openai.types import chat
    from openai.types.chat.completion_create_params import CompletionCreateParamsBase
    from openai.types.shared_params import FunctionDefinition

    types: dict[str, Any] = {
        "system": chat.ChatCompletionSystemMessageParam,
        "developer": chat.ChatCompletionDeveloperMessageParam,
        "user": chat.ChatCompletionUserMessageParam,
        "assistant": chat.ChatCompletionAssistantMessageParam,
        "tool": chat.ChatCompletionToolMessageParam,
        "text": chat.ChatCompletionContentPartTextParam,
        "function": FunctionDefinition,
    }
    keys = {part: set(kind.__annotations__) for part, kind in types.items()}
    return {**keys, "body": set(CompletionCreateParamsBase.__annotations__) | {"stream"}}


def check_chat(body: Any) -> None:
    """Raises: Refused: with the first mistake."""
    try:
        for check in (check_top, check_messages, check_calls, check_tools, check_format):
            check(body)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Refused(f"a value has the wrong type: {error}") from error


def check_top(body: Any) -> None:
    """Known arguments with plain values."""
    need(isinstance(body, dict), "request body must be a JSON object")
    for key in body:
        need(key in keys_by_part()["body"], f"Unrecognized request argument supplied: {key}")
    need(isinstance(body.get("model"), str) and body["model"], "you must provide a model parameter")
    need(isinstance(body.get("messages"), list) and body["messages"], "[] is too short - 'messages'")
    for key in ("max_tokens", "max_completion_tokens"):
        tokens = body.get(key, 1)
        need(type(tokens) is int and tokens >= 1, f"Invalid '{key}': integer below minimum value")
    need("max_tokens" not in body or "max_completion_tokens" not in body, "max_tokens and max_completion_tokens")
    need(body.get("reasoning_effort") in EFFORTS, "Invalid value for 'reasoning_effort'")
    need(not body.get("stream"), "this server streams no chat completions")


def check_messages(body: dict[str, Any]) -> None:
    """Roles, and the contents that each may have."""
    for n, message in enumerate(body["messages"]):
        place = f"messages[{n}]"
        need(isinstance(message, dict), f"Invalid type for '{place}': expected an object")
        role = message.get("role")
        need(role in ROLES, f"Invalid value: {role!r}. Supported values are: 'system', 'assistant', 'user', …")
        check_keys(message, keys_by_part()[role], place)
        content = message.get("content")
        if role == "assistant" and message.get("tool_calls"):
            need(content is None or isinstance(content, str | list), f"Invalid type for '{place}.content'")
        else:
            need(isinstance(content, str | list), f"Invalid type for '{place}.content': expected a string or an array")
        for m, part in enumerate(content if isinstance(content, list) else []):
            need(isinstance(part, dict) and part.get("type") == "text", f"Invalid '{place}.content[{m}].type'")
            check_keys(part, keys_by_part()["text"], f"{place}.content[{m}]")
            need(isinstance(part.get("text"), str), f"Missing required parameter: '{place}.content[{m}].text'")


def check_calls(body: dict[str, Any]) -> None:
    """Calls are well formed, and each is answered once, by the messages right after it."""
    waiting: set[str] = set()
    for n, message in enumerate(body["messages"]):
        place = f"messages[{n}]"
        if message["role"] == "tool":
            name = message.get("tool_call_id")
            need(isinstance(name, str), f"Missing required parameter: '{place}.tool_call_id'")
            need(
                name in waiting,
                "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'",
            )
            waiting.discard(name)
            continue
        missing = ", ".join(sorted(waiting))
        need(not waiting, f"The following tool_call_ids did not have response messages: {missing}")
        waiting = set(called(message, place)) if message["role"] == "assistant" else set()
    need(not waiting, f"The following tool_call_ids did not have response messages: {', '.join(sorted(waiting))}")


def called(message: dict[str, Any], place: str) -> Iterator[str]:
    """The ids of a message's calls."""
    calls = message.get("tool_calls", [{}])
    need(calls, f"[] is too short - '{place}.tool_calls'")
    for m, call in enumerate(message.get("tool_calls", [])):
        at = f"{place}.tool_calls[{m}]"
        check_keys(call, {"id", "type", "function"}, at)
        need(call.get("type") == "function", f"Invalid value for '{at}.type'")
        need(isinstance(call.get("id"), str) and call["id"], f"Missing required parameter: '{at}.id'")
        need(len(call["id"]) <= LONGEST_ID, f"Invalid '{at}.id': string too long")
        check_keys(call["function"], {"name", "arguments"}, f"{at}.function")
        need(NAME.fullmatch(call["function"]["name"]), f"Invalid '{at}.function.name': string does not match pattern")
        arguments = call["function"]["arguments"]
        need(isinstance(arguments, str), f"Invalid type for '{at}.function.arguments': expected a string")
        need(isinstance(json.loads(arguments), dict), f"Invalid '{at}.function.arguments': expected an object")
        yield call["id"]


def check_tools(body: dict[str, Any]) -> None:
    """Functions: names, lengths, schemas."""
    tools = body.get("tools", [{}])
    need(isinstance(tools, list) and tools, "[] is too short - 'tools'")
    need(len(tools) <= MOST_TOOLS, "Invalid 'tools': array too long")
    need("tools" in body or "tool_choice" not in body, "'tool_choice' is only allowed when 'tools' are specified")
    for n, tool in enumerate(body.get("tools", [])):
        place = f"tools[{n}].function"
        check_keys(tool, {"type", "function"}, f"tools[{n}]")
        need(tool.get("type") == "function", f"Invalid value: 'tools[{n}].type'")
        function = tool["function"]
        check_keys(function, keys_by_part()["function"], place)
        need(NAME.fullmatch(str(function.get("name", ""))), f"Invalid '{place}.name': string does not match pattern")
        description = function.get("description", "")
        need(len(description) <= LONGEST_DESCRIPTION, f"Invalid '{place}.description': string too long")
        schema = function.get("parameters", {"type": "object"})
        need(schema.get("type") == "object", f"Invalid schema for function {function['name']!r}: not of type object")
        for at, part in parts(schema, "$"):
            need(part.get("type") != "array" or "items" in part, f"Invalid schema: {at}: array schema missing items")
    names = [tool["function"]["name"] for tool in body.get("tools", [])]
    need(len(set(names)) == len(names), "Tool names must be unique")


def check_format(body: dict[str, Any]) -> None:
    """The form of the output; a strict schema is closed, whole, and of few keywords."""
    form = body.get("response_format")
    if form is None:
        return
    need(form.get("type") in {"text", "json_object", "json_schema"}, "Invalid value: 'response_format.type'")
    if form["type"] != "json_schema":
        return
    check_keys(form, {"type", "json_schema"}, "response_format")
    given = form["json_schema"]
    check_keys(given, {"name", "description", "schema", "strict"}, "response_format.json_schema")
    need(NAME.fullmatch(str(given.get("name", ""))), "Invalid 'response_format.json_schema.name'")
    need(given["schema"].get("type") == "object", "Invalid schema for response_format: not of type object")
    for at, part in parts(given["schema"], "$") if given.get("strict") else ():
        check_strict(part, f"Invalid schema for response_format: {at}")


def check_strict(schema: dict[str, Any], place: str) -> None:
    """One schema of a strict one."""
    for key in schema:
        need(key in STRICT_KEYS, f"{place}: '{key}' is not permitted")
    need("$ref" not in schema or set(schema) == {"$ref"}, f"{place}: $ref cannot have keywords")
    if schema.get("type") == "object":
        properties = set(schema.get("properties", {}))
        need(schema.get("additionalProperties") is False, f"{place}: 'additionalProperties' must be false")
        need(set(schema.get("required", [])) == properties, f"{place}: 'required' must name every key in properties")
