"""The repositories and documents of a configuration, each with its index, kept open and up to date."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

from workers.errors import ConfigError, ToolUnavailable
from workers.settings.load import Settings
from workers.settings.remote_addresses import key_of, read_remote_address, read_site_address
from workers.sources.code.permalinks import FIELDS, unknown_fields
from workers.sources.connections.git_mirrors import repository_of, tree_of
from workers.sources.connections.local_copies import INDEXING, LocalCopy, hold, is_free, stored_state
from workers.sources.git import open_repository, resolve, stamp_of

if TYPE_CHECKING:  # who wants to know what is configured needs no index
    from workers.sources.code.index import CodeIndex
    from workers.sources.documents.index import DocIndex

Index = TypeVar("Index")
PAGES = "pages"
FILES = ("code.index", "code.changes", "docs.index")
Seen = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class Source:
    """One repository or set of documents. ``template`` makes addresses; ``index_dir`` is its own.

    ``kept``: what lies elsewhere, of which ``path`` is the copy here; ``folder``: the part of it that is read.
    ``team``: the workspace that alone may read it; empty: all may. ``beside``: of a repository of which the prose is
    read as documents, its folders that are sources of documents themselves; None of a folder of documents.
    """

    path: Path
    name: str
    index_dir: Path
    branch: str = ""
    template: str = ""
    kept: LocalCopy | None = None
    folder: str = ""
    team: str = ""
    beside: tuple[str, ...] | None = None


REPOSITORY, DOCUMENTS = "repository", "documents"
"""The kinds of these sources, as a policy names them."""
POSTMORTEMS = "postmortems"
"""The folder under ORACLE_HOME that drafts are kept in, in a folder of their workspace's id."""


def code_sources(settings: Settings) -> tuple[Source, ...]:
    """The repositories of ``config/oracle.yaml``; relative paths start at the current folder.

    Raises:
        ConfigError: an address template has a field that does not exist.
    """
    entries = settings.core.repositories
    check_templates(settings, "repositories", "permalink", [r.permalink for r in entries], FIELDS)
    out = []
    for r in entries:
        kept = kept_repository(settings, r.url) if r.url else None
        path = repository_of(kept) if kept else Path(r.path)
        name = r.name or (r.called if kept else "")
        out.append(source(settings.home, path, name, "code", branch=r.branch, template=r.permalink, kept=kept))
    return tuple(one for one in out if settings.shows(f"{REPOSITORY}:{one.name}"))


def doc_sources(settings: Settings) -> tuple[Source, ...]:
    """The documents of ``config/oracle.yaml``, and the prose of its repositories; relative paths start at the current
    folder.

    Raises:
        ConfigError: an address template has a field that does not exist.
    """
    entries = settings.core.documents
    check_templates(settings, "documents", "url", [d.url for d in entries], ("path", "anchor"))
    out = []
    for d in entries:
        kept, name, folder = None, d.name, ""
        if d.repository:
            kept, folder = kept_repository(settings, d.repository), clean_folder(d.path)
            path = tree_of(kept, d.branch, folder) / folder
            name = name or PurePosixPath(folder).name or read_remote_address(d.repository).name
        elif d.site:
            kept = kept_site(settings, d.site)
            path, name = kept.folder / PAGES, name or kept.name
        else:
            path = Path(d.path)
        more = {"branch": d.branch, "template": d.url}
        out.append(source(settings.home, path, name, "docs", **more, kept=kept, folder=folder))
    shown = (one for one in out if settings.shows(f"{DOCUMENTS}:{one.name}"))
    return (*shown, *prose_sources(settings, [one.path for one in out]))


def prose_sources(settings: Settings, documents: Sequence[Path]) -> Iterator[Source]:
    """The repositories on this machine that have their files on disk, as sources of what is prose in them.

    Args:
        settings: of the deployment.
        documents: folders that are sources of documents themselves.
    """
    for entry in settings.core.repositories:
        place = Path(entry.path).expanduser().resolve()
        on_disk = entry.path and not entry.branch and place.is_dir() and not (place / "HEAD").is_file()
        if not on_disk or any(place.is_relative_to(folder) for folder in documents):
            continue
        beside = (f.relative_to(place).as_posix() for f in documents if f.is_relative_to(place))
        found = replace(source(settings.home, place, entry.name, "prose"), beside=tuple(sorted(beside)))
        if settings.shows(f"{REPOSITORY}:{found.name}"):
            yield found


