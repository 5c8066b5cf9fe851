"""Where other programs tell what happens: deploys, alerts, pushes, and changes of feature flags."""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import hmac
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple, TypeVar

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from bot.parse.alertmanager import read_notification
from bot.parse.flags import FlagSites, read_flags
from bot.parse.github import read_event, unwrap
from bot.parse.hooks import Unreadable, read_deploys, read_json
from bot.parse.pushes import read_push
from bot.transport.hook_secrets import LAUNCHDARKLY_OPENS, SECRET_OPENS, TOKEN_OPENS
from bot.transport.web import MAX_BODY_BYTES, read_body
from workers.contracts import AlertNotification
from workers.errors import StoreUnavailable
from workers.incidents.summary.alert_labels import channel_of
from workers.language.alert_labels import is_heartbeat
from workers.settings.load import Settings
from workers.settings.schema import Core
from workers.store.alert_groups import record_notification
from workers.store.database import Database
from workers.store.deploys import record_deploys
from workers.store.flag_changes import record_flag_changes
from workers.store.hook_events import Outcome, count_hook_event

DEPLOY, ALERTMANAGER, PUSH, FLAGS = "/hooks/deploy", "/hooks/alertmanager", "/hooks/push", "/hooks/flags"
GITHUB_EVENT, GITHUB_SIGNATURE = "x-github-event", "x-hub-signature-256"
GITLAB_EVENT, GITLAB_TOKEN = "x-gitlab-event", "x-gitlab-token"
BITBUCKET_EVENT, BITBUCKET_SIGNATURE = "x-event-key", "x-hub-signature"
LAUNCHDARKLY_SIGNATURE = "x-ld-signature"
SHOWN = {
    GITHUB_SIGNATURE: "X-Hub-Signature-256",
    BITBUCKET_SIGNATURE: "X-Hub-Signature",
    LAUNCHDARKLY_SIGNATURE: "X-LD-Signature",
}
CLOSED = "this address is closed: set {} to open it"
DEPLOYS, GITHUB_DEPLOYS, ALERTS, PUSHES = "deploys", "deploys (GitHub)", "alerts", "pushes"
CHANGED_FLAGS, LAUNCHDARKLY_FLAGS = "flags", "flags (LaunchDarkly)"
"""What the hooks are called where their events are counted."""
Headers = Mapping[str, str]
Taken = dict[str, int | str]
Pushed = Callable[[str, tuple[str, ...]], tuple[str, ...]]
"""Has what a name or an address stands for fetched soon, and returns the names of that; none when nothing is known."""
TurnedAway = Callable[[str, str], None]
"""Counts a request that was not read: of which hook, and why."""

M = TypeVar("M", bound=BaseModel)
log = logging.getLogger(__name__)


class Door(NamedTuple):
    """One way to be told at an address: ``hook`` is what its events are counted as, ``opens`` which variable sets its
    secret. It is taken for requests with the header ``when``; ``signature`` is the header of what is made with the
    secret, which is sent as it is where there is none.
    """

    hook: str
    secret: str
    opens: str
    when: str = ""
    signature: str = ""


def nothing_known(name: str, addresses: tuple[str, ...]) -> tuple[str, ...]:
    """Nothing is fetched from elsewhere."""
    del name, addresses
    return ()


def as_given(value: Any) -> Any:
    """Nothing is taken out."""
    return value


def uncounted(hook: str, reason: str) -> None:
    """Nobody counts what was not read."""
    del hook, reason


def nobody(group_id: int) -> None:
    """Nobody is told: the clock finds what is due."""
    del group_id


