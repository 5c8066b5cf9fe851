"""Hits and changes as evidence."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from workers.contracts import Evidence, Fact, rfc3339
from workers.sources.code.code_owners import PLACES, owning_rule, read_rules
from workers.sources.code.index import CodeHit, CodeIndex
from workers.sources.code.named_folders import Folder
from workers.sources.code.permalinks import file_link
from workers.sources.evidence.hunk_clause import clause_of, shown_lines
from workers.sources.history.blame import LastChange
from workers.sources.history.change_effects import effects_of, is_inert, is_manifest
from workers.sources.history.commit_range import Between
from workers.sources.history.commits import Change
from workers.sources.history.diff import FileChange, Hunk, diff_text

SHOWN = 8
HUNKS_A_FILE = 4
HUNK_CHARS = 400
EXCERPT_LINES, MOST_LINES = 12, 4_000
UNKNOWN = "what it changed is not known: a shallow clone's history is cut at it"


@dataclass(frozen=True)
class Details:
    """What is known of a hit beyond its lines."""

    last: LastChange | None = None
    references: tuple[str, ...] = ()
    whole: tuple[int, int] = (0, 0)
    """The lines whose last change it is, where they are more than those of the hit."""


def with_owner(item: Evidence, index: CodeIndex) -> Evidence:
    """Lines of code with who owns their file: ``code_owner``, ``code_owner_rule``, the line that says so; as they are
    where nothing does."""
    home = next((path for path in PLACES if path in index.numbers), "")
    rules = read_rules(index.columns.lines_of(index.numbers[home])) if home else []
    path = str(item.facts["path"].value)
    rule = owning_rule(rules, path)
    if rule is None:
        return item
    facts = {
        "code_owner": Fact(value=", ".join(rule.owners), entity=path),
        "code_owner_rule": Fact(value=f"{home}:{rule.line}", unit="lines", entity=home),
    }
    return item.model_copy(update={"facts": {**item.facts, **facts}})


def code_evidence(repository: str, hit: CodeHit, details: Details) -> Evidence:
    """Lines of code. Facts: path, lines, start_line, end_line, symbol, commit, repository, score, file_kind; ``key``, a
    name of the question that stands in the first line.

    With details also last_commit, last_subject, last_author, last_at, last_lines and reference_1, reference_2 …
    """
    lines = f"{hit.path}:{hit.start_line}-{hit.end_line}"
    facts = {
        "path": Fact(value=hit.path, unit="path", entity=hit.path),
        "lines": Fact(value=lines, unit="lines", entity=hit.path),
        "start_line": Fact(value=hit.start_line, unit="line", entity=hit.path),
        "end_line": Fact(value=hit.end_line, unit="line", entity=hit.path),
        "commit": Fact(value=hit.commit, unit="commit", entity=hit.path),
        "repository": Fact(value=repository, entity=hit.path),
        "score": Fact(value=hit.score, unit="ratio", entity=hit.path),
        "file_kind": Fact(value=hit.kind, entity=hit.path),
    }
    symbol = hit.symbols[0] if hit.symbols else ""
    if symbol:
        facts["symbol"] = Fact(value=symbol, entity=hit.path)
    if hit.key:
        facts["key"] = Fact(value=hit.key, entity=hit.path)
    if details.last:
        at = details.last.at
        facts["last_commit"] = Fact(value=details.last.commit, unit="commit", entity=hit.path, at=at)
        facts["last_subject"] = Fact(value=details.last.subject, entity=hit.path, at=at)
        facts["last_author"] = Fact(value=details.last.author, entity=hit.path, at=at)
        facts["last_at"] = Fact(value=rfc3339(at), unit="time", entity=hit.path, at=at)
        first, end = details.whole if all(details.whole) else (hit.start_line, hit.end_line)
        facts["last_lines"] = Fact(value=f"{hit.path}:{first}-{end}", unit="lines", entity=hit.path)
    for i, place in enumerate(details.references, 1):
        facts[f"reference_{i}"] = Fact(value=place, unit="lines", entity=symbol or hit.path)
    title = symbol or hit.path.rpartition("/")[2].partition(".")[0] or hit.path
    return Evidence(kind="code", title=title, locator=lines, url=hit.url, excerpt=hit.excerpt, facts=facts)


def with_folder(item: Evidence, folder: Folder | None) -> Evidence:
    """A place inside a folder that is asked for by its name: folder, folder_files."""
    path = str(item.facts["path"].value)
    if folder is None or not path.startswith(folder.path):
        return item
    facts = {
        "folder": Fact(value=folder.path, unit="path", entity=folder.path),
        "folder_files": Fact(value=folder.files, unit="count", entity=folder.path),
    }
    return item.model_copy(update={"facts": {**item.facts, **facts}})


def change_evidence(repository: str, change: Change, index: CodeIndex, asked: Collection[str] = ()) -> Evidence:
    """A commit. Facts: commit, short, subject, author, at, files, repository, file_1 …, hunk_1, hunk_1_symbol,
    hunk_1_text, hunk_1_removed … Hunks are lines as of the commit; the last is what stood there before. ``effect``:
    what its diff can do; ``inert``: why it can do nothing. Neither, and no files, where a shallow clone is cut.

    Of a commit that touches ``asked`` paths, these come first, and each hunk says what it does: hunk_1_does, its lines
    hunk_1_old_1 … and hunk_1_new_1 …; hunk_1_asked where it is in one of them.
    """
    entity = repository
    facts = {
        "commit": Fact(value=change.commit, unit="commit", entity=entity, at=change.at),
        "short": Fact(value=change.short, entity=entity, at=change.at),
        "subject": Fact(value=change.subject, entity=entity, at=change.at),
        "author": Fact(value=change.author, entity=entity, at=change.at),
        "at": Fact(value=rfc3339(change.at), unit="time", entity=entity, at=change.at),
        **({} if change.cut else {"files": Fact(value=len(change.files), unit="count", entity=entity, at=change.at)}),
        "repository": Fact(value=repository, entity=entity),
        "score": Fact(value=change.score, unit="ratio", entity=entity),
    }
    files = sorted(change.files, key=lambda file: runs_nothing(file.path))  # what may be at fault comes first
    for i, file in enumerate(files[:SHOWN], 1):
        facts[f"file_{i}"] = Fact(value=file.path, unit="path", entity=file.path, at=change.at)
    facts |= {name: Fact(value=text, entity=entity, at=change.at) for name, text in effect_texts(change) if text}
    facts |= {"cut": Fact(value=UNKNOWN, entity=entity, at=change.at)} if change.cut else {}
    own = {f.path for f in change.files if {f.path, f.old_path} & set(asked)}
    hunks = list(shown_hunks(sorted(change.files, key=lambda file: file.path not in own)))
    for i, (file, hunk) in enumerate(hunks, 1):
        if own:
            facts |= {f"hunk_{i}_{n}": Fact(value=t, entity=file.path, at=change.at) for n, t in side_texts(hunk)}
        if file.path in own:
            facts[f"hunk_{i}_asked"] = Fact(value=file.path, unit="path", entity=file.path, at=change.at)
        place = f"{file.path}:{hunk.start_line}-{hunk.end_line}"
        facts[f"hunk_{i}"] = Fact(value=place, unit="lines", entity=file.path, at=change.at)
        if hunk.symbol:
            facts[f"hunk_{i}_symbol"] = Fact(value=hunk.symbol, entity=file.path, at=change.at)
        if hunk.added_text.strip():
            facts[f"hunk_{i}_text"] = Fact(value=hunk.added_text.strip()[:HUNK_CHARS], entity=file.path, at=change.at)
        if hunk.removed_text.strip():
            removed = hunk.removed_text.strip()[:HUNK_CHARS]
            facts[f"hunk_{i}_removed"] = Fact(value=removed, entity=file.path, at=change.at)
    return Evidence(
        kind="change",
        title=change.subject,
        locator=change.short,
        url=change.url or still_there(hunks, index),
        excerpt=describe(change, hunks),
        facts=facts,
        observed_at=change.at,
    )


def side_texts(hunk: Hunk) -> Iterator[tuple[str, str]]:
    """What a hunk does, and the lines of both sides that say it."""
    if does := clause_of(hunk):
        yield "does", does
    for name, text in (("old", hunk.removed_text), ("new", hunk.added_text)):
        yield from ((f"{name}_{n}", line) for n, line in enumerate(shown_lines(text), 1))


def runs_nothing(path: str) -> bool:
    """Whether a file does not run itself: documents, tests, styles, versions of dependencies."""
    file = PurePosixPath(path)
    return is_inert(file) or is_manifest(file)


def effect_texts(change: Change) -> Iterator[tuple[str, str]]:
    """What the diff of a commit can do, and why it can do nothing."""
    diff = diff_text(change.files)
    if diff.count("\n") <= MOST_LINES and not change.cut:
        found = effects_of((file.path for file in change.files), diff)
        yield "inert", found.inert
        yield "effect", "; ".join(found.telling)


def range_evidence(repository: str, name: str, found: Between, index: CodeIndex) -> tuple[Evidence, ...]:
    """The commits of a range. Facts as `change_evidence`, and range, range_commits, range_old, range_new, asked_1 …"""
    more = {
        "range": Fact(value=name, entity=repository),
        "range_commits": Fact(value=found.count, unit="count", entity=repository),
        "range_old": Fact(value=found.old, unit="commit", entity=repository),
        "range_new": Fact(value=found.new, unit="commit", entity=repository),
        **asked_facts(found, repository),
    }
    each = [change_evidence(repository, one, index, found.asked) for one in found.changes]
    return tuple(e.model_copy(update={"facts": {**e.facts, **more}}) for e in each)


def asked_facts(found: Between, entity: str) -> dict[str, Fact]:
    """The files that the question names, asked_1 …, asked_name, and how many commits touch them: asked_commits.

    Nothing where it names none.
    """
    if not found.asked:
        return {}
    facts = {f"asked_{i}": Fact(value=p, unit="path", entity=p) for i, p in enumerate(found.asked, 1)}
    facts["asked_name"] = Fact(value=found.asked_name, entity=entity)
    return {**facts, "asked_commits": Fact(value=found.touching, unit="count", entity=entity)}


def shown_hunks(files: Sequence[FileChange]) -> Iterator[tuple[FileChange, Hunk]]:
    """The hunks worth showing, at most eight and four of a file."""
    left = SHOWN
    for file in files:
        for hunk in file.hunks[: min(HUNKS_A_FILE, left)]:
            left -= 1
            yield file, hunk


def describe(change: Change, hunks: Sequence[tuple[FileChange, Hunk]]) -> str:
    """Subject, what was touched, and the first old and new lines of the most relevant hunks."""
    out = [change.subject, *([f" {UNKNOWN}"] if change.cut else [])]
    out += [f" {f.path} | +{f.added} -{f.removed}" for f in change.files[:SHOWN]]
    if len(change.files) > SHOWN:
        out.append(f" and {len(change.files) - SHOWN} more files")
    for file, hunk in hunks[:2]:
        if hunk.added_text.strip() or hunk.removed_text.strip():
            out.append(f"{file.path}:{hunk.start_line}-{hunk.end_line}")
            out += [f"-{line}" for line in hunk.removed_text.split("\n")[:EXCERPT_LINES] if hunk.old_lines]
            out += [f"+{line}" for line in hunk.added_text.split("\n")[:EXCERPT_LINES] if hunk.lines]
    return "\n".join(out)


def still_there(hunks: Sequence[tuple[FileChange, Hunk]], index: CodeIndex) -> str | None:
    """The address of the first hunk whose lines stand in the work tree's commit as the change left them."""
    for file, hunk in hunks:
        if index.root and hunk.added_text and index.lines(file.path, hunk.start_line, hunk.end_line) == hunk.added_text:
            return file_link(index.root, file.path, hunk.start_line, hunk.end_line)
    return None


def change_data(repository: str, change: Change) -> dict[str, Any]:
    """A commit as plain data."""
    return {
        "repository": repository,
        "commit": change.commit,
        "short": change.short,
        "subject": change.subject,
        "author": change.author,
        "at": rfc3339(change.at),
        "merge": change.merge,
        "score": change.score,
        "url": change.url,
        "files": [
            {
                "path": f.path,
                "added": f.added,
                "removed": f.removed,
                "hunks": [
                    {
                        "start_line": h.start_line,
                        "end_line": h.end_line,
                        "symbol": h.symbol,
                        "added_text": h.added_text[:HUNK_CHARS],
                        "removed_text": h.removed_text[:HUNK_CHARS],
                    }
                    for h in f.hunks[:SHOWN]
                ],
            }
            for f in change.files[: 5 * SHOWN]
        ],
    }
