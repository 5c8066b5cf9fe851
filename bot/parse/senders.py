"""What programs send in a form of their own -> deploys and alerts. Which program it is, the form of the payload says.

Sources: the documentation of GitLab's webhook events, CircleCI's outbound webhooks, Buildkite's webhooks, Jenkins'
Notification plugin, PagerDuty's V3 webhooks, Opsgenie's outgoing webhooks, Datadog's webhooks, Sentry's integration
platform, Amazon SNS over HTTP and CloudWatch's alarms.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from bot.parse.alertmanager import read_alert, read_notification, short_key
from bot.parse.github import VERSION
from bot.parse.hooks import COMMIT, KEYS, LONGEST_NAME, Unreadable, read_deploy, read_deploys
from workers.contracts import AlertNotification, Deploy, rfc3339
from workers.language.alert_labels import STATE_REASON
from workers.language.environment_labels import PRODUCTION, kind_of
from workers.language.environment_names import names_environment
from workers.language.payload_values import one_line, text_at, value_at

Payload = Mapping[str, Any]
FIRING, RESOLVED = "firing", "resolved"
LONGEST_SUMMARY = 300
LONGEST_MOMENT = 64
MOST_KEYS = 6
FROM_CI = "tell the deploy from the job that deploys (docs/hooks.md, “From CI”)"
DEPLOYS = re.compile(r"(?:^|[^a-z])deploy", re.IGNORECASE)
TITLE = re.compile(r"(?:\[P\d\]\s*)?\[(?P<state>[A-Za-z -]+?)(?: on \{(?P<scope>[^}]*)\})?\]\s*(?P<rest>.*)", re.DOTALL)
"""``[P2] [Triggered on {service:shop}] Errors of shop``."""


class Home(NamedTuple):
    """What is known here: the configured environment, names of repositories in lower case -> services, and now."""

    environment: str
    services: Mapping[str, str]
    now: datetime


@dataclass(frozen=True)
class Read:
    """What a payload tells. ``sender``: who sent it, empty when that is not known; ``ignored``: why it tells nothing.

    ``begins``: its alerts say when they began; an alert that does not is the open one of its fingerprint.
    """

    sender: str = ""
    deploys: tuple[Deploy, ...] = ()
    alerts: AlertNotification = field(default_factory=AlertNotification)
    begins: bool = True
    ignored: str = ""


def read_told(payload: Any, home: Home, agent: str, *, of_alerts: bool) -> Read:
    """The deploys or alerts that a payload tells of, whoever sent it.

    Args:
        payload: the body.
        home: what is known here.
        agent: the header ``User-Agent``, by which an unknown sender is named.
        of_alerts: what an unknown sender sends is read as Alertmanager's form, else as the plain one of deploys.

    Raises: Unreadable: names who sent it, as far as that can be told.
    """
    sender = next((one for one in SENDERS if all(at(payload, mark) is not None for mark in one.marks)), None)
    if sender is None:
        return read_plain(payload, home, agent, of_alerts=of_alerts)
    try:
        return replace(sender.read(payload, home), sender=sender.name)
    except Unreadable as error:
        raise Unreadable(f"{sender.name}: {error}", sender.name) from error


def read_plain(payload: Any, home: Home, agent: str, *, of_alerts: bool) -> Read:
    """What comes in one of the forms that docs/hooks.md asks for. Raises: Unreadable."""
    if isinstance(payload, Mapping) and isinstance(payload.get("alerts"), list):
        sender = "Grafana" if "orgId" in payload else ""
        return Read(sender, alerts=read_notification(payload, home.environment))
    if isinstance(payload, Mapping) and payload and (of_alerts or not payload.keys() & set(KEYS)):
        keys = ", ".join(one_line(str(key), 40) for key in [*payload][:MOST_KEYS])
        who = f"“{one_line(agent, 60)}”" if agent else "somebody who does not say who it is"
        ask = (
            "alerts: Alertmanager's webhook has a list of them (version 4): send that form"
            if of_alerts
            else f"service: a deploy has one: send {{{', '.join(KEYS)}}}"
        )
        raise Unreadable(f"{ask}; this came from {who}, with {keys}, and docs/hooks.md lists whose forms are known")
    if of_alerts:
        return Read(alerts=read_notification(payload, home.environment))
    return read_deployed(payload, home)


# --- deploys ------------------------------------------------------------------------------------------------------


def deployed(given: dict[str, Any], home: Home, repository: str) -> Read:
    """A deploy whose repository is given by its path or address, which is the service's unless it is named here."""
    name = repository.rstrip("/").removesuffix(".git").replace(":", "/").rpartition("/")[2]
    ref, commit = given.pop("ref", ""), str(given.get("commit") or "")
    version = ref if VERSION.fullmatch(ref) and not COMMIT.fullmatch(ref) else commit[:7]
    told = {**given, "service": home.services.get(name.casefold(), name), "version": version}
    return Read(deploys=(read_deploy(told, "", home.environment, home.now),))


