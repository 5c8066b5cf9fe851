"""``oracle up``: a local Slack in the browser, the bot, the workers and the clock, in one process group."""

from __future__ import annotations

import json
import logging
import os
import selectors
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from celery import Celery
from celery.beat import EmbeddedService
from celery.worker import WorkController
from celery.worker import state as worker_state
from rich.console import Console
from rich.text import Text

from bot.cli.demo import build as build_demo
from bot.cli.demo_services import DEMO
from bot.cli.ports import free_port
from bot.cli.processes import build_front, need_port, opened, serve
from bot.cli.shared_options import Docs, Prometheus, Repos, refresh, settings_from
from bot.transport.manifest import build_manifest
from bot.transport.repeating_task import RepeatingTask
from workers.bootstrap import Oracle
from workers.delivery.console import make_console
from workers.delivery.rich_text import safe
from workers.entrypoints.celery_app import EMBEDDED, INDEX, QUEUES, choose_broker, make_app
from workers.entrypoints.tasks import add_tasks, begin_fetches, build_worker_context
from workers.errors import ConfigError, OracleError, ToolUnavailable
from workers.ports import ToolContext
from workers.settings.configured_paths import missing_paths, tells_of
from workers.settings.load import Settings, oracle_home
from workers.sources.metrics.sample_store import SampleStore
from workers.store.source_refreshes import record_sources
from workers.telemetry.service_metrics import ServiceMetrics

Port = Annotated[int, typer.Option("--port", help="Port of the local Slack's page; a free one when it is taken.")]
logger = logging.getLogger(__name__)
DEMO_AHEAD = timedelta(hours=12)
"""A demo whose samples end sooner than this is built again."""
DEMO_CHECKED_S = 600.0
INDEXERS = 2
"""Threads that clone, fetch, crawl and index."""
STARTS_S = 20.0
STOPS_S = 10.0


def up(repo: Repos = None, docs: Docs = None, prometheus: Prometheus = "", port: Port = 8400) -> None:
    """Open a local Slack in the browser with Oracle in it; with SLACK_BOT_TOKEN set, connect to Slack itself."""
    console = make_console()
    settings = settings_from(repo, docs, prometheus)
    now = datetime.now(UTC).replace(microsecond=0)
    if needs_demo(settings, now):
        with console.status("building the demo team …"):
            console.print(Text(build_demo(oracle_home(), now, 0)))
        settings = settings_from(repo, docs, prometheus)
    web = settings.core.web
    if os.environ.get("PORT"):
        need_port(web.host, web.port)
    slack: dict[str, Any] = {}
    page = ""
    with ExitStack() as stack:
        if not settings.core.slack.bot_token:
            local = stack.enter_context(run_sandbox(settings, port))
            keys = ("bot_token", "app_token", "signing_secret", "api_url")
            slack = {f"oracle.slack.{key}": local[key] for key in keys}
            page = str(local["url"])
        web_port = listening_port(web.port)
        settings = settings_from(repo, docs, prometheus, {**slack, "oracle.web.port": web_port})
        run_all(stack, settings, console, page)
    console.print(Text("Stopped.", style="dim"))


def run_all(stack: ExitStack, settings: Settings, console: Console, page: str) -> None:
    """Workers, clock and bot on one memory broker, until a signal."""
    oracle = stack.enter_context(opened(settings))
    read = list(refresh(oracle))
    record_sources(oracle.store.database, read)
    missing = missing_paths(settings)
    for sentence in missing.values():
        console.print(Text(safe(sentence), style="yellow"))
    for name, line, ok in read:
        if tells_of(line, missing):
            continue
        console.print(Text(safe(f"{name}: {line}"), style="dim" if ok else "yellow"))
    if settings.core.environment == DEMO:
        renewing = RepeatingTask("demo", partial(renew_demo, settings), DEMO_CHECKED_S)
        renewing.start()
        stack.callback(renewing.close)
    metrics = ServiceMetrics(oracle.metrics)
    app = make_app(settings, choose_broker(settings, one_process=True))
    stack.enter_context(run_embedded(app, oracle, metrics))
    begin_fetches(app, settings)
    front = build_front(oracle, app, metrics)
    stack.callback(front.close)
    console.print(welcome(oracle, page, front.ready()["slack"]))
    if not page and settings.core.environment == DEMO:
        note = "Oracle answers from the demo team, not from yours: connect your own (make run REPO=…)."
        console.print(Text(note, style="yellow"))
    serve(front.web, settings.core.web.host, settings.core.web.port, front.slow)
    console.print(Text("Stopping …", style="dim"))


def needs_demo(settings: Settings, now: datetime) -> bool:
    """Nothing of one's own is connected, and there is no demo, or one that ages: its bad deploy was not yesterday, or
    its samples end in a few hours."""
    core = settings.core
    if core.environment != DEMO:
        return not (core.repositories or core.documents or core.prometheus.url or core.samples)
    try:
        built = (oracle_home() / "config" / "oracle.yaml").stat().st_mtime
        newest = SampleStore(Path(core.samples)).newest_ms or 0
    except (OSError, ToolUnavailable):
        return True
    ends = datetime.fromtimestamp(newest / 1000, UTC)
    return datetime.fromtimestamp(built, UTC).date() != now.date() or ends < now + DEMO_AHEAD


