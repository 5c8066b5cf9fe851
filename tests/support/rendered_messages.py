"""How tests read what was rendered, and what every message and window must hold."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from slack_sdk.models.blocks import Block
from slack_sdk.models.blocks.block_elements import BlockElement
from slack_sdk.models.views import View

from slack_sandbox.block_validation import check_blocks
from slack_sandbox.block_validation import check_view as check_view_there
from slack_sandbox.config import SandboxConfig
from slack_sandbox.seed import seed_team
from slack_sandbox.state import File
from workers.contracts import Answer
from workers.delivery.block_limits import check_post, check_view
from workers.delivery.block_packing import text_in
from workers.delivery.cited_evidence import SECTIONS
from workers.delivery.rich_text import safe
from workers.delivery.short_form import gap_text, is_unverified
from workers.ports import Post

TEAM = seed_team(SandboxConfig())
TEAM.files["F1ABC"] = File("F1ABC", "chart.png", "chart", 1, "U1", 0, "ticket", data=b"x", completed=True)

find_kinds = BlockElement._get_sub_block_elements.__func__
BlockElement._get_sub_block_elements = classmethod(cache(lambda kind: tuple(find_kinds(kind))))
"""slack_sdk looks for the kinds of elements anew for each element, which takes two thirds of reading a message."""


def leaves(value: Any) -> Iterator[dict[str, Any]]:
    """Every element with a type, at any depth."""
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from leaves(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from leaves(inner)


def rich(post: Post) -> list[dict[str, Any]]:
    return [b for b in post.blocks if b["type"] == "rich_text"]


def shown(*posts: Post) -> str:
    """All text of the rich text blocks, joined."""
    return "".join(text_in(b) for post in posts for b in rich(post))


def shown_in(*views: dict[str, Any]) -> str:
    """The same of windows, in the order of their pages."""
    return shown(*(Post("x", tuple(view["blocks"])) for view in views))


def bare(text: str) -> str:
    """Text without marks and control characters, however it was cut or styled."""
    return re.sub(r"[`*]", "", safe(text))


def said_in(answer: Answer) -> list[str]:
    """The texts of an answer in the order of the message: gaps last, and of them those that were struck."""
    claims = [answer.headline, *(c for k, _ in SECTIONS for c in getattr(answer, k))]
    texts = [c.text for c in claims] + [gap_text(gap) for gap in sorted(answer.missing, key=is_unverified)]
    return [bare(t) for t in texts if t.strip()]


def assert_in_order(parts: Iterable[str], text: str) -> None:
    """Every part is there, whole, each after the one before."""
    text, at = bare(text), 0
    for part in parts:
        found = text.find(part, at)
        assert found >= 0, part
        at = found + len(part)


def buttons(post: Post) -> list[dict[str, Any]]:
    """What can be pressed in the rows of buttons."""
    return [e for b in post.blocks if b["type"] == "actions" for e in b["elements"]]


def assert_sound(*posts: Post) -> None:
    """Slack's limits as this project and the local Slack know them, slack_sdk's models, and nobody is pinged."""
    for post in posts:
        assert check_post(post) == []
        assert check_blocks(TEAM, list(post.blocks)) == list(post.blocks)
        assert len(post.text) <= 3_100
        assert not re.search(r"<(?!@[UW][A-Z0-9]+>)", post.text)
        assert_blocks(post.blocks)


def assert_view(view: dict[str, Any]) -> None:
    """The same of a window."""
    assert check_view(view) == []
    assert check_view_there(TEAM, view, kind=view["type"]) == view
    View(**{**view, "blocks": [{"type": "divider"}] * len(view["blocks"])}).validate_json()  # its own are below
    assert_blocks(view["blocks"])


def assert_blocks(blocks: Iterable[dict[str, Any]]) -> None:
    assert "broadcast" not in {leaf.get("type") for leaf in leaves(list(blocks))}
    for block in blocks:
        json.dumps(block, ensure_ascii=False).encode()
        assert Block.parse(block).to_dict() == block  # type: ignore[union-attr]
