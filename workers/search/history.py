"""What changed in a span of time or in one commit, ranked for a question."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from workers.errors import ToolUnavailable
from workers.search.diff import FileChange, Hunk, read_patch
from workers.search.files import kind_of, skip_path
from workers.search.git import Repository, call, git_head, open_repository, read_blobs, remote_url, resolve
from workers.search.languages import language_of
from workers.search.links import commit_link
from workers.search.query import Query, read_query
from workers.search.syntax import Definition, enclosing, read_definitions
from workers.search.tokens import WORD, routes_in, terms_of

MAX_COMMITS = 300
MAX_PATCH_BYTES = 6_000_000
MAX_OUTLINED = 24
MAX_TEXT = 100_000
RECORD = "%x01%H%x00%P%x00%an%x00%ct%x00%s%x00%b%x00"
QUIET = ("--no-color", "--no-ext-diff", "--no-textconv", "--diff-merges=first-parent", "-M")
PLAIN = ("-c", "diff.noprefix=false", "-c", "diff.mnemonicPrefix=false", "-c", "log.showRoot=true")
SECONDARY = frozenset({"test", "doc", "history", "example", "generated", "vendored"})


@dataclass(frozen=True)
class Change:
    """One commit. ``at`` is the committer's time, UTC; a merge is shown against its first parent.

    ``files`` and their hunks stand in the order of their use for the question. ``score`` is 0 without one.
    """

    commit: str
    short: str
    author: str
    at: datetime
    subject: str
    body: str
    files: tuple[FileChange, ...]
    score: float = 0.0
    url: str | None = None
    merge: bool = False


@dataclass(frozen=True)
class LastChange:
    """The commit that last touched some lines."""

    commit: str
    short: str
    author: str
    at: datetime
    subject: str


def changes(
    repo: str | Path | Repository,
    since: datetime | None,
    until: datetime | None,
    query: str = "",
    paths: Sequence[str] = (),
    k: int = 10,
    *,
    branch: str = "",
    rarity: Mapping[str, float] | None = None,
    related: Mapping[str, float] | None = None,
) -> list[Change]:
    """Commits of a span, best first for the question, newest first without one.

    Args:
        repo: where to look.
        since: first moment, None for no limit.
        until: last moment, None for no limit.
        query: ranks; it does not filter.
        paths: only commits that touch a path which begins so.
        k: how many.
        branch: HEAD when empty.
        rarity: what each term of the question is worth, from an index; found among the commits when None.
        related: path -> 0..1, files that are known to matter to the question.

    Raises:
        ToolUnavailable: no repository, or no such branch.
    """
    source = repo if isinstance(repo, Repository) else open_repository(repo)
    commit = resolve(source, branch)
    if commit is None:
        return []
    span = [f"--since={stamp(since)}"] if since else []
    span += [f"--until={stamp(until)}"] if until else []
    found = read_log(source, [f"--max-count={MAX_COMMITS}", *span, commit], paths)
    found = drop_covered_merges(found)
    asked = read_query(query)
    return name_hunks(source, rank_changes(found, asked, rarity, related or {}, k))


def change(repo: str | Path | Repository, revision: str, query: str = "") -> Change | None:
    """One commit by any name git knows it by; None when there is none."""
    source = repo if isinstance(repo, Repository) else open_repository(repo)
    commit = resolve(source, revision)
    if commit is None:
        return None
    found = read_log(source, ["--max-count=1", commit], ())
    return name_hunks(source, rank_changes(found, read_query(query), None, {}, 1))[0] if found else None


def stamp(moment: datetime) -> str:
    """A moment as git reads it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def read_log(repo: Repository, args: Sequence[str], paths: Sequence[str]) -> list[Change]:
    """Run ``git log`` with patches, without them where they are too large."""
    tail = [*args, "--", *limit_paths(repo, paths)]
    raw, whole = git_head(repo, [*PLAIN, "log", f"--format={RECORD}", "-p", "-U0", *QUIET, *tail], MAX_PATCH_BYTES)
    remote = remote_url(repo)
    records = raw.decode("utf-8", "replace").split("\x01")[1:]
    if whole:
        return [read_record(r, remote) for r in records]
    names, _ = git_head(repo, [*PLAIN, "log", f"--format={RECORD}", "--name-only", *QUIET, *tail], MAX_PATCH_BYTES)
    patched = {c.commit: c for c in (read_record(r, remote) for r in records[:-1])}  # the last one was cut off
    listed = [read_record(r, remote) for r in names.decode("utf-8", "replace").split("\x01")[1:]]
    return [patched.get(c.commit, c) for c in listed]