def add_hooks(
    web: FastAPI,
    settings: Settings,
    database: Database,
    pushed: Pushed = nothing_known,
    alerted: Callable[[int], None] = nobody,
    clean: Callable[[Any], Any] = as_given,
    turned_away: TurnedAway = uncounted,
) -> None:
    """Serve ``POST`` at the addresses of deploys, alerts, pushes and flags; each is closed without its secret.

    ``alerted`` has the message of a group of alerts shown soon; ``clean`` takes secrets out of what is told. It is cut
    to what is kept first, and one payload is cleaned at a time: many long ones delay each other, not Slack's events.
    """
    core = settings.core
    cleaner = ThreadPoolExecutor(1, thread_name_prefix="hook-cleaner")

    def without_secrets(told: M) -> M:
        cleaned = cleaner.submit(clean, told.model_dump()).result()
        return type(told).model_validate(cleaned)

    services = name_services(core)
    sites = FlagSites(core.flags.launchdarkly.url, core.flags.unleash.url)

    def take_deploys(headers: Headers, body: bytes) -> Taken:
        now, event = datetime.now(UTC), headers.get(GITHUB_EVENT)
        if event is None:
            told = read_deploys(read_json(body), core.environment, now)
        else:
            payload = read_json(unwrap(body, headers.get("content-type", "")))
            told = read_event(event, payload, services, core.environment, now)
        deploys = tuple(map(without_secrets, told.deploys))
        new = record_deploys(database, deploys) if deploys else 0
        ignored: Taken = {"ignored": told.ignored} if told.ignored else {}
        note = elsewhere((deploy.environment for deploy in told.deploys), core.environment)
        return {"new": new, "known": len(told.deploys) - new, **ignored, **({"note": note} if note else {})}

    def take_alerts(_: Headers, body: bytes) -> Taken:
        told = without_secrets(read_notification(read_json(body), core.environment))
        new, group = record_notification(database, told, place_of(told, core))
        if group is not None:
            alerted(group)
        left_out: Taken = {"truncated": told.truncated} if told.truncated else {}
        if left_out:
            log.warning("Alertmanager left %d alerts out of a notification: raise its max_alerts", told.truncated)
        refused: Taken = {"refused": len(told.refused), "reason": told.refused[0]} if told.refused else {}
        return {"new": new, "known": len(told.alerts) - new, **left_out, **refused}

    def take_push(headers: Headers, body: bytes) -> Taken:
        event = next((headers[name] for name in (GITHUB_EVENT, GITLAB_EVENT, BITBUCKET_EVENT) if headers.get(name)), "")
        push = read_push(read_json(unwrap(body, headers.get("content-type", "")) if event else body), event)
        if push.ignored:
            return {"ignored": push.ignored}
        names = pushed(push.name, push.addresses)
        if not names:
            return {"ignored": f"{push.shown} is not among the repositories of oracle.yaml that are fetched"}
        return {"fetching": ", ".join(names)}

    def take_flags(_: Headers, body: bytes) -> Taken:
        told = read_flags(read_json(body), core.environment, datetime.now(UTC), sites)
        if not told.changes:
            return {"ignored": told.ignored} if told.ignored else {"new": 0, "known": 0}
        new = record_flag_changes(database, tuple(map(without_secrets, told.changes)))
        note = elsewhere((change.environment for change in told.changes), core.environment) or told.ignored
        return {"new": new, "known": len(told.changes) - new, **({"note": note} if note else {})}

    hooks = core.hooks
    github = Door(GITHUB_DEPLOYS, hooks.github_secret, SECRET_OPENS, GITHUB_EVENT, GITHUB_SIGNATURE)
    launchdarkly = Door(
        LAUNCHDARKLY_FLAGS,
        hooks.launchdarkly_secret,
        LAUNCHDARKLY_OPENS,
        LAUNCHDARKLY_SIGNATURE,
        LAUNCHDARKLY_SIGNATURE,
    )
    doors = {name: Door(name, hooks.token, TOKEN_OPENS) for name in (DEPLOYS, ALERTS, PUSHES, CHANGED_FLAGS)}
    serve(web, database, DEPLOY, take_deploys, (github, doors[DEPLOYS]), turned_away)
    serve(web, database, ALERTMANAGER, take_alerts, (doors[ALERTS],), turned_away)
    serve(web, database, PUSH, take_push, (github._replace(hook=PUSHES), doors[PUSHES]), turned_away)
    serve(web, database, FLAGS, take_flags, (launchdarkly, doors[CHANGED_FLAGS]), turned_away)


def serve(
    web: FastAPI,
    database: Database,
    path: str,
    take: Callable[[Headers, bytes], Taken],
    doors: Sequence[Door],
    turned_away: TurnedAway,
) -> None:
    """Serve one address. ``doors``: the last one is for requests that no other is for."""

    @web.post(path)
    async def told(request: Request) -> Response:
        door = next((d for d in doors if d.when in request.headers), doors[-1])
        return await answer(request, door, take, partial(count_event, database, door.hook), turned_away)