def read_gitlab(payload: Payload, home: Home) -> Read:
    """GitLab's deployment events; others tell of no deploy. Raises: Unreadable."""
    kind, status = text_at(payload, "object_kind"), text_at(payload, "status")
    if kind != "deployment":
        where = "they go to /hooks/push" if kind in {"push", "tag_push"} else "tick “Deployment events” in its webhook"
        return Read(ignored=f"GitLab's {kind[:40]} events tell of no deploy: {where}")
    if status != "success":
        return Read(ignored=f"GitLab's deployment has the status {status[:40]!r}; success counts")
    environment = text_at(payload, "environment") or home.environment
    if text_at(payload, "environment_tier") == "production":
        environment = home.environment if kind_of(home.environment) == PRODUCTION else PRODUCTION
    whole = text_at(payload, "commit_url").rpartition("/")[2]
    given = {
        "commit": whole if COMMIT.fullmatch(whole) else text_at(payload, "short_sha"),
        "ref": text_at(payload, "ref"),
        "environment": environment,
        "at": moment_text(payload.get("status_changed_at")),
    }
    return deployed(
        given, home, text_at(payload, "project", "path_with_namespace") or text_at(payload, "project", "name")
    )


def read_workflow(payload: Payload, home: Home) -> Read:
    """CircleCI's workflows: one that succeeded may have left its deploy out, on a branch."""
    del payload, home
    return Read(ignored=f"CircleCI's workflows tell of no deploy: choose “Job Completed” in its webhook, or {FROM_CI}")


def read_deployed(payload: Any, home: Home) -> Read:
    """The plain form, and Argo CD's template. Raises: Unreadable."""
    told = read_deploys(payload, home.environment, home.now)
    return Read(deploys=told.deploys, ignored=told.ignored)


def refuse_application(payload: Payload, home: Home) -> Read:
    """An application of Argo CD's as it is. Raises: Unreadable."""
    del payload, home
    raise Unreadable("the whole application was sent: send the template of docs/hooks.md, which says what was deployed")


class CiForm(NamedTuple):
    """Where a build server says what ran: its name, its state, which is the one of success, the repository, the commit,
    when it ended, and the tag. Several places: the first that is there.
    """

    name: str
    state: str
    success: str
    repository: tuple[str, ...]
    commit: str
    at: str = ""
    ref: str = ""


def read_ci(name: str, form: CiForm) -> Callable[[Payload, Home], Read]:
    """Reads what one build server sends: a run that succeeded and is called a deploy."""

    def read(payload: Payload, home: Home) -> Read:
        ran, state = found(payload, (form.name,)), found(payload, (form.state,))
        if not DEPLOYS.search(ran):
            return Read(ignored=f"{name}'s {ran[:80]!r} is not called a deploy: call it so, or {FROM_CI}")
        if state != form.success or at(payload, "build.blocked") is True:
            return Read(ignored=f"{name}'s {ran[:80]!r} has the state {state[:40]!r}; {form.success} counts")
        words = re.split(r"[^A-Za-z0-9]+", ran)
        given = {
            "commit": found(payload, (form.commit,)),
            "ref": found(payload, (form.ref,)),
            "environment": next(filter(names_environment, words), ""),
            "at": moment_text(at(payload, form.at)),
        }
        called = "-".join(word for word in words if not (DEPLOYS.match(word) or names_environment(word)))
        return deployed(given, home, found(payload, form.repository) or called)

    return read


