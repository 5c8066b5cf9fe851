"""The fields of an object that Slack sent, of which nothing is trusted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workers.language.payload_values import text_at, value_at

NAME = re.compile(r"[A-Za-z0-9]{1,32}")
TS = re.compile(r"[0-9]{1,11}\.[0-9]{1,9}")


@dataclass(frozen=True)
class Fields:
    """One object of a payload; what is missing in it or of another type reads as absent.

    ``given``: decoded JSON of any shape; what is no object has no fields. Every reader takes the keys that lead to a
    value, from the outermost to the innermost.
    """

    given: Any

    def __bool__(self) -> bool:
        """Whether there is an object, and anything in it."""
        return isinstance(self.given, Mapping) and bool(self.given)

    def value(self, *path: str) -> Any:
        """What stands there, of any type; None when nothing does."""
        return value_at(self.given, *path)

    def text(self, *path: str) -> str:
        """A text; empty when there is none."""
        return text_at(self.given, *path)

    def name(self, *path: str) -> str:
        """An id of Slack's (team, user, channel), such as ``U1ABC``; empty when it is none."""
        value = self.text(*path)
        return value if NAME.fullmatch(value) else ""

    def ts(self, *path: str) -> str:
        """The timestamp of a message, such as ``1763632330.000100``; empty when it is none."""
        value = self.text(*path)
        return value if TS.fullmatch(value) else ""

    def number(self, *path: str) -> int | None:
        """A whole number."""
        value = self.value(*path)
        return value if isinstance(value, int) else None

    def is_true(self, *path: str) -> bool:
        """A flag: a JSON true, or the word in a form."""
        value = self.value(*path)
        return value is True or value == "true"

    def inner(self, *path: str) -> Fields:
        """An object within; without fields when there is none."""
        return Fields(self.value(*path))

    def items(self, *path: str) -> list[Any]:
        """The values of a list, of any type."""
        value = self.value(*path)
        return value if isinstance(value, list) else []

    def objects(self, *path: str) -> list[Fields]:
        """The objects in a list."""
        return [Fields(one) for one in self.items(*path) if isinstance(one, Mapping)]

    def pairs(self, *path: str) -> list[tuple[str, Any]]:
        """The keys and values of an object within, the values of any type."""
        value = self.value(*path)
        return [(str(key), one) for key, one in value.items()] if isinstance(value, Mapping) else []
