"""What deployment tools send, read as deploys."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.parse.github import read_event
from bot.parse.hooks import Told, Unreadable, read_deploys, read_json
from tests.support.hook_payloads import SHA, argo, deployment_status, generic, release
from tests.support.payload_reading import NOW
from workers.contracts import Deploy

AT = datetime(2026, 11, 21, 11, tzinfo=UTC)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)


def read(payload: Any, environment: str = "production") -> Deploy:
    (deploy,) = read_deploys(payload, environment, NOW).deploys
    return deploy


def test_the_generic_form() -> None:
    assert read(generic()) == Deploy(
        service="shop", version="v1.4.2", commit=SHA, at=AT, source="webhook", environment="production"
    )
    listed = read_deploys([generic(), generic(service="cart")], "production", NOW)
    assert [d.service for d in listed.deploys] == ["shop", "cart"]
    assert read_deploys([], "production", NOW).deploys == ()


def test_what_may_be_left_out() -> None:
    deploy = read({"service": "shop", "version": "v1"}, "staging")
    assert (deploy.commit, deploy.at, deploy.environment) == ("", NOW, "staging")
    assert read({"service": "shop", "commit": SHA.upper()}).version == SHA[:7]
    assert read({"service": "shop", "commit": SHA.upper()}).commit == SHA
    assert read(generic(environment="", at="", url=None)).at == NOW


@pytest.mark.parametrize("named", ["Production", "PRODUCTION", " production "])
def test_an_environment_is_spelled_as_configured(named: str) -> None:
    assert read(generic(environment=named)).environment == "production"
    assert read(generic(environment="Preview")).environment == "Preview"


def test_moments_are_in_utc() -> None:
    assert read(generic(at="2026-11-21T12:30:00.25+01:30")).at == AT.replace(microsecond=250_000)


TEXT = "a text of 1 to 200 printable characters is needed"


@pytest.mark.parametrize(
    ("payload", "sentence"),
    [
        (None, "the body: a deploy is an object with service, version, commit, environment, at, url"),
        ("v1", "the body: a deploy is an object"),
        ([generic(), 7], r"\[1\]: a deploy is an object"),
        ({}, f"service: {TEXT}"),
        (generic(service=""), f"service: {TEXT}"),
        (generic(service="  "), f"service: {TEXT}"),
        (generic(service=["shop"]), f"service: {TEXT}"),
        (generic(service="a\nb"), f"service: {TEXT}"),
        (generic(service="a\ud800"), f"service: {TEXT}"),
        (generic(service="x" * 201), f"service: {TEXT}"),
        ({"service": "shop"}, f"version: {TEXT}"),
        (generic(version=1.4), f"version: {TEXT}"),
        (generic(commit="main"), "commit: a commit is 7 to 64 hexadecimal digits"),
        (generic(commit=7), "commit: a commit is 7 to 64 hexadecimal digits"),
        (generic(environment="x" * 65), "environment: a text of 1 to 64 printable"),
        (generic(url={}), "url: a text of 1 to 2000 printable"),
        (generic(at="yesterday"), "at: an RFC 3339 moment with a time zone is needed"),
        (generic(at="2026-11-21T11:00:00"), "at: an RFC 3339 moment with a time zone is needed"),
        (generic(at=1763722800), "at: an RFC 3339 moment"),
        (generic(at="0001-01-01T00:00:00+14:00"), "at: an RFC 3339 moment"),
        (generic(at="2026-11-21T12:10:01Z"), "at: 2026-11-21T12:10:01Z is in the future"),
        (generic(enviroment="staging"), "'enviroment': no such key; known are service, version"),
        ([generic(), generic(commit="x")], r"\[1\].commit: a commit is"),
        ([generic()] * 101, "101 deploys at once; at most 100 are taken"),
    ],
)
def test_one_sentence_a_mistake(payload: Any, sentence: str) -> None:
    with pytest.raises(Unreadable, match=f"^{sentence}"):
        read_deploys(payload, "production", NOW)


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"[" * 200_000, b"9" * 10_000, b"service=shop"])
def test_a_body_that_is_no_json(body: bytes) -> None:
    with pytest.raises(Unreadable, match=r"^the body is (not JSON|nested too deeply)") as caught:
        read_json(body)
    assert len(str(caught.value)) <= 200


# --- Argo CD --------------------------------------------------------------------------------------------------


def test_argo_cd() -> None:
    assert read(argo()) == Deploy(
        service="shop",
        version=SHA[:7],
        commit=SHA,
        at=AT.replace(second=50),
        source="argocd",
        environment="production",
    )
    assert read(argo(environment="eu-live", namespace="shop")).environment == "eu-live"
    assert read(argo(namespace=None), "staging").environment == "staging"


@pytest.mark.parametrize(
    ("revision", "images", "version", "commit"),
    [
        ("1.2.0", None, "1.2.0", ""),
        ("v2", [], "v2", ""),
        (SHA, ["registry.example:5000/acme/shop:v1.4.2"], "v1.4.2", ""),
        (SHA, [f"acme/shop:{SHA}"], SHA[:7], SHA),
        (SHA, ["acme/shop:v1.4.2@sha256:" + "0" * 64], "v1.4.2", ""),
        (SHA, ["redis:7", "acme/shop:v1.4.2"], "v1.4.2", ""),
        (SHA, ["redis:7", "envoy:1.30"], SHA[:7], SHA),
        (SHA, ["registry.example:5000/acme/web"], SHA[:7], SHA),
        (SHA, [None, 7, {}], SHA[:7], SHA),
        (None, ["acme/web:2026-11-21.3"], "2026-11-21.3", ""),
    ],
)
def test_the_version_of_an_application(revision: Any, images: Any, version: str, commit: str) -> None:
    deploy = read(argo(revision=revision, images=images))
    assert (deploy.version, deploy.commit) == (version, commit)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        (
            {"sync_status": "OutOfSync", "phase": "Running"},
            "shop: sync status 'OutOfSync', phase 'Running'; Synced and Succeeded count",
        ),
        ({"phase": "Failed"}, "shop: sync status 'Synced', phase 'Failed'; Synced and Succeeded count"),
        (
            {"sync_status": "Unknown", "phase": None},
            "shop: sync status 'Unknown', phase ''; Synced and Succeeded count",
        ),
    ],
)
def test_an_application_that_is_not_deployed(changes: dict[str, Any], why: str) -> None:
    told = read_deploys(argo(**changes), "production", NOW)
    assert (told.deploys, told.ignored) == ((), why)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"app": None}, "app: a text"),
        ({"revision": ""}, "revision: it has none"),
        ({"finished_at": None}, "finished_at: an RFC 3339 moment"),
        ({"namespace": 7}, "namespace: a text"),
    ],
)
def test_mistakes_in_the_template(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(Unreadable, match=f"^{sentence}"):
        read_deploys(argo(**changes), "production", NOW)


def test_what_drifted_after_it_was_deployed_was_deployed() -> None:
    assert read(argo(sync_status="OutOfSync")).version == SHA[:7]


@pytest.mark.parametrize(
    ("changes", "version", "commit"),
    [
        ({"revision": "", "revisions": [SHA, "4.1.0"], "images": ["acme/web:v3"]}, "v3", ""),
        ({"revision": "", "revisions": [SHA, "4.1.0"]}, SHA[:7], ""),
        ({"revision": None, "revisions": [SHA]}, SHA[:7], SHA),
        ({"revision": "", "images": ["ghcr.io/acme/web:v1.50.1", "redis:7"]}, "v1.50.1", ""),
        ({"revision": "", "sources": [{"chart": "web"}, {"targetRevision": "2.4.1"}]}, "2.4.1", ""),
    ],
)
def test_an_application_of_several_sources(changes: dict[str, Any], version: str, commit: str) -> None:
    deploy = read(argo(**changes))
    assert (deploy.version, deploy.commit) == (version, commit)


@pytest.mark.parametrize(
    ("app", "images", "service", "version"),
    [
        ("till-prod", ["ghcr.io/acme/till:v5", "ghcr.io/acme/envoy:1.30"], "till", "v5"),
        ("prod-till", ["ghcr.io/acme/proxy:2", "ghcr.io/acme/till:v5"], "till", "v5"),
        ("till-eu", ["quay.io/acme/till:v5", "quay.io/acme/sidecar:2"], "till-eu", "v5"),
        ("platform", ["acme/api:v5", "acme/web:v5", "docker.io/library/redis:7"], "platform", "v5"),
        ("platform", ["acme/api:v5", "acme/web:v6"], "platform", SHA[:7]),
    ],
)
def test_the_image_that_is_the_applications_own(app: str, images: list[str], service: str, version: str) -> None:
    deploy = read(argo(app=app, images=images))
    assert (deploy.service, deploy.version, deploy.commit) == (service, version, "")


@pytest.mark.parametrize(
    ("namespace", "app", "environment"),
    [
        ("till-prod", "till", "production"),
        ("till-qa", "till", "till-qa"),
        ("till", "till-staging", "till-staging"),
        ("till", "till", "production"),
        ("nonprod", "till", "nonprod"),
    ],
)
def test_the_environment_of_an_application(namespace: str, app: str, environment: str) -> None:
    assert read(argo(namespace=namespace, app=app)).environment == environment


# --- anything -------------------------------------------------------------------------------------------------


def mutated(whole: dict[str, Any]) -> st.SearchStrategy[Any]:
    """A payload of which one part, at any depth of objects, is something else."""
    inner = [
        st.just(whole).flatmap(lambda w, k=k: mutated(w[k]).map(lambda v: {**w, k: v}))
        for k in whole
        if isinstance(whole[k], dict) and whole[k]
    ]
    here = st.tuples(st.sampled_from(sorted(whole)), JSON).map(lambda pair: {**whole, pair[0]: pair[1]})
    return st.one_of(here, *inner)


@given(JSON | mutated(generic()) | mutated(argo()))
def test_any_body_is_read_or_refused(payload: Any) -> None:
    try:
        told = read_deploys(payload, "production", NOW)
    except Unreadable as error:
        sentence = str(error)
    else:
        sentence = told.ignored
        check(told)
    assert sentence.isprintable(), "it is sent as JSON"


def check(told: Told) -> None:
    for deploy in told.deploys:
        assert deploy.service
        assert deploy.version
        assert deploy.at.utcoffset() is not None


@given(
    st.sampled_from(["deployment_status", "release", "deployment", "ping", "push"]),
    JSON | mutated(deployment_status()) | mutated(release()),
)
def test_any_event_is_read_or_refused(event: str, payload: Any) -> None:
    try:
        told = read_event(event, payload, {}, "production", NOW)
    except Unreadable:
        return
    assert bool(told.deploys) != bool(told.ignored)
    assert told.ignored.isprintable()
