"""What a deployment tool sends -> deploys. The generic form, and Argo CD's: its template is in docs/hooks.md."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.parse.payload_fields import make_encodable
from workers.contracts import Deploy, rfc3339
from workers.language.slack_text import text_at, value_at

COMMIT = re.compile(r"[0-9a-fA-F]{7,64}")
KEYS = ("service", "version", "commit", "environment", "at", "url")
MOST_DEPLOYS = 100
LONGEST_NAME = 200
LONGEST_ENVIRONMENT = 64
AHEAD = timedelta(minutes=10)
"""How far another machine's clock may be ahead of ours."""


class Unreadable(ValueError):
    """A payload is not what it should be. The message is one sentence that names the key."""


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


def read_deploy(payload: Any, place: str, environment: str, now: datetime) -> Deploy:
    """One deploy in the generic form. ``place``: where it stands in the list. Raises: Unreadable."""
    if not isinstance(payload, Mapping):
        raise Unreadable(f"{place or 'the body'}: a deploy is an object with {', '.join(KEYS)}")
    dot = f"{place}." if place else ""
    unknown = [str(key) for key in payload if key not in KEYS]
    if unknown:
        raise Unreadable(f"{dot}{unknown[0][:80]!a}: no such key; known are {', '.join(KEYS)}")
    given = {key: value for key, value in payload.items() if value is not None and value != ""}  # as shells send them
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
    """What the template for Argo CD sends: ``{app, revision, sync_status, phase, finished_at, namespace, images}``.

    An image's tag is the version where one image is the app's: the revision is then of the repository of manifests.
    """
    service = read_text(payload.get("app"), "app", LONGEST_NAME)
    sync, phase = text_at(payload, "sync_status"), text_at(payload, "phase")
    if sync not in {"", "Synced"} or phase not in {"", "Succeeded"}:
        return Told(ignored=f"{service}: sync status {sync[:40]!r}, phase {phase[:40]!r}; Synced and Succeeded count")
    named = payload.get("environment") or payload.get("namespace") or environment
    place = read_text(named, "namespace", LONGEST_ENVIRONMENT)
    version = read_text(image_tag(value_at(payload, "images"), service), "images", LONGEST_NAME, needed=False)
    revision = version or read_text(payload.get("revision"), "revision", LONGEST_NAME)
    commit = revision.lower() if COMMIT.fullmatch(revision) else ""
    deploy = Deploy(
        service=service,
        version=revision[:7] if len(commit) >= 40 else revision,
        commit=commit,
        at=read_moment(payload.get("finished_at"), "finished_at", now),
        source="argocd",
        environment=spelled(place, environment),
    )
    return Told((deploy,))


def image_tag(images: Any, app: str) -> str:
    """The tag of an app's image: of the one that is named like it, else of the only one."""
    if not isinstance(images, list):
        return ""
    tagged = dict(split_image(image) for image in images if isinstance(image, str))
    return tagged.get(app) or (next(iter(tagged.values())) if len(tagged) == 1 else "")


def split_image(image: str) -> tuple[str, str]:
    """Name and tag of ``registry:5000/team/shop:v1.4@sha256:…``; no tag is an empty one."""
    name, _, tag = image.partition("@")[0].rpartition("/")[2].partition(":")
    return name, tag


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


def parse_moment(value: Any) -> datetime | None:
    """An RFC 3339 moment in UTC; None when it is none."""
    try:
        moment = datetime.fromisoformat(value)
        return moment.astimezone(UTC) if moment.tzinfo else None
    except (TypeError, ValueError, OverflowError):
        return None


def spelled(environment: str, configured: str) -> str:
    """An environment as the configuration spells it, where only upper and lower case differ."""
    return configured if environment.casefold() == configured.casefold() else environment
