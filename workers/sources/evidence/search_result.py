"""What repo_search returns beside evidence: its JSON object, and in words what was not found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from workers.contracts import ToolOutput, rfc3339
from workers.language.nearest_names import SHOWN_NEAREST, nearest_names
from workers.sources.code.index import CodeIndex
from workers.sources.code.question_coverage import file_exists
from workers.sources.connections.multi_index_search import Survey
from workers.sources.connections.open_sources import Source
from workers.sources.git import Repository, open_repository
from workers.sources.history.commits import cut_within
from workers.sources.history.left_out_files import left_out_notes
from workers.sources.terms.query_terms import FILE

MOST_NAMED = 3
Opened = Sequence[tuple[Source, CodeIndex]]


def shape(
    survey: Survey[Any] | None = None,
    snippets: Sequence[dict[str, Any]] = (),
    changes: Sequence[dict[str, Any]] = (),
) -> dict[str, Any]:
    """The tool's JSON object."""
    known = survey or Survey()
    return {
        "snippets": list(snippets),
        "changes": list(changes),
        "missing": list(known.missing),
        "absent": list(known.absent),
        "unavailable": list(known.unavailable),
    }


def cut_notes(clones: Iterable[tuple[str, Repository, str]], since: datetime | None = None) -> tuple[str, ...]:
    """Where a history is not whole: a sentence for each shallow clone that is cut at or after ``since``.

    ``clones``: name, repository, and the ``COMMIT`` or ``OLD..NEW`` that is read.
    """
    cuts = ((name, cut_within(repo, revisions, since)) for name, repo, revisions in clones)
    return tuple(
        f"the history of {name} is cut at {found[0].short} of {rfc3339(found[0].at)}: the clone is shallow, so what"
        " that commit changed, and what was changed before it, is not known"
        for name, found in cuts
        if found
    )


def with_notes(output: ToolOutput, notes: Sequence[str]) -> ToolOutput:
    """Output that also says what could not be read."""
    if not notes:
        return output
    data = {**output.data, "unavailable": list(dict.fromkeys([*output.data.get("unavailable", ()), *notes]))}
    return output.model_copy(update={"data": data, "reason": "; ".join(filter(None, [output.reason, *notes]))})


def unnamed(survey: Survey[Any], opened: Opened, query: str) -> list[str]:
    """Sentences on the things of the question that nothing names, though something else was found."""
    if not (survey.doubtful or survey.missing):
        return list(left_out(survey, opened, query))
    told = nearest_only(survey, f"nothing in {names_of(opened)}")
    return [told + SHOWN_NEAREST, *left_out(survey, opened, query)]


def nearest_only(survey: Survey[Any], nothing: str) -> str:
    """What of a question ``nothing`` names, as the beginning of a sentence."""
    names = ", ".join(f"“{name}”" for name in (survey.missing or survey.absent)[:MOST_NAMED])
    return f"{nothing} names {names}" if names else f"{nothing} clearly speaks of all of this"


def left_out(survey: Survey[Any], opened: Opened, query: str) -> tuple[str, ...]:
    """Sentences on files that are asked for, or hold what nothing names, and that no index holds."""
    written = dict.fromkeys(match[0].strip("/") for match in FILE.finditer(query))
    files = [f for f in written if not any(file_exists(index.columns, f) for _, index in opened)]
    names = [n for n in (*survey.missing, *survey.absent) if n not in files]
    return tuple(
        note
        for source, index in opened
        if files or names
        for note in left_out_notes(source.name, open_repository(source.path), index, files, names)
    )


def nothing(survey: Survey[Any], opened: Opened, query: str, path: str) -> ToolOutput:
    """An empty answer that says what was looked for where, with the nearest names that exist.

    ``data["left_out"]``: sentences on files that are there and not indexed.
    """
    where = names_of(opened)
    if not any(index.commit for _, index in opened):
        return ToolOutput(status="empty", reason=f"{where} has no commits yet", data=shape(survey))
    wanted = (survey.missing or survey.absent)[:5]
    subject = ", ".join(wanted) or f"what {query.strip()[:80]!r} asks for"
    within = f" under {path}" if path else ""
    others = left_out(survey, opened, query)
    return ToolOutput(
        status="empty",
        reason="; ".join([f"no {'indexed ' * bool(others)}file in {where}{within} names {subject}", *others]),
        nearest=nearest_names(wanted, known_names(opened)),
        data=shape(survey) | {"left_out": list(others)},
    )


def known_names(opened: Opened) -> Iterator[str]:
    """Endpoints, symbols and file names that exist."""
    for _, index in opened:
        yield from index.routes()
        yield from (route for route in index.columns.words.routes if "*" not in route)
        yield from index.columns.names
        yield from index.modules


def describe_span(span: tuple[datetime | None, datetime], opened: Opened) -> str:
    """Why there are no changes."""
    since, until = span
    start = f"after {rfc3339(since)} " if since else ""
    return f"no commit in {names_of(opened)} {start}up to {rfc3339(until)}"


def names_of(opened: Sequence[tuple[Source, object]]) -> str:
    """What the sources are called, between commas; a repository's documents and its other prose may have one name."""
    return ", ".join(dict.fromkeys(source.name for source, _ in opened))