# --- alerts -------------------------------------------------------------------------------------------------------


class AlertForm(NamedTuple):
    """Where a program says what of an alert. Several places: the first that is there.

    ``states``: what it calls them; others are no news of an alert. ``labels``: label -> places. ``again``: a state that
    begins a new one whatever ``starts`` says.
    """

    state: str
    states: Mapping[str, str]
    id: tuple[str, ...]
    name: tuple[str, ...]
    labels: Mapping[str, tuple[str, ...]]
    starts: tuple[str, ...]
    ends: tuple[str, ...]
    summary: tuple[str, ...] = ()
    url: tuple[str, ...] = ()
    again: str = ""


def read_form(name: str, form: AlertForm) -> Callable[[Payload, Home], Read]:
    """Reads what one program sends as an alert. Raises: Unreadable."""

    def read(payload: Payload, home: Home) -> Read:
        called = found(payload, (form.state,))
        state = form.states.get(called)
        if state is None:
            return Read(ignored=f"{name}'s event {called[:60]!r} is no news of an alert; nothing is to be done")
        labels = {label: text for label, places in form.labels.items() if (text := found(payload, places))}
        began = form.ends if called == form.again else (*form.starts, *form.ends)
        return alert_of(
            name,
            home,
            state=state,
            id=found(payload, form.id),
            name=found(payload, form.name),
            starts=next((value for place in began if (value := at(payload, place))), None),
            ends=next((value for place in form.ends if (value := at(payload, place))), None),
            summary=found(payload, form.summary),
            url=found(payload, form.url),
            labels=labels,
        )

    return read


def alert_of(sender: str, home: Home, *, begins: bool = False, **told: Any) -> Read:
    """One alert, brought into the form of Alertmanager. Raises: Unreadable."""
    ends = moment_text(told["ends"]) or rfc3339(home.now)
    name = one_line(told["name"], LONGEST_NAME) or sender
    alert = {
        "status": told["state"],
        "startsAt": moment_text(told["starts"]) or ends,
        "endsAt": ends,
        "labels": {"alertname": name, **told["labels"]},
        "annotations": {"summary": one_line(told["summary"], LONGEST_SUMMARY)},
        "generatorURL": told["url"],
        "fingerprint": short_key(f"{sender}:{told['id'] or name}"),
    }
    event = read_alert(alert, "the alert", home.environment).model_copy(update={"source": sender})
    return Read(alerts=AlertNotification(key=event.fingerprint, alerts=(event,)), begins=begins)


def read_datadog(payload: Payload, home: Home) -> Read:
    """Datadog's default payload, with ``alert_transition``, ``alert_id``, ``alert_scope``, ``tags`` or ``link`` where
    somebody added them. Raises: Unreadable.
    """
    title = TITLE.match(text_at(payload, "title"))
    called = text_at(payload, "alert_transition") or (title["state"] if title else "")
    state = called.casefold().removeprefix("re-")
    if state not in {"triggered", "warn", "renotify", "no data", "recovered"}:
        return Read(
            ignored=f"Datadog's event {text_at(payload, 'event_type')[:60]!r} is no monitor's; nothing is to be done"
        )
    scope, rest = (title["scope"] or "", title["rest"]) if title else ("", text_at(payload, "title"))
    tags = payload.get("tags") or ""
    listed = [*(tags if isinstance(tags, list) else str(tags).split(",")), *scope.split(",")]
    pairs = (text.strip().partition(":") for text in listed if isinstance(text, str))
    labels = {key: value for key, _, value in pairs if key and value and key != "monitor"}
    labels |= {"severity": "warning"} if state == "warn" else {}
    labels |= {STATE_REASON: "NoData"} if state == "no data" else {}
    ids = [text for key in ("alert_id", "alert_scope") if (text := found(payload, (key,)))]
    return alert_of(
        "Datadog",
        home,
        state=RESOLVED if state == "recovered" else FIRING,
        id="/".join(ids) or f"{rest}{scope}",
        name=rest,
        starts=at(payload, "date"),
        ends=at(payload, "date"),
        summary=text_at(payload, "body").replace("%%%", ""),
        url=found(payload, ("link", "url")),
        labels=labels,
    )


