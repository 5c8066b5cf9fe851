"""The repositories and folders of a configuration, each with its index, kept open and up to date."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Generic, TypeVar

from workers.errors import ConfigError
from workers.search.code import CodeIndex
from workers.search.doc_build import open_folder
from workers.search.docs import DocIndex
from workers.search.git import open_repository
from workers.search.links import FIELDS, unknown_fields
from workers.settings import Settings

Index = TypeVar("Index")


@dataclass(frozen=True)
class Source:
    """One repository or folder. ``template`` makes addresses; ``index_dir`` is its own."""

    path: Path
    name: str
    index_dir: Path
    branch: str = ""
    template: str = ""


def code_sources(settings: Settings) -> tuple[Source, ...]:
    """The repositories of ``config/oracle.yaml``; relative paths start at the current folder.

    Raises:
        ConfigError: an address template has a field that does not exist.
    """
    check_templates(settings, "repositories", "permalink", [r.permalink for r in settings.core.repositories], FIELDS)
    return tuple(
        source(settings.home, r.path, r.name, "code", r.branch, r.permalink) for r in settings.core.repositories
    )


def doc_sources(settings: Settings) -> tuple[Source, ...]:
    """The document folders of ``config/oracle.yaml``; relative paths start at the current folder.

    Raises:
        ConfigError: an address template has a field that does not exist.
    """
    check_templates(settings, "documents", "url", [d.url for d in settings.core.documents], ("path", "anchor"))
    return tuple(source(settings.home, d.path, d.name, "docs", "", d.url) for d in settings.core.documents)


def check_templates(settings: Settings, key: str, name: str, templates: list[str], known: tuple[str, ...]) -> None:
    """Refuse templates with unknown fields, all at once."""
    problems = [
        f"{settings.where(f'oracle.{key}.{i}.{name}')}: {key}.{i}.{name}: unknown field {{{field}}}; "
        f"known are {', '.join(f'{{{k}}}' for k in known)}"
        for i, template in enumerate(templates)
        for field in unknown_fields(template, known)
    ]
    if problems:
        raise ConfigError(*problems)


def source(home: Path, path: str, name: str, kind: str, branch: str, template: str) -> Source:
    """Place a source's index under ORACLE_HOME, by a hash of what it is of."""
    place = Path(path).expanduser().resolve()
    shown = name or place.name.removesuffix(".git")
    key = hashlib.sha256(f"{kind}\0{place}\0{branch}".encode()).hexdigest()[:12]
    return Source(place, shown, home / "index" / f"{shown}-{key}", branch, template)


class Shelf(Generic[Index]):
    """Opened indexes. `get` returns a present one, building it when needed, once however many ask at a time."""

    def __init__(self, sources: tuple[Source, ...], ensure: Callable[[Source, Index | None], Index]) -> None:
        self.sources = sources
        self.ensure = ensure
        self.locks = {s: Lock() for s in sources}
        self.opened: dict[Source, Index] = {}

    def get(self, source: Source) -> Index:
        """The index of a source as it is now.

        Raises:
            ToolUnavailable: the source does not exist, or the index cannot be written.
        """
        with self.locks[source]:
            index = self.opened[source] = self.ensure(source, self.opened.get(source))
            return index


def code_shelf(settings: Settings) -> Shelf[CodeIndex]:
    """A shelf of the configured repositories."""

    def ensure(source: Source, index: CodeIndex | None) -> CodeIndex:
        if index and index.is_current(open_repository(source.path), source.branch):
            return index
        return CodeIndex.ensure(source.path, source.index_dir, source.branch, source.template)

    return Shelf(code_sources(settings), ensure)


def doc_shelf(settings: Settings) -> Shelf[DocIndex]:
    """A shelf of the configured folders."""

    def ensure(source: Source, index: DocIndex | None) -> DocIndex:
        if index and index.is_current(open_folder(source.path)):
            return index
        return DocIndex.ensure(source.path, source.index_dir, source.template)

    return Shelf(doc_sources(settings), ensure)
