"""Copies of what lay elsewhere and was taken out of the configuration: deleted, with their indexes."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal

from workers.errors import ToolUnavailable
from workers.settings.load import COMMAND_LINE, Settings
from workers.sources.code.array_file import read_meta
from workers.sources.connections.local_copies import INDEXING, LOCK, STATE, LocalCopy, hold, stored_state
from workers.sources.connections.open_sources import FILES, code_sources, doc_sources
from workers.sources.connections.source_status import LATE

PLACES = ("mirrors", "sites")
NAMED = re.compile(r"(?<![\w.-])\w[\w.-]*-(?P<key>[0-9a-f]{12})")
GONE = ".gone-"


def remove_orphaned_copies(settings: Settings) -> list[str]:
    """Delete the copies that no entry names any more, and the indexes made of them.

    One that was looked at within the last three periods stays: another process may go by another configuration, as
    while a deployment is started anew. Nothing is deleted while sources come from the command line.

    Returns:
        The names of the folders that are gone.

    Raises:
        ConfigError: an address template has a field that does not exist.
    """
    given = (settings.origin.get(f"oracle.{key}") for key in ("repositories", "documents"))
    if COMMAND_LINE in given:
        return []
    sources = [*code_sources(settings), *doc_sources(settings)]
    named = {folder for s in sources for folder in ((s.kept.folder,) if s.kept else (s.path, *s.path.parents))}
    named |= {folder.resolve() for folder in named}
    others = (kept for kept in copies(settings) if not {kept.folder, kept.folder.resolve()} & named)
    gone = [kept for kept in others if remove(settings.home, kept)]
    for place in PLACES:
        for left in (settings.home / place).glob(f"{GONE}*"):  # by this run, or by one that was killed
            shutil.rmtree(left, ignore_errors=True)
    return [kept.name for kept in gone]


def copies(settings: Settings) -> Iterator[LocalCopy]:
    """Every copy under ORACLE_HOME that Oracle made: by its name, and by the files that Oracle keeps in each."""
    fetch = settings.core.fetch
    kinds: tuple[tuple[str, Literal["repository", "site"], float], ...] = (
        ("mirrors", "repository", fetch.every_s),
        ("sites", "site", fetch.sites_every_s),
    )
    for place, kind, every_s in kinds:
        with suppress(FileNotFoundError):
            for folder in sorted((settings.home / place).iterdir()):
                match = NAMED.fullmatch(folder.name)
                own = folder.is_dir() and not folder.is_symlink()
                if match and own and (folder / STATE).is_file() and (folder / LOCK).is_file():
                    yield LocalCopy(match["key"], folder.name, folder, kind, "", every_s)


def remove(home: Path, kept: LocalCopy) -> bool:
    """Take a copy away with its indexes, unless someone looked at it not long ago or is at it now."""
    with suppress(ToolUnavailable, OSError), hold(kept) as fetching:
        if fetching is None or time.time() - stored_state(kept).tried_at < LATE * kept.every_s:  # none: gone already
            return False
        with hold(kept, INDEXING) as indexing:
            if indexing is None:
                return False
            for index_dir in list(indexes_of(home, kept)):
                shutil.rmtree(index_dir)
            kept.folder.rename(kept.folder.with_name(GONE + kept.folder.name))
            return True
    return False


def indexes_of(home: Path, kept: LocalCopy) -> Iterator[Path]:
    """The folders of the indexes that were made of a copy, as these say themselves."""
    own = kept.folder.resolve()
    with suppress(FileNotFoundError):
        for folder in sorted((home / "index").iterdir()):
            if folder.is_symlink() or not NAMED.fullmatch(folder.name):
                continue
            metas = (read_meta(folder / name) for name in FILES)
            places = [Path(meta.get(key) or "/") for meta in metas if meta for key in ("repository", "root")]
            if any(own in (place, *place.parents) for place in places):
                yield folder
