"""A whole deployment of real processes: what is asked in Slack is answered there once, whatever fails meanwhile."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from sqlalchemy import select

from bot.cli import processes
from bot.cli.shared_options import DEMO
from tests.scenario.conftest import NOW
from tests.servers.conftest import copy_indexed_demo
from tests.support.deployment import Deployment, Redis, Slack, Started, run_deployment, run_redis, run_slack, until
from tests.support.forked_programs import ForkedProcess, run_oracle
from workers.requests.ledger import Ledger
from workers.settings.schema import WorkerSection
from workers.store.database import open_database
from workers.store.deploys import list_deploys, record_deploys
from workers.store.migrate import migrate
from workers.store.tables import jobs

pytestmark = pytest.mark.servers
WHY = "@oracle Latency on /api/search has been spiky since yesterday's deploy. What's going on?"
SLOW = "@oracle something is broken, help"


class Scene(NamedTuple):
    """A local Slack, and a deployment beside it."""

    slack: Slack
    deployment: Deployment


@pytest.fixture
def slack() -> Iterator[Slack]:
    with run_slack() as found:
        yield found


@pytest.fixture
def redis_server(tmp_path: Path) -> Iterator[Redis]:
    with run_redis(tmp_path / "redis") as server:
        yield server


@pytest.fixture
def home(demo_deployment_home: Path) -> Path:
    return demo_deployment_home


@pytest.fixture(scope="module")
def standing(indexed_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    home = copy_indexed_demo(indexed_demo, tmp_path_factory.mktemp("standing") / "home")
    with run_slack() as slack, run_deployment(home, slack, start=fork_soon_ending) as deployment:
        deployment.start_all()
        yield Scene(slack, deployment)


@pytest.fixture
def scene(standing: Scene) -> Scene:
    """The one that tests share: a worker runs, no call fails, and nobody waits for an answer."""
    standing.slack.http.delete("/control/faults").raise_for_status()
    standing.slack.control("release", {})
    if "worker" not in standing.deployment.running:
        standing.deployment.start("worker", "worker")
    at_rest(standing.deployment)
    return standing


def fork_soon_ending(arguments: tuple[str, ...], environment: Mapping[str, str], folder: Path, log: Path) -> Started:
    """Like `fork_oracle`; a worker that hangs when it is stopped is ended sooner."""
    return ForkedProcess(run_soon_ending, arguments, dict(environment), str(folder), str(log))


def run_soon_ending(arguments: tuple[str, ...], environment: dict[str, str], folder: str, log: str) -> None:
    """In the forked process."""
    processes.STOPS_S = 7
    run_oracle(arguments, environment, folder, log)


def copy_deploys(home: Path, url: str) -> None:
    """The demo's deploys in another database as well."""
    source, target = open_database(f"sqlite:///{home / 'oracle.db'}"), open_database(url)
    migrate(target)
    record_deploys(target, list_deploys(source, NOW - timedelta(days=60), NOW, DEMO), DEMO)
    source.close()
    target.close()


def inbox_of(deployment: Deployment) -> Ledger:
    url = deployment.environment.get("DATABASE_URL") or f"sqlite:///{deployment.home / 'oracle.db'}"
    return Ledger(open_database(url), WorkerSection())


def accepted(deployment: Deployment) -> int:
    ledger = inbox_of(deployment)
    try:
        return sum(ledger.counts().values())
    finally:
        ledger.database.close()


def answered(slack: Slack, channel: str, ts: str) -> list[dict[str, Any]]:
    """The answers in a thread, once there is one."""
    found: list[dict[str, Any]] = until(lambda: slack.answers(channel, ts), f"an answer to {ts}")
    return found


def at_rest(deployment: Deployment) -> None:
    """Until nobody waits for anything: no second answer can come."""
    ledger = inbox_of(deployment)
    until(lambda: ledger.oldest_open_s() == 0, "everything is answered")
    ledger.database.close()