def read_sentry(payload: Payload, home: Home) -> Read:
    """Sentry's alerts: of a metric, which begin and end, and of an issue, which are a moment. Raises: Unreadable."""
    if value_at(payload, "data", "metric_alert") is not None:
        return read_form("Sentry", SENTRY_METRIC)(payload, home)
    event = value_at(payload, "data", "event")
    rule = text_at(payload, "data", "triggered_rule")
    if event is None or not rule:
        return Read(ignored="Sentry's event is of no alert: have an alert rule notify the integration")
    project = re.search(r"/projects/[^/]+/([^/]+)/", text_at(event, "url"))
    labels = {
        "severity": text_at(event, "level"),
        "environment": text_at(event, "environment"),
        "service": project[1] if project else "",
    }
    return alert_of(
        "Sentry",
        home,
        begins=True,
        state=RESOLVED,
        id=text_at(event, "event_id"),
        name=rule,
        starts=at(event, "datetime"),
        ends=at(event, "datetime"),
        summary=text_at(event, "title"),
        url=text_at(event, "web_url"),
        labels={key: value for key, value in labels.items() if value},
    )


def read_sns(payload: Payload, home: Home) -> Read:
    """What Amazon SNS delivers: CloudWatch's alarms; it asks first whether that is wanted. Raises: Unreadable."""
    topic = text_at(payload, "TopicArn")[:200]
    if text_at(payload, "Type") != "Notification":
        confirm = f"open its SubscribeURL once, which the log has: {text_at(payload, 'SubscribeURL')[:1_000]}"
        return Read(ignored=f"Amazon SNS asks whether {topic} may send here: {confirm}")
    try:
        alarm = json.loads(text_at(payload, "Message"))
    except (ValueError, RecursionError):
        alarm = None
    if not text_at(alarm, "AlarmName"):
        return Read(ignored=f"Amazon SNS's message of {topic} is no alarm of CloudWatch; only those are read")
    given = value_at(alarm, "Trigger", "Dimensions")
    labels = {text_at(one, "name"): text_at(one, "value") for one in given} if isinstance(given, list) else {}
    state = text_at(alarm, "NewStateValue")
    labels |= {STATE_REASON: "NoData"} if state == "INSUFFICIENT_DATA" else {}
    return alert_of(
        "CloudWatch",
        home,
        state=RESOLVED if state == "OK" else FIRING,
        id=text_at(alarm, "AlarmArn").rpartition(":")[2] or text_at(alarm, "AlarmName"),
        name=text_at(alarm, "AlarmName"),
        starts=alarm.get("StateChangeTime"),
        ends=alarm.get("StateChangeTime"),
        summary=text_at(alarm, "NewStateReason"),
        url="",
        labels=labels,
    )


# --- values -------------------------------------------------------------------------------------------------------


def at(payload: Any, place: str) -> Any:
    """The value at a place such as ``data.service.summary``; ``data.projects.0`` is the first of a list."""
    for key in place.split(".") if place else ():
        if isinstance(payload, list) and key.isdecimal():
            payload = payload[int(key)] if int(key) < len(payload) else None
        else:
            payload = value_at(payload, key)
    return payload if place else None


def found(payload: Any, places: tuple[str, ...]) -> str:
    """The first text or number at some places; empty when there is none."""
    values = (at(payload, place) for place in places)
    return next((str(v) for v in values if isinstance(v, str | int) and not isinstance(v, bool) and v != ""), "")


