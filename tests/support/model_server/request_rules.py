"""What the Messages API refuses with 400, as far as its SDK's types and documentation tell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

from tests.support.model_server.json_schema import check_schema, check_size
from tests.support.model_server.prompt_cache import as_blocks

HEADERS = {"user_profile_id", "workspace_id"}
BLOCKS = {
    "user": {"text", "image", "document", "search_result", "tool_result"},
    "assistant": {"text", "thinking", "redacted_thinking", "tool_use"},
    "system": {"text"},
}
EFFORTS = ("low", "medium", "high", "xhigh", "max")
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
TOOL_ID = re.compile(r"[a-zA-Z0-9_-]+")
MARKS = 4
STRICT_TOOLS = 20


@cache
def keys_by_path() -> dict[str, set[str]]:
    """The keys of a body, by the SDK's types: it takes a second to load, which only requests pay for."""
    from anthropic.types.message_count_tokens_params import MessageCountTokensParams
    from anthropic.types.message_create_params import MessageCreateParamsBase

    return {
        "/v1/messages": set(MessageCreateParamsBase.__annotations__) - HEADERS | {"stream"},
        "/v1/messages/count_tokens": set(MessageCountTokensParams.__annotations__) - HEADERS,
    }


@cache
def known_models() -> frozenset[str]:
    """The models that the SDK names."""
    from anthropic.types import Model

    return frozenset(name for names in get_args(Model) for name in get_args(names))


class Refused(Exception):
    """The request is wrong; the text is the API's sentence."""


def check_request(path: str, body: Any) -> None:
    """Raises: Refused: with the first mistake."""
    try:
        check_top(path, body)
        for check in CHECKS:
            check(body)
    except (AttributeError, KeyError, TypeError) as error:
        raise Refused(f"a value has the wrong type: {error}") from error


def check_top(path: str, body: Any) -> None:
    """Known keys, all that are required, plain values."""
    need(isinstance(body, dict), "request body must be a JSON object")
    for key in body:
        need(key in keys_by_path()[path], f"{key}: Extra inputs are not permitted")
    required = ("model", "messages", "max_tokens") if path == "/v1/messages" else ("model", "messages")
    for key in required:
        need(key in body, f"{key}: Field required")
    need(isinstance(body["model"], str) and body["model"], "model: Input should be a valid string")
    if "max_tokens" in body:
        tokens = body["max_tokens"]
        need(type(tokens) is int and tokens >= 1, "max_tokens: must be greater than or equal to 1")
    need(isinstance(body.get("stream", False), bool), "stream: Input should be a valid boolean")


def need(holds: Any, sentence: str) -> None:
    """Raises: Refused: the condition does not hold."""
    if not holds:
        raise Refused(sentence)


def check_system(body: dict[str, Any]) -> None:
    """A text, or blocks of text."""
    system = body.get("system", "")
    need(isinstance(system, str | list), "system: Input should be a valid list")
    for n, block in enumerate(as_blocks(system) if system else []):
        check_block(block, "system", f"system.{n}")


def check_messages(body: dict[str, Any]) -> None:
    """Roles and blocks. Messages of one role in a row merge; the last one is the user's."""
    messages = body["messages"]
    need(isinstance(messages, list), "messages: Input should be a valid list")
    need(messages, "messages: at least one message is required")
    for n, message in enumerate(messages):
        place = f"messages.{n}"
        need(isinstance(message, dict), f"{place}: Input should be an object")
        for key in message:
            need(key in {"role", "content"}, f"{place}.{key}: Extra inputs are not permitted")
        role, content = message.get("role"), message.get("content")
        need(role in BLOCKS, f"{place}.role: Input should be 'user', 'assistant' or 'system'")
        need(isinstance(content, str | list), f"{place}.content: Field required")
        need(content, f"{place}: all messages must have non-empty content")
        for m, block in enumerate(as_blocks(content)):
            check_block(block, role, f"{place}.content.{m}")
    need(messages[0]["role"] != "assistant", 'messages: first message must use the "user" role')
    sentence = "This model does not support assistant message prefill. The conversation must end with a user message."
    need(messages[-1]["role"] != "assistant", sentence)


