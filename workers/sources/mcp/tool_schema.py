"""The JSON schema that a server gives for a tool, made safe: bounded, without references or patterns.

A schema of others may refer to itself, to an address, grow without end when its references are followed, or hold a
pattern that takes for ever. What is left out here, the server checks itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from workers.language.injected_instructions import instructs_reader

ANYTHING: dict[str, Any] = {"type": "object"}
MOST_NODES, MOST_DEPTH, MOST_CHARS = 1_500, 12, 12_000
DESCRIPTION_CHARS, MISTAKE_CHARS, MOST_MISTAKES, MOST_CHOICES = 300, 200, 3, 200
PLAIN = frozenset(
    "type const default minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength minItems maxItems".split()
)
ALTERNATIVES = {"allOf": "allOf", "oneOf": "anyOf", "anyOf": "anyOf"}
"""Keywords with a list of schemas -> what they become: several of one whose ends were left out may fit."""
ONE = ("items", "additionalProperties")
DATA = frozenset({"array", "object"})
NAME_CHARS = 64


def safe_schema(given: Mapping[str, Any]) -> dict[str, Any]:
    """A server's schema of arguments, as it is shown to a model and checked here; `ANYTHING` for one that is none."""
    try:
        schema = Reader(given).read(given, 0)
        for shorter in (schema, without_descriptions(schema)):
            shown = {"type": "object"} | {k: shorter[k] for k in ("properties", "required") if k in shorter}
            if given.get("additionalProperties") is False:
                shown["additionalProperties"] = False
            if len(json.dumps(shown)) <= MOST_CHARS:
                Draft202012Validator.check_schema(shown)
                return shown
    except (SchemaError, RecursionError, TypeError, ValueError):
        return dict(ANYTHING)
    return dict(ANYTHING)


@dataclass
class Reader:
    """Follows a schema and its references, as far as its nodes last."""

    root: Mapping[str, Any]
    nodes: int = MOST_NODES

    def read(self, node: Any, depth: int) -> dict[str, Any]:
        """A node without references; an empty one, which anything fits, where it is too deep or too much."""
        self.nodes -= 1
        if not isinstance(node, Mapping) or depth > MOST_DEPTH or self.nodes < 0:
            return {}
        if "$ref" in node:
            return self.read(self.target(node["$ref"]), depth + 1)
        out = {k: v for k, v in node.items() if k in PLAIN}
        text = safe_description(str(node.get("description") or ""), DESCRIPTION_CHARS)
        if text:
            out["description"] = text
        if isinstance(node.get("enum"), list) and len(node["enum"]) <= MOST_CHOICES:
            out["enum"] = node["enum"]
        for key, kept in ALTERNATIVES.items():
            if isinstance(node.get(key), list) and 0 < len(node[key]) <= MOST_CHOICES:
                out[kept] = [self.read(part, depth + 1) for part in node[key]]
        for key in ONE:
            if isinstance(node.get(key), Mapping | bool):
                out[key] = node[key] if isinstance(node[key], bool) else self.read(node[key], depth + 1)
        if isinstance(node.get("properties"), Mapping):
            named = [(str(name), part) for name, part in node["properties"].items() if len(str(name)) <= NAME_CHARS]
            out["properties"] = {name: self.read(part, depth + 1) for name, part in named}
            out["required"] = [n for n in node.get("required") or () if n in out["properties"]]
        return out

    def target(self, reference: Any) -> Any:
        """What a reference inside the schema names; nothing for any other."""
        if not isinstance(reference, str) or not reference.startswith("#/"):
            return None
        found: Any = self.root
        for part in reference[2:].split("/"):
            found = found.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
        return found


def without_descriptions(node: Any) -> Any:
    """A schema with its forms alone."""
    if isinstance(node, Mapping):
        return {k: without_descriptions(v) for k, v in node.items() if k != "description" or isinstance(v, Mapping)}
    return [without_descriptions(part) for part in node] if isinstance(node, list) else node


def safe_description(text: str, most: int) -> str:
    """A server's words on one line, without sentences that give orders to whoever reads them."""
    rows = [row.strip() for line in text[: 4 * most].splitlines() for row in line.replace(". ", ".\n").splitlines()]
    kept = " ".join(row for row in rows if row and not instructs_reader(row))
    if instructs_reader(kept):
        return ""
    return kept if len(kept) <= most else f"{kept[: most - 1]}…"


def read_arguments(schema: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments as the schema wants them: a list or object that was given as JSON text is read.

    Raises:
        ValueError: they do not fit; one sentence with the first mistakes.
    """
    parts = schema.get("properties", {})
    arguments = {name: as_data(value, parts.get(name, {})) for name, value in given.items()}
    check: Callable[[Any], Any] = Draft202012Validator(schema).iter_errors
    mistakes = []
    for error in check(arguments):
        where = ".".join(str(step) for step in error.absolute_path)
        message = " ".join(str(error.message).split())
        mistakes.append(f"{where}: {message}"[:MISTAKE_CHARS] if where else message[:MISTAKE_CHARS])
        if len(mistakes) == MOST_MISTAKES:
            break
    if mistakes:
        raise ValueError("; ".join(mistakes))
    return arguments


def as_data(value: Any, schema: Mapping[str, Any]) -> Any:
    """A value, read as JSON where a list or object is wanted and a text was given."""
    if not isinstance(value, str) or not wants_data(schema) or value[:1] not in {"[", "{"}:
        return value
    try:
        return json.loads(value)
    except (json.JSONDecodeError, RecursionError):
        return value


def wants_data(schema: Mapping[str, Any]) -> bool:
    """Whether a list or an object fits, and no text."""
    kinds = schema.get("type")
    named = {kinds} if isinstance(kinds, str) else set(kinds or ())
    for key in ("anyOf", "allOf"):
        for part in schema.get(key, ()):
            named |= {part.get("type")} if isinstance(part.get("type"), str) else set(part.get("type") or ())
    return bool(named & DATA) and "string" not in named