def postmortem_drafts(settings: Settings) -> tuple[Source, ...]:
    """The postmortems that were drafted here, those of each workspace by themselves."""
    if not settings.shows(f"{DOCUMENTS}:{POSTMORTEMS}"):
        return ()
    folders = sorted(path for path in (settings.home / POSTMORTEMS).glob("*") if path.is_dir())
    found = (source(settings.home, folder, POSTMORTEMS, "docs") for folder in folders)
    return tuple(replace(one, team=folder.name) for one, folder in zip(found, folders, strict=True))


def drafts_folder(settings: Settings, team: str) -> Path:
    """Where the drafts of a workspace are kept."""
    return settings.home / POSTMORTEMS / plain(team)


def clean_folder(path: str) -> str:
    """A folder inside a repository, without ``./`` and closing slashes; empty for all of it."""
    cleaned = PurePosixPath(path).as_posix()
    return "" if cleaned == "." else cleaned


def kept_repository(settings: Settings, address: str) -> LocalCopy:
    """The copy of a repository; entries with the same address share it, and the name of the first that has one."""
    core = settings.core
    named = [(r.url, r.called) for r in core.repositories if r.url] + [(d.repository, d.name) for d in core.documents]
    remote = read_remote_address(address)
    name = next((name for url, name in named if url == address and name), remote.name)
    key = key_of("repository", address)
    folder = settings.home / "mirrors" / f"{plain(remote.name)}-{key}"
    return LocalCopy(key, name, folder, "repository", address, core.fetch.every_s)


def kept_site(settings: Settings, address: str) -> LocalCopy:
    """The copy of a web site, as the first entry with its address has it."""
    entry = next(d for d in settings.core.documents if d.site == address)
    remote = read_site_address(address)
    key = key_of("site", address)
    folder = settings.home / "sites" / f"{plain(remote.host)}-{key}"
    every_s = settings.core.fetch.sites_every_s
    limits = {"pages": entry.pages, "pause_s": entry.pause_s, "private": entry.private}
    return LocalCopy(key, entry.name or remote.host, folder, "site", address, every_s, **limits)  # type: ignore[arg-type]


def plain(name: str) -> str:
    """A name as a part of a file's name."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "-" for c in name)[:60].strip(".-") or "x"


def local_copies(settings: Settings) -> dict[str, LocalCopy]:
    """Everything elsewhere that a configuration names, by its key."""
    found = (s.kept for s in (*code_sources(settings), *doc_sources(settings)))
    return {kept.key: kept for kept in found if kept}


def pushed_to(settings: Settings, name: str, addresses: Iterable[str]) -> list[LocalCopy]:
    """What a push was to: the copies of a name, or of a repository that one of the addresses stands for."""
    told = set()
    for address in addresses:
        try:
            told.add(read_remote_address(address).same)
        except ValueError:
            continue
    found = {}
    for one in (*code_sources(settings), *doc_sources(settings)):
        kept = one.kept
        if kept is None:
            continue
        named = bool(name) and name.casefold() in {one.name.casefold(), kept.name.casefold()}
        if named or (kept.kind == "repository" and read_remote_address(kept.address).same in told):
            found[kept.key] = kept
    return list(found.values())


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


def source(
    home: Path,
    path: Path,
    name: str,
    kind: str,
    *,
    branch: str = "",
    template: str = "",
    kept: LocalCopy | None = None,
    folder: str = "",
) -> Source:
    """Place a source's index under ORACLE_HOME, by a hash of what it is of."""
    place = path.expanduser().resolve()
    shown = name or place.name.removesuffix(".git")
    key = hashlib.sha256(f"{kind}\0{place}\0{branch}".encode()).hexdigest()[:12]
    return Source(place, shown, home / "index" / f"{plain(shown)}-{key}", branch, template, kept, folder)


