"""Commits of a span of time, or some other commits, as a tool's output."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from workers.contracts import Evidence, Fact, ToolOutput, rfc3339
from workers.sources.code.index import CodeHit, CodeIndex
from workers.sources.connections.multi_index_search import Survey, ask_all
from workers.sources.connections.open_sources import Source
from workers.sources.evidence.search_hits import change_data, change_evidence
from workers.sources.evidence.search_result import Opened, cut_notes, describe_span, nothing, shape, with_notes
from workers.sources.git import open_repository
from workers.sources.history.change_search import Found, find_changes
from workers.sources.history.commits import Change
from workers.sources.history.path_matching import match_path
from workers.sources.history.related_files import related_files, related_places


@dataclass(frozen=True)
class Span:
    """Commits from ``since``, None for any, to ``until``: the ``k`` best for a question that touch a path."""

    since: datetime | None
    until: datetime
    query: str = ""
    path: str = ""
    k: int = 6


def show_span(span: Span, opened: Opened, problems: tuple[str, ...]) -> ToolOutput:
    """Commits of all repositories in one order.

    ``data["span"]``: ``count`` of the commits there are, ``listed``, of those judged by subject and paths, ``read``, of
    those whose lines were read.

    Raises: ToolUnavailable: git failed.
    """
    survey = Survey[CodeHit](unavailable=problems)
    if span.query.strip():
        survey = ask_all(opened, lambda index: index.find(span.query, 1), 1, problems)
        if survey.missing and not survey.likely:
            return nothing(survey, opened, span.query, span.path)
    with ThreadPoolExecutor(len(opened)) as pool:
        each = list(pool.map(lambda pair: find(pair[0], pair[1], span), opened))
    rows = [(source, one) for (source, _), found in zip(opened, each, strict=True) for one in found.changes]
    rows.sort(key=lambda row: (-row[1].score, -row[1].at.timestamp()))
    best = rows[: span.k]
    total = Found.of(tuple(one for _, one in best), each)
    asked = [path for _, index in opened for path in paths_of(index, span.path)]
    output = report(best, survey, dict(opened), describe_span((span.since, span.until), opened), asked)
    output = with_notes(
        output, cut_notes([(s.name, open_repository(s.path), s.branch or "HEAD") for s, _ in opened], span.since)
    )
    data = {**output.data, "span": {"count": total.count, "listed": total.listed, "read": total.read}}
    if not best:
        return output.model_copy(update={"data": data})
    first = best[0][1]
    summary = f"{total.describe()}, first {first.short} {first.subject}"
    evidence = with_span(output.evidence, span, total.count)
    return output.model_copy(update={"data": data, "summary": summary, "evidence": evidence})


def with_span(found: Sequence[Evidence], span: Span, count: int) -> tuple[Evidence, ...]:
    """Commits with the span they were looked for in: span_commits, span_until; where given span_since, span_path."""
    facts = {"span_commits": Fact(value=count, unit="count", entity=span.path or "commits")}
    if span.path:
        facts["span_path"] = Fact(value=span.path, unit="path", entity=span.path)
    facts["span_until"] = Fact(value=rfc3339(span.until), unit="time")
    if span.since:
        facts["span_since"] = Fact(value=rfc3339(span.since), unit="time")
    return tuple(e.model_copy(update={"facts": {**e.facts, **facts}}) for e in found)


def find(source: Source, index: CodeIndex, span: Span) -> Found:
    """The best commits of one repository."""
    asked = bool(span.query.strip())
    return find_changes(
        source.path,
        span.since,
        span.until,
        span.query,
        paths_of(index, span.path),
        span.k,
        branch=source.branch,
        related=related_files(index, span.query) if asked else None,
        places=related_places(index, span.query) if asked else None,
    )


def paths_of(index: CodeIndex, path: str) -> tuple[str, ...]:
    """What paths begin with that are meant: the path itself, else the files that it is the end of; none without one."""
    known = index.columns.paths
    ends = () if not path or any(p.startswith(path) for p in known) else match_path(path, known).paths
    return ends or ((path,) if path else ())


def report(
    found: Sequence[tuple[Source, Change]],
    survey: Survey[Any],
    indexes: Mapping[Source, CodeIndex],
    none: str,
    asked: Collection[str] = (),
) -> ToolOutput:
    """Commits as output; ``none`` says why there are none, ``asked`` which files are asked for."""
    data = shape(survey, changes=[change_data(source.name, one) for source, one in found])
    if not found:
        return ToolOutput(status="empty", reason=none, data=data)
    first = found[0][1]
    notes = cut_notes((s.name, open_repository(s.path), one.commit) for s, one in found if one.cut)
    output = ToolOutput(
        summary=f"{len(found)} commit{'s' * (len(found) > 1)}, first {first.short} {first.subject}",
        data=data,
        evidence=tuple(change_evidence(source.name, one, indexes[source], asked) for source, one in found),
        reason="; ".join(survey.unavailable),
    )
    return with_notes(output, notes)
