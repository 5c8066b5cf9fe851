"""YAML files of suites and worlds -> checked models; every mistake with its file and place."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from workers.errors import ConfigError
from workers.settings.load import shown_path

MAX_CHARS = 4_000_000
SAID = {"extra_forbidden": "unknown key", "missing": "is required"}
M = TypeVar("M", bound=BaseModel)


class Piece(BaseModel):
    """Base of all that is written in a suite or a world: immutable, unknown keys are mistakes."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class UniqueLoader(yaml.SafeLoader):
    """YAML without aliases, which can stand for millions of values, and in which no key stands twice."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Raises: yaml.YAMLError: an alias."""
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(problem="aliases (*name) are not used here", problem_mark=mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Raises: yaml.YAMLError: a key stands twice."""
        seen: set[str] = set()
        for key, _ in node.value:
            name = str(key.value)
            if name in seen:
                raise yaml.constructor.ConstructorError(problem=f"{name} stands twice", problem_mark=key.start_mark)
            seen.add(name)
        return super().construct_mapping(node, deep)


def read_yaml(path: Path) -> Any:
    """One file as plain values. Raises: ConfigError."""
    place = shown_path(path)
    try:
        raw = path.read_text(encoding="utf-8")
        if len(raw) > MAX_CHARS:
            raise ConfigError(f"{place}: larger than {MAX_CHARS:,} characters")
        return yaml.load(raw, Loader=UniqueLoader)  # noqa: S506 - a safe loader with fewer freedoms
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{place}: cannot be read ({error})") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        raise ConfigError(f"{place}{line}: not YAML ({getattr(error, 'problem', None) or error})") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{place}: cannot be read ({error})") from error


def mistakes(place: str, error: ValidationError) -> tuple[str, ...]:
    """One sentence a mistake, with its place and key."""
    out = []
    for found in error.errors(include_url=False):
        key = ".".join(str(part) for part in found["loc"])
        said = SAID.get(found["type"], str(found["msg"]).removeprefix("Value error, "))
        out.append(": ".join(part for part in (place, key, said) if part))
    return tuple(dict.fromkeys(out))


def checked(model: type[M], value: Any, place: str) -> M:
    """A value as a model. Raises: ConfigError."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise ConfigError(*mistakes(place, error)) from error


def all_problems(steps: Iterable[Callable[[], Any]]) -> tuple[list[Any], list[str]]:
    """What the steps made, and every mistake of those that could not."""
    made, problems = [], list[str]()
    for step in steps:
        try:
            made.append(step())
        except ConfigError as error:
            problems.extend(error.problems)
    return made, problems


def fingerprint(*contents: bytes) -> str:
    """A short name for some contents."""
    digest = hashlib.sha256()
    for content in contents:
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()[:20]
