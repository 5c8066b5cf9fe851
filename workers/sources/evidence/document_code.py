"""The files of connected repositories that sections of documents name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from weakref import WeakKeyDictionary

from workers.errors import ToolUnavailable
from workers.sources.code.index import CodeIndex
from workers.sources.connections.open_sources import OpenSources
from workers.sources.documents.document_links import CodePlace, by_name, code_places, may_name_code


class CodeNames:
    """Files of the repositories of a shelf, as their last indexes have them: nothing is indexed or waited for."""

    def __init__(self, shelf: OpenSources[CodeIndex]) -> None:
        self.shelf = shelf
        self.names: WeakKeyDictionary[CodeIndex, dict[str, list[str]]] = WeakKeyDictionary()

    def named(self, lines: Sequence[str], first: int) -> list[tuple[str, CodePlace]]:
        """The files that some lines name, each with its repository; a line counts from ``first``."""
        if not may_name_code(lines):
            return []
        return [(name, place) for name, files in self.files() for place in code_places(lines, first, files)]

    def files(self) -> Iterator[tuple[str, dict[str, list[str]]]]:
        """Name and files of each repository that was indexed."""
        for source in self.shelf.sources:
            with suppress(ToolUnavailable), self.shelf.locks[source]:
                index = self.shelf.last(source)
                if index not in self.names:
                    self.names[index] = by_name(index.columns.paths)
                yield source.name, self.names[index]
