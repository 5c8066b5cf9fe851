"""Arguments checked against the tool's own model before anything runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from workers.contracts import Scalar
from workers.errors import ToolArgumentError
from workers.language.nearest_names import nearest_names
from workers.toolkit.tool import Tool, ToolArgs


def plain_arguments(args: Mapping[str, Any]) -> dict[str, Scalar]:
    """Arguments as a step and its record hold them: a list or an object is JSON text, nothing is left out."""
    out: dict[str, Scalar] = {}
    for name, value in args.items():
        if isinstance(value, list | tuple | Mapping):
            out[name] = json.dumps(value, ensure_ascii=False, default=str)
        elif value is not None:
            out[name] = value
    return out


def check_arguments(tool: Tool, args: Mapping[str, Any]) -> ToolArgs:
    """The arguments as the tool's model.

    Raises:
        ToolArgumentError: one sentence with every mistake, and the nearest names for unknown ones.
    """
    try:
        return tool.args.model_validate(dict(args))
    except ValidationError as error:
        known = list(tool.args.model_fields)
        nearest: list[str] = []
        mistakes = []
        for mistake in error.errors(include_url=False, include_input=False):
            name = ".".join(map(str, mistake["loc"])) or "arguments"
            if mistake["type"] == "extra_forbidden":
                nearest.extend(nearest_names([name], known, least=60))
                mistakes.append(f"no argument {name!r} (known: {', '.join(known)})")
            elif mistake["type"] == "missing":
                mistakes.append(f"{name!r} is required")
            else:
                mistakes.append(f"{name!r}: {mistake['msg']}")
        message = f"{tool.name}: {'; '.join(mistakes)}"
        raise ToolArgumentError(message, tuple(dict.fromkeys(nearest))) from error