def limit_paths(repo: Repository, paths: Sequence[str]) -> list[str]:
    """Paths that begin so as git is given them; the folder that was opened when none is asked for."""
    return [f":(top){p.lstrip('/')}*" for p in paths if p.isprintable()] or (["."] if repo.prefix else [])


def read_record(record: str, remote: str) -> Change:
    """One commit in `RECORD` form, followed by a patch or by names."""
    commit, parents, author, seconds, subject, body, rest = record.split("\0", 6)
    patch = rest.strip("\n")
    files = read_patch(patch) if "diff --git " in patch else [FileChange(p) for p in patch.split("\n") if p]
    return Change(
        commit=commit,
        short=commit[:7],
        author=author,
        at=datetime.fromtimestamp(int(seconds), UTC),
        subject=subject,
        body=body.strip(),
        files=tuple(files),
        url=commit_link(remote, commit),
        merge=" " in parents,
    )


def drop_covered_merges(found: list[Change]) -> list[Change]:
    """Leave out merges whose files other commits of the list account for, and those that changed nothing."""
    touched = {f.path for c in found if not c.merge for f in c.files}
    return [c for c in found if not c.merge or {f.path for f in c.files} - touched]


def rank_changes(
    found: Sequence[Change], query: Query, rarity: Mapping[str, float] | None, related: Mapping[str, float], k: int
) -> list[Change]:
    """The k commits, and inside each its files and hunks, that have most to do with the question."""
    counted = [[(weight, count_terms(text)) for weight, text in texts(c)] for c in found]
    wanted = query.terms | dict.fromkeys(query.routes, 2.0) | dict.fromkeys((f"={x}" for x in query.compounds), 1.0)
    if rarity is None:
        held = {t: sum(any(t in terms for _, terms in fields) for fields in counted) for t in wanted}
        rarity = {t: w * math.log(1 + (len(found) + 1) / (held[t] + 0.5)) for t, w in wanted.items()}
    scored = []
    for c, fields in zip(found, counted, strict=True):
        near = max((related.get(f.path, 0.0) * prior_of(f.path) for f in c.files), default=0.0)
        scored.append(replace(c, score=round(score_change(fields, rarity) * prior(c) + near / 2, 4)))
    asked = bool(wanted)
    scored.sort(key=lambda c: (-c.score if asked else 0.0, -c.at.timestamp(), c.commit))
    return [replace(c, files=order_files(c.files, rarity, related)) for c in scored[:k]]


def order_files(
    files: Sequence[FileChange], rarity: Mapping[str, float], related: Mapping[str, float]
) -> tuple[FileChange, ...]:
    """Files, and the hunks of each, by their use for the question."""
    return tuple(sorted((order_hunks(f, rarity) for f in files), key=lambda f: file_key(f, rarity, related)))


def texts(c: Change) -> Iterable[tuple[float, str]]:
    """The parts of a commit, by weight."""
    yield 3.0, c.subject
    yield 2.0, " ".join(f.path for f in c.files)
    yield 1.5, c.body
    read = [h for f in c.files if not skip_path(f.path) for h in f.hunks]
    yield 1.0, "\n".join(h.added_text for h in read)[:MAX_TEXT]
    yield 0.5, "\n".join(h.removed_text for h in read)[:MAX_TEXT]


def count_terms(text: str) -> dict[str, int]:
    """How often each term occurs."""
    out: dict[str, int] = {}
    for word in WORD.findall(text):
        for term in terms_of(word):
            out[term] = out.get(term, 0) + 1
    for route in routes_in(text) if "/" in text else ():
        out[route] = out.get(route, 0) + 1
    return out


def score_change(fields: Sequence[tuple[float, Mapping[str, int]]], rarity: Mapping[str, float]) -> float:
    """The share of the question's rarity that a commit holds, more where it stands in subject or path."""
    total = sum(rarity.values()) or 1.0
    held = 0.0
    for term, worth in rarity.items():
        tf = sum(weight * min(terms.get(term, 0), 5) for weight, terms in fields)
        held += worth * tf / (tf + 2.0)
    return held / total


