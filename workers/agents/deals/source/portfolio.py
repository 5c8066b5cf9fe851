"""The deals that were loaded, opened once and again when they change: their index, and the ranker that was learned."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from threading import Lock

from workers.agents.deals.source.ranker import Artefact, read_artefact, read_header
from workers.agents.deals.source.records import DealBook
from workers.agents.deals.source.search import DealIndex, build_index
from workers.agents.deals.source.store import BOOK_FILE, open_book
from workers.errors import ToolUnavailable
from workers.settings.load import Settings, oracle_home

FOLDER, RANKER_FILE = "deals", "ranker.json"
UNLOADED = "no deals are loaded: oracle deals load FOLDER (docs/deals.md)"


def deals_folder(home: Path) -> Path:
    """Where the deals of an installation lie."""
    return home / FOLDER


def is_loaded(home: Path) -> bool:
    """Whether deals were loaded."""
    return (deals_folder(home) / BOOK_FILE).is_file()


class Portfolio:
    """The deals of an installation."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lock = Lock()
        self.read: tuple[object, DealBook] | None = None
        self.opened: tuple[object, DealIndex] | None = None
        self.learned: tuple[object, tuple[Artefact | None, str]] | None = None

    def book(self) -> DealBook:
        """The deals as they are now. Raises: ToolUnavailable: none are loaded; DealDataError: damaged."""
        with self.lock:
            return self.read_book()[1]

    def read_book(self) -> tuple[object, DealBook]:
        """The deals with what changes when they do; the lock is held."""
        state = state_of(self.folder / BOOK_FILE)
        if state is None:
            raise ToolUnavailable(UNLOADED)
        if self.read is None or self.read[0] != state:
            self.read = (state, open_book(self.folder))
        return self.read

    def index(self) -> DealIndex:
        """The index of the deals as they are now. Raises: as `book`."""
        year = datetime.now(UTC).year
        with self.lock:
            read, book = self.read_book()
            state = (read, year)
            if self.opened is None or self.opened[0] != state:
                self.opened = (state, build_index(book, year))
            return self.opened[1]

    def ranker(self) -> tuple[Artefact | None, str]:
        """The learned ranker, and a sentence when there is none that fits."""
        file = self.folder / RANKER_FILE
        with self.lock:
            state = state_of(file)
            if self.learned is None or self.learned[0] != state:
                self.learned = (state, read_artefact(file))
            return self.learned[1]

    def ranker_header(self) -> tuple[Artefact | None, str]:
        """The same by what stands at the head of the file; the model in it is not loaded."""
        return read_header(self.folder / RANKER_FILE)

    def forget_ranker(self) -> None:
        """Read the ranker again when it is next asked for."""
        with self.lock:
            self.learned = None


def open_portfolio(settings: Settings) -> Portfolio:
    """The deals of an installation; nothing is read yet."""
    return Portfolio(deals_folder(settings.home))


def default_portfolio() -> Portfolio:
    """The deals under this process's ``ORACLE_HOME``; each folder is opened once."""
    return portfolio_at(deals_folder(oracle_home()))


@lru_cache(maxsize=8)
def portfolio_at(folder: Path) -> Portfolio:
    """The deals of a folder."""
    return Portfolio(folder)


def state_of(file: Path) -> tuple[int, int] | None:
    """What changes when a file does; None: there is none."""
    try:
        stat = file.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size
