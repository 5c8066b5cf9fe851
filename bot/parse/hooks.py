"""What a deployment tool sends -> deploys. The generic form, and Argo CD's: its template is in docs/hooks.md."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from bot.parse.payload_fields import make_encodable
from workers.contracts import Deploy, rfc3339
from workers.language.environment_names import names_environment, spelled
from workers.language.payload_values import parse_moment, text_at, value_at

COMMIT = re.compile(r"[0-9a-fA-F]{7,64}")
KEYS = ("service", "version", "commit", "environment", "at", "url")
MOST_DEPLOYS = 100
LONGEST_NAME = 200
LONGEST_ENVIRONMENT = 64
AHEAD = timedelta(minutes=10)
"""How far another machine's clock may be ahead of ours."""


class Unreadable(ValueError):
    """A payload is not what it should be. The message is one sentence that names the key; ``sender``: who sent it."""

    def __init__(self, sentence: str, sender: str = "") -> None:
        super().__init__(sentence)
        self.sender = sender


@dataclass(frozen=True)
class Told:
    """The deploys a payload tells of, or why it tells of none."""

    deploys: tuple[Deploy, ...] = ()
    ignored: str = ""


def read_json(body: bytes) -> Any:
    """A request's body. Raises: Unreadable."""
    try:
        payload = [json.loads(body)]
        make_encodable(payload)
        return payload[0]
    except RecursionError as error:
        raise Unreadable("the body is nested too deeply") from error
    except ValueError as error:
        raise Unreadable(f"the body is not JSON: {error}"[:200]) from error


def read_deploys(payload: Any, environment: str, now: datetime) -> Told:
    """One deploy, a list of them, or what Argo CD's template sends.

    Args:
        payload: ``{service, version, commit, environment, at, url}``; ``version`` or ``commit`` may be left out,
            ``environment``, ``at`` and ``url`` too.
        environment: the configured one, for a deploy that names none.
        now: aware; the moment of a deploy that names none.

    Raises: Unreadable.
    """
    if isinstance(payload, Mapping) and "app" in payload:
        return read_argo(payload, environment, now)
    if not isinstance(payload, list):
        return Told((read_deploy(payload, "", environment, now),))
    if len(payload) > MOST_DEPLOYS:
        raise Unreadable(f"{len(payload):,} deploys at once; at most {MOST_DEPLOYS} are taken")
    return Told(tuple(read_deploy(one, f"[{i}]", environment, now) for i, one in enumerate(payload)))


def read_object(payload: Any, place: str, noun: str, keys: Sequence[str]) -> dict[str, Any]:
    """The values of an object in a plain form, without empty ones, as shells send them.

    Args:
        place: where it stands in a list; empty: it is the body.
        noun: what it is.
        keys: the only ones that it may have.

    Raises: Unreadable.
    """
    if not isinstance(payload, Mapping):
        raise Unreadable(f"{place or 'the body'}: a {noun} is an object with {', '.join(keys)}")
    unknown = [str(key) for key in payload if key not in keys]
    if unknown:
        dot = f"{place}." if place else ""
        raise Unreadable(f"{dot}{unknown[0][:80]!a}: no such key; known are {', '.join(keys)}")
    return {key: value for key, value in payload.items() if value is not None and value != ""}


def read_deploy(payload: Any, place: str, environment: str, now: datetime) -> Deploy:
    """One deploy in the generic form. ``place``: where it stands in the list. Raises: Unreadable."""
    given, dot = read_object(payload, place, "deploy", KEYS), f"{place}." if place else ""
    read_text(given.get("url"), f"{dot}url", 2_000, needed=False)
    service = read_text(given.get("service"), f"{dot}service", LONGEST_NAME)
    commit = read_commit(given.get("commit"), f"{dot}commit")
    version = read_text(given.get("version", commit[:7] or None), f"{dot}version", LONGEST_NAME)
    named = read_text(given.get("environment", environment), f"{dot}environment", LONGEST_ENVIRONMENT)
    at = read_moment(given["at"], f"{dot}at", now) if "at" in given else now
    return Deploy(
        service=service,
        version=version,
        commit=commit,
        at=at,
        source="webhook",
        environment=spelled(named, environment),
    )


def read_argo(payload: Mapping[str, Any], environment: str, now: datetime) -> Told:
    """What the template for Argo CD sends: ``{app, revision, revisions, sync_status, phase, finished_at, namespace,
    images}``, and ``environment`` and ``sources`` where somebody adds them.

    An image's tag is the version where one image is the app's: the revision is then of the repository of manifests.
    What is out of sync after an operation that succeeded was deployed: something else has changed since.
    """
    app = read_text(payload.get("app"), "app", LONGEST_NAME)
    sync, phase = text_at(payload, "sync_status"), text_at(payload, "phase")
    if phase != "Succeeded" and (phase or sync not in {"", "Synced"}):
        return Told(ignored=f"{app}: sync status {sync[:40]!r}, phase {phase[:40]!r}; Synced and Succeeded count")
    images = tagged_images(value_at(payload, "images"))
    own = own_image(images, app)
    version = read_text(own.tag if own else "", "images", LONGEST_NAME, needed=False)
    revisions = read_revisions(payload)
    if not (version or revisions or payload.get("revision")):
        raise Unreadable("revision: it has none, and no image has a tag: send one of them, as the template does")
    revision = version or read_text(revisions[0] if revisions else payload.get("revision"), "revision", LONGEST_NAME)
    of_code = bool(version) or (len(revisions) == 1 and not any(image.owner for image in images))
    commit = revision.lower() if COMMIT.fullmatch(revision) else ""
    deploy = Deploy(
        service=own.name if own and own.name in without_environment(app) else app,
        version=revision[:7] if len(commit) >= 40 else revision,
        commit=commit if of_code else "",
        at=read_moment(payload.get("finished_at"), "finished_at", now),
        source="argocd",
        environment=argo_environment(payload, app, environment),
    )
    return Told((deploy,))


