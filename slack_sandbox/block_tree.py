"""Blocks within blocks: every block of a message or a view, what can be pressed in it, and the ids of both."""

from collections.abc import Iterator

from slack_sandbox.element_rules import ELEMENTS
from slack_sandbox.state import Json, new_id

_CHILDREN = {"container": "child_blocks", "carousel": "elements", "plan": "tasks"}
_PLACES = ("elements", "actions", "element", "accessory")
_STILL = {"image", "url"}


def with_ids(blocks: list[Json]) -> list[Json]:
    """Returns: copies of blocks and of the blocks in them, each with a block_id and its elements with an action_id."""
    return [_with_ids(block) for block in blocks]


def with_all_ids(fields: Json) -> Json:
    """Returns: a message's fields, where the blocks and those of the attachments have ids."""
    filled = dict(fields)
    if fields.get("blocks"):
        filled["blocks"] = with_ids(fields["blocks"])
    if fields.get("attachments"):
        filled["attachments"] = [
            item | {"id": number} | ({"blocks": with_ids(item["blocks"])} if item.get("blocks") else {})
            for number, item in enumerate(fields["attachments"], start=1)
        ]
    return filled


def walk_blocks(blocks: list[Json], at: str = "") -> Iterator[tuple[Json, str]]:
    """Yields every block with its JSON pointer, those in other blocks, too."""
    for index, block in enumerate(blocks):
        yield block, f"{at}/{index}"
        name = _CHILDREN.get(str(block.get("type")))
        if name:
            yield from walk_blocks(block.get(name) or [], f"{at}/{index}/{name}")


def walk_elements(blocks: list[Json]) -> Iterator[tuple[Json, Json]]:
    """Yields every block with each of its elements that a person can use."""
    for block, _ in walk_blocks(blocks):
        yield from ((block, element) for element in elements_of(block))


def elements_of(block: Json) -> list[Json]:
    """Returns: the elements of a block itself that a person can use."""
    return [element for name in _PLACES for element in _as_list(block.get(name)) if _is_used(element)]


def find_element(holder: Json, block_id: str, action_id: str) -> tuple[Json, int] | None:
    """Returns: the element of a message or a view with these ids, and its attachment's number, 0 for none."""
    places = [(0, holder), *((item["id"], item) for item in holder.get("attachments") or [])]
    for number, place in places:
        for block, element in walk_elements(place.get("blocks") or []):
            if (block.get("block_id"), element.get("action_id")) == (block_id, action_id):
                return element, number
    return None


def _with_ids(block: Json) -> Json:
    filled = block | {"block_id": block.get("block_id") or new_id("", 5)}
    children = _CHILDREN.get(block["type"], "")
    for name in _PLACES:
        value = block.get(name)
        if name != children and value:
            ready = [_with_action_id(element) for element in _as_list(value)]
            filled[name] = ready if isinstance(value, list) else ready[0]
    if block.get(children):
        filled[children] = with_ids(block[children])
    return filled


def _with_action_id(element: Json) -> Json:
    return element | {"action_id": element.get("action_id") or new_id("", 5)} if _is_used(element) else element


def _is_used(element: Json) -> bool:
    return element.get("type") in ELEMENTS and element["type"] not in _STILL


def _as_list(value: object) -> list[Json]:
    return value if isinstance(value, list) else [value] if isinstance(value, dict) else []