def place_of(told: AlertNotification, core: Core) -> str:
    """The channel in which a new group is shown; none where there is no trouble, only a heartbeat."""
    if all(is_heartbeat(alert.name, alert.labels) for alert in told.alerts):
        return ""
    return channel_of(core.incidents.alert_channels, core.incidents.alerts_channel, told.alerts)


def count_event(database: Database, hook: str, outcome: Outcome, reason: str) -> None:
    """Count an event; one that cannot be counted was taken all the same."""
    try:
        count_hook_event(database, hook, outcome, reason, datetime.now(UTC))
    except StoreUnavailable as error:
        log.warning("an event of %s is not counted: %s", hook, error)


def elsewhere(told: Iterable[str], environment: str) -> str:
    """A sentence when something happened in other environments than the one that questions are about."""
    others = ", ".join(sorted(set(told) - {environment}))
    if not others:
        return ""
    return (
        f"kept, but questions are about the environment {environment}, and this went to {others}: "
        "send that name, leave it out, or change `environment` in the configuration"
    )


async def answer(
    request: Request,
    door: Door,
    take: Callable[[Headers, bytes], Taken],
    count: Callable[[Outcome, str], None],
    turned_away: TurnedAway,
) -> Response:
    """Take one request: 202 and what was new; 400, 401, 403, 413 or 503 and a sentence.

    ``count`` keeps what became of it, for those who look why nothing is known; ``turned_away`` counts what was not
    read: whoever has no token can make nothing be read, and nothing be written at once.
    """
    secret, headers = door.secret, request.headers
    if not secret:
        return refuse(403, CLOSED.format(door.opens))
    signature = door.signature or (BITBUCKET_SIGNATURE if BITBUCKET_SIGNATURE in headers else "")
    wrong = f"{SHOWN.get(signature, 'the token')} is wrong or missing"
    if not (signature in headers if signature else is_allowed(headers, secret)):
        turned_away(door.hook, "wrong or no token")
        return refuse(401, wrong)
    body = await read_body(request)
    if body is None:
        turned_away(door.hook, "too large")
        return refuse(413, f"larger than {MAX_BODY_BYTES:,} bytes")
    if signature and not is_signed(body, headers, signature, secret):
        turned_away(door.hook, "wrong signature")
        return refuse(401, wrong)
    try:
        taken = await asyncio.to_thread(take, request.headers, body)
    except Unreadable as error:
        await asyncio.to_thread(count, "refused", str(error))
        return refuse(400, str(error))
    except StoreUnavailable as error:
        log.error("what %s was told is lost: %s", request.url.path, error)  # noqa: TRY400 - the sentence says it all
        return refuse(503, "the database does not answer; send it again")
    reason = str(taken.get("ignored") or taken.get("reason") or taken.get("note") or "")
    await asyncio.to_thread(count, "ignored" if taken.get("ignored") else "taken", reason)
    log.info("%s: %s", request.url.path, taken)
    return JSONResponse(taken, status_code=202)


def refuse(status: int, sentence: str) -> JSONResponse:
    """Why a request was not taken."""
    challenge = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    return JSONResponse({"error": sentence}, status_code=status, headers=challenge)


def is_allowed(headers: Headers, token: str) -> bool:
    """Whether the token was sent: as a bearer token, as the password of basic authentication, or in GitLab's header."""
    if GITLAB_TOKEN in headers:
        return hmac.compare_digest(headers[GITLAB_TOKEN].encode("latin-1"), token.encode())
    scheme, _, value = headers.get("authorization", "").partition(" ")
    given = value.strip().encode("latin-1")
    if scheme.lower() == "basic":
        try:
            given = base64.b64decode(given, validate=True).partition(b":")[2]
        except binascii.Error:
            return False
    elif scheme.lower() != "bearer":
        return False
    return hmac.compare_digest(given, token.encode())


def is_signed(body: bytes, headers: Headers, name: str, secret: str) -> bool:
    """Whether the body is signed, in the header of that name."""
    prefix = "" if name == LAUNCHDARKLY_SIGNATURE else "sha256="
    signature = prefix + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(headers.get(name, "").encode("latin-1"), signature.encode())


def name_services(core: Core) -> dict[str, str]:
    """Names of the configured repositories in lower case, their folders' too -> the names of their deploys."""
    named = [(source.called, source.model_copy(update={"name": ""}).called) for source in core.repositories]
    return {key.casefold(): name for name, folder in named for key in (folder, name)}
