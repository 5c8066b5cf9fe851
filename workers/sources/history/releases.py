"""Which deploy is meant by ``shop@staging`` or ``shop:v1.42.0``, and which commits its repository knows it by."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from workers.contracts import Deploy
from workers.errors import ToolArgumentError
from workers.language.nearest_names import nearest_names, nearest_versions
from workers.sources.git import Repository, resolve

DEPLOY = re.compile(r"(?P<service>[^@:\s]*)(?::(?P<version>[^@:\s]+))?(?:@(?P<environment>[^@:\s]*))?")
PREFIX = 3  # letters of an environment's name that are enough to name it: "prod"
MOST_NAMED = 8
DEPLOYS_SINCE = timedelta(days=730)
"""So far back deploys may be named."""


@dataclass(frozen=True)
class Release:
    """A deploy that is asked for. Empty: any service, its last version, the deployment's own environment."""

    service: str = ""
    version: str = ""
    environment: str = ""

    def __str__(self) -> str:
        """In words: ``deploy v1.42.0 of shop to staging``."""
        parts = ["deploy", self.version, f"of {self.service}" if self.service else ""]
        return " ".join(p for p in (*parts, f"to {self.environment}" if self.environment else "") if p)


def read_release(text: str) -> Release:
    """``SERVICE``, ``SERVICE@ENVIRONMENT``, ``SERVICE:VERSION``; ``@`` alone is any. Raises: ToolArgumentError."""
    match = DEPLOY.fullmatch(text.strip())
    if not match:
        raise ToolArgumentError(
            f"deploy: {text!r} is not SERVICE, SERVICE@ENVIRONMENT or SERVICE:VERSION; @ alone is the last of any"
        )
    service = match["service"].removeprefix("*")
    return Release(service, match["version"] or "", match["environment"] or "")


def find_release(
    deploys: Sequence[Deploy], asked: Release, environment: str, now: datetime
) -> tuple[Deploy | None, Deploy] | None:
    """The deploy that is asked for, and before it the one that it replaced.

    Args:
        deploys: of all environments.
        asked: which.
        environment: where, when ``asked`` does not say.
        now: later deploys do not count.

    Returns: the one before, None when none is known, and the deploy; None when there is no such deploy.
    """
    from workers.store.deploys import last_range  # noqa: PLC0415 - a search needs no database

    place = known_environment(deploys, asked.environment) or environment
    if not asked.version:
        return last_range(deploys, asked.service, place, now)
    wanted = bare(asked.version)
    same = [d for d in deploys if bare(d.version) == wanted]
    found = last_range(same, asked.service, place, now)
    if found is None:
        return None
    chosen = found[1]
    rest = [d for d in deploys if bare(d.version) != wanted]
    return last_range([*rest, chosen], chosen.service, place, chosen.at)


def bare(version: str) -> str:
    """A version without its leading v."""
    return version.lower().removeprefix("v")


def known_environment(deploys: Sequence[Deploy], said: str) -> str:
    """An environment by its name, or by how the name of one alone begins; as it was said when there is none."""
    names = {d.environment.casefold() for d in deploys}
    short = said.casefold()
    begun = [n for n in names if n.startswith(short)] if len(short) >= PREFIX and short not in names else []
    return begun[0] if len(begun) == 1 else said


def nearest_deploys(deploys: Sequence[Deploy], asked: Release) -> tuple[str, ...]:
    """What was deployed, nearest first: of a version ``SERVICE:VERSION@ENVIRONMENT``, else without it."""
    newest = sorted(deploys, key=lambda d: d.at, reverse=True)
    if asked.version:
        own = [d for d in newest if d.service.casefold() == asked.service.casefold()] or newest
        versions = nearest_versions([asked.version], (d.version for d in own if d.version))
        found = [d for v in versions for d in own if d.version == v]
        return tuple(dict.fromkeys(f"{d.service}:{d.version}@{d.environment}" for d in (*found, *own)))[:MOST_NAMED]
    near = nearest_names([asked.service], (d.service for d in newest)) if asked.service else ()
    own = [d for name in near for d in newest if d.service == name]
    return tuple(dict.fromkeys(f"{d.service}@{d.environment}" for d in (*own, *newest)))[:MOST_NAMED]


def commit_of(deploy: Deploy, repo: Repository, name: str) -> str | None:
    """The full hash of what was deployed, in one repository, called ``name``; None when it does not know it.

    A deploy without a commit is known by a tag: of its version in a repository of its own name, else of both names.
    """
    if deploy.commit:
        return resolve(repo, deploy.commit)
    tags = [f"{deploy.service}{sign}{deploy.version}" for sign in "-/@_"] if deploy.version else []
    if deploy.version and name.casefold() == deploy.service.casefold():
        tags.insert(0, deploy.version)
    return next((found for tag in tags if (found := resolve(repo, f"refs/tags/{tag}"))), None)


def by_version(deploys: Sequence[Deploy], version: str, environment: str, now: datetime) -> Deploy | None:
    """The newest deploy of a version, rather one to ``environment``."""
    same = [d for d in deploys if d.version and bare(d.version) == bare(version) and d.at <= now]
    own = [d for d in same if d.environment.casefold() == environment.casefold()]
    return max(own or same, key=lambda d: d.at, default=None)