def renew_demo(settings: Settings) -> float:
    """Build the demo again when it ages; the refresh of sources then reads it. Returns: seconds to the next look."""
    now = datetime.now(UTC).replace(microsecond=0)
    try:
        if needs_demo(settings, now):
            build_demo(oracle_home(), now, 0)
    except (OracleError, OSError) as error:
        logger.warning("the demo team was not built again: %s", error)
    return DEMO_CHECKED_S


def listening_port(wanted: int) -> int:
    """The port of health and hooks: the one that PORT names, a free one for 0, and when the usual one is taken."""
    return wanted if wanted and os.environ.get("PORT") else free_port(wanted)


@contextmanager
def run_sandbox(settings: Settings, port: int) -> Iterator[dict[str, Any]]:
    """A local Slack with the app installed as its manifest says, in a process of its own that ends with this one.

    Yields: its addresses, tokens and signing secret.

    Raises:
        ConfigError: it does not start.
    """
    command = [sys.executable, "-m", "slack_sandbox", "--port", str(free_port(port)), "--exit-with-parent"]
    process = subprocess.Popen(
        [*command, *sandbox_options(build_manifest(settings))], stdout=subprocess.PIPE, start_new_session=True
    )
    try:
        yield read_address(process)
    finally:
        process.terminate()
        try:
            process.wait(STOPS_S)
        except subprocess.TimeoutExpired:
            process.kill()


def sandbox_options(manifest: dict[str, Any]) -> list[str]:
    """What the local Slack has to know of the app: its name, scopes, commands and shortcuts."""
    features = manifest["features"]
    out = ["--app-name", features["bot_user"]["display_name"]]
    for command in features["slash_commands"]:
        out += ["--command", f"{command['command']}={command['description']}|{command['usage_hint']}"]
    for shortcut in features["shortcuts"]:
        kind = "--message-shortcut" if shortcut["type"] == "message" else "--shortcut"
        out += [kind, f"{shortcut['callback_id']}={shortcut['name']}"]
    for scope in manifest["oauth_config"]["scopes"]["bot"]:
        out += ["--scope", scope]
    return out


def read_address(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    """The line a starting sandbox prints. Raises: ConfigError."""
    if process.stdout is None:
        raise ValueError("the process has no standard output")
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        line = process.stdout.readline() if selector.select(STARTS_S) else b""
    if not line:
        raise ConfigError(f"the local Slack did not start (exit code {process.poll()})")
    address: dict[str, Any] = json.loads(line)
    return address


@contextmanager
def run_embedded(app: Celery, oracle: Oracle, metrics: ServiceMetrics) -> Iterator[None]:
    """Workers and the clock in threads of this process. A long clone keeps no question waiting: it has its own."""
    worker, settings = build_worker_context(oracle, metrics), oracle.settings
    add_tasks(app, lambda: worker)  # Celery gives them to every app of the process
    second = make_app(settings, choose_broker(settings, one_process=True))  # an app knows the queues of one worker
    asking, size = [name for name in QUEUES if name != INDEX], settings.core.worker.concurrency
    threads = []
    for one, queues, threads_each in ((app, asking, size), (second, [INDEX], INDEXERS)):
        one.finalize()
        consumer = WorkController(app=one, concurrency=threads_each, queues=queues, loglevel="WARNING", **EMBEDDED)
        threads.append(threading.Thread(target=consumer.start, name=f"worker {queues[0]}", daemon=True))
    clock = EmbeddedService(app, thread=True, scheduler_cls=app.conf.beat_scheduler)
    for thread in threads:
        thread.start()
    clock.start()
    try:
        yield
    finally:
        clock.stop()
        worker_state.should_stop = os.EX_OK
        for thread in threads:
            thread.join(STOPS_S)
        worker_state.should_stop = None
        worker.board.close()


def welcome(oracle: Oracle, page: str, connected: bool) -> Text:
    """Where to go and what to type."""
    port, name = oracle.settings.core.web.port, oracle.settings.core.slack.name
    out = Text()
    if page:
        out.append("\nOpen ")
        out.append(page, style="bold green underline")
        out.append("  in a browser and ask in a channel, for example:\n")
        out.append(f"  @{name} {example(oracle)}\n  @{name} is it slow?\n")
    elif connected:
        out.append(f"\nConnected to Slack: mention @{name} in a channel it is a member of.\n")
    else:
        out.append("\nSlack cannot be reached yet; trying again and again.\n", style="yellow")
    models = oracle.settings.tree.models
    if models.thinks:
        out.append(f"{models.roles['investigator'].model} thinks; the rules answer when it cannot.\n", style="dim")
    else:
        out.append("The rules think; with ANTHROPIC_API_KEY set, a language model does.\n", style="dim")
    out.append(f"Health http://127.0.0.1:{port}/healthz · metrics /metrics · stop with Ctrl-C\n", style="dim")
    return out


def example(oracle: Oracle) -> str:
    """A question about something that exists."""
    context = ToolContext("welcome", oracle.settings.default_agent, oracle.engine.clock.now())
    endpoints = oracle.toolbox.landscape(context).labels.get("endpoint", ())
    if oracle.settings.core.environment == DEMO:
        return "Latency on /api/search has been spiky since yesterday's deploy. What's going on?"
    return f"What happened to {endpoints[0]} since yesterday?" if endpoints else "What changed since yesterday?"
