"""GitHub's webhooks -> deploys.

Source: GitHub's webhook events ``deployment_status``, ``deployment``, ``release``, ``ping``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import parse_qs

from bot.parse.hooks import (
    AHEAD,
    COMMIT,
    LONGEST_ENVIRONMENT,
    LONGEST_NAME,
    Told,
    Unreadable,
    read_commit,
    read_moment,
    read_text,
)
from workers.contracts import Deploy
from workers.language.environment_labels import PRODUCTION, kind_of
from workers.language.environment_names import spelled
from workers.language.payload_values import text_at, value_at

VERSION = re.compile(r"(?:[a-z][a-z_]*[-_@])?(?:v\d|\d+\.\d)[\w.+-]*|\d+(?:-\d\d-\d\d)?", re.IGNORECASE | re.ASCII)
"""``v2``, ``1.4.2-rc.1``, ``2026.11.21``, ``shop-v1.4``; not ``feature1``, nor ``12-fix-login``."""


def unwrap(body: bytes, content_type: str) -> bytes:
    """The JSON of a webhook that GitHub sends as a form, or as it is. Raises: Unreadable."""
    if not content_type.startswith("application/x-www-form-urlencoded"):
        return body
    try:
        return parse_qs(body.decode("ascii"), strict_parsing=True, max_num_fields=10)["payload"][0].encode()
    except (ValueError, LookupError) as error:
        raise Unreadable("the form holds no payload") from error


def read_event(event: str, payload: Any, services: Mapping[str, str], environment: str, now: datetime) -> Told:
    """What an event says was deployed.

    Args:
        event: the header ``X-GitHub-Event``.
        payload: its body.
        services: names of repositories in lower case -> services.
        environment: the configured one; a release goes there.
        now: aware.

    Raises: Unreadable.
    """
    if event == "ping":
        return Told(ignored="ping: deploys are told here")
    if not isinstance(payload, Mapping):
        raise Unreadable("the body is not an object")
    if event == "deployment_status":
        return read_status(payload, services, environment, now)
    if event == "release":
        return read_release(payload, services, environment, now)
    if event == "deployment":
        return Told(ignored="a deployment that was asked for; it counts when its status is success")
    return Told(ignored=f"events of the kind {event[:40]!r} tell of no deploy")


def read_status(payload: Mapping[str, Any], services: Mapping[str, str], environment: str, now: datetime) -> Told:
    """A deployment that succeeded."""
    status, deployment = value_at(payload, "deployment_status"), value_at(payload, "deployment")
    state = text_at(status, "state")
    if state != "success":
        return Told(ignored=f"the deployment's status is {state[:40]!r}; success counts")
    task = text_at(deployment, "task") or "deploy"
    if task.partition(":")[0] != "deploy":
        return Told(ignored=f"the task {task[:40]!r} is no deploy")
    commit = read_commit(value_at(deployment, "sha"), "deployment.sha")
    place = place_of(status, deployment, environment)
    ref = read_text(version_of(payload, commit), "deployment.ref", LONGEST_NAME)
    deploy = Deploy(
        service=service_of(payload, services),
        version=ref,
        commit=commit,
        at=read_moment(value_at(status, "created_at"), "deployment_status.created_at", now),
        source="github",
        environment=place,
    )
    return Told((deploy,))


def place_of(status: Any, deployment: Any, configured: str) -> str:
    """Where a deployment went: to production where it says so, whatever that is called there. Raises: Unreadable."""
    named = text_at(status, "environment") or text_at(deployment, "environment") or configured
    place = spelled(read_text(named, "deployment.environment", LONGEST_ENVIRONMENT), configured)
    if place == configured or value_at(deployment, "production_environment") is not True:
        return place
    return configured if kind_of(configured) == PRODUCTION else PRODUCTION


def version_of(payload: Mapping[str, Any], commit: str) -> str:
    """The ref where it looks like a version; the short commit where it is, or may be, a branch: many versions."""
    ref = text_at(payload, "deployment", "ref").removeprefix("refs/tags/")
    branch = "/" in ref or ref == text_at(payload, "repository", "default_branch")
    if commit and (branch or COMMIT.fullmatch(ref) or not VERSION.fullmatch(ref)):
        return commit[:7]
    return ref


def read_release(payload: Mapping[str, Any], services: Mapping[str, str], environment: str, now: datetime) -> Told:
    """A release that was published, or a prerelease that became a release."""
    release = value_at(payload, "release")
    action = text_at(payload, "action")
    promoted = action == "released" or value_at(payload, "changes", "prerelease", "from") is True
    if action != "published" and not promoted:
        return Told(ignored=f"the release was {action[:40]!r}; published and released count")
    if value_at(release, "prerelease") is True or value_at(release, "draft") is True:
        return Told(ignored="a draft or prerelease is not deployed")
    published = read_moment(value_at(release, "published_at"), "release.published_at", now)
    target = text_at(release, "target_commitish")
    deploy = Deploy(
        service=service_of(payload, services),
        version=read_text(value_at(release, "tag_name"), "release.tag_name", LONGEST_NAME),
        commit=target.lower() if len(target) >= 40 and COMMIT.fullmatch(target) else "",
        at=promoted_at(release, published, now) if promoted else published,
        source="github release",
        environment=environment,
    )
    return Told((deploy,))


def promoted_at(release: Any, published: datetime, now: datetime) -> datetime:
    """When something became a release: a prerelease keeps the moment at which it was published. Raises: Unreadable."""
    if value_at(release, "updated_at"):
        return read_moment(value_at(release, "updated_at"), "release.updated_at", now)
    return published if now - published <= AHEAD else now


def service_of(payload: Mapping[str, Any], services: Mapping[str, str]) -> str:
    """The service of a repository: the configured name, else the repository's own."""
    name = read_text(value_at(payload, "repository", "name"), "repository.name", LONGEST_NAME)
    return services.get(name.casefold(), name)
