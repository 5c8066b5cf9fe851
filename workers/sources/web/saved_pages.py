"""Pages that were fetched, kept on disk: as they came, for the index of documents, and their text with what is known.

``FOLDER/pages/KEY.html`` (``.pdf``, ``.md``, ``.txt``) is the page, ``FOLDER/texts/KEY.json`` its `SavedPage`; ``KEY``
stands for the address that was asked for.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from workers.errors import ToolUnavailable
from workers.settings.remote_addresses import key_of

PAGES, TEXTS = "pages", "texts"
MOST_PAGES = 5_000


@dataclass(frozen=True)
class SavedPage:
    """A page as it was at ``fetched_at`` (RFC 3339). ``url``: where it lay in the end, after redirects.

    ``published``: an ISO date, empty when it names none; ``text``: its readable text as Markdown.
    """

    url: str
    title: str
    text: str
    fetched_at: str
    published: str = ""


class SavedPages:
    """The pages of one folder. Processes may share it: each file is written whole or not at all.

    Args:
        folder: made when the first page is kept.
        most_pages: so many are kept; those fetched longest ago go first.
    """

    def __init__(self, folder: Path, most_pages: int = MOST_PAGES) -> None:
        self.folder, self.most_pages = folder, most_pages

    @property
    def pages(self) -> Path:
        """The folder of pages as they came."""
        return self.folder / PAGES

    def load(self, address: str) -> SavedPage | None:
        """The page that was fetched from an address; None when it is not kept."""
        return read_saved(self.folder / TEXTS / f"{key_of('page', address)}.json")

    def of_file(self, name: str) -> SavedPage | None:
        """The page of a file in `pages`; None when there is none of that name."""
        return read_saved(self.folder / TEXTS / f"{name.partition('.')[0]}.json")

    def save(self, address: str, page: SavedPage, body: bytes, suffix: str) -> None:
        """Keep a page under the address that was asked for, in place of an earlier one.

        Raises:
            ToolUnavailable: the folder cannot be written.
        """
        key = key_of("page", address)
        try:
            for earlier in self.pages.glob(f"{key}.*"):
                if earlier.suffix != suffix:
                    earlier.unlink(missing_ok=True)
            write_whole(self.pages / f"{key}{suffix}", body)
            write_whole(self.folder / TEXTS / f"{key}.json", json.dumps(asdict(page)).encode())
            self.remove_oldest()
        except OSError as error:
            raise ToolUnavailable(f"{self.folder} cannot be written: {error.strerror}") from error

    def remove_oldest(self) -> None:
        """Keep no more pages than are wanted."""
        texts = list((self.folder / TEXTS).iterdir())
        if len(texts) <= self.most_pages:
            return
        for _, text in sorted(map(modified, texts))[: len(texts) - self.most_pages]:
            for path in (text, *self.pages.glob(f"{text.stem}.*")):
                path.unlink(missing_ok=True)

    def __iter__(self) -> Iterator[SavedPage]:
        """All of them."""
        found = map(read_saved, sorted((self.folder / TEXTS).glob("*.json")))
        return (page for page in found if page)


def modified(path: Path) -> tuple[float, Path]:
    """When a file was written, and the file; one that has gone is the oldest."""
    try:
        return path.stat().st_mtime, path
    except OSError:
        return 0.0, path


def read_saved(path: Path) -> SavedPage | None:
    """A page from its file; None when that is missing or damaged."""
    try:
        found: Any = json.loads(path.read_bytes())
        return SavedPage(**{field.name: str(found[field.name]) for field in fields(SavedPage)})
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_whole(path: Path, body: bytes) -> None:
    """Write a file at once or not at all. Raises: OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, unseen = tempfile.mkstemp(prefix=".", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(body)
        Path(unseen).replace(path)
    except OSError:
        with suppress(OSError):
            Path(unseen).unlink()
        raise
