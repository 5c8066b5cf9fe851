"""The commits that touched a place as a tool's output."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from workers.contracts import Evidence, Fact, ToolOutput, rfc3339
from workers.sources.history.commit_log import Log, LogQuery, merged_logs
from workers.sources.history.commits import Change
from workers.sources.history.file_lines import shortened

FILES_SHOWN = 3
MOST_AUTHORS = 5
ROWS = 24


def show_log(logs: Sequence[tuple[str, Log]], place: str, query: LogQuery, problems: Sequence[str]) -> ToolOutput:
    """The commits, newest first, behind how many there are.

    ``data = {"count", "whole", "commits": [{"repository", "commit", "author", "at", "subject", "files"}]}``.
    """
    rows, count, whole = merged_logs(logs)
    data = {
        "count": count,
        "whole": whole,
        "commits": [
            {
                "repository": name,
                "commit": c.commit,
                "author": c.author,
                "at": rfc3339(c.at),
                "subject": c.subject,
                "files": [f.path for f in c.files[:20]],
            }
            for name, c in rows
        ],
    }
    asked = describe(place, query)
    if not rows:
        return ToolOutput(status="empty", reason=f"no commit {asked}", data=data)
    least = "" if whole else "at least "
    newest = rows[0][1]
    cut = f"the newest {len(rows)} of {count} commits are shown; until={rfc3339(rows[-1][1].at)} goes on from there"
    return ToolOutput(
        summary=f"{least}{count} commit{'s' * (count != 1)} {asked}, newest {newest.short} {newest.subject}",
        data=data,
        evidence=(overview(rows, count, place, asked), *(row_evidence(name, c) for name, c in rows)),
        reason="; ".join([*([cut] if len(rows) < count else []), *problems]),
    )


def describe(place: str, query: LogQuery) -> str:
    """Which commits, in words."""
    parts = [f"that touched {place}"] if place else []
    parts += [f"by {query.author!r}"] if query.author else []
    parts += [f"with {' and '.join(query.words)} in the message"] if query.words else []
    parts += [f"since {rfc3339(query.since)}"] if query.since else []
    return " ".join([*parts, f"up to {rfc3339(query.until)}"])


def overview(rows: Sequence[tuple[str, Change]], count: int, place: str, asked: str) -> Evidence:
    """How many commits, from when to when, by whom.

    Facts: place, commits, shown; of those newest_at, oldest_at, author_1 …; of the newest newest_commit,
    newest_subject, newest_author.
    """
    entity = place or ", ".join(dict.fromkeys(name for name, _ in rows))
    authors = Counter(c.author for _, c in rows).most_common(MOST_AUTHORS)
    newest, oldest = rows[0][1].at, rows[-1][1].at
    facts = {
        "place": Fact(value=entity, entity=entity),
        "commits": Fact(value=count, unit="count", entity=entity),
        "shown": Fact(value=len(rows), unit="count", entity=entity),
        "newest_at": Fact(value=rfc3339(newest), unit="time", entity=entity, at=newest),
        "oldest_at": Fact(value=rfc3339(oldest), unit="time", entity=entity, at=oldest),
        "newest_commit": Fact(value=rows[0][1].short, entity=entity, at=newest),
        "newest_subject": Fact(value=rows[0][1].subject, entity=entity, at=newest),
        "newest_author": Fact(value=rows[0][1].author, entity=entity, at=newest),
    }
    for i, (name, held) in enumerate(authors, 1):
        facts[f"author_{i}"] = Fact(value=name, entity=entity)
        facts[f"author_{i}_commits"] = Fact(value=held, unit="count", entity=name)
    said = ", ".join(f"{name} {held}" for name, held in authors)
    first = f"{count} commit{'s' * (count != 1)} {asked}"
    text = f"{first}; {len(rows)} shown, {rfc3339(oldest)} to {rfc3339(newest)}, by {said}"
    return Evidence(kind="change", title=f"history of {entity}", locator=f"log of {entity}", excerpt=text, facts=facts)


def row_evidence(repository: str, change: Change) -> Evidence:
    """One commit. Facts: commit, short, subject, author, at, repository, file_1 …; of a history of lines hunk_1 …"""
    at, entity = change.at, repository
    facts = {
        "commit": Fact(value=change.commit, unit="commit", entity=entity, at=at),
        "short": Fact(value=change.short, entity=entity, at=at),
        "subject": Fact(value=change.subject, entity=entity, at=at),
        "author": Fact(value=change.author, entity=entity, at=at),
        "at": Fact(value=rfc3339(at), unit="time", entity=entity, at=at),
        "repository": Fact(value=repository, entity=entity),
    }
    for i, file in enumerate(change.files[:FILES_SHOWN], 1):
        facts[f"file_{i}"] = Fact(value=file.path, unit="path", entity=file.path, at=at)
    hunks = [(f, h) for f in change.files for h in f.hunks]
    for i, (file, hunk) in enumerate(hunks[:FILES_SHOWN], 1):
        place = f"{file.path}:{hunk.start_line}-{hunk.end_line}"
        facts[f"hunk_{i}"] = Fact(value=place, unit="lines", entity=file.path, at=at)
    return Evidence(
        kind="change",
        title=change.subject,
        locator=change.short,
        url=change.url,
        excerpt="\n".join([f"{rfc3339(at)} {change.author}: {change.subject}", *changed_rows(change)]),
        facts=facts,
        observed_at=at,
    )


def changed_rows(change: Change) -> Iterator[str]:
    """The files of a commit, or the old and new lines where it holds hunks."""
    rows = [
        row
        for file in change.files
        for hunk in file.hunks
        for row in (
            *numbered("-", hunk.old_start, hunk.removed_text, hunk.old_lines),
            *numbered("+", hunk.at, hunk.added_text, hunk.lines),
        )
    ]
    if not rows:
        named = [f"{f.path}{' (new)' * f.created}{' (deleted)' * f.deleted}" for f in change.files]
        left = len(named) - FILES_SHOWN
        if named:
            yield " " + ", ".join(named[:FILES_SHOWN]) + (f" and {left} more files" if left > 0 else "")
        return
    yield from rows[:ROWS]
    if len(rows) > ROWS:
        yield f"and {len(rows) - ROWS} more lines"


def numbered(sign: str, first: int, text: str, count: int) -> Iterator[str]:
    """Lines of one side of a hunk."""
    for number, line in enumerate(text.split("\n") if count else (), first):
        yield f"{sign}{number}: {shortened(line)}"