def moment_text(value: Any) -> str:
    """A moment as RFC 3339, of ``2026-11-28 19:02:11 +0100``, ``… UTC``, or of seconds, milli- or nanoseconds since
    1970; as it is otherwise, and empty when there is none.
    """
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    text = text[:LONGEST_MOMENT]
    if text.isdecimal():
        number = int(text[:19]) / 1_000 ** max(0, (len(text[:19]) - 10 + 1) // 3)
        return rfc3339(datetime.fromtimestamp(number, UTC)) if number < 4e9 else ""
    return re.sub(r"\s+(?=[+-]\d\d:?\d\d$)", "", re.sub(r"\s*UTC$", "+00:00", text))


# --- who sends ----------------------------------------------------------------------------------------------------

PAGERDUTY = AlertForm(
    state="event.event_type",
    states={
        **dict.fromkeys(("incident.triggered", "incident.acknowledged", "incident.reopened"), FIRING),
        "incident.resolved": RESOLVED,
    },
    id=("event.data.id",),
    name=("event.data.title",),
    starts=("event.data.created_at",),
    ends=("event.occurred_at",),
    url=("event.data.html_url",),
    labels={
        "service": ("event.data.service.summary",),
        "severity": ("event.data.priority.summary", "event.data.urgency"),
    },
    again="incident.reopened",
)
OPSGENIE = AlertForm(
    state="action",
    states={**dict.fromkeys(("Create", "Acknowledge", "UnAcknowledge"), FIRING), "Close": RESOLVED, "Delete": RESOLVED},
    id=("alert.alertId",),
    name=("alert.message",),
    starts=("alert.createdAt",),
    ends=("alert.updatedAt",),
    summary=("alert.description",),
    labels={"severity": ("alert.priority",), "entity": ("alert.entity",), "service": ("alert.details.service",)},
)
SENTRY_METRIC = AlertForm(
    state="action",
    states={"critical": FIRING, "warning": FIRING, "resolved": RESOLVED},
    id=("data.metric_alert.id",),
    name=("data.metric_alert.alert_rule.name", "data.metric_alert.title"),
    starts=("data.metric_alert.date_started", "data.metric_alert.date_created"),
    ends=("data.metric_alert.date_closed",),
    summary=("data.description_text",),
    url=("data.web_url",),
    labels={
        "severity": ("action",),
        "service": ("data.metric_alert.projects.0",),
        "environment": ("data.metric_alert.alert_rule.environment",),
    },
)
CIRCLECI = CiForm(
    name="job.name",
    state="job.status",
    success="success",
    repository=("pipeline.vcs.target_repository_url", "project.name"),
    commit="pipeline.vcs.revision",
    at="happened_at",
    ref="pipeline.vcs.tag",
)
BUILDKITE_JOB = CiForm(
    name="job.name",
    state="job.state",
    success="passed",
    repository=("pipeline.repository",),
    commit="build.commit",
    at="job.finished_at",
    ref="build.tag",
)
BUILDKITE = BUILDKITE_JOB._replace(name="pipeline.name", state="build.state", at="build.finished_at")
JENKINS = CiForm(
    name="name",
    state="build.status",
    success="SUCCESS",
    repository=("build.scm.url",),
    commit="build.scm.commit",
)


class Sender(NamedTuple):
    """A program: what it is called, the places that a payload of its form has, and what reads it."""

    name: str
    marks: tuple[str, ...]
    read: Callable[[Payload, Home], Read]


SENDERS = (
    Sender("GitLab", ("object_kind", "project"), read_gitlab),
    Sender("CircleCI", ("happened_at", "job"), read_ci("CircleCI", CIRCLECI)),
    Sender("CircleCI", ("happened_at", "workflow"), read_workflow),
    Sender("Buildkite", ("event", "build", "pipeline", "job"), read_ci("Buildkite", BUILDKITE_JOB)),
    Sender("Buildkite", ("event", "build", "pipeline"), read_ci("Buildkite", BUILDKITE)),
    Sender("Jenkins", ("name", "build.phase"), read_ci("Jenkins", JENKINS)),
    Sender("Argo CD", ("app",), read_deployed),
    Sender("Argo CD", ("metadata.name", "status.sync"), refuse_application),
    Sender("PagerDuty", ("event.event_type", "event.occurred_at"), read_form("PagerDuty", PAGERDUTY)),
    Sender("Opsgenie", ("action", "alert.alertId"), read_form("Opsgenie", OPSGENIE)),
    Sender("Sentry", ("action", "data", "actor"), read_sentry),
    Sender("Datadog", ("event_type", "title", "date"), read_datadog),
    Sender("Amazon SNS", ("Type", "TopicArn"), read_sns),
)