def row_of(ledger: Ledger, ts: str) -> Any:
    """A request by its thread; an empty row as long as it is not known."""
    with ledger.database.begin() as connection:
        return connection.execute(select(jobs).where(jobs.c.thread_ts == ts)).mappings().one_or_none() or {}


def stage_of(ledger: Ledger, ts: str) -> str:
    """How far a request is."""
    return str(row_of(ledger, ts).get("stage", ""))


def text_of(value: Any) -> str:
    """Every text in a message."""
    if isinstance(value, dict):
        return " ".join(text_of(v) for v in value.values())
    if isinstance(value, list):
        return " ".join(text_of(v) for v in value)
    return str(value) if isinstance(value, str) else ""


def test_redis_prefork_postgresql_and_prometheus_answer_as_the_embedded_parts_do(
    home: Path, slack: Slack, redis_server: Redis, postgresql: str, demo_prometheus: str
) -> None:
    copy_deploys(home, postgresql)
    parts = {"REDIS_URL": redis_server.url, "DATABASE_URL": postgresql, "PROMETHEUS_URL": demo_prometheus}
    with run_deployment(home, slack, **parts) as deployment:
        web = deployment.start_all()
        ts = slack.ask("search", WHY)
        answer = answered(slack, "search", ts)[0]
        at_rest(deployment)
        said = " ".join(text_of(part["blocks"]) for part in slack.answers("search", ts))
        for word in ("p95 latency", "/api/search", "cache", "Next", "metrics_query"):
            assert word in said
        assert [b for b in answer["blocks"] if b["type"] == "image"]
        asked = slack.ask("search", SLOW)
        (question,) = answered(slack, "search", asked)
        (actions,) = [b for b in question["blocks"] if b["type"] == "actions"]
        button = actions["elements"][0]
        press = {"channel": "search", "message_ts": question["ts"], "block_id": actions["block_id"], "user": "you"}
        slack.control("action", {**press, "action_id": button["action_id"], "type": "button", "value": button["value"]})
        until(lambda: len(slack.answers("search", asked)) >= 2, "the answer after the button")
        at_rest(deployment)
        health = httpx.get(f"{web}/healthz").json()
        assert health["oldest_unanswered_s"] == 0
        counted = httpx.get(f"{web}/metrics").text
        assert 'agent_requests_total{question_type="debug_incident"}' in counted
        assert 'oracle_posts_total{outcome="ok"}' in counted
        assert deployment.stop("worker") == 0
        assert deployment.stop("bot") == 0


def test_an_event_delivered_three_times_is_answered_once(scene: Scene) -> None:
    slack, deployment = scene
    before = accepted(deployment)
    ts = slack.ask("search", WHY, deliveries=3)
    other = slack.ask("general", "@oracle what is a circuit breaker?", deliveries=3)
    answered(slack, "search", ts)
    answered(slack, "general", other)
    at_rest(deployment)
    assert [len(slack.answers(*asked)) for asked in (("search", ts), ("general", other))] == [1, 1]
    assert accepted(deployment) - before == 2


def test_without_redis_questions_are_acknowledged_and_answered_once_it_is_back(
    home: Path, slack: Slack, redis_server: Redis
) -> None:
    def acknowledged() -> bool:
        return all(
            [a["result"] for a in d["attempts"]] == ["acknowledged"] for d in slack.get("deliveries")["deliveries"]
        )

    slack.control("limits", {"ack_timeout_s": 60})  # nothing is sent again because the machine is busy
    with run_deployment(home, slack, REDIS_URL=redis_server.url) as deployment:
        deployment.start_all()
        answered(slack, "search", slack.ask("search", WHY))
        redis_server.signal(signal.SIGSTOP)
        frozen = slack.ask("general", WHY)
        until(lambda: accepted(deployment) == 2, "committed while Redis hangs")
        until(acknowledged, "every event is acknowledged while Redis hangs")
        redis_server.signal(signal.SIGCONT)
        redis_server.stop()
        gone = slack.ask("payments", WHY)
        until(lambda: accepted(deployment) == 3, "committed while Redis is gone")
        until(acknowledged, "every event is acknowledged while Redis is gone")
        redis_server.start()
        answered(slack, "general", frozen)
        answered(slack, "payments", gone)
        at_rest(deployment)
        assert [len(slack.answers(*asked)) for asked in (("general", frozen), ("payments", gone))] == [1, 1]


