"""GitHub's webhooks, read as deploys."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

import pytest

from bot.parse.github import read_event, unwrap
from bot.parse.hooks import Unreadable
from tests.support.hook_payloads import SHA, deployment_status, release, repository
from tests.support.payload_reading import NOW
from workers.contracts import Deploy

SERVICES = {"shop-backend": "shop"}


def read(event: str, payload: Any) -> Deploy:
    (deploy,) = read_event(event, payload, SERVICES, "production", NOW).deploys
    return deploy


def ignored(event: str, payload: Any) -> str:
    told = read_event(event, payload, SERVICES, "production", NOW)
    assert told.deploys == ()
    return told.ignored


def test_a_deployment_that_succeeded() -> None:
    assert read("deployment_status", deployment_status()) == Deploy(
        service="shop",
        version="v1.4.2",
        commit=SHA,
        at=datetime(2026, 11, 21, 11, 0, 20, tzinfo=UTC),
        source="github",
        environment="production",
    )


def test_a_repository_that_is_not_configured_names_the_service() -> None:
    payload = {**deployment_status(), "repository": repository(name="Cart")}
    assert read("deployment_status", payload).service == "Cart"
    payload = {**deployment_status(), "repository": repository(name="Shop-Backend")}
    assert read("deployment_status", payload).service == "shop"


@pytest.mark.parametrize(
    ("ref", "version"),
    [
        ("v1.4.2", "v1.4.2"),
        ("2026.11.21", "2026.11.21"),
        ("refs/tags/v2", "v2"),
        ("main", SHA[:7]),
        ("refs/heads/main", SHA[:7]),
        ("feature/v2", SHA[:7]),
        ("1.4.2-rc.1", "1.4.2-rc.1"),
        ("2026-11-21", "2026-11-21"),
        ("JIRA-123", SHA[:7]),
        ("shop-v1.4", "shop-v1.4"),
        ("shop@1.4.2", "shop@1.4.2"),
        ("develop", SHA[:7]),
        ("feature1", SHA[:7]),
        ("feature-1", SHA[:7]),
        ("12-fix-login", SHA[:7]),
        ("version2", SHA[:7]),
        ("", SHA[:7]),
        (SHA, SHA[:7]),
    ],
)
def test_a_branch_is_no_version(ref: str, version: str) -> None:
    assert read("deployment_status", deployment_status(ref=ref)).version == version


def test_the_default_branch_may_look_like_a_version() -> None:
    payload = {**deployment_status(ref="v2"), "repository": repository(default_branch="v2")}
    assert read("deployment_status", payload).version == SHA[:7]


@pytest.mark.parametrize("state", ["pending", "queued", "in_progress", "failure", "error", "inactive", ""])
def test_only_success_counts(state: str) -> None:
    assert ignored("deployment_status", deployment_status(state)) == (
        f"the deployment's status is '{state}'; success counts"
    )


def test_tasks() -> None:
    assert read("deployment_status", deployment_status(task="deploy:migrations")).version == "v1.4.2"
    assert "is no deploy" in ignored("deployment_status", deployment_status(task="tests"))


def test_a_release_that_was_published() -> None:
    deploy = read("release", release())
    assert (deploy.service, deploy.version, deploy.commit) == ("shop", "v1.4.2", "")
    assert (deploy.at.second, deploy.source, deploy.environment) == (40, "github release", "production")
    assert read("release", release(target_commitish=SHA)).commit == SHA


@pytest.mark.parametrize("action", ["created", "edited", "deleted", "unpublished", "prereleased"])
def test_other_actions_of_a_release(action: str) -> None:
    assert ignored("release", release(action)) == f"the release was '{action}'; published and released count"


@pytest.mark.parametrize(
    ("action", "changes"), [("released", {}), ("edited", {"changes": {"prerelease": {"from": True}}})]
)
def test_a_prerelease_that_became_a_release_is_deployed_then(action: str, changes: dict[str, Any]) -> None:
    deploy = read("release", release(action, published_at="2026-11-18T09:00:00Z") | changes)
    assert (deploy.version, deploy.environment, deploy.at) == ("v1.4.2", "production", NOW)
    told = release(action, published_at="2026-11-18T09:00:00Z", updated_at="2026-11-21T10:30:00Z") | changes
    assert read("release", told).at == datetime(2026, 11, 21, 10, 30, tzinfo=UTC)
    assert "prerelease" in ignored("release", release(action, prerelease=True) | changes)


@pytest.mark.parametrize(
    ("named", "flag", "environment"),
    [
        ("Production – till", True, "production"),
        ("till (Production)", False, "production"),
        ("prod", False, "production"),
        ("blue", True, "production"),
        ("Preview", False, "Preview"),
        ("pre-production", False, "pre-production"),
        ("till-staging", False, "till-staging"),
    ],
)
def test_production_has_many_names(named: str, flag: bool, environment: str) -> None:
    payload = deployment_status(environment=named, production_environment=flag)
    payload["deployment_status"]["environment"] = named
    assert read("deployment_status", payload).environment == environment
    elsewhere = read_event("deployment_status", payload, SERVICES, "staging", NOW).deploys[0].environment
    assert (elsewhere == "staging") == (named == "till-staging")


@pytest.mark.parametrize("flag", ["draft", "prerelease"])
def test_a_release_that_is_not_deployed(flag: str) -> None:
    assert ignored("release", release(**{flag: True})) == "a draft or prerelease is not deployed"


@pytest.mark.parametrize("event", ["ping", "deployment", "push", "x" * 300])
def test_other_events(event: str) -> None:
    assert 0 < len(ignored(event, deployment_status())) < 120


@pytest.mark.parametrize(
    ("event", "payload", "sentence"),
    [
        ("deployment_status", [], "the body is not an object"),
        ("deployment_status", deployment_status(sha="main"), "deployment.sha: a commit is"),
        ("deployment_status", deployment_status(environment=7) | {"repository": None}, "repository.name: a text"),
        ("release", release(tag_name=None), "release.tag_name: a text"),
        ("release", release(published_at=None), "release.published_at: an RFC 3339 moment"),
    ],
)
def test_mistakes(event: str, payload: Any, sentence: str) -> None:
    with pytest.raises(Unreadable, match=f"^{sentence}"):
        read_event(event, payload, SERVICES, "production", NOW)


def test_a_form_holds_the_payload() -> None:
    body = json.dumps(release())
    form = urlencode({"payload": body}).encode()
    assert unwrap(form, "application/x-www-form-urlencoded") == unwrap(body.encode(), "application/json")
    for wrong in (b"payload", b"other=1", b"\xff", b"a=1&" * 50):
        with pytest.raises(Unreadable, match="the form holds no payload"):
            unwrap(wrong, "application/x-www-form-urlencoded; charset=utf-8")
