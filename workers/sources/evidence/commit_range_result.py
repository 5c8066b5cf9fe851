"""What came from one commit to another as a tool's output: OLD..NEW, or what a deploy brought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from workers.contracts import Deploy, Evidence, Fact, ToolOutput, rfc3339
from workers.sources.code.index import CodeIndex
from workers.sources.connections.multi_index_search import Survey
from workers.sources.connections.open_sources import Source
from workers.sources.evidence.search_hits import asked_facts, change_data, change_evidence, range_evidence
from workers.sources.evidence.search_result import Opened, cut_notes, names_of, shape, with_notes
from workers.sources.git import open_repository, resolve
from workers.sources.history.asked_files import asked_files
from workers.sources.history.change_search import change
from workers.sources.history.commit_range import Between, between, counted, unknown_ends
from workers.sources.history.related_files import related_files
from workers.sources.history.releases import Release, by_version, commit_of, find_release, nearest_deploys
from workers.sources.metrics.metric_evidence import deploy_evidence


@dataclass(frozen=True)
class Wanted:
    """Which changes, and where: the question that ranks them, a path they touch, how many; the opened repositories.

    ``deploys`` are those of all environments up to ``now``; ``environment`` is the one that counts by default.
    """

    query: str
    path: str
    k: int
    now: datetime
    opened: Opened
    problems: tuple[str, ...] = ()
    deploys: Sequence[Deploy] = ()
    environment: str = ""


def show_range(ends: tuple[str, str], wanted: Wanted) -> ToolOutput:
    """What changed between two commits, tags or deployed versions, from the first repository that has both.

    Raises:
        ToolArgumentError: an end that no repository and no deploy knows.
        ToolUnavailable: git failed.
    """
    told = [by_version(wanted.deploys, end, wanted.environment, wanted.now) for end in ends]
    for source, index in wanted.opened:
        repo = open_repository(source.path)
        names = [
            end if resolve(repo, end) else (deploy and commit_of(deploy, repo, source.name)) or end
            for end, deploy in zip(ends, told, strict=True)
        ]
        found = find_between(source, index, (names[0], names[1]), wanted)
        if found is None:
            continue
        known = [
            deploy if deploy and commit_of(deploy, repo, source.name) == commit else None
            for deploy, commit in zip(told, (found.old, found.new), strict=True)
        ]
        return report_range(source, index, found, ends, wanted, (known[0], known[1]))
    repos = {source.name: open_repository(source.path) for source, _ in wanted.opened}
    old, new = (
        next((c for name, repo in repos.items() if deploy and (c := commit_of(deploy, repo, name))), end)
        for end, deploy in zip(ends, told, strict=True)
    )
    raise unknown_ends((old, new), repos)


def find_between(source: Source, index: CodeIndex, ends: tuple[str, str], wanted: Wanted) -> Between | None:
    """The changes between two commits of one repository, those of files that the question names first.

    None when it does not know one of the commits.
    """
    near = related_files(index, wanted.query) if wanted.query.strip() else None
    paths = (wanted.path,) if wanted.path else ()
    repo = open_repository(source.path)
    found = between(repo, *ends, wanted.query, paths, wanted.k, related=near)
    asked = asked_files(index, wanted.query) if wanted.query.strip() else ()
    if found is None or not asked:
        return found
    own = between(repo, *ends, wanted.query, asked, wanted.k, related=near)
    first = own.changes if own else ()
    told = {change.commit for change in first}
    rest = tuple(change for change in found.changes if change.commit not in told)
    return replace(
        found,
        changes=(*first, *rest)[: wanted.k],
        asked=asked,
        asked_name=wanted.query.strip(),
        touching=own.count if own else 0,
    )


def report_range(
    source: Source,
    index: CodeIndex,
    found: Between,
    ends: tuple[str, str],
    wanted: Wanted,
    deploys: tuple[Deploy | None, Deploy | None],
) -> ToolOutput:
    """A range as output: the deploys at its ends, the newer first, then its commits."""
    about = {"repository": source.name, **{k: getattr(found, k) for k in ("old", "new", "count", "behind")}}
    data = {**data_of(wanted, [change_data(source.name, c) for c in found.changes]), "range": about}
    said = found.describe(ends, wanted.path)
    old, new = deploys
    evidence = (
        *((told_of(new, span_facts(found, new.service)),) if new else ()),
        *((told_of(old, {}),) if old else ()),
        *range_evidence(source.name, "..".join(ends), found, index),
    )
    notes = cut_notes([(source.name, open_repository(source.path), found.new)]) if found.cut else ()
    if not found.changes and not new:
        return with_notes(ToolOutput(status="empty", reason=said, data=data), notes)
    output = ToolOutput(summary=said, data=data, evidence=evidence, reason="; ".join(wanted.problems))
    return with_notes(output, notes)


def show_release(asked: Release, wanted: Wanted) -> ToolOutput:
    """What a deploy brought: the commits since the one it replaced, else its own commit alone.

    ``data["deploy"]`` names both. Raises: ToolUnavailable: git failed.
    """
    pair = find_release(wanted.deploys, asked, wanted.environment, wanted.now)
    if pair is None:
        near = nearest_deploys([d for d in wanted.deploys if d.at <= wanted.now], asked)
        place = asked if asked.environment else Release(asked.service, asked.version, wanted.environment)
        return ToolOutput(status="empty", reason=f"no {place} is known", nearest=near, data=data_of(wanted, []))
    before, last = pair
    names = {"deploy": deploy_data(last) | {"replaced": deploy_data(before) if before else None}}
    output = show_pair(before, last, wanted)
    return output.model_copy(update={"data": {**output.data, **names}})


def show_pair(before: Deploy | None, last: Deploy, wanted: Wanted) -> ToolOutput:
    """What came with a deploy, from the repository that has its commit."""
    for source, index in wanted.opened:
        repo = open_repository(source.path)
        new = commit_of(last, repo, source.name)
        if new is None:
            continue
        old = commit_of(before, repo, source.name) if before else None
        found = find_between(source, index, (old, new), wanted) if old else None
        if found and before:
            return report_range(source, index, found, (called(before), called(last)), wanted, (before, last))
        one = change(source.path, new, wanted.query)
        if one:
            why = "the commit of the deploy before it is not known" if before else "no deploy before it is known"
            facts = {"alone": Fact(value=why, entity=last.service)}
            evidence = (told_of(last, facts), change_evidence(source.name, one, index))
            data = data_of(wanted, [change_data(source.name, one)])
            output = ToolOutput(
                summary=f"{called(last)}: {counted(1)}, its own; {why}", data=data, evidence=evidence, reason=why
            )
            return with_notes(output, cut_notes([(source.name, repo, new)]) if one.cut else ())
    why = f"{called(last)} names no commit that {names_of(wanted.opened)} has"
    return ToolOutput(summary=why, data=data_of(wanted, []), evidence=(told_of(last, {}),), reason=why)


def span_facts(found: Between, entity: str) -> dict[str, Fact]:
    """What a deploy brought: range_commits, range_behind, range_old, range_new, and `asked_facts`."""
    return {
        **asked_facts(found, entity),
        "range_commits": Fact(value=found.count, unit="count", entity=entity),
        "range_behind": Fact(value=found.behind, unit="count", entity=entity),
        "range_old": Fact(value=found.old, unit="commit", entity=entity),
        "range_new": Fact(value=found.new, unit="commit", entity=entity),
    }


def told_of(deploy: Deploy, facts: dict[str, Fact]) -> Evidence:
    """A deploy as evidence, with its environment and what else is known of it."""
    plain = deploy_evidence(deploy)
    place = {"environment": Fact(value=deploy.environment, entity=deploy.service)}
    return plain.model_copy(update={"facts": {**plain.facts, **place, **facts}})


def called(deploy: Deploy) -> str:
    """Service and version."""
    return f"{deploy.service} {deploy.version}".strip()


def deploy_data(deploy: Deploy) -> dict[str, Any]:
    """A deploy as plain data."""
    names = ("service", "version", "commit", "environment", "source")
    return {name: getattr(deploy, name) for name in names} | {"at": rfc3339(deploy.at)}


def data_of(wanted: Wanted, changes: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The tool's JSON object."""
    return shape(Survey(unavailable=wanted.problems), changes=changes)