def argo_environment(payload: Mapping[str, Any], app: str, configured: str) -> str:
    """The environment that is given, else the one that the namespace or the app is named like, else the configured.

    Raises: Unreadable.
    """
    given = payload.get("environment")
    if given:
        return spelled(read_text(given, "environment", LONGEST_ENVIRONMENT), configured)
    namespace = read_text(payload.get("namespace"), "namespace", LONGEST_ENVIRONMENT, needed=False)
    for name in (namespace, app):
        if name.casefold() == configured.casefold() or names_environment(name):
            return spelled(name, configured)
    return configured


def read_revisions(payload: Mapping[str, Any]) -> list[str]:
    """The revision of each source of an app: ``revision`` of one, ``revisions`` or ``targetRevision`` of several."""
    several, sources = value_at(payload, "revisions"), value_at(payload, "sources")
    given = [text_at(payload, "revision"), *(several if isinstance(several, list) else ())]
    found = [text.strip() for text in given if isinstance(text, str) and text.strip()]
    if not found and isinstance(sources, list):
        found = [text for source in sources if (text := text_at(source, "targetRevision").strip())]
    return list(dict.fromkeys(found))


@dataclass(frozen=True)
class Image:
    """A container's image with a tag. ``owner``: whose it is in its registry, empty for those that belong to all."""

    owner: str
    name: str
    tag: str


def tagged_images(images: Any) -> list[Image]:
    """The images of a list that have a tag."""
    found = map(split_image, (image for image in images if isinstance(image, str)) if isinstance(images, list) else ())
    return [image for image in found if image.name and image.tag]


def own_image(images: Sequence[Image], app: str) -> Image | None:
    """The app's own image: the one that is named like it, with or without its environment or place; else the only one
    that has an owner, for those without one (``redis``) are everybody's; None when several may be.
    """
    names = without_environment(app)
    for fits in (
        lambda image: image.name == app,
        lambda image: image.name in names,
        lambda image: app.startswith(f"{image.name}-") or image.name.startswith(f"{names[0]}-"),
    ):
        if found := [image for image in images if fits(image)]:
            return max(found, key=lambda image: len(image.name))
    owned = [image for image in images if image.owner]
    tags = {image.tag for image in owned}
    return (owned or images)[0] if len(tags) == 1 or len(images) == 1 else None


def without_environment(app: str) -> list[str]:
    """An app's name without the environment at one of its ends: ``shop-production`` is ``shop``; itself without one."""
    first, _, after = app.partition("-")
    before, _, last = app.rpartition("-")
    return [rest for end, rest in ((last, before), (first, after)) if rest and names_environment(end)] or [app]


def split_image(image: str) -> Image:
    """The parts of ``registry:5000/team/shop:v1.4@sha256:…``; no tag is an empty one.

    Docker Hub's ``redis``, ``library/redis`` and ``docker.io/library/redis`` have no owner.
    """
    path, _, last = image.partition("@")[0].rpartition("/")
    name, _, tag = last.partition(":")
    owner = path.removeprefix("docker.io").strip("/")
    return Image("" if owner == "library" else owner, name, tag)


# --- one field ------------------------------------------------------------------------------------------------


def read_text(value: Any, place: str, most: int, *, needed: bool = True) -> str:
    """Printable text without blanks around it. Raises: Unreadable."""
    text = value.strip() if isinstance(value, str) else ""
    if not needed and (value is None or value == ""):
        return ""
    if not text or len(text) > most or not text.isprintable():
        raise Unreadable(f"{place}: a text of 1 to {most} printable characters is needed")
    return text


def read_commit(value: Any, place: str) -> str:
    """A commit's hash in lower case, empty when there is none. Raises: Unreadable."""
    if value is None:
        return ""
    if not isinstance(value, str) or not COMMIT.fullmatch(value.strip()):
        raise Unreadable(f"{place}: a commit is 7 to 64 hexadecimal digits")
    return value.strip().lower()


def read_moment(value: Any, place: str, now: datetime) -> datetime:
    """An RFC 3339 moment that is not in the future, in UTC. Raises: Unreadable."""
    moment = parse_moment(value)
    if moment is None:
        raise Unreadable(f"{place}: an RFC 3339 moment with a time zone is needed, like 2026-01-31T14:00:00Z")
    if moment > now + AHEAD:
        raise Unreadable(f"{place}: {rfc3339(moment)} is in the future")
    return moment
