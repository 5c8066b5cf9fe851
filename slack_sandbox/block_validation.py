"""Checks the blocks of messages and views: Slack's limits with JSON pointers, then slack_sdk's own models."""

from collections.abc import Iterator
from typing import Any

from slack_sdk.errors import SlackObjectFormationError
from slack_sdk.models.blocks import Block

import slack_limits as limits
from slack_sandbox.block_rules import BLOCKS, IN_MESSAGE, IN_VIEW
from slack_sandbox.block_tree import elements_of, walk_blocks
from slack_sandbox.element_rules import plain
from slack_sandbox.errors import InvalidBlocks, Refused
from slack_sandbox.json_rules import Problems, boolean, choice, items, record, report, string, typed
from slack_sandbox.state import Json, State

_PROSE = {"text", "alt_text", "title", "details", "output", "value", "subtitle", "body"}

_blocks_of_view = items(typed(BLOCKS, IN_VIEW), limits.VIEW_BLOCKS)
_view_fields = {
    "private_metadata": string(limits.METADATA_CHARS, least=0),
    "callback_id": string(limits.ID_CHARS, least=0),
    "external_id": string(limits.ID_CHARS, least=0),
}
_VIEW = typed(
    {
        "modal": record(
            {"title": plain(limits.VIEW_TITLE_CHARS), "blocks": _blocks_of_view},
            _view_fields
            | {"submit": plain(limits.VIEW_TITLE_CHARS), "close": plain(limits.VIEW_TITLE_CHARS)}
            | {"clear_on_close": boolean, "notify_on_close": boolean, "submit_disabled": boolean},
        ),
        "home": record({"blocks": _blocks_of_view}, _view_fields),
    }
)


def check_blocks(state: State, blocks: Any, *, most: int = limits.MESSAGE_BLOCKS) -> list[Json]:
    """Checks a message's blocks.

    Returns: the blocks, as given; [] for none.
    Raises:
        Refused: invalid_blocks_format when they are no list of objects, msg_blocks_too_long over 13,200 characters.
        InvalidBlocks: with every problem and its place.
    """
    if blocks is None or blocks == []:
        return []
    if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
        raise Refused("invalid_blocks_format")
    problems: Problems = []
    items(typed(BLOCKS, IN_MESSAGE), most)(blocks, "/blocks", problems)
    _check_whole(state, blocks, "/blocks", problems)
    problems = problems or _model_problems(blocks, "/blocks")
    if problems:
        raise InvalidBlocks(problems)
    check_length(blocks)
    return blocks


def check_length(blocks: list[Json]) -> None:
    """Raises: Refused: msg_blocks_too_long over 13,200 characters in all."""
    if sum(map(len, _prose(blocks))) > limits.MESSAGE_BLOCKS_CHARS:
        raise Refused("msg_blocks_too_long")


def check_view(state: State, view: Any, *, kind: str) -> Json:
    """Checks a view (`kind` modal or home).

    Returns: the view, as given.
    Raises:
        Refused: view_too_large over 250 kB.
        InvalidBlocks: `invalid_arguments` with every problem and its place.
    """
    problems: Problems = []
    _VIEW(view, "/view", problems)
    if isinstance(view, dict):
        choice(kind)(view.get("type"), "/view/type", problems)
        blocks = view.get("blocks")
        if isinstance(blocks, list) and not problems:
            _check_whole(state, blocks, "/view/blocks", problems)
            if kind == "modal" and not view.get("submit") and any(block["type"] == "input" for block in blocks):
                report(problems, "missing required field: submit (the view has input blocks)", "/view")
            problems = problems or _model_problems(blocks, "/view/blocks")
    if problems:
        raise InvalidBlocks(problems, code="invalid_arguments")
    if len(str(view)) > limits.VIEW_BYTES:
        raise Refused("view_too_large")
    checked: Json = view
    return checked


def check_metadata(metadata: Any) -> Json | None:
    """Returns: message metadata as given, None for none.

    Raises:
        Refused: invalid_metadata_format when it has not `event_type` and an object as `event_payload`.
    """
    if metadata is None:
        return None
    fine = (
        isinstance(metadata, dict)
        and set(metadata) <= {"event_type", "event_payload", "entities"}
        and isinstance(metadata.get("event_type"), str)
        and bool(metadata["event_type"])
        and isinstance(metadata.get("event_payload"), dict)
    )
    if not fine:
        raise Refused("invalid_metadata_format")
    checked: Json = metadata
    return checked


def walk(value: Any, at: str = "") -> Iterator[tuple[Json, str]]:
    """Yields every object in a value with its JSON pointer, outermost first."""
    if isinstance(value, dict):
        yield value, at
        for name, item in value.items():
            yield from walk(item, f"{at}/{name}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from walk(item, f"{at}/{index}")


def _check_whole(state: State, blocks: list[Json], at: str, problems: Problems) -> None:
    seen: set[str] = set()
    for block, place in [] if problems else walk_blocks(blocks, at):
        block_id = block.get("block_id")
        if block_id and block_id in seen:
            report(problems, f'`block_id` "{block_id}" is already in use', f"{place}/block_id")
        seen.add(str(block_id))
        actions = [element["action_id"] for element in elements_of(block) if element.get("action_id")]
        if len(actions) != len(set(actions)):
            report(problems, "`action_id` must be unique within a block", place)
    markdown = [block.get("text") for block in blocks if block.get("type") == "markdown"]
    if sum(len(text) for text in markdown if isinstance(text, str)) > limits.MARKDOWN_CHARS:
        report(problems, f"markdown blocks must be less than {limits.MARKDOWN_CHARS + 1} characters in all", at)
    _check_tables(blocks, at, problems)
    for part, place in walk(blocks, at):
        file = part.get("slack_file")
        if isinstance(file, dict) and not _is_picture(state, file):
            report(problems, "invalid slack file", f"{place}/slack_file")


def _check_tables(blocks: list[Json], at: str, problems: Problems) -> None:
    tables = [block for block in blocks if block.get("type") == "table"]
    if len(tables) > 1:
        report(problems, "only one table allowed", at)
    if sum(map(len, _prose(tables))) > limits.TABLE_CHARS:
        report(problems, f"tables must be less than {limits.TABLE_CHARS + 1} characters in all", at)


def _is_picture(state: State, reference: Json) -> bool:
    file_id, url = reference.get("id"), reference.get("url")
    for file in state.files.values():
        if file.id == file_id or (isinstance(url, str) and f"/files/{file.id}/" in url):
            return file.completed and file.name.lower().endswith((".png", ".jpg", ".jpeg", ".gif"))
    return False


def _prose(value: Any) -> Iterator[str]:
    for part, _ in walk(value):
        yield from (item for name, item in part.items() if name in _PROSE and isinstance(item, str))


def _model_problems(blocks: list[Json], at: str) -> Problems:
    problems: Problems = []
    for index, block in enumerate(blocks):
        try:
            parsed = Block.parse(dict(block))
            if parsed is not None:
                parsed.to_dict()
        except (SlackObjectFormationError, TypeError, KeyError, AttributeError, ValueError) as error:
            report(problems, str(error), f"{at}/{index}")
    return problems
