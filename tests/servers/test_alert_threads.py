"""A real Alertmanager, a whole deployment and a local Slack: one thread a group, whatever is killed or sent again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.servers.test_alertmanager import TOKEN, fire, run_alertmanager
from tests.servers.test_deployment import answered, at_rest, home, slack, text_of
from tests.servers.test_restarts import called, hold, let_go
from tests.support.deployment import Slack, messages_of, run_deployment, until
from tests.support.hook_payloads import alertmanager, one_alert
from workers.contracts import rfc3339

pytestmark = pytest.mark.servers
__all__ = ["home", "slack"]
CHANNEL = "search"
POST = "chat.postMessage"


def channel_id(slack: Slack) -> str:
    return next(str(c["id"]) for c in slack.get("state")["channels"] if c["name"] == CHANNEL)


def roots(slack: Slack) -> list[dict[str, Any]]:
    """The messages of groups of alerts."""
    found = messages_of(slack.get("state", channel=CHANNEL))
    return [m for m in found if key_of(m).startswith("alerts-")]


def key_of(message: dict[str, Any]) -> str:
    return str(((message.get("metadata") or {}).get("event_payload") or {}).get("key", ""))


def says(slack: Slack, word: str) -> Any:
    """The only message of a group, when it says something."""
    found = roots(slack)
    assert len(found) <= 1
    return found and word in text_of(found[0]["blocks"]) and found[0]


def test_one_thread_a_group_from_firing_to_resolved(home: Path, slack: Slack, tmp_path: Path) -> None:
    start = datetime.now(UTC) - timedelta(minutes=5)
    where = {"endpoint": "/api/search"}
    with run_deployment(home, slack, HOOKS_TOKEN=TOKEN, ALERTS_CHANNEL=channel_id(slack)) as deployment:
        hook = f"{deployment.start_all()}/hooks/alertmanager"
        with run_alertmanager(tmp_path / "alertmanager", hook, group_by="alertname") as source:
            fire(source, where, startsAt=rfc3339(start))
            root = until(lambda: says(slack, "firing"), "its message stands")
            assert "SearchLatencyHigh · shop · /api/search · page" in text_of(root["blocks"])
            answered(slack, CHANNEL, root["ts"])
            fire(source, where | {"shard": "2"}, startsAt=rfc3339(start))
            until(lambda: says(slack, "2 of 2 firing"), "it says that two fire")
            ended = {"startsAt": rfc3339(start), "endsAt": rfc3339(datetime.now(UTC))}
            fire(source, where, **ended)
            fire(source, where | {"shard": "2"}, **ended)
            until(lambda: says(slack, "resolved"), "it says that they are resolved")
        at_rest(deployment)
        thread = slack.thread(CHANNEL, root["ts"])
    said = " ".join(text_of(m["blocks"]) for m in slack.answers(CHANNEL, root["ts"]))
    for words in ("p95 latency of", "deploy shop", "c682794", "Runbook: Search latency"):
        assert words in said, "it is as useful as an answer to a person's question"
    assert [b for m in thread for b in m["blocks"] if b["type"] == "image"], "with a chart"
    assert len(thread) == len(slack.answers(CHANNEL, root["ts"])), "nothing but one first look"
    assert len({key_of(m).split(":")[0] for m in thread}) == 1


def test_a_worker_killed_while_it_posts_and_a_notification_sent_again(home: Path, slack: Slack) -> None:
    told = alertmanager(one_alert(startsAt=rfc3339(datetime.now(UTC))))
    ended = {"startsAt": told["alerts"][0]["startsAt"], "endsAt": rfc3339(datetime.now(UTC) + timedelta(minutes=2))}
    with run_deployment(home, slack, HOOKS_TOKEN=TOKEN, ALERTS_CHANNEL=channel_id(slack)) as deployment:
        hook = f"{deployment.start_all()}/hooks/alertmanager"

        def tell(payload: dict[str, Any]) -> None:
            sent = httpx.post(hook, json=payload, headers={"authorization": f"Bearer {TOKEN}"}, timeout=30)
            assert sent.status_code == 202, sent.text

        hold(slack, POST)
        tell(told)
        until(lambda: called(slack, POST), "a worker is posting")
        deployment.kill("worker")
        let_go(slack)
        until(lambda: says(slack, "firing"), "what was sent stands")
        deployment.start("worker", "worker")
        (root,) = roots(slack)
        answered(slack, CHANNEL, root["ts"])
        tell(told)
        tell(alertmanager(one_alert("resolved", **ended), status="resolved"))
        tell(told)
        until(lambda: says(slack, "resolved"), "it says that it is resolved")
        at_rest(deployment)
        assert len(roots(slack)) == 1
        looks = {key_of(m).split(":")[0] for m in slack.thread(CHANNEL, root["ts"])}
        assert len(looks) == 1, "one first look"


def test_an_incident_is_looked_into_below_its_pinned_message(home: Path, slack: Slack) -> None:
    with run_deployment(home, slack) as deployment:
        deployment.start_all()
        channel = str(slack.control("channel", {"name": "inc-8-search-latency", "user": "maya"})["channel"])
        slack.control("invite", {"channel": channel, "user": "oracle"})

        def pinned() -> list[dict[str, Any]]:
            found = messages_of(slack.get("state", channel=channel))
            return [m for m in found if key_of(m).startswith("incident-")]

        (root,) = until(pinned, "its message stands")
        answered(slack, channel, root["ts"])
        slack.ask(channel, "SEV2: search error rate is 5%, investigating. Customers see 502.", user="maya")
        until(lambda: "SEV2" in text_of(pinned()[0]["blocks"]), "the summary goes on")
        at_rest(deployment)
        thread = slack.thread(channel, root["ts"])
        said = " ".join(text_of(m["blocks"]) for m in thread)
        assert "p95 latency of" in said
        assert "Runbook: Search latency" in said
        assert len({key_of(m).split(":")[0] for m in thread}) == 1, "one first look"
