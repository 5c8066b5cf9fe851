"""Keeps the loaded deals in one file: written whole or not at all, and read without checking each record again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import orjson

from workers.agents.deals.source.data_error import DealDataError
from workers.agents.deals.source.records import KINDS, DealBook

BOOK_FILE, VERSION = "book.json", 1


def save_book(book: DealBook, folder: Path) -> None:
    """Write a book into a folder, in place of an older one. Raises: OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    body = {kind: [record.model_dump() for record in getattr(book, kind)] for kind in KINDS}
    part = folder / f"{BOOK_FILE}.{os.getpid()}.part"
    part.write_bytes(orjson.dumps({"version": VERSION, **body}))
    part.replace(folder / BOOK_FILE)


def open_book(folder: Path) -> DealBook:
    """The book of a folder. Raises: DealDataError: there is none, or it is damaged or of another version."""
    try:
        body: Any = orjson.loads((folder / BOOK_FILE).read_bytes())
        if body["version"] != VERSION:
            raise DealDataError("The loaded deals are of another version: run oracle deals load again.")
        return DealBook(
            **{kind: tuple(record.model_construct(**r) for r in body[kind]) for kind, record in KINDS.items()}
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DealDataError("The loaded deals cannot be read: run oracle deals load again.") from error
