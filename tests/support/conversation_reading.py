"""What a conversation with a model holds so far: results of calls, and the evidence in them."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.support.model_server.prompt_cache import as_blocks
from tests.support.model_server.server import Request


def results_in(request: Request) -> list[dict[str, Any]]:
    """The results of a conversation so far, oldest first."""
    blocks = (block for message in request.body["messages"] for block in as_blocks(message["content"]))
    return [block for block in blocks if block["type"] == "tool_result"]


def evidence_in(request: Request) -> list[dict[str, Any]]:
    """The evidence that a conversation holds."""
    told = "\n".join(result["content"] for result in results_in(request))
    pages = re.findall(r"<data>(.*?)</data>", told, re.DOTALL)
    rows = [row for page in pages for row in map(as_object, page.splitlines())]
    return [row for row in rows if "id" in row and "kind" in row]


def as_object(line: str) -> dict[str, Any]:
    """A line of JSON; nothing where it was cut."""
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