def test_a_connection_dropped_after_the_post_was_stored_makes_no_second_answer(scene: Scene) -> None:
    slack, deployment = scene
    before = len(slack.get("calls", method="chat.postMessage")["calls"])
    slack.control("faults", {"method": "chat.postMessage", "action": "drop_after", "times": 4})
    ts = slack.ask("search", WHY)
    answered(slack, "search", ts)
    ledger = inbox_of(deployment)
    until(lambda: stage_of(ledger, ts) == "done", "it is recorded")
    ledger.database.close()
    assert len(slack.answers("search", ts)) == 1
    posts = slack.get("calls", method="chat.postMessage")["calls"][before:]
    assert len(posts) <= 2, "one of the plan, one of the answer"


def test_a_worker_without_slack_answers_afterwards(scene: Scene) -> None:
    slack, deployment = scene
    for method in ("chat.postMessage", "files.getUploadURLExternal", "users.info", "conversations.replies"):
        slack.control("faults", {"method": method, "action": "error", "status": 503, "times": None})
    ts = slack.ask("search", WHY)
    ledger = inbox_of(deployment)
    until(lambda: row_of(ledger, ts).get("delays", 0) >= 3, "it tries again and again")
    assert stage_of(ledger, ts) == "deliver"
    assert slack.answers("search", ts) == []
    slack.http.delete("/control/faults")
    answered(slack, "search", ts)
    at_rest(deployment)
    assert len(slack.answers("search", ts)) == 1
    ledger.database.close()


def test_a_killed_worker_group_loses_nothing(scene: Scene) -> None:
    slack, deployment = scene
    slack.control("faults", {"method": "chat.postMessage", "action": "hold", "times": 2})
    ts = slack.ask("search", WHY)
    until(lambda: slack.answers("search", ts), "the answer stands, and nobody knows")
    deployment.kill("worker")
    slack.http.delete("/control/faults")
    slack.control("release", {})
    ledger = inbox_of(deployment)
    assert stage_of(ledger, ts) == "deliver"
    deployment.start("worker", "worker")
    until(lambda: stage_of(ledger, ts) == "done", "another worker goes on when the lease ends")
    assert len(slack.answers("search", ts)) == 1
    ledger.database.close()


@pytest.mark.parametrize("group", [False, True], ids=["the parent alone", "the whole group"])
def test_a_polite_stop_hands_the_request_back(scene: Scene, group: bool) -> None:
    slack, deployment = scene
    slack.control("faults", {"method": "chat.postMessage", "action": "hold", "times": None})
    ts = slack.ask("search", WHY)
    until(lambda: slack.answers("search", ts), "the answer is posted, its record waits")
    if group:
        os.killpg(deployment.running["worker"].pid, signal.SIGTERM)
    else:
        deployment.running["worker"].terminate()
    deployment.running.pop("worker").wait(60)
    ledger = inbox_of(deployment)
    found = row_of(ledger, ts)
    assert (found["lease_until"], found["lost_leases"], found["stage"]) == (None, 0, "deliver")
    ledger.database.close()
    slack.http.delete("/control/faults")
    deployment.start("worker", "worker")
    at_rest(deployment)
    assert len(slack.answers("search", ts)) == 1


def test_a_child_that_hangs_does_not_hold_up_a_stop(scene: Scene) -> None:
    slack, deployment = scene
    answered(slack, "search", slack.ask("search", WHY))
    worker = deployment.running.pop("worker")
    children = Path(f"/proc/{worker.pid}/task/{worker.pid}/children").read_text().split()
    assert children
    for child in children:
        os.kill(int(child), signal.SIGSTOP)
    worker.terminate()
    worker.wait(60)
    for child in children:
        os.kill(int(child), signal.SIGKILL)