def prior(c: Change) -> float:
    """Commits that touch sources count in full, others less."""
    return max((prior_of(f.path) for f in c.files), default=0.3)


def prior_of(path: str) -> float:
    """What a file counts for by its kind."""
    if skip_path(path):
        return 0.2
    return 0.4 if kind_of(path) in SECONDARY else 1.0


def order_hunks(file: FileChange, rarity: Mapping[str, float]) -> FileChange:
    """Hunks that hold most of the question first, then larger ones, then in order."""
    if skip_path(file.path):
        return file
    ordered = sorted(file.hunks, key=lambda h: (-hunk_score(h, rarity), -len(h.added_text), h.start_line))
    return replace(file, hunks=tuple(ordered))


def hunk_score(hunk: Hunk, rarity: Mapping[str, float]) -> float:
    """What of the question a hunk's lines hold."""
    terms = count_terms(f"{hunk.added_text[:MAX_TEXT]}\n{hunk.removed_text[:MAX_TEXT]}")
    return sum(worth for term, worth in rarity.items() if term in terms)


def file_key(file: FileChange, rarity: Mapping[str, float], related: Mapping[str, float]) -> tuple[float, ...]:
    """Sources first; among them those nearer to the question, then those with more changed lines."""
    own = count_terms(file.path)
    near = sum(worth for term, worth in rarity.items() if term in own)
    near += max((hunk_score(h, rarity) for h in file.hunks[:5]), default=0.0)
    near += related.get(file.path, 0.0) * sum(rarity.values())
    return (-prior_of(file.path), -near, -(file.added + file.removed))


def name_hunks(repo: Repository, found: Sequence[Change]) -> list[Change]:
    """Add to each hunk the definition that it lies in, as of its commit."""
    wanted = [
        (c.commit, f.path)
        for c in found
        for f in c.files[:8]
        if f.hunks and not f.deleted and "\n" not in f.path and prior_of(f.path) == 1.0 and language_of(f.path)
    ][:MAX_OUTLINED]
    sources = read_blobs(repo, [f"{commit}:{path}" for commit, path in wanted])
    outlines = {
        key: read_definitions(source, language_of(key[1]))
        for key, source in zip(wanted, sources, strict=True)
        if len(source) < 500_000
    }
    return [replace(c, files=tuple(name_file(f, outlines.get((c.commit, f.path), ())) for f in c.files)) for c in found]


def name_file(file: FileChange, definitions: tuple[Definition, ...]) -> FileChange:
    """One file with its hunks named."""
    named = []
    for hunk in file.hunks:
        inside = [d for d in definitions if hunk.start_line <= d.start and d.end <= hunk.end_line]
        around = inside[0] if inside else enclosing(definitions, hunk.start_line)
        named.append(replace(hunk, symbol=around.qualified if around else ""))
    return replace(file, hunks=tuple(named))


def last_change(
    repo: str | Path | Repository, commit: str, path: str, start: int, end: int, *, timeout_s: float = 2.0
) -> LastChange | None:
    """The commit that last touched lines of a file as of a commit; None when git does not know, or not in time."""
    source = repo if isinstance(repo, Repository) else open_repository(repo)
    top = source.root or source.path
    args = ["blame", "--porcelain", "-L", f"{start},{end}", commit, "--", path]
    try:
        done = call(replace(source, path=top), args, timeout_s=timeout_s)
    except ToolUnavailable:
        return None
    return newest(done.stdout.decode("utf-8", "replace").split("\n"))


def newest(porcelain: list[str]) -> LastChange | None:
    """The newest commit in ``git blame --porcelain``, whose header fields follow a commit's first line."""
    best: LastChange | None = None
    commit = author = ""
    at = datetime.min.replace(tzinfo=UTC)
    for line in porcelain:
        key, _, value = line.partition(" ")
        if len(key) in {40, 64} and value[:1].isdigit():
            commit = key
        elif key == "author":
            author = value
        elif key == "committer-time":
            at = datetime.fromtimestamp(int(value), UTC)
        elif key == "summary" and (best is None or at > best.at):
            best = LastChange(commit, commit[:7], author, at, value)
    return best