class OpenSources(Generic[Index]):
    """Opened indexes. `get` returns a present one, building it when needed, once however many ask at a time.

    What lies elsewhere is never waited for: `get` opens the last index of it, `refresh` makes it one of its copy.
    """

    def __init__(
        self,
        sources: tuple[Source, ...],
        ensure: Callable[[Source, Index | None], Index],
        reopen: Callable[[Source], Index],
        appearing: Callable[[], tuple[Source, ...]] = tuple,
    ) -> None:
        self.configured = sources
        self.appearing = appearing
        self.ensure = ensure
        self.reopen = reopen
        self.locks: dict[Source, Lock] = defaultdict(Lock)
        self.opened: dict[Source, Index] = {}
        self.seen: dict[Source, Seen] = {}

    @property
    def sources(self) -> tuple[Source, ...]:
        """What is configured, and what has appeared since."""
        return (*self.configured, *self.appearing())

    def get(self, source: Source) -> Index:
        """The index of a source as it is now; of what lies elsewhere, as it was when last fetched.

        Raises:
            ToolUnavailable: the source does not exist, was never fetched, or the index cannot be written.
        """
        with self.locks[source]:
            if source.kept:
                return self.last(source)
            index = self.opened[source] = self.ensure(source, self.opened.get(source))
            return index

    def refresh(self, source: Source) -> Index:
        """Bring the index of a source up to date with what is on this machine. Raises: ToolUnavailable: as `get`."""
        if source.kept is None:
            return self.get(source)
        if stored_state(source.kept).fetched_at and is_free(source.kept):
            with hold(source.kept, INDEXING) as lock:
                if lock is not None:
                    self.build(source)
        return self.get(source)

    def build(self, source: Source) -> None:
        """Index the copy of what lies elsewhere; the lock for that is held. Raises: ToolUnavailable."""
        check_commit(source)
        with self.locks[source]:
            self.opened[source] = self.ensure(source, self.opened.get(source))
            self.seen[source] = stamps(source.index_dir)

    def last(self, source: Source) -> Index:
        """The index that was written last, opened anew only when it is another one. Raises: ToolUnavailable."""
        now = stamps(source.index_dir)
        if source not in self.opened or self.seen.get(source) != now:
            try:
                self.opened[source] = self.reopen(source)
            except ToolUnavailable:
                if source not in self.opened:
                    raise
            self.seen[source] = now
        return self.opened[source]


def check_commit(source: Source) -> None:
    """What was indexed stays when the remote no longer has what is to be indexed.

    Raises:
        ToolUnavailable: the branch is gone, or everything is.
    """
    if source.kept is None or source.kept.kind != "repository":
        return
    if resolve(open_repository(repository_of(source.kept)), source.branch):
        return
    if source.branch:
        raise ToolUnavailable(f"its remote has no branch {source.branch}")
    if stamps(source.index_dir):
        raise ToolUnavailable("its remote holds no commit any more")


def stamps(index_dir: Path) -> Seen:
    """What tells the files of an index from those that take their place."""
    found = (stamp_of(index_dir / name) for name in FILES)
    return tuple(stamp for stamp in found if stamp)


def open_code_sources(settings: Settings) -> OpenSources[CodeIndex]:
    """A shelf of the configured repositories."""
    from workers.sources.code.index import CodeIndex  # noqa: PLC0415 - as above

    def ensure(source: Source, index: CodeIndex | None) -> CodeIndex:
        if index and index.is_current(open_repository(source.path), source.branch):
            return index
        return CodeIndex.ensure(source.path, source.index_dir, source.branch, source.template)

    def reopen(source: Source) -> CodeIndex:
        return CodeIndex.open(source.index_dir, source.template)

    return OpenSources(code_sources(settings), ensure, reopen)


def open_document_sources(settings: Settings) -> OpenSources[DocIndex]:
    """A shelf of the configured documents."""
    return open_documents(doc_sources(settings), partial(postmortem_drafts, settings))


def open_documents(
    sources: tuple[Source, ...], appearing: Callable[[], tuple[Source, ...]] = tuple
) -> OpenSources[DocIndex]:
    """A shelf of documents: those that are known, and those that ``appearing`` finds whenever it is asked."""
    from workers.sources.documents.document_files import open_folder  # noqa: PLC0415 - as above
    from workers.sources.documents.encoder import has_encoder  # noqa: PLC0415 - as above
    from workers.sources.documents.encoding_backlog import BACKLOG  # noqa: PLC0415 - as above
    from workers.sources.documents.index import DocIndex  # noqa: PLC0415 - as above
    from workers.sources.documents.section_vectors import encode_sections  # noqa: PLC0415 - as above

    def ensure(source: Source, index: DocIndex | None) -> DocIndex:
        if index and index.is_current(open_folder(source.path), source.beside):
            return index
        built = DocIndex.ensure(source.path, source.index_dir, source.template, source.beside)
        return queue_encoding(source, built)

    def reopen(source: Source) -> DocIndex:
        return queue_encoding(source, DocIndex.open(source.index_dir, source.template))

    def queue_encoding(source: Source, index: DocIndex) -> DocIndex:
        if has_encoder():
            identity = index.container.identity
            BACKLOG.add(source.index_dir, partial(encode_sections, index.sections, source.index_dir, identity))
        return index

    return OpenSources(sources, ensure, reopen, appearing)


def sources_of_copy(sources: Iterable[Source], kept: LocalCopy) -> list[Source]:
    """Those that are read from one copy."""
    return [s for s in sources if s.kept and s.kept.key == kept.key]