def check_block(block: Any, role: str, place: str) -> None:
    """One block of content."""
    need(isinstance(block, dict), f"{place}: Input should be an object")
    kind = block.get("type")
    need(kind in BLOCKS[role], f"{place}.type: {kind!r} is not allowed in a {role} message")
    if kind == "text":
        text = block.get("text")
        need(isinstance(text, str), f"{place}.text: Field required")
        need(text.strip(), f"{place}: text content blocks must contain non-whitespace text")
        check_keys(block, {"type", "text", "cache_control", "citations"}, place)
    if kind == "tool_use":
        check_keys(block, {"type", "id", "name", "input", "cache_control", "caller"}, place)
        need(TOOL_ID.fullmatch(str(block.get("id", ""))), f"{place}.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
        need(isinstance(block.get("name"), str), f"{place}.name: Field required")
        need(isinstance(block.get("input"), dict), f"{place}.input: Input should be a valid dictionary")
    if kind == "tool_result":
        check_keys(block, {"type", "tool_use_id", "content", "is_error", "cache_control"}, place)
        need(isinstance(block.get("tool_use_id"), str), f"{place}.tool_use_id: Field required")
        for n, part in enumerate(as_blocks(block.get("content") or [])):
            check_block(part, "user", f"{place}.content.{n}")


def check_keys(value: dict[str, Any], known: set[str], place: str) -> None:
    """No unknown key."""
    for key in value:
        need(key in known, f"{place}.{key}: Extra inputs are not permitted")


def check_tool_results(body: dict[str, Any]) -> None:
    """Each tool_use is answered once, in the very next message, before any text."""
    waiting: set[str] = set()
    seen: set[str] = set()
    for n, (role, blocks) in enumerate(merged(body["messages"])):
        place = f"messages.{n}"
        if role != "assistant":
            need(in_front(blocks), f"{place}: tool_result blocks must come before other content")
            answered = [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"]
            for name in answered:
                need(name in waiting, f"{place}: unexpected `tool_use_id` found in `tool_result` blocks: {name}")
            need(len(set(answered)) == len(answered), f"{place}: each tool_use must have a single result")
            missing = ", ".join(sorted(waiting - set(answered)))
            need(
                not missing,
                f"{place}: `tool_use` ids were found without `tool_result` blocks immediately after: {missing}",
            )
            waiting = set()
            continue
        used = [b["id"] for b in blocks if b["type"] == "tool_use"]
        need(len(set(used)) == len(used) and not seen & set(used), f"{place}: `tool_use` ids must be unique")
        need(not used or body.get("tools"), "requests which include `tool_use` blocks must define tools")
        seen |= set(used)
        waiting = set(used)


def merged(messages: list[dict[str, Any]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Role and blocks of each turn; messages of one role in a row are one turn."""
    turn: list[dict[str, Any]] = []
    role = ""
    for message in messages:
        if role and message["role"] != role:
            yield role, turn
            turn = []
        role = message["role"]
        turn = turn + as_blocks(message["content"])
    yield role, turn


def in_front(blocks: list[dict[str, Any]]) -> bool:
    """Whether all results stand before everything else."""
    results = [b["type"] == "tool_result" for b in blocks]
    return results == sorted(results, reverse=True)


def check_tools(body: dict[str, Any]) -> None:
    """Names, schemas, and the choice among them."""
    tools = body.get("tools") or []
    need(isinstance(tools, list), "tools: Input should be a valid list")
    known = {"name", "description", "input_schema", "cache_control", "strict", "type", "input_examples"}
    for n, tool in enumerate(tools):
        place = f"tools.{n}"
        need(isinstance(tool, dict), f"{place}: Input should be an object")
        check_keys(tool, known | {"eager_input_streaming", "defer_loading", "allowed_callers"}, place)
        need(
            TOOL_NAME.fullmatch(str(tool.get("name", ""))),
            f"{place}.name: String should match '^[a-zA-Z0-9_-]{{1,128}}$'",
        )
        schema = tool.get("input_schema")
        need(isinstance(schema, dict) and schema.get("type") == "object", f"{place}.input_schema.type: Field required")
    names = [tool["name"] for tool in tools]
    need(len(set(names)) == len(names), "tools: Tool names must be unique.")
    need(sum(bool(tool.get("strict")) for tool in tools) <= STRICT_TOOLS, f"tools: at most {STRICT_TOOLS} strict tools")
    choice = body.get("tool_choice")
    if choice is not None:
        need(tools, "tool_choice may only be specified while providing tools")
        need(choice.get("type") in {"auto", "any", "tool", "none"}, "tool_choice.type: Input should be 'auto', 'any' …")
        need(choice["type"] != "tool" or choice.get("name") in names, "tool_choice.name: Tool not found in tools")


def check_output(body: dict[str, Any]) -> None:
    """Effort and format of the output."""
    config = body.get("output_config") or {}
    check_keys(config, {"effort", "format"}, "output_config")
    need(config.get("effort") in {None, *EFFORTS}, "output_config.effort: Input should be 'low', 'medium', 'high' …")
    form = config.get("format")
    if form is not None:
        need(form.get("type") == "json_schema", "output_config.format.type: Input should be 'json_schema'")
        check_keys(form, {"type", "schema"}, "output_config.format")
        need(isinstance(form.get("schema"), dict), "output_config.format.schema: Field required")


def check_schemas(body: dict[str, Any]) -> None:
    """Those of strict tools and of the output, together."""
    schemas = {f"tools.{tool['name']}": tool["input_schema"] for tool in body.get("tools") or [] if tool.get("strict")}
    form = (body.get("output_config") or {}).get("format")
    if form is not None:
        schemas["output_config.format.schema"] = form["schema"]
    for place, schema in schemas.items():
        for sentence in check_schema(schema):
            raise Refused(f"{place}: {sentence}")
    for sentence in check_size(list(schemas.values())):
        raise Refused(sentence)


def check_marks(body: dict[str, Any]) -> None:
    """At most four places of the prompt may end a cached prefix."""
    marks = list(marks_of(body))
    for place, mark in marks:
        need(isinstance(mark, dict) and mark.get("type") == "ephemeral", f"{place}.cache_control.type: 'ephemeral'")
        need(mark.get("ttl", "5m") in {"5m", "1h"}, f"{place}.cache_control.ttl: Input should be '5m' or '1h'")
    sentence = f"A maximum of {MARKS} blocks with cache_control may be provided. Found {len(marks)}."
    need(len(marks) <= MARKS, sentence)


def marks_of(body: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Place and value of each cache_control, in the order of the prompt."""
    for n, tool in enumerate(body.get("tools") or []):
        if tool.get("cache_control"):
            yield f"tools.{n}", tool["cache_control"]
    for n, block in enumerate(as_blocks(body.get("system") or [])):
        if block.get("cache_control"):
            yield f"system.{n}", block["cache_control"]
    for n, message in enumerate(body["messages"]):
        for m, block in enumerate(as_blocks(message["content"])):
            if block.get("cache_control"):
                yield f"messages.{n}.content.{m}", block["cache_control"]
    if body.get("cache_control"):
        yield "", body["cache_control"]


CHECKS = (check_system, check_tools, check_messages, check_tool_results, check_output, check_schemas, check_marks)
