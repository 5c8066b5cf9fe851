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

from bot.parse.flags import FlagSites, read_flags
from bot.parse.github import read_event, unwrap
from bot.parse.hooks import Unreadable, read_json
from bot.parse.pushes import read_push
from bot.parse.senders import Home, Read, read_told
from bot.transport.hook_secrets import LAUNCHDARKLY_OPENS, SECRET_OPENS, SENTRY_OPENS, TOKEN_OPENS
from bot.transport.web import MAX_BODY_BYTES, read_body
from workers.contracts import AlertNotification
from workers.errors import StoreUnavailable
from workers.incidents.summary.alert_labels import channel_of
from workers.language.alert_labels import is_calm
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
CODE_HOSTS = {GITLAB_EVENT: "GitLab", BITBUCKET_EVENT: "Bitbucket"}
"""Whose event a header names; others than GitHub send its header too."""
LAUNCHDARKLY_SIGNATURE, SENTRY_SIGNATURE, CIRCLECI_SIGNATURE = (
    "x-ld-signature",
    "sentry-hook-signature",
    "circleci-signature",
)
BUILDKITE_TOKEN = "x-buildkite-token"  # noqa: S105 - a header
SHOWN = {
    GITHUB_SIGNATURE: "X-Hub-Signature-256",
    BITBUCKET_SIGNATURE: "X-Hub-Signature",
    LAUNCHDARKLY_SIGNATURE: "X-LD-Signature",
    SENTRY_SIGNATURE: "Sentry-Hook-Signature",
    CIRCLECI_SIGNATURE: "circleci-signature",
}
PREFIXES = {LAUNCHDARKLY_SIGNATURE: "", SENTRY_SIGNATURE: "", CIRCLECI_SIGNATURE: "v1="}
"""What stands before the digits of a signature, where that is not ``sha256=``."""
CHALLENGE = 'Basic realm="Oracle", Bearer'
"""Amazon SNS sends the password of its address only where it is asked for it, with a realm."""
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

    def take_told(headers: Headers, body: bytes, *, of_alerts: bool) -> Taken:
        read = read_sent(headers, body, Home(core.environment, services, datetime.now(UTC)), of_alerts=of_alerts)
        return take_alerts(read) if read.alerts.alerts else take_deploys(read)

    def take_deploys(read: Read) -> Taken:
        deploys = tuple(map(without_secrets, read.deploys))
        new = record_deploys(database, deploys) if deploys else 0
        note = elsewhere((deploy.environment for deploy in deploys), core.environment)
        return shown(new, deploys, ignored=read.ignored, note=note, sender=read.sender)

    def take_alerts(read: Read) -> Taken:
        told = without_secrets(read.alerts)
        new, group = record_notification(database, told, place_of(told, core), begins=read.begins)
        if group is not None:
            alerted(group)
        if told.truncated:
            log.warning("Alertmanager left %d alerts out of a notification: raise its max_alerts", told.truncated)
        part = {"truncated": told.truncated, "refused": len(told.refused)}
        return shown(new, told.alerts, **part, reason=next(iter(told.refused), ""), sender=read.sender)

    def take_push(headers: Headers, body: bytes) -> Taken:
        host = next((name for name in (GITHUB_EVENT, GITLAB_EVENT, BITBUCKET_EVENT) if headers.get(name)), "")
        event, known = headers.get(host, ""), {"sender": CODE_HOSTS[host]} if host in CODE_HOSTS else {}
        push = read_push(read_json(unwrap(body, headers.get("content-type", "")) if event else body), event)
        if push.ignored:
            return {"ignored": push.ignored, **known}
        names = pushed(push.name, push.addresses)
        if not names:
            return {"ignored": f"{push.shown} is not among the repositories of oracle.yaml that are fetched", **known}
        return {"fetching": ", ".join(names), **known}

    def take_flags(_: Headers, body: bytes) -> Taken:
        told = read_flags(read_json(body), core.environment, datetime.now(UTC), sites)
        if not told.changes:
            return {"ignored": told.ignored} if told.ignored else {"new": 0, "known": 0}
        new = record_flag_changes(database, tuple(map(without_secrets, told.changes)))
        note = elsewhere((change.environment for change in told.changes), core.environment) or told.ignored
        return shown(new, told.changes, note=note)

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
    sentry = Door(ALERTS, hooks.sentry_secret, SENTRY_OPENS, SENTRY_SIGNATURE, SENTRY_SIGNATURE)
    open_at = partial(serve, web, database, turned_away)
    open_at(DEPLOY, partial(take_told, of_alerts=False), (github, doors[DEPLOYS]))
    open_at(ALERTMANAGER, partial(take_told, of_alerts=True), (sentry, doors[ALERTS]))
    open_at(PUSH, take_push, (github._replace(hook=PUSHES), doors[PUSHES]))
    open_at(FLAGS, take_flags, (launchdarkly, doors[CHANGED_FLAGS]))


