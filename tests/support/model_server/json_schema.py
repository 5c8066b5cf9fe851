"""The part of JSON Schema that structured outputs and strict tools take; the SDK's ``transform_schema`` makes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

KEYS = {
    "$defs",
    "$ref",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "default",
    "description",
    "enum",
    "format",
    "items",
    "minItems",
    "pattern",
    "properties",
    "required",
    "title",
    "type",
}
TYPES = {"object", "array", "string", "integer", "number", "boolean", "null"}
FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}
OPTIONAL_MOST = 24
UNIONS_MOST = 16


def check_schema(root: dict[str, Any]) -> Iterator[str]:
    """One sentence a mistake."""
    for place, schema in parts(root, "$"):
        if unknown := set(schema) - KEYS:
            yield f"{place}: {min(unknown)} is not supported"
        kinds = schema.get("type", [])
        kinds = kinds if isinstance(kinds, list) else [kinds]
        if not set(kinds) <= TYPES:
            yield f"{place}: type {schema['type']!r} is not supported"
        if "object" in kinds and schema.get("additionalProperties") is not False:
            yield f"{place}: For 'object' type, 'additionalProperties' must be explicitly set to false"
        if not kinds and not set(schema) & {"$ref", "anyOf", "allOf", "enum", "const"}:
            yield f"{place}: a schema needs a type"
        if missing := set(schema.get("required", [])) - set(schema.get("properties", {})):
            yield f"{place}: required names no property {min(missing)!r}"
        if schema.get("minItems", 0) not in {0, 1}:
            yield f"{place}: minItems must be 0 or 1"
        if "format" in schema and schema["format"] not in FORMATS:
            yield f"{place}: format {schema['format']!r} is not supported"
        if any(isinstance(value, dict | list) for value in schema.get("enum", [])):
            yield f"{place}: enum holds primitive values only"
    yield from check_references(root)


def check_references(root: dict[str, Any]) -> Iterator[str]:
    """References are local and never lead back to themselves."""
    definitions = root.get("$defs", {})
    leads: dict[str, set[str]] = {name: set(references(part)) for name, part in definitions.items()}
    for name in references({key: value for key, value in root.items() if key != "$defs"}):
        leads.setdefault("", set()).add(name)
    for name in {each for found in leads.values() for each in found}:
        if name not in definitions:
            yield f"$ref {name!r} names no definition"
    for name in definitions:
        seen, ahead = set[str](), list(leads[name])
        while ahead:
            one = ahead.pop()
            if one == name:
                yield f"$defs.{name}: recursive schemas are not supported"
                return
            if one not in seen:
                seen.add(one)
                ahead.extend(leads.get(one, ()))


def references(schema: Any) -> Iterator[str]:
    """Names of the definitions that a schema refers to; another reference by its whole text."""
    for _, part in parts(schema, "$"):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"].removeprefix("#/$defs/")


def check_size(schemas: list[dict[str, Any]]) -> Iterator[str]:
    """All schemas of a request together: few optional properties, few unions."""
    optional = unions = 0
    for root in schemas:
        for _, schema in parts(root, "$"):
            properties = schema.get("properties", {})
            optional += len(set(properties) - set(schema.get("required", [])))
            unions += sum("anyOf" in one or isinstance(one.get("type"), list) for one in properties.values())
    if optional > OPTIONAL_MOST:
        yield f"schemas contain too many optional parameters ({optional}); the limit is {OPTIONAL_MOST}"
    if unions > UNIONS_MOST:
        yield f"schemas contain too many parameters with union types ({unions}); the limit is {UNIONS_MOST}"


def parts(schema: Any, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """A schema and all schemas in it, by place."""
    if not isinstance(schema, dict):
        return
    yield place, schema
    for key in ("properties", "$defs"):
        for name, inner in (schema.get(key) or {}).items():
            yield from parts(inner, f"{place}.{name}")
    for key in ("anyOf", "allOf"):
        for n, inner in enumerate(schema.get(key) or []):
            yield from parts(inner, f"{place}.{key}.{n}")
    yield from parts(schema.get("items"), f"{place}.items")
