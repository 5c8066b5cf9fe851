"""What the last deploys before a moment brought: the commits between what ran before and what was deployed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from workers.contracts import Deploy
from workers.language.environment_names import spelled
from workers.sources.git import Repository
from workers.sources.history.change_search import find_changes
from workers.sources.history.commit_range import between
from workers.sources.history.commits import Change
from workers.sources.history.releases import commit_of

MOST_OF_SERVICE, MOST_DEPLOYS = 3, 12
REACH = timedelta(days=14)
"""What was deployed longer before a moment is not looked at."""
RECENT = timedelta(days=1)
"""Services that nobody names are those deployed so long before the moment."""
SHORTEST = timedelta(days=1)
"""Commits of so long before a deploy are looked at when the one before it is not known."""
Pair = tuple[Deploy | None, Deploy]
"""A deploy, and before it the one that it replaced."""


@dataclass(frozen=True)
class DeployedChanges:
    """What a deploy brought. ``count``: of all its commits; ``changes``: the best of them for a question.

    ``unsure``: why they are not surely all of it, and its own; empty when they are.
    ``is_rollback``: it brought nothing and took commits away.
    """

    deploy: Deploy
    replaced: Deploy | None
    changes: tuple[Change, ...]
    count: int
    unsure: str = ""
    is_rollback: bool = False


def last_deploys(deploys: Sequence[Deploy], services: Collection[str], environment: str, until: datetime) -> list[Pair]:
    """The last three deploys of each of some services up to a moment, with what each replaced, newest first. PURE.

    Args:
        deploys: of all environments, in any order.
        services: in any case; empty = those deployed within a day before, else the one deployed last.
        environment: other environments do not count.
        until: later deploys do not count.
    """
    past = sorted(
        (d for d in deploys if d.at <= until and spelled(environment, d.environment) == d.environment),
        key=lambda d: d.at,
    )
    wanted = {s.casefold() for s in services}
    if not wanted:
        recent = [d for d in past if d.at >= until - RECENT] or past[-1:]
        wanted = {d.service.casefold() for d in recent}
    pairs: list[Pair] = []
    for service in wanted:
        own = [d for d in past if d.service.casefold() == service]
        each = list(zip([None, *own], own, strict=False))[-MOST_OF_SERVICE:]
        pairs += [(before, deploy) for before, deploy in each if deploy.at >= until - REACH]
    return sorted(pairs, key=lambda pair: pair[1].at, reverse=True)[:MOST_DEPLOYS]


def deployed_changes(pair: Pair, repo: Repository, name: str, query: str, k: int) -> DeployedChanges | None:
    """What a deploy brought, in a repository called ``name``; None when that does not have its commit.

    Args:
        query: ranks; it does not filter.
        k: how many commits at most.

    Raises: ToolUnavailable: git failed.
    """
    before, deploy = pair
    new = commit_of(deploy, repo, name)
    if new is None:
        return None
    old = commit_of(before, repo, name) if before else None
    found = between(repo, old, new, query, (), k) if old else None
    if found is not None:
        back, cut = not found.count and found.behind > 0, "its history is cut there" if found.cut else ""
        return DeployedChanges(deploy, before, found.changes, found.count, cut, is_rollback=back)
    since = before.at if before else deploy.at - SHORTEST
    why = "the commit of the deploy before it is not known" if before else "no deploy before it is known"
    spanned = find_changes(repo, since, deploy.at, query, (), k, branch=new)
    return DeployedChanges(deploy, before, spanned.changes, spanned.count, why)