def read_sent(headers: Headers, body: bytes, home: Home, *, of_alerts: bool) -> Read:
    """What is told: GitHub's event, else what the body's form says. Raises: Unreadable."""
    event = headers.get(GITHUB_EVENT)
    if event is None or of_alerts:
        return read_told(read_json(body), home, headers.get("user-agent", ""), of_alerts=of_alerts)
    payload = read_json(unwrap(body, headers.get("content-type", "")))
    told = read_event(event, payload, home.services, home.environment, home.now)
    return Read(deploys=told.deploys, ignored=told.ignored)


def shown(new: int, told: Sequence[object], **more: int | str) -> Taken:
    """How much of what was told is new, and what else there is to say."""
    return {"new": new, "known": len(told) - new, **{key: value for key, value in more.items() if value}}


def serve(
    web: FastAPI,
    database: Database,
    turned_away: TurnedAway,
    path: str,
    take: Callable[[Headers, bytes], Taken],
    doors: Sequence[Door],
) -> None:
    """Serve one address. ``doors``: the last one is for requests that no other is for."""

    @web.post(path)
    async def told(request: Request) -> Response:
        door = next((d for d in doors if d.when in request.headers), doors[-1])
        return await answer(request, door, take, partial(count_event, database, door.hook), turned_away)


def place_of(told: AlertNotification, core: Core) -> str:
    """The channel in which a new group is shown; none where there is no trouble, only a heartbeat."""
    if all(is_calm(alert.name, alert.labels) for alert in told.alerts):
        return ""
    return channel_of(core.incidents.alert_channels, core.incidents.alerts_channel, told.alerts)


def count_event(database: Database, hook: str, outcome: Outcome, reason: str, sender: str) -> None:
    """Count an event of a sender; one that cannot be counted was taken all the same."""
    try:
        count_hook_event(database, f"{hook} ({sender})" if sender else hook, outcome, reason, datetime.now(UTC))
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
    count: Callable[[Outcome, str, str], None],
    turned_away: TurnedAway,
) -> Response:
    """Take one request: 202 and what was new; 400, 401, 403, 413 or 503 and a sentence.

    ``count`` keeps what became of it, for those who look why nothing is known; ``turned_away`` counts what was not
    read: whoever has no token can make nothing be read, and nothing be written at once.
    """
    secret, headers = door.secret, request.headers
    if not secret:
        return refuse(403, CLOSED.format(door.opens))
    signature = door.signature or next((x for x in (BITBUCKET_SIGNATURE, CIRCLECI_SIGNATURE) if x in headers), "")
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
        await asyncio.to_thread(count, "refused", str(error), error.sender)
        log.info("%s: refused: %s", request.url.path, error)
        return refuse(400, str(error))
    except StoreUnavailable as error:
        log.error("what %s was told is lost: %s", request.url.path, error)  # noqa: TRY400 - the sentence says it all
        return refuse(503, "the database does not answer; send it again")
    reason = str(taken.get("ignored") or taken.get("reason") or taken.get("note") or "")
    outcome: Outcome = "ignored" if taken.get("ignored") else "taken"
    await asyncio.to_thread(count, outcome, reason, str(taken.get("sender", "")))
    log.info("%s: %s", request.url.path, taken)
    return JSONResponse(taken, status_code=202)


def refuse(status: int, sentence: str) -> JSONResponse:
    """Why a request was not taken."""
    challenge = {"WWW-Authenticate": CHALLENGE} if status == 401 else None
    return JSONResponse({"error": sentence}, status_code=status, headers=challenge)


def is_allowed(headers: Headers, token: str) -> bool:
    """Whether the token was sent: as a bearer token, as the password of basic authentication, or in its own header."""
    if plain := next((headers[name] for name in (GITLAB_TOKEN, BUILDKITE_TOKEN) if name in headers), ""):
        return hmac.compare_digest(plain.encode("latin-1"), token.encode())
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
    signature = PREFIXES.get(name, "sha256=") + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(headers.get(name, "").encode("latin-1"), signature.encode())


def name_services(core: Core) -> dict[str, str]:
    """Names of the configured repositories in lower case, their folders' too -> the names of their deploys."""
    named = [(source.called, source.model_copy(update={"name": ""}).called) for source in core.repositories]
    return {key.casefold(): name for name, folder in named for key in (folder, name)}
