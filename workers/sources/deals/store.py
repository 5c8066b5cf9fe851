"""temporary"""

from pathlib import Path

import orjson

from workers.sources.deals.records import KINDS, DealBook

BOOK_FILE = "book.json"


def save_book(book, folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / BOOK_FILE).write_bytes(
        orjson.dumps({k: [r.model_dump(mode="json") for r in getattr(book, k)] for k in KINDS})
    )


def open_book(folder):
    d = orjson.loads((folder / BOOK_FILE).read_bytes())
    return DealBook(**{k: tuple(c.model_validate(r) for r in d[k]) for k, c in KINDS.items()})
